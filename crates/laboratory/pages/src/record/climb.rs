//! Climbs and sweeps, as printed by `climb --json` and `sweep --json`.
//! Counters have names: `warp_instructions`, `global_load.sectors`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A climb of one ladder on one problem.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Climb {
    /// The ladder.
    pub ladder: String,
    /// The device.
    pub device: Device,
    /// Names of the extents.
    pub extents: Vec<String>,
    /// The extents.
    pub size: Vec<u64>,
    /// Element type.
    pub element: String,
    /// Minimum bytes that any solution must move.
    pub bytes: u64,
    /// Minimum operations that any solution must execute.
    pub flops: u64,
    /// Seed of the inputs.
    pub seed: u64,
    /// The host's own implementation.
    pub host: Option<Host>,
    /// Skipped vendor libraries, with reasons.
    pub skipped_peers: BTreeMap<String, String>,
    /// The rungs, from the bottom up.
    pub rungs: Vec<Rung>,
    /// Other settings by name, such as `block`.
    #[serde(flatten)]
    pub settings: BTreeMap<String, Value>,
}

/// A device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Device {
    /// Product name.
    pub name: String,
    /// `emulator` or `cuda`.
    pub backend: String,
    /// Driver version.
    pub driver: String,
}

/// The host's own implementation, in host time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    /// Median in nanoseconds.
    pub median_ns: f64,
    /// Number of runs.
    pub samples: u64,
}

/// One rung of a climb.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Rung {
    /// Name in the ladder.
    pub name: String,
    /// Experiment, `beyond` or `peer`.
    pub experiment: String,
    /// Whether every element was right.
    pub verified: bool,
    /// Why it was not.
    pub error: Option<String>,
    /// Why it was skipped.
    pub skipped: Option<String>,
    /// The earlier rung whose kernel it ran.
    pub same_as: Option<String>,
    /// How accurate the result is.
    pub accuracy: Option<Accuracy>,
    /// The resources of the kernel.
    pub resources: Option<Resources>,
    /// The emulator's counters.
    pub counters: Option<Counters>,
    /// Set if only some blocks were counted.
    pub sampled: Option<Sampled>,
    /// Time on the GPU.
    pub time: Option<Time>,
    /// The time that the model predicts.
    pub predicted: Option<PredictedTime>,
    /// Time of the previous rung divided by this one's.
    pub speedup: Option<f64>,
    /// The changes since the previous rung.
    pub reason: Option<String>,
}

/// How accurate a result is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Accuracy {
    /// `bit-exact` or `within-bound`.
    pub rule: String,
    /// Largest relative error.
    pub max_relative: f64,
    /// Mean relative error.
    pub mean_relative: f64,
    /// Normwise error.
    pub normwise: f64,
    /// Largest fraction of its bound that any element used.
    pub bound_used: f64,
    /// Histogram of the errors.
    pub errors: Option<Histogram>,
}

/// Histogram of the relative errors.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Histogram {
    /// Number of elements that equal the reference.
    pub exact: u64,
    /// Number of elements per decade of relative error (at least this power of ten), from `lowest` up.
    pub decades: Vec<u64>,
    /// Exponent of the first decade.
    pub lowest: i32,
}

/// Resources of a kernel on a multiprocessor.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Resources {
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread.
    pub spill_bytes: u32,
    /// Bytes of shared memory per block.
    pub shared_bytes: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Resident blocks per multiprocessor.
    pub resident_blocks: u32,
    /// Resident warps as a fraction of the maximum.
    pub occupancy: f64,
    /// The resource that limits them.
    pub limiter: String,
    /// Whether the register count is estimated from the PTX.
    pub estimated: bool,
}

/// The counted part of a grid.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Sampled {
    /// Number of counted blocks.
    pub blocks_counted: u64,
    /// Number of blocks in the grid.
    pub blocks: u64,
}

