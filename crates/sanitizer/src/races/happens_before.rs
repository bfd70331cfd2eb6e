//! The happens-before tracker: which accesses come before what a warp does now.
//!
//! *Algorithm.* FastTrack (Flanagan and Freund, PLDI 2009) with warps in place of threads: each warp has
//! a vector clock, each access an epoch (see [`super::epoch`]), and an access happens before what a
//! warp does now if its clock is below the warp's entry for it. Three things are added for a GPU, whose
//! hierarchy HiRace (Jacobson, Burtscher and Gopalakrishnan, SC 2024) treats by a state machine per
//! shadow cell instead:
//!
//! - Lanes of a warp share its clock; among each other they are ordered by program order of each lane,
//!   by barriers, and by `bar.warp.sync` ([`super::barriers`]). Lockstep orders nothing: under
//!   independent thread scheduling it is no promise. What a lane releases or acquires alone, it does for itself
//!   ([`super::alone`]).
//! - Blocks outside the running cluster, whether they have ended or wait for others, are ordered by releases and acquires only
//!   ([`super::sync_variables`]), kept as persistent trees ([`super::grid_clock`]), for a vector clock of all
//!   warps of a grid is too large.
//! - The asynchronous proxy acts as pseudo-threads of its own, with fences between the proxies
//!   ([`super::proxies`]).
//!
//! *Source of the rules.* The PTX ISA manual, "Memory consistency model": causality order is built of
//! program order per thread, of synchronisation by barriers, and of release and acquire patterns of
//! sufficient scope; fence-SC order and coherence make no difference to races.
//!
//! *Limits.* The order in which the emulator happened to run the warps is never used, but only one
//! execution is seen: what another would do in other branches is not. A fence on the acquiring side is
//! not insisted on, since the CUDA manuals' own examples leave it out.
//!
//! *Invariants.* Clocks only grow within a cluster. Whatever synchronises ends the warp's epoch, so that
//! all accesses of one epoch relate alike to all others, up to the lane. Callers number warps within the
//! block whose turn it is ([`HappensBefore::enter`]), vector clocks by slot within the cluster.

use super::epoch::{self, Epoch, PackedEpoch};
use super::grid_clock::{GridClock, LastJoin};
use super::knowledge::{Fenced, lanes_known};
use super::lanes::{Apart, WarpFences};
use super::releases::Releases;
use super::vector_clock::{ClockMatrix, VectorClock, lanes_beyond};
use std::collections::HashMap;

/// Pseudo-threads of the asynchronous proxy: groups of asynchronous copies that count as warps of their
/// own. After these come the products of each warpgroup.
pub const PSEUDO_THREADS: usize = 16;

/// How the accesses of an epoch relate to what a warp does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// All of them happen before.
    HappensBefore,
    /// Nothing orders the two.
    Concurrent,
    /// They are of the same warp: what each lane did comes before what that lane does, and before nothing
    /// else.
    ProgramOrder,
    /// Some lanes are ordered with some, since lanes have synchronised in parts, released or acquired alone.
    ByLane,
}

/// What two lanes of different warps lack to be in order, where lanes of theirs have synchronised alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LackOfSync {
    /// A lane of the other warp released what it did, not what the lane of the access did.
    pub released: bool,
    /// A lane of this warp acquired what the lane that accesses now would have to know.
    pub acquired: bool,
    /// Those lanes took part in the accesses: as long as warps run in lockstep, the two are in order.
    pub lockstep: bool,
}

/// The relation found last: accesses to neighbouring cells are often of one epoch. Valid for as long as
/// nothing synchronises.
pub struct RelationCache {
    epoch: u32,
    relation: Relation,
}

impl RelationCache {
    /// Nothing is known yet.
    pub const EMPTY: RelationCache = RelationCache { epoch: 0, relation: Relation::HappensBefore };

    /// [`HappensBefore::relation_of`].
    #[inline(always)]
    pub fn of(
        &mut self,
        order: &mut HappensBefore,
        access: PackedEpoch,
        base: u32,
        warp: u32,
    ) -> Relation {
        let of = epoch::number(access);
        if of != self.epoch {
            *self = RelationCache { epoch: of, relation: order.relation_of(access, base, warp) };
        }
        self.relation
    }
}

