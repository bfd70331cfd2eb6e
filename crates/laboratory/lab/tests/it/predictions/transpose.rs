//! Predictions of the rungs of `transpose`, and Nsight Compute's counters on a GPU, against the emulator.

use lanework::{Counters, Device};
use lanework_ladders::transpose::{Matrices, rungs};

const N: u32 = 1024;
/// Warp requests of 4-byte elements that cover the matrix once.
const REQUESTS: u64 = (N as u64 * N as u64) / 32;

fn counters(name: &str) -> Counters {
    counters_of(name, (N, N))
}

fn counters_of(name: &str, (rows, cols): (u32, u32)) -> Counters {
    let device = Device::emulator();
    let elements = (rows * cols) as usize;
    let src: Vec<f32> = lanework_lab::random_elements(elements, 3);
    let mut matrices = Matrices {
        rows,
        cols,
        block: 32,
        src: device.upload(&src).expect("memory"),
        dst: device.zeros(elements).expect("memory"),
    };
    let rung = rungs::<f32>().into_iter().find(|rung| rung.info.name == name).expect(name);
    let mut prepared = (rung.prepare)(&mut matrices, &device).expect("a kernel");
    prepared.profile(lanework::emulator::Blocks::All).expect("a run").counters
}

/// Nsight Compute on an H200, 1024x1024 floats, blocks of 32x32.
#[test]
fn naive_counters_match_the_hardware() {
    let counted = counters("naive");
    assert_eq!((counted.global_load.requests, counted.global_load.sectors), (32_768, 131_072));
    assert_eq!((counted.global_store.requests, counted.global_store.sectors), (32_768, 1_048_576));
    assert_eq!((counted.shared_load.requests, counted.shared_load.bank_conflicts), (0, 0));
}

/// The same; arbitration adds about 150 conflicts to the computed value.
#[test]
fn unpadded_counters_match_the_hardware() {
    let counted = counters("unpadded");
    assert_eq!((counted.global_load.requests, counted.global_load.sectors), (32_768, 131_072));
    assert_eq!((counted.global_store.requests, counted.global_store.sectors), (32_768, 131_072));
    assert_eq!(counted.shared_load.requests, 32_768);
    assert_eq!(counted.shared_load.wavefronts, 1_048_576);
    assert_eq!(counted.shared_load.bank_conflicts, 1_015_808);
    assert_eq!(counted.shared_store.bank_conflicts, 0);
}

#[test]
fn row_order_has_uncoalesced_loads_and_stores() {
    let counted = counters("row-order");
    assert_eq!(counted.global_load.sectors, 32 * REQUESTS);
    assert_eq!(counted.global_store.sectors, 32 * REQUESTS);
    assert_eq!(counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts, 0);
}

#[test]
fn direct_has_coalesced_loads_and_uncoalesced_stores() {
    let counted = counters("direct");
    assert_eq!(counted.global_load.sectors, 4 * REQUESTS);
    assert_eq!(counted.global_store.sectors, 32 * REQUESTS);
    assert_eq!(counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts, 0);
}

#[test]
fn padded_has_no_conflicts() {
    let counted = counters("padded");
    assert_eq!(counted.global_load.sectors, 4 * REQUESTS);
    assert_eq!(counted.global_store.sectors, 4 * REQUESTS);
    assert_eq!(counted.shared_load.requests, REQUESTS);
    assert_eq!(counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts, 0);
}

#[test]
fn vectorized_makes_a_quarter_of_the_requests() {
    let counted = counters("vectorized");
    for global in [counted.global_load, counted.global_store] {
        assert_eq!(global.requests, REQUESTS / 4);
        assert_eq!(global.sectors_per_request(), 16.0);
    }
    assert_eq!(counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts, 0);
}

#[test]
fn swizzled_runs_fewer_instructions_without_conflicts() {
    let (before, counted) = (counters("vectorized"), counters("swizzled"));
    for global in [counted.global_load, counted.global_store] {
        assert_eq!(global.requests, REQUESTS / 4);
        assert_eq!(global.sectors_per_request(), 16.0);
    }
    assert_eq!(counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts, 0);
    assert!(counted.warp_instructions < before.warp_instructions);
}

#[test]
fn registers_reads_the_tile_by_a_quarter_of_the_requests() {
    let (before, counted) = (counters("swizzled"), counters("registers"));
    for global in [counted.global_load, counted.global_store] {
        assert_eq!(global.requests, REQUESTS / 4);
        assert_eq!(global.sectors_per_request(), 16.0);
    }
    assert_eq!(counted.shared_load.requests, before.shared_load.requests / 4);
    assert_eq!(counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts, 0);
    assert!(counted.warp_instructions < before.warp_instructions);
}

#[test]
fn windows_fills_every_stored_sector() {
    let counted = counters_of("windows", (1023, 1021));
    // 1021 rows of 1023 elements without gaps: no sector is written twice, except where a row begins inside one.
    let rows = 1021u64;
    let sectors = (rows * 1023 * 4).div_ceil(32);
    assert!(counted.global_store.sectors <= sectors + rows, "{:?}", counted.global_store);
    assert!(counters_of("swizzled", (1023, 1021)).global_store.sectors > sectors + 8 * rows);
    assert_eq!(counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts, 0);
}

#[test]
fn tma_makes_no_requests_of_threads() {
    let counted = counters("tma");
    assert_eq!(counted.global_load.requests + counted.global_store.requests, 0);
    assert_eq!(counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts, 0);
}

#[test]
fn library_makes_wide_requests_without_conflicts() {
    let counted = counters("library");
    for global in [counted.global_load, counted.global_store] {
        assert_eq!(global.requests, REQUESTS / 4);
        assert_eq!(global.sectors_per_request(), 16.0);
    }
    assert_eq!(counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts, 0);
}
