//! Checks an access of neighboring lanes to all words of a line by the line's head: one comparison per field instead of one
//! per cell, with the same results as [`AccessBatch`]. Without this path a contiguous access takes 3 times as long.
//!
//! [`ShadowView`], which all fast paths use, is here as well.

use crate::access::AccessCheck;
use crate::bounds::MemoryId;
use crate::fast::line::{AccessBatch, PriorAccesses};
use crate::fast::stored::StoredValues;
use crate::races::epoch::{
    self, ALL, ASYNC, CellField, LANES, LINE, LineHead, PackedEpoch, REPLACED, WholeField,
    other_write_of_thread, same_thread,
};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::relation::{Relation, RelationCache};
use crate::races::shadow_memory::ShadowMemory;
use lanework_engine::ablation::FastPath;
use lanework_engine::allocation::InitializedBytes;

/// An access to every word of a line.
struct WholeAccess {
    /// The access.
    field: WholeField,
    /// As in [`AccessBatch::second`].
    second: PackedEpoch,
    warp: u32,
    base: u32,
}

impl WholeAccess {
    /// How a field relates to the access.
    #[inline(always)]
    fn prior(
        &self,
        cache: &mut RelationCache,
        order: &mut HappensBefore,
        prior: WholeField,
    ) -> PriorAccesses {
        if prior.start == 0 {
            return PriorAccesses::HappensBefore;
        }
        if prior.start & ASYNC != 0 {
            return PriorAccesses::Mixed;
        }
        match cache.relation(order, prior.start, self.base, self.warp) {
            Relation::HappensBefore => PriorAccesses::HappensBefore,
            Relation::Concurrent => PriorAccesses::Concurrent,
            Relation::ProgramOrder if prior.form != self.field.form => PriorAccesses::Mixed,
            Relation::ProgramOrder => match (prior.start ^ self.field.start) & LANES {
                0 => PriorAccesses::SameLane,
                _ => PriorAccesses::OtherLanes,
            },
            Relation::ByLane => PriorAccesses::Mixed,
        }
    }

    /// Checks and records a read; `false`, and no change, if another path must check it.
    #[inline(always)]
    fn read(
        &self,
        order: &mut HappensBefore,
        [writers, readers]: [&mut RelationCache; 2],
        head: &mut LineHead,
    ) -> bool {
        match self.prior(writers, order, head.field(CellField::Write)) {
            PriorAccesses::HappensBefore => {}
            PriorAccesses::SameLane if self.second == 0 => {}
            _ => return false,
        }
        if head.field(CellField::LastRead).start & ASYNC != 0 {
            return false;
        }
        let stands = match self.prior(readers, order, head.field(CellField::FirstRead)) {
            PriorAccesses::HappensBefore | PriorAccesses::SameLane => true,
            PriorAccesses::Concurrent => false,
            PriorAccesses::OtherLanes if self.second == 0 => false,
            PriorAccesses::OtherLanes | PriorAccesses::Mixed => return false,
        };
        if stands {
            head.set(CellField::FirstRead, self.field);
        }
        if !stands || self.second != 0 {
            let WholeField { start, form } = self.field;
            head.set(CellField::LastRead, WholeField { start: start + self.second, form });
        }
        true
    }

    /// The same for a write of the line of a cell. Also `false` if it changes only some of the values that another instruction
    /// of its threads has left.
    #[inline(always)]
    fn write(
        &self,
        order: &mut HappensBefore,
        [writers, readers]: [&mut RelationCache; 2],
        head: &mut LineHead,
        (cell, stored): (usize, Option<&StoredValues<'_>>),
    ) -> bool {
        let WholeField { start: prior, .. } = head.field(CellField::Write);
        let WholeField { mut start, form } = self.field;
        match self.prior(writers, order, head.field(CellField::Write)) {
            PriorAccesses::HappensBefore => {}
            PriorAccesses::SameLane if other_write_of_thread(prior, start) => {
                match stored.map(|stored| stored.changed_line(cell, self.field)) {
                    Some(0) => {}
                    Some(ALL) => start |= REPLACED,
                    _ => return false,
                }
            }
            PriorAccesses::SameLane if same_thread(prior, start) => start |= prior & REPLACED,
            PriorAccesses::SameLane => {}
            _ => return false,
        }
        for field in [CellField::FirstRead, CellField::LastRead] {
            match self.prior(&mut *readers, order, head.field(field)) {
                PriorAccesses::HappensBefore | PriorAccesses::SameLane => {}
                _ => return false,
            }
        }
        head.set_write(WholeField { start, form });
        true
    }
}

impl ShadowView<'_> {
    /// Checks an access to all words of the line of a cell; `false` if it must be checked lane by lane. `second` is as in
    /// [`AccessBatch::second`].
    #[inline(always)]
    pub fn whole_line<const LOADS: bool>(
        &mut self,
        cell: usize,
        field: WholeField,
        second: PackedEpoch,
    ) -> bool {
        let (warp, base) = (self.warp, self.base);
        if FastPath::LineHeads.on()
            && let Some(head) = self.shadow.whole_line::<LOADS>(cell, base)
        {
            let access = WholeAccess { field, second, warp, base };
            let caches = [&mut self.writers, &mut self.readers];
            if LOADS {
                return access.read(self.order, caches, head);
            }
            if access.write(self.order, caches, head, (cell, self.stored.as_ref())) {
                return true;
            }
        }
        let batch = AccessBatch { packed: field.words(), second, active: ALL, warp, base };
        let well = self.check::<LOADS>(cell, &batch);
        if well && !LOADS {
            self.shadow.gather(cell, field);
        }
        well
    }
}

