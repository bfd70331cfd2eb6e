//! Sums in every order that kernels use, over data of every kind, are never rejected; results of lower precision
//! and wrong ones always are, each with its true cause.

use super::problems::{DATA, Data, ORDERS, Order, Problem, VARIED};
use crate::host::Format;
use half::f16;
use lanework_bench::{Accuracy, Rejection};
use proptest::prelude::*;

/// Every order over every kind of data.
fn all_are_right(extents: (usize, usize, usize), scales: (f32, f32), seed: u64) {
    for data in DATA {
        let problem = Problem { scales, ..data.problem(extents, seed) };
        let product = problem.product();
        let reference = product.reference();
        for order in ORDERS {
            let got = problem.by(|a, b| order.sum(a, b));
            let verdict = product.compare(&reference, &got);
            assert!(verdict.is_ok(), "{data:?}, {order:?}, {extents:?}, {scales:?}: {verdict:?}");
        }
    }
}

#[test]
fn right_sums_are_never_rejected() {
    for extents in [(64, 64, 32), (1, 1, 1), (3, 5, 500), (33, 17, 129), (1, 1, 4096)] {
        all_are_right(extents, (1.0, 0.0), 1);
    }
    all_are_right((20, 30, 40), (-0.3, 0.7), 2);
    all_are_right((20, 30, 40), (1000.0, -1e-3), 2);
}

#[test]
fn long_right_sums_are_never_rejected() {
    all_are_right((8, 8, 4096), (1.0, 0.0), 3);
    all_are_right((1, 2, 1 << 16), (1.0, 0.0), 4);
}

/// Number of cases of each property: `LANEWORK_ACCURACY_CASES`, by default 10.
fn cases() -> u32 {
    let more = std::env::var("LANEWORK_ACCURACY_CASES").ok();
    more.and_then(|text| text.parse().ok()).unwrap_or(10)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 32, ..ProptestConfig::default() })]

    #[test]
    fn right_sums_of_any_shape_are_never_rejected(
        m in 1usize..24, n in 1usize..24, k in 1usize..400, scaled: bool, seed: u64
    ) {
        all_are_right((m, n, k), if scaled { (0.5, -2.0) } else { (1.0, 0.0) }, seed);
    }

    #[test]
    fn lower_precision_inputs_are_always_recognized(
        m in 8usize..32, n in 8usize..32, k in 4usize..400, which in 0usize..4, seed: u64
    ) {
        let problem = VARIED[which].problem((m, n, k), seed);
        for format in Format::ALL {
            let why = problem.lower(&problem.of_inputs(|x| format.round(x)));
            prop_assert!(why.contains(format.name()), "{format:?}: {why}");
        }
    }

    #[test]
    fn a_missing_slice_or_tile_and_a_swapped_index_are_always_reported(
        m in 17usize..40, k in 17usize..200, which in 0usize..4, seed: u64
    ) {
        let problem = VARIED[which].problem((m, m, k), seed);
        let at = seed as usize % (k - 8);
        let lost = problem.by(|a, b| {
            Order::Fused.sum(&a[..at], &b[..at]) + Order::Fused.sum(&a[at + 8..], &b[at + 8..])
        });
        let why = problem.wrong(&lost);
        // In a short ramp another slice may fit as well.
        let named = why.contains(&format!("slice k = {at} to {}", at + 7));
        prop_assert!(named || VARIED[which] == Data::Ramp && why.contains("left out"), "{why}");
        let right = problem.right();
        let mut tile = right.clone();
        (0..8).for_each(|i| tile[(i + 5) * m + 3..][..8].fill(0.0));
        let why = problem.wrong(&tile);
        prop_assert!(why.contains("rows 5 to 12, columns 3 to 10 were not computed"), "{why}");
        let swapped: Vec<f32> = (0..m * m).map(|at| right[at % m * m + at / m]).collect();
        // Two ramps make a product that is its own transpose.
        if VARIED[which] != Data::Ramp {
            let why = problem.wrong(&swapped);
            prop_assert!(why.contains("C had been written transposed"), "{why}");
        }
    }
}

#[test]
fn low_precision_is_recognized_among_equally_large_roundings() {
    // In a sequential sum of 4096 terms of one sign, the roundings are as large as the losses of TF32.
    for (data, k, formats) in [
        (Data::OneSigned, 4096, &Format::ALL[1..3]),
        (Data::OneSigned, 1024, &Format::ALL),
        (Data::Uniform, 1024, &Format::ALL),
    ] {
        {
            let problem = data.problem((40, 40, k), 5);
            assert_eq!(problem.verdict(&problem.right()).map(drop), Ok(()));
            for format in formats {
                let why = problem.lower(&problem.of_inputs(|x| format.round(x)));
                assert!(why.contains(format.name()), "{data:?}, {k}, {format:?}: {why}");
            }
        }
    }
}

