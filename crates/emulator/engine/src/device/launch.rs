//! The inputs and the result of a launch.

/// The shape of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchConfig<'a> {
    /// The entry to run.
    pub entry: &'a str,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared: u32,
    /// Which blocks to run.
    pub blocks: Blocks,
    /// Blocks of a cluster in x, y and z; `None` leaves it to the kernel.
    pub cluster: Option<[u32; 3]>,
    /// Whether it is cooperative: all blocks are resident at the same time, and the kernel receives a workspace
    /// for grid-wide barriers.
    pub cooperative: bool,
}

impl<'a> LaunchConfig<'a> {
    /// All blocks of a grid, with no dynamic shared memory.
    pub fn new(entry: &'a str, grid: [u32; 3], block: [u32; 3]) -> Self {
        LaunchConfig {
            entry,
            grid,
            block,
            dynamic_shared: 0,
            blocks: Blocks::All,
            cluster: None,
            cooperative: false,
        }
    }
}

/// Which blocks of a grid run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocks {
    /// All.
    #[default]
    All,
    /// At most `count` blocks, spread evenly over the grid: the same ones each time. Results of the
    /// others are not computed; counters cover the blocks that ran.
    Sample {
        /// Their number.
        count: u64,
    },
    /// At most `count` blocks from `first` on, by linear index. Results and counters are as with `Sample`.
    Range {
        /// The first one.
        first: u64,
        /// Their number.
        count: u64,
    },
}

/// The result of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The kernel's `printf` output, by block number and then in the order of execution.
    pub printed: String,
    /// Blocks that ran.
    pub blocks_run: u64,
    /// Blocks in the grid.
    pub blocks_total: u64,
    /// PTX instructions executed by warps.
    pub warp_instructions: u64,
    /// PTX instructions executed by lanes: warp instructions times active lanes, ignoring guards (`@p`).
    pub lane_instructions: u64,
}
