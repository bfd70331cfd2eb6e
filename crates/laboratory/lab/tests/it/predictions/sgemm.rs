//! Predictions of the rungs of `sgemm`.

use lanework::emulator::Blocks;
use lanework::{Counters, Device};
use lanework_lab::{Request, family};

/// Edge of C: whole tiles of every rung.
const N: u64 = 256;
const K: u64 = 64;
/// Multiply-adds of the product, per warp of 32.
const STEPS: f64 = (N * N * K) as f64 / 32.0;

fn counters(name: &str) -> Counters {
    counters_at(name, N, K).0
}

/// Counts of a product of `size` x `size` elements, and the blocks that computed it.
fn counters_at(name: &str, size: u64, k: u64) -> (Counters, u64) {
    // One rung chooses its tile by the number of multiprocessors; an H200 has 132.
    let device = Device::emulator();
    assert_eq!(device.info().multiprocessors, 132);
    let family = family("sgemm").expect("a family");
    let request = Request::new(device.backend()).with("size", size).with("k", k);
    let case = family.case(&request).expect("a case");
    let mut trial = case.trial(name, &device).expect("a trial");
    let profile = trial.job().and_then(|mut job| job.profile(Blocks::All)).expect("a run");
    trial.check().expect("a right product");
    (profile.counters, profile.blocks)
}

/// Load sectors per multiply-add of a warp.
fn sectors_per_step(name: &str) -> f64 {
    counters(name).global_load.sectors as f64 / STEPS
}

/// Shared loads per multiply-add of a warp.
fn shared_loads_per_step(name: &str) -> f64 {
    counters(name).shared_load.requests as f64 / STEPS
}

fn conflicts(name: &str) -> u64 {
    let counted = counters(name);
    counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts
}

#[test]
fn uncoalesced_reads_a_sector_for_each_number_of_a() {
    assert_eq!(sectors_per_step("uncoalesced"), 33.0);
    assert_eq!(counters("uncoalesced").global_store.sectors_per_request(), 32.0);
}

#[test]
fn coalesced_reads_five_sectors_where_it_read_33() {
    assert_eq!(sectors_per_step("coalesced"), 5.0);
    assert_eq!(counters("coalesced").global_store.sectors_per_request(), 4.0);
}

#[test]
fn shared_reads_a_twentieth_of_the_sectors() {
    assert_eq!(sectors_per_step("shared"), 5.0 / 20.0);
    assert_eq!(shared_loads_per_step("shared"), 5.0 / 4.0);
}

#[test]
fn tile_1d_halves_the_sectors_and_reads_shared_memory_12_times_in_32() {
    assert_eq!(sectors_per_step("tile-1d"), sectors_per_step("shared") / 2.0);
    assert_eq!(shared_loads_per_step("tile-1d"), 12.0 / 32.0);
}

#[test]
fn tile_2d_halves_the_sectors_and_reads_shared_memory_16_times_in_256() {
    assert_eq!(sectors_per_step("tile-2d"), sectors_per_step("tile-1d") / 2.0);
    assert_eq!(shared_loads_per_step("tile-2d"), 16.0 / 256.0);
}

#[test]
fn vectorized_makes_a_quarter_of_the_global_requests() {
    let (before, counted) = (counters("tile-2d"), counters("vectorized"));
    assert_eq!(4 * counted.global_load.requests, before.global_load.requests);
    assert_eq!(4 * counted.global_store.requests, before.global_store.requests);
    assert_eq!(counted.global_load.sectors, before.global_load.sectors);
    assert_eq!(4 * counted.global_store.sectors, before.global_store.sectors);
    assert!(counted.warp_instructions < before.warp_instructions);
}

#[test]
fn conflict_free_saves_two_fifths_of_the_passes_which_were_conflicts() {
    let before = counters("vectorized");
    let passes = before.shared_load.wavefronts + before.shared_store.wavefronts;
    let part = conflicts("vectorized") as f64 / passes as f64;
    assert!((0.39..0.40).contains(&part), "{part}");
    assert_eq!(conflicts("conflict-free"), 0);
    let counted = counters("conflict-free");
    assert_eq!(2 * counted.global_store.sectors, before.global_store.sectors);
}

