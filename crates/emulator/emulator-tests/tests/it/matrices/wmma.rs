//! Tests of `wmma`: loads, products and stores of whole matrices.

use crate::matrices::numbers::Type::{self, *};
use crate::matrices::warp;

/// The words of a matrix in memory, whose rows or columns are `stride` elements apart.
fn in_memory(
    ty: Type,
    values: &[i64],
    (rows, columns): (usize, usize),
    by_rows: bool,
    stride: usize,
) -> Vec<u32> {
    let lines = if by_rows { rows } else { columns };
    let mut bytes = vec![0u8; (lines * stride * ty.bits() / 8).next_multiple_of(4)];
    for row in 0..rows {
        for column in 0..columns {
            let at = if by_rows { row * stride + column } else { column * stride + row };
            let (size, bits) = (ty.bits() / 8, ty.encode(values[row * columns + column]));
            bytes[at * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn layout(by_rows: bool) -> &'static str {
    if by_rows { "row" } else { "col" }
}

/// Number of registers of a `wmma` fragment.
fn wmma_count(ty: Type, elements: usize, factor: bool) -> usize {
    if factor && ty == F16 { 8 } else { (elements * ty.bits() / 32).div_ceil(32).max(1) }
}

fn check_wmma((m, n, k): (usize, usize, usize), [a, b, c]: [Type; 3], rows: [bool; 3]) {
    let mut state = (m * 31 + n * 7 + k) as u64 + a.bits() as u64;
    let left: Vec<i64> = (0..m * k).map(|_| a.small(&mut state)).collect();
    let right: Vec<i64> = (0..k * n).map(|_| b.small(&mut state)).collect();
    let plus: Vec<i64> = (0..m * n).map(|_| c.small(&mut state)).collect();
    let extents = [(m, k), (k, n), (m, n)];
    let strides: Vec<usize> = extents
        .iter()
        .zip(rows)
        .map(|((r, c), by_rows)| if by_rows { *c } else { *r } + 16)
        .collect();
    let types = [a, b, c];
    let mut input = Vec::new();
    let mut starts = Vec::new();
    for (part, values) in [&left, &right, &plus].into_iter().enumerate() {
        starts.push(input.len() * 4);
        input.extend(in_memory(types[part], values, extents[part], rows[part], strides[part]));
    }
    let sums: Vec<i64> = (0..m * n)
        .map(|i| {
            let products = (0..k).map(|at| left[i / n * k + at] * right[at * n + i % n]);
            plus[i] + products.sum::<i64>()
        })
        .collect();
    let wide = a == F64;
    let prefix = if wide { "%rd" } else { "%r" };
    let list = |first: usize, count: usize| {
        let names: Vec<String> = (first..first + count).map(|i| format!("{prefix}{i}")).collect();
        format!("{{{}}}", names.join(", "))
    };
    let counts = [0, 1, 2].map(|part| {
        let elements = extents[part].0 * extents[part].1;
        if wide { elements / 32 } else { wmma_count(types[part], elements, part < 2) }
    });
    let shape = format!("m{m}n{n}k{k}");
    let mut text = String::new();
    for (part, name) in ["a", "b", "c"].into_iter().enumerate() {
        text += &format!(
            "wmma.load.{name}.sync.aligned.{}.{shape}.global.{} {}, [%rd1+{}], {};\n",
            layout(rows[part]),
            types[part].name(),
            list(20 + 10 * part, counts[part]),
            starts[part],
            strides[part]
        );
    }
    let names = match a {
        F16 => format!("{0}.{0}", c.name()),
        F64 => "rn.f64.f64.f64.f64".to_owned(),
        _ => format!("{}.{}.{}.{}", c.name(), a.name(), b.name(), c.name()),
    };
    let names = match names.strip_prefix("rn.") {
        Some(rest) => format!("{shape}.rn.{rest}"),
        None => format!("{shape}.{names}"),
    };
    text += &format!(
        "wmma.mma.sync.aligned.row.col.{names} {}, {}, {}, {};
        mov.u32 %r15, {};
        wmma.store.d.sync.aligned.{}.{shape}.global.{} [%rd2], {}, %r15;\n",
        list(50, counts[2]),
        list(20, counts[0]),
        list(30, counts[1]),
        list(40, counts[2]),
        strides[2],
        layout(rows[2]),
        c.name(),
        list(50, counts[2])
    );
    let want = in_memory(c, &sums, (m, n), rows[2], strides[2]);
    let got = warp(&text, &input, want.len());
    for (i, (got, want)) in got.iter().zip(&want).enumerate() {
        // The store leaves the bytes between rows unchanged.
        let between = *want == 0 && *got == 0xCDCD_CDCD;
        assert!(got == want || between, "{shape} {a:?} {rows:?} word {i}: {got:#x}, not {want:#x}");
    }
    assert!(got.iter().filter(|word| **word != 0xCDCD_CDCD).count() * 32 >= m * n * c.bits());
}

#[test]
fn wmma_loads_multiplies_and_stores() {
    for shape in [(16, 16, 16), (32, 8, 16), (8, 32, 16)] {
        for rows in [[true, false, true], [false, true, false], [true, true, true]] {
            check_wmma(shape, [F16, F16, F32], rows);
            check_wmma(shape, [F16, F16, F16], rows);
            check_wmma(shape, [Bf16, Bf16, F32], rows);
            check_wmma(shape, [S8, S8, S32], rows);
            check_wmma(shape, [U8, U8, S32], rows);
        }
    }
    check_wmma((16, 16, 8), [Tf32, Tf32, F32], [true, false, true]);
    check_wmma((8, 8, 4), [F64, F64, F64], [true, false, true]);
}

/// Checks products of bits or 4-bit integers: 8 x 8 results of rows and columns with 128 bits each.
fn check_narrow(shape: &str, ty: &str, op: &str, product: impl Fn(u32, u32) -> i32) {
    let input = crate::common::random_words(128, 11);
    let body = format!(
        "wmma.load.a.sync.aligned.row.{shape}.global.{ty} {{%r20}}, [%rd1], {ldm};
        wmma.load.b.sync.aligned.col.{shape}.global.{ty} {{%r21}}, [%rd1+128], {ldm};
        wmma.load.c.sync.aligned.row.{shape}.global.s32 {{%r22, %r23}}, [%rd1+256], 8;
        wmma.mma{op}.sync.aligned.row.col.{shape}.s32.{ty}.{ty}.s32
            {{%r24, %r25}}, {{%r20}}, {{%r21}}, {{%r22, %r23}};
        wmma.store.d.sync.aligned.row.{shape}.global.s32 [%rd2], {{%r24, %r25}}, 8;",
        ldm = if ty == "b1" { 128 } else { 32 },
    );
    let got = warp(&body, &input, 64);
    for (i, got) in got.iter().enumerate() {
        let (row, column) = (i / 8 * 4, 32 + i % 8 * 4);
        let words = input[row..row + 4].iter().zip(&input[column..column + 4]);
        let sum: i32 = words.map(|(a, b)| product(*a, *b)).sum();
        assert_eq!(*got, input[64 + i].wrapping_add(sum as u32), "{ty}{op} element {i}");
    }
}

#[test]
fn wmma_multiplies_bits_and_nibbles() {
    check_narrow("m8n8k128", "b1", ".xor.popc", |a, b| (a ^ b).count_ones() as i32);
    check_narrow("m8n8k128", "b1", ".and.popc", |a, b| (a & b).count_ones() as i32);
    let nibbles = |a: u32, b: u32, of: fn(u32) -> i32| {
        (0..8).map(|i| of(a >> (4 * i) & 15) * of(b >> (4 * i) & 15)).sum()
    };
    check_narrow("m8n8k32", "u4", "", |a, b| nibbles(a, b, |x| x as i32));
    check_narrow("m8n8k32", "s4", "", |a, b| nibbles(a, b, |x| (x as i32 ^ 8) - 8));
}
