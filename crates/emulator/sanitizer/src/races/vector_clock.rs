//! Vector clocks: for each warp, the clock below which all its accesses are known.
//!
//! *Algorithm.* Mattern (1989) and Fidge (1988), as used by FastTrack: a release copies the
//! releaser's vector clock, an acquire joins it into the acquirer's by the maximum of each entry.
//!
//! An entry applies to all lanes of its warp. If a lane released alone, some lanes of a warp are
//! known further than others: only then a clock has an additional entry by lane ([`LaneClock`]). So
//! clocks stay small while all lanes of each warp synchronize together.
//!
//! *Invariant.* A lane clock is never below its warp's entry, and exceeds it for at least one lane.

use std::sync::Arc;

/// A vector clock. Missing entries are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorClock {
    /// By warp: accesses of all its lanes below this clock are known.
    pub warps: Vec<u32>,
    /// Warps with lanes that are known further.
    pub ahead: Vec<LaneClock>,
}

/// Joins a vector clock into one that may be shared.
pub fn join_shared(clock: &mut Arc<VectorClock>, from: &Arc<VectorClock>) {
    match () {
        () if Arc::ptr_eq(clock, from) || clock.covers(from) => {}
        () if from.covers(clock) => *clock = Arc::clone(from),
        () => Arc::make_mut(clock).join(from),
    }
}

/// The known clock of each lane of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneClock {
    /// The warp's slot.
    pub slot: u32,
    /// By lane; shared between copies.
    pub lanes: Arc<[u32; 32]>,
}

impl LaneClock {
    /// The lanes whose clock exceeds `clock`.
    #[inline]
    pub fn beyond(&self, clock: u32) -> u32 {
        // Branch-free, so that it vectorizes.
        let bit = |lane: usize| u32::from(self.lanes[lane] > clock) << lane;
        (0..32).map(bit).fold(0, |mask, bit| mask | bit)
    }

    /// Raises each lane to the maximum of both.
    fn join(&mut self, from: &Arc<[u32; 32]>) {
        if Arc::ptr_eq(&self.lanes, from) {
            return;
        }
        let above = |a: &[u32; 32], b: &[u32; 32]| a.iter().zip(b).filter(|(a, b)| a > b).count();
        match (above(&self.lanes, from), above(from, &self.lanes)) {
            (_, 0) => {}
            (0, _) => self.lanes = Arc::clone(from),
            _ => {
                let lanes = Arc::make_mut(&mut self.lanes);
                lanes.iter_mut().zip(&**from).for_each(|(a, b)| *a = (*a).max(*b));
            }
        }
    }
}

/// The lanes of a slot whose lane clock exceeds `clock`.
pub fn lanes_beyond(ahead: &[LaneClock], slot: u32, clock: u32) -> u32 {
    ahead.iter().find(|entry| entry.slot == slot).map_or(0, |entry| entry.beyond(clock))
}

/// Raises each entry to the maximum of both.
#[inline]
pub fn raise(
    warps: &mut [u32],
    ahead: &mut Vec<LaneClock>,
    from: &[u32],
    from_ahead: &[LaneClock],
) {
    warps.iter_mut().zip(from).for_each(|(a, b)| *a = (*a).max(*b));
    if !ahead.is_empty() || !from_ahead.is_empty() {
        raise_lanes(warps, ahead, from_ahead);
    }
}

/// Raises the lane clocks, and drops those that equal their warp's entry.
#[inline(never)]
fn raise_lanes(warps: &mut [u32], ahead: &mut Vec<LaneClock>, from: &[LaneClock]) {
    for entry in from {
        match ahead.iter_mut().find(|own| own.slot == entry.slot) {
            Some(own) => own.join(&entry.lanes),
            None if entry.beyond(warps[entry.slot as usize]) != 0 => ahead.push(entry.clone()),
            None => {}
        }
    }
    ahead.retain_mut(|entry| {
        let all = &mut warps[entry.slot as usize];
        let least = entry.lanes.iter().fold(u32::MAX, |least, lane| least.min(*lane));
        *all = least.max(*all);
        if least < *all {
            Arc::make_mut(&mut entry.lanes).iter_mut().for_each(|lane| *lane = (*lane).max(*all));
        }
        entry.beyond(*all) != 0
    });
}

