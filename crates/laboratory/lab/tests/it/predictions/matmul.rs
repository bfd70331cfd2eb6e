//! Predictions of the rungs of `matmul`.

use lanework::emulator::Blocks;
use lanework::{Counters, Device};
use lanework_lab::{Request, family};

/// Edge of matrices of whole tiles.
const WHOLE: u64 = 256;
/// An odd edge.
const ODD: u64 = 201;

fn counters(name: &str, size: u64) -> Counters {
    let device = Device::emulator();
    let family = family("matmul").expect("a family");
    let case = family.case(&Request::new(device.backend()).with("size", size)).expect("a case");
    let mut trial = case.trial(name, &device).expect("a trial");
    let profile = trial.job().and_then(|mut job| job.profile(Blocks::All)).expect("a run");
    trial.check().expect("a right product");
    profile.counters
}

/// Counts per multiply-add of a warp.
fn per_step(count: u64, size: u64) -> f64 {
    count as f64 * 32.0 / (size * size * size) as f64
}

fn conflicts(counted: &Counters) -> u64 {
    counted.shared_load.bank_conflicts + counted.shared_store.bank_conflicts
}

#[test]
fn naive_reads_five_sectors_in_two_requests() {
    for name in ["naive", "naive-2d"] {
        let counted = counters(name, WHOLE);
        assert_eq!(per_step(counted.global_load.requests, WHOLE), 2.0);
        assert_eq!(per_step(counted.global_load.sectors, WHOLE), 5.0);
    }
}

#[test]
fn kahan_reads_the_same_and_adds_four_instructions() {
    let (before, counted) = (counters("naive", WHOLE), counters("kahan", WHOLE));
    assert_eq!(counted.global_load, before.global_load);
    let more = per_step(counted.warp_instructions - before.warp_instructions, WHOLE);
    assert!((3.9..4.1).contains(&more), "{more}");
}

#[test]
fn row_shared_halves_the_global_requests() {
    let counted = counters("row-shared", WHOLE);
    let requests = per_step(counted.global_load.requests, WHOLE);
    assert!((1.0..1.01).contains(&requests), "{requests}");
}

#[test]
fn pitched_rows_take_four_sectors_where_odd_rows_straddle_a_fifth() {
    let [packed, pitched] = ["row-shared", "pitched"].map(|name| counters(name, ODD));
    assert_eq!(packed.global_load.requests, pitched.global_load.requests);
    let [packed, pitched] = [packed, pitched].map(|c| c.global_load.sectors_per_request());
    assert!((4.4..5.0).contains(&packed) && pitched < 4.0, "{packed} against {pitched}");
    // A multiple of 8 elements fills whole sectors.
    let [packed, pitched] = ["row-shared", "pitched"].map(|name| counters(name, WHOLE));
    assert_eq!(packed.global_load, pitched.global_load);
}

#[test]
fn blocked_reads_an_eighth_of_the_sectors() {
    let (before, counted) = (counters("pitched", WHOLE), counters("blocked", WHOLE));
    let ratio = before.global_load.sectors as f64 / counted.global_load.sectors as f64;
    assert!((8.0..8.1).contains(&ratio), "{ratio}");
    assert_eq!(per_step(counted.global_load.requests, WHOLE), 2.0 / 16.0);
    assert_eq!(conflicts(&counted), 0);
}

#[test]
fn zero_padded_neither_diverges_nor_tests() {
    let (before, counted) = (counters("blocked", ODD), counters("zero-padded", ODD));
    assert!(before.divergent_branches > 0);
    assert_eq!(counted.divergent_branches, 0);
    assert!(counted.warp_instructions < before.warp_instructions);
    let (before, counted) = (counters("blocked", WHOLE), counters("zero-padded", WHOLE));
    assert_eq!(counted.global_load, before.global_load);
}

#[test]
fn shared_reads_a_twentieth_of_the_sectors_without_conflicts() {
    let (before, counted) = (counters("naive-2d", WHOLE), counters("shared", WHOLE));
    assert_eq!(20 * counted.global_load.sectors, before.global_load.sectors);
    assert_eq!(conflicts(&counted), 0);
}
