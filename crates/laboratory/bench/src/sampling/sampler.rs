//! Sampling a kernel's time: warm-up, the choice of the timer, batches, and the sequential stopping rule.
//!
//! The kernel runs until its time and, if there is a monitor, the clock have settled. Long kernels are timed one by one
//! with events; short kernels run in a graph of many launches, and its time is divided. Sampling stops when the
//! median's distribution-free interval (`sampling/mod.rs`) is narrow enough, or at a limit; the record says which.
//! Because the interval is checked repeatedly, it covers the median slightly less often than 95 %; a test on synthetic
//! samples measures by how much.

use crate::record::{Stop, TimedSample, Timer};
use crate::sampling::Summary;
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

/// Smallest relative difference of two times that a comparison resolves: other buffer addresses alone cause
/// differences of this size.
pub const RESOLUTION: f64 = 0.005;

/// When sampling stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The fewest samples.
    pub samples: usize,
    /// The least time of sampling.
    pub at_least: Duration,
    /// Width of the median's 95 % interval, relative to the median, at which sampling stops.
    pub narrow: f64,
    /// The longest time of sampling, except for the rounds below.
    pub limit: Duration,
    /// The fewest rounds of two kernels, even if the time is over: fewer than 6 have no interval.
    pub rounds: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            samples: 30,
            at_least: Duration::from_millis(500),
            narrow: 0.005,
            limit: Duration::from_secs(15),
            rounds: 0,
        }
    }
}

impl Plan {
    /// The protocol's plan with another time limit.
    pub fn within(limit: Duration) -> Plan {
        Plan { limit, at_least: Plan::default().at_least.min(limit), ..Plan::default() }
    }
}

/// Samples that were taken together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Nanoseconds of each launch, or of each replay of the graph.
    pub times: Vec<f64>,
    /// The monitor's readings during the batch; `None` without a monitor, or if it was read a moment ago.
    pub reading: Option<Reading>,
}

/// A kernel with its buffers, ready to be timed; tests implement it with known times.
pub trait Target {
    /// Times of this many consecutive launches, each measured by events, queued behind work that hides the launch
    /// cost.
    ///
    /// # Errors
    /// When a launch fails.
    fn launches(&mut self, count: usize) -> Result<Batch>;

    /// Whether launches can be recorded in a graph.
    fn is_recordable(&self) -> bool;

    /// Copies of the problem that launches rotate over; 1 if all use the same buffers.
    fn copies(&self) -> usize;

    /// Records a graph of this many launches; from now on only [`Target::replays`] is called.
    ///
    /// # Errors
    /// When the driver refuses.
    fn record(&mut self, launches: usize) -> Result<()>;

    /// Times of this many replays of the graph, queued behind one that hides the launch cost.
    ///
    /// # Errors
    /// When a launch fails.
    fn replays(&mut self, count: usize) -> Result<Batch>;

    /// Time since the target was made.
    fn elapsed(&self) -> Duration;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::sampler::Plan;
    use crate::simulated::{CLOCK, Fake};

    fn run(fake: &mut Fake) -> (Sampled, Summary) {
        let sampled = sample(fake, &Plan::default(), &mut |_, _| {}).expect("a fake does not fail");
        let summary = Summary::of_samples(&sampled.samples).expect("samples");
        (sampled, summary)
    }

    #[test]
    fn the_median_is_the_kernels_time_despite_noise() {
        for (ns, noise, outliers) in [(5e4, 0.01, 0.0), (1e6, 0.03, 0.1), (2e3, 0.02, 0.05)] {
            let (sampled, summary) = run(&mut Fake { noise, outliers, ..Fake::of(ns, 1) });
            assert_eq!(sampled.stop, Stop::Settled, "{ns} {noise}");
            // Outliers, 10 % of the launches, shift the median up by 10 % of one side of the distribution.
            assert!((summary.median / ns - 1.0).abs() < 0.005 + noise * outliers, "{summary:?}");
            assert!(summary.relative_width() < 0.005 && summary.count >= 30);
        }
    }

    #[test]
    fn noise_that_does_not_settle_ends_at_the_limit() {
        let mut fake = Fake { noise: 0.5, ..Fake::of(2e7, 2) };
        let (sampled, _) = run(&mut fake);
        assert_eq!(sampled.stop, Stop::TimeLimit);
        assert!(fake.elapsed() < Duration::from_millis(18_500), "{:?}", fake.elapsed());
    }

