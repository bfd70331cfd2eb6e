//! Products in CUDA C++, compiled by nvcc: swizzled tiles, and a producer with two consumers and a
//! ring of mbarriers.

use crate::numbers::Random;
use half::{bf16, f16};
use lanework::{Device, Dim3, PtxArg, PtxShape};

const TEXT: &str = include_str!("products.ptx");

/// Integers from -8 to 8, whose sums here are all exact.
fn integers(count: usize, seed: u64) -> Vec<i32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.below(17) as i32 - 8).collect()
}

/// Runs `entry` on `m x n x k` and compares C = A B^T with the host's.
fn check(
    entry: &str,
    [m, n, k]: [usize; 3],
    tile: [usize; 2],
    threads: u32,
    shared: u32,
    packed: bool,
) {
    let (a, b) = (integers(m * k, 5), integers(n * k, 6));
    // Tiles of core matrices: 64 columns, by chunks of eight, by rows.
    let pack = |matrix: &[i32], rows: usize| -> Vec<u8> {
        let mut bytes = Vec::new();
        let bits = |v: i32| match packed {
            true => bf16::from_f32(v as f32).to_bits(),
            false => f16::from_f32(v as f32).to_bits(),
        };
        if !packed {
            return matrix.iter().flat_map(|v| bits(*v).to_le_bytes()).collect();
        }
        for first in (0..matrix.len() / k).step_by(rows) {
            for column in (0..k).step_by(64) {
                for chunk in 0..8 {
                    for row in first..first + rows {
                        for i in 0..8 {
                            let v = matrix[row * k + column + chunk * 8 + i];
                            bytes.extend(bits(v).to_le_bytes());
                        }
                    }
                }
            }
        }
        bytes
    };
    let judged = std::iter::once(Device::emulator().sanitized());
    for device in Device::for_tests("products of a warpgroup").into_iter().chain(judged) {
        let module = device.load_ptx(TEXT).expect("loads");
        assert_eq!(module.refused(), Vec::new());
        let (of_a, of_b) = (pack(&a, tile[0]), pack(&b, tile[1]));
        let of_a = device.upload(&of_a).expect("memory");
        let of_b = device.upload(&of_b).expect("memory");
        let c = device.zeros::<u8>(m * n * 4).expect("memory");
        let shape = PtxShape {
            grid: Dim3::from(((n / tile[1]) as u32, (m / tile[0]) as u32)),
            block: Dim3::from(threads),
            dynamic_shared: shared,
            cluster: None,
            cooperative: false,
        };
        let number = |v: usize| PtxArg::Bytes((v as u32).to_le_bytes().to_vec());
        let arguments = [
            PtxArg::Memory(&of_a),
            PtxArg::Memory(&of_b),
            PtxArg::Memory(&c),
            number(n),
            number(k),
        ];
        // SAFETY: the kernel stays within the tiles of its three buffers.
        unsafe { module.launch(entry, shape, &arguments) }.expect("runs");
        let got = c.download().expect("results");
        for (i, bytes) in got.chunks(4).enumerate() {
            let got = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            let want: i32 = (0..k).map(|at| a[i / n * k + at] * b[i % n * k + at]).sum();
            assert_eq!(got, want as f32, "{entry}: row {}, column {}", i / n, i % n);
        }
    }
}

#[test]
fn swizzled_tiles_are_multiplied() {
    check("swizzled_product", [128, 192, 256], [64, 64], 128, 0, false);
}

#[test]
fn a_producer_feeds_two_consumers() {
    check("specialised_product", [256, 128, 640], [128, 64], 384, 3 * (16384 + 8192), true);
}
