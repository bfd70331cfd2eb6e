//! Comparing two kernels: interleaved rounds of A B B A in one process, and verdicts on two series of samples.
//!
//! Interleaved series give one ratio per round (A B B A), which cancels linear drift; the ratio is their median with
//! the distribution-free interval between two order statistics (Conover, Practical Nonparametric Statistics, 3.2).
//! Two separate runs give the ratio of their medians; its interval combines a 97.5 % interval of each (Bonferroni's
//! inequality: at least 95 % together). The clock may differ between runs, which one run's samples cannot show, so
//! the ratio of the clocks widens the interval.
//!
//! A verdict needs an interval on one side of 1 and a difference above the resolution: 0.5 % interleaved, 1 % between
//! runs. Limits: rounds are assumed independent; a difference caused by buffer addresses is not recognized as such.

use crate::device::{GpuTarget, record};
use crate::record::{About, ComparisonRecord, Stop, TimedRecord, Verdict};
use crate::sampling::sampler::{Pace, Plan, RESOLUTION, Sampled, Sampler, Target};
use crate::sampling::{Summary, wide_interval};
use lanework_runtime::{Device, Job, Result};
use std::time::Duration;

/// The fewest rounds or samples that have a 95 % interval.
const FEWEST: usize = 6;

/// A ratio of times, its interval, and the verdict with its reason.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judged {
    pub ratio: f64,
    pub interval: [f64; 2],
    pub verdict: Verdict,
    pub why: String,
}

/// Judges the ratios of interleaved rounds.
pub(crate) fn judge_rounds(ratios: &[f64]) -> Judged {
    let Some(summary) = Summary::of(ratios).filter(|summary| summary.count >= FEWEST) else {
        let ratio = Summary::of(ratios).map_or(1.0, |summary| summary.median);
        let why = format!("{} rounds are too few for an interval", ratios.len());
        return Judged { ratio, interval: [0.0, f64::MAX], verdict: Verdict::Ambiguous, why };
    };
    judge(summary.median, [summary.interval.0, summary.interval.1], RESOLUTION)
}

/// Judges a ratio by its interval and the resolution.
fn judge(ratio: f64, interval: [f64; 2], resolution: f64) -> Judged {
    let percent = |ratio: f64| format!("{:+.2} %", 100.0 * (ratio - 1.0));
    let [low, high] = interval;
    let range = format!("{} ({} to {})", percent(ratio), percent(low), percent(high));
    let (verdict, why) = match () {
        () if low <= 1.0 && high >= 1.0 => {
            (Verdict::Ambiguous, format!("{range}: the interval contains 0"))
        }
        () if (ratio - 1.0).abs() <= resolution => {
            let limit = 100.0 * resolution;
            (Verdict::Ambiguous, format!("{range}: within the resolution of {limit} %"))
        }
        () if ratio > 1.0 => (Verdict::Slow, range),
        () => (Verdict::Fast, range),
    };
    Judged { ratio, interval, verdict, why }
}

/// Compares two runs that were not interleaved: `b` against `a`.
pub fn compare_samples(a: &TimedRecord, b: &TimedRecord) -> ComparisonRecord {
    let Judged { ratio, interval, verdict, why } = match differing(a, b) {
        None => judge_runs(a, b),
        Some(why) => Judged {
            ratio: b.summary.median_ns / a.summary.median_ns,
            interval: [0.0, f64::MAX],
            verdict: Verdict::Invalid,
            why,
        },
    };
    let (a, b) = (a.clone(), b.clone());
    ComparisonRecord { a, b, interleaved: false, ratio, interval, verdict, why }
}

/// Why two records cannot be compared; `None` if they can.
fn differing(a: &TimedRecord, b: &TimedRecord) -> Option<String> {
    let of = |what: &str, a: &str, b: &str| (a != b).then(|| format!("{what} {a} and {b} differ"));
    let number = |what: &str, a: u32, b: u32| of(what, &a.to_string(), &b.to_string());
    let keys = || a.problem.keys().chain(b.problem.keys());
    let value =
        |record: &TimedRecord, key: &String| record.problem.get(key).cloned().unwrap_or_default();
    invalid(a, b)
        .or_else(|| of("devices", &a.device.name, &b.device.name))
        .or_else(|| number("protocols", a.protocol, b.protocol))
        .or_else(|| of("cache states", a.cache.name(), b.cache.name()))
        .or_else(|| {
            keys().find_map(|key| of(&format!("values of {key}"), &value(a, key), &value(b, key)))
        })
}

/// Why one of the two figures is invalid; `None` if both are valid.
pub(crate) fn invalid(a: &TimedRecord, b: &TimedRecord) -> Option<String> {
    let said = |record: &TimedRecord| {
        Some(format!("{}: {}", record.subject.title(), record.invalid.as_ref()?))
    };
    said(a).or_else(|| said(b))
}