/// A barrier clock: the join of the vector clocks of those who have arrived.
#[derive(Clone, Default)]
pub(super) struct BarrierClock {
    pub(super) clock: VectorClock,
    /// What they have acquired of other clusters.
    pub(super) acquired: GridClock,
    /// What their fences release.
    pub(super) fences: Fenced,
}

/// The order of accesses in the cluster that runs, and what is known of others.
pub struct HappensBefore {
    /// Warps of all blocks of the cluster; pseudo-threads come after them.
    pub(super) real: usize,
    /// Warps of a block.
    pub(super) per_block: usize,
    /// The slot of the first warp of the block whose turn it is.
    pub(super) first: usize,
    /// The cluster that runs, by its number in the launch.
    pub(super) cluster: u32,
    /// Counts clusters.
    clusters: u32,
    /// The linear index of the block whose turn it is.
    pub(super) block: u64,
    /// By slot: its clock.
    pub(super) clock: Vec<u32>,
    /// By slot: its vector clock. Below an entry, what that warp did happens before.
    pub(super) known: ClockMatrix,
    /// By slot: its vector clock at its last fence between the proxies.
    pub(super) fenced: ClockMatrix,
    /// By slot: what it had acquired of other blocks at that fence.
    pub(super) fenced_acquired: Vec<GridClock>,
    /// By cluster and slot, for all that have run: the clock of the last fence between the proxies.
    pub(super) past_fences: HashMap<(u32, u32), u32>,
    /// By slot, the warp-sync epoch: below this clock, all its lanes come before all its lanes.
    pub(super) warp_sync: Vec<u32>,
    /// The same by pairs of lanes, where warps synchronise in parts.
    pub(super) pair_sync: Vec<Option<Box<[[u32; 32]; 32]>>>,
    /// By slot: what single lanes know beyond it.
    pub(super) apart: Vec<Apart>,
    /// Whether lanes have acquired or released anything alone in this cluster.
    pub(super) lanes_apart: bool,
    /// The lanes that the last warp of a block has.
    pub(super) last_lanes: u32,
    /// By slot: the number of the epoch under way, 0 if it has accessed nothing yet.
    pub(super) current: Vec<u32>,
    epochs: Vec<Epoch>,
    /// The first epoch of this cluster.
    base: u32,
    /// By slot: whether the warp has ended.
    pub(super) ended: Vec<bool>,
    /// By block and barrier.
    pub(super) barriers: Vec<BarrierClock>,
    /// At the cluster's barrier, by the parity of its generation.
    pub(super) cluster_barrier: [BarrierClock; 2],
    /// What was released to other blocks.
    pub(super) releases: Releases,
    /// By slot: what it has acquired of other clusters.
    pub(super) acquired: Vec<GridClock>,
    /// The last join of such.
    pub(super) joins: LastJoin,
    /// By slot: what its fences, and those that barriers ordered before, release.
    pub(super) fences: Vec<WarpFences>,
}

impl HappensBefore {
    /// For clusters of this many blocks of this many warps.
    pub fn new(per_block: usize, blocks: usize) -> HappensBefore {
        let real = per_block * blocks;
        let slots = real + PSEUDO_THREADS + blocks * per_block.div_ceil(4);
        let nobody = Epoch { block: u64::MAX, warp: 0, slot: 0, cluster: 0, clock: 0, lanes: 0 };
        HappensBefore {
            real,
            per_block,
            first: 0,
            cluster: 0,
            clusters: 0,
            block: 0,
            clock: vec![1; slots],
            known: ClockMatrix::new(slots),
            fenced: ClockMatrix::new(slots),
            fenced_acquired: vec![GridClock::default(); slots],
            past_fences: HashMap::new(),
            warp_sync: vec![0; slots],
            pair_sync: vec![None; slots],
            apart: vec![Apart::default(); slots],
            lanes_apart: false,
            last_lanes: u32::MAX,
            current: vec![0; slots],
            epochs: vec![nobody],
            base: 1,
            ended: vec![false; slots],
            barriers: vec![BarrierClock::default(); 16 * blocks],
            cluster_barrier: Default::default(),
            releases: Releases::default(),
            acquired: vec![GridClock::default(); slots],
            joins: LastJoin::default(),
            fences: vec![WarpFences::default(); slots],
        }
    }

