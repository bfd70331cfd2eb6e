//! Fast paths: accesses in common forms, checked by a few steps in place of lane by lane.
//!
//! A fast path answers only where the reference path would find nothing, and leaves in shadow memory
//! what that would leave; whatever else it hands back, with nothing changed that checking it again would
//! not change alike. [`equivalence`] tests that on random histories. Each is kept for what removing it
//! costs on the checked bench (`cargo bench -p lanework-emulator --bench engine -- --quick --checked`), which
//! is in its file.
//!
//! One warp's access, by the fastest path that takes it.
//!
//! Addresses of a warp that go evenly in each half.
//!
//! Found in vectors of addresses, too, since the assembler does not know all that are even: without
//! that, sgemm_tiled takes 15 times as long.

#[cfg(test)]
mod equivalence;
pub mod group;
pub mod half_warp;
pub mod line;
pub mod scattered;
pub mod view;

use crate::access::AccessCheck;
use lanework_engine::machine::{Op, Warp};
use lanework_engine::site::Site;
use lanework_engine::slot::{Scalar, WIDE};
use lanework_ptx_ir::analysis::access::AccessClass;

impl AccessCheck {
    /// Checks one warp's access, before it is done.
    pub fn access(&mut self, warp: &Warp, instruction: u32, site: &Site, at: &[u64; 32]) {
        // What matrices are made of all lanes load and store together.
        if site.service != AccessClass::Rows {
            self.note_lanes(warp);
        }
        if let Some(form) = HalfWarpAddresses::from_addresses(at)
            && self.half_warps(warp, instruction, site, &form)
        {
            return;
        }
        let left = self.scattered(warp, instruction, site, at);
        if left != 0 {
            self.by_lane(warp, instruction, site, at, left);
        }
    }
}

/// Addresses of a warp that go evenly in each half.
pub struct HalfWarpAddresses {
    /// Those of lanes 0 and 16.
    pub base: [u64; 2],
    /// The step from lane to lane.
    pub stride: u64,
}

impl HalfWarpAddresses {
    /// The form of 32 addresses, if they have one and all lanes are there.
    #[inline(always)]
    pub fn from_addresses(at: &[u64; 32]) -> Option<HalfWarpAddresses> {
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
        (mismatch == 0).then_some(HalfWarpAddresses { base: [at[0], at[16]], stride })
    }

    /// The form of an address in scalar form with an offset added; `None` where 32 bits wrap around.
    ///
    /// # Safety
    /// Operation and warp are the assembler's, and the address is in scalar form.
    #[inline(always)]
    pub unsafe fn of_scalar(op: &Op, warp: &Warp, offset: u64) -> Option<HalfWarpAddresses> {
        // SAFETY: by the caller.
        let scalar = unsafe { *warp.at(op.b).cast::<Scalar>() };
        if op.b & WIDE != 0 {
            let base = [scalar.base[0].wrapping_add(offset), scalar.base[1].wrapping_add(offset)];
            return Some(HalfWarpAddresses { base, stride: scalar.stride });
        }
        let (low, high) = (scalar.base[0] as u32, scalar.base[1] as u32);
        let base = [low.wrapping_add(offset as u32), high.wrapping_add(offset as u32)];
        let stride = scalar.stride as u32;
        // Steps down wrap, and are uncommon.
        let reach = stride.checked_mul(15)?;
        base[0].checked_add(reach)?;
        base[1].checked_add(reach)?;
        Some(HalfWarpAddresses { base: [base[0].into(), base[1].into()], stride: stride.into() })
    }
}