fn judge_runs(a: &TimedRecord, b: &TimedRecord) -> Judged {
    let ratio = b.summary.median_ns / a.summary.median_ns;
    let few = [a, b].map(|record| record.samples.len()).into_iter().min().unwrap_or(0);
    let intervals = wide_interval(&a.times()).zip(wide_interval(&b.times()));
    let Some((of_a, of_b)) = intervals.filter(|_| few >= FEWEST) else {
        let why = format!("{few} samples are too few for an interval");
        return Judged { ratio, interval: [0.0, f64::MAX], verdict: Verdict::Ambiguous, why };
    };
    let clocks = clock(a).zip(clock(b)).map_or(1.0, |(a, b)| a / b);
    let interval = [of_b.0 / of_a.1 / clocks.max(1.0), of_b.1 / of_a.0 / clocks.min(1.0)];
    let mut judged = judge(ratio, interval, 2.0 * RESOLUTION);
    if (clocks - 1.0).abs() > 2.0 * RESOLUTION {
        judged.why += "; the clocks of the two runs differ, which is within the interval";
    }
    judged
}

/// The clock of most samples.
fn clock(record: &TimedRecord) -> Option<f64> {
    let clocks: Vec<f64> =
        record.samples.iter().filter_map(|sample| sample.sm_mhz).map(f64::from).collect();
    Summary::of(&clocks).map(|summary| summary.median)
}

/// Interleaved samples of two kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// Samples of the first.
    pub a: Sampled,
    /// Samples of the second.
    pub b: Sampled,
    /// Time of the second divided by time of the first, for each round.
    pub ratios: Vec<f64>,
}

/// Samples two kernels in rounds of A B B A until the interval of their ratio is narrow enough or the time is over.
/// `progress` receives the relative width of that interval and the longest time left.
///
/// # Errors
/// When a launch fails.
pub fn interleave(
    a: &mut dyn Target,
    b: &mut dyn Target,
    plan: &Plan,
    progress: &mut dyn FnMut(f64, Duration),
) -> Result<Paired> {
    let (mut a, mut b) = (Sampler::warm(a)?, Sampler::warm(b)?);
    let started = a.elapsed();
    let (mut ratios, mut pace) = (Vec::new(), Pace::default());
    let stop = loop {
        let times = [a.step()?, b.step()?, b.step()?, a.step()?];
        ratios.push((times[1] + times[2]) / (times[0] + times[3]));
        let elapsed = a.elapsed().saturating_sub(started);
        let width = Summary::of(&ratios).map_or(1.0, |summary| summary.relative_width());
        let enough = ratios.len() >= plan.samples && elapsed >= 2 * plan.at_least;
        if enough && width < plan.narrow.min(RESOLUTION) {
            break Stop::Settled;
        }
        if elapsed >= plan.limit && ratios.len() >= plan.rounds {
            break Stop::TimeLimit;
        }
        if pace.progress_is_due(elapsed) {
            progress(width, plan.limit.saturating_sub(elapsed));
        }
    };
    Ok(Paired { a: a.finish(stop), b: b.finish(stop), ratios })
}