#[test]
fn lower_precision_inputs_are_recognized_in_constant_and_wide_data() {
    for data in [Data::Tenths, Data::NearlyConstant, Data::FewValues, Data::Wide, Data::Canceling] {
        let problem = data.problem((32, 32, 64), 6);
        for format in Format::ALL {
            let why = problem.lower(&problem.of_inputs(|x| format.round(x)));
            assert!(why.contains(format.name()), "{data:?}, {format:?}: {why}");
        }
    }
}

#[test]
fn one_operand_of_lower_precision_is_named() {
    let problem = Data::Uniform.problem((32, 32, 256), 7);
    let b: Vec<f32> = problem.b.iter().map(|&x| Format::Tf32.round(x)).collect();
    let why = problem.lower(&Problem { b, ..problem.clone() }.right());
    assert!(why.contains("as if B, but not A, had been rounded to TF32"), "{why}");
}

#[test]
fn half_precision_accumulators_and_products_are_recognized() {
    let half = |x: f32| f16::from_f32(x).to_f32();
    for (data, k) in [(Data::Uniform, 64), (Data::OneSigned, 64), (Data::Uniform, 1024)] {
        let problem = data.problem((32, 32, k), 8);
        let sums =
            problem.by(|a, b| a.iter().zip(b).fold(0.0, |sum, (a, b)| half(a.mul_add(*b, sum))));
        let why = problem.lower(&sums);
        assert!(why.contains("every result is exactly an fp16 number"), "{why}");
        let products =
            problem.by(|a, b| a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + half(a * b)));
        let why = problem.lower(&products);
        assert!(why.contains("each product had been rounded to fp16"), "{why}");
    }
}

#[test]
fn one_wrong_element_shows_in_any_row_even_if_only_sums_are_checked() {
    let problem = Data::Uniform.problem((40, 60, 50), 1);
    let product = problem.product();
    for budget in [0, usize::MAX] {
        let reference = product.reference_within(budget);
        let right = problem.right();
        let Ok(Accuracy::WithinBound { bound_used, .. }) = product.compare(&reference, &right)
        else {
            panic!("refused")
        };
        assert!(bound_used < 0.2, "{bound_used}");
        for row in 0..40 {
            for wrong in [1e-3, f32::NAN] {
                let mut got = right.clone();
                got[row * 60 + 7] += wrong;
                let verdict = product.compare(&reference, &got);
                assert!(
                    matches!(verdict, Err(Rejection::Wrong(_))),
                    "row {row}, {wrong}, {budget}"
                );
            }
        }
    }
}

#[test]
fn constant_data_pass_if_only_sums_of_rows_are_checked() {
    let problem = Data::Tenths.problem((40, 60, 500), 1);
    let product = problem.product();
    let got = problem.by(|a, b| Order::Sequential.sum(a, b));
    assert_eq!(product.compare(&product.reference_within(0), &got).map(drop), Ok(()));
}

#[test]
fn wrong_results_are_described() {
    let problem = Data::Uniform.problem((48, 48, 64), 9);
    let right = problem.right();
    let (m, k) = (48, 64);
    let changed = |p: usize, by: f32| {
        problem.by(|a, b| {
            let mut a = a.to_vec();
            a[p] *= by;
            Order::Fused.sum(&a, b)
        })
    };
    let every = problem.by(|a, b| {
        a.iter()
            .zip(b)
            .enumerate()
            .filter(|(p, _)| p % 16 != 15)
            .fold(0.0, |s, (_, (a, b))| s + a * b)
    });
    let tiles: Vec<f32> = (0..m * m)
        .map(|at| (at / m, at % m))
        .map(|(i, j)| right[(i / 16 * 16 + j % 16) * m + j / 16 * 16 + i % 16])
        .collect();
    let a_transposed: Vec<f32> = (0..m * k).map(|at| problem.a[at % k * m + at / k]).collect();
    let mut rows = right.clone();
    rows[3 * m..4 * m].copy_from_slice(&right[4 * m..5 * m]);
    let mut nan = right.clone();
    nan[..m].fill(f32::NAN);
    let double: Vec<f32> = right.iter().map(|x| 2.0 * x).collect();
    for (got, words) in [
        (changed(7, 0.0), "the term of k = 7 had been left out"),
        (changed(9, 2.0), "the term of k = 9 had been counted twice"),
        (every, "every 16th term from k = 15 to 63 had been left out"),
        (tiles, "every 16x16 tile of C had been written transposed"),
        (Problem { a: a_transposed, ..problem.clone() }.right(), "A had been read transposed"),
        (rows, "row 3 holds the results of row 4"),
        (nan, "rows 0 to 0, columns 0 to 47 were not computed (they all hold NaN)"),
        (vec![0.0; m * m], "no element was computed (they all hold 0e0)"),
        (double, "each is 2.000000 times what it should be"),
    ] {
        let why = problem.wrong(&got);
        assert!(why.contains(words), "{words}\n{why}");
    }
    let added = Problem { scales: (0.5, -2.0), ..problem.clone() };
    for (fill, words) in [
        (1.0, "rows 16 to 31, columns 0 to 15 were not computed (they hold what C held before)"),
        (
            -2.0,
            "rows 16 to 31, columns 0 to 15 were not computed (they hold beta C, without a product)",
        ),
    ] {
        let mut got = added.right();
        for (i, j) in (16..32).flat_map(|i| (0..16).map(move |j| (i, j))) {
            got[i * m + j] = fill * added.c[i * m + j];
        }
        let why = added.wrong(&got);
        assert!(why.contains(words), "{words}\n{why}");
    }
    let tenths = Data::Tenths.problem((16, 16, 64), 1);
    let why = tenths.wrong(&tenths.by(|a, b| Order::Fused.sum(&a[..48], &b[..48])));
    assert!(why.contains("as if 16 of the 64 terms had been left out"), "{why}");
}