impl VectorClock {
    /// Raises each entry to the maximum of both.
    pub fn join(&mut self, from: &VectorClock) {
        self.join_parts(&from.warps, &from.ahead);
    }

    /// The same for the parts of a clock.
    pub fn join_parts(&mut self, from: &[u32], from_ahead: &[LaneClock]) {
        let slots = from_ahead.iter().map(|entry| entry.slot as usize + 1).max().unwrap_or(0);
        let slots = slots.max(from.len());
        if self.warps.len() < slots {
            self.warps.resize(slots, 0);
        }
        raise(&mut self.warps, &mut self.ahead, from, from_ahead);
    }

    /// The same for a clock without lane clocks; may leave redundant lane clocks here.
    pub fn join_warps(&mut self, from: &[u32]) {
        if self.warps.len() < from.len() {
            self.warps.resize(from.len(), 0);
        }
        self.warps.iter_mut().zip(from).for_each(|(a, b)| *a = (*a).max(*b));
    }

    /// Raises the entry of one lane. `others` provides the initial lane clock of its slot, which
    /// must not be below the warp's entry.
    pub fn raise_lane(
        &mut self,
        slot: u32,
        lane: u32,
        done: u32,
        others: impl FnOnce() -> [u32; 32],
    ) {
        let at = self.ahead.iter().rposition(|entry| entry.slot == slot).unwrap_or_else(|| {
            self.ahead.push(LaneClock { slot, lanes: Arc::new(others()) });
            self.ahead.len() - 1
        });
        let lanes = Arc::make_mut(&mut self.ahead[at].lanes);
        lanes[lane as usize] = lanes[lane as usize].max(done);
        let least = lanes.iter().fold(u32::MAX, |least, lane| least.min(*lane));
        if least >= done {
            let most = lanes.iter().fold(0, |most, lane| most.max(*lane));
            self.warps[slot as usize] = self.warps[slot as usize].max(least);
            if most == least {
                self.ahead.swap_remove(at);
            }
        }
    }

    /// Raises the entries of some lanes of a slot.
    pub fn raise_lanes(&mut self, slot: u32, lanes: u32, done: u32) {
        if self.warps.len() <= slot as usize {
            self.warps.resize(slot as usize + 1, 0);
        }
        let mut rest = lanes;
        while rest != 0 {
            let all = self.warps[slot as usize];
            if done <= all {
                return;
            }
            self.raise_lane(slot, rest.trailing_zeros(), done, || [all; 32]);
            rest &= rest - 1;
        }
    }

    /// Resets to zeros and keeps the allocation.
    pub fn clear(&mut self) {
        self.warps.clear();
        self.ahead.clear();
    }

    /// Whether every entry is at least the one of `other`.
    pub fn covers(&self, other: &VectorClock) -> bool {
        let of = |slot: usize| self.warps.get(slot).copied().unwrap_or(0);
        let (both, rest) = other.warps.split_at(other.warps.len().min(self.warps.len()));
        let less = both.iter().zip(&self.warps).filter(|(other, own)| other > own).count();
        less == 0
            && rest.iter().all(|other| *other == 0)
            && other.ahead.iter().all(|entry| {
                let all = of(entry.slot as usize);
                match self.ahead.iter().find(|own| own.slot == entry.slot) {
                    None => entry.beyond(all) == 0,
                    Some(own) if Arc::ptr_eq(&own.lanes, &entry.lanes) => true,
                    Some(own) => {
                        let less = |lane: usize| entry.lanes[lane] > own.lanes[lane].max(all);
                        (0..32).filter(|lane| less(*lane)).count() == 0
                    }
                }
            })
    }

    /// The lanes of a slot that are known beyond a clock.
    pub fn beyond(&self, slot: u32, clock: u32) -> u32 {
        match self.warps.get(slot as usize) {
            Some(all) if *all > clock => u32::MAX,
            _ => lanes_beyond(&self.ahead, slot, clock),
        }
    }

