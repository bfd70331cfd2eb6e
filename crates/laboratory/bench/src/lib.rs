//! Times kernels on a GPU, by a protocol that is the same everywhere: warm-up until the clock settles, a known state of
//! the cache, hidden launch cost, a sequential stopping rule, clocks beside every sample, a gate against times that no
//! GPU can reach, and comparisons with a verdict.
//!
//! A benchmark of one's own kernel is [`Bench`], in `benches/` of one's own crate. [`measure`] and [`compare`] are what
//! it is made of; [`TimedRecord`] is what is left of a measurement. [`Target`] is the seam to the GPU, where tests put a
//! device whose times are known.

mod about;
mod accuracy;
mod clock;
mod compare;
mod empty;
#[cfg(test)]
mod fake;
mod floor;
mod gpu;
mod harness;
mod hash;
mod measure;
mod options;
mod pair;
mod plan;
mod record;
mod revision;
mod sampler;
#[cfg(test)]
mod samples;
mod stats;
mod target;
mod verify;
mod words;
mod work;

pub use about::About;
pub use accuracy::{Accuracy, Errors, Rejection};
pub use clock::{rfc3339, utc_now};
pub use compare::compare_samples;
pub use floor::{Arithmetic, Floor};
pub use gpu::GpuTarget;
pub use harness::Bench;
pub use hash::ptx_hash;
pub use lanework_gpu_specs::{Architecture, Gpu, Specs, specs};
pub use lanework_report::{machine, multiprocessor};
pub use measure::{measure, reset};
pub use pair::{Paired, compare, interleave};
pub use plan::{Plan, RESOLUTION};
pub use record::{
    Cache, ComparisonRecord, DeviceRecord, PROTOCOL, Reset, Stop, SubjectKind, SubjectRecord,
    SummaryRecord, TimedRecord, TimedSample, Timer, Verdict, Verified,
};
pub use revision::revision;
pub use sampler::{Sampled, sample};
pub use stats::Summary;
pub use target::{Batch, Target};
pub use verify::{close, same};
pub use work::Work;

/// Called with what is being worked on.
pub type Progress<'a> = &'a mut dyn FnMut(&str);
