//! Every rung of `matmul` against FP64, on the emulator and on a GPU if there is one.

use lanework::Device;
use lanework_lab::{Accuracy, Case, Request, family};
use proptest::prelude::*;

fn case(device: &Device, (m, n, k): (u64, u64, u64), block: u64, seed: u64) -> Box<dyn Case> {
    let request = Request { seed, ..Request::new(device.backend()) };
    let request = request.with("m", m).with("n", n).with("k", k).with("block", block);
    family("matmul").and_then(|family| family.case(&request).ok()).expect("a case")
}

fn verify(case: &dyn Case, rung: &str, device: &Device) -> Result<Accuracy, String> {
    let told = |error: lanework::Error| error.to_string();
    let mut trial = case.trial(rung, device).map_err(told)?;
    trial.job().and_then(|mut job| job.launch()).map_err(told)?;
    trial.check().map_err(|why| why.to_string())
}

fn verify_all(device: &Device, extents: (u64, u64, u64), block: u64, seed: u64) {
    let case = case(device, extents, block, seed);
    for rung in lanework_ladders::matmul::ladder().rungs {
        if let Err(why) = verify(case.as_ref(), rung.name, device) {
            panic!("{} with {extents:?}, block {block}: {why}", rung.name);
        }
    }
}

#[test]
fn every_rung_at_whole_and_ragged_shapes() {
    for device in Device::for_tests("matmul rungs") {
        for extents in
            [(1, 1, 1), (64, 64, 64), (33, 65, 17), (1, 300, 7), (300, 1, 9), (100, 101, 102)]
        {
            for block in [8, 32] {
                verify_all(&device, extents, block, 1);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_shape_and_block(
        m in 1u64..150, n in 1u64..150, k in 1u64..150, block in 1u64..=32, seed: u64
    ) {
        for device in Device::for_tests("matmul rungs of random shapes") {
            verify_all(&device, (m, n, k), block, seed);
        }
    }
}

#[test]
fn compensated_sums_are_ten_times_as_exact() {
    for device in Device::for_tests("compensated sums") {
        let case = case(&device, (40, 40, 4000), 32, 3);
        let error = |rung: &str| match verify(case.as_ref(), rung, &device) {
            Ok(Accuracy::WithinBound { normwise, .. }) => normwise,
            other => panic!("{rung}: {other:?}"),
        };
        let plain = error("naive");
        assert!(plain > 3e-7, "{plain:e}");
        for rung in ["kahan", "row-shared", "pitched", "blocked", "zero-padded"] {
            let compensated = error(rung);
            assert!(compensated * 10.0 < plain, "{rung}: {compensated:e} against {plain:e}");
        }
    }
}

#[test]
fn a_tile_of_64_is_refused_with_the_reason() {
    let device = Device::emulator();
    let case = case(&device, (64, 64, 64), 64, 1);
    for rung in ["naive-2d", "shared"] {
        let why = case.skips(rung, &device).expect("skipped");
        assert!(why.contains("4096 threads"), "{why}");
        let why = verify(case.as_ref(), rung, &device).expect_err("refused");
        assert!(why.contains("4096 threads") && why.contains("8, 16 or 32"), "{why}");
    }
    assert_eq!(case.skips("blocked", &device), None);
    verify(case.as_ref(), "blocked", &device).expect("has its own tile");
}

#[test]
fn a_row_longer_than_shared_memory_is_refused_with_a_remedy() {
    let device = Device::emulator();
    let case = case(&device, (1, 1, 100_000), 32, 1);
    for rung in ["row-shared", "pitched"] {
        let why = verify(case.as_ref(), rung, &device).expect_err("refused");
        assert!(why.contains("100000 elements") && why.contains("`blocked`"), "{why}");
    }
}
