//! Access batches: check half a warp's adjacent words against one line of shadow memory.
//!
//! *Algorithm.* Nearly always the prior accesses to adjacent words belong to one epoch, and its
//! relation decides for all. A mismatch mask finds the exceptions. If there is one, or if there may
//! be a race, the batch changes nothing and the cells are checked one by one. Without this path the
//! benchmarked kernels take up to 15 times as long.

use crate::fast::stored::StoredValues;
use crate::races::epoch::{
    ASYNC, EPOCH, LANES, LINE, PackedEpoch, REPLACED, WeakReads, WeakWrites, other_write_of_thread,
    same_thread,
};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::relation::{Relation, RelationCache};

/// A word for each cell of a line.
type Words = [PackedEpoch; LINE];

/// An access to words of one line.
pub struct AccessBatch {
    /// Packed access of each word.
    pub packed: Words,
    /// Adding this to a packed access gives the packed access of a second reader in the warp's
    /// other half; 0 without a second reader.
    pub second: PackedEpoch,
    /// The words accessed, one bit each; not zero.
    pub active: u32,
    /// The warp.
    pub warp: u32,
    /// Epochs below this belong to earlier clusters and are ignored.
    pub base: u32,
}

/// The relation cache for one kind of prior accesses, and the tracker behind it.
type Related<'a> = (&'a mut RelationCache, &'a mut HappensBefore);

/// How prior accesses of one kind relate to the batch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PriorAccesses {
    /// All happen before, or none exist.
    HappensBefore,
    /// Each is by the lane that accesses the word now.
    SameLane,
    /// All are concurrent, by other warps.
    Concurrent,
    /// All are concurrent, by other lanes of this warp.
    OtherLanes,
    /// Several of these.
    Mixed,
}

/// All ones for each active word.
#[inline(always)]
fn spread(active: u32) -> Words {
    let mut out = [0; LINE];
    for i in 0..LINE {
        out[i] = u64::from(active >> i & 1).wrapping_neg();
    }
    out
}

#[inline(always)]
fn any(words: &Words) -> PackedEpoch {
    let mut all = 0;
    for i in 0..LINE {
        all |= words[i];
    }
    all
}

/// Replaces the active words.
#[inline(always)]
fn put(to: &mut Words, active: &Words, words: &Words) {
    for i in 0..LINE {
        to[i] = (to[i] & !active[i]) | (words[i] & active[i]);
    }
}

/// The mismatch mask of prior accesses to a line: not zero if the epoch differs from that of `one`,
/// or if a flag needs a closer look. All accesses below `floor` belong to earlier clusters and count as equal.
#[inline(always)]
fn mismatch(prior: &Words, one: PackedEpoch, floor: PackedEpoch, flags: PackedEpoch) -> Words {
    let recent = |access: PackedEpoch| if access as i64 >= floor as i64 { access } else { 0 };
    let one = recent(one);
    let mut mask = [0; LINE];
    for i in 0..LINE {
        let access = recent(prior[i]);
        mask[i] = ((access ^ one) & EPOCH) | (access & flags);
    }
    mask
}

impl AccessBatch {
    /// How prior accesses of one epoch relate to this batch.
    #[inline(always)]
    fn prior(
        &self,
        related: Related<'_>,
        one: PackedEpoch,
        prior: &Words,
        active: &Words,
    ) -> PriorAccesses {
        let (cache, order) = related;
        match cache.relation(order, one, self.base, self.warp) {
            Relation::HappensBefore => PriorAccesses::HappensBefore,
            Relation::Concurrent => PriorAccesses::Concurrent,
            Relation::ProgramOrder => self.by_lane(prior, active),
            Relation::ByLane => PriorAccesses::Mixed,
        }
    }

    /// The same for prior accesses of this warp.
    #[inline(always)]
    fn by_lane(&self, prior: &Words, active: &Words) -> PriorAccesses {
        let (mut unlike, mut like) = ([0; LINE], [0; LINE]);
        for i in 0..LINE {
            let other = (prior[i] ^ self.packed[i]) & LANES;
            unlike[i] = other & active[i];
            like[i] = if other == 0 { active[i] } else { 0 };
        }
        match (any(&unlike), any(&like)) {
            (0, _) => PriorAccesses::SameLane,
            (_, 0) => PriorAccesses::OtherLanes,
            _ => PriorAccesses::Mixed,
        }
    }

    #[inline(always)]
    fn one(&self) -> usize {
        self.active.trailing_zeros() as usize % LINE
    }

