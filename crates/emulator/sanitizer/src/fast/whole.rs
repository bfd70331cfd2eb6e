//! Accesses to all words of a line by neighboring lanes, against a line that its head describes: one comparison for each
//! field instead of one for each cell.
//!
//! The results are those of [`AccessBatch`]. Without this path a contiguous access takes 3 times as long.

use crate::fast::line::{AccessBatch, PriorAccesses};
use crate::fast::stored::StoredValues;
use crate::fast::view::ShadowView;
use crate::races::epoch::{
    ASYNC, LANES, PackedEpoch, REPLACED, other_write_of_thread, same_thread,
};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::relation::{Relation, RelationCache};
use crate::races::line_head::ALL;
use crate::races::line_head::{CellField, LineHead, WholeField};

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

    /// The same for a write of the line of a cell. `false` also if it changes some of the values that another instruction of
    /// its threads has left, but not all.
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
        if let Some(head) = self.shadow.whole_line::<LOADS>(cell, base) {
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