/// A GPU time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Time {
    /// Median in nanoseconds.
    pub median_ns: f64,
    /// Samples.
    pub samples: u64,
    /// 95 % interval of the median.
    pub interval_ns: [f64; 2],
    /// Fastest sample.
    pub min_ns: f64,
    /// Quartiles.
    pub quartiles_ns: [f64; 2],
    /// Required bytes divided by the median.
    pub gigabytes_per_second: f64,
    /// Required operations divided by the median.
    pub gigaflops_per_second: f64,
    /// `cold` or `hot`.
    pub cache: String,
    /// `events`, or `graph of N`.
    pub timer: String,
    /// Why sampling stopped.
    pub stop: String,
    /// Why the figure cannot be right.
    pub invalid: Option<String>,
}

/// A predicted time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PredictedTime {
    /// The GPU.
    pub gpu: String,
    /// Nanoseconds.
    pub predicted_ns: f64,
    /// The interval that should contain four of five measurements.
    pub interval_ns: [f64; 2],
    /// The limiting resource.
    pub limiter: String,
}

/// Climbs of one ladder at several points.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Sweep {
    /// The ladder.
    pub ladder: String,
    /// The device.
    pub device: Device,
    /// One climb per point.
    pub points: Vec<Climb>,
}

/// Ceilings of a GPU.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ceilings {
    /// The GPU.
    pub gpu: String,
    /// Nominal memory bandwidth, 10^9 bytes per second.
    pub bandwidth: f64,
    /// Nominal FP32 rate without tensor cores, 10^9 operations per second.
    pub fp32: f64,
    /// Nominal tensor rate of bf16, 10^9 operations per second.
    pub tensor: Option<f64>,
    /// Bandwidth of a copy, measured.
    pub measured_copy: Option<f64>,
    /// Bandwidth of reading, measured.
    pub measured_read: Option<f64>,
    /// FP32 rate, measured.
    pub measured_fp32: Option<f64>,
    /// Tensor rate, measured.
    pub measured_tensor: Option<f64>,
    /// Where the nominal figures come from.
    pub source: String,
}

