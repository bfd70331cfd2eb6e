//! Records of a profile, as plain data with a stable JSON form.

use super::cache::CacheRecord;
use crate::counts;
use crate::record::{ResourcesRecord, SampleRecord};
use lanework::{Counters, InstructionProfile};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a kernel did, as a whole and line by line.
#[derive(Clone, Debug, Serialize)]
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
    #[serde(serialize_with = "counts::all")]
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
#[derive(Clone, Debug, Serialize)]
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
    #[serde(serialize_with = "counts::all")]
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
#[derive(Clone, Debug, Serialize)]
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

impl BranchRecord {
    pub(super) fn of(branch: &InstructionProfile) -> BranchRecord {
        let origin = &branch.origin;
        BranchRecord {
            column: origin.location.as_ref().map_or(0, |at| at.column),
            ptx_line: origin.text_line,
            executions: branch.counters.warp_instructions,
            divergent: branch.counters.divergent_branches,
        }
    }
}
