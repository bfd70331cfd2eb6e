//! Per-lane clocks: acquires and releases by single lanes of a warp.
//!
//! A warp's vector clock holds what all its lanes know. A lane that acquires alone, such as lane 0
//! polling a flag or waiting for an mbarrier, knows more than the others until they synchronize: by
//! `bar.warp.sync`, by a barrier, or by acquiring the same release. A lane that releases alone releases
//! what it did and knows itself, and of the other lanes only what a synchronization of the warp
//! ordered before (PTX ISA, "Memory consistency model": causality order relates threads, not
//! warps).
//!
//! *Algorithm.* Additional clocks are kept for groups of lanes ([`LaneGroupClock`]), each lane in
//! at most one. Lanes that acquire one release one after the other, such as the lanes of one
//! instruction, are collected in `latest`. When all live lanes have acquired that release, it moves
//! to the warp's clock. So accesses of a warp whose lanes know the same look only at that clock.

use crate::races::grid_clock::GridClock;
use crate::races::happens_before::HappensBefore;

use crate::races::vector_clock::{LaneClock, VectorClock, join_shared};
use lanework_ptx_ir::kernel::Scope;
use std::sync::Arc;

/// Identifies an acquired release, to recognize lanes that acquire the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcquireSource {
    /// A version of a sync variable, and the scope of the read.
    Published(u64, Scope),
    /// A version of an mbarrier's released clock.
    Mbarrier(u32),
    /// Synchronization between lanes.
    Lanes,
}

/// Clocks known to some lanes only.
#[derive(Clone, Default)]
pub(super) struct LaneGroupClock {
    pub(super) lanes: u32,
    pub(super) clock: Arc<VectorClock>,
    /// Acquired from other clusters.
    pub(super) acquired: GridClock,
}

/// Clocks that lanes of a warp know beyond their warp's clock.
#[derive(Clone, Default)]
pub(super) struct PerLaneClocks {
    pub(super) parts: Vec<LaneGroupClock>,
    pub(super) latest: Option<(AcquireSource, LaneGroupClock)>,
    /// The last acquire completed by all lanes.
    pub(super) whole: Option<AcquireSource>,
}

impl PerLaneClocks {
    /// The clocks that apply to a lane.
    pub(super) fn of_lane(&self, lane: u32) -> impl Iterator<Item = &LaneGroupClock> {
        self.all().filter(move |part| part.lanes >> lane & 1 != 0)
    }

    /// All groups.
    pub(super) fn all(&self) -> impl Iterator<Item = &LaneGroupClock> {
        self.parts.iter().chain(self.latest.as_ref().map(|(_, part)| part))
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.latest.is_none()
    }

    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.latest = None;
    }

    pub(super) fn forget(&mut self) {
        self.clear();
        self.whole = None;
    }

    /// The lanes of a slot known beyond a clock to a lane, or to any lane if `None`.
    pub(super) fn beyond(&self, lane: Option<u32>, slot: u32, clock: u32) -> u32 {
        let of = |part: &&LaneGroupClock| lane.is_none_or(|lane| part.lanes >> lane & 1 != 0);
        self.all().filter(of).fold(0, |known, part| known | part.clock.beyond(slot, clock))
    }

    /// Whether any lane alone has acquired from another cluster.
    pub(super) fn acquired_alone(&self) -> bool {
        self.all().any(|part| !part.acquired.is_empty())
    }
}

impl HappensBefore {
    /// Sets the lanes that exist in the last warp of a block.
    pub fn lanes_of_last(&mut self, lanes: u32) {
        self.last_lanes = lanes;
    }

    /// Sets the bytes of an element that each instruction accesses.
    pub fn set_element_bytes(&mut self, bytes: Arc<[u8]>) {
        self.element_bytes = bytes;
    }

    /// Lanes of a warp acquire the clocks that `make` returns: of their cluster, and of others.
    pub(super) fn acquire_known(
        &mut self,
        slot: usize,
        (lanes, live): (u32, u32),
        source: AcquireSource,
        make: impl FnOnce(&mut HappensBefore) -> (Arc<VectorClock>, GridClock),
    ) {
        let again = |of: AcquireSource| of == source && source != AcquireSource::Lanes;
        let PerLaneClocks { latest, whole, .. } = &mut self.apart[slot];
        if whole.is_some_and(again) {
            return;
        }
        match latest {
            Some((of, part)) if again(*of) => part.lanes |= lanes,
            _ => {
                self.flush_latest(slot);
                let (clock, acquired) = make(self);
                self.apart[slot].latest = Some((source, LaneGroupClock { lanes, clock, acquired }));
            }
        }
        if let Some((_, part)) = &mut self.apart[slot].latest
            && part.lanes & live == live
        {
            let LaneGroupClock { clock, acquired, .. } = std::mem::take(part);
            self.apart[slot].latest = None;
            self.apart[slot].whole = Some(source);
            self.known.raise(slot, &clock);
            self.joins.join(&mut self.acquired[slot], &acquired);
        } else {
            self.lanes_apart = true;
        }
    }

