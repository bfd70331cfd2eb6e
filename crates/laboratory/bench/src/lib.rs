//! Times kernels on a GPU with one protocol: warm-up until the clock settles, a known state of the cache, hidden
//! launch cost, a sequential stopping rule, the clocks of every sample, a gate against impossible times, and
//! comparisons with a verdict.
//!
//! [`Bench`] benchmarks a user's kernel, in `benches/` of the user's crate. It uses [`measure`] and [`compare`],
//! which return records such as [`TimedRecord`]. [`Target`] is the interface to the GPU; tests implement it with a
//! device of known times.

mod accuracy;
mod comparison;
mod device;
mod harness;
mod record;
mod sampling;
#[cfg(test)]
mod simulated;

pub use accuracy::{Accuracy, Errors, Rejection, close, same};
pub use comparison::{Paired, compare, compare_samples, interleave};
pub use device::{Arithmetic, Floor, GpuTarget, measure, reset};
pub use harness::Bench;
pub use lanework_gpu_specs::{Architecture, Gpu, Specs, specs};
pub use lanework_report::{machine, multiprocessor};
pub use record::subject::{ptx_hash, revision, rfc3339, utc_now};
pub use record::{
    About, Cache, ComparisonRecord, DeviceRecord, PROTOCOL, Reset, Stop, SubjectKind,
    SubjectRecord, SummaryRecord, TimedRecord, TimedSample, Timer, Verdict, Verified, Work,
};
pub use sampling::Summary;
pub use sampling::sampler::{Batch, Plan, RESOLUTION, Sampled, Target, sample};

/// Called with a description of the current step.
pub type Progress<'a> = &'a mut dyn FnMut(&str);