/// Times two interleaved kernels on a GPU; each comes with its jobs, one for each copy of its problem.
///
/// # Errors
/// When a launch fails, or on the emulator, which does not model time.
pub fn compare<'a>(
    device: &Device,
    a: (Vec<Job<'a>>, &About),
    b: (Vec<Job<'a>>, &About),
    plan: &Plan,
    progress: &mut dyn FnMut(f64, Duration),
) -> Result<ComparisonRecord> {
    let texts = [&a, &b].map(|(jobs, _)| jobs.first().and_then(Job::ptx));
    let [ptx_a, ptx_b] = texts;
    let mut targets =
        [GpuTarget::new(device, a.0, a.1.reset)?, GpuTarget::new(device, b.0, b.1.reset)?];
    let [first, second] = &mut targets;
    let paired = interleave(first, second, plan, progress)?;
    drop(targets);
    let a = record(device, a.1, ptx_a.as_deref(), paired.a)?;
    let b = record(device, b.1, ptx_b.as_deref(), paired.b)?;
    Ok(conclude(a, b, &paired.ratios))
}

/// The comparison of two records with interleaved samples, with these ratios.
fn conclude(a: TimedRecord, b: TimedRecord, ratios: &[f64]) -> ComparisonRecord {
    let Judged { ratio, interval, verdict, why } = judge_rounds(ratios);
    let (verdict, why) = match invalid(&a, &b) {
        Some(why) => (Verdict::Invalid, why),
        None => (verdict, why),
    };
    ComparisonRecord { a, b, interleaved: true, ratio, interval, verdict, why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Cache;
    use crate::simulated::Fake;
    use crate::simulated::{at_clock, record};
    use proptest::prelude::*;

    #[test]
    fn two_runs_of_one_kernel_are_ambiguous() {
        let right = |seed: &u64| {
            let (a, b) = (record(1000.0, 0.02, 2 * seed), record(1000.0, 0.02, 2 * seed + 1));
            compare_samples(&a, &b).verdict == Verdict::Ambiguous
        };
        assert!((0..100).filter(right).count() >= 95);
    }

    #[test]
    fn three_percent_between_runs_is_a_difference() {
        let verdict = |ns: f64, seed: u64| {
            compare_samples(&record(1000.0, 0.02, seed), &record(ns, 0.02, 500 + seed)).verdict
        };
        assert!((0..100).all(|seed| verdict(1030.0, seed) == Verdict::Slow));
        assert!((0..100).all(|seed| verdict(970.0, seed) == Verdict::Fast));
    }

    #[test]
    fn another_clock_widens_the_interval_by_its_ratio() {
        let (fast, slow) =
            (at_clock(record(1000.0, 0.005, 1), 1980), at_clock(record(1100.0, 0.005, 2), 1800));
        let compared = compare_samples(&fast, &slow);
        assert_eq!(compared.verdict, Verdict::Ambiguous, "{}", compared.why);
        assert!(compared.why.contains("clocks"));
        let slower = at_clock(record(1200.0, 0.005, 3), 1800);
        assert_eq!(compare_samples(&fast, &slower).verdict, Verdict::Slow);
    }

    #[test]
    fn different_questions_have_no_verdict() {
        let a = record(1000.0, 0.01, 1);
        let mut others = vec![a.clone(); 4];
        others[0].problem.insert("rows".to_owned(), "2048".to_owned());
        others[1].device.name = "other".to_owned();
        others[2].cache = Cache::Hot;
        others[3].invalid = Some("under the floor".to_owned());
        for other in &others {
            let compared = compare_samples(&a, other);
            assert_eq!(compared.verdict, Verdict::Invalid);
            assert!(!compared.why.is_empty() && compared.interval[1].is_finite());
        }
    }

    proptest! {
        #[test]
        fn summaries_are_ordered_and_do_not_depend_on_the_order(
            mut samples in prop::collection::vec(1.0..1e9f64, 1..200),
            by in 0.001..1000.0f64,
        ) {
            let summary = Summary::of(&samples).expect("samples");
            prop_assert!(summary.min <= summary.lower_quartile && summary.lower_quartile <= summary.median);
            prop_assert!(summary.median <= summary.upper_quartile);
            prop_assert!(summary.interval.0 <= summary.median && summary.median <= summary.interval.1);
            let wide = wide_interval(&samples).expect("samples");
            prop_assert!(wide.0 <= summary.interval.0 && summary.interval.1 <= wide.1);
            samples.reverse();
            prop_assert_eq!(&Summary::of(&samples).expect("samples"), &summary);
            // Scaling the unit scales every figure.
            let scaled: Vec<f64> = samples.iter().map(|ns| ns * by).collect();
            let scaled = Summary::of(&scaled).expect("samples");
            prop_assert!((scaled.median / by / summary.median - 1.0).abs() < 1e-9);
            prop_assert!((scaled.relative_width() - summary.relative_width()).abs() < 1e-6 * (1.0 + summary.relative_width()));
        }

        #[test]
        fn one_sample_more_in_the_tail_moves_the_median_by_a_rank_at_most(
            mut samples in prop::collection::vec(1.0..1e6f64, 3..100),
        ) {
            let before = Summary::of(&samples).expect("samples");
            let mut sorted = samples.clone();
            sorted.sort_by(f64::total_cmp);
            samples.push(1e18);
            let after = Summary::of(&samples).expect("samples");
            let next = sorted[(sorted.len() / 2 + 1).min(sorted.len() - 1)];
            prop_assert!(before.median <= after.median && after.median <= next.max(before.median));
        }

        #[test]
        fn swapping_the_sides_reverses_a_verdict(ns in 900.0..1100.0f64, noise in 0.0..0.05f64, seed in 0..1000u64) {
            let (a, b) = (record(1000.0, noise, seed), record(ns, noise, seed + 5000));
            let (there, back) = (compare_samples(&a, &b), compare_samples(&b, &a));
            prop_assert!((there.ratio * back.ratio - 1.0).abs() < 1e-9);
            prop_assert!(there.interval[0] <= there.ratio && there.ratio <= there.interval[1]);
            let decided = [there.verdict, back.verdict];
            prop_assert!(decided != [Verdict::Fast; 2] && decided != [Verdict::Slow; 2]);
            if there.verdict == Verdict::Slow && there.ratio > 1.011 {
                prop_assert_eq!(back.verdict, Verdict::Fast);
            }
        }
    }

    /// Two kernels on one device: the second takes `ratio` times as long; `change` sets what both share.
    fn judged(ratio: f64, seed: u64, change: impl Fn(Fake) -> Fake) -> Judged {
        let mut a = change(Fake::of(1e6, 2 * seed));
        let b = change(Fake::of(1e6 * ratio, 2 * seed + 1));
        let mut b = Fake { now: a.now.clone(), ..b };
        let paired = interleave(&mut a, &mut b, &Plan::default(), &mut |_, _| {}).expect("fakes");
        assert!(!paired.a.samples.is_empty() && !paired.b.samples.is_empty());
        judge_rounds(&paired.ratios)
    }

    /// Noise, outliers and drift as on a GPU that warms up.
    fn rough(fake: Fake) -> Fake {
        Fake { noise: 0.02, outliers: 0.05, drift: 0.02, ..fake }
    }

    #[test]
    fn a_kernel_against_itself_is_ambiguous_or_within_half_a_percent() {
        let right = |seed: &u64| {
            let judged = judged(1.0, *seed, rough);
            judged.verdict == Verdict::Ambiguous || (judged.ratio - 1.0).abs() <= 0.005
        };
        let right = (0..100).filter(right).count();
        assert!(right >= 95, "{right} of 100");
    }

    #[test]
    fn a_kernel_never_differs_from_itself() {
        // The exit code depends on this: the verdict on one kernel against itself is never FAST or SLOW.
        let verdicts: Vec<Verdict> =
            (100..200).map(|seed| judged(1.0, seed, rough).verdict).collect();
        let wrong = verdicts.iter().filter(|verdict| **verdict != Verdict::Ambiguous).count();
        assert!(wrong <= 1, "{wrong} of 100");
    }

    #[test]
    fn three_percent_is_a_difference() {
        let of = |ratio: f64| (0..100).map(move |seed| judged(ratio, 300 + seed, rough).verdict);
        assert_eq!(of(1.03).filter(|verdict| *verdict == Verdict::Slow).count(), 100);
        assert_eq!(of(1.0 / 1.03).filter(|verdict| *verdict == Verdict::Fast).count(), 100);
    }

    #[test]
    fn drift_affects_both_kernels() {
        let judged = judged(1.0, 9, |fake| Fake { drift: 0.3, noise: 0.005, ..fake });
        assert!((judged.ratio - 1.0).abs() < 0.003, "{judged:?}");
        assert_eq!(judged.verdict, Verdict::Ambiguous);
    }

    #[test]
    fn short_kernels_are_compared_in_graphs() {
        let mut a = Fake::of(2e3, 1);
        let mut b = Fake { now: a.now.clone(), ..Fake::of(2.06e3, 2) };
        let paired = interleave(&mut a, &mut b, &Plan::default(), &mut |_, _| {}).expect("fakes");
        assert!(a.graph.is_some() && b.graph.is_some());
        assert_eq!(judge_rounds(&paired.ratios).verdict, Verdict::Slow);
    }

    #[test]
    fn too_few_rounds_are_ambiguous() {
        assert_eq!(judge_rounds(&[1.5; 5]).verdict, Verdict::Ambiguous);
        assert_eq!(judge_rounds(&[1.5; 6]).verdict, Verdict::Slow);
        assert_eq!(judge_rounds(&[]).verdict, Verdict::Ambiguous);
    }

    #[test]
    fn half_of_the_work_is_invalid_and_not_fast() {
        let whole = crate::simulated::record(1000.0, 0.01, 1);
        let half = crate::record::TimedRecord {
            invalid: Some("under the floor".to_owned()),
            ..crate::simulated::record(500.0, 0.01, 2)
        };
        let paired = |record: &crate::record::TimedRecord| Sampled {
            samples: record.samples.clone(),
            timer: record.timer,
            stop: record.stop,
        };
        let paired = Paired { a: paired(&whole), b: paired(&half), ratios: vec![0.5; 30] };
        let compared = conclude(whole, half, &paired.ratios);
        assert_eq!(compared.verdict, Verdict::Invalid);
        assert!(compared.why.contains("under the floor"));
    }

    #[test]
    fn rounds_that_an_interval_needs_outlast_the_limit() {
        let mut a = Fake::of(1e8, 1);
        let mut b = Fake { now: a.now.clone(), ..Fake::of(1e8, 2) };
        let plan = Plan { rounds: 6, ..Plan::within(Duration::from_millis(200)) };
        let paired = interleave(&mut a, &mut b, &plan, &mut |_, _| {}).expect("fakes");
        assert_eq!((paired.ratios.len(), paired.a.stop), (6, Stop::TimeLimit));
        assert_eq!(paired.a.samples.len(), 12, "turns of one launch");
    }
}
