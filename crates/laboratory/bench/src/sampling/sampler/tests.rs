//! The sampler on kernels of known times.

use super::*;
use crate::sampling::plan::Plan;
use crate::simulated::fake::{CLOCK, Fake};

fn run(fake: &mut Fake) -> (Sampled, Summary) {
    let sampled = sample(fake, &Plan::default(), &mut |_, _| {}).expect("a fake does not fail");
    let summary = Summary::of_samples(&sampled.samples).expect("samples");
    (sampled, summary)
}

#[test]
fn the_median_is_the_kernels_time_whatever_the_noise() {
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
fn samples_at_a_dropped_clock_are_marked_and_kept() {
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
    sample(&mut fake, &Plan::default(), &mut |width, left| said.push((width, left))).expect("fake");
    assert!(said.windows(2).all(|pair| pair[0].1 > pair[1].1), "the time left shrinks");
    assert!(said.iter().all(|(width, left)| *width >= 0.0 && *left <= Plan::default().limit));
}
