//! The happens-before tracker: orders accesses of a launch.
//!
//! *Algorithm.* FastTrack (Flanagan and Freund, PLDI 2009) with warps in place of threads: each
//! warp has a vector clock, each access an epoch ([`crate::races::epoch`]). An access happens before
//! a warp's next instruction if the access's clock is below the warp's entry for it. (HiRace, by
//! Jacobson, Burtscher and Gopalakrishnan, SC 2024, has a state machine per shadow cell instead.)
//! A GPU needs three additions:
//!
//! - Lanes of a warp share its clock. Among each other they are ordered by program order of each
//!   lane, by barriers, and by `bar.warp.sync` ([`barriers`]). Lockstep orders nothing, since
//!   independent thread scheduling does not guarantee it. Acquires and releases of single lanes
//!   apply to these lanes only ([`lane_clocks`]).
//! - Blocks outside the running cluster are ordered by releases and acquires only
//!   ([`sync_variables`]). Their clocks are persistent trees ([`crate::races::grid_clock`]),
//!   because a vector clock of all warps of a grid is too large.
//! - The asynchronous proxy acts as pseudo-threads, with fences between the proxies ([`proxies`]).
//!
//! *Source of the rules.* PTX ISA, "Memory consistency model": causality order consists of program
//! order per thread, synchronization by barriers, and release and acquire patterns of sufficient
//! scope. Fence-SC order and coherence do not affect races.
//!
//! *Limit.* Findings do not depend on the order in which the emulator happens to run the warps, but
//! races in branches not taken are missed.

mod barriers;
mod fences;
pub mod lane_clocks;
mod proxies;
pub mod relation;
pub mod sync_variables;
#[cfg(test)]
mod tests;

use crate::races::epoch::{self, Epoch, PackedEpoch};
use crate::races::grid_clock::{FencedClocks, GridClock, KnownClocks, LastJoin};
use crate::races::happens_before::fences::WarpFences;
use crate::races::happens_before::lane_clocks::PerLaneClocks;
use crate::races::happens_before::sync_variables::Releases;
use crate::races::vector_clock::{ClockMatrix, VectorClock, join_shared};
use lanework_ptx_ir::kernel::Scope;
use std::collections::HashMap;
use std::sync::Arc;

/// Pseudo-threads of asynchronous copies; the pseudo-threads of warpgroup products follow.
pub const PSEUDO_THREADS: usize = 16;

/// A barrier clock: the join of the vector clocks of the warps that have arrived.
#[derive(Clone, Default)]
pub(super) struct BarrierClock {
    clock: VectorClock,
    /// Acquired from other clusters.
    acquired: GridClock,
    /// Released by their fences.
    fences: FencedClocks,
    /// Seen by their relaxed reads.
    unfenced: UnfencedReads,
    /// The warps that wait.
    waiting: Vec<BarrierWait>,
    /// The warps that waited when the barrier opened last, unless it waited for all threads.
    waited: Vec<BarrierWait>,
}

/// A warp's wait at a barrier of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierWait {
    /// Its slot.
    slot: usize,
    /// Its clock on arrival.
    clock: u32,
    /// Its number in the block.
    pub warp: usize,
    /// The barrier's instruction.
    pub instruction: u32,
}

