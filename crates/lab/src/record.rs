//! Records: what a climb or a sweep found, as plain data with a stable JSON form.

use lanework::{Counters, Device};
use serde::Serialize;

/// A climb of one ladder at one size.
#[derive(Clone, Debug, Serialize)]
pub struct ClimbRecord {
    /// The ladder's name.
    pub ladder: &'static str,
    /// Where it ran.
    pub device: DeviceRecord,
    /// Rows and columns of the source.
    pub size: [u32; 2],
    /// Edge of the block for the rungs that take one.
    pub block: u32,
    /// Element type, such as `f32`.
    pub element: &'static str,
    /// Bytes that any solution must move.
    pub bytes: u64,
    /// Seed of the inputs.
    pub seed: u64,
    /// The serial host version (B7), in host time.
    pub host: HostRecord,
    /// The rungs, from the bottom up.
    pub rungs: Vec<RungRecord>,
}

/// A device, as records name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceRecord {
    /// Product name.
    pub name: String,
    /// `emulator` or `cuda`.
    pub backend: &'static str,
    /// Driver version.
    pub driver: String,
}

/// The host's own version.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostRecord {
    /// Experiment of the notes.
    pub experiment: &'static str,
    /// Median time in nanoseconds by the host's clock.
    pub median_ns: f64,
    /// Number of runs.
    pub samples: usize,
}

/// One rung of a climb.
#[derive(Clone, Debug, Serialize)]
pub struct RungRecord {
    /// Name in the ladder.
    pub name: &'static str,
    /// Experiment of the notes, or `beyond`.
    pub experiment: &'static str,
    /// Whether every element of every run equalled the host's.
    pub verified: bool,
    /// Why it was not verified.
    pub error: Option<String>,
    /// What the emulator counted; `None` on a GPU and where verification failed.
    pub counters: Option<CountersRecord>,
    /// Present where only a sample of the blocks was counted.
    pub sampled: Option<SampleRecord>,
    /// Time on the GPU; `None` on the emulator, which has none.
    pub time: Option<TimeRecord>,
    /// Time of the rung before divided by this one's; `None` where either is missing.
    pub speedup: Option<f64>,
    /// What the counters say has changed since the rung before.
    pub reason: Option<String>,
}

/// How much of a grid was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SampleRecord {
    /// Blocks whose counts are in the counters.
    pub blocks_counted: u64,
    /// Blocks of the grid.
    pub blocks: u64,
}

/// Counts of one launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CountersRecord {
    /// Loads from global memory.
    pub global_load: GlobalRecord,
    /// Stores to global memory.
    pub global_store: GlobalRecord,
    /// Loads from shared memory.
    pub shared_load: SharedRecord,
    /// Stores to shared memory.
    pub shared_store: SharedRecord,
    /// PTX instructions executed, per warp.
    pub warp_instructions: u64,
    /// PTX instructions executed, per active lane.
    pub lane_instructions: u64,
}

/// Global memory accesses of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GlobalRecord {
    /// Warp instructions.
    pub requests: u64,
    /// Distinct 32-byte sectors, summed over requests.
    pub sectors: u64,
}

/// Shared memory accesses of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SharedRecord {
    /// Warp instructions.
    pub requests: u64,
    /// Passes through the banks.
    pub wavefronts: u64,
    /// Passes beyond those that the width of the access needs.
    pub bank_conflicts: u64,
}

/// A GPU time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeRecord {
    /// Median in nanoseconds.
    pub median_ns: f64,
    /// Number of samples.
    pub samples: usize,
    /// 95 % confidence interval of the median in nanoseconds.
    pub interval_ns: [f64; 2],
    /// Fastest sample in nanoseconds.
    pub min_ns: f64,
    /// Quartiles in nanoseconds.
    pub quartiles_ns: [f64; 2],
    /// Bytes that must be moved over the median, in 10^9 bytes per second.
    pub gigabytes_per_second: f64,
    /// `cold` or `hot`.
    pub cache: &'static str,
    /// `events`, or `graph of N`.
    pub timer: String,
    /// `settled` or `time limit`.
    pub stop: &'static str,
    /// Set when the time is under what the memory could do: the figure cannot be right.
    pub invalid: Option<String>,
}

/// Climbs at several sizes and blocks.
#[derive(Clone, Debug, Serialize)]
pub struct SweepRecord {
    /// The ladder's name.
    pub ladder: &'static str,
    /// Where it ran.
    pub device: DeviceRecord,
    /// One climb per point, sizes innermost.
    pub points: Vec<ClimbRecord>,
}

impl DeviceRecord {
    /// The record of a device.
    pub fn of(device: &Device) -> Self {
        let info = device.info();
        DeviceRecord { name: info.name, backend: info.backend.name(), driver: info.driver }
    }
}

impl From<&Counters> for CountersRecord {
    fn from(counters: &Counters) -> Self {
        let global =
            |c: &lanework::sim::Global| GlobalRecord { requests: c.requests, sectors: c.sectors };
        let shared = |c: &lanework::sim::Shared| SharedRecord {
            requests: c.requests,
            wavefronts: c.wavefronts,
            bank_conflicts: c.bank_conflicts,
        };
        CountersRecord {
            global_load: global(&counters.global_load),
            global_store: global(&counters.global_store),
            shared_load: shared(&counters.shared_load),
            shared_store: shared(&counters.shared_store),
            warp_instructions: counters.warp_instructions,
            lane_instructions: counters.lane_instructions,
        }
    }
}

impl ClimbRecord {
    /// Whether every rung was verified.
    pub fn all_verified(&self) -> bool {
        self.rungs.iter().all(|rung| rung.verified)
    }
}

impl GlobalRecord {
    /// Sectors per request, or 0 without requests.
    pub fn sectors_per_request(&self) -> f64 {
        if self.requests == 0 { 0.0 } else { self.sectors as f64 / self.requests as f64 }
    }
}
