//! The state of a stopped cluster, as plain data.

use lanework_engine::cluster_view::{ClusterView, LanesAt, PendingBarrier, Progress};
use lanework_ptx_ir::kernel::Reg;

/// A cluster at one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Its blocks that have not ended.
    pub blocks: Vec<BlockState>,
    /// The text that they have printed so far.
    pub printed: String,
}

/// A block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockState {
    /// Its linear index in the grid.
    pub block: u64,
    /// Its shared memory.
    pub shared: Vec<u8>,
    /// Its warps.
    pub warps: Vec<WarpState>,
    /// The barriers at which warps wait.
    pub barriers: Vec<PendingBarrier>,
}

/// A warp.
#[derive(Clone, Debug, PartialEq)]
pub struct WarpState {
    /// Whether the warp runs, waits or has ended.
    pub progress: Progress,
    /// Its live lanes, grouped by their next instruction; the executing ones first.
    pub lanes: Vec<LanesAt>,
    /// The bits of each register of the kernel by lane; `None` if no instruction uses it.
    pub registers: Vec<Option<Box<[u64; 32]>>>,
    /// Its local memory, lane by lane.
    pub local: Vec<u8>,
}

impl Moment {
    /// Copies the state of a stopped cluster.
    pub fn of(cluster: &dyn ClusterView) -> Moment {
        let registers = cluster.kernel().registers.len() as Reg;
        let warp = |rank: usize, warp: usize| WarpState {
            progress: cluster.progress(rank, warp),
            lanes: cluster.lanes(rank, warp),
            registers: (0..registers)
                .map(|register| cluster.register(rank, warp, register).map(Box::new))
                .collect(),
            local: cluster.local(rank, warp),
        };
        let block = |rank: usize| BlockState {
            block: cluster.block(rank),
            shared: cluster.shared(rank),
            warps: (0..cluster.warps()).map(|at| warp(rank, at)).collect(),
            barriers: cluster.barriers(rank),
        };
        let ranks = (0..cluster.blocks()).filter(|rank| cluster.runs(*rank));
        Moment { blocks: ranks.map(block).collect(), printed: cluster.text() }
    }

    /// The state of a block.
    pub fn block(&self, block: u64) -> Option<&BlockState> {
        self.blocks.iter().find(|state| state.block == block)
    }
}

impl BlockState {
    /// The warp and lane of a thread.
    pub fn warp_of(&self, thread: u32) -> Option<&WarpState> {
        self.warps.get(thread as usize / 32)
    }
}

impl WarpState {
    /// The local memory of a lane.
    pub fn local_of(&self, lane: u32) -> &[u8] {
        let bytes = self.local.len() / 32;
        &self.local[lane as usize * bytes..][..bytes]
    }

    /// The next instruction of a lane, and whether the warp executes it now; `None` if the lane has exited.
    pub fn lane(&self, lane: u32) -> Option<LanesAt> {
        self.lanes.iter().find(|at| at.mask >> lane & 1 != 0).copied()
    }
}
