//! A shadow cell: the last write of a word (of a byte, if the kernel accesses bytes), two of the
//! reads since, and the strong accesses since.
//!
//! *Algorithm.* FastTrack (Flanagan and Freund, PLDI 2009), with the last write and the reads as
//! epochs. Instead of FastTrack's read vector clock a cell keeps two reads: the first one that no
//! later read is ordered after, and the last one. Two unordered accesses race if one writes, unless
//! both are *morally strong*: strong (atomic, `.volatile`, `.relaxed` or more), each with a scope
//! that includes the other's thread, and of equal size, since they must overlap completely (PTX ISA,
//! "Memory consistency model").
//!
//! A strong access does not replace a weak one, nor does one of device scope replace one of block
//! scope: a third access may be unordered with both and yet race with the replaced one only. So
//! weak and strong accesses are kept apart ([`StrongAccesses`]); only a weak write, which races
//! with everything, replaces all.
//!
//! *Not a race.* Two writes of the same value, unless a thread has written another value in
//! between ([`REPLACED`]). `.volatile` accesses to a word that was polled as a
//! flag since the last weak write. Concurrent reductions by copies.
//!
//! *Limits.* Only two of three or more concurrent reads are remembered. So a write that races only
//! with one of the other reads is missed. The same holds for strong accesses.

use crate::races::epoch::{
    ASYNC, CLUSTER_SCOPE, DATA, DEVICE_SCOPE, OBSERVED, PackedEpoch, REPLACED, STRONG, number,
    other_write_of_thread, same_thread,
};
use crate::races::happens_before::HappensBefore;
use crate::races::strong_accesses::StrongAccesses;

/// The current access to a cell.
#[derive(Clone, Copy)]
pub struct LaneAccess {
    /// The packed access, including the lane.
    pub packed: PackedEpoch,
    /// Its warp.
    pub warp: u32,
    /// Its lane.
    pub lane: u32,
    /// Epochs below this belong to earlier clusters and are ignored.
    pub base: u32,
    /// Whether its thread uses the value, if it is a strong read.
    pub observes: bool,
}

/// A prior access that is not ordered with the current one.
#[derive(Clone, Copy)]
pub struct Conflict {
    /// The prior access.
    pub with: PackedEpoch,
    /// Whether it wrote.
    pub wrote: bool,
}

/// Whether two accesses are strong and of different sizes, so they do not overlap completely.
#[inline(always)]
pub fn mixed_sizes(order: &HappensBefore, a: PackedEpoch, b: PackedEpoch) -> bool {
    if a & b & STRONG == 0 {
        return false;
    }
    let (one, other) = (order.element_bytes(a), order.element_bytes(b));
    one != other && one != 0 && other != 0
}

/// Whether a write and another access are morally strong, and not both `.volatile` accesses to
/// data.
fn morally_strong(order: &HappensBefore, a: PackedEpoch, b: PackedEpoch) -> bool {
    if a & b & STRONG == 0 || a & b & DATA != 0 || mixed_sizes(order, a, b) {
        return false;
    }
    if a & b & DEVICE_SCOPE != 0 {
        return true;
    }
    let (one, other) = (order.epoch(a), order.epoch(b));
    one.block == other.block || a & b & CLUSTER_SCOPE != 0 && one.cluster == other.cluster
}

impl LaneAccess {
    /// Whether a prior access happens before this one.
    #[inline(always)]
    pub(super) fn ordered(&self, order: &mut HappensBefore, prior: PackedEpoch) -> bool {
        prior == 0
            || number(prior) < self.base
            || same_thread(prior, self.packed)
            || order.happens_before(prior, self.warp, self.lane)
    }

    /// Whether a prior access races with this one, provided that one of them writes.
    #[inline(always)]
    pub(super) fn races(&self, order: &mut HappensBefore, prior: PackedEpoch) -> bool {
        if prior & ASYNC != 0 && number(prior) >= self.base {
            // Reductions by copies may overlap.
            return prior & self.packed & STRONG == 0;
        }
        prior != 0 && !morally_strong(order, prior, self.packed) && !self.ordered(order, prior)
    }
}

/// The shadow of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShadowCell {
    pub(super) write: PackedEpoch,
    pub(super) first_read: PackedEpoch,
    pub(super) last_read: PackedEpoch,
    pub(crate) strong: StrongAccesses,
}

