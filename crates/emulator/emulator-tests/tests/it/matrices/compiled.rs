//! Matrix products as compilers generate them, with Triton's layouts of `ldmatrix` and `mma`, and nvcc's
//! `wmma`.

use crate::common::{device, download, load, next, upload};
use half::f16;
use lanework_emulator::{Emulator, LaunchConfig, NullObserver, Program};
use std::sync::Arc;

fn module(emulator: &Emulator, name: &str) -> Arc<Program> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../laboratory/lab/data/compilers");
    let text = std::fs::read_to_string(format!("{folder}/{name}")).expect("the test data");
    load(emulator, &text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Integers from -8 to 8, whose sums are exact here.
fn whole(count: usize, seed: u64) -> Vec<i32> {
    let mut state = seed;
    (0..count).map(|_| next(&mut state) as i32 % 9).collect()
}

fn halves(values: &[i32]) -> Vec<u32> {
    let bits = |v: i32| u32::from(f16::from_f32(v as f32).to_bits());
    values.chunks(2).map(|pair| bits(pair[0]) | bits(pair[1]) << 16).collect()
}

/// Computes the `m x n` product; A is row-major, and `b(k, column)` is the index of an element of B.
fn product(
    [m, n, k]: [usize; 3],
    a: &[i32],
    b: &[i32],
    at: impl Fn(usize, usize) -> usize,
) -> Vec<i32> {
    let sum = |i: usize| (0..k).map(|l| a[i / n * k + l] * b[at(l, i % n)]).sum();
    (0..m * n).map(sum).collect()
}

fn launch(emulator: &Emulator, program: &Program, config: LaunchConfig<'_>, arguments: &[&[u8]]) {
    let done = emulator.launch(program, &config, arguments, &mut NullObserver);
    done.unwrap_or_else(|fault| panic!("{fault}"));
    let judged = emulator.check(program, &config, arguments).expect("it starts");
    let found: Vec<String> = judged.reports.iter().map(ToString::to_string).collect();
    assert!(found.is_empty() && judged.fault.is_none(), "{}", found.join("\n\n"));
}

#[test]
fn triton_multiplies_matrices() {
    triton_multiplies("triton.product.sm_80.ptx");
}

#[test]
fn triton_multiplies_matrices_for_a_warpgroup() {
    triton_multiplies("triton.product.sm_90.ptx");
}

fn triton_multiplies(name: &str) {
    let emulator = device(false);
    let program = module(&emulator, name);
    let (m, n, k) = (64, 64, 96);
    let (a, b) = (whole(m * k, 3), whole(k * n, 4));
    let (at_a, at_b) = (upload(&emulator, "a", &halves(&a)), upload(&emulator, "b", &halves(&b)));
    let c = emulator.allocate((m * n * 4) as u64, "c").expect("memory");
    let none = 0u64.to_le_bytes();
    launch(
        &emulator,
        &program,
        LaunchConfig { dynamic_shared: 32768, ..LaunchConfig::new("product", [1; 3], [128, 1, 1]) },
        &[
            &at_a.to_le_bytes(),
            &at_b.to_le_bytes(),
            &c.to_le_bytes(),
            &(k as u32).to_le_bytes(),
            &none,
            &none,
        ],
    );
    let want = product([m, n, k], &a, &b, |l, column| l * n + column);
    let got = download(&emulator, c, m * n);
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert_eq!(f32::from_bits(*got), want as f32, "row {}, column {}", i / n, i % n);
    }
}

#[test]
fn wmma_multiplies_halves_over_a_grid() {
    let emulator = device(false);
    let program = module(&emulator, "wmma.sm_80.ptx");
    let n = 48;
    let (a, b) = (whole(n * n, 5), whole(n * n, 6));
    let (at_a, at_b) = (upload(&emulator, "a", &halves(&a)), upload(&emulator, "b", &halves(&b)));
    let c = emulator.allocate((n * n * 4) as u64, "c").expect("memory");
    launch(
        &emulator,
        &program,
        LaunchConfig::new("wmma_half", [3, 3, 1], [32, 1, 1]),
        &[&at_a.to_le_bytes(), &at_b.to_le_bytes(), &c.to_le_bytes(), &(n as u32).to_le_bytes()],
    );
    let want = product([n, n, n], &a, &b, |l, column| column * n + l);
    let got = download(&emulator, c, n * n);
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert_eq!(f32::from_bits(*got), want as f32, "row {}, column {}", i / n, i % n);
    }
}

#[test]
fn wmma_multiplies_bytes() {
    let emulator = device(false);
    let program = module(&emulator, "wmma.sm_80.ptx");
    let (a, b) = (whole(256, 7), whole(256, 8));
    let bytes = |values: &[i32]| -> Vec<u32> {
        let word = |c: &[i32]| u32::from_le_bytes([0, 1, 2, 3].map(|i| c[i] as u8));
        values.chunks(4).map(word).collect()
    };
    let (at_a, at_b) = (upload(&emulator, "a", &bytes(&a)), upload(&emulator, "b", &bytes(&b)));
    let c = emulator.allocate(1024, "c").expect("memory");
    launch(
        &emulator,
        &program,
        LaunchConfig::new("wmma_s8", [1; 3], [32, 1, 1]),
        &[&at_a.to_le_bytes(), &at_b.to_le_bytes(), &c.to_le_bytes()],
    );
    let want = product([16, 16, 16], &a, &b, |l, column| column * 16 + l);
    let got: Vec<i32> = download(&emulator, c, 256).into_iter().map(|w| w as i32).collect();
    assert_eq!(got, want);
}