#[test]
fn warp_tiled_halves_the_barriers_without_conflicts() {
    let (before, counted) = (counters("conflict-free"), counters("warp-tiled"));
    assert_eq!(2 * counted.barriers, before.barriers);
    assert!(counted.warp_instructions < before.warp_instructions);
    assert_eq!(conflicts("warp-tiled"), 0);
}

#[test]
fn double_buffered_quarters_the_barriers_and_asks_for_more() {
    let (before, counted) = (counters("warp-tiled"), counters("double-buffered"));
    assert_eq!(4 * counted.barriers, before.barriers);
    assert_eq!(counted.global_load.sectors, before.global_load.sectors);
    assert_eq!(2 * counted.global_load.requests, 5 * before.global_load.requests);
    assert_eq!(conflicts("double-buffered"), 0);
}

#[test]
#[ignore = "slow: products of several sizes"]
fn fitted_takes_small_tiles_for_small_products_only() {
    let [(before, four), (counted, sixteen)] =
        ["double-buffered", "fitted"].map(|name| counters_at(name, N, K));
    assert_eq!((four, sixteen), (4, 16));
    assert_eq!(counted.global_load.sectors, 2 * before.global_load.sectors);
    assert_eq!(conflicts("fitted"), 0);
    let [before, counted] = ["double-buffered", "fitted"].map(|name| counters_at(name, 2048, 8));
    assert_eq!(before, counted);
}

#[test]
fn split_operands_load_like_a_tile_of_128_and_use_tensor_cores() {
    let [split, promoted, triples] =
        ["split", "split-promoted", "split-bf16"].map(|name| counters_at(name, 128, 512).0);
    // Each element of A and B once, as float4s.
    assert_eq!(split.global_load.sectors, 2 * 128 * 512 / 8);
    assert_eq!(promoted.global_load.sectors, split.global_load.sectors);
    assert_eq!(triples.global_load.sectors, split.global_load.sectors);
    // A thread computes 64 results: FFMAs alone would be 64 * 512 instructions for each of 8 warps.
    assert!(split.warp_instructions < 8 * 64 * 512, "{}", split.warp_instructions);
    assert!(promoted.warp_instructions > split.warp_instructions);
    assert!(triples.shared_load.requests > split.shared_load.requests * 3 / 2);
}

#[test]
fn prefetched_has_the_loads_of_fitted() {
    let [(before, _), (counted, _)] = ["fitted", "prefetched"].map(|name| counters_at(name, N, K));
    assert_eq!(counted.global_load.sectors, before.global_load.sectors);
    assert_eq!(counted.shared_load.requests, before.shared_load.requests);
    assert_eq!(counted.barriers, before.barriers);
    assert_eq!(conflicts("prefetched"), 0);
}

#[test]
fn ring_has_one_barrier_and_loads_no_b_by_threads() {
    let [(before, _), (counted, blocks)] =
        ["prefetched", "ring"].map(|name| counters_at(name, N, 256));
    assert_eq!(blocks, 16);
    // One per warp, after its steps.
    assert!(
        counted.barriers > 0 && 16 * counted.barriers <= before.barriers,
        "{}",
        counted.barriers
    );
    assert!(counted.bulk_load.bytes > 0);
    assert_eq!(2 * counted.global_load.bytes, before.global_load.bytes);
}

#[test]
#[ignore = "slow: products of several sizes"]
fn clusters_divide_the_steps_of_small_products() {
    let [(before, few), (counted, many)] =
        ["ring", "cluster-split"].map(|name| counters_at(name, N, 256));
    assert_eq!(many, 8 * few);
    assert_eq!(counted.bulk_load.bytes, before.bulk_load.bytes);
    assert_eq!(counted.global_load.bytes, before.global_load.bytes);
    assert_eq!(counted.global_store.sectors, before.global_store.sectors);
    let [before, counted] = ["ring", "cluster-split"].map(|name| counters_at(name, 2048, 8));
    assert_eq!(before, counted);
}

#[test]
fn library_shares_the_steps_of_small_products() {
    let (_, blocks) = counters_at("library", N, 256);
    assert!(blocks > 16, "{blocks}");
}
