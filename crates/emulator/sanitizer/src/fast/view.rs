//! The shadow view: one memory's shadow during one warp's access on a fast path.

use crate::access::AccessCheck;
use crate::bounds::MemoryId;
use crate::fast::line::AccessBatch;
use crate::fast::stored::StoredValues;
use crate::races::epoch::{self, ASYNC, PackedEpoch};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::relation::{Relation, RelationCache};
use crate::races::line_head::ALL;
use crate::races::line_head::LINE;
use crate::races::shadow_memory::ShadowMemory;
use lanework_engine::initialized::InitializedBytes;

/// Everything that decides an access. Relations are cached because neighboring cells mostly belong
/// to one epoch: without the caches sgemm_tiled takes 1.2 times as long.
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
    /// Packed access of lane 0; without an instruction if several are checked.
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