    /// A cluster starts, of which this block is the first.
    pub fn start(&mut self, block: u64) {
        self.clusters += 1;
        self.cluster = self.clusters;
        self.enter(0, block);
        self.clock.fill(1);
        self.known.clear();
        self.fenced.clear();
        self.fenced_acquired.fill(GridClock::default());
        self.warp_sync.fill(0);
        self.pair_sync.fill(None);
        self.apart.iter_mut().for_each(Apart::forget);
        self.lanes_apart = false;
        self.current.fill(0);
        self.base = self.epochs.len() as u32;
        self.ended.fill(false);
        self.barriers.fill(BarrierClock::default());
        self.cluster_barrier.fill(BarrierClock::default());
        self.acquired.fill(GridClock::default());
        self.fences.fill(WarpFences::default());
        self.releases.forget_shared();
    }

    /// The worker turns to the cluster in another seat: exchanges the clocks of the two. What is of the launch as a
    /// whole stays: the epochs, the fences between proxies, and what was released through global memory.
    pub fn exchange(&mut self, other: &mut HappensBefore) {
        std::mem::swap(self, other);
        std::mem::swap(&mut self.clusters, &mut other.clusters);
        std::mem::swap(&mut self.epochs, &mut other.epochs);
        std::mem::swap(&mut self.past_fences, &mut other.past_fences);
        self.releases.exchange_global(&mut other.releases);
    }

    /// It is the turn of the block of this rank, with this linear index.
    pub fn enter(&mut self, rank: usize, block: u64) {
        (self.first, self.block) = (rank * self.per_block, block);
    }

    /// The slot of a warp of the block whose turn it is.
    #[inline(always)]
    pub(super) fn slot(&self, warp: usize) -> usize {
        self.first + warp
    }

    /// The first epoch of this cluster: accesses of earlier ones are of other clusters.
    #[inline(always)]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// The number of the epoch that a warp is in.
    #[inline(always)]
    pub fn epoch_of(&mut self, warp: u32) -> u32 {
        let slot = self.slot(warp as usize);
        if self.current[slot] == 0 {
            self.current[slot] = self.epochs.len() as u32;
            self.push(slot, (self.block, warp));
        }
        self.current[slot]
    }

    /// Only these lanes of a warp take part in an access of its epoch.
    pub fn partly(&mut self, warp: u32, lanes: u32) {
        let number = self.epoch_of(warp);
        self.epochs[number as usize].lanes &= lanes;
    }

    /// What a lane accesses now by an instruction, packed.
    pub fn packed_now(&mut self, warp: u32, lane: u32, instruction: u32) -> PackedEpoch {
        epoch::with_lane(epoch::pack(self.epoch_of(warp), instruction), lane)
    }

    /// A new epoch of a slot; gives its number.
    pub(super) fn push(&mut self, slot: usize, (block, warp): (u64, u32)) -> u32 {
        let (clock, cluster) = (self.clock[slot], self.cluster);
        let (slot, lanes) = (slot as u32, u32::MAX);
        self.epochs.push(Epoch { block, warp, slot, cluster, clock, lanes });
        self.epochs.len() as u32 - 1
    }

    /// Ends a slot's epoch: what it does from now on is told apart from what it did.
    pub(super) fn advance(&mut self, slot: usize) {
        self.clock[slot] += 1;
        self.current[slot] = 0;
    }

    /// The same, where the slot has accessed anything in it.
    pub(super) fn end_epoch(&mut self, slot: usize) {
        if self.current[slot] != 0 {
            self.advance(slot);
        }
    }

    /// The epoch of an access.
    pub fn epoch(&self, access: PackedEpoch) -> Epoch {
        self.epochs[epoch::number(access) as usize]
    }

