//! Checks weak accesses at arbitrary addresses lane by lane, including rows of `ldmatrix`.
//!
//! Without this path xorshift takes 1.9 times as long, gather 1.5 times.

use crate::access::AccessCheck;
use crate::access::reference::{lanes_of, mask_of};
use crate::fast::stored::{StoredValues, WORD};
use crate::fast::whole::ShadowView;
use crate::races::epoch::{self, ASYNC, LINE, PackedEpoch, REPLACED};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::relation::{Relation, RelationCache};
use lanework_engine::ablation::FastPath;
use lanework_engine::event::AccessKind;
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_ptx_ir::kernel::MemorySpace;

/// How a prior access relates to one lane's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PriorAccess {
    /// It happens before.
    HappensBefore,
    /// It is concurrent.
    Concurrent,
    /// The general path must decide.
    Unclear,
}

/// How a prior access relates to a lane's access.
#[inline(always)]
fn prior(
    cache: &mut RelationCache,
    order: &mut HappensBefore,
    access: PackedEpoch,
    base: u32,
    (warp, lane): (u32, u32),
) -> PriorAccess {
    match cache.relation(order, access, base, warp) {
        Relation::HappensBefore => PriorAccess::HappensBefore,
        Relation::ProgramOrder if epoch::lane(access) == lane => PriorAccess::HappensBefore,
        Relation::ProgramOrder | Relation::Concurrent => PriorAccess::Concurrent,
        Relation::ByLane => PriorAccess::Unclear,
    }
}

impl AccessCheck {
    /// Checks an access by each lane; returns the lanes that are still to be checked.
    #[inline(always)]
    pub fn scattered(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &AccessSite,
        at: &[u64; 32],
    ) -> u32 {
        if site.order.strong.is_some() || !self.fast_paths() {
            return warp.mask;
        }
        match (site.space, site.kind) {
            (MemorySpace::Global, AccessKind::Load) => {
                self.scattered_of::<false, true>(warp, instruction, site, at)
            }
            (MemorySpace::Global, AccessKind::Store) => {
                self.scattered_of::<false, false>(warp, instruction, site, at)
            }
            (MemorySpace::Shared, AccessKind::Load) => {
                self.scattered_of::<true, true>(warp, instruction, site, at)
            }
            (MemorySpace::Shared, AccessKind::Store) => {
                self.scattered_of::<true, false>(warp, instruction, site, at)
            }
            _ => warp.mask,
        }
    }

