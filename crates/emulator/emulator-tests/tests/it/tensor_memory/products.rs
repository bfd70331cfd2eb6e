//! Products of every kind, shape and layout: compares them with the host's results.

use crate::tensor_memory::gemm::{Gemm, Layout, check_text, draw};

/// An element type: the bits of small numbers, and their values.
struct Numbers {
    bits: fn(u32) -> u32,
    value: fn(u32) -> f64,
}

fn half(draw: u32) -> u32 {
    u32::from(half::f16::from_f32((draw % 17) as f32 - 8.0).to_bits())
}

const HALVES: Numbers = Numbers { bits: half, value: |d| f64::from(d % 17) - 8.0 };
const BRAINS: Numbers = Numbers {
    bits: |d| ((d % 17) as f32 - 8.0).to_bits() >> 16,
    value: |d| f64::from(d % 17) - 8.0,
};
const TF32: Numbers = Numbers {
    // Bits below the 10 mantissa bits are ignored.
    bits: |d| ((d % 17) as f32 - 8.0).to_bits() | 0x1fff,
    value: |d| f64::from(d % 17) - 8.0,
};
const E4M3: Numbers = Numbers {
    bits: |d| [0, 0x30, 0x38, 0x40, 0x44, 0xb8, 0xc0, 0xc8][d as usize % 8],
    value: |d| [0.0, 0.5, 1.0, 2.0, 3.0, -1.0, -2.0, -4.0][d as usize % 8],
};
const E5M2: Numbers = Numbers {
    bits: |d| [0, 0x38, 0x3c, 0x40, 0x42, 0xbc, 0xc0, 0xc4][d as usize % 8],
    value: |d| [0.0, 0.5, 1.0, 2.0, 3.0, -1.0, -2.0, -4.0][d as usize % 8],
};
const S8: Numbers = Numbers { bits: |d| d & 0xff, value: |d| f64::from(d as u8 as i8) };
const U8: Numbers = Numbers { bits: |d| d & 0xff, value: |d| f64::from(d as u8) };

/// Computes the product on the host.
fn product(this: &Gemm, a: &Numbers, b: &Numbers) -> Vec<f64> {
    let k = this.steps * this.k;
    let mut d = Vec::new();
    for row in 0..this.m {
        for column in 0..this.n {
            let of = |at| (a.value)(draw(row, at)) * (b.value)(draw(at, column + 1000));
            d.push((0..k).map(of).sum());
        }
    }
    d
}

/// Runs a product and compares its values.
fn compare(this: &Gemm, a: &Numbers, b: &Numbers, read: fn(u32) -> f64) {
    let what = format!("{} {}x{}, a {:?}, b {:?}", this.kind, this.m, this.n, this.a, this.b);
    let found = this
        .run(|row, k| (a.bits)(draw(row, k)), |column, k| (b.bits)(draw(k, column + 1000)))
        .unwrap_or_else(|fault| panic!("{what}: {fault}"));
    let expected = product(this, a, b);
    let wrong: Vec<usize> =
        (0..expected.len()).filter(|i| read(found[*i]) != expected[*i]).collect();
    if let Some(i) = wrong.first() {
        panic!(
            "{what}: {} of {} differ; ({}, {}) is {} instead of {}",
            wrong.len(),
            expected.len(),
            i / this.n,
            i % this.n,
            read(found[*i]),
            expected[*i]
        );
    }
}

fn single(word: u32) -> f64 {
    f64::from(f32::from_bits(word))
}

fn integer(word: u32) -> f64 {
    f64::from(word as i32)
}

const F32: u32 = 1 << 4;

#[test]
fn halves_multiply_in_every_layout() {
    for a in Layout::BY_K.into_iter().chain(Layout::ACROSS) {
        for b in Layout::BY_K.into_iter().chain(Layout::ACROSS) {
            let this = Gemm { a: Some(a), b, ..Gemm::new("kind::f16", [128, 64, 4], 2, F32) };
            compare(&this, &HALVES, &HALVES, single);
        }
    }
}

#[test]
fn every_shape_has_its_lanes() {
    for [m, n] in [[64, 8], [64, 72], [128, 8], [128, 24], [128, 256]] {
        let narrow = Layout::BY_K[2];
        let of = |types| Gemm {
            a: Some(narrow),
            b: narrow,
            ..Gemm::new("kind::f16", [m, n, 2], 2, types)
        };
        compare(&of(F32 | 1 << 7 | 1 << 10), &BRAINS, &BRAINS, single);
        let in_tensor_memory = Gemm { a: None, ..of(F32 | 1 << 10) };
        compare(&in_tensor_memory, &HALVES, &BRAINS, single);
    }
    for m in [32, 64, 128] {
        for n in [64, 128, 256] {
            let narrow = Layout::BY_K[2];
            let this = Gemm {
                a: Some(narrow),
                b: narrow,
                ..Gemm::new("kind::f16.collector::b2::fill", [m, n, 2], 2, F32)
            };
            compare(&Gemm { stationary: true, ..this.clone() }, &HALVES, &HALVES, single);
            let this = Gemm { stationary: true, a: None, ..this };
            compare(&this, &HALVES, &HALVES, single);
        }
    }
}

#[test]
fn tf32_multiplies_and_is_transposed_by_units_of_32_bytes() {
    let this = Gemm::new("kind::tf32", [128, 32, 4], 4, F32 | 2 << 7 | 2 << 10);
    for a in Layout::BY_K {
        compare(&Gemm { a: Some(a), ..this.clone() }, &TF32, &TF32, single);
    }
    for (a, b) in [(Some(Layout::BY_32), Layout::BY_32), (None, Layout::BY_32)] {
        compare(&Gemm { a, b, ..this.clone() }, &TF32, &TF32, single);
    }
}