#[test]
fn a_missing_slice_of_a_long_sum_is_reported_below_the_bound() {
    // Four of 8192 terms are smaller than the errors of 8192 roundings.
    for data in [Data::Uniform, Data::OneSigned] {
        let problem = data.problem((24, 24, 8192), 10);
        let got = problem.by(|a, b| Order::Fused.sum(&a[..8188], &b[..8188]));
        let why = problem.wrong(&got);
        assert!(why.contains("slice k = 8188 to 8191"), "{data:?}: {why}");
    }
}

#[test]
fn overflowing_half_precision_inputs_are_recognized() {
    let mut problem = Data::Uniform.problem((16, 16, 16), 11);
    problem.a.iter_mut().for_each(|x| *x *= 1e5);
    let why = problem.lower(&problem.of_inputs(|x| f16::from_f32(x).to_f32()));
    assert!(why.contains("rounded to fp16"), "{why}");
}

#[test]
fn other_losses_of_precision_are_recognized_by_their_size() {
    // Fractions of 12 bits, a format that is not among the known ones.
    let problem = Data::Uniform.problem((32, 32, 512), 12);
    let why = problem.lower(&problem.of_inputs(|x| f32::from_bits((x.to_bits() + 0x400) & !0x7FF)));
    assert!(why.contains("where f32 roundings of 512 terms give"), "{why}");
}

/// The numbers that `scripts/tensor_products.py` multiplies.
fn generated(count: usize) -> Vec<f32> {
    let mut state = 1u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    (0..count).map(next).collect()
}

#[test]
fn products_of_tensor_cores_are_recognized() {
    let Some(folder) = std::env::var_os("LANEWORK_TENSOR_PRODUCTS") else {
        lanework_testing::skip(
            "products of tensor cores",
            "LANEWORK_TENSOR_PRODUCTS names no folder that scripts/tensor_products.py has written on a GPU",
        );
        return;
    };
    let folder = std::path::Path::new(&folder);
    let (edge, mut failures) = (64, Vec::new());
    for k in [64, 1024, 4096] {
        let drawn = generated(2 * edge * k);
        for data in ["uniform", "one-signed", "tenths"] {
            let value = |x: &f32| match data {
                "uniform" => 2.0 * x - 1.0,
                "tenths" => 0.1,
                _ => *x,
            };
            let values: Vec<f32> = drawn.iter().map(value).collect();
            let (a, b) = (values[..edge * k].to_vec(), values[edge * k..].to_vec());
            let problem =
                Problem { extents: (edge, edge, k), scales: (1.0, 0.0), a, b, c: Vec::new() };
            for (precision, words) in
                [("f32", ""), ("tf32", "TF32"), ("bf16", "bf16"), ("fp16", "fp16")]
            {
                let name = format!("{data}-{k}-{precision}.f32");
                let bytes = std::fs::read(folder.join(&name)).expect("a result of the script");
                let got: Vec<f32> =
                    bytes.chunks(4).map(|x| f32::from_le_bytes(x.try_into().expect("4"))).collect();
                let verdict = problem.verdict(&got);
                println!("{name}: {verdict:?}");
                let right = match &verdict {
                    Ok(_) => words.is_empty(),
                    Err(Rejection::LowerPrecision(why)) => !words.is_empty() && why.contains(words),
                    Err(_) => false,
                };
                failures.extend((!right).then(|| format!("{name}: {verdict:?}")));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
