//! Predictions of the rungs of attention.

use super::climbed;
use lanework::{Backend, Counters};
use lanework_lab::Request;

const HEADS: u64 = 1;
const LENGTH: u64 = 256;
const ROWS: u64 = HEADS * LENGTH;
const HEAD: u64 = 128;

/// The counters of some rungs, verified.
fn counted<const N: usize>(rungs: [&str; N]) -> [Counters; N] {
    let request = Request::new(Backend::Emulator).with("heads", HEADS).with("size", LENGTH);
    climbed("attention", rungs, &request).map(|rung| rung.counters.expect("counted"))
}

#[test]
#[ignore = "slow: every rung of attention"]
fn scores_leave_memory_then_multiply_adds_become_products() {
    let [stored, fused, one_warp, flash] = counted(["stored-scores", "fused", "one-warp", "flash"]);
    let results = ROWS * HEAD * 2;
    assert_eq!(stored.global_store.bytes, results + 2 * 4 * ROWS * LENGTH);
    assert_eq!(fused.global_store.bytes, results);
    assert!(10 * one_warp.warp_instructions < fused.warp_instructions);
    // Without the queries, which both load.
    let queries = ROWS * HEAD * 2;
    assert_eq!(one_warp.global_load.bytes - queries, 4 * (flash.global_load.bytes - queries));
    assert_eq!(flash.shared_load.bank_conflicts, 0);
}

#[test]
#[ignore = "slow: rungs of attention"]
fn warpgroups_load_no_fragments_and_share_what_is_copied() {
    let [wgmma, specialized, overlapped, turns, library] =
        counted(["wgmma", "specialized", "overlapped", "turns", "library"]);
    assert_eq!(wgmma.shared_load.requests, 0);
    let queries = ROWS * HEAD * 2;
    assert_eq!(wgmma.bulk_load.bytes - queries, 2 * (specialized.bulk_load.bytes - queries));
    assert_eq!(specialized.bulk_load.bytes, overlapped.bulk_load.bytes);
    assert_eq!(overlapped.bulk_load.bytes, turns.bulk_load.bytes);
    assert!(turns.barriers > overlapped.barriers);
    assert_eq!(library.global_store.requests, 0);
}
