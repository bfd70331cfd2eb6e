//! Sampling a kernel's time: warm-up, the choice of the timer, batches, and the sequential stopping rule.
//!
//! The kernel runs until its time and, if there is a monitor, the clock have settled. Long kernels are timed one by
//! one with events; short kernels run in a graph of many launches, and its time is divided. Sampling stops when the
//! median's distribution-free interval (`stats.rs`) is narrow enough, or at a limit; the record says which. Because
//! the interval is checked repeatedly, it covers the median slightly less often than 95 %; a test on synthetic
//! samples measures by how much.

use crate::record::{Stop, TimedSample, Timer};
use crate::sampling::plan::Plan;
use crate::sampling::stats::Summary;
use crate::sampling::target::{Batch, Target};
use lanework_runtime::{Reading, Result};
use std::time::Duration;

/// Faster kernels are timed in a graph: events add to their time, and for a short job of two kernels events measure
/// the host's launches, 20 us and more.
const SHORT_NS: f64 = 40_000.0;
/// Aimed length of one graph.
const GRAPH_NS: f64 = 400_000.0;
/// Replays of a graph in a batch.
const REPLAYS: usize = 4;
/// The most launches in a batch.
const BATCH: usize = 24;
/// Target time of a batch. If power limits the clock, interleaved kernels share the clock only if their batches are
/// short.
const BATCH_NS: f64 = 25e6;
/// The shortest and longest time of the warm-up.
const WARM_UP: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(3));
/// Largest change of the time and of the clock between batches that counts as settled. A step of the clock is 15 MHz,
/// 0.8 % of an H200's.
const SETTLED: f64 = 0.01;
/// Interval between progress reports.
const TELL_EVERY: Duration = Duration::from_millis(200);
/// Number of equal readings after which the clock has settled.
const READINGS: usize = 3;

/// Samples of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// Every sample in order, those off the settled clock marked.
    pub samples: Vec<TimedSample>,
    /// How they were taken.
    pub timer: Timer,
    /// Why sampling stopped.
    pub stop: Stop,
}

/// A kernel whose time has settled, from which samples can be taken.
pub(crate) struct Sampler<'t> {
    target: &'t mut dyn Target,
    timer: Timer,
    /// Approximate nanoseconds of a launch.
    once: f64,
    latest: Reading,
    pub(crate) samples: Vec<TimedSample>,
}

/// Takes samples by `plan`. `progress` receives the relative width of the interval and the longest time left.
///
/// # Errors
/// When a launch fails.
pub fn sample(
    target: &mut dyn Target,
    plan: &Plan,
    progress: &mut dyn FnMut(f64, Duration),
) -> Result<Sampled> {
    let mut sampler = Sampler::warm(target)?;
    let started = sampler.elapsed();
    let mut pace = Pace::default();
    let stop = loop {
        sampler.step()?;
        let elapsed = sampler.elapsed().saturating_sub(started);
        let count = sampler.samples.len();
        let enough = count >= plan.samples && elapsed >= plan.at_least;
        if enough && pace.is_due(count) && sampler.summary().relative_width() < plan.narrow {
            break Stop::Settled;
        }
        if elapsed >= plan.limit {
            break Stop::TimeLimit;
        }
        if pace.progress_is_due(elapsed) {
            progress(sampler.summary().relative_width(), plan.limit - elapsed);
        }
    };
    Ok(sampler.finish(stop))
}

/// When to evaluate all samples again: sorting them after every batch would take longer than the batch.
#[derive(Default)]
pub(crate) struct Pace {
    looked: usize,
    told: Duration,
}

impl Pace {
    /// Whether there are 5 % more samples than at the last evaluation.
    fn is_due(&mut self, count: usize) -> bool {
        let more = count > self.looked + self.looked / 20;
        if more {
            self.looked = count;
        }
        more
    }

    /// Whether it is time to report progress.
    pub(crate) fn progress_is_due(&mut self, elapsed: Duration) -> bool {
        let late = elapsed >= self.told + TELL_EVERY;
        if late {
            self.told = elapsed;
        }
        late
    }
}