    /// By warp: the maximum over its lanes.
    pub fn farthest(mut self) -> Vec<u32> {
        for entry in &self.ahead {
            let all = &mut self.warps[entry.slot as usize];
            *all = entry.lanes.iter().fold(*all, |most, lane| most.max(*lane));
        }
        self.warps
    }
}

/// A vector clock for each warp, in one allocation.
pub struct ClockMatrix {
    width: usize,
    clocks: Vec<u32>,
    ahead: Vec<Vec<LaneClock>>,
}

impl ClockMatrix {
    /// Zeros for this many warps.
    pub fn new(width: usize) -> ClockMatrix {
        ClockMatrix { width, clocks: vec![0; width * width], ahead: vec![Vec::new(); width] }
    }

    /// Resets to zeros.
    pub fn clear(&mut self) {
        self.clocks.fill(0);
        self.ahead.iter_mut().for_each(Vec::clear);
    }

    /// The clock of all lanes of warp `slot` known to warp `of`.
    #[inline(always)]
    pub fn get(&self, of: usize, slot: usize) -> u32 {
        self.clocks[of * self.width + slot]
    }

    /// Lane clocks known to warp `of`.
    #[inline(always)]
    pub fn ahead(&self, of: usize) -> &[LaneClock] {
        &self.ahead[of]
    }

    /// The vector clock of a warp.
    pub fn row(&self, of: usize) -> VectorClock {
        let warps = self.clocks[of * self.width..(of + 1) * self.width].to_vec();
        VectorClock { warps, ahead: self.ahead[of].clone() }
    }

    /// The same in two parts.
    pub fn parts(&self, of: usize) -> (&[u32], &[LaneClock]) {
        (&self.clocks[of * self.width..(of + 1) * self.width], &self.ahead[of])
    }

    /// Joins a clock into a warp's clock.
    #[inline]
    pub fn raise(&mut self, of: usize, from: &VectorClock) {
        let row = &mut self.clocks[of * self.width..(of + 1) * self.width];
        raise(row, &mut self.ahead[of], &from.warps, &from.ahead);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_lanes(warps: &[u32], slot: u32, lanes: impl Fn(u32) -> u32) -> VectorClock {
        let lanes = Arc::new(std::array::from_fn(|lane| lanes(lane as u32)));
        VectorClock { warps: warps.to_vec(), ahead: vec![LaneClock { slot, lanes }] }
    }

    #[test]
    fn the_warp_clock_is_the_minimum_over_its_lanes() {
        let mut clock = of_lanes(&[2, 5], 0, |lane| if lane == 0 { 4 } else { 2 });
        assert_eq!((clock.beyond(0, 3), clock.beyond(0, 1), clock.beyond(1, 4)), (1, !0, !0));
        clock.join(&of_lanes(&[0, 0], 0, |lane| if lane == 0 { 0 } else { 3 }));
        assert_eq!((clock.warps[0], clock.beyond(0, 3)), (3, 1), "those ahead stay so");
        clock.join(&VectorClock { warps: vec![4, 0], ahead: Vec::new() });
        assert_eq!(clock, VectorClock { warps: vec![4, 5], ahead: Vec::new() });
    }

    #[test]
    fn raising_some_lanes_affects_only_those_lanes() {
        let mut clock = VectorClock::default();
        clock.raise_lanes(2, 0b101, 7);
        assert_eq!((clock.beyond(2, 6), clock.beyond(2, 7), clock.beyond(1, 0)), (0b101, 0, 0));
        clock.raise_lanes(2, !0b101, 9);
        assert_eq!((clock.beyond(2, 6), clock.beyond(2, 8)), (u32::MAX, !0b101));
        clock.raise_lanes(2, u32::MAX, 9);
        assert_eq!(clock, VectorClock { warps: vec![0, 0, 9], ahead: Vec::new() });
    }

    #[test]
    fn lanes_of_a_warp_not_known_yet_are_kept() {
        let mut clock = VectorClock::default();
        clock.join_parts(&[], &of_lanes(&[], 1, |lane| lane).ahead);
        assert_eq!((clock.beyond(1, 29), clock.beyond(0, 0)), (3 << 30, 0));
        assert_eq!(clock.farthest(), [0, 31]);
    }
}
