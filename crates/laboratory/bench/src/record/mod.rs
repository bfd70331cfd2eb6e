//! Records of times: plain data with a stable JSON form for the store and the report.
//!
//! A record holds a time and everything it depends on: kernel and problem, device and driver, the sampling method,
//! each sample with its clocks, and whether the result was verified. Names and meanings change only with
//! [`PROTOCOL`]; fields are added with a default, so that older records are still read.

pub mod subject;
mod words;

pub use subject::{Cache, DeviceRecord, Reset, Stop, SubjectKind, SubjectRecord, Timer};

use crate::accuracy::Accuracy;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the measuring protocol: raised when the meaning of a figure changes.
pub const PROTOCOL: u32 = 2;

/// One timed kernel, complete: what ran, where, how it was timed, every sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedRecord {
    /// Version of the measuring protocol, [`PROTOCOL`] when it was taken.
    pub protocol: u32,
    /// When sampling ended, RFC 3339 in UTC.
    pub taken: String,
    /// The timed kernel or function.
    pub subject: SubjectRecord,
    /// The device.
    pub device: DeviceRecord,
    /// The revision of the user's checkout, with a `+` when it has changes; `None` outside one.
    pub revision: Option<String>,
    /// The version of Lanework.
    pub version: String,
    /// The problem by name: extents, `element`, `block`, `seed`, and what else was chosen.
    pub problem: BTreeMap<String, String>,
    /// The least work of any solution; zeros if unknown.
    #[serde(flatten)]
    pub work: Work,
    /// State of the cache when the kernel started.
    pub cache: Cache,
    /// How the cache was brought into that state.
    pub reset: Reset,
    /// How a sample was taken.
    pub timer: Timer,
    /// Why sampling stopped.
    pub stop: Stop,
    /// Every sample in the order taken; none is dropped.
    pub samples: Vec<TimedSample>,
    /// The samples in a few figures.
    pub summary: SummaryRecord,
    /// Time of an empty kernel, measured the same way: a time close to it is mostly launch overhead.
    pub empty_ns: Option<f64>,
    /// The least time that memory and arithmetic of this GPU allow the work.
    pub floor_ns: Option<f64>,
    /// Set if the time is below the floor: why the figure must be wrong, with both possible causes.
    pub invalid: Option<String>,
    /// How the result was verified, before and after timing.
    pub verified: Verified,
    /// The accuracy of the result after timing, if there is a reference.
    pub accuracy: Option<Accuracy>,
}

/// One sample, with the monitor's readings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimedSample {
    /// Nanoseconds of one launch; of a graph, its time divided by its launches.
    pub ns: f64,
    /// Clock of the multiprocessors in MHz; this and the next four are `None` without NVML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sm_mhz: Option<u32>,
    /// Clock of the memory in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mhz: Option<u32>,
    /// Power of the board in watts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watts: Option<f64>,
    /// Temperature of the GPU in degrees Celsius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub celsius: Option<u32>,
    /// Why the clock is below its maximum: the names of NVML's clock event reasons, except idle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throttle: Vec<String>,
    /// Whether its clock differs from the clock of most samples.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off_clock: bool,
}

/// Samples in a few figures; nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryRecord {
    /// Median.
    pub median_ns: f64,
    /// 95 % confidence interval of the median.
    pub interval_ns: [f64; 2],
    /// Fastest sample.
    pub min_ns: f64,
    /// Quartiles.
    pub quartiles_ns: [f64; 2],
    /// Number of samples.
    pub count: usize,
}

/// How a result was verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verified {
    /// A reference: the host's, or a file that the user gave.
    Reference,
    /// The emulator, which ran the same kernel: this misses a kernel that is wrong on both.
    Emulator,
    /// Not verified: the kernel may compute anything.
    Nothing,
}

impl TimedRecord {
    /// Bytes of the work over the median, in 10^9 bytes per second.
    pub fn gigabytes_per_second(&self) -> f64 {
        self.work.bytes as f64 / self.summary.median_ns
    }

    /// Operations of the work over the median, in 10^9 per second; 0 without operations.
    pub fn gigaflops_per_second(&self) -> f64 {
        self.work.flops as f64 / self.summary.median_ns
    }

    /// The samples' times in nanoseconds.
    pub fn times(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.ns).collect()
    }
}

/// The least work of any solution of a problem, from which bandwidths and rates are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Bytes of the inputs and the output, each touched once.
    pub bytes: u64,
    /// Arithmetic operations on elements; a fused multiply-add counts as two.
    pub flops: u64,
}

