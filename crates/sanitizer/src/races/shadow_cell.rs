//! A shadow cell: the last write of a word, or of a byte where a kernel accesses bytes, and two of the
//! reads since, by which races are found.
//!
//! *Algorithm.* FastTrack's, with the last write and the reads as epochs. In place of FastTrack's read
//! vector clock a cell keeps two reads: the first that nothing read after it happens before, and the
//! last. An access races with a prior one that it does not happen after, if one of them writes, unless
//! both are *morally strong*: strong (atomic, `.volatile`, `.relaxed` or more), each of a scope that has
//! the other's thread in it (PTX ISA, "Memory consistency model").
//!
//! *What is no race.* Two writes of one value. A write by `.volatile` over one that somebody has looked
//! at as at a flag. Copies that combine, beside each other.
//!
//! *Limits.* Of three and more concurrent reads two are remembered: of a write that races with another
//! one alone nothing is said. Of two concurrent strong writes the earlier is remembered in the place of a
//! read ([`WROTE`]).

use super::epoch::{ASYNC, DATA, PackedEpoch, STRONG, WIDE_SCOPE, WROTE, number, same_thread};
use super::happens_before::HappensBefore;

/// What is known of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShadowCell {
    pub(super) write: PackedEpoch,
    pub(super) first_read: PackedEpoch,
    pub(super) last_read: PackedEpoch,
}

/// Who accesses a cell now.
#[derive(Clone, Copy)]
pub struct LaneAccess {
    /// The access, packed, the lane included.
    pub packed: PackedEpoch,
    /// Its warp.
    pub warp: u32,
    /// Its lane.
    pub lane: u32,
    /// Epochs of smaller numbers are of the past.
    pub base: u32,
}

/// A prior access that the one under way is not ordered with.
#[derive(Clone, Copy)]
pub struct Conflict {
    /// The prior access.
    pub with: PackedEpoch,
    /// Whether that one wrote.
    pub wrote: bool,
}

/// Whether two accesses are morally strong, and not both to mere data.
fn morally_strong(order: &HappensBefore, a: PackedEpoch, b: PackedEpoch) -> bool {
    if a & b & STRONG == 0 || a & b & DATA != 0 {
        return false;
    }
    a & b & WIDE_SCOPE != 0 || order.epoch(a).block == order.epoch(b).block
}

impl ShadowCell {
    /// Whether a prior access races with this one, if one of them writes.
    #[inline(always)]
    fn races(order: &mut HappensBefore, prior: PackedEpoch, now: &LaneAccess) -> bool {
        if prior & ASYNC != 0 && number(prior) >= now.base {
            // Copies that combine go on beside each other.
            return prior & now.packed & STRONG == 0;
        }
        prior != 0
            && number(prior) >= now.base
            && !same_thread(prior, now.packed)
            && !order.happens_before(prior, now.warp, now.lane)
            && !morally_strong(order, prior, now.packed)
    }

    /// Whether a volatile access and the volatile write before it are no race though nothing orders them:
    /// somebody looked at that value, as at a flag, and goes on from there.
    fn polled(&self, now: PackedEpoch) -> bool {
        let polls = |prior: PackedEpoch| prior & (STRONG | DATA | WROTE) == STRONG;
        self.write & now & DATA != 0 && (polls(self.first_read) || polls(self.last_read))
    }

    /// A copy in flight to this cell.
    #[inline(always)]
    pub fn in_flight(&self, base: u32) -> Option<PackedEpoch> {
        (self.write & ASYNC != 0 && number(self.write) >= base).then_some(self.write)
    }

    /// The last write.
    pub fn last_write(&self) -> PackedEpoch {
        self.write
    }

    /// Puts another write in the place of the last.
    pub fn set_write(&mut self, write: PackedEpoch) {
        self.write = write;
    }

    /// Makes a read the one that is remembered first.
    pub fn set_read(&mut self, read: PackedEpoch) {
        self.first_read = read;
    }

    /// Puts another read in the place of one, if that is remembered.
    pub fn replace_read(&mut self, from: PackedEpoch, to: PackedEpoch) {
        for read in [&mut self.first_read, &mut self.last_read] {
            if *read == from {
                *read = to;
            }
        }
    }

