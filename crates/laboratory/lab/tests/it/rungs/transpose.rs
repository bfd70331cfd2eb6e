//! Every transpose rung against the host, on the emulator and on a GPU if there is one.

use half::f16;
use lanework::{Device, Element};
use lanework_lab::{Matrix, verify_transpose};
use lanework_ladders::transpose::rungs;
use proptest::prelude::*;

fn verify_all<E: Element>(device: &Device, matrix: Matrix, seed: u64) {
    for rung in rungs::<E>() {
        // Tensor copies need 4-byte elements and rows of whole 16-byte chunks; every device refuses other matrices.
        let whole = matrix.rows.is_multiple_of(4) && matrix.cols.is_multiple_of(4);
        if rung.info.name == "tma" && !(size_of::<E>() == 4 && whole) {
            let refusal = verify_transpose(&rung, device, matrix, seed).expect_err("a refusal");
            assert!(refusal.contains("use another rung"), "{refusal}");
            continue;
        }
        if let Err(why) = verify_transpose(&rung, device, matrix, seed) {
            panic!("{} of {} bytes, block {}: {why}", rung.info.name, size_of::<E>(), matrix.block);
        }
    }
}

#[test]
fn every_element_type_at_odd_shapes() {
    for device in Device::for_tests("transpose rungs at odd shapes") {
        for (rows, cols) in [(1, 1), (1, 100), (100, 1), (33, 65), (64, 64), (130, 67), (128, 100)]
        {
            let matrix = Matrix { rows, cols, block: 16 };
            verify_all::<u8>(&device, matrix, 1);
            verify_all::<i16>(&device, matrix, 2);
            verify_all::<f16>(&device, matrix, 3);
            verify_all::<f32>(&device, matrix, 4);
            verify_all::<f64>(&device, matrix, 5);
            verify_all::<u64>(&device, matrix, 6);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_shape_and_block(rows in 1u32..200, cols in 1u32..200, block in 1u32..=32, seed: u64) {
        verify_all::<f32>(&Device::emulator(), Matrix { rows, cols, block }, seed);
    }
}

#[test]
fn large_shapes_on_a_gpu() {
    for device in Device::for_tests("transpose rungs at large shapes").into_iter().skip(1) {
        for (rows, cols) in [(8191, 4097), (3, 1_000_000), (4096, 8192)] {
            verify_all::<f32>(&device, Matrix { rows, cols, block: 32 }, 7);
        }
    }
}