    /// Checks and records a read of the words; `false` if they must be checked one by one.
    #[inline(always)]
    pub fn read<const WHOLE: bool>(
        &self,
        order: &mut HappensBefore,
        [writers, readers]: [&mut RelationCache; 2],
        writes: Option<&WeakWrites>,
        [first, last]: &mut WeakReads,
    ) -> bool {
        let active = if WHOLE { [PackedEpoch::MAX; LINE] } else { spread(self.active) };
        let floor = PackedEpoch::from(self.base) << 32;
        let reader = first[self.one()];
        let mut mismatches = mismatch(first, reader, floor, ASYNC);
        for i in 0..LINE {
            mismatches[i] |= last[i] & ASYNC;
        }
        if let Some(writes) = writes {
            let writer = writes[self.one()];
            let more = mismatch(writes, writer, floor, ASYNC);
            for i in 0..LINE {
                mismatches[i] = (mismatches[i] | more[i]) & active[i];
            }
            if any(&mismatches) != 0 {
                return false;
            }
            match self.prior((writers, order), writer, writes, &active) {
                PriorAccesses::HappensBefore => {}
                PriorAccesses::SameLane if self.second == 0 => {}
                _ => return false,
            }
        } else {
            for i in 0..LINE {
                mismatches[i] &= active[i];
            }
            if any(&mismatches) != 0 {
                return false;
            }
        }
        // A reader ordered after the first read replaces it; a concurrent one is kept as the last
        // read.
        let stands = match self.prior((readers, order), reader, first, &active) {
            PriorAccesses::HappensBefore | PriorAccesses::SameLane => true,
            PriorAccesses::Concurrent => false,
            PriorAccesses::OtherLanes if self.second == 0 => false,
            // One of them may be the second reader.
            PriorAccesses::OtherLanes | PriorAccesses::Mixed => return false,
        };
        if stands {
            put(first, &active, &self.packed);
        }
        if !stands || self.second != 0 {
            let mut packed = self.packed;
            for i in 0..LINE {
                packed[i] += self.second;
            }
            put(last, &active, &packed);
        }
        true
    }

    /// How prior accesses relate to a write, if they allow it.
    #[inline(always)]
    fn before_write(
        &self,
        related: Related<'_>,
        prior: &Words,
        active: &Words,
    ) -> Option<PriorAccesses> {
        let one = prior[self.one()];
        let mut mismatches = mismatch(prior, one, PackedEpoch::from(self.base) << 32, ASYNC);
        for i in 0..LINE {
            mismatches[i] &= active[i];
        }
        if any(&mismatches) != 0 {
            return None;
        }
        let found = self.prior(related, one, prior, active);
        matches!(found, PriorAccesses::HappensBefore | PriorAccesses::SameLane).then_some(found)
    }

    /// The words to record over prior writes by the same lanes. They keep [`REPLACED`], and get it if another instruction's
    /// write left another value. `None` if the values cannot be compared here.
    fn over_own(
        &self,
        prior: &Words,
        (cell, stored): (usize, Option<&StoredValues<'_>>),
    ) -> Option<Words> {
        let mut packed = self.packed;
        let mut others = 0;
        for i in 0..LINE {
            others |= u32::from(other_write_of_thread(prior[i], packed[i])) << i;
        }
        others &= self.active;
        if others != 0 {
            let changed = stored?.changed_cells(cell, &packed, others);
            for i in 0..LINE {
                packed[i] |= if changed >> i & 1 != 0 { REPLACED } else { 0 };
            }
        }
        for i in 0..LINE {
            if same_thread(prior[i], packed[i]) {
                packed[i] |= prior[i] & REPLACED;
            }
        }
        Some(packed)
    }

    /// Checks and records a write of the words; `false` if they must be checked one by one. `stored` is a cell of the line and
    /// the values.
    #[inline(always)]
    pub fn write<const WHOLE: bool>(
        &self,
        order: &mut HappensBefore,
        [writers, readers]: [&mut RelationCache; 2],
        writes: &mut WeakWrites,
        reads: Option<&mut WeakReads>,
        stored: (usize, Option<&StoredValues<'_>>),
    ) -> bool {
        let active = if WHOLE { [PackedEpoch::MAX; LINE] } else { spread(self.active) };
        let Some(prior) = self.before_write((writers, order), writes, &active) else {
            return false;
        };
        let over = match prior {
            PriorAccesses::SameLane => match self.over_own(writes, stored) {
                None => return false,
                over => over,
            },
            _ => None,
        };
        if let Some([first, last]) = reads {
            for read in [&*first, &*last] {
                if self.before_write((&mut *readers, &mut *order), read, &active).is_none() {
                    return false;
                }
            }
            put(first, &active, &[0; LINE]);
            put(last, &active, &[0; LINE]);
        }
        put(writes, &active, over.as_ref().unwrap_or(&self.packed));
        true
    }
}