    #[inline(always)]
    fn scattered_of<const SHARED: bool, const LOADS: bool>(
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
        if !SHARED && LOADS && site.order.read_only && self.races.has_writes(hint) {
            return warp.mask;
        }
        let (start, size) = self.fast_extent::<SHARED, LOADS>(hint);
        let (bytes, shift) = (u64::from(site.bytes) * u64::from(site.count), self.races.shift());
        if !bytes.is_power_of_two() || bytes >> shift == 0 {
            return warp.mask;
        }
        let Some(room) = size.checked_sub(bytes - 1) else { return warp.mask };
        let origin = if SHARED { 0 } else { start };
        let id = if SHARED { self.position.rank as usize } else { hint };
        let host = self.bounds.extent(id).host;
        let mut offsets = [0; 32];
        let mut outside = [0; 32];
        for lane in 0..32 {
            offsets[lane] = at[lane].wrapping_sub(origin);
            let inside = at[lane].wrapping_sub(start) < room && offsets[lane] & (bytes - 1) == 0;
            outside[lane] = u32::from(!inside) << lane;
        }
        let mut lanes = warp.mask;
        for lane in 0..32 {
            lanes &= !outside[lane];
        }
        let mut view = self.view::<SHARED>(warp.index, id);
        view.packed |= epoch::pack(0, instruction);
        let words = bytes == 4 && shift == WORD && FastPath::ScatteredWords.on();
        if !LOADS {
            // SAFETY: only lanes whose bytes are inside the memory are checked below.
            view.stored = unsafe { StoredValues::new(warp, site, host, shift) };
        }
        if let Some(written) = view.written
            && LOADS
        {
            lanes = match words {
                true => written.has_words(&offsets, lanes),
                false => mask_of(lanes_of(lanes).filter(|lane| written.has(offsets[*lane], bytes))),
            };
        }
        let mut left = warp.mask & !lanes;
        if words {
            left |= match LOADS {
                true => view.read_words(&offsets, lanes),
                false => view.write_words(&offsets, lanes),
            };
        }
        for lane in lanes_of(if words { 0 } else { lanes }) {
            let packed = epoch::with_lane(view.packed, lane as u32);
            let mut well = true;
            let mut offset = offsets[lane % 32];
            let end = offset + bytes;
            while well && offset < end {
                well = if LOADS { view.read(offset, packed) } else { view.write(offset, packed) };
                offset += 1 << shift;
            }
            left |= u32::from(!well) << lane;
            // A lane that owns a word forgets the reads of it; the lanes before it must have been checked by then.
            if !well && !LOADS {
                left |= lanes & (u32::MAX << lane);
                break;
            }
        }
        if let Some(written) = view.written
            && !LOADS
        {
            match words {
                true => written.set_words(&offsets, lanes & !left),
                false => lanes_of(lanes & !left).for_each(|lane| written.set(offsets[lane], bytes)),
            }
        }
        left
    }
}

impl ShadowView<'_> {
    /// Checks and records one lane's read of a word. Returns `false`, and changes nothing, if the
    /// general path must check it.
    #[inline(always)]
    pub(super) fn read(&mut self, offset: u64, packed: PackedEpoch) -> bool {
        let cell = (offset >> self.shadow.shift()) as usize;
        let Some((write, [first, last])) = self.shadow.read_cell(cell, self.base) else {
            return false;
        };
        let i = cell % LINE;
        let flags = (write & ASYNC) | ((first[i] | last[i]) & ASYNC);
        let (base, who) = (self.base, (self.warp, epoch::lane(packed)));
        let writer = prior(&mut self.writers, self.order, write, base, who);
        if flags != 0 || writer != PriorAccess::HappensBefore {
            return false;
        }
        match prior(&mut self.readers, self.order, first[i], base, who) {
            PriorAccess::HappensBefore => first[i] = packed,
            PriorAccess::Concurrent => last[i] = packed,
            PriorAccess::Unclear => return false,
        }
        true
    }

    /// The same for a write.
    #[inline(always)]
    pub(super) fn write(&mut self, offset: u64, packed: PackedEpoch) -> bool {
        let cell = (offset >> self.shadow.shift()) as usize;
        let Some((writes, reads)) = self.shadow.write_line(cell, self.base) else { return false };
        let (write, i) = (&mut writes[cell % LINE], cell % LINE);
        let (base, who) = (self.base, (self.warp, epoch::lane(packed)));
        let clear = |cache: &mut RelationCache, order: &mut HappensBefore, access, flags| {
            access & flags == 0
                && prior(cache, order, access, base, who) == PriorAccess::HappensBefore
        };
        if !clear(&mut self.writers, self.order, *write, ASYNC) {
            return false;
        }
        let mut own = if epoch::same_thread(*write, packed) { *write & REPLACED } else { 0 };
        if epoch::other_write_of_thread(*write, packed) {
            let Some(stored) = &self.stored else { return false };
            own |= if stored.changes(offset, who.1) { REPLACED } else { 0 };
        }
        if let Some([first, last]) = reads {
            let flags = ASYNC;
            if !clear(&mut self.readers, self.order, first[i], flags)
                || !clear(&mut self.readers, self.order, last[i], flags)
            {
                return false;
            }
            (first[i], last[i]) = (0, 0);
        }
        *write = packed | own;
        true
    }
}