impl ShadowCell {
    /// The copy in flight to this cell, if any.
    #[inline(always)]
    pub fn in_flight(&self, base: u32) -> Option<PackedEpoch> {
        let [other, last] = self.strong.writes;
        let flies = |write: &PackedEpoch| write & ASYNC != 0 && number(*write) >= base;
        [self.write, last, other].into_iter().find(flies)
    }

    /// The recorded writes.
    pub fn writes(&self) -> [PackedEpoch; 3] {
        [self.write, self.strong.writes[0], self.strong.writes[1]]
    }

    /// The recorded reads.
    pub fn reads(&self) -> [PackedEpoch; 4] {
        [self.first_read, self.last_read, self.strong.reads[0], self.strong.reads[1]]
    }

    /// A copy starts to write; a reduction is kept with the other strong writes.
    pub fn start_write(&mut self, write: PackedEpoch) {
        if write & STRONG == 0 {
            *self = ShadowCell { write, ..ShadowCell::default() };
        } else {
            self.strong.writes = [self.strong.writes[1], write];
        }
    }

    /// Replaces a recorded write.
    pub fn replace_write(&mut self, from: PackedEpoch, to: PackedEpoch) {
        let [other, last] = &mut self.strong.writes;
        for write in [&mut self.write, other, last] {
            if *write == from {
                *write = to;
            }
        }
    }

    /// Sets the first read.
    pub fn set_read(&mut self, read: PackedEpoch) {
        self.first_read = read;
    }

    /// Drops the data flag of a `.volatile` access to a word that was polled as a flag.
    fn counted(&self, now: &LaneAccess) -> LaneAccess {
        let flag = number(self.strong.polled) >= now.base.max(1);
        let packed = if flag { now.packed & !DATA } else { now.packed };
        LaneAccess { packed, ..*now }
    }

    /// Records a read; returns the write that it races with.
    #[inline(always)]
    pub fn read(&mut self, order: &mut HappensBefore, now: &LaneAccess) -> Option<Conflict> {
        let mut found = None;
        let now = &self.counted(now);
        if now.races(order, self.write) {
            found = Some(Conflict { with: self.write, wrote: true });
        }
        let strong = now.packed & STRONG != 0;
        if self.strong != StrongAccesses::default() {
            found = found.or_else(|| self.strong.conflict(order, now, |_| true));
        }
        if strong {
            self.strong.note_read(order, now);
            return found;
        }
        let first = self.first_read;
        if first & ASYNC != 0 && number(first) >= now.base {
            self.last_read = now.packed;
        } else if now.ordered(order, first) {
            self.first_read = now.packed;
        } else {
            self.last_read = now.packed;
        }
        found
    }