    /// How the accesses of the epoch of this number relate to what a warp does now.
    #[inline(always)]
    pub fn relation(&mut self, number: u32, warp: u32) -> Relation {
        let e = &self.epochs[number as usize];
        let slot = self.slot(warp as usize);
        if e.cluster != self.cluster {
            let acquired = &self.acquired[slot];
            if acquired.is_empty() && !self.lanes_apart {
                return Relation::Concurrent;
            }
            return match lanes_known(acquired, e) {
                u32::MAX => Relation::HappensBefore,
                0 if !self.apart[slot].has_acquired() => Relation::Concurrent,
                _ => Relation::ByLane,
            };
        }
        let known = e.clock < self.known.get(slot, e.slot as usize);
        if known {
            return Relation::HappensBefore;
        }
        let whole =
            !self.lanes_apart || self.apart[slot].is_empty() && self.known.ahead(slot).is_empty();
        if e.slot as usize != slot {
            let some = !whole && self.known_lanes(slot, None, e.slot, e.clock) != 0;
            return if some { Relation::ByLane } else { Relation::Concurrent };
        }
        // What a warp knows of itself: a lane released it and another acquired it, such as at a lock
        // that both held.
        match &self.pair_sync[slot] {
            _ if e.clock < self.warp_sync[slot] => Relation::HappensBefore,
            None if whole => Relation::ProgramOrder,
            _ => Relation::ByLane,
        }
    }

    /// The relation of an access's epoch; those before `base` are of the past.
    #[inline(always)]
    pub fn relation_of(&mut self, access: PackedEpoch, base: u32, warp: u32) -> Relation {
        let number = epoch::number(access);
        if number < base { Relation::HappensBefore } else { self.relation(number, warp) }
    }

    /// Whether an access happens before what a lane does now.
    #[inline(always)]
    pub fn happens_before(&mut self, access: PackedEpoch, warp: u32, of_lane: u32) -> bool {
        match self.relation(epoch::number(access), warp) {
            Relation::HappensBefore => true,
            Relation::Concurrent => false,
            Relation::ProgramOrder => epoch::lane(access) == of_lane,
            Relation::ByLane => {
                let e = self.epoch(access);
                self.lanes_before(e, warp, of_lane) >> epoch::lane(access) & 1 != 0
            }
        }
    }

    /// The lanes of a slot known beyond a clock to a lane of a warp, or to any where none is given; of this cluster.
    #[cold]
    fn known_lanes(&self, slot: usize, lane: Option<u32>, of: u32, clock: u32) -> u32 {
        lanes_beyond(self.known.ahead(slot), of, clock) | self.apart[slot].beyond(lane, of, clock)
    }

    /// The lanes of an epoch whose accesses happen before what a lane does now.
    #[cold]
    fn lanes_before(&self, e: Epoch, warp: u32, lane: u32) -> u32 {
        let slot = self.slot(warp as usize);
        if e.cluster != self.cluster {
            let apart = self.apart[slot].of(lane).map(|part| &part.acquired);
            let all = apart.chain([&self.acquired[slot]]);
            return all.fold(0, |lanes, known| lanes | lanes_known(known, &e));
        }
        let known = self.known_lanes(slot, Some(lane), e.slot, e.clock);
        if e.slot as usize != slot {
            return known;
        }
        let before = |other: usize| match &self.pair_sync[slot] {
            Some(pairs) => e.clock < pairs[other][lane as usize],
            None => false,
        };
        (0..32).filter(|other| before(*other)).fold(known | 1 << lane, |lanes, of| lanes | 1 << of)
    }

    /// What keeps an access from happening before what a lane of another warp does now, if that is only that a lane of one of the
    /// two warps, or of each, has synchronised alone. `together` are the lanes that take part in the access now.
    pub fn lacks_warp_sync(
        &mut self,
        access: PackedEpoch,
        (warp, lane): (u32, u32),
        together: u32,
    ) -> Option<LackOfSync> {
        let (e, by) = (self.epoch(access), epoch::lane(access));
        if !self.lanes_apart
            || e.cluster == self.cluster && e.slot as usize == self.slot(warp as usize)
        {
            return None;
        }
        let known = self.lanes_before(e, warp, lane);
        if known != 0 {
            let lockstep = known & e.lanes != 0;
            return Some(LackOfSync { released: true, acquired: false, lockstep });
        }
        let mut lack: Option<LackOfSync> = None;
        for other in 0..32 {
            let known = self.lanes_before(e, warp, other);
            if known == 0 {
                continue;
            }
            let released = known >> by & 1 == 0;
            let lockstep = together >> other & 1 != 0 && (!released || known & e.lanes != 0);
            let this = LackOfSync { released, acquired: true, lockstep };
            if lack.is_none_or(|lack| (lack.released, !lack.lockstep) > (released, !lockstep)) {
                lack = Some(this);
            }
        }
        lack
    }

