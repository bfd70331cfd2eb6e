//! Predictions of the rungs of the half-precision product on tensor cores.

use super::verify_every_rung;
use lanework::{Backend, Counters, Device};
use lanework_lab::Request;

const N: u64 = 256;

fn counted(rung: &str) -> Counters {
    super::counted("hgemm", rung, &Request::new(Backend::Emulator).with("size", N))
}

#[test]
fn one_warp_loads_six_requests_of_eight_sectors_per_product() {
    let counters = counted("one-warp");
    let products = N * N * N / (16 * 8 * 16);
    assert_eq!(counters.global_load.requests, 6 * products);
    assert_eq!(counters.global_load.sectors_per_request(), 8.0);
}

#[test]
fn a_block_tile_loads_a_24th_without_bank_conflicts() {
    let (one, tile) = (counted("one-warp"), counted("block-tile"));
    assert_eq!(one.global_load.sectors, 24 * tile.global_load.sectors);
    assert_eq!(tile.shared_load.bank_conflicts, 0);
}

#[test]
fn a_pipeline_loads_the_same_with_half_of_the_barriers() {
    let (tile, pipelined) = (counted("block-tile"), counted("pipelined"));
    assert_eq!(tile.global_load.sectors, pipelined.global_load.sectors);
    assert_eq!(tile.barriers, 2 * pipelined.barriers);
}

#[test]
fn warpgroups_load_no_fragments() {
    let (pipelined, warpgroups) = (counted("pipelined"), counted("warpgroups"));
    assert!(pipelined.shared_load.requests > 0);
    assert_eq!(warpgroups.shared_load.requests, 0);
    assert_eq!(pipelined.global_load.sectors, warpgroups.global_load.sectors);
}

#[test]
fn wider_tiles_load_three_quarters_and_clusters_two_thirds_of_that() {
    let (warpgroups, specialized) = (counted("warpgroups"), counted("specialized"));
    assert_eq!(specialized.global_load.requests, 0);
    assert_eq!(4 * specialized.bulk_load.bytes, 3 * warpgroups.global_load.bytes);
    let clusters = counted("clusters");
    assert_eq!(3 * clusters.bulk_load.bytes, 2 * specialized.bulk_load.bytes);
    assert_eq!(clusters.global_store.requests, 0);
}

#[test]
fn tiles_of_turns_load_a_third_more() {
    let (specialized, turns) = (counted("specialized"), counted("turns"));
    assert_eq!(3 * turns.bulk_load.bytes, 4 * specialized.bulk_load.bytes);
    assert_eq!(turns.global_load.requests, 0);
}

#[test]
fn every_rung_is_right_on_every_device_for_ragged_extents() {
    for device in Device::for_tests("products on tensor cores") {
        for (m, n, k) in [(45, 70, 33), (256, 300, 64)] {
            let request = Request::new(device.backend()).with("m", m).with("n", n).with("k", k);
            verify_every_rung("hgemm", &request, &device);
        }
    }
}
