//! Checks atomics of one or two words per lane in kernels without releases: lane by lane, or together if all lanes access one word.
//!
//! A cell takes this path if its strong accesses do not race with the atomic, and its weak ones happen before. Without this
//! path atomics take 8 times as long.

use crate::access::AccessCheck;
use crate::access::reference::{CompareAndSwaps, lanes_of, mask_of};
use crate::fast::whole::ShadowView;
use crate::races::epoch::{self, ASYNC, DATA, DEVICE_SCOPE, PackedEpoch, REPLACED};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::relation::{Relation, RelationCache};
use crate::races::shadow_cell::{LaneAccess, mixed_sizes};
use crate::races::shadow_memory::StrongCell;
use crate::races::strong_accesses::StrongAccesses;
use lanework_engine::ablation::FastPath;
use lanework_engine::event::AccessKind;
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_ptx_ir::kernel::MemorySpace;

impl AccessCheck {
    /// Checks an atomic. Returns the lanes still to check: all from the first that needs another path, so lanes keep their
    /// order.
    #[inline(always)]
    pub fn atomics(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &AccessSite,
        at: &[u64; 32],
    ) -> u32 {
        let of_words =
            site.kind == AccessKind::Atomic && site.count == 1 && matches!(site.bytes, 4 | 8);
        // The general path notes where a kernel launches a grid.
        let launches = self.launches.counter.is_some();
        if !FastPath::CheckedAtomics.on()
            || !of_words
            || launches
            || self.releases
            || !self.word_cells()
        {
            return warp.mask;
        }
        match site.space {
            MemorySpace::Global => self.atomics_in::<false>(warp, instruction, site, at),
            MemorySpace::Shared => self.atomics_in::<true>(warp, instruction, site, at),
            _ => warp.mask,
        }
    }

    #[inline(always)]
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
        let bytes = u64::from(site.bytes);
        let Some(room) = size.checked_sub(bytes - 1) else { return warp.mask };
        let packed = self.packed_of(warp.index, instruction, site);
        if packed & DEVICE_SCOPE == 0 || packed & DATA != 0 {
            return warp.mask;
        }
        let origin = if SHARED { 0 } else { start };
        let id = if SHARED { self.position.rank as usize } else { hint };
        let host = self.bounds.extent(id).host;
        let observes = site.order.observes;
        let mut swaps = (site.data[1].is_some()).then(CompareAndSwaps::default);
        let mut view = self.view::<SHARED>(warp.index, id);
        let mut outside = 0;
        let mut differ = 0;
        let mut offsets = [0; 32];
        let first = at[warp.mask.trailing_zeros() as usize % 32];
        for lane in 0..32 {
            let active = 0u64.wrapping_sub(u64::from(warp.mask >> lane & 1));
            let outside_of = at[lane].wrapping_sub(start) >= room
                || at[lane].wrapping_sub(origin) & (bytes - 1) != 0;
            outside |= u64::from(outside_of) & active;
            offsets[lane] = at[lane].wrapping_sub(origin);
            differ |= (at[lane] ^ first) & active;
        }
        let written = view.written.map_or(warp.mask, |of| match bytes {
            4 => of.has_words(&offsets, warp.mask),
            _ => mask_of(lanes_of(warp.mask).filter(|lane| of.has(offsets[*lane], bytes))),
        });
        if outside != 0 || written != warp.mask {
            return warp.mask;
        }
        let one = differ == 0 && FastPath::AtomicsOfOneWord.on();
        if one && swaps.is_none() && warp.mask.count_ones() > 3 {
            let cells = (0..bytes / 4).map(|i| first.wrapping_sub(origin) + 4 * i);
            let fits = |offset| view.joins_atomics(offset, packed, observes);
            if cells.clone().all(fits) {
                for offset in cells {
                    view.atomics_of_one(offset, packed, warp.mask, observes);
                }
                return 0;
            }
        }
        if swaps.is_none() && bytes == 4 {
            return view.atomic_words(&offsets, warp.mask, packed, observes);
        }
        for lane in lanes_of(warp.mask) {
            let offset = offsets[lane];
            let packed = epoch::with_lane(packed, lane as u32);
            let writes = match &mut swaps {
                None => true,
                Some(swaps) => {
                    let word = host.wrapping_add(offset as usize);
                    !swaps.fails(warp, site, lane, (at[lane], word))
                }
            };
            // Nothing of a lane may change if one of its words needs another path.
            let fits = bytes == 4 || view.atomic_cell(offset + 4, packed, writes).is_some();
            if !fits || !view.atomic(offset, packed, observes, writes) {
                return warp.mask & (u32::MAX << lane);
            }
            if bytes == 8 {
                view.atomic(offset + 4, packed, observes, writes);
            }
        }
        0
    }
}

/// Whether a prior strong access does not race with this atomic: it has device scope and the same size, or does not exist.
#[inline(always)]
pub fn harmless(order: &HappensBefore, prior: PackedEpoch, packed: PackedEpoch) -> bool {
    prior == 0
        || prior & DEVICE_SCOPE != 0
            && prior & (ASYNC | DATA) == 0
            && (epoch::instruction(prior) == epoch::instruction(packed)
                || !mixed_sizes(order, prior, packed))
}

