//! Sampling a kernel's time: warm-up, the choice of the timer, batches, and the sequential stopping rule.
//!
//! The kernel runs until its time and, where a monitor sees it, the clock have settled. Long kernels are timed one by
//! one by events, short ones in a graph of many launches, whose time is divided. Sampling stops when the median's
//! distribution-free interval (`stats.rs`) is narrow enough, or at a limit, and the record says which. Looking at the
//! interval again and again makes it cover the median slightly less often than 95 %; a test on synthetic samples
//! measures by how much.

use crate::plan::Plan;
use crate::record::{Stop, TimedSample, Timer};
use crate::stats::Summary;
use crate::target::{Batch, Target};
use lanework_runtime::{Reading, Result};
use std::time::Duration;

/// Below this a kernel is timed in a graph: events alone would add to it, and what is seen of a short job of two kernels is the time
/// that the host takes to launch them, 20 us and more.
const SHORT_NS: f64 = 40_000.0;
/// Aimed length of one graph.
const GRAPH_NS: f64 = 400_000.0;
/// Replays of a graph in a batch.
const REPLAYS: usize = 4;
/// Launches in a batch at most.
const BATCH: usize = 24;
/// Time that a batch should not exceed by much: where the power limits the clock, what is timed in turns shares the clock only if turns
/// are short.
const BATCH_NS: f64 = 25e6;
/// How long the warm-up lasts at least and at most.
const WARM_UP: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(3));
/// Change of the time, and of the clock, from one batch to the next that counts as settled. A step of the clock is
/// 15 MHz, 0.8 % of an H200's.
const SETTLED: f64 = 0.01;
/// Progress is told this often.
const TELL_EVERY: Duration = Duration::from_millis(200);
/// Readings of one clock after which it has settled.
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
    /// Nanoseconds of a launch, about.
    once: f64,
    latest: Reading,
    pub(crate) samples: Vec<TimedSample>,
}

/// Takes samples by `plan`. `progress` is told the relative width of the interval and the longest time left.
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

/// When to look at all samples again: sorting them after every batch would take longer than the batch.
#[derive(Default)]
pub(crate) struct Pace {
    looked: usize,
    told: Duration,
}

impl Pace {
    /// Whether the samples are a twentieth more than at the last look.
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
    /// Warms up until the time and the clock settle, chooses the timer, and goes through it once.
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

/// Whether the last readings of the clock agree; without a monitor there is nothing to wait for.
fn has_settled(clocks: &[f64]) -> bool {
    let Some(&last) = clocks.last() else { return true };
    let latest = clocks.iter().rev().take(READINGS);
    clocks.len() >= READINGS && latest.clone().all(|mhz| (mhz - last).abs() <= SETTLED * last)
}

/// Marks samples whose clock is not the one that most were taken at: more than a step off the median.
fn mark(samples: &mut [TimedSample]) {
    let clocks: Vec<f64> =
        samples.iter().filter_map(|sample| sample.sm_mhz).map(f64::from).collect();
    let Some(summary) = Summary::of(&clocks) else { return };
    for sample in samples {
        let off = |mhz: u32| (f64::from(mhz) - summary.median).abs() > SETTLED * summary.median;
        sample.off_clock = sample.sm_mhz.is_some_and(off);
    }
}

/// Launches of a batch of kernels that take `once` nanoseconds; the fewest where that is not known yet.
fn batch_of(once: f64) -> usize {
    ((BATCH_NS / once) as usize).clamp(1, BATCH)
}

#[cfg(test)]
mod tests;
