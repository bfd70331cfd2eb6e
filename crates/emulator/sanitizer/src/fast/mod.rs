//! Fast paths: vectorized checks of common access patterns.
//!
//! *Invariant.* A fast path handles only accesses in which the reference path would find nothing,
//! and leaves shadow memory in the same state. Otherwise it returns the access to the reference
//! path, and whatever it has changed the reference path would set to the same values.
//! [`equivalence`] tests this on random histories. Each path is kept for its speed on the checked
//! benchmark (`cargo bench -p lanework-emulator --bench engine -- --quick --checked`); each file
//! has the figures.

pub mod atomics;
#[cfg(test)]
mod equivalence;
pub mod group;
pub mod half_warp;
pub mod line;
pub mod scattered;
pub mod stored;
pub mod view;
mod whole;

use crate::access::AccessCheck;
use lanework_engine::event::AccessKind;
use lanework_engine::machine::{Op, Warp};
use lanework_engine::site::AccessSite;
use lanework_engine::slot::{Scalar, WIDE};
use lanework_ptx_ir::analysis::access::AccessClass;

impl AccessCheck {
    /// Checks a warp's access before it executes, by the fastest path that accepts it.
    #[inline(never)]
    pub fn access(&mut self, warp: &Warp, instruction: u32, site: &AccessSite, at: &[u64; 32]) {
        self.access_inlined(warp, instruction, site, at);
    }

    /// [`access`](Self::access), compiled for the SIMD level of the caller: only for the handler of accesses, because each
    /// copy takes 15 s to compile.
    #[inline(always)]
    pub fn access_inlined(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &AccessSite,
        at: &[u64; 32],
    ) {
        // All lanes load and store the rows of a matrix together.
        if site.service != AccessClass::Rows {
            self.note_lanes(warp);
        }
        if site.kind != AccessKind::Atomic
            && let Some(form) = HalfWarpAddresses::from_addresses(at)
            && self.half_warps(warp, instruction, site, &form)
        {
            return;
        }
        let left = match site.kind {
            AccessKind::Atomic => self.atomics(warp, instruction, site, at),
            _ => self.scattered(warp, instruction, site, at),
        };
        if left != 0 {
            self.by_lane(warp, instruction, site, at, left);
        }
    }
}

/// Addresses of a warp with a constant stride in each half.
///
/// Also detected in address vectors, because the assembler does not prove all of them: without
/// that, sgemm_tiled takes 15 times as long.
pub struct HalfWarpAddresses {
    /// Addresses of lanes 0 and 16.
    pub base: [u64; 2],
    /// Distance between neighboring lanes.
    pub stride: u64,
}

impl HalfWarpAddresses {
    /// Detects the pattern in 32 addresses; `None` if it does not match or the stride exceeds 32 bytes.
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

    /// The pattern of a scalar-form address with an offset added; `None` if 32-bit addresses wrap
    /// around.
    ///
    /// # Safety
    /// The assembler made `op` for this warp's code, and its operand `b` is in scalar form.
    #[inline(always)]
    pub unsafe fn of_scalar(op: &Op, warp: &Warp, offset: u64) -> Option<HalfWarpAddresses> {
        // SAFETY: `op.b` is the slot of a scalar-form register (required above), which holds a
        // `Scalar` in the warp's register file.
        let scalar = unsafe { *warp.at(op.b).cast::<Scalar>() };
        if op.b & WIDE != 0 {
            let base = [scalar.base[0].wrapping_add(offset), scalar.base[1].wrapping_add(offset)];
            return Some(HalfWarpAddresses { base, stride: scalar.stride });
        }
        let (low, high) = (scalar.base[0] as u32, scalar.base[1] as u32);
        let base = [low.wrapping_add(offset as u32), high.wrapping_add(offset as u32)];
        let stride = scalar.stride as u32;
        // Negative strides wrap, and are rare.
        let reach = stride.checked_mul(15)?;
        base[0].checked_add(reach)?;
        base[1].checked_add(reach)?;
        Some(HalfWarpAddresses { base: [base[0].into(), base[1].into()], stride: stride.into() })
    }
}