impl Ceilings {
    /// The larger measured bandwidth, with the catalog key of its name.
    pub fn measured_bandwidth(&self) -> Option<(&'static str, f64)> {
        let read = self.measured_read.map(|value| ("roof:read", value));
        let copy = self.measured_copy.map(|value| ("roof:copy", value));
        read.into_iter().chain(copy).max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

impl Climb {
    /// Whether it ran on a GPU, in which case its rungs have times.
    pub fn timed(&self) -> bool {
        self.device.backend == "cuda"
    }

    /// The extents as `1024 × 1024`.
    pub fn size_in_words(&self) -> String {
        self.size.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ")
    }

    /// The first rung with a time.
    pub fn first_timed(&self) -> Option<(&Rung, &Time)> {
        self.rungs
            .iter()
            .filter(|rung| !rung.peer())
            .find_map(|rung| Some((rung, rung.time.as_ref()?)))
    }

    /// The fastest of our own rungs.
    pub fn fastest(&self) -> Option<(&Rung, &Time)> {
        let timed = self.rungs.iter().filter(|rung| !rung.peer());
        let timed = timed.filter_map(|rung| Some((rung, rung.time.as_ref()?)));
        timed
            .filter(|(_, time)| time.invalid.is_none())
            .min_by(|(_, a), (_, b)| a.median_ns.total_cmp(&b.median_ns))
    }

    /// The rungs with a predicted time.
    pub fn predicted(&self) -> impl Iterator<Item = (&Rung, &PredictedTime)> {
        self.rungs.iter().filter_map(|rung| Some((rung, rung.predicted.as_ref()?)))
    }

    /// The vendor library, if it was timed.
    pub fn vendor(&self) -> Option<(&Rung, &Time)> {
        self.rungs
            .iter()
            .filter(|rung| rung.peer())
            .find_map(|rung| Some((rung, rung.time.as_ref()?)))
    }

    /// Scalar settings as text: `block 32`.
    pub fn settings_in_words(&self) -> Vec<String> {
        let plain = self.settings.iter().filter(|(name, value)| {
            *name != "analysis" && (value.is_number() || value.is_string())
        });
        plain
            .map(|(name, value)| format!("{name} {}", value.to_string().trim_matches('"')))
            .collect()
    }

    /// A number among the extents and settings, by name.
    pub fn number(&self, name: &str) -> Option<u64> {
        let extent = self.extents.iter().position(|extent| extent == name);
        let extent = extent.and_then(|index| self.size.get(index).copied());
        extent.or_else(|| self.settings.get(name)?.as_u64())
    }
}

impl Rung {
    /// Whether it is a vendor's library.
    pub fn peer(&self) -> bool {
        self.experiment == "peer" || self.name == "cublas"
    }
}

/// Counters by name. In JSON, each group is a nested object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Value")]
pub struct Counters(BTreeMap<String, u64>);

impl From<Value> for Counters {
    fn from(value: Value) -> Self {
        let mut flat = BTreeMap::new();
        for (name, value) in value.as_object().into_iter().flatten() {
            match value.as_object() {
                Some(group) => {
                    for (key, value) in group {
                        flat.insert(format!("{name}.{key}"), value.as_u64().unwrap_or(0));
                    }
                }
                None => {
                    flat.insert(name.clone(), value.as_u64().unwrap_or(0));
                }
            }
        }
        Counters(flat)
    }
}

/// Kinds of accesses with sectors in global or local memory.
const SECTORS: [&str; 8] = [
    "global_load",
    "global_store",
    "global_atomic",
    "local_load",
    "local_store",
    "bulk_load",
    "bulk_store",
    "bulk_reduce",
];

/// Kinds of accesses to shared memory.
const SHARED: [&str; 4] = ["shared_load", "shared_store", "shared_atomic", "shared_copy"];

impl Counters {
    /// The value of a counter; 0 if absent.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// Every nonzero counter.
    pub fn each(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().filter(|(_, value)| **value > 0).map(|(name, value)| (name.as_str(), *value))
    }

    /// Whether the optimal number of sectors is known.
    pub fn knows_ideals(&self) -> bool {
        self.0.contains_key("global_load.ideal_sectors")
    }

    fn sum(&self, groups: &[&str], key: &str) -> u64 {
        groups.iter().map(|group| self.get(&format!("{group}.{key}"))).sum()
    }

    /// Sectors of global and local memory.
    pub fn sectors(&self) -> u64 {
        self.sum(&SECTORS, "sectors")
    }

    /// The fewest sectors that hold the same bytes.
    pub fn ideal_sectors(&self) -> u64 {
        self.sum(&SECTORS, "ideal_sectors").min(self.sectors())
    }

    /// Passes through the banks of shared memory.
    pub fn wavefronts(&self) -> u64 {
        self.sum(&SHARED, "wavefronts")
    }

    /// The wavefronts caused by bank conflicts.
    pub fn conflicts(&self) -> u64 {
        self.sum(&SHARED, "bank_conflicts").min(self.wavefronts())
    }

    /// Average number of active lanes per warp instruction.
    pub fn active_lanes(&self) -> Option<f64> {
        let warps = self.get("warp_instructions");
        (warps > 0).then(|| self.get("lane_instructions") as f64 / warps as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_flattened_and_summed() {
        let json = r#"{"warp_instructions": 4, "lane_instructions": 64,
            "global_load": {"sectors": 32, "ideal_sectors": 4}, "global_store": {"sectors": 4, "ideal_sectors": 4},
            "shared_load": {"wavefronts": 32, "bank_conflicts": 31}}"#;
        let counters: Counters = serde_json::from_str(json).expect("counters");
        assert_eq!((counters.sectors(), counters.ideal_sectors()), (36, 8));
        assert_eq!((counters.wavefronts(), counters.conflicts()), (32, 31));
        assert_eq!(counters.active_lanes(), Some(16.0));
        let again = serde_json::to_string(&counters).expect("JSON");
        assert_eq!(serde_json::from_str::<Counters>(&again).expect("flat"), counters);
    }
}
