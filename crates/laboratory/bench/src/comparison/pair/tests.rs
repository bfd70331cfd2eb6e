//! Comparisons of kernels whose times are known.

use super::*;
use crate::simulated::fake::Fake;

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
fn no_verdict_against_itself_means_a_difference() {
    // The exit code depends on this: the verdict on one kernel against itself is never FAST or SLOW.
    let verdicts: Vec<Verdict> = (100..200).map(|seed| judged(1.0, seed, rough).verdict).collect();
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
fn drift_hits_both() {
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
    let whole = crate::simulated::samples::record(1000.0, 0.01, 1);
    let half = crate::record::TimedRecord {
        invalid: Some("under the floor".to_owned()),
        ..crate::simulated::samples::record(500.0, 0.01, 2)
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
