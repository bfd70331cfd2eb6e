//! Timing one kernel on a GPU, from its jobs to its record, and the plausibility gate: rejects times below the minimum of
//! the GPU's memory, arithmetic and launches.
//!
//! The floor is the larger of the bytes over the nominal bandwidth and the operations over the nominal rate. Bytes
//! count only if the cache was cold: a hot kernel may read them from the cache. The rate is the rate of FP32 lanes at
//! the highest clock, or of tensor cores if the kernel uses them and the table of GPUs lists their rate. A kernel
//! much faster than an empty one did not run.

use crate::device::gpu::{GpuTarget, empty_ns};
use crate::record::subject::{ptx_hash, revision, utc_now};
use crate::record::{
    About, Cache, DeviceRecord, PROTOCOL, Reset, SubjectRecord, SummaryRecord, TimedRecord, Work,
};
use crate::sampling::sampler::{Plan, Sampled, sample};
use crate::sampling::stats::Summary;
use lanework_gpu_specs::specs;
use lanework_runtime::{Device, DeviceInfo, Job, Result};
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

/// A kernel faster than this fraction of an empty kernel's time cannot have run; the empty kernel is measured, too.
const OF_EMPTY: f64 = 0.7;

/// The least time of some work on one GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// Nanoseconds.
    pub ns: f64,
    /// `memory` or `arithmetic`.
    pub by: &'static str,
}

/// The execution units of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// The lanes of the multiprocessors.
    #[default]
    Lanes,
    /// Tensor cores, on elements of 16 bits or more.
    Tensor,
    /// Tensor cores, on elements of 8 bits.
    TensorBytes,
    /// Unknown, as for a library function: the highest rate in the table.
    Unknown,
}

impl Arithmetic {
    /// The execution units that a kernel of this PTX uses; `bytes` is the size of an element, if known.
    pub fn of(ptx: Option<&str>, bytes: Option<usize>) -> Arithmetic {
        let Some(ptx) = ptx else { return Arithmetic::Unknown };
        match (["mma.sync", "mma.", "tcgen05"].iter().any(|name| ptx.contains(name)), bytes) {
            (false, _) => Arithmetic::Lanes,
            (true, Some(2..)) => Arithmetic::Tensor,
            (true, _) => Arithmetic::TensorBytes,
        }
    }
}

impl Floor {
    /// The floor of `work`; `None` if nothing bounds it.
    pub fn of(work: Work, cache: Cache, with: Arithmetic, info: &DeviceInfo) -> Option<Floor> {
        let arch = specs().architecture(info.compute_capability);
        let lanes = f64::from(arch.fp32_per_sm) * f64::from(info.multiprocessors);
        let tensor = || specs().gpu(&info.name)?.bf16_tflops.map(|tflops| 1e3 * tflops);
        // Operations and bytes per nanosecond.
        let rate = match with {
            Arithmetic::Lanes => Some(2.0 * lanes * f64::from(info.clock_khz) / 1e6),
            Arithmetic::Tensor => tensor(),
            Arithmetic::TensorBytes | Arithmetic::Unknown => tensor().map(|rate| 2.0 * rate),
        };
        let bandwidth = (cache == Cache::Cold).then_some(info.memory_bandwidth as f64 / 1e9);
        let floors = [("memory", work.bytes, bandwidth), ("arithmetic", work.flops, rate)];
        let floors = floors.into_iter().filter_map(|(by, amount, rate)| {
            let rate = rate.filter(|rate| *rate > 0.0 && amount > 0)?;
            Some(Floor { ns: amount as f64 / rate, by })
        });
        floors.max_by(|a, b| a.ns.total_cmp(&b.ns))
    }

    /// Why a median below this floor must be wrong, with both possible causes.
    pub fn refuses(&self, median_ns: f64) -> Option<String> {
        let cause = match self.by {
            "memory" => "the cache was not cold",
            _ => "the operations were counted too high",
        };
        (median_ns < self.ns).then(|| {
            format!(
                "{median_ns:.0} ns is under the {:.0} ns that the {} needs: either {cause}, or the kernel did not do all \
                 its work",
                self.ns, self.by
            )
        })
    }
}

/// Why a median this far below an empty kernel's time must be wrong.
pub(crate) fn under_empty(median_ns: f64, empty_ns: Option<f64>) -> Option<String> {
    let empty_ns = empty_ns?;
    (median_ns < OF_EMPTY * empty_ns).then(|| {
        format!(
            "{median_ns:.0} ns is under the {empty_ns:.0} ns of an empty kernel: either the empty kernel was timed at \
             another clock, or this one was not launched"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An H200 as its driver describes it.
    fn h200() -> DeviceInfo {
        DeviceInfo {
            name: "NVIDIA H200".to_owned(),
            compute_capability: (9, 0),
            multiprocessors: 132,
            clock_khz: 1_980_000,
            memory_bandwidth: 4_800_000_000_000,
            ..Device::emulator().info()
        }
    }

    #[test]
    fn half_of_the_work_at_full_speed_is_invalid() {
        // A copy at 90 % of the bandwidth is valid; the same kernel that skips half of it is not.
        let work = Work { bytes: 4_800_000, flops: 0 };
        let floor = Floor::of(work, Cache::Cold, Arithmetic::Lanes, &h200()).expect("bytes");
        assert_eq!((floor.by, floor.ns.round()), ("memory", 1000.0));
        assert_eq!(floor.refuses(1111.0), None);
        let why = floor.refuses(556.0).expect("invalid");
        assert!(why.contains("the cache was not cold") && why.contains("did not do all"), "{why}");
        assert_eq!(Floor::of(work, Cache::Hot, Arithmetic::Lanes, &h200()), None);
    }

    #[test]
    fn the_rate_is_that_of_the_execution_units() {
        let work = Work { bytes: 0, flops: 1_000_000_000 };
        let of = |with| Floor::of(work, Cache::Cold, with, &h200()).map(|floor| floor.ns.round());
        assert_eq!(of(Arithmetic::Lanes), Some(14946.0));
        assert_eq!(of(Arithmetic::Tensor), Some(1011.0));
        assert_eq!(of(Arithmetic::Unknown), Some(505.0));
        assert_eq!(Arithmetic::of(Some("wgmma.mma_async.sync"), Some(2)), Arithmetic::Tensor);
        assert_eq!(Arithmetic::of(Some("fma.rn.f32"), None), Arithmetic::Lanes);
        assert_eq!(Arithmetic::of(None, None), Arithmetic::Unknown);
    }

    #[test]
    fn a_kernel_far_below_an_empty_one_did_not_run() {
        assert!(under_empty(300.0, Some(550.0)).is_some());
        assert!(under_empty(540.0, Some(550.0)).is_none() && under_empty(1.0, None).is_none());
    }
}
