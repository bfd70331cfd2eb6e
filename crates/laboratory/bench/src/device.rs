//! Timing one kernel on a GPU, from its jobs to its record: events in the launch stream, graphs, the clock monitor, and
//! the time of an empty kernel, which shows the overhead of a launch.
//!
//! The plausibility gate rejects times below the minimum of the GPU's memory, arithmetic and launches.

use crate::record::subject::{ptx_hash, revision, utc_now};
use crate::record::{
    About, Cache, DeviceRecord, PROTOCOL, Reset, SubjectRecord, SummaryRecord, TimedRecord, Timer,
    Work,
};
use crate::sampling::Summary;
use crate::sampling::sampler::{Batch, Plan, Sampled, Target, sample};
use lanework_gpu_specs::specs;
use lanework_runtime::{
    Buffer, Device, DeviceInfo, Event, Graph, Job, Monitor, PtxArg, PtxShape, Reading, Result,
};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Least time between readings of the monitor: a reading takes up to a millisecond of host time.
const READ_EVERY: Duration = Duration::from_millis(20);

/// Jobs of one kernel, each on its own copy of the problem, on a GPU.
pub struct GpuTarget<'a> {
    device: Device,
    work: Queue<'a>,
    copies: usize,
    /// The copy for the next launch timed by events. Batches continue where the last one ended: short batches that
    /// restarted would stay within a few copies, which fit the cache.
    next: usize,
    /// Overwritten before each launch, if that is how the cache is made cold.
    flush: Option<Buffer<u8>>,
    monitor: Option<Monitor>,
    read: Option<Instant>,
    started: Instant,
}

enum Queue<'a> {
    Jobs(Vec<Job<'a>>),
    Graph(Graph<'a>),
}

impl<'a> GpuTarget<'a> {
    /// A target for `jobs` of one kernel; `reset` says how to set the state of the cache.
    ///
    /// # Errors
    /// If the device has no memory for the overwritten buffer.
    pub fn new(device: &Device, jobs: Vec<Job<'a>>, reset: Reset) -> Result<Self> {
        let flush = match reset {
            Reset::Flush { bytes } => Some(device.zeros::<u8>(bytes as usize)?),
            Reset::None | Reset::Rotation { .. } => None,
        };
        Ok(GpuTarget {
            device: device.clone(),
            copies: jobs.len(),
            next: 0,
            work: Queue::Jobs(jobs),
            flush,
            monitor: device.monitor().ok(),
            read: None,
            started: Instant::now(),
        })
    }

    /// A reading of the monitor, if the last one is old.
    fn reading(&mut self) -> Option<Reading> {
        let old = self.read.is_none_or(|read| read.elapsed() >= READ_EVERY);
        let reading = self.monitor.as_ref().filter(|_| old)?.read();
        self.read = Some(Instant::now());
        Some(reading)
    }
}

impl Target for GpuTarget<'_> {
    fn launches(&mut self, count: usize) -> Result<Batch> {
        let Queue::Jobs(jobs) = &mut self.work else { unreachable!("recorded jobs are replayed") };
        let mut pairs = Vec::with_capacity(count);
        if let Some(flush) = &mut self.flush {
            for _ in 0..count {
                flush.fill_bytes(0)?;
                let before = self.device.event()?;
                jobs[0].launch()?;
                pairs.push((before, self.device.event()?));
            }
            let reading = self.reading();
            let gap = |(before, after): &(Event, Event)| after.nanoseconds_since(before);
            return Ok(Batch { times: pairs.iter().map(gap).collect::<Result<_>>()?, reading });
        }
        let mut events = Vec::with_capacity(count + 1);
        // The first launch hides the launch cost of the others; it is not timed.
        for _ in 0..=count {
            jobs[self.next].launch()?;
            self.next = (self.next + 1) % jobs.len();
            events.push(self.device.event()?);
        }
        let reading = self.reading();
        Ok(Batch { times: gaps(&events)?, reading })
    }

    fn is_recordable(&self) -> bool {
        match &self.work {
            Queue::Jobs(jobs) => self.flush.is_none() && jobs.iter().all(Job::is_recordable),
            Queue::Graph(_) => false,
        }
    }

    fn copies(&self) -> usize {
        self.copies
    }

    fn record(&mut self, launches: usize) -> Result<()> {
        if let Queue::Jobs(jobs) = &mut self.work {
            let jobs = std::mem::take(jobs);
            self.work = Queue::Graph(self.device.record_owned(jobs, launches)?);
        }
        Ok(())
    }

    fn replays(&mut self, count: usize) -> Result<Batch> {
        let Queue::Graph(graph) = &self.work else { unreachable!("recorded before") };
        let mut events = Vec::with_capacity(count + 1);
        for _ in 0..=count {
            graph.launch()?;
            events.push(self.device.event()?);
        }
        let reading = self.reading();
        Ok(Batch { times: gaps(&events)?, reading })
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// Nanoseconds between neighboring events.
fn gaps(events: &[Event]) -> Result<Vec<f64>> {
    events.windows(2).map(|pair| pair[1].nanoseconds_since(&pair[0])).collect()
}

/// Launches in a graph of empty kernels.
const LAUNCHES: usize = 200;

/// Bytes and number of memory fills before a batch timed by events: half a millisecond in which the host queues the
/// whole batch. An empty kernel ends before the next launch, so without the fills the events would measure the host's
/// launch rate.
const BUSY: (usize, usize) = (1 << 28, 8);

/// Batches, and samples of each; the first batch warms up and is not counted.
const BATCHES: (usize, usize) = (6, 12);
const EMPTY: &str = "\
.version 7.0
.target sm_70
.address_size 64
.visible .entry empty()
{
    ret;
}
";

/// Nanoseconds of an empty kernel, timed the same way; measured once per process, device and timer.
///
/// # Errors
/// When the device fails.
pub(crate) fn empty_ns(device: &Device, timer: Timer, reset: Reset) -> Result<f64> {
    type Known = BTreeMap<(String, bool, bool), f64>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let graph = matches!(timer, Timer::Graph(_));
    let key = (device.info().id, graph, matches!(reset, Reset::Flush { .. }));
    let known = || KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let found = known().get(&key).copied();
    if let Some(ns) = found {
        return Ok(ns);
    }
    let module = device.load_ptx(EMPTY)?;
    let arguments: [PtxArg<'_>; 0] = [];
    // SAFETY: the kernel accesses nothing.
    let job = unsafe { module.prepare("empty", PtxShape::new(1, 32), &arguments) };
    let mut target = GpuTarget::new(device, vec![job.into()], reset)?;
    let mut busy = None;
    if graph {
        target.record(LAUNCHES)?;
    } else if !matches!(reset, Reset::Flush { .. }) {
        busy = Some(device.uninit::<u8>(BUSY.0.min((device.info().memory_bytes / 8) as usize))?);
    }
    let mut times = Vec::new();
    for batch in 0..BATCHES.0 {
        if let Some(busy) = &mut busy {
            (0..BUSY.1).try_for_each(|_| busy.fill_bytes(0))?;
        }
        let taken = match graph {
            true => target.replays(BATCHES.1)?,
            false => target.launches(BATCHES.1)?,
        };
        if batch > 0 {
            times.extend(taken.times);
        }
    }
    let per = if graph { LAUNCHES as f64 } else { 1.0 };
    let ns = Summary::of(&times).map_or(0.0, |summary| summary.median) / per;
    known().insert(key, ns);
    Ok(ns)
}

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
            _ => "too many operations were counted",
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
    fn the_rate_depends_on_the_execution_units() {
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
