//! Timing one kernel on a GPU, from its jobs to its record.

use crate::device::empty::empty_ns;
use crate::device::floor::{Arithmetic, Floor, under_empty};
use crate::device::gpu::GpuTarget;
use crate::record::about::About;
use crate::record::provenance::{ptx_hash, revision, utc_now};
use crate::record::{
    Cache, DeviceRecord, PROTOCOL, Reset, SubjectRecord, SummaryRecord, TimedRecord,
};
use crate::sampling::plan::Plan;
use crate::sampling::sampler::{Sampled, sample};
use crate::sampling::stats::Summary;
use lanework_runtime::{Device, Job, Result};
use std::time::Duration;

/// The most copies of a problem; if it would need more, the cache is overwritten instead.
const MOST_COPIES: u64 = 512;

/// How to set the state of the cache for a problem that touches this many bytes: by rotating over copies that
/// together are twice its size, or, if that takes too many copies, by overwriting as much memory before each launch.
pub fn reset(cache: Cache, bytes: u64, device: &Device) -> Reset {
    let twice = 2 * device.info().l2_bytes;
    match (cache, twice.div_ceil(bytes.max(1)).max(1)) {
        (Cache::Hot, _) => Reset::None,
        (Cache::Cold, copies @ ..=MOST_COPIES) => Reset::Rotation { copies: copies as u32 },
        (Cache::Cold, _) => Reset::Flush { bytes: twice },
    }
}

impl Reset {
    /// Copies of the problem that are needed.
    pub fn copies(self) -> u32 {
        match self {
            Reset::Rotation { copies } => copies,
            Reset::None | Reset::Flush { .. } => 1,
        }
    }
}

/// Times a kernel; `jobs` are its launches, one for each copy of the problem. `progress` receives the relative width
/// of the interval and the longest time left.
///
/// # Errors
/// When a launch fails, or on the emulator, which does not model time.
pub fn measure(
    device: &Device,
    jobs: Vec<Job<'_>>,
    about: &About,
    plan: &Plan,
    progress: &mut dyn FnMut(f64, Duration),
) -> Result<TimedRecord> {
    let ptx = jobs.first().and_then(Job::ptx);
    let mut target = GpuTarget::new(device, jobs, about.reset)?;
    let sampled = sample(&mut target, plan, progress)?;
    drop(target);
    record(device, about, ptx.as_deref(), sampled)
}

/// The record of some samples.
///
/// # Errors
/// When an empty kernel cannot be timed.
pub(crate) fn record(
    device: &Device,
    about: &About,
    ptx: Option<&str>,
    sampled: Sampled,
) -> Result<TimedRecord> {
    let summary = Summary::of_samples(&sampled.samples).expect("sampling took a batch at least");
    let with = Arithmetic::of(ptx, about.element_bytes);
    let floor = Floor::of(about.work, about.cache, with, &device.info());
    let empty_ns = Some(empty_ns(device, sampled.timer, about.reset)?);
    let refused = floor.as_ref().and_then(|floor| floor.refuses(summary.median));
    Ok(TimedRecord {
        protocol: PROTOCOL,
        taken: utc_now(),
        subject: SubjectRecord { ptx_hash: ptx.map(ptx_hash), ..about.subject.clone() },
        device: DeviceRecord::of(device),
        revision: revision(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        problem: about.problem.clone(),
        work: about.work,
        cache: about.cache,
        reset: about.reset,
        timer: sampled.timer,
        stop: sampled.stop,
        samples: sampled.samples,
        empty_ns,
        floor_ns: floor.as_ref().map(|floor| floor.ns),
        invalid: refused.or_else(|| under_empty(summary.median, empty_ns)),
        verified: about.verified,
        accuracy: None,
        summary: SummaryRecord::from(&summary),
    })
}
