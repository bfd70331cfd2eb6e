//! Records of climbs and sweeps: plain data with a stable JSON form, and the counters that explain a ladder.

use lanework::Counters;
use lanework::report::{ResourcesRecord, SampleRecord, counts};
use lanework_bench::{
    Accuracy, DeviceRecord, Rejection, Stop, Summary, SummaryRecord, TimedRecord, Timer, Work,
};
use lanework_ladders::RungInfo;
use serde::Serialize;
use serde::ser::Serializer;
use std::collections::BTreeMap;
use std::time::Instant;

/// A climb of one ladder on one case.
#[derive(Clone, Debug, Serialize)]
pub struct ClimbRecord {
    /// The ladder's name.
    pub ladder: &'static str,
    /// The device.
    pub device: DeviceRecord,
    /// Names of the extents of the problem: `rows` and `cols`, or `m`, `n` and `k`.
    pub extents: Vec<&'static str>,
    /// The extents.
    pub size: Vec<u64>,
    /// Other settings by name, such as `block`.
    #[serde(flatten)]
    pub settings: BTreeMap<&'static str, u64>,
    /// Element type, such as `f32`.
    pub element: &'static str,
    /// Bytes that any solution must move, and operations it must perform.
    #[serde(flatten)]
    pub work: Work,
    /// Seed of the inputs.
    pub seed: u64,
    /// The serial host version, in host time; `None` if no experiment has one.
    pub host: Option<HostRecord>,
    /// The analytical model of the problem, as lines of text.
    pub analysis: Vec<String>,
    /// Vendor's libraries that were skipped, and why.
    pub skipped_peers: BTreeMap<&'static str, String>,
    /// The rungs, from the bottom up, and the libraries that ran.
    pub rungs: Vec<RungRecord>,
}

/// The host's own version.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostRecord {
    /// Experiment that it reproduces.
    pub experiment: &'static str,
    /// Median time in nanoseconds by the host's clock.
    pub median_ns: f64,
    /// Number of runs.
    pub samples: usize,
}

/// One rung of a climb.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RungRecord {
    /// Name in the ladder.
    pub name: &'static str,
    /// Experiment that it reproduces, or `beyond`.
    pub experiment: &'static str,
    /// Whether every element of every run equalled the host's.
    pub verified: bool,
    /// Why it was not verified.
    pub error: Option<String>,
    /// `wrong` or `lower-precision`, if the result was rejected.
    pub rejection: Option<&'static str>,
    /// Why it was skipped, such as a tile too large for a block; `None` if it ran.
    pub skipped: Option<String>,
    /// The earlier rung whose kernel it runs at this size, in the same shape.
    pub same_as: Option<&'static str>,
    /// A hash of its PTX and shape; not part of the JSON.
    #[serde(skip)]
    pub identity: Option<u64>,
    /// The accuracy of the result.
    pub accuracy: Option<Accuracy>,
    /// The kernel's use of a multiprocessor; `None` for a vendor's library.
    pub resources: Option<ResourcesRecord>,
    /// Warps of the launch.
    pub warps: Option<u64>,
    /// The emulator's counters; `None` on a GPU, and if verification failed.
    #[serde(serialize_with = "of_climb")]
    pub counters: Option<Counters>,
    /// Present if only a sample of the blocks was counted.
    pub sampled: Option<SampleRecord>,
    /// The time that the model predicts, on the GPU that measured it or on an H200; `None` for a vendor's library.
    pub predicted: Option<PredictedRecord>,
    /// Time on the GPU; `None` on the emulator, which does not model time.
    pub time: Option<TimeRecord>,
    /// The time with every sample and its clocks; not part of the JSON of a climb.
    #[serde(skip)]
    pub timed: Option<TimedRecord>,
    /// Further figures of the rung, by name, such as `cycles` and `host_ns`.
    pub figures: BTreeMap<&'static str, f64>,
    /// Time of the previous rung divided by this one's; `None` if either is missing.
    pub speedup: Option<f64>,
    /// The gain over the previous rung, by time or counts.
    pub step: Option<Step>,
    /// The gain as text, with the changes since the previous rung.
    pub reason: Option<String>,
    /// The previous rung that ran, and the largest changes since, as phrases; not part of the JSON.
    #[serde(skip)]
    pub since: Option<(&'static str, Vec<String>)>,
}

/// A predicted time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PredictedRecord {
    /// The GPU.
    pub gpu: String,
    /// The protocol of the measurement that is predicted: `cold`, `rotated` or `events`.
    pub protocol: &'static str,
    /// Nanoseconds, with data that is not cached.
    pub predicted_ns: f64,
    /// The interval that should hold four of five measurements.
    pub interval_ns: [f64; 2],
    /// The limiting resource.
    pub limiter: &'static str,
}

/// A GPU time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// Necessary bytes over the median, in 10^9 bytes per second.
    pub gigabytes_per_second: f64,
    /// Necessary operations over the median, in 10^9 per second; 0 without operations.
    pub gigaflops_per_second: f64,
    /// `cold` or `hot`.
    pub cache: &'static str,
    /// `events`, or `graph of N`.
    pub timer: String,
    /// `settled` or `time limit`.
    pub stop: &'static str,
    /// Time of an empty kernel in nanoseconds, taken the same way.
    pub empty_ns: Option<f64>,
    /// Set if the time is below the minimum of the memory: the figure must be wrong.
    pub invalid: Option<String>,
}

