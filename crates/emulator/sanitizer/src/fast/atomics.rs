//! Atomics of one word per lane, in kernels that release nothing: lane by lane in few steps.
//!
//! A cell takes this path if it has only atomics of device scope and one size since its last barrier. Without this path
//! atomics take 8 times as long.

use crate::access::AccessCheck;
use crate::access::reference::lanes_of;
use crate::fast::view::ShadowView;
use crate::races::epoch::{self, ASYNC, DATA, DEVICE_SCOPE, PackedEpoch, REPLACED};
use crate::races::happens_before::relation::Relation;
use crate::races::shadow_cell::{LaneAccess, mixed_sizes};
use lanework_engine::event::AccessKind;
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_ptx_ir::kernel::MemorySpace;

impl AccessCheck {
    /// Checks an atomic; returns the lanes that are still to be checked: all from one on, so that lanes keep their order.
    pub fn atomics(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &AccessSite,
        at: &[u64; 32],
    ) -> u32 {
        let of_words = site.kind == AccessKind::Atomic && site.count == 1 && site.bytes == 4;
        // A compare-and-swap may only read.
        let swaps = site.data[1].is_some();
        // The general path notes where a kernel launches a grid.
        let launches = self.launches.counter.is_some();
        if !of_words || swaps || launches || self.releases || !self.word_cells() {
            return warp.mask;
        }
        match site.space {
            MemorySpace::Global => self.atomics_in::<false>(warp, instruction, site, at),
            MemorySpace::Shared => self.atomics_in::<true>(warp, instruction, site, at),
            _ => warp.mask,
        }
    }

    fn atomics_in<const SHARED: bool>(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &AccessSite,
        at: &[u64; 32],
    ) -> u32 {
        let hint = if SHARED {
            self.bounds.hint(instruction) as usize
        } else {
            let first = at[warp.mask.trailing_zeros() as usize % 32];
            let Some(id) = self.allocation(instruction, first) else { return warp.mask };
            id
        };
        let (start, size) = self.fast_extent::<SHARED, false>(hint);
        let Some(room) = size.checked_sub(3) else { return warp.mask };
        let packed = self.packed_of(warp.index, instruction, site);
        if packed & DEVICE_SCOPE == 0 || packed & DATA != 0 {
            return warp.mask;
        }
        let origin = if SHARED { 0 } else { start };
        let id = if SHARED { self.position.rank as usize } else { hint };
        let mut view = self.view::<SHARED>(warp.index, id);
        for lane in lanes_of(warp.mask) {
            let offset = at[lane].wrapping_sub(origin);
            let inside = at[lane].wrapping_sub(start) < room && offset & 3 == 0;
            let packed = epoch::with_lane(packed, lane as u32);
            if !inside
                || !view.written.is_none_or(|written| written.has(offset, 4))
                || !view.atomic(offset, packed, site.order.observes)
            {
                return warp.mask & (u32::MAX << lane);
            }
        }
        0
    }
}

impl ShadowView<'_> {
    /// Checks and records one lane's atomic write of a word. Returns `false`, and changes nothing, if the general path
    /// must check it.
    #[inline(always)]
    pub(super) fn atomic(&mut self, offset: u64, packed: PackedEpoch, observes: bool) -> bool {
        let ShadowView { shadow, order, writers, base, warp, .. } = self;
        let Some(mut cell) = shadow.strong_cell((offset >> 2) as usize) else { return false };
        let [other, last] = cell.strong.writes;
        // Atomics of device scope and one size do not race with each other.
        let harmless = |order: &_, prior: PackedEpoch| {
            prior == 0
                || prior & DEVICE_SCOPE != 0
                    && prior & (ASYNC | DATA) == 0
                    && !mixed_sizes(order, prior, packed)
        };
        if cell.strong.reads != [0; 2] || !harmless(order, other) || !harmless(order, last) {
            return false;
        }
        // An earlier weak write without this mark must still be marked as replaced.
        let [write, ..] = cell.weak;
        if write != 0 && write & REPLACED == 0 {
            return false;
        }
        for access in cell.weak {
            if access == 0 {
                continue;
            }
            let relation = writers.relation(order, access, *base, *warp);
            if access & ASYNC != 0 || relation != Relation::HappensBefore {
                return false;
            }
        }
        // The thread continues its own atomics, which the last one represents.
        if other == 0 && epoch::same_thread(last, packed) {
            cell.strong.writes = [0, packed];
            if observes {
                cell.strong.polled = packed;
            }
            cell.changed(packed);
            return true;
        }
        let lane = epoch::lane(packed);
        let now = LaneAccess { packed, warp: *warp, lane, base: *base, observes };
        cell.strong.note_write(order, &now, true);
        cell.changed(packed);
        true
    }
}
