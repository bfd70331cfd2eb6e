//! Races: two unordered accesses to the same byte, if at least one writes.
//!
//! [`happens_before`] orders accesses, [`shadow_memory`] stores prior accesses, and [`shadow_cell`]
//! combines the two. This module holds both for one launch. [`findings`] has the messages.
//!
//! [`PeerAccesses`] orders accesses to other blocks' shared memory with the exits of these blocks, and
//! [`LaunchPoints`] orders accesses with the launches that a kernel makes.

pub mod epoch;
pub mod findings;
pub mod grid_clock;
pub mod happens_before;
pub mod shadow_cell;
pub mod shadow_memory;
mod shadow_page;
pub mod strong_accesses;
pub mod vector_clock;

use crate::access::position::ThreadAt;
use crate::bounds::MemoryId;
use crate::findings::Finding;
use crate::findings::advice::Distance;
use crate::findings::kinds::ReportKind;
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::relation::MissingWarpSync;
use crate::races::shadow_cell::Conflict;
use crate::races::shadow_memory::ShadowMemory;
use epoch::{Epoch, PackedEpoch};
use grid_clock::KnownClocks;
use std::collections::HashMap;
use std::sync::Arc;

/// Shadow memory and the order of accesses.
pub struct Races {
    /// The happens-before tracker.
    pub order: HappensBefore,
    ranks: usize,
    /// By [`MemoryId`].
    shadow: Vec<ShadowMemory>,
    shift: u32,
}

/// State of a suspended cluster.
pub struct SuspendedRaces {
    order: HappensBefore,
    shadow: Vec<ShadowMemory>,
}

impl Races {
    /// State for another resident cluster, for blocks of this many warps with shared memories of
    /// these sizes.
    pub fn another(&self, warps: usize, shared: impl Iterator<Item = u64>) -> SuspendedRaces {
        let shadow = shared.map(|bytes| ShadowMemory::new(bytes, self.shift)).collect();
        let mut order = HappensBefore::new(warps, self.ranks);
        order.lanes_of_last(self.order.last_lanes);
        order.set_element_bytes(Arc::clone(&self.order.element_bytes));
        SuspendedRaces { order, shadow }
    }

    /// Swaps clocks and the shadow of shared memory with another cluster's.
    pub fn exchange(&mut self, other: &mut SuspendedRaces) {
        self.order.exchange(&mut other.order);
        self.shadow[..self.ranks].swap_with_slice(&mut other.shadow);
    }

    /// For blocks of this many warps with shared memories of these sizes, and cells of `1 << shift`
    /// bytes.
    pub fn new(warps: usize, shared: impl Iterator<Item = u64>, shift: u32) -> Races {
        let shadow: Vec<_> = shared.map(|bytes| ShadowMemory::new(bytes, shift)).collect();
        let ranks = shadow.len();
        Races { order: HappensBefore::new(warps, ranks), ranks, shadow, shift }
    }

    /// Adds the next memory, an allocation of this size.
    pub fn track(&mut self, bytes: u64) {
        self.shadow.push(ShadowMemory::new(bytes, self.shift));
    }

    /// The shadow of a memory.
    #[inline(always)]
    pub fn shadow(&mut self, id: MemoryId) -> &mut ShadowMemory {
        &mut self.shadow[id]
    }

    /// Whether the launch has written to a memory.
    #[inline(always)]
    pub fn has_writes(&self, id: MemoryId) -> bool {
        self.shadow[id].has_writes()
    }

    /// log2 of the size of a shadow cell in bytes.
    #[inline(always)]
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// The first relevant epoch of a memory: shared memory is new in each cluster.
    #[inline(always)]
    pub fn base(&self, id: MemoryId) -> u32 {
        if id < self.ranks { self.order.base() } else { 1 }
    }

    /// A memory's shadow, and the tracker.
    #[inline(always)]
    pub fn parts(&mut self, id: MemoryId) -> (&mut ShadowMemory, &mut HappensBefore) {
        (&mut self.shadow[id], &mut self.order)
    }

    /// The thread of an access.
    pub fn thread_at(&self, access: PackedEpoch) -> ThreadAt {
        let epoch = self.order.epoch(access);
        let thread = epoch.warp * 32 + epoch::lane(access);
        ThreadAt { block: epoch.block, thread, instruction: epoch::instruction(access) }
    }

    /// How far apart two threads of the running cluster are; `prior` made the access `with`.
    pub fn distance(&self, with: PackedEpoch, who: ThreadAt, prior: ThreadAt) -> Distance {
        let distance = who.distance(prior);
        let here = self.order.epoch(with).cluster == self.order.cluster();
        if distance == Distance::Grid && here { Distance::Cluster } else { distance }
    }

    /// Whether a conflict is with an asynchronous operation.
    pub fn asynchronous(&self, conflict: Conflict) -> bool {
        conflict.with & epoch::ASYNC != 0 || self.order.of_pseudo_thread(conflict.with)
    }