    /// A read: the write that it races with.
    #[inline(always)]
    pub fn read(&mut self, order: &mut HappensBefore, now: &LaneAccess) -> Option<Conflict> {
        let mut found = None;
        if ShadowCell::races(order, self.write, now) && !self.polled(now.packed) {
            found = Some(Conflict { with: self.write, wrote: true });
        }
        if (self.first_read | self.last_read) & WROTE != 0 {
            for prior in [self.first_read, self.last_read] {
                if prior & WROTE != 0 && found.is_none() && ShadowCell::races(order, prior, now) {
                    found = Some(Conflict { with: prior & !WROTE, wrote: true });
                }
            }
            // The other place remembers a read.
            if self.first_read & WROTE == 0 {
                self.first_read = now.packed;
            }
            return found;
        }
        let first = self.first_read;
        if first & ASYNC != 0 && number(first) >= now.base {
            self.last_read = now.packed;
        } else if same_thread(first, now.packed) {
            if now.packed & STRONG == 0 {
                self.first_read = now.packed;
            }
        } else if number(first) < now.base || order.happens_before(first, now.warp, now.lane) {
            self.first_read = now.packed;
        } else {
            self.last_read = now.packed;
        }
        found
    }

    /// A write: an access that it races with. `differs` says whether it changes the value that a prior
    /// write left; one that does not is no race.
    #[inline(always)]
    pub fn write(
        &mut self,
        order: &mut HappensBefore,
        now: &LaneAccess,
        differs: impl FnOnce(PackedEpoch) -> bool,
    ) -> Option<Conflict> {
        let mut found = None;
        if ShadowCell::races(order, self.write, now)
            && !self.polled(now.packed)
            && differs(self.write)
        {
            found = Some(Conflict { with: self.write, wrote: true });
        }
        for prior in [self.first_read, self.last_read] {
            if found.is_none() && ShadowCell::races(order, prior, now) {
                let wrote = prior & WROTE != 0;
                found = Some(Conflict { with: prior & !WROTE, wrote });
            }
        }
        let prior = self.write;
        let keep = prior & now.packed & STRONG != 0
            && prior & ASYNC == 0
            && number(prior) >= now.base
            && !same_thread(prior, now.packed)
            && !order.happens_before(prior, now.warp, now.lane);
        // A thread's own weak write is not made strong by an atomic after it.
        let weak = same_thread(prior, now.packed) && prior & (STRONG | ASYNC) == 0;
        let write = if weak && now.packed & STRONG != 0 { prior } else { now.packed };
        let last_read = if keep { prior & !DATA | WROTE } else { 0 };
        *self = ShadowCell { write, first_read: 0, last_read };
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(order: &mut HappensBefore, warp: u32, lane: u32, flags: PackedEpoch) -> LaneAccess {
        LaneAccess { packed: order.packed_now(warp, lane, 1) | flags, warp, lane, base: 1 }
    }

    #[test]
    fn a_write_after_two_reads_races_with_the_other_one() {
        let mut order = HappensBefore::new(3, 1);
        order.start(0);
        let mut cell = ShadowCell::default();
        for warp in [0, 1] {
            let read = access(&mut order, warp, 0, 0);
            assert!(cell.read(&mut order, &read).is_none());
        }
        for warp in [0, 1] {
            let mut cell = cell;
            let write = access(&mut order, warp, 0, 0);
            let found = cell.write(&mut order, &write, |_| true).expect("a race");
            assert_eq!(order.epoch(found.with).warp, 1 - warp);
            assert!(!found.wrote);
        }
    }

    #[test]
    fn atomics_race_with_weak_reads_but_not_with_each_other() {
        let mut order = HappensBefore::new(3, 1);
        order.start(0);
        let mut cell = ShadowCell::default();
        for warp in [0, 1] {
            let atomic = access(&mut order, warp, 0, STRONG);
            assert!(cell.write(&mut order, &atomic, |_| true).is_none());
        }
        let read = access(&mut order, 1, 0, 0);
        let found = cell.read(&mut order, &read).expect("the atomic of warp 0");
        assert_eq!(order.epoch(found.with).warp, 0);
    }

    #[test]
    fn a_write_of_the_same_value_is_no_race() {
        let mut order = HappensBefore::new(2, 1);
        order.start(0);
        let mut cell = ShadowCell::default();
        let a = access(&mut order, 0, 0, 0);
        assert!(cell.write(&mut order, &a, |_| true).is_none());
        let b = access(&mut order, 1, 0, 0);
        assert!(cell.write(&mut order, &b, |_| false).is_none());
    }
}
