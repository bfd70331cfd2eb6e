//! The verdict on two series of samples.
//!
//! Interleaved series give one ratio per round (A B B A), which cancels linear drift; the ratio is their median with
//! the distribution-free interval between two order statistics (Conover, Practical Nonparametric Statistics, 3.2).
//! Two separate runs give the ratio of their medians; its interval combines a 97.5 % interval of each (Bonferroni's
//! inequality: at least 95 % together). The clock may differ between runs, which one run's samples cannot show, so
//! the ratio of the clocks widens the interval.
//!
//! A verdict needs an interval on one side of 1 and a difference above the resolution: 0.5 % interleaved, 1 % between
//! runs. Limits: rounds are assumed independent; a difference caused by buffer addresses is not recognized as such.

use crate::record::{ComparisonRecord, TimedRecord, Verdict};
use crate::sampling::plan::RESOLUTION;
use crate::sampling::stats::{Summary, wide_interval};

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
            (Verdict::Ambiguous, format!("{range}: the interval holds 0"))
        }
        () if (ratio - 1.0).abs() <= resolution => {
            let limit = 100.0 * resolution;
            (Verdict::Ambiguous, format!("{range}: within the {limit} % that is resolved"))
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
        .or_else(|| of("states of the cache", a.cache.name(), b.cache.name()))
        .or_else(|| {
            keys().find_map(|key| of(&format!("values of {key}"), &value(a, key), &value(b, key)))
        })
}

/// Why one of the two figures is invalid, if so.
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

#[cfg(test)]
mod tests;