impl ShadowView<'_> {
    /// The cell of an atomic's word, the tracker, and the cached relation of an atomic; `None` if the general path must check
    /// the atomic.
    #[inline(always)]
    fn atomic_cell(
        &mut self,
        offset: u64,
        packed: PackedEpoch,
        writes: bool,
    ) -> Option<(StrongCell<'_>, &mut HappensBefore, &mut RelationCache)> {
        let ShadowView { shadow, order, writers, readers, base, warp, .. } = self;
        let cell = shadow.strong_cell((offset >> 2) as usize)?;
        let strong = &*cell.strong;
        let [[other, last], [first, latest]] = [strong.writes, strong.reads];
        let of_writes = harmless(order, other, packed) && harmless(order, last, packed);
        let any_read = first | latest != 0;
        if !of_writes
            || any_read && !(harmless(order, first, packed) && harmless(order, latest, packed))
        {
            return None;
        }
        let [write, first, last] = cell.weak;
        // This atomic replaces the weak write, which the general path has to mark.
        if writes && write != 0 && write & REPLACED == 0 {
            return None;
        }
        let mut before = |access: PackedEpoch| {
            access == 0
                || access & ASYNC == 0
                    && writers.relation(order, access, *base, *warp) == Relation::HappensBefore
        };
        if !before(write) || writes && first | last != 0 && !(before(first) && before(last)) {
            return None;
        }
        Some((cell, order, readers))
    }

    /// Checks and records one lane's atomic of a word, which may only read. Returns `false`, and changes nothing, if the
    /// general path must check it.
    #[inline(never)]
    pub(super) fn atomic(
        &mut self,
        offset: u64,
        packed: PackedEpoch,
        observes: bool,
        writes: bool,
    ) -> bool {
        let (warp, base) = (self.warp, self.base);
        let Some((mut cell, order, atomics)) = self.atomic_cell(offset, packed, writes) else {
            return false;
        };
        let lane = epoch::lane(packed);
        let now = LaneAccess { packed, warp, lane, base, observes };
        let StrongAccesses { writes: [other, last], reads, polled } = cell.strong;
        if !writes {
            cell.strong.note_read(order, &now);
        } else if *reads != [0; 2] {
            cell.strong.note_write(order, &now, true);
        } else if observes {
            // The thread uses the value that the recorded atomics have left, so this one represents them.
            (*other, *last, *polled) = (0, packed, packed);
        } else if *other == 0 && epoch::same_thread(*last, packed) {
            // The thread's last atomic represents its earlier ones.
            *last = packed;
        } else {
            let mut unordered =
                |prior: PackedEpoch| match atomics.relation(order, prior, base, warp) {
                    Relation::HappensBefore => Some(false),
                    Relation::Concurrent => Some(true),
                    Relation::ProgramOrder => Some(epoch::lane(prior) != lane),
                    Relation::ByLane => None,
                };
            match (unordered(*other), unordered(*last)) {
                (Some(first), Some(second)) => {
                    let kept = match (first, second) {
                        (true, true) => order.farther([*other, *last], packed),
                        (true, false) => *other,
                        (false, true) => *last,
                        (false, false) => 0,
                    };
                    let replaced = if kept != 0 { REPLACED } else { 0 };
                    (*other, *last) = (kept | replaced, packed);
                }
                _ => cell.strong.note_write(order, &now, true),
            }
        }
        cell.changed(packed);
        true
    }

    /// Whether [`ShadowView::atomics_of_one`] can check and record atomics of a word.
    #[inline(always)]
    fn joins_atomics(&mut self, offset: u64, packed: PackedEpoch, observes: bool) -> bool {
        let (warp, base) = (self.warp, self.base);
        let Some((cell, order, _)) = self.atomic_cell(offset, packed, true) else {
            return false;
        };
        let unclear = |prior| order.relation_of(prior, base, warp) == Relation::ByLane;
        cell.strong.reads == [0; 2] && (observes || !cell.strong.writes.into_iter().any(unclear))
    }

    /// The same for atomic writes of one word by several lanes; `packed` is of lane 0. Returns `false`, and changes nothing,
    /// unless it [joins](Self::joins_atomics).
    ///
    /// Records few of the lanes. If the thread uses the value, each write replaces the one before, so only the last lane
    /// remains. Otherwise the first, the second to last and the last lane suffice: the lanes between them change nothing.
    #[inline(always)]
    pub(super) fn atomics_of_one(
        &mut self,
        offset: u64,
        packed: PackedEpoch,
        lanes: u32,
        observes: bool,
    ) -> bool {
        let (warp, base) = (self.warp, self.base);
        if !self.joins_atomics(offset, packed, observes) {
            return false;
        }
        let Some((mut cell, order, _)) = self.atomic_cell(offset, packed, true) else {
            return false;
        };
        let last = lanes.ilog2();
        let before_last = (lanes ^ 1 << last).ilog2();
        let first = if observes { last } else { lanes.trailing_zeros() };
        for lane in [first, before_last, last] {
            if observes && lane != last {
                continue;
            }
            let packed = epoch::with_lane(packed, lane);
            let now = LaneAccess { packed, warp, lane, base, observes };
            cell.strong.note_write(order, &now, true);
        }
        cell.changed(epoch::with_lane(packed, last));
        true
    }
}
