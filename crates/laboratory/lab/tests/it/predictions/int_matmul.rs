//! Predictions of the rungs of the integer product, for each tile size.

use super::{settings, verify_every_rung};
use lanework::{Backend, Device};
use lanework_lab::{Request, RungRecord, family, points, sweep};

const N: u64 = 128;

/// One verified rung at one tile.
fn climbed(rung: &str, tile: u64) -> RungRecord {
    let request = Request::new(Backend::Emulator).with("size", N).with("tile", tile);
    let [record] = super::climbed("int-matmul", [rung], &request);
    record
}

/// Global loads of threads per multiply-add.
fn loads_per_product(rung: &RungRecord) -> f64 {
    let requests = rung.counters.as_ref().expect("counted").global_load.requests;
    (requests * 32) as f64 / (N * N * N) as f64
}

#[test]
fn naive_loads_twice_per_product() {
    let naive = climbed("naive", 8);
    assert_eq!(loads_per_product(&naive), 2.0);
    let counters = naive.counters.expect("counted");
    // Two half warps read two elements of A in two sectors, and 16 of B in two.
    assert_eq!(counters.global_load.sectors_per_request(), 2.0);
}

#[test]
fn register_tiles_load_less_as_they_grow_until_they_spill() {
    for tile in [1, 2, 4, 8] {
        let rung = climbed("register-tile", tile);
        assert_eq!(loads_per_product(&rung), 2.0 / tile as f64, "tile {tile}");
        assert_eq!(rung.resources.expect("a kernel").spill_bytes, 0, "tile {tile}");
    }
    let [small, large, spilled] = [2, 8, 16].map(|tile| climbed("register-tile", tile));
    let occupancy = |rung: &RungRecord| rung.resources.expect("a kernel").occupancy;
    assert!(occupancy(&small) > occupancy(&large) && occupancy(&large) >= occupancy(&spilled));
    assert!(spilled.resources.expect("a kernel").spill_bytes > 0);
    let sectors = |rung: &RungRecord| {
        rung.counters.as_ref().expect("counted").global_store.sectors_per_request()
    };
    assert!(sectors(&large) > 2.0 * sectors(&small));
}

#[test]
fn shared_tiles_load_less_without_spilling_and_small_ones_fill_no_warp() {
    for tile in [4, 8, 16, 32] {
        let rung = climbed("shared-tile", tile);
        let fraction = loads_per_product(&rung) * tile as f64 / 2.0;
        // A block of 4 x 4 threads fills half a warp, so its requests carry half the loads.
        let filled = if tile == 4 { 2.0 } else { 1.0 };
        assert_eq!(fraction, filled, "tile {tile}");
        let resources = rung.resources.expect("a kernel");
        assert_eq!(resources.spill_bytes, 0);
        let lanes = rung.active_lanes().expect("counted");
        assert_eq!(lanes, if tile == 4 { 16.0 } else { 32.0 }, "tile {tile}");
    }
}

#[test]
fn a_tile_that_needs_too_many_threads_is_skipped_with_the_reason() {
    let family = family("int-matmul").expect("a ladder");
    let request = Request::new(Backend::Emulator).with("size", 16);
    let device = Device::emulator();
    let points = points(&request, &[("tile", vec![32, 64])]);
    let record = sweep(&family, &points, &device, &settings(&["shared-tile"]), &mut |_| {})
        .expect("a sweep");
    assert!(record.points[0].rungs[0].verified);
    let why = record.points[1].rungs[0].skipped.as_deref().expect("skipped");
    assert!(why.contains("needs 4096 threads, a block has 1024"), "{why}");
}

#[test]
fn every_rung_and_tile_on_every_device() {
    for device in Device::for_tests("integer products") {
        for tile in [1, 2, 4, 8, 16, 32] {
            let request = Request::new(device.backend()).with("tile", tile);
            let request = request.with("m", 45).with("n", 70).with("k", 33);
            verify_every_rung("int-matmul", &request, &device);
        }
    }
}

#[test]
fn pipelined_loads_a_sixty_fourth_without_spills_or_conflicts() {
    let rung = climbed("pipelined", 8);
    let counted = rung.counters.clone().expect("counted");
    assert_eq!(counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts, 0);
    assert_eq!(loads_per_product(&rung), 1.0 / 64.0);
    assert_eq!(rung.resources.expect("a kernel").spill_bytes, 0);
}

#[test]
fn bytes_take_less_than_a_third_of_the_instructions_without_conflicts() {
    let (before, rung) = (climbed("pipelined", 8), climbed("bytes", 8));
    let [before, counted] = [&before, &rung].map(|rung| rung.counters.clone().expect("counted"));
    assert_eq!(counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts, 0);
    assert_eq!(loads_per_product(&rung), 3.0 / 256.0);
    let (few, many) = (counted.warp_instructions, before.warp_instructions);
    assert!(3 * few < many, "{few} against {many}");
    assert_eq!(rung.resources.expect("a kernel").spill_bytes, 0);
}