impl<'t> Sampler<'t> {
    /// Warms up until the time and the clock settle, chooses the timer, and runs it once.
    pub(crate) fn warm(target: &'t mut dyn Target) -> Result<Self> {
        let started = target.elapsed();
        let (mut last, mut clocks, mut latest) = (f64::INFINITY, Vec::new(), Reading::default());
        let once = loop {
            let Batch { times, reading } = target.launches(batch_of(last))?;
            let now = Summary::of(&times).map_or(1.0, |summary| summary.median).max(1.0);
            if let Some(reading) = reading {
                clocks.extend(reading.sm_mhz.map(f64::from));
                latest = reading;
            }
            let elapsed = target.elapsed().saturating_sub(started);
            let settled = (now - last).abs() < SETTLED * now && has_settled(&clocks);
            if (elapsed >= WARM_UP.0 && settled) || elapsed >= WARM_UP.1 {
                break now;
            }
            last = now;
        };
        let timer = match once < SHORT_NS && target.is_recordable() {
            true => {
                let copies = target.copies().max(1);
                let launches = ((GRAPH_NS / once / copies as f64).ceil() as usize).max(1) * copies;
                target.record(launches)?;
                target.replays(1)?;
                Timer::Graph(launches as u32)
            }
            false => Timer::Events,
        };
        Ok(Sampler { target, timer, once, latest, samples: Vec::new() })
    }

    /// Takes one batch; returns its median.
    pub(crate) fn step(&mut self) -> Result<f64> {
        let (batch, launches) = match self.timer {
            Timer::Graph(launches) => (self.target.replays(REPLAYS)?, f64::from(launches)),
            Timer::Events => (self.target.launches(batch_of(self.once))?, 1.0),
        };
        if let Some(reading) = batch.reading {
            self.latest = reading;
        }
        let times: Vec<f64> = batch.times.iter().map(|ns| ns / launches).collect();
        let reading = &self.latest;
        self.samples.extend(times.iter().map(|&ns| TimedSample {
            ns,
            sm_mhz: reading.sm_mhz,
            memory_mhz: reading.memory_mhz,
            watts: reading.watts,
            celsius: reading.celsius,
            throttle: reading.throttle.iter().map(|&name| name.to_owned()).collect(),
            off_clock: false,
        }));
        Ok(Summary::of(&times).map_or(f64::NAN, |summary| summary.median))
    }

    /// Time since the target was made.
    pub(crate) fn elapsed(&self) -> Duration {
        self.target.elapsed()
    }

    /// The samples so far.
    pub(crate) fn summary(&self) -> Summary {
        Summary::of_samples(&self.samples).expect("a batch holds a sample")
    }

    /// The samples, those off the settled clock marked.
    pub(crate) fn finish(mut self, stop: Stop) -> Sampled {
        mark(&mut self.samples);
        Sampled { samples: self.samples, timer: self.timer, stop }
    }
}

/// Whether the last readings of the clock agree; always true without a monitor.
fn has_settled(clocks: &[f64]) -> bool {
    let Some(&last) = clocks.last() else { return true };
    let latest = clocks.iter().rev().take(READINGS);
    clocks.len() >= READINGS && latest.clone().all(|mhz| (mhz - last).abs() <= SETTLED * last)
}

/// Marks samples whose clock is more than a step off the median.
fn mark(samples: &mut [TimedSample]) {
    let clocks: Vec<f64> =
        samples.iter().filter_map(|sample| sample.sm_mhz).map(f64::from).collect();
    let Some(summary) = Summary::of(&clocks) else { return };
    for sample in samples {
        let off = |mhz: u32| (f64::from(mhz) - summary.median).abs() > SETTLED * summary.median;
        sample.off_clock = sample.sm_mhz.is_some_and(off);
    }
}

/// Launches per batch of a kernel that takes `once` nanoseconds; the minimum if that is not known yet.
fn batch_of(once: f64) -> usize {
    ((BATCH_NS / once) as usize).clamp(1, BATCH)
}

#[cfg(test)]
mod tests;