    /// Records a write; returns an access that it races with. `differs` says whether the new value
    /// differs from the value that a prior write has left in memory; if not, the two do not race. For
    /// access 0, it says whether the write changes memory.
    #[inline(always)]
    pub fn write(
        &mut self,
        order: &mut HappensBefore,
        now: &LaneAccess,
        differs: impl Fn(PackedEpoch) -> bool,
    ) -> Option<Conflict> {
        let mut found = None;
        let mut now = self.counted(now);
        let changes = |prior: PackedEpoch| prior & REPLACED != 0 || differs(prior);
        if now.races(order, self.write) && changes(self.write) {
            found = Some(Conflict { with: self.write, wrote: true });
        }
        for prior in [self.first_read, self.last_read] {
            if found.is_none() && now.races(order, prior) {
                found = Some(Conflict { with: prior, wrote: false });
            }
        }
        if self.strong != StrongAccesses::default() {
            found = found.or_else(|| self.strong.conflict(order, &now, changes));
            for prior in self.strong.reads {
                if found.is_none() && now.races(order, prior) {
                    found = Some(Conflict { with: prior & !OBSERVED, wrote: false });
                }
            }
        }
        if now.packed & STRONG == 0 {
            // An earlier write by this thread may have stored another value, with which other
            // threads race, too.
            let [other, last] = self.strong.writes;
            let own = |prior: &PackedEpoch| *prior != 0 && same_thread(*prior, now.packed);
            let before =
                [other, last].iter().any(own) || other_write_of_thread(self.write, now.packed);
            if before && changes(0) {
                now.packed |= REPLACED;
            }
            if same_thread(self.write, now.packed) {
                now.packed |= self.write & REPLACED;
            }
            *self = ShadowCell { write: now.packed, ..ShadowCell::default() };
        } else {
            let changed = changes(0);
            if changed && self.write != 0 && self.write & ASYNC == 0 {
                self.write |= REPLACED;
            }
            self.strong.note_write(order, &now, changed);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::races::epoch::ATOMIC;
    use crate::races::epoch::STRONG_OF_DEVICE;

    fn access(order: &mut HappensBefore, warp: u32, lane: u32, flags: PackedEpoch) -> LaneAccess {
        LaneAccess {
            packed: order.packed_now(warp, lane, 1) | flags,
            warp,
            lane,
            base: 1,
            observes: false,
        }
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
    fn a_write_of_the_same_value_is_not_a_race() {
        let mut order = HappensBefore::new(2, 1);
        order.start(0);
        let mut cell = ShadowCell::default();
        let a = access(&mut order, 0, 0, 0);
        assert!(cell.write(&mut order, &a, |_| true).is_none());
        let b = access(&mut order, 1, 0, 0);
        assert!(cell.write(&mut order, &b, |_| false).is_none());
    }

    /// Whether the last access of a history races. By warp: `W`/`R` weak write and read, `A`/`P`
    /// atomic and poll with a used value, `a` atomic with an unused value; `|` is a barrier of all
    /// warps.
    fn last_race(history: &[(u32, char)]) -> bool {
        let mut order = HappensBefore::new(3, 1);
        order.start(0);
        let (mut cell, mut found) = (ShadowCell::default(), false);
        for (warp, what) in history {
            if *what == '|' {
                (0..3).for_each(|warp| order.arrive(warp, 0));
                order.complete(0, &[0, 1, 2], true);
                continue;
            }
            let flags = match what {
                'A' | 'a' => STRONG_OF_DEVICE | ATOMIC,
                'P' => STRONG_OF_DEVICE,
                _ => 0,
            };
            let observes = matches!(what, 'A' | 'P');
            let now = LaneAccess { observes, ..access(&mut order, *warp, 0, flags) };
            found = match what {
                'R' | 'P' => cell.read(&mut order, &now).is_some(),
                _ => cell.write(&mut order, &now, |_| true).is_some(),
            };
            // Each access gets its own epoch.
            order.warp_sync(*warp as usize, u32::MAX, u32::MAX);
        }
        found
    }

    #[test]
    fn a_weak_access_is_not_forgotten_for_an_atomic_after_it() {
        assert!(last_race(&[(0, 'W'), (0, 'A'), (1, 'A')]));
        assert!(last_race(&[(0, 'R'), (0, 'A'), (1, 'A')]));
        assert!(last_race(&[(0, 'R'), (0, 'a'), (0, 'a'), (1, 'a')]));
        assert!(!last_race(&[(0, 'W'), (0, '|'), (0, 'A'), (1, 'A')]));
        assert!(!last_race(&[(0, 'A'), (1, 'A'), (0, '|'), (2, 'W')]));
    }

    #[test]
    fn reading_a_value_orders_after_its_writers() {
        assert!(!last_race(&[(0, 'A'), (1, 'A'), (2, 'A'), (2, 'W')]));
        assert!(!last_race(&[(0, 'a'), (1, 'a'), (2, 'P'), (2, 'W')]));
        assert!(last_race(&[(0, 'A'), (1, 'A'), (2, 'W')]));
        assert!(last_race(&[(0, 'a'), (1, 'a'), (1, 'W')]), "an unused value orders nothing");
        assert!(last_race(&[(0, 'a'), (2, 'P'), (1, 'a'), (2, 'W')]), "seen, and then replaced");
        assert!(!last_race(&[(0, 'a'), (2, 'P'), (0, '|'), (1, 'W')]));
        assert!(last_race(&[(0, 'a'), (2, 'P'), (1, 'W')]));
    }

    #[test]
    fn strong_accesses_of_two_sizes_race() {
        let mut order = HappensBefore::new(2, 1);
        order.set_element_bytes(vec![0, 8, 4].into());
        order.start(0);
        let mut cell = ShadowCell::default();
        let mut atomic = |warp, instruction| {
            let now = access(&mut order, warp, 0, STRONG_OF_DEVICE | ATOMIC);
            let packed = now.packed ^ 1 ^ instruction;
            let now = LaneAccess { packed, ..now };
            cell.write(&mut order, &now, |_| true).is_some()
        };
        assert!(!atomic(0, 1) && !atomic(1, 1) && atomic(0, 2));
    }
}