    /// Distributes the latest acquire to the groups of its lanes.
    fn flush_latest(&mut self, slot: usize) {
        let HappensBefore { apart, joins, .. } = self;
        let PerLaneClocks { parts, latest, .. } = &mut apart[slot];
        let Some((_, mut new)) = latest.take() else { return };
        let mut split = Vec::new();
        for part in parts.iter_mut() {
            let both = part.lanes & new.lanes;
            if both == 0 {
                continue;
            }
            let mut joined = match both == part.lanes {
                true => std::mem::take(part),
                false => part.clone(),
            };
            joined.lanes = both;
            join_shared(&mut joined.clock, &new.clock);
            joins.join(&mut joined.acquired, &new.acquired);
            part.lanes &= !both;
            new.lanes &= !both;
            split.push(joined);
        }
        split.push(new);
        parts.append(&mut split);
        parts.retain(|part| part.lanes != 0);
    }

    /// The join of what some lanes know beyond their warp.
    fn together(&self, slot: usize, lanes: u32) -> Option<(Arc<VectorClock>, GridClock)> {
        let mut together: Option<(Arc<VectorClock>, GridClock)> = None;
        for part in self.apart[slot].all().filter(|part| part.lanes & lanes != 0) {
            let (clock, acquired) = together.get_or_insert_default();
            join_shared(clock, &part.clock);
            acquired.join(&part.acquired);
        }
        together
    }

    /// Lanes of a warp synchronize: each then knows what they all know.
    pub(super) fn share(&mut self, slot: usize, lanes: u32, live: u32) {
        let Some(known) = self.together(slot, lanes) else { return };
        self.acquire_known(slot, (lanes, live), AcquireSource::Lanes, |_| known);
        if lanes & live == live {
            self.apart[slot].clear();
        }
    }

    /// The clock that is above everything the slot has done.
    pub(super) fn done(&self, slot: usize) -> u32 {
        self.clock[slot] + u32::from(self.current[slot] != 0)
    }

    /// A lane's own clock, and the clocks that it knows of the other lanes of its warp.
    fn own(&self, slot: usize, lane: u32) -> Option<LaneClock> {
        let (done, all) = (self.done(slot), self.warp_sync[slot]);
        if done <= all {
            return None;
        }
        let pairs = self.pair_sync[slot].as_ref();
        let of = |other: usize| match pairs {
            _ if other == lane as usize || !self.exists(slot, other) => done,
            None => all,
            Some(pairs) => all.max(pairs[other][lane as usize]),
        };
        Some(LaneClock { slot: slot as u32, lanes: Arc::new(std::array::from_fn(of)) })
    }

    /// Joins the clock of a lane, including its own accesses, into `clock`. Requires a warp whose
    /// lanes know the same.
    pub(super) fn join_lane_to(&mut self, clock: &mut VectorClock, slot: usize, lane: u32) {
        let (warps, ahead) = self.known.parts(slot);
        match ahead {
            [] => clock.join_warps(warps),
            _ => clock.join_parts(warps, ahead),
        }
        let (all, done) = (self.warp_sync[slot], self.done(slot));
        let own = &mut clock.warps[slot];
        *own = (*own).max(all);
        if done > *own {
            self.lanes_apart = true;
            let others = *own;
            clock.raise_lane(slot as u32, lane, done, || {
                std::array::from_fn(|lane| if self.exists(slot, lane) { others } else { done })
            });
        }
    }

    /// Whether a lane exists: the last warp of a block may have fewer.
    fn exists(&self, slot: usize, lane: usize) -> bool {
        slot % self.per_block.max(1) + 1 < self.per_block || self.last_lanes >> lane & 1 != 0
    }

    /// The clock common to all lanes, without accesses since they last synchronized.
    pub(super) fn common_clock(&self, slot: usize) -> VectorClock {
        let mut clock = self.known.row(slot);
        let own = &mut clock.warps[slot];
        *own = (*own).max(self.warp_sync[slot]);
        clock
    }

