//! Verdicts on two runs of known distributions, and properties of all runs.

use super::*;
use crate::record::Cache;
use crate::simulated::samples::{at_clock, record};
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