    #[test]
    fn sampling_lasts_half_a_second_at_least() {
        let mut fake = Fake { noise: 1e-6, ..Fake::of(4.5e4, 3) };
        let (sampled, _) = run(&mut fake);
        assert!(fake.elapsed() >= WARM_UP.0 + Plan::default().at_least);
        let total: f64 = sampled.samples.iter().map(|sample| sample.ns).sum();
        assert!(total > 0.4e9, "every launch is kept: {total}");
    }

    #[test]
    fn short_kernels_are_timed_in_graphs_of_whole_rotations() {
        let mut fake = Fake { copies: 7, ..Fake::of(3e3, 4) };
        let (sampled, summary) = run(&mut fake);
        let Timer::Graph(launches) = sampled.timer else { panic!("a graph") };
        assert!(launches % 7 == 0 && f64::from(launches) * 3e3 >= GRAPH_NS);
        assert!((summary.median / 3e3 - 1.0).abs() < 0.005);
        let (sampled, _) = run(&mut Fake { recordable: false, ..Fake::of(3e3, 4) });
        assert_eq!(sampled.timer, Timer::Events);
        assert_eq!(run(&mut Fake::of(5e4, 4)).0.timer, Timer::Events);
        // The time in which a host launches two kernels.
        assert!(matches!(run(&mut Fake::of(2.5e4, 4)).0.timer, Timer::Graph(_)));
    }

    #[test]
    fn the_warm_up_waits_for_the_clock() {
        // The clock climbs to its full value in 0.8 s, in steps so small that a single batch looks settled.
        let ramp = |seconds: f64| (0.5 + 0.625 * seconds).min(1.0);
        let (sampled, summary) = run(&mut Fake { clock: ramp, ..Fake::of(1e6, 5) });
        assert!((summary.median / 1e6 - 1.0).abs() < 0.01, "{summary:?}");
        assert!(sampled.samples.iter().all(|sample| !sample.off_clock));
        // Without a monitor, only the time shows whether the clock settled.
        let (_, summary) = run(&mut Fake { clock: ramp, monitored: false, ..Fake::of(1e6, 5) });
        assert!((summary.median / 1e6 - 1.0).abs() < 0.02, "{summary:?}");
    }

    #[test]
    fn samples_at_a_reduced_clock_are_marked_and_kept() {
        let drop = |seconds: f64| if (0.4..0.5).contains(&seconds) { 0.75 } else { 1.0 };
        let (sampled, summary) = run(&mut Fake { clock: drop, ..Fake::of(1e6, 6) });
        let marked: Vec<_> = sampled.samples.iter().filter(|sample| sample.off_clock).collect();
        assert!(!marked.is_empty() && marked.len() * 2 < sampled.samples.len());
        assert!(marked.iter().all(|sample| sample.sm_mhz == Some((0.75 * CLOCK) as u32)));
        assert_eq!(summary.count, sampled.samples.len());
        assert!((summary.median / 1e6 - 1.0).abs() < 0.01);
    }

    #[test]
    fn without_a_monitor_nothing_is_marked() {
        let (sampled, _) = run(&mut Fake { monitored: false, ..Fake::of(1e6, 7) });
        assert!(sampled.samples.iter().all(|sample| sample.sm_mhz.is_none() && !sample.off_clock));
    }

    #[test]
    fn the_interval_covers_the_median_despite_the_stopping_rule() {
        let covers = |seed: u64| {
            let (_, summary) = run(&mut Fake { noise: 0.04, ..Fake::of(4e6, seed) });
            summary.interval.0 <= 4e6 && 4e6 <= summary.interval.1
        };
        let covered = (0..400).filter(|&seed| covers(1000 + seed)).count();
        // 95 % would be 380; the stopping rule loses some.
        assert!(covered >= 368, "{covered} of 400");
    }

    #[test]
    fn progress_reports_the_width_and_the_time_left() {
        let mut said = Vec::new();
        let mut fake = Fake { noise: 0.05, ..Fake::of(1e7, 8) };
        sample(&mut fake, &Plan::default(), &mut |width, left| said.push((width, left)))
            .expect("fake");
        assert!(said.windows(2).all(|pair| pair[0].1 > pair[1].1), "the time left shrinks");
        assert!(said.iter().all(|(width, left)| *width >= 0.0 && *left <= Plan::default().limit));
    }
}
