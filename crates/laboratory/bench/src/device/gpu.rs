//! A kernel on a GPU as the protocol's target: events in the launch stream, graphs, and the monitor. The time of an empty
//! kernel, measured like the kernel's, shows the overhead of a launch.

use crate::record::{Reset, Timer};
use crate::sampling::sampler::{Batch, Target};
use crate::sampling::stats::Summary;
use lanework_runtime::{
    Buffer, Device, Event, Graph, Job, Monitor, PtxArg, PtxShape, Reading, Result,
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
