//! Vector addition: right at every length, and what the rungs predict.

use lanework::{Backend, Device};
use lanework_lab::{ClimbSettings, Request, climb, family, run_rung};
use std::time::Duration;

const N: u64 = 1 << 14;
const REQUESTS: u64 = N / 32;

fn counters(rung: &str) -> lanework::Counters {
    let family = family("vector-add").expect("a ladder");
    let case = family.case(&Request::new(Backend::Emulator).with("size", N)).expect("a case");
    let how =
        ClimbSettings { rungs: vec![rung.to_owned()], seed: 1, time_limit: Duration::from_secs(1) };
    let device = Device::emulator();
    let record = climb(&family, case.as_ref(), &device, &how, &mut |_| {}).expect("a climb");
    let rung = record.rungs.into_iter().next().expect("a rung");
    assert_eq!(rung.error, None);
    rung.counters.expect("counted")
}

#[test]
fn one_each_and_grid_stride_make_full_requests_of_four_sectors() {
    for rung in ["one-each", "grid-stride"] {
        let counted = counters(rung);
        assert_eq!(counted.global_load.requests, 2 * REQUESTS, "{rung}");
        assert_eq!(counted.global_load.sectors_per_request(), 4.0, "{rung}");
        assert_eq!(counted.global_store.requests, REQUESTS, "{rung}");
    }
}

#[test]
fn vectorized_makes_a_quarter_of_the_requests_and_fewer_instructions() {
    let counted = counters("vectorized");
    assert_eq!(counted.global_load.requests, 2 * REQUESTS / 4);
    assert_eq!(counted.global_load.sectors_per_request(), 16.0);
    assert!(counted.warp_instructions < counters("one-each").warp_instructions);
}

#[test]
fn every_rung_at_odd_lengths() {
    for device in Device::for_tests("vector addition") {
        let family = family("vector-add").expect("a ladder");
        for length in [0, 1, 2, 3, 4, 5, 255, 257, 100_003] {
            let request = Request::new(device.backend()).with("size", length);
            let case = family.case(&request).expect("a case");
            for rung in (family.ladder)().rungs {
                let ran = run_rung(rung.name, case.as_ref(), &device).expect(rung.name);
                assert!(ran.is_ok(), "{} at {length}: {ran:?}", rung.name);
            }
        }
    }
}