/// One memory's shadow during one warp's access on a fast path, with the tracker. Caches relations,
/// because neighboring cells mostly belong to one epoch: without the caches sgemm_tiled takes 1.2
/// times as long.
pub struct ShadowView<'a> {
    /// Shadow cells of the memory.
    pub shadow: &'a mut ShadowMemory,
    /// Initialized-byte bitmap, if there is one.
    pub written: Option<&'a InitializedBytes>,
    /// The happens-before tracker.
    pub order: &'a mut HappensBefore,
    /// Relation of the last prior write.
    pub writers: RelationCache,
    /// Relation of the last prior read.
    pub readers: RelationCache,
    /// Epochs below this belong to earlier clusters and are ignored.
    pub base: u32,
    /// The warp that accesses the memory.
    pub warp: u32,
    /// Packed access of lane 0; without an instruction if several instructions are checked together.
    pub packed: PackedEpoch,
    /// The values, if it is a store whose values can be compared here.
    pub stored: Option<StoredValues<'a>>,
}

impl AccessCheck {
    /// The memory that contains two runs of bytes, by the instruction's hint, and their offsets in
    /// it; `None` if a run leaves it, or cells are not words.
    #[inline(always)]
    pub(super) fn inside<const SHARED: bool, const LOADS: bool>(
        &self,
        instruction: u32,
        base: [u64; 2],
        span: u64,
    ) -> Option<(MemoryId, [u64; 2])> {
        if (base[0] | base[1]) & 3 != 0 || !self.word_cells() {
            return None;
        }
        let hint = self.bounds.hint(instruction) as usize;
        let (start, size) = self.fast_extent::<SHARED, LOADS>(hint);
        let room = size.checked_sub(span - 1)?;
        let from = [base[0].wrapping_sub(start), base[1].wrapping_sub(start)];
        let id = if SHARED { self.position.rank as usize } else { hint };
        (from[0] < room && from[1] < room).then_some((id, if SHARED { base } else { from }))
    }

    /// Start of an allocation or shared variable, and the bytes of it that the fast paths may
    /// check; zeros if it does not exist.
    #[inline(always)]
    pub(super) fn fast_extent<const SHARED: bool, const LOADS: bool>(
        &self,
        hint: usize,
    ) -> (u64, u64) {
        if SHARED {
            return self.bounds.shared.extent(hint);
        }
        self.bounds.get(hint).map_or((0, 0), |extent| (extent.start, extent.fast(LOADS)))
    }

    /// The view of a memory that a warp accesses.
    #[inline(always)]
    pub(super) fn view<const SHARED: bool>(&mut self, warp: u32, id: MemoryId) -> ShadowView<'_> {
        let packed = epoch::pack(self.races.order.epoch_of(warp), 0);
        let AccessCheck { races, initial, .. } = self;
        let (shadow, order) = races.parts(id);
        let base = if SHARED { order.base() } else { 1 };
        let (writers, readers) = (RelationCache::EMPTY, RelationCache::EMPTY);
        let written = initial.written(id);
        let stored = None;
        ShadowView { shadow, written, order, writers, readers, base, warp, packed, stored }
    }
}

impl ShadowView<'_> {
    /// Whether both runs of bytes are initialized.
    #[inline(always)]
    pub fn written(&self, at: [u64; 2], span: u64) -> bool {
        match self.written {
            Some(written) => {
                written.has(at[0], span) && (at[0] == at[1] || written.has(at[1], span))
            }
            None => true,
        }
    }

    /// Checks a batch in the line of a cell; `false` if it must be checked lane by lane.
    #[inline(always)]
    pub fn check<const LOADS: bool>(&mut self, cell: usize, batch: &AccessBatch) -> bool {
        let caches = [&mut self.writers, &mut self.readers];
        if LOADS {
            let mut room = [0; LINE];
            let Some((writes, reads)) = self.shadow.read_line(cell, self.base, &mut room) else {
                return false;
            };
            match batch.active {
                ALL => batch.read::<true>(self.order, caches, writes, reads),
                _ => batch.read::<false>(self.order, caches, writes, reads),
            }
        } else {
            let Some((writes, reads)) = self.shadow.write_line(cell, self.base) else {
                return false;
            };
            let stored = self.stored.as_ref();
            match batch.active {
                ALL => batch.write::<true>(self.order, caches, writes, reads, (cell, stored)),
                _ => batch.write::<false>(self.order, caches, writes, reads, (cell, stored)),
            }
        }
    }

    /// Checks a broadcast read of one cell; two lanes represent all that read it. Without this path
    /// sgemm_naive_u32 takes 2.5 times as long.
    #[inline(always)]
    pub fn pair(&mut self, cell: usize, packed: PackedEpoch, lanes: [u32; 2]) -> bool {
        let Some((write, [first, last])) = self.shadow.read_cell(cell, self.base) else {
            return false;
        };
        let i = cell % LINE;
        let (first, last) = (&mut first[i], &mut last[i]);
        let flags = (write & ASYNC) | ((*first | *last) & ASYNC);
        let writer = self.writers.relation(self.order, write, self.base, self.warp);
        if flags != 0 || writer != Relation::HappensBefore {
            return false;
        }
        let [one, other] = [epoch::with_lane(packed, lanes[0]), epoch::with_lane(packed, lanes[1])];
        (*first, *last) = match self.readers.relation(self.order, *first, self.base, self.warp) {
            Relation::HappensBefore => (one, other),
            Relation::ByLane => return false,
            Relation::ProgramOrder if epoch::lane(*first) == lanes[0] => (one, other),
            Relation::ProgramOrder if epoch::lane(*first) == lanes[1] => (other, one),
            Relation::ProgramOrder | Relation::Concurrent => (*first, other),
        };
        true
    }
}
