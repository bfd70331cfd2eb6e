//! Predictions of the rungs of products in TF32, 8-bit floats and f64, and of the product of a matrix and a vector.

use super::{climbed, counted, verify_every_rung};
use lanework::{Backend, Device};
use lanework_bench::Accuracy;
use lanework_lab::Request;

fn sized(size: u64) -> Request {
    Request::new(Backend::Emulator).with("size", size)
}

/// The normwise relative error of a rung's results.
fn error(ladder: &str, rung: &str, request: &Request) -> f64 {
    let [record] = climbed(ladder, [rung], request);
    match record.accuracy.expect("compared") {
        Accuracy::WithinBound { normwise, .. } => normwise,
        Accuracy::BitExact => 0.0,
    }
}

#[test]
#[ignore = "slow: products by tensor cores at three sizes"]
fn tf32_factors_have_twice_the_bytes_and_halves_of_them_round() {
    let request = sized(256);
    let fragments = counted("tf32", "fragments", &request);
    let bf16 = counted("hgemm", "pipelined", &request);
    assert_eq!(fragments.global_load.bytes, 2 * bf16.global_load.bytes);
    assert_eq!(fragments.global_load.sectors_per_request(), 16.0);
    assert_eq!(fragments.shared_load.bank_conflicts, 0);
    let warpgroups = counted("tf32", "warpgroups", &request);
    assert_eq!((warpgroups.global_load.requests, warpgroups.global_store.requests), (0, 0));
    let halved = counted("tf32", "halved", &request);
    assert_eq!(2 * halved.bulk_load.bytes, warpgroups.bulk_load.bytes);
    let [cut, rounded] = ["warpgroups", "halved"].map(|rung| error("tf32", rung, &request));
    assert!(3.0 * rounded < 2.0 * cut, "{rounded:e} against {cut:e}");
}

#[test]
#[ignore = "slow: products by tensor cores at three sizes"]
fn fp8_factors_have_half_the_bytes_and_promoted_sums_smaller_errors() {
    let request = sized(256);
    let chained = counted("fp8", "chained", &request);
    let bf16 = counted("hgemm", "specialized", &request);
    assert_eq!(2 * chained.bulk_load.bytes, bf16.bulk_load.bytes);
    assert_eq!(2 * chained.bulk_load.requests, bf16.bulk_load.requests);
    assert_eq!((chained.global_load.requests, chained.shared_load.requests), (0, 0));
    let library = counted("fp8", "library", &request);
    assert_eq!(library.global_store.requests, 0);
    let promoted = counted("fp8", "promoted", &request);
    assert_eq!(3 * promoted.bulk_load.bytes, 4 * chained.bulk_load.bytes);
    let deep = Request::new(Backend::Emulator).with("m", 128).with("n", 128).with("k", 1024);
    let [of_chained, of_library, of_promoted, of_turns] =
        ["chained", "library", "promoted", "turns"].map(|rung| error("fp8", rung, &deep));
    assert!(4.0 * of_promoted < of_chained, "{of_promoted:e} against {of_chained:e}");
    assert_eq!((of_library, of_turns), (of_chained, of_promoted));
}

#[test]
#[ignore = "slow: products by tensor cores at three sizes"]
fn fragments_of_f64_need_few_instructions() {
    let request = sized(256);
    let products = 256 * 256 * 256;
    let [tile, warp, fragments, library] = ["fma-tile", "one-warp", "fragments", "library"]
        .map(|rung| counted("dgemm", rung, &request));
    assert_eq!(32 * tile.global_load.requests, products / 32);
    assert_eq!(32 * tile.shared_load.requests, products / 2);
    assert_eq!(tile.shared_load.bank_conflicts + tile.shared_store.bank_conflicts, 0);
    assert_eq!(warp.global_load.requests, 2 * products / 256);
    assert_eq!(warp.global_load.sectors_per_request(), 8.0);
    assert_eq!(fragments.global_load.sectors, tile.global_load.sectors);
    assert!(5 * fragments.warp_instructions < 2 * tile.warp_instructions);
    assert_eq!(4 * fragments.barriers, tile.barriers);
    assert!(fragments.shared_load.bank_conflicts > 0);
    assert_eq!(library.global_load.requests, 0);
    assert_eq!(4 * library.bulk_load.bytes, 3 * fragments.global_load.bytes);
    assert_eq!(library.shared_load.bank_conflicts, 0);
    assert!(library.warp_instructions < fragments.warp_instructions);
}

#[test]
fn a_matrix_is_read_once_by_a_vector() {
    let of = |rows, cols| Request::new(Backend::Emulator).with("rows", rows).with("cols", cols);
    let request = of(512, 512);
    let [thread, warp, vectors, several] =
        ["thread-per-row", "warp-per-row", "vectorized", "several-rows"]
            .map(|rung| counted("matvec", rung, &request));
    // Of two loads, one touches 32 sectors and one a single sector.
    assert_eq!(thread.global_load.sectors_per_request(), 33.0 / 2.0);
    assert_eq!(warp.global_load.sectors_per_request(), 4.0);
    assert_eq!(vectors.global_load.sectors_per_request(), 16.0);
    assert_eq!(4 * vectors.global_load.requests, warp.global_load.requests);
    assert_eq!(8 * several.global_load.requests, 5 * vectors.global_load.requests);
    for (rows, cols) in [(512, 512), (512, 4096), (40, 16384)] {
        let [library] = climbed("matvec", ["library"], &of(rows, cols));
        let loaded = library.counters.as_ref().expect("counted").global_load.sectors;
        assert!(loaded >= rows * cols / 8, "{rows} x {cols}: {loaded}");
        if cols == 4096 {
            assert!(library.warps.expect("a launch") > rows, "{:?}", library.warps);
        }
    }
}

#[test]
fn every_rung_is_right_on_every_device_for_ragged_extents() {
    for device in Device::for_tests("products of several types") {
        let request = || Request::new(device.backend());
        let mut requests = Vec::new();
        for ladder in ["tf32", "fp8", "dgemm"] {
            for (m, n, k) in [(45, 70, 33), (256, 300, 64), (70, 257, 200)] {
                requests.push((ladder, request().with("m", m).with("n", n).with("k", k)));
            }
        }
        for (rows, cols) in [(1, 4), (33, 129), (1000, 36), (5, 5000)] {
            requests.push(("matvec", request().with("rows", rows).with("cols", cols)));
        }
        for (ladder, request) in requests {
            verify_every_rung(ladder, &request, &device);
        }
    }
}
