//! Scans, softmax and norms: results at odd shapes, and predictions of the rungs.

use super::{counted, verify_every_rung};
use lanework::{Backend, Device};
use lanework_lab::Request;

fn matrix(rows: u64, cols: u64) -> Request {
    Request::new(Backend::Emulator).with("rows", rows).with("cols", cols)
}

#[test]
fn a_row_is_read_three_times_then_twice_then_once() {
    let request = matrix(32, 1024);
    let once = 32 * 1024 / 8; // sectors
    let sectors = |ladder, rung| counted(ladder, rung, &request).global_load.sectors;
    assert_eq!(
        counted("softmax", "thread-per-row", &request).global_load.sectors_per_request(),
        32.0
    );
    for (ladder, rung, times) in [
        ("softmax", "block-per-row", 3),
        ("softmax", "warp-shuffle", 3),
        ("softmax", "online", 2),
        ("softmax", "held", 1),
        ("softmax", "vectorized", 1),
        ("softmax", "library", 1),
        // Plus the weights and biases of the columns, for each row.
        ("layer-norm", "block-per-row", 3 + 2),
        ("layer-norm", "one-pass", 2 + 2),
        ("layer-norm", "held", 1 + 2),
        ("layer-norm", "library", 1 + 2),
        ("rms-norm", "block-per-row", 2 + 1),
        ("rms-norm", "vectorized", 1 + 1),
    ] {
        assert_eq!(sectors(ladder, rung), times * once, "{ladder}/{rung}");
    }
    for ladder in ["softmax", "layer-norm", "rms-norm"] {
        let vectors = counted(ladder, "vectorized", &request);
        let single = counted(ladder, "held", &request);
        assert_eq!(4 * vectors.global_load.requests, single.global_load.requests, "{ladder}");
    }
    let barriers = |rung| counted("softmax", rung, &request).barriers;
    assert!(barriers("block-per-row") >= 8 * barriers("warp-shuffle"));
}

#[test]
#[ignore = "slow: long rows"]
fn long_rows_are_held_by_several_blocks_and_copied_in_bulk() {
    let request = matrix(8, 40_000);
    let bytes = 4 * 8 * 40_000;
    for ladder in ["softmax", "layer-norm", "rms-norm"] {
        // Blocks also publish partial results, and poll the partial results of other blocks.
        let spread = counted(ladder, "spread", &request);
        let stored = spread.global_store.bytes;
        assert!((bytes..bytes + bytes / 8).contains(&stored), "{ladder}: {stored} of {bytes}");
        assert!(spread.global_load.bytes > bytes, "{ladder}");
        let ring = counted(ladder, "ring", &request);
        let stored = ring.global_store.bytes;
        assert!((bytes..bytes + bytes / 8).contains(&stored), "{ladder}: {stored} of {bytes}");
        assert!(ring.bulk_load.bytes >= bytes, "{ladder}: {}", ring.bulk_load.bytes);
    }
}

#[test]
fn a_scan_reads_once_in_one_pass_and_twice_in_phases() {
    let request = Request::new(Backend::Emulator).with("size", 1 << 15);
    let once = (1u64 << 15) / 8; // sectors
    let sectors = |rung| counted("scan", rung, &request).global_load.sectors;
    assert!(sectors("three-phases") >= 2 * once);
    for rung in ["chained", "look-back", "big-tiles", "library"] {
        let stored = counted("scan", rung, &request).global_store.sectors;
        assert!((once..once + once / 4).contains(&stored), "{rung}: {stored} sectors stored");
    }
    let threads = counted("scan", "one-thread", &request);
    assert_eq!(threads.global_load.sectors_per_request(), 1.0);
    let barriers = |rung| counted("scan", rung, &request).barriers;
    assert!(barriers("one-block") >= 8 * barriers("warp-shuffle"));
    let requests = |rung| counted("scan", rung, &request).global_store.requests;
    assert!(requests("look-back") > 3 * requests("big-tiles"));
}

#[test]
fn every_rung_at_odd_shapes() {
    for device in Device::for_tests("scans and norms") {
        let request = || Request::new(device.backend());
        let lengths = [0, 1, 33, 1024, 1025, 8193, 20_003];
        let mut requests: Vec<(&str, Request)> =
            lengths.map(|length| ("scan", request().with("size", length))).into();
        for ladder in ["softmax", "layer-norm", "rms-norm"] {
            for (rows, cols) in [(1, 1), (3, 31), (2, 33), (7, 1000), (300, 4), (1, 5001)] {
                requests.push((ladder, request().with("rows", rows).with("cols", cols)));
            }
        }
        for (ladder, request) in requests {
            verify_every_rung(ladder, &request, &device);
        }
    }
}
