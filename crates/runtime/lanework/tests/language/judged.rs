//! `examples/math_bits` measures errors on the device: it must find the same errors as the host, at the same arguments.

#[path = "../../examples/math_bits/judge.rs"]
mod judge;

use judge::{distance, judge as judged, pair, power_pair};
use lanework::math::errors::{
    Kind, ONES, TWOS, pair_single, power_single, sweep_pairs, sweep_single, ulps_single,
};
use lanework::prelude::*;

#[test]
fn the_distance_is_the_hosts() {
    let most = f64::from(f32::MAX);
    let least = f64::from(f32::from_bits(1));
    let wants = [
        0.0,
        1.0,
        1.0 + 1e-9,
        1.5,
        2.0 - 1e-12,
        1e-40,
        least / 3.0,
        1e-300,
        least,
        most,
        most * (1.0 + 1e-9),
        most + 2f64.powi(102),
        most + 2f64.powi(103),
        2f64.powi(128),
        1e300,
        f64::INFINITY,
        f64::NAN,
    ];
    let gots = [
        0.0,
        1.0,
        1.0f32.next_up(),
        1.5,
        2.0,
        2.0f32.next_down(),
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    for (want, got) in wants.iter().flat_map(|want| gots.iter().map(move |got| (*want, *got))) {
        for (want, got) in [(want, got), (-want, got), (want, -got), (-want, -got)] {
            let (ours, hosts) = (distance(got, want), ulps_single(got, want));
            // For infinity, the host adds one unit of the expected value.
            let near = ours == hosts || (ours - hosts).abs() <= 1e-7 * hosts;
            assert!(near, "{got:e} for {want:e}: {ours}, the host says {hosts}");
        }
    }
}

#[test]
fn pairs_are_the_hosts() {
    let bits = |(x, y): (f32, f32)| (x.to_bits(), y.to_bits());
    for i in (0..3000u64).chain((1 << 32)..(1 << 32) + 100) {
        assert_eq!(bits(pair(i)), bits(pair_single(i)), "{i}");
        assert_eq!(bits(power_pair(i)), bits(power_single(i)), "{i}");
    }
}

#[test]
fn the_device_finds_the_errors_that_the_host_finds() {
    const STRIDE: u64 = 1_000_003;
    let total = (1u64 << 32).div_ceil(STRIDE);
    for device in Device::for_tests("the judge of elementary functions") {
        for f in ONES {
            let found = judged(&device, (f.name, Kind::Single), 4, total, STRIDE as u32).unwrap();
            let want = sweep_single(f, STRIDE, 2);
            assert_eq!(found.other, 0, "{found}");
            assert!((found.worst.ulps - want.ulps).abs() < 1e-6, "{found}, the host: {want:x?}");
            let x = f32::from_bits(found.worst.at[0] as u32);
            let there = ulps_single((f.single)(x), (f.host)(x.into()));
            assert!((there - want.ulps).abs() < 1e-6, "{found}, the host: {there}");
        }
        for f in TWOS {
            let found = judged(&device, (f.name, Kind::SinglePairs), 4, 5000, 1).unwrap();
            let [want, _] = sweep_pairs(f, 5000, 2);
            assert_eq!(found.other, 0, "{found}");
            assert!((found.worst.ulps - want.ulps).abs() < 1e-4, "{found}, the host: {want:x?}");
        }
    }
}
