//! Timing a kernel on a GPU: warm-up, sampling with CUDA events or graphs, and a sequential stopping rule.
//!
//! The kernel is warmed up until its time settles. Long kernels are timed one by one with events in
//! the launch stream, behind a kernel that hides the cost of launching; short ones in a graph of
//! many launches, whose time is divided. Sampling stops when the median is known to half a percent,
//! or at a time limit, and the record says which.

use crate::stats::Summary;
use lanework::{Device, Job, Result};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// What the cache holds when a kernel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cache {
    /// Nothing of use: the runs rotate over buffers of at least twice the cache.
    Cold,
    /// What the run before left: the same buffers again and again.
    Hot,
}

/// Why sampling stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The median's interval was narrow enough.
    Settled,
    /// The time limit.
    TimeLimit,
}

/// How a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// Events before and after one launch.
    Events,
    /// Events around a graph of this many launches.
    Graph(u32),
}

/// Times of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Every sample in nanoseconds, in order.
    pub samples: Vec<f64>,
    /// The same, summarised.
    pub summary: Summary,
    /// How they were taken.
    pub timer: Timer,
    /// What the cache held.
    pub cache: Cache,
    /// Why sampling stopped.
    pub stop: Stop,
}

/// Below this a kernel is timed in a graph, since events alone would add to it.
const SHORT_NS: f64 = 20_000.0;
/// Aimed length of one graph.
const GRAPH_NS: f64 = 400_000.0;
/// Launches queued between two waits, at most and at least.
const BATCH: (usize, usize) = (24, 4);
/// Time that a batch should not exceed by much.
const BATCH_NS: f64 = 300e6;
/// Samples and time that must be in before the interval may stop the sampling.
const MIN_SAMPLES: usize = 30;
const MIN_TIME: Duration = Duration::from_millis(500);
/// Width of the median's 95 % interval that is narrow enough.
const NARROW: f64 = 0.005;

/// Times `jobs`, runs of one kernel on different buffers, in rotation; `limit` bounds the sampling.
///
/// With one job the cache is hot unless the buffers themselves exceed it twice over; the caller
/// knows, and says so in `cache`.
///
/// # Errors
/// When a launch fails, or on the emulator, which does not model time.
///
/// # Panics
/// When there are no jobs.
pub fn measure(
    device: &Device,
    jobs: &mut [Job<'_>],
    cache: Cache,
    limit: Duration,
) -> Result<Measurement> {
    assert!(!jobs.is_empty(), "nothing to measure");
    let once = warm_up(device, jobs)?;
    let mut samples = Vec::new();
    let started = Instant::now();
    let timer = if once < SHORT_NS {
        let rounds = (GRAPH_NS / once / jobs.len() as f64).ceil() as usize;
        let launches = rounds * jobs.len();
        let graph = device.record(jobs, launches)?;
        graph.launch()?;
        device.synchronize()?;
        let stop = sample(&mut samples, started, limit, || {
            let mut events = vec![device.event()?];
            for _ in 0..4 {
                graph.launch()?;
                events.push(device.event()?);
            }
            let times = gaps(&events)?;
            Ok(times.into_iter().skip(1).map(|ns| ns / launches as f64).collect())
        })?;
        (Timer::Graph(launches as u32), stop)
    } else {
        let stop =
            sample(&mut samples, started, limit, || timed_batch(device, jobs, batch_of(once)))?;
        (Timer::Events, stop)
    };
    let (timer, stop) = timer;
    let summary = Summary::of(&samples).expect("sampling took at least one batch");
    Ok(Measurement { samples, summary, timer, cache, stop })
}

/// Takes batches of samples until the median is known well enough or the limit is reached.
fn sample(
    samples: &mut Vec<f64>,
    started: Instant,
    limit: Duration,
    mut batch: impl FnMut() -> Result<Vec<f64>>,
) -> Result<Stop> {
    loop {
        samples.extend(batch()?);
        let elapsed = started.elapsed();
        let narrow = || Summary::of(samples).is_some_and(|s| s.relative_width() < NARROW);
        if samples.len() >= MIN_SAMPLES && elapsed >= MIN_TIME.min(limit) && narrow() {
            return Ok(Stop::Settled);
        }
        if elapsed >= limit {
            return Ok(Stop::TimeLimit);
        }
    }
}

/// Runs the kernel for at least 0.2 s and until two batches agree to 1 %, or 2 s; returns the
/// median time of the last batch in nanoseconds.
fn warm_up(device: &Device, jobs: &mut [Job<'_>]) -> Result<f64> {
    let started = Instant::now();
    let mut last = f64::INFINITY;
    loop {
        let batch = timed_batch(device, jobs, batch_of(last))?;
        let now = Summary::of(&batch).map_or(0.0, |summary| summary.median);
        let settled = (now - last).abs() < 0.01 * now;
        let elapsed = started.elapsed();
        if (elapsed > Duration::from_millis(200) && settled) || elapsed > Duration::from_secs(2) {
            return Ok(now.max(1.0));
        }
        last = now;
    }
}

/// Launches of a batch of kernels that take `once` nanoseconds; the fewest where that is not known
/// yet.
fn batch_of(once: f64) -> usize {
    ((BATCH_NS / once) as usize).clamp(BATCH.1, BATCH.0)
}

/// Times of one batch of launches, each between two events; the first launch, which the others
/// hide behind, is not among them.
fn timed_batch(device: &Device, jobs: &mut [Job<'_>], launches: usize) -> Result<Vec<f64>> {
    let mut events = Vec::with_capacity(launches);
    for index in 0..launches {
        let count = jobs.len();
        jobs[index % count].launch()?;
        events.push(device.event()?);
    }
    gaps(&events)
}

/// Nanoseconds between neighbouring events.
fn gaps(events: &[lanework::Event]) -> Result<Vec<f64>> {
    events.windows(2).map(|pair| pair[1].nanoseconds_since(&pair[0])).collect()
}
