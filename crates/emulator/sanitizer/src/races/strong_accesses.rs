//! The strong accesses to a word since its last weak write: which are remembered, and which race.
//!
//! *Observation.* A write happens before everything after a read that saw its value, or the value
//! of an atomic that continued it (PTX ISA: causality order through observation order). So an
//! atomic whose result is used replaces the strong writes before it. After a strong read of the last
//! value, the writers of that value are ordered.
//!
//! *Limit.* Only two of three or more concurrent strong writes, or reads, are remembered.

use crate::races::epoch::{
    ASYNC, ATOMIC, CLUSTER_SCOPE, DATA, DEVICE_SCOPE, OBSERVED, PackedEpoch, REPLACED, number,
};
use crate::races::happens_before::HappensBefore;
use crate::races::shadow_cell::{Conflict, LaneAccess, mixed_sizes};

/// The strong accesses to a word since its last weak write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrongAccesses {
    /// One write that the last does not represent, and the last.
    pub(crate) writes: [PackedEpoch; 2],
    /// One read that no later read is ordered after, and the last.
    pub(crate) reads: [PackedEpoch; 2],
    /// The last read as a flag.
    pub(crate) polled: PackedEpoch,
}

/// Whether every access that races with `prior`, and is not ordered with `now`, also races with
/// `now`.
fn stands_for(order: &HappensBefore, now: PackedEpoch, prior: PackedEpoch) -> bool {
    let wider = now & !prior & (CLUSTER_SCOPE | DEVICE_SCOPE) != 0;
    let of_data = prior & !now & DATA != 0;
    !wider && !of_data && !mixed_sizes(order, now, prior)
}

impl StrongAccesses {
    /// A strong write that this access races with.
    pub(super) fn conflict(
        &self,
        order: &mut HappensBefore,
        now: &LaneAccess,
        differs: impl Fn(PackedEpoch) -> bool,
    ) -> Option<Conflict> {
        let [other, last] = self.writes;
        // Atomics of one size that continue each other are seen together.
        let chained = last & ATOMIC != 0 && !mixed_sizes(order, other, last);
        for (prior, seen) in [(last, true), (other, chained)] {
            if !now.races(order, prior)
                || seen && prior & ASYNC == 0 && self.observed(order, now)
                || !differs(prior)
            {
                continue;
            }
            return Some(Conflict { with: prior, wrote: true });
        }
        None
    }

    /// Whether a read that saw the last strong write happens before this access.
    fn observed(&self, order: &mut HappensBefore, now: &LaneAccess) -> bool {
        let saw = |read: &&PackedEpoch| **read & OBSERVED != 0;
        self.reads.iter().filter(saw).any(|read| now.ordered(order, *read))
    }

    /// Whether a read of this thread, or one that happens before, saw the last strong write, made by an access like `write`.
    pub(crate) fn observed_last(
        &self,
        order: &mut HappensBefore,
        now: &LaneAccess,
        write: PackedEpoch,
    ) -> bool {
        (self.writes[1] ^ write) & !(DATA | REPLACED) == 0 && self.observed(order, now)
    }

    /// Records a strong read. It replaces the first read if every access that races with the first also
    /// races with this one.
    pub(crate) fn note_read(&mut self, order: &mut HappensBefore, now: &LaneAccess) {
        let mut read = now.packed & !ATOMIC;
        read |= if now.observes { OBSERVED } else { 0 };
        if read & DATA == 0 {
            self.note_look(now.packed);
        }
        let [first, last] = &mut self.reads;
        if number(*first) < now.base {
            *first = read;
        } else if stands_for(order, read, *first) && now.ordered(order, *first) {
            // The value that the first read saw is still there.
            *first = read | *first & OBSERVED;
        } else {
            *last = read;
        }
    }

    /// The word is polled as a flag, so `.volatile` accesses to it are not accesses to data. The
    /// same holds for an atomic whose result is used: it may take a lock that a `.volatile` write
    /// releases.
    fn note_look(&mut self, now: PackedEpoch) {
        let StrongAccesses { writes, reads, polled } = self;
        *polled = now;
        writes.iter_mut().chain(reads).for_each(|access| *access &= !DATA);
    }

    /// Records a strong write, which may have `changed` the value, and keeps one of the prior writes
    /// that it does not represent.
    pub(crate) fn note_write(
        &mut self,
        order: &mut HappensBefore,
        now: &LaneAccess,
        changed: bool,
    ) {
        if now.observes {
            self.note_look(now.packed);
        }
        let (mut kept, mut weight) = (0, 0);
        for prior in self.writes {
            let flies = prior & ASYNC != 0 && number(prior) >= now.base;
            let known = now.observes || now.ordered(order, prior);
            let stands = number(prior) < now.base || known && stands_for(order, now.packed, prior);
            if !flies && stands {
                continue;
            }
            // Keeps the write that conflicts with more accesses.
            let (one, this) = (order.epoch(prior), order.epoch(now.packed));
            let differs = [one.slot != this.slot, one.block != this.block, flies];
            let narrow = !stands_for(order, now.packed, prior);
            let of_prior = differs
                .into_iter()
                .chain([narrow])
                .rev()
                .fold(1, |weight, differs| 2 * weight + u32::from(differs));
            if of_prior >= weight {
                (kept, weight) = (prior, of_prior);
            }
        }
        if changed && kept != 0 && kept & ASYNC == 0 {
            kept |= REPLACED;
        }
        self.writes = [kept, now.packed];
        for read in &mut self.reads {
            *read &= !OBSERVED;
            let past = number(*read) < now.base;
            if past || stands_for(order, now.packed, *read) && now.ordered(order, *read) {
                *read = 0;
            }
        }
    }
}
