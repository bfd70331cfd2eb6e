//! A `tcgen05` product that nvcc compiled.

use crate::common::{device, download, load, upload};
use crate::tensor_memory::gemm::draw;
use lanework_emulator::{LaunchConfig, NullObserver};

#[test]
fn a_product_of_a_real_compiler_is_right_and_clean() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../laboratory/lab/data/compilers/tcgen05.sm_100a.ptx"
    );
    let emulator = device(false);
    let program = load(&emulator, &std::fs::read_to_string(path).expect("PTX")).expect("loads");
    let (m, n, k) = (256, 128, 192);
    let value = |row: usize, at: usize| (draw(row, at) % 9) as f32 - 4.0;
    let words = |rows: usize, seed: usize| -> Vec<u32> {
        let bits = |row, at| u32::from(half::f16::from_f32(value(row + seed, at)).to_bits());
        let pairs = (0..rows).flat_map(|row| (0..k / 2).map(move |at| (row, 2 * at)));
        pairs.map(|(row, at)| bits(row, at) | bits(row, at + 1) << 16).collect()
    };
    let (a, b) = (upload(&emulator, "a", &words(m, 0)), upload(&emulator, "b", &words(n, 5000)));
    let c = emulator.allocate(4 * (m * n) as u64, "c").expect("memory");
    let launch = LaunchConfig::new("product", [n as u32 / 64, m as u32 / 128, 1], [128, 1, 1]);
    let (columns, depth) = (n as u32, k as u32);
    let arguments: [&[u8]; 5] = [
        &a.to_le_bytes(),
        &b.to_le_bytes(),
        &c.to_le_bytes(),
        &columns.to_le_bytes(),
        &depth.to_le_bytes(),
    ];
    emulator
        .launch(&program, &launch, &arguments, &mut NullObserver)
        .unwrap_or_else(|f| panic!("{f}"));
    let found = download(&emulator, c, m * n);
    for row in 0..m {
        for column in 0..n {
            let expected: f32 = (0..k).map(|at| value(row, at) * value(column + 5000, at)).sum();
            assert_eq!(f32::from_bits(found[row * n + column]), expected, "({row}, {column})");
        }
    }
    let checked = emulator.check(&program, &launch, &arguments).expect("it starts");
    assert!(checked.reports.is_empty() && checked.fault.is_none(), "{:?}", checked.reports);
}
