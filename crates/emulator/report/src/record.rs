//! Records of a profile, as plain data with a stable JSON schema.

use lanework_emulator::Counters;
use std::collections::BTreeMap;

/// The profile of a kernel, as a whole and line by line.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ProfileRecord {
    /// The entry.
    pub kernel: String,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// The GPU that occupancy and caches are modeled for.
    pub gpu: String,
    /// Present if only some of the blocks were counted.
    pub sampled: Option<SampleRecord>,
    /// Resource usage of the kernel.
    pub resources: ResourcesRecord,
    /// The counters of the whole kernel.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::counts::all"))]
    pub counters: Counters,
    /// Warp instructions by class.
    pub classes: BTreeMap<&'static str, u64>,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes of all sectors of global and local memory.
    pub sector_bytes: u64,
    /// Operations per such byte; `None` without bytes.
    pub intensity: Option<f64>,
    /// Lines, in source order.
    pub lines: Vec<LineRecord>,
    /// Modeled cache hit rates; `None` without accesses to global memory.
    pub modelled_caches: Option<CacheRecord>,
}

/// One line of source, or of PTX.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LineRecord {
    /// The file; `None` for the PTX itself.
    pub file: Option<String>,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// Numbers of the line's PTX instructions.
    pub instructions: Vec<u32>,
    /// Their names, such as `ld.global.f32`.
    pub names: Vec<String>,
    /// Its counters.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::counts::all"))]
    pub counters: Counters,
    /// Warp instructions by class.
    pub classes: BTreeMap<&'static str, u64>,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes of its sectors of global and local memory.
    pub sector_bytes: u64,
    /// Operations per such byte; `None` without bytes.
    pub intensity: Option<f64>,
    /// Its fraction of the kernel's weight: the cycles that a multiprocessor needs for issue slots,
    /// sectors and wavefronts, one after the other.
    pub share: f64,
    /// The branches at which warps diverged.
    pub branches: Vec<BranchRecord>,
    /// Remarks, as text.
    pub remarks: Vec<String>,
}

/// A branch at which warps diverged.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BranchRecord {
    /// Its column in the source, 0 if unknown.
    pub column: u32,
    /// Its line in the PTX text, 0 if unknown.
    pub ptx_line: u32,
    /// Executions by warps.
    pub executions: u64,
    /// Executions at which the warp diverged.
    pub divergent: u64,
}

/// Resource usage of a kernel on a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ResourcesRecord {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread: spilled registers and arrays.
    pub spill_bytes: u32,
    /// Bytes of shared memory per block, static and dynamic.
    pub shared_bytes: u32,
    /// Threads per block.
    pub threads: u32,
    /// Resident blocks per multiprocessor.
    pub resident_blocks: u32,
    /// Resident warps as a fraction of the maximum.
    pub occupancy: f64,
    /// The resource that limits the resident blocks.
    pub limiter: &'static str,
    /// Whether registers and spills are estimated from the PTX rather than reported by the driver.
    pub estimated: bool,
}

/// The counted part of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SampleRecord {
    /// Blocks included in the counters.
    pub blocks_counted: u64,
    /// Blocks of the grid.
    pub blocks: u64,
}

/// Results of the cache model.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CacheRecord {
    /// The GPU that was modeled.
    pub gpu: String,
    /// Blocks whose accesses were replayed: the first ones of the grid.
    pub blocks: u64,
    /// Bytes of L1 that shared memory leaves on each multiprocessor.
    pub l1_bytes: u64,
    /// Sectors that loads requested from the L1.
    pub l1_sectors: u64,
    /// L1 hits.
    pub l1_hits: u64,
    /// Bytes of the L2.
    pub l2_bytes: u64,
    /// Sectors that loads requested from the L2 after an L1 miss.
    pub l2_sectors: u64,
    /// L2 hits.
    pub l2_hits: u64,
    /// Bytes that loads read from device memory.
    pub memory_bytes: u64,
}
