//! A word by every lane of a warp, side by side in each half, each half on a line of shadow memory of its
//! own or both on one: two lines are checked, and nothing else is asked.
//!
//! Without this path sgemm_tiled takes 1.08 times as long, for its stores to shared memory; groups of
//! loads are made of the same lines.

use super::super::access::check::AccessCheck;
use super::super::races::epoch::{self, PackedEpoch};
use super::half_warp::STEPS;
use super::line::{ALL, AccessBatch};
use super::view::ShadowView;

impl AccessCheck {
    /// A store of a word by every lane; `false` if it must be checked by another path, with nothing
    /// changed that this would not change alike.
    #[inline(always)]
    pub fn whole_lines<const SHARED: bool>(
        &mut self,
        warp: u32,
        instruction: u32,
        base: [u64; 2],
    ) -> bool {
        let Some((id, at)) = self.inside::<SHARED, false>(instruction, base, 64) else {
            return false;
        };
        let mut view = self.view::<SHARED>(warp, id);
        if let Some(written) = view.written {
            written.set(at[0], 64);
            written.set(at[1], 64);
        }
        view.words::<false>(at, epoch::pack(0, instruction))
    }
}

impl ShadowView<'_> {
    /// Accesses to a line by each half of a warp, or reads of one by both; `false` if they must be checked
    /// by another path.
    #[inline(always)]
    pub fn words<const LOADS: bool>(&mut self, at: [u64; 2], instruction: PackedEpoch) -> bool {
        if (at[0] | at[1]) & 63 != 0 {
            return false;
        }
        let [low, high] = [(at[0] >> 2) as usize, (at[1] >> 2) as usize];
        let packed = self.packed | instruction;
        if LOADS && low == high {
            return self.whole_line::<LOADS>(low, packed, 16 << epoch::LANE_SHIFT);
        }
        self.whole_line::<LOADS>(low, packed, 0)
            && self.whole_line::<LOADS>(high, epoch::with_lane(packed, 16), 0)
    }

    #[inline(always)]
    fn whole_line<const LOADS: bool>(
        &mut self,
        cell: usize,
        start: PackedEpoch,
        second: PackedEpoch,
    ) -> bool {
        let mut packed = STEPS[0];
        for of_cell in &mut packed {
            *of_cell += start;
        }
        let (warp, base) = (self.warp, self.base);
        let batch = AccessBatch { packed, second, active: ALL, warp, base };
        self.check::<LOADS>(cell, &batch)
    }
}
