//! Records of a profile, as plain data with a stable JSON form.

use lanework_emulator::Counters;
use std::collections::BTreeMap;

/// What a kernel did, as a whole and line by line.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ProfileRecord {
    /// The entry.
    pub kernel: String,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// The GPU that occupancy and caches are for.
    pub gpu: String,
    /// Present where only some of the blocks were counted.
    pub sampled: Option<SampleRecord>,
    /// What the kernel takes of a multiprocessor.
    pub resources: ResourcesRecord,
    /// The counts of all instructions.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::counts::all"))]
    pub counters: Counters,
    /// Warp instructions by class.
    pub classes: BTreeMap<&'static str, u64>,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes of all sectors of global and local memory.
    pub sector_bytes: u64,
    /// Operations per such byte; `None` where there is none.
    pub intensity: Option<f64>,
    /// Lines, in the order of the source.
    pub lines: Vec<LineRecord>,
    /// Modelled cache hit rates; `None` where nothing went to global memory.
    pub modelled_caches: Option<CacheRecord>,
}

/// One line of source, or of PTX.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LineRecord {
    /// The file; `None` for the PTX itself.
    pub file: Option<String>,
    /// The line, from 1; 0 where it is not known.
    pub line: u32,
    /// PTX instructions of this line, by number.
    pub instructions: Vec<u32>,
    /// Their names, such as `ld.global.f32`.
    pub names: Vec<String>,
    /// Its counts.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::counts::all"))]
    pub counters: Counters,
    /// Warp instructions by class.
    pub classes: BTreeMap<&'static str, u64>,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes of its sectors of global and local memory.
    pub sector_bytes: u64,
    /// Operations per such byte; `None` where there is none.
    pub intensity: Option<f64>,
    /// Its part of the kernel's weight: the cycles that issue slots, sectors and wavefronts would take
    /// a multiprocessor one after the other.
    pub share: f64,
    /// The branches at which warps diverged.
    pub branches: Vec<BranchRecord>,
    /// Remarks, in words.
    pub remarks: Vec<String>,
}

/// A branch at which warps diverged.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BranchRecord {
    /// Its column in the source, 0 when unknown.
    pub column: u32,
    /// Its line in the PTX text, 0 when unknown.
    pub ptx_line: u32,
    /// How often warps executed it.
    pub executions: u64,
    /// How often they diverged there.
    pub divergent: u64,
}

/// What a kernel takes of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ResourcesRecord {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread: spilled registers and arrays.
    pub spill_bytes: u32,
    /// Bytes of shared memory per block, static and dynamic.
    pub shared_bytes: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that a multiprocessor holds at once.
    pub resident_blocks: u32,
    /// Warps that a multiprocessor holds at once, as a part of the most it could.
    pub occupancy: f64,
    /// What limits the resident blocks.
    pub limiter: &'static str,
    /// Whether registers and spills are estimated from the PTX rather than told by the driver.
    pub estimated: bool,
}

/// How much of a grid was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SampleRecord {
    /// Blocks whose counts are in the counters.
    pub blocks_counted: u64,
    /// Blocks of the grid.
    pub blocks: u64,
}

/// What the model found.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CacheRecord {
    /// The GPU that was modelled.
    pub gpu: String,
    /// Blocks whose accesses were replayed: the first ones of the grid.
    pub blocks: u64,
    /// Bytes of L1 that shared memory leaves on each multiprocessor.
    pub l1_bytes: u64,
    /// Sectors that loads requested of the L1.
    pub l1_sectors: u64,
    /// Those that were there.
    pub l1_hits: u64,
    /// Bytes of the L2.
    pub l2_bytes: u64,
    /// Sectors that loads which missed the L1 requested of the L2.
    pub l2_sectors: u64,
    /// Those that were there.
    pub l2_hits: u64,
    /// Bytes that loads took from the device's memory.
    pub memory_bytes: u64,
}