#[test]
fn bytes_multiply_as_floats_and_integers() {
    for (types, a, b) in
        [(F32, &E4M3, &E4M3), (F32 | 1 << 7, &E5M2, &E4M3), (F32 | 1 << 10, &E4M3, &E5M2)]
    {
        for layout in [Layout::BY_K[1], Layout::BY_K[3], Layout::ACROSS[0], Layout::ACROSS[3]] {
            let this = Gemm::new("kind::f8f6f4", [128, 64, 2], 1, types);
            compare(&Gemm { a: Some(layout), b: layout, ..this.clone() }, a, b, single);
            compare(&Gemm { a: None, b: layout, ..this }, a, b, single);
        }
    }
    let s32 = 2 << 4;
    for (types, a, b) in [(s32, &U8, &U8), (s32 | 1 << 7, &S8, &U8), (s32 | 9 << 7, &S8, &S8)] {
        let this = Gemm::new("kind::i8", [64, 48, 3], 1, types);
        compare(&this, a, b, integer);
        compare(&Gemm { a: Some(Layout::ACROSS[2]), ..this }, a, b, integer);
    }
}

#[test]
fn results_of_16_bits_occupy_words() {
    let read = |word: u32| {
        assert_eq!(word >> 16, 0, "the upper half is empty");
        f64::from(half::f16::from_bits(word as u16).to_f32())
    };
    compare(&Gemm::new("kind::f16", [128, 16, 1], 2, 0), &HALVES, &HALVES, read);
}

#[test]
fn negation_scale_and_masked_lanes_work() {
    let ones = |_: usize, _: usize| u32::from(half::f16::from_f32(1.0).to_bits());
    let this = Gemm::new("kind::f16", [128, 16, 2], 2, F32 | 1 << 13);
    let found = this.run(ones, ones).expect("runs");
    assert!(found.iter().all(|word| single(*word) == -32.0), "A is negated");
    // D = A B + D / 4, twice.
    let scaled = Gemm {
        extra: (String::new(), ", 2".to_owned()),
        ..Gemm::new("kind::f16", [128, 16, 2], 2, F32)
    };
    let found = scaled.run(ones, ones).expect("runs");
    assert!(found.iter().all(|word| single(*word) == 16.0 + 4.0), "{}", single(found[0]));
    // Lanes 1 and 64 keep their previous values.
    let kept = Gemm {
        extra: (", {%r40, %r41, %r42, %r41}".to_owned(), String::new()),
        before: "mov.b32 %r40, 2; mov.b32 %r41, 0; mov.b32 %r42, 1;".to_owned(),
        ..Gemm::new("kind::f16", [128, 16, 2], 2, F32)
    };
    let found = kept.run(ones, ones).expect("runs");
    for (row, words) in found.chunks(16).enumerate() {
        let expected = if row == 1 || row == 64 { 0xcdcd_cdcd } else { 32f32.to_bits() };
        assert!(words.iter().all(|word| *word == expected), "row {row}");
    }
    // Of seven columns, 4 to 6 are zero.
    let zeros = Gemm {
        stationary: true,
        extra: (String::new(), ", %rd10".to_owned()),
        before: "mov.b64 %rd10, 0x0003028000000000;".to_owned(),
        ..Gemm::new("kind::f16", [128, 64, 2], 2, F32)
    };
    let found = zeros.run(ones, ones).expect("runs");
    for (column, word) in found[..64].iter().enumerate() {
        assert_eq!(single(*word), if column % 7 < 4 { 32.0 } else { 0.0 }, "column {column}");
    }
}

#[test]
fn small_floats_multiply_padded() {
    // Sixteen elements are at the start of each 16 bytes, which the layout treats as one element.
    let table: [f64; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
    let number = |d: u32| (d & 15, if d & 8 != 0 { -1.0 } else { 1.0 } * table[d as usize & 7]);
    let this = Gemm::new("kind::f8f6f4", [128, 16, 2], 1, F32 | 5 << 7 | 5 << 10);
    let packed = |row: usize, k: usize, of: &dyn Fn(usize, usize) -> u32| {
        let (first, byte) = (k / 16 * 16, k % 16);
        if byte < 8 { of(row, first + 2 * byte) | of(row, first + 2 * byte + 1) << 4 } else { 0xff }
    };
    let (a, b) = (
        |row: usize, k: usize| number(draw(row, k)).0,
        |column: usize, k: usize| number(draw(k, column + 1000)).0,
    );
    let found = this.run(|r, k| packed(r, k, &a), |c, k| packed(c, k, &b)).expect("runs");
    for row in 0..128 {
        for column in 0..16 {
            let expected: f64 =
                (0..64).map(|k| number(draw(row, k)).1 * number(draw(k, column + 1000)).1).sum();
            assert_eq!(single(found[row * 16 + column]), expected, "({row}, {column})");
        }
    }
}

#[test]
fn a_right_product_has_no_findings() {
    for a in [Some(Layout::BY_K[3]), None] {
        let this = Gemm { a, ..Gemm::new("kind::f16", [128, 32, 2], 2, F32) };
        let image = this.image(|r, k| half(draw(r, k)), |c, k| half(draw(k, c)));
        let reports = check_text(&this.text(), &image, 128 * this.columns());
        assert!(reports.is_empty(), "{reports:?}");
    }
}
