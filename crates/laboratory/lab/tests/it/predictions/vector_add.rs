//! Vector addition: results at odd lengths, and predictions of the rungs.

use super::{counted, verify_every_rung};
use lanework::{Backend, Counters, Device};
use lanework_lab::Request;

const N: u64 = 1 << 14;
const REQUESTS: u64 = N / 32;

fn counters(rung: &str) -> Counters {
    counted("vector-add", rung, &Request::new(Backend::Emulator).with("size", N))
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
        for length in [0, 1, 2, 3, 4, 5, 255, 257, 100_003] {
            let request = Request::new(device.backend()).with("size", length);
            verify_every_rung("vector-add", &request, &device);
        }
    }
}