    /// The kind of a conflict with the access `now`. Lanes of a warp that pass data by `.volatile`
    /// accesses rely on lockstep, and so does a lane that signals for its warp. Copies of different
    /// blocks in global memory are plain races: no wait orders them.
    pub fn kind(
        &self,
        conflict: Conflict,
        now: PackedEpoch,
        lack: Option<MissingWarpSync>,
        global: bool,
    ) -> ReportKind {
        if lack.is_some_and(|lack| lack.lockstep) {
            return ReportKind::WarpSynchronous;
        }
        let volatile = conflict.with & now & epoch::DATA != 0
            && epoch::instruction(conflict.with) != epoch::instruction(now);
        let (prior, this) = (self.order.epoch(conflict.with), self.order.epoch(now));
        match self.asynchronous(conflict) && !(global && prior.block != this.block) {
            true => ReportKind::AsyncOrder,
            false if volatile && prior.slot == this.slot && prior.cluster == this.cluster => {
                ReportKind::WarpSynchronous
            }
            false => ReportKind::Race,
        }
    }
}

/// Accesses to shared memory of peer blocks.
///
/// They must happen before the peer exits, because its shared memory ends with it (CUDA programming
/// guide, "Distributed shared memory"). This remembers each thread's latest access; when the peer
/// exits, one of its warps must know each of them, as after the cluster's barrier.
pub struct PeerAccesses {
    /// The latest access, by rank of the block accessed and slot of the accessing warp.
    latest: Vec<HashMap<u32, PackedEpoch>>,
}

impl PeerAccesses {
    /// For clusters of this many blocks.
    pub fn new(blocks: usize) -> PeerAccesses {
        PeerAccesses { latest: vec![HashMap::new(); blocks] }
    }

    /// Starts a cluster.
    pub fn start(&mut self) {
        self.latest.iter_mut().for_each(HashMap::clear);
    }

    /// Records an access to the shared memory of the block of a rank, or a use of its mbarrier.
    pub fn touch(&mut self, order: &HappensBefore, rank: u32, access: PackedEpoch) {
        if let Some(latest) = self.latest.get_mut(rank as usize) {
            latest.insert(order.slot_of(access), access);
        }
    }

    /// The block of a rank exits: returns the accesses that are not ordered before.
    pub fn left(&mut self, order: &HappensBefore, rank: u32) -> Vec<PackedEpoch> {
        let latest = std::mem::take(&mut self.latest[rank as usize]);
        let mut late: Vec<PackedEpoch> = latest.into_values().collect();
        late.retain(|access| !order.known_to_block(*access, rank as usize));
        late.sort_unstable();
        late
    }

    /// The finding of such an access.
    pub fn finding(rank: u32) -> Finding {
        Finding {
            message: format!(
                "shared memory of the block of rank {rank} of the cluster is accessed, possibly after that block has exited"
            ),
            help: "let the blocks of the cluster arrive and wait at its barrier after the last access, before any of them exits".into(),
            ..Finding::default()
        }
    }
}

/// Name of the variable with the queue of launches.
pub const QUEUE: &str = "__lanework_launches";

/// Offset of the counter of launches in it.
pub const COUNTER: u64 = 4;

/// Maximum number of launches of a grid that are distinguished.
pub const MOST: usize = 64;

/// A launch by a thread.
#[derive(Clone)]
pub struct LaunchPoint {
    /// Linear index of its block.
    pub block: u64,
    /// Everything that happens before it.
    known: KnownClocks,
}

impl LaunchPoint {
    /// Whether an access of the parent happens before the launch.
    pub fn is_after(&self, epochs: &[Epoch], access: PackedEpoch) -> bool {
        is_known(&self.known, epochs, access)
    }
}

/// Whether these clocks include an access.
pub fn is_known(known: &KnownClocks, epochs: &[Epoch], access: PackedEpoch) -> bool {
    let (Some(e), Some(known)) = (epochs.get(epoch::number(access) as usize), known.get()) else {
        return false;
    };
    let own = if known.cluster == e.cluster { known.own.beyond(e.slot, e.clock) } else { 0 };
    let others = known.others.get(e.cluster).map_or(0, |clock| clock.beyond(e.slot, e.clock));
    (own | others) >> epoch::lane(access) & 1 != 0
}

/// The launches that a grid makes, in the order of their numbers.
///
/// A child grid sees what happens before its launch in the launching thread (CUDA programming guide,
/// "Dynamic parallelism"). The parent's other accesses are unordered with the child, since a kernel
/// cannot wait for its children. A launch is an atomic on the counter of a queue in a variable of the
/// module.
#[derive(Default)]
pub struct LaunchPoints {
    /// Address of the counter, if the module has a queue.
    pub counter: Option<u64>,
    /// The first launches.
    pub list: Vec<LaunchPoint>,
}

impl LaunchPoints {
    /// A lane launches a grid.
    #[cold]
    pub fn note(&mut self, order: &mut HappensBefore, block: u64, (warp, lane): (u32, u32)) {
        if self.list.len() < MOST {
            let known = order.launched(warp, lane);
            self.list.push(LaunchPoint { block, known });
        }
    }
}

/// The launches of a finished grid.
pub struct FinishedLaunches {
    /// Address of the queue.
    pub queue: u64,
    /// The first launches.
    pub list: Vec<LaunchPoint>,
}

/// The order of a finished grid's accesses.
#[derive(Default)]
pub struct FinishedOrder {
    /// The epochs.
    pub epochs: Vec<Epoch>,
    /// The clocks that the grid released to the host while it ran.
    pub host_knows: KnownClocks,
}