    /// The clock of a lane including its own accesses, and what it acquired from other clusters.
    pub(super) fn clock_of_lane(&mut self, slot: usize, lane: u32) -> (VectorClock, GridClock) {
        let mut clock = self.common_clock(slot);
        if let Some(own) = self.own(slot, lane) {
            self.lanes_apart = true;
            clock.join_parts(&[], &[own]);
        }
        let mut acquired = self.acquired[slot].clone();
        for part in self.apart[slot].of_lane(lane) {
            clock.join(&part.clock);
            self.joins.join(&mut acquired, &part.acquired);
        }
        (clock, acquired)
    }

    /// Whether the clocks of a warp's lanes differ only in each lane's own accesses.
    pub(super) fn acts_as_one(&self, slot: usize) -> bool {
        self.apart[slot].is_empty() && self.pair_sync[slot].is_none()
    }

    /// The clock of a warp with everything that its lanes did and know.
    pub(super) fn clock_of_warp(&self, slot: usize) -> (VectorClock, GridClock) {
        let mut clock = self.known.row(slot);
        clock.warps[slot] = self.done(slot);
        let mut acquired = self.acquired[slot].clone();
        if let Some((known, of_others)) = self.together(slot, u32::MAX) {
            clock.join(&known);
            acquired.join(&of_others);
        }
        (clock, acquired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::races::epoch::PackedEpoch;
    use crate::races::happens_before::relation::Relation;
    use crate::races::happens_before::sync_variables::SyncVariable;
    use lanework_ptx_ir::kernel::Scope;

    const ALL: (u32, u32) = (u32::MAX, u32::MAX);
    const FLAG: SyncVariable = SyncVariable::Global(64);

    fn write(order: &mut HappensBefore, warp: u32, lane: u32) -> PackedEpoch {
        order.packed_now(warp, lane, 7)
    }

    #[test]
    fn a_release_includes_other_lanes_only_after_a_warp_sync() {
        for (fence, sync) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut order = HappensBefore::new(2, 1);
            order.start(0);
            let [mine, others] = [0, 5].map(|lane| write(&mut order, 0, lane));
            if fence {
                order.fence(0, u32::MAX, Scope::Device);
            }
            if sync {
                order.warp_sync(0, u32::MAX, u32::MAX);
            }
            order.release((0, 0), FLAG, (Scope::Device, !fence), true);
            order.acquire(1, ALL, FLAG, Scope::Device);
            assert!(order.happens_before(mine, 1, 7));
            assert_eq!(order.happens_before(others, 1, 7), sync);
            order.start(1);
            assert!(!order.happens_before(mine, 0, 0));
            order.acquire(0, ALL, FLAG, Scope::Device);
            assert!(order.happens_before(mine, 0, 0));
            assert_eq!(order.happens_before(others, 0, 0), sync);
        }
    }

    #[test]
    fn a_warp_sync_shares_what_a_lane_acquired() {
        let mut order = HappensBefore::new(2, 1);
        order.start(0);
        let a = write(&mut order, 0, 0);
        let mut clock = VectorClock::default();
        order.release_to(&mut clock, 0, 0);
        let source = AcquireSource::Mbarrier(1);
        order.acquire_clock(1, (1 << 2, u32::MAX), source, &clock);
        assert!(order.happens_before(a, 1, 2) && !order.happens_before(a, 1, 3));
        order.warp_sync(1, 0b1100, u32::MAX);
        assert!(order.happens_before(a, 1, 3) && !order.happens_before(a, 1, 4));
        order.warp_sync(1, 0b11000, u32::MAX);
        assert!(order.happens_before(a, 1, 4) && !order.happens_before(a, 1, 5));
        order.acquire_clock(1, (u32::MAX, u32::MAX), source, &clock);
        assert!(order.happens_before(a, 1, 31));
    }

    #[test]
    fn lanes_that_arrive_one_after_the_other_release_their_whole_warp() {
        let mut order = HappensBefore::new(2, 1);
        order.start(0);
        let a = write(&mut order, 0, 31);
        let mut clock = VectorClock::default();
        (0..32).for_each(|lane| order.release_to(&mut clock, 0, lane));
        assert!(clock.ahead.is_empty());
        (0..32).for_each(|lane| {
            let source = AcquireSource::Mbarrier(1);
            order.acquire_clock(1, (1 << lane, u32::MAX), source, &clock);
        });
        assert_eq!(order.relation_of(a, 1, 1), Relation::HappensBefore);
    }

    #[test]
    fn synchronization_of_pairs_of_lanes_is_transitive() {
        let mut order = HappensBefore::new(1, 1);
        order.start(0);
        let a = write(&mut order, 0, 0);
        order.warp_sync(0, 0b011, u32::MAX);
        order.warp_sync(0, 0b110, u32::MAX);
        assert!(order.happens_before(a, 0, 2) && !order.happens_before(a, 0, 3));
    }
}
