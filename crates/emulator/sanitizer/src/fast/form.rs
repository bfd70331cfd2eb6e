//! Addresses of a warp that go evenly in each half.
//!
//! Found in vectors of addresses, too, since the assembler does not know all that are even: without
//! that, sgemm_tiled takes 15 times as long.

use lanework_engine::machine::{Op, Warp};
use lanework_engine::slot::{Scalar, WIDE};

/// Addresses of a warp that go evenly in each half.
pub struct Form {
    /// Those of lanes 0 and 16.
    pub base: [u64; 2],
    /// The step from lane to lane.
    pub stride: u64,
}

impl Form {
    /// The form of 32 addresses, if they have one and all lanes are there.
    #[inline(always)]
    pub fn of(at: &[u64; 32]) -> Option<Form> {
        let stride = at[1].wrapping_sub(at[0]);
        if stride > 32 || at[17].wrapping_sub(at[16]) != stride {
            return None;
        }
        let mut mismatch = 0;
        for i in 0..16 {
            let step = stride.wrapping_mul(i as u64);
            mismatch |= at[i].wrapping_sub(at[0]) ^ step;
            mismatch |= at[16 + i].wrapping_sub(at[16]) ^ step;
        }
        (mismatch == 0).then_some(Form { base: [at[0], at[16]], stride })
    }

    /// The form of an address in scalar form with an offset added; `None` where 32 bits wrap around.
    ///
    /// # Safety
    /// Operation and warp are the assembler's, and the address is in scalar form.
    #[inline(always)]
    pub unsafe fn of_scalar(op: &Op, warp: &Warp, offset: u64) -> Option<Form> {
        // SAFETY: by the caller.
        let scalar = unsafe { *warp.at(op.b).cast::<Scalar>() };
        if op.b & WIDE != 0 {
            let base = [scalar.base[0].wrapping_add(offset), scalar.base[1].wrapping_add(offset)];
            return Some(Form { base, stride: scalar.stride });
        }
        let (low, high) = (scalar.base[0] as u32, scalar.base[1] as u32);
        let base = [low.wrapping_add(offset as u32), high.wrapping_add(offset as u32)];
        let stride = scalar.stride as u32;
        // Steps down wrap, and are uncommon.
        let reach = stride.checked_mul(15)?;
        base[0].checked_add(reach)?;
        base[1].checked_add(reach)?;
        Some(Form { base: [base[0].into(), base[1].into()], stride: stride.into() })
    }
}