/// The order of accesses in the running cluster, and the known clocks of others.
///
/// *Invariants.* Clocks only grow within a cluster. Every synchronization ends the warp's epoch, so
/// all accesses of one epoch relate in the same way to all others, up to the lane. Callers number
/// warps within the running block ([`HappensBefore::enter`]); vector clocks are indexed by slot
/// within the cluster.
pub struct HappensBefore {
    /// Warps of all blocks of the cluster; slots of pseudo-threads follow.
    real: usize,
    /// Warps per block.
    per_block: usize,
    /// Slot of the first warp of the running block.
    first: usize,
    /// Number of the running cluster in the launch.
    cluster: u32,
    /// Clusters started so far.
    clusters: u32,
    /// Linear index of the running block.
    block: u64,
    /// Clock, by slot.
    clock: Vec<u32>,
    /// Vector clock, by slot. Accesses below an entry happen before.
    known: ClockMatrix,
    /// Vector clock at the last proxy fence, by slot.
    fenced: ClockMatrix,
    /// Acquired from other clusters at that fence, by slot.
    fenced_acquired: Vec<GridClock>,
    /// Clock of the last proxy fence, by cluster and slot, for the whole launch.
    past_fences: HashMap<(u32, u32), u32>,
    /// Warp-sync epoch, by slot: accesses below this clock happen before all lanes of the warp.
    warp_sync: Vec<u32>,
    /// The same by pairs of lanes, for warps that have synchronized in parts.
    pair_sync: Vec<Option<Box<[[u32; 32]; 32]>>>,
    /// Clocks that single lanes know beyond their warp's, by slot.
    apart: Vec<PerLaneClocks>,
    /// Whether single lanes of this cluster have acquired or released.
    lanes_apart: bool,
    /// Lanes that exist in the last warp of a block.
    pub(super) last_lanes: u32,
    /// Bytes of an element that an instruction accesses, by instruction; 0 if unknown.
    pub(super) element_bytes: Arc<[u8]>,
    /// Number of the current epoch, by slot; 0 if it has no access yet.
    current: Vec<u32>,
    epochs: Vec<Epoch>,
    /// First epoch of this cluster.
    base: u32,
    /// Whether the warp has exited, by slot.
    ended: Vec<bool>,
    /// By block and barrier.
    barriers: Vec<BarrierClock>,
    /// The cluster's barrier, by parity of the generation.
    cluster_barrier: [BarrierClock; 2],
    /// Releases at sync variables.
    releases: Releases,
    /// Released by fences of system scope and later strong writes to global memory, in the whole launch.
    host_knows: KnownClocks,
    /// Acquired from other clusters, by slot.
    acquired: Vec<GridClock>,
    /// Cache of the last join.
    joins: LastJoin,
    /// Clocks that the slot's fences, and fences ordered before by barriers, release.
    fences: Vec<WarpFences>,
    /// Releases that the slot's relaxed reads have seen, and no fence has acquired yet.
    unfenced: Vec<UnfencedReads>,
}

