//! What the warps of one worker share while they run a block: memory, sites, counts, the instrument.

use crate::asynchrony::cluster::Cluster;
use crate::asynchrony::registers::RegisterPool;
use crate::fault::RawFault;
use crate::hook::Hook;
use crate::memory::Memory;
use crate::region::Region;
use crate::site::Site;

/// One worker's context.
pub struct Context {
    /// Global memory; valid while the launch holds its lock.
    pub memory: *const Memory,
    /// The block's shared memory.
    pub shared: Region,
    /// The kernel's parameters.
    pub parameters: Region,
    /// Local memory of all threads of the block, lane by lane.
    pub local: *mut u8,
    /// Bytes of local memory per thread.
    pub local_bytes: u64,
    /// Memory instructions.
    pub sites: Vec<Site>,
    /// The instruction of each operation.
    pub origin_of: *const u32,
    /// For each basic block the times that a warp ran it, and the lanes in all, when counting.
    pub visits: Vec<[u64; 2]>,
    /// For each fused multiply-add sequence, when counting: runs that its sites have not counted yet.
    pub deferred: Vec<Deferred>,
    /// The run's instrument.
    pub hook: Hook,
    /// What the block printed.
    pub printed: String,
    /// The block's linear index.
    pub block: u64,
    /// What the blocks of its cluster share.
    pub cluster: *mut Cluster,
    /// Its rank in the cluster.
    pub rank: u32,
    /// The block's registers that warps hand to each other.
    pub registers: RegisterPool,
    /// Where each warp is among those of its warpgroup.
    pub warpgroups: Vec<WarpgroupArrival>,
    /// The fault that stopped the block.
    pub fault: Option<Box<RawFault>>,
}

/// Runs of one fused sequence whose accesses cost the same, since a cost in shared memory depends on the
/// distance of the two bases alone. They are added to the sites' counter slots when the distance changes, and
/// in the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deferred {
    /// The bases of the scalar loads.
    pub same: [u64; 2],
    /// The bases of the loads of runs.
    pub run: [u64; 2],
    /// How many runs.
    pub times: u64,
}

/// One warp of a warpgroup at `wgmma.wait_group`.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarpgroupArrival {
    /// Times that it has come there.
    pub came: u64,
    /// Whether it has not gone on.
    pub waits: bool,
}