    /// The slot of whoever made an access.
    pub fn slot_of(&self, access: PackedEpoch) -> u32 {
        self.epoch(access).slot
    }

    /// Whether an access happens before what some warp of the block of a rank does now.
    pub fn known_to_block(&self, access: PackedEpoch, rank: usize) -> bool {
        let (e, lane) = (self.epoch(access), epoch::lane(access));
        let mut own = rank * self.per_block..(rank + 1) * self.per_block;
        own.any(|slot| {
            e.clock < self.known.get(slot, e.slot as usize)
                || self.known_lanes(slot, None, e.slot, e.clock) >> lane & 1 != 0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::releases::SyncVariable::{Global, Shared};
    use super::*;
    use lanework_ptx_ir::kernel::Scope;

    const LANE: u32 = 0;
    const ALL: (u32, u32) = (u32::MAX, u32::MAX);
    const FLAG: super::super::releases::SyncVariable = Global(64);

    fn write(order: &mut HappensBefore, warp: u32, lane: u32) -> PackedEpoch {
        order.packed_now(warp, lane, 7)
    }

    #[test]
    fn a_barrier_orders_warps_that_came_to_it() {
        let mut order = HappensBefore::new(3, 1);
        order.start(0);
        let a = write(&mut order, 0, 3);
        assert!(!order.happens_before(a, 1, 0));
        order.arrive(0, 1);
        order.arrive(1, 1);
        order.complete(1, &[0, 1], false);
        assert!(order.happens_before(a, 1, 0) && !order.happens_before(a, 2, 0));
        let b = write(&mut order, 0, 3);
        assert!(!order.happens_before(b, 1, 0));
        assert!(order.happens_before(b, 0, 3) && !order.happens_before(b, 0, 4));
    }

    #[test]
    fn lanes_are_ordered_by_a_sync_that_has_both() {
        let mut order = HappensBefore::new(1, 1);
        order.start(0);
        let a = write(&mut order, 0, 1);
        assert!(!order.happens_before(a, 0, 2));
        order.warp_sync(0, 0b0110, u32::MAX);
        assert!(order.happens_before(a, 0, 2) && !order.happens_before(a, 0, 3));
        order.warp_sync(0, u32::MAX, 0xf);
        assert!(order.happens_before(a, 0, 3));
    }

    #[test]
    fn a_fence_and_an_atomic_order_blocks() {
        let mut order = HappensBefore::new(1, 1);
        order.start(0);
        let early = write(&mut order, 0, 0);
        order.release((0, LANE), FLAG, (Scope::Device, false), true);
        order.fence(0, u32::MAX, Scope::Device);
        let late = write(&mut order, 0, 0);
        order.release((0, LANE), FLAG, (Scope::Device, false), true);
        order.start(1);
        assert!(!order.happens_before(early, 0, 0));
        order.acquire(0, ALL, FLAG, Scope::Device);
        assert!(order.happens_before(early, 0, 0) && !order.happens_before(late, 0, 0));
    }

    #[test]
    fn a_lock_orders_the_lanes_of_a_warp() {
        let mut order = HappensBefore::new(1, 1);
        order.start(0);
        let held = write(&mut order, 0, 3);
        order.fence(0, 1 << 3, Scope::Device);
        order.release((0, 3), FLAG, (Scope::Device, false), true);
        let after = write(&mut order, 0, 3);
        assert!(!order.happens_before(held, 0, 4));
        order.acquire(0, (1 << 4, u32::MAX), FLAG, Scope::Device);
        assert!(order.happens_before(held, 0, 4) && !order.happens_before(after, 0, 4));
        assert!(!order.happens_before(held, 0, 5), "another lane has not acquired");
    }

    #[test]
    fn a_fence_of_the_block_does_not_reach_others() {
        let mut order = HappensBefore::new(2, 1);
        order.start(0);
        let a = write(&mut order, 0, 0);
        order.fence(0, u32::MAX, Scope::Block);
        let shared = Shared { rank: 0, offset: 0 };
        order.release((0, LANE), shared, (Scope::Device, false), false);
        order.acquire(1, ALL, shared, Scope::Block);
        assert!(order.happens_before(a, 1, 5));
        order.release((0, LANE), Global(0), (Scope::Device, false), false);
        order.start(1);
        order.acquire(0, ALL, Global(0), Scope::Device);
        assert!(!order.happens_before(a, 0, 0));
    }

    #[test]
    fn fences_before_a_barrier_are_released_after_it() {
        for (fenced, scope) in [(true, Scope::Device), (true, Scope::Block), (false, Scope::Device)]
        {
            let mut order = HappensBefore::new(2, 1);
            order.start(0);
            let a = write(&mut order, 1, 0);
            order.fence(0, u32::MAX, Scope::Device);
            if fenced {
                order.fence(1, u32::MAX, scope);
            }
            (0..2).for_each(|warp| order.arrive(warp, 0));
            order.complete(0, &[0, 1], true);
            order.release((0, LANE), FLAG, (Scope::Device, false), true);
            order.start(1);
            order.acquire(0, ALL, FLAG, Scope::Device);
            assert_eq!(order.happens_before(a, 0, 0), fenced && scope == Scope::Device);
        }
    }

    #[test]
    fn a_read_of_block_scope_acquires_nothing_of_other_blocks() {
        let mut order = HappensBefore::new(1, 1);
        order.start(0);
        let a = write(&mut order, 0, 0);
        order.release((0, LANE), FLAG, (Scope::Device, true), false);
        order.start(1);
        order.acquire(0, ALL, FLAG, Scope::Block);
        assert!(!order.happens_before(a, 0, 0));
        order.acquire(0, ALL, FLAG, Scope::Device);
        assert!(order.happens_before(a, 0, 0));
    }

    #[test]
    fn what_is_released_to_a_cluster_reaches_its_blocks_and_no_others() {
        let levels = [Scope::Block, Scope::Cluster, Scope::Device];
        for (fence, write) in levels.into_iter().flat_map(|a| levels.map(|b| (a, b))) {
            let mut order = HappensBefore::new(1, 2);
            order.start(0);
            let a = write_of(&mut order, fence, write);
            order.enter(1, 1);
            order.acquire(0, ALL, FLAG, Scope::Cluster);
            let narrower = fence.min(write);
            assert_eq!(order.happens_before(a, 0, 0), narrower >= Scope::Cluster);
            order.start(2);
            order.acquire(0, ALL, FLAG, Scope::Cluster);
            assert!(!order.happens_before(a, 0, 0), "a read of the cluster's scope");
            order.acquire(0, ALL, FLAG, Scope::Device);
            assert_eq!(order.happens_before(a, 0, 0), narrower == Scope::Device);
        }
    }

    fn write_of(order: &mut HappensBefore, fence: Scope, scope: Scope) -> PackedEpoch {
        let a = write(order, 0, 0);
        order.fence(0, 1, fence);
        order.release((0, 0), FLAG, (scope, false), true);
        a
    }

    #[test]
    fn what_a_block_acquired_of_others_it_hands_on_within() {
        let mut order = HappensBefore::new(2, 1);
        order.start(0);
        let a = write(&mut order, 0, 0);
        order.release((0, LANE), FLAG, (Scope::Device, true), false);
        order.start(1);
        order.acquire(0, ALL, FLAG, Scope::Device);
        let shared = Shared { rank: 0, offset: 0 };
        order.release((0, LANE), shared, (Scope::Block, true), false);
        assert!(!order.happens_before(a, 1, 0));
        order.acquire(1, ALL, shared, Scope::Block);
        assert!(order.happens_before(a, 1, 0));
    }

    #[test]
    fn a_chain_of_releases_is_followed_to_its_start() {
        let mut order = HappensBefore::new(1, 1);
        order.start(0);
        let first = write(&mut order, 0, 0);
        order.release((0, LANE), FLAG, (Scope::Device, true), true);
        for block in 1..20_000 {
            order.start(block);
            order.acquire(0, ALL, FLAG, Scope::Device);
            order.release((0, LANE), FLAG, (Scope::Device, true), true);
        }
        order.start(20_000);
        assert!(!order.happens_before(first, 0, 0));
        order.acquire(0, ALL, FLAG, Scope::Device);
        assert!(order.happens_before(first, 0, 0));
        order.start(20_001);
        let other = write(&mut order, 0, 0);
        order.start(20_002);
        order.acquire(0, ALL, FLAG, Scope::Device);
        assert!(!order.happens_before(other, 0, 0), "it released nothing");
    }
}
