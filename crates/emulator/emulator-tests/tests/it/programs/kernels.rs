//! Kernels that nvcc compiled, whose results are compared with the host's.

use lanework_emulator::{CountingObserver, Emulator, LaunchConfig, NullObserver, Options, Program};
use lanework_ptx::Module;
use std::sync::Arc;

const KERNELS: &str = include_str!("../../data/kernels.ptx");

fn device(all_varying: bool) -> (Emulator, Arc<Program>) {
    let emulator = Emulator::new(Options { all_varying, ..Options::default() });
    let module = Module::parse(KERNELS).expect("the kernels parse");
    let program = emulator.load(&module).expect("the kernels load");
    (emulator, program)
}

fn random(n: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        })
        .collect()
}

fn upload(emulator: &Emulator, name: &str, values: &[f32]) -> u64 {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let address = emulator.allocate(bytes.len() as u64, name).expect("memory");
    emulator.write(address, &bytes).expect("in bounds");
    address
}

fn download(emulator: &Emulator, address: u64, n: usize) -> Vec<f32> {
    let mut bytes = vec![0; n * 4];
    emulator.read(address, &mut bytes).expect("in bounds");
    bytes.chunks(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[test]
fn saxpy_on_both_engines_and_a_ragged_size() {
    for all_varying in [false, true] {
        let (emulator, program) = device(all_varying);
        let n = 1000;
        let (x, y) = (random(n, 1), random(n, 2));
        let (dx, dy) = (upload(&emulator, "x", &x), upload(&emulator, "y", &y));
        let launch = LaunchConfig::new("saxpy", [4, 1, 1], [256, 1, 1]);
        let arguments: [&[u8]; 4] = [
            &(n as i32).to_le_bytes(),
            &2.5f32.to_le_bytes(),
            &dx.to_le_bytes(),
            &dy.to_le_bytes(),
        ];
        emulator.launch(&program, &launch, &arguments, &mut NullObserver).expect("runs");
        let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.5f32.mul_add(*x, *y)).collect();
        assert_eq!(download(&emulator, dy, n), expected);
    }
}

#[test]
fn products_agree_with_the_host_to_the_bit() {
    for (name, all_varying) in [
        ("sgemm_naive", false),
        ("sgemm_naive", true),
        ("sgemm_tiled", false),
        ("sgemm_tiled", true),
    ] {
        let (emulator, program) = device(all_varying);
        let n = 64;
        let (a, b) = (random(n * n, 3), random(n * n, 4));
        let (da, db) = (upload(&emulator, "a", &a), upload(&emulator, "b", &b));
        let dc = upload(&emulator, "c", &vec![f32::NAN; n * n]);
        let launch = LaunchConfig::new(name, [4, 4, 1], [16, 16, 1]);
        let arguments: [&[u8]; 4] =
            [&(n as i32).to_le_bytes(), &da.to_le_bytes(), &db.to_le_bytes(), &dc.to_le_bytes()];
        emulator.launch(&program, &launch, &arguments, &mut NullObserver).expect("runs");
        let mut expected = vec![0.0f32; n * n];
        for (i, out) in expected.iter_mut().enumerate() {
            let (row, col) = (i / n, i % n);
            *out = (0..n).fold(0.0f32, |sum, k| a[row * n + k].mul_add(b[k * n + col], sum));
        }
        assert_eq!(download(&emulator, dc, n * n), expected, "{name}");
    }
}

#[test]
fn transposes_count_what_nsight_compute_measured() {
    for all_varying in [false, true] {
        for (name, block) in [
            ("transpose_naive", [32, 32, 1]),
            ("transpose_unpadded", [32, 32, 1]),
            ("transpose_padded", [32, 8, 1]),
        ] {
            let (emulator, program) = device(all_varying);
            let n = 1024usize;
            let src = random(n * n, 5);
            let (ds, dd) =
                (upload(&emulator, "src", &src), upload(&emulator, "dst", &vec![f32::NAN; n * n]));
            let launch = LaunchConfig::new(name, [32, 32, 1], block);
            let arguments: [&[u8]; 3] =
                [&(n as i32).to_le_bytes(), &ds.to_le_bytes(), &dd.to_le_bytes()];
            let mut observer = CountingObserver::default();
            emulator.launch(&program, &launch, &arguments, &mut observer).expect("runs");
            let dst = download(&emulator, dd, n * n);
            assert!((0..n * n).all(|i| dst[(i % n) * n + i / n] == src[i]), "{name}");
            let c = observer.total();
            assert_eq!(
                (c.global_load.requests, c.global_load.sectors),
                (32_768, 131_072),
                "{name}"
            );
            let stores = if name == "transpose_naive" { 1_048_576 } else { 131_072 };
            assert_eq!(
                (c.global_store.requests, c.global_store.sectors),
                (32_768, stores),
                "{name}"
            );
            let (requests, conflicts) = match name {
                "transpose_naive" => (0, 0),
                "transpose_unpadded" => (32_768, 31 * 32_768),
                _ => (32_768, 0),
            };
            assert_eq!(
                (c.shared_load.requests, c.shared_load.bank_conflicts),
                (requests, conflicts),
                "{name}"
            );
            assert_eq!(
                (c.shared_store.requests, c.shared_store.bank_conflicts),
                (requests, 0),
                "{name}"
            );
        }
    }
}

#[test]
fn divergent_loops_end_like_the_host_says() {
    for all_varying in [false, true] {
        let (emulator, program) = device(all_varying);
        let n = 1000usize;
        let out = upload(&emulator, "out", &vec![0.0; 1024]);
        let launch = LaunchConfig::new("collatz", [4, 1, 1], [256, 1, 1]);
        let arguments: [&[u8]; 2] = [&(n as i32).to_le_bytes(), &out.to_le_bytes()];
        emulator.launch(&program, &launch, &arguments, &mut NullObserver).expect("runs");
        let steps = |mut x: u32| {
            let mut steps = 0;
            while x != 1 {
                x = if x & 1 == 1 { 3 * x + 1 } else { x >> 1 };
                steps += 1;
            }
            steps
        };
        let got: Vec<u32> = download(&emulator, out, n).iter().map(|v| v.to_bits()).collect();
        let expected: Vec<u32> = (1..=n as u32).map(steps).collect();
        assert_eq!(got, expected);
    }
}

#[test]
fn block_sums_and_chains() {
    for all_varying in [false, true] {
        let (emulator, program) = device(all_varying);
        let n = 10_000usize;
        let values: Vec<f32> = (0..n).map(|i| f32::from_bits(i as u32 % 10)).collect();
        let (input, out) = (upload(&emulator, "in", &values), upload(&emulator, "out", &[0.0; 8]));
        let launch = LaunchConfig::new("block_sum", [8, 1, 1], [256, 1, 1]);
        let arguments: [&[u8]; 3] =
            [&(n as i32).to_le_bytes(), &input.to_le_bytes(), &out.to_le_bytes()];
        emulator.launch(&program, &launch, &arguments, &mut NullObserver).expect("runs");
        let sum: u32 = download(&emulator, out, 8).iter().map(|v| v.to_bits()).sum();
        assert_eq!(sum, (0..n as u32).map(|i| (i % 10) * (i % 10)).sum::<u32>());
        let next: Vec<f32> = (0..1024u32).map(|i| f32::from_bits((i * 37 + 11) % 1024)).collect();
        let (dn, out) = (upload(&emulator, "next", &next), upload(&emulator, "out", &[0.0; 1024]));
        let launch = LaunchConfig::new("chase", [4, 1, 1], [256, 1, 1]);
        let arguments: [&[u8]; 4] =
            [&1024i32.to_le_bytes(), &100i32.to_le_bytes(), &dn.to_le_bytes(), &out.to_le_bytes()];
        emulator.launch(&program, &launch, &arguments, &mut NullObserver).expect("runs");
        let expected: Vec<u32> = (0..1024u32)
            .map(|i| {
                let (mut at, mut sum) = (i, 0u32);
                for _ in 0..100 {
                    at = (at * 37 + 11) % 1024;
                    sum = sum.wrapping_add(at.wrapping_mul(3) ^ (sum >> 1));
                }
                sum
            })
            .collect();
        let got: Vec<u32> = download(&emulator, out, 1024).iter().map(|v| v.to_bits()).collect();
        assert_eq!(got, expected);
    }
}