/// The subject of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// The subject; its PTX hash is filled in.
    pub subject: SubjectRecord,
    /// The problem by name.
    pub problem: BTreeMap<String, String>,
    /// The least work of any solution; zeros if unknown.
    pub work: Work,
    /// Bytes of an element, if the problem has a single type.
    pub element_bytes: Option<usize>,
    /// State of the cache when the kernel starts.
    pub cache: Cache,
    /// How it is brought into that state.
    pub reset: Reset,
    /// How the result was verified.
    pub verified: Verified,
}

impl About {
    /// A user's kernel with this name and no other details.
    pub fn kernel(name: &str) -> About {
        About {
            subject: SubjectRecord {
                kind: SubjectKind::Kernel,
                name: name.to_owned(),
                ladder: None,
                file: None,
                ptx_hash: None,
            },
            problem: BTreeMap::new(),
            work: Work { bytes: 0, flops: 0 },
            element_bytes: None,
            cache: Cache::Hot,
            reset: Reset::None,
            verified: Verified::Nothing,
        }
    }
}

/// The verdict of a comparison, on the second against the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The second is faster: the interval of the ratio is below 1.
    Fast,
    /// The second is slower: the interval of the ratio is above 1.
    Slow,
    /// The interval contains 1, or the difference is below the resolution.
    Ambiguous,
    /// One of the two figures is invalid, or they cannot be compared.
    Invalid,
}

/// A comparison of two timed kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRecord {
    /// The first, the baseline.
    pub a: TimedRecord,
    /// The second.
    pub b: TimedRecord,
    /// Whether samples were interleaved (A B B A) in one process.
    pub interleaved: bool,
    /// Time of `b` divided by time of `a`: below 1, `b` is faster.
    pub ratio: f64,
    /// Interval of the ratio, 95 %.
    pub interval: [f64; 2],
    /// The verdict on `b`.
    pub verdict: Verdict,
    /// The verdict's reason, in a sentence.
    pub why: String,
}

impl Verdict {
    /// `FAST`, `SLOW`, `AMBIGUOUS` or `INVALID`.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Fast => "FAST",
            Verdict::Slow => "SLOW",
            Verdict::Ambiguous => "AMBIGUOUS",
            Verdict::Invalid => "INVALID",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accuracy::Errors;

    /// A minimal record.
    fn record() -> TimedRecord {
        let samples: Vec<TimedSample> = [2000.0, 1000.0, 3000.0]
            .map(|ns| TimedSample { ns, sm_mhz: Some(1980), ..TimedSample::default() })
            .into();
        TimedRecord {
            protocol: PROTOCOL,
            taken: "1970-01-01T00:00:00Z".to_owned(),
            subject: SubjectRecord {
                kind: SubjectKind::Rung,
                name: "padded".to_owned(),
                ladder: Some("transpose".to_owned()),
                file: None,
                ptx_hash: Some("0011223344556677".to_owned()),
            },
            device: DeviceRecord {
                name: "H200".to_owned(),
                backend: "cuda".to_owned(),
                driver: "580".to_owned(),
                uuid: None,
                compute_capability: "9.0".to_owned(),
                multiprocessors: 132,
            },
            revision: None,
            version: "0.1.0".to_owned(),
            problem: BTreeMap::from([("rows".to_owned(), "1024".to_owned())]),
            work: Work { bytes: 4000, flops: 0 },
            cache: Cache::Cold,
            reset: Reset::Rotation { copies: 30 },
            timer: Timer::Graph(100),
            stop: Stop::TimeLimit,
            samples,
            summary: SummaryRecord {
                median_ns: 2000.0,
                interval_ns: [1000.0, 3000.0],
                min_ns: 1000.0,
                quartiles_ns: [1000.0, 3000.0],
                count: 3,
            },
            empty_ns: Some(550.0),
            floor_ns: Some(1.0),
            invalid: None,
            verified: Verified::Reference,
            accuracy: Some(Accuracy::WithinBound {
                max_relative: 1e-6,
                mean_relative: 1e-7,
                normwise: 1e-7,
                bound_used: 0.1,
                errors: Errors::default(),
            }),
        }
    }

    #[test]
    fn a_record_survives_its_json_form() {
        let record = record();
        let text = serde_json::to_string(&record).expect("JSON");
        assert_eq!(serde_json::from_str::<TimedRecord>(&text).expect("a record"), record);
        // The names that the store and the report read.
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["cache"], "cold");
        assert_eq!(value["timer"]["graph"], 100);
        assert_eq!(value["stop"], "time-limit");
        assert_eq!(value["reset"]["rotation"]["copies"], 30);
        assert_eq!(value["bytes"], 4000);
        assert_eq!(value["samples"][0], serde_json::json!({"ns": 2000.0, "sm_mhz": 1980}));
        assert_eq!(value["subject"]["kind"], "rung");
    }

    #[test]
    fn rates_are_of_the_median() {
        assert_eq!(record().gigabytes_per_second(), 2.0);
        assert_eq!(record().subject.title(), "transpose/padded");
    }
}
