//! Records of a profile, as plain data with a stable JSON form.

use super::cache::CacheRecord;
use crate::record::{ResourcesRecord, SampleRecord};
use lanework::Counters;
use lanework::sim::{Global, Shared};
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
    pub counters: CountsRecord,
    /// Warp instructions by class.
    pub classes: BTreeMap<&'static str, u64>,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes of the sectors that global memory was asked for.
    pub sector_bytes: u64,
    /// Operations per such byte; `None` where there is none.
    pub intensity: Option<f64>,
    /// Lines, in the order of the source.
    pub lines: Vec<LineRecord>,
    /// What a model says of the caches; `None` where nothing went to global memory.
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
    pub counters: CountsRecord,
    /// Warp instructions by class.
    pub classes: BTreeMap<&'static str, u64>,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes of the sectors that it asked of global and local memory.
    pub sector_bytes: u64,
    /// Operations per such byte; `None` where there is none.
    pub intensity: Option<f64>,
    /// Its part of the kernel's weight: the cycles that issue slots, sectors and wavefronts would take
    /// a multiprocessor one after the other.
    pub share: f64,
    /// What is remarkable, in words.
    pub remarks: Vec<String>,
}

/// Every count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CountsRecord {
    /// PTX instructions executed, per warp.
    pub warp_instructions: u64,
    /// PTX instructions executed, per active lane.
    pub lane_instructions: u64,
    /// Branches at which the lanes of a warp went different ways.
    pub divergent_branches: u64,
    /// Arrivals of warps at barriers.
    pub barriers: u64,
    /// Lanes of atomics whose address a lower lane of the request had too.
    pub atomic_collisions: u64,
    /// Loads from global memory.
    pub global_load: SectorsRecord,
    /// Stores to global memory.
    pub global_store: SectorsRecord,
    /// Atomics on global memory.
    pub global_atomic: SectorsRecord,
    /// Loads from local memory.
    pub local_load: SectorsRecord,
    /// Stores to local memory.
    pub local_store: SectorsRecord,
    /// Loads from shared memory.
    pub shared_load: BanksRecord,
    /// Stores to shared memory.
    pub shared_store: BanksRecord,
    /// Atomics on shared memory.
    pub shared_atomic: BanksRecord,
    /// Asynchronous copies to shared memory.
    pub shared_copy: BanksRecord,
}

/// Traffic in sectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SectorsRecord {
    /// Warp instructions.
    pub requests: u64,
    /// 32-byte sectors.
    pub sectors: u64,
    /// Sectors that the bytes would fill side by side.
    pub ideal_sectors: u64,
    /// Bytes that lanes asked for.
    pub bytes: u64,
}

/// Traffic through the banks of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BanksRecord {
    /// Warp instructions.
    pub requests: u64,
    /// Passes through the banks.
    pub wavefronts: u64,
    /// Passes beyond the fewest possible.
    pub bank_conflicts: u64,
    /// Bytes that lanes asked for.
    pub bytes: u64,
}

impl From<&Global> for SectorsRecord {
    fn from(c: &Global) -> Self {
        let &Global { requests, sectors, ideal_sectors, bytes } = c;
        SectorsRecord { requests, sectors, ideal_sectors, bytes }
    }
}

impl From<&Shared> for BanksRecord {
    fn from(c: &Shared) -> Self {
        let &Shared { requests, wavefronts, bank_conflicts, bytes } = c;
        BanksRecord { requests, wavefronts, bank_conflicts, bytes }
    }
}

impl From<&Counters> for CountsRecord {
    fn from(c: &Counters) -> Self {
        CountsRecord {
            warp_instructions: c.warp_instructions,
            lane_instructions: c.lane_instructions,
            divergent_branches: c.divergent_branches,
            barriers: c.barriers,
            atomic_collisions: c.atomic_collisions,
            global_load: (&c.global_load).into(),
            global_store: (&c.global_store).into(),
            global_atomic: (&c.global_atomic).into(),
            local_load: (&c.local_load).into(),
            local_store: (&c.local_store).into(),
            shared_load: (&c.shared_load).into(),
            shared_store: (&c.shared_store).into(),
            shared_atomic: (&c.shared_atomic).into(),
            shared_copy: (&c.shared_copy).into(),
        }
    }
}

impl CountsRecord {
    /// Lanes that are active in an instruction, on average, of 32; 0 where none ran.
    pub fn active_lanes(&self) -> f64 {
        self.lane_instructions as f64 / self.warp_instructions.max(1) as f64
    }

    /// Sectors of global and local memory.
    pub fn sectors(&self) -> u64 {
        let all = [
            &self.global_load,
            &self.global_store,
            &self.global_atomic,
            &self.local_load,
            &self.local_store,
        ];
        all.iter().map(|one| one.sectors).sum()
    }

    /// Passes through the banks of shared memory.
    pub fn wavefronts(&self) -> u64 {
        let all = [&self.shared_load, &self.shared_store, &self.shared_atomic, &self.shared_copy];
        all.iter().map(|one| one.wavefronts).sum()
    }

    /// Bank conflicts of every kind.
    pub fn bank_conflicts(&self) -> u64 {
        let all = [&self.shared_load, &self.shared_store, &self.shared_atomic, &self.shared_copy];
        all.iter().map(|one| one.bank_conflicts).sum()
    }
}