/// Climbs at several sizes and blocks.
#[derive(Clone, Debug, Serialize)]
pub struct SweepRecord {
    /// The ladder's name.
    pub ladder: &'static str,
    /// The device.
    pub device: DeviceRecord,
    /// One climb per point that was possible, sizes innermost.
    pub points: Vec<ClimbRecord>,
    /// The points that were impossible.
    pub skipped: Vec<SkippedRecord>,
}

/// A point of a sweep that is impossible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedRecord {
    /// The requested problem by name.
    pub problem: BTreeMap<String, String>,
    /// Why the problem is invalid, or the device cannot run it.
    pub why: String,
}

impl RungRecord {
    /// An empty record of a rung.
    pub(crate) fn of(info: &RungInfo) -> Self {
        RungRecord { name: info.name, experiment: info.experiment, ..RungRecord::default() }
    }

    /// The record of a rung whose result was rejected, or that could not run.
    pub(crate) fn rejected(info: &RungInfo, why: &Rejection) -> Self {
        let error = Some(why.to_string());
        RungRecord { error, rejection: why.kind(), ..RungRecord::of(info) }
    }
}

impl RungRecord {
    /// Average number of instructions per warp.
    pub fn instructions_per_warp(&self) -> Option<f64> {
        let counted = match self.sampled {
            Some(sample) => sample.blocks_counted as f64 / sample.blocks as f64,
            None => 1.0,
        };
        let warps = self.warps.filter(|&warps| warps > 0)? as f64 * counted;
        Some(self.counters.as_ref()?.warp_instructions as f64 / warps)
    }

    /// Average number of active lanes per instruction, of 32.
    pub fn active_lanes(&self) -> Option<f64> {
        let counters = self.counters.as_ref().filter(|c| c.warp_instructions > 0)?;
        Some(counters.lane_instructions as f64 / counters.warp_instructions as f64)
    }
}

impl From<&TimedRecord> for TimeRecord {
    fn from(timed: &TimedRecord) -> Self {
        let SummaryRecord { median_ns, interval_ns, min_ns, quartiles_ns, count } = timed.summary;
        TimeRecord {
            median_ns,
            samples: count,
            interval_ns,
            min_ns,
            quartiles_ns,
            gigabytes_per_second: timed.gigabytes_per_second(),
            gigaflops_per_second: timed.gigaflops_per_second(),
            cache: timed.cache.name(),
            timer: match timed.timer {
                Timer::Events => "events".to_owned(),
                Timer::Graph(launches) => format!("graph of {launches}"),
            },
            stop: match timed.stop {
                Stop::Settled => "settled",
                Stop::TimeLimit => "time limit",
            },
            empty_ns: timed.empty_ns,
            invalid: timed.invalid.clone(),
        }
    }
}

impl HostRecord {
    /// Times `work`: at least one run, about half a second at most.
    pub fn time(experiment: &'static str, mut work: impl FnMut()) -> Self {
        let started = Instant::now();
        let mut samples = Vec::new();
        while samples.is_empty() || (samples.len() < 5 && started.elapsed().as_secs_f64() < 0.5) {
            let begun = Instant::now();
            work();
            samples.push(begun.elapsed().as_nanos() as f64);
        }
        let median_ns = Summary::of(&samples).map_or(0.0, |summary| summary.median);
        HostRecord { experiment, median_ns, samples: samples.len() }
    }
}

impl ClimbRecord {
    /// The extents as `1024x1024`.
    pub fn size_in_words(&self) -> String {
        self.size.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
    }
}

/// The gain of a step from one rung to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// The time is shorter.
    Faster,
    /// The times do not differ significantly.
    NoFaster,
    /// The time is longer.
    Slower,
    /// Some counts are smaller, and none is larger.
    Cheaper,
    /// Some counts are smaller, others are larger.
    Mixed,
    /// No count is smaller, some are larger.
    Dearer,
    /// No count has changed.
    Unchanged,
}

impl Step {
    /// Whether the step may be a gain, as far as known.
    pub fn gains(self) -> bool {
        matches!(self, Step::Faster | Step::Cheaper | Step::Mixed)
    }
}

/// The counters of a climb, in the order of its JSON.
const OF_CLIMB: [&str; 14] = [
    "global_load.requests",
    "global_load.sectors",
    "global_store.requests",
    "global_store.sectors",
    "shared_load.requests",
    "shared_load.wavefronts",
    "shared_load.bank_conflicts",
    "shared_store.requests",
    "shared_store.wavefronts",
    "shared_store.bank_conflicts",
    "warp_instructions",
    "lane_instructions",
    "barriers",
    "divergent_branches",
];

/// Writes the counters of a climb, if there are any.
pub fn of_climb<S: Serializer>(
    counters: &Option<Counters>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match counters {
        Some(counters) => counts::some(counters, &OF_CLIMB, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_of_a_climb_is_in_the_table() {
        let mut text = Vec::new();
        let counters = Some(Counters { barriers: 3, ..Counters::default() });
        of_climb(&counters, &mut serde_json::Serializer::new(&mut text)).expect("JSON");
        let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        let leaves = |value: &serde_json::Value| value.as_object().map_or(1, |o| o.len());
        let count: usize = json.as_object().expect("an object").values().map(leaves).sum();
        assert_eq!((count, &json["barriers"]), (OF_CLIMB.len(), &3.into()));
    }
}
