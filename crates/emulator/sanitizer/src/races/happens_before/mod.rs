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
//!   independent thread scheduling it is not promised. What a lane releases or acquires alone, it does for itself
//!   ([`super::alone`]).
//! - Blocks outside the running cluster, whether they have ended or wait for others, are ordered by releases and acquires only
//!   ([`super::sync_variables`]), kept as persistent trees ([`super::grid_clock`]), for a vector clock of all
//!   warps of a grid is too large.
//! - The asynchronous proxy acts as pseudo-threads of its own, with fences between the proxies
//!   ([`super::proxies`]).
//!
//! *AcquireSource of the rules.* The PTX ISA manual, "Memory consistency model": causality order is built of
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

mod barriers;
mod fences;
pub mod lane_clocks;
mod proxies;
pub mod relation;
pub mod sync_variables;

use crate::races::epoch::{self, Epoch, PackedEpoch};
use crate::races::grid_clock::{GridClock, LastJoin};
use crate::races::happens_before::fences::WarpFences;
use crate::races::happens_before::lane_clocks::PerLaneClocks;
use crate::races::happens_before::sync_variables::Releases;
use crate::races::known_clocks::FencedClocks;
use crate::races::vector_clock::{ClockMatrix, VectorClock};
use std::collections::HashMap;

/// Pseudo-threads of the asynchronous proxy: groups of asynchronous copies that count as warps of their
/// own. After these come the products of each warpgroup.
pub const PSEUDO_THREADS: usize = 16;

/// A barrier clock: the join of the vector clocks of those who have arrived.
#[derive(Clone, Default)]
pub(super) struct BarrierClock {
    clock: VectorClock,
    /// What they have acquired of other clusters.
    acquired: GridClock,
    /// What their fences release.
    fences: FencedClocks,
}

/// The order of accesses in the cluster that runs, and what is known of others.
pub struct HappensBefore {
    /// Warps of all blocks of the cluster; pseudo-threads come after them.
    real: usize,
    /// Warps of a block.
    per_block: usize,
    /// The slot of the first warp of the block whose turn it is.
    first: usize,
    /// The cluster that runs, by its number in the launch.
    cluster: u32,
    /// Counts clusters.
    clusters: u32,
    /// The linear index of the block whose turn it is.
    block: u64,
    /// By slot: its clock.
    clock: Vec<u32>,
    /// By slot: its vector clock. Below an entry, what that warp did happens before.
    known: ClockMatrix,
    /// By slot: its vector clock at its last fence between the proxies.
    fenced: ClockMatrix,
    /// By slot: what it had acquired of other blocks at that fence.
    fenced_acquired: Vec<GridClock>,
    /// By cluster and slot, for all that have run: the clock of the last fence between the proxies.
    past_fences: HashMap<(u32, u32), u32>,
    /// By slot, the warp-sync epoch: below this clock, all its lanes come before all its lanes.
    warp_sync: Vec<u32>,
    /// The same by pairs of lanes, where warps synchronise in parts.
    pair_sync: Vec<Option<Box<[[u32; 32]; 32]>>>,
    /// By slot: what single lanes know beyond it.
    apart: Vec<PerLaneClocks>,
    /// Whether lanes have acquired or released anything alone in this cluster.
    lanes_apart: bool,
    /// The lanes that the last warp of a block has.
    pub(super) last_lanes: u32,
    /// By slot: the number of the epoch under way, 0 if it has accessed nothing yet.
    current: Vec<u32>,
    epochs: Vec<Epoch>,
    /// The first epoch of this cluster.
    base: u32,
    /// By slot: whether the warp has ended.
    ended: Vec<bool>,
    /// By block and barrier.
    barriers: Vec<BarrierClock>,
    /// At the cluster's barrier, by the parity of its generation.
    cluster_barrier: [BarrierClock; 2],
    /// What was released to other blocks.
    releases: Releases,
    /// By slot: what it has acquired of other clusters.
    acquired: Vec<GridClock>,
    /// The last join of such.
    joins: LastJoin,
    /// By slot: what its fences, and those that barriers ordered before, release.
    fences: Vec<WarpFences>,
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
            apart: vec![PerLaneClocks::default(); slots],
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
        self.apart.iter_mut().for_each(PerLaneClocks::forget);
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
    fn slot(&self, warp: usize) -> usize {
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
    pub fn narrow_lanes(&mut self, warp: u32, lanes: u32) {
        let number = self.epoch_of(warp);
        self.epochs[number as usize].lanes &= lanes;
    }

    /// What a lane accesses now by an instruction, packed.
    pub fn packed_now(&mut self, warp: u32, lane: u32, instruction: u32) -> PackedEpoch {
        epoch::with_lane(epoch::pack(self.epoch_of(warp), instruction), lane)
    }

    /// A new epoch of a slot; gives its number.
    fn push(&mut self, slot: usize, (block, warp): (u64, u32)) -> u32 {
        let (clock, cluster) = (self.clock[slot], self.cluster);
        let (slot, lanes) = (slot as u32, u32::MAX);
        self.epochs.push(Epoch { block, warp, slot, cluster, clock, lanes });
        self.epochs.len() as u32 - 1
    }

    /// Ends a slot's epoch: what it does from now on is told apart from what it did.
    fn advance(&mut self, slot: usize) {
        self.clock[slot] += 1;
        self.current[slot] = 0;
    }

    /// The same, where the slot has accessed anything in it.
    fn end_epoch(&mut self, slot: usize) {
        if self.current[slot] != 0 {
            self.advance(slot);
        }
    }

    /// The epoch of an access.
    pub fn epoch(&self, access: PackedEpoch) -> Epoch {
        self.epochs[epoch::number(access) as usize]
    }

    /// The slot of whoever made an access.
    pub fn slot_of(&self, access: PackedEpoch) -> u32 {
        self.epoch(access).slot
    }
}

#[cfg(test)]
mod tests;