impl HappensBefore {
    /// For clusters of `blocks` blocks of `per_block` warps.
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
            apart: vec![PerLaneClocks::default(); slots],
            lanes_apart: false,
            last_lanes: u32::MAX,
            element_bytes: Arc::default(),
            current: vec![0; slots],
            epochs: vec![nobody],
            base: 1,
            ended: vec![false; slots],
            barriers: vec![BarrierClock::default(); 16 * blocks],
            cluster_barrier: Default::default(),
            releases: Releases::default(),
            host_knows: KnownClocks::default(),
            acquired: vec![GridClock::default(); slots],
            joins: LastJoin::default(),
            fences: vec![WarpFences::default(); slots],
            unfenced: vec![UnfencedReads::default(); slots],
        }
    }

    /// Starts a cluster whose first block is `block`.
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
        self.apart.iter_mut().for_each(PerLaneClocks::forget);
        self.lanes_apart = false;
        self.current.fill(0);
        self.base = self.epochs.len() as u32;
        self.ended.fill(false);
        self.barriers.fill(BarrierClock::default());
        self.cluster_barrier.fill(BarrierClock::default());
        self.acquired.fill(GridClock::default());
        self.fences.fill(WarpFences::default());
        self.unfenced.fill(UnfencedReads::default());
        self.releases.forget_shared();
    }

    /// The worker switches to another cluster: swaps the clocks of the two. Launch-wide state
    /// stays: epochs, proxy fences, and releases through global memory.
    pub fn exchange(&mut self, other: &mut HappensBefore) {
        std::mem::swap(self, other);
        std::mem::swap(&mut self.clusters, &mut other.clusters);
        std::mem::swap(&mut self.epochs, &mut other.epochs);
        std::mem::swap(&mut self.past_fences, &mut other.past_fences);
        std::mem::swap(&mut self.host_knows, &mut other.host_knows);
        self.releases.exchange_global(&mut other.releases);
    }

    /// Switches to the block of this rank and linear index.
    pub fn enter(&mut self, rank: usize, block: u64) {
        (self.first, self.block) = (rank * self.per_block, block);
    }

    /// Slot of a warp of the running block.
    #[inline(always)]
    fn slot(&self, warp: usize) -> usize {
        self.first + warp
    }

    /// Number of the running cluster in the launch.
    pub fn cluster(&self) -> u32 {
        self.cluster
    }

    /// First epoch of this cluster; lower ones belong to earlier clusters.
    #[inline(always)]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Number of a warp's current epoch.
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
    pub fn narrow_lanes(&mut self, warp: u32, lanes: u32) {
        let number = self.epoch_of(warp);
        self.epochs[number as usize].lanes &= lanes;
    }

    /// The packed access of a lane in its current epoch.
    pub fn packed_now(&mut self, warp: u32, lane: u32, instruction: u32) -> PackedEpoch {
        epoch::with_lane(epoch::pack(self.epoch_of(warp), instruction), lane)
    }

    /// Starts an epoch of a slot and returns its number.
    fn push(&mut self, slot: usize, (block, warp): (u64, u32)) -> u32 {
        let (clock, cluster) = (self.clock[slot], self.cluster);
        let (slot, lanes) = (slot as u32, u32::MAX);
        self.epochs.push(Epoch { block, warp, slot, cluster, clock, lanes });
        self.epochs.len() as u32 - 1
    }

    /// Ends a slot's epoch.
    fn advance(&mut self, slot: usize) {
        self.clock[slot] += 1;
        self.current[slot] = 0;
    }

    /// Ends a slot's epoch if it has an access.
    fn end_epoch(&mut self, slot: usize) {
        if self.current[slot] != 0 {
            self.advance(slot);
        }
    }

    /// The epoch of an access.
    pub fn epoch(&self, access: PackedEpoch) -> Epoch {
        self.epochs[epoch::number(access) as usize]
    }

    /// The one of two prior accesses that is farther from `now`: by another block, else by another warp. The second one on a tie.
    #[inline(always)]
    pub fn farther(&self, [first, second]: [PackedEpoch; 2], now: PackedEpoch) -> PackedEpoch {
        let this = &self.epochs[epoch::number(now) as usize];
        let distance = |access: PackedEpoch| {
            let of = &self.epochs[epoch::number(access) as usize];
            2 * u32::from(of.block != this.block) + u32::from(of.slot != this.slot)
        };
        if distance(second) >= distance(first) { second } else { first }
    }

    /// Bytes of an element of an access, 0 if unknown. A vector access is a set of accesses to its
    /// elements.
    #[inline(always)]
    pub fn element_bytes(&self, access: PackedEpoch) -> u8 {
        self.element_bytes.get(epoch::instruction(access) as usize).copied().unwrap_or(0)
    }

    /// The slot of an access.
    pub fn slot_of(&self, access: PackedEpoch) -> u32 {
        self.epoch(access).slot
    }
}

/// Releases that one instruction has seen in some lanes.
#[derive(Clone, Debug)]
struct SeenRelease {
    lanes: u32,
    /// The scope that the fence needs.
    needed: Scope,
    /// The reading instruction.
    by: u32,
    /// The version of the sync variable that was read last, and the scope of the read.
    version: (u64, Scope),
    clock: Arc<VectorClock>,
    /// Of other clusters.
    others: GridClock,
}

/// Releases that the lanes of a warp, or the warps at a barrier, have seen by relaxed reads, until a
/// fence acquires them ([`HappensBefore::acquire_by_fence`]).
#[derive(Clone, Debug, Default)]
struct UnfencedReads {
    list: Vec<SeenRelease>,
}

impl UnfencedReads {
    fn add(&mut self, new: SeenRelease) {
        let like = |old: &&mut SeenRelease| {
            (old.lanes, old.needed, old.by) == (new.lanes, new.needed, new.by)
        };
        match self.list.iter_mut().find(like) {
            Some(old) => {
                join_shared(&mut old.clock, &new.clock);
                old.others.join(&new.others);
                old.version = new.version;
            }
            None => self.list.push(new),
        }
    }

    /// Adds all of another, for all lanes.
    #[inline(always)]
    fn join(&mut self, other: &UnfencedReads) {
        let of_all = |seen: &SeenRelease| SeenRelease { lanes: u32::MAX, ..seen.clone() };
        other.list.iter().for_each(|seen| self.add(of_all(seen)));
    }

    /// These lanes synchronize.
    #[inline(always)]
    fn share(&mut self, members: u32) {
        let seen = self.list.iter_mut().filter(|seen| seen.lanes & members != 0);
        seen.for_each(|seen| seen.lanes |= members);
    }
}
