//! `wmma.cu` and `tensor.cu`: products by the matrix instructions. Operands are small integers, so
//! that every sum is exact in any order.

use crate::Case;
use crate::case::args;
use crate::cases::arrays::dense::product;
use crate::random::{integer_floats, ints, many, words};
use half::{bf16, f16};

pub fn cases() -> Vec<Case> {
    let mut cases = vec![halves(), halves_in_halves(), wide(), bytes_by_wmma(), brain(), tf32()];
    cases.extend([doubles(), pipeline(), bytes(), transposed()]);
    cases
}

fn half_bits(values: &[f32]) -> Vec<u16> {
    values.iter().map(|&v| f16::from_f32(v).to_bits()).collect()
}

/// The rows of a matrix of `cols` columns as columns.
fn turned<T: Copy>(m: &[T], cols: usize) -> Vec<T> {
    let rows = m.len() / cols;
    (0..m.len()).map(|i| m[i % rows * cols + i / rows]).collect()
}

/// `a` (m by k) times `b` (k by n).
fn times((m, n, k): (usize, usize, usize), a: &[f32], b: &[f32]) -> Vec<f32> {
    product((m, n, k), |sum: f32, i, j| sum + a[i] * b[j])
}

fn halves_of(name: &'static str, most: i32) -> (Case, Vec<f32>) {
    let (m, n, k) = (32, 48, 64);
    let (a, b) = (integer_floats(1, m * k, most), integer_floats(2, k * n, most));
    let c = times((m, n, k), &a, &b).iter().map(|v| v + 1.0).collect();
    let case =
        Case::new("wmma", name).with("a", &half_bits(&a)).with("b", &half_bits(&turned(&b, n)));
    (case, c)
}

fn halves() -> Case {
    let (case, c) = halves_of("halves, sums in floats", 30);
    let entry = "_Z11wmma_halvesIfEvPK6__halfS2_PT_ii";
    case.with("c", &vec![0f32; c.len()])
        .run(entry, (3, 2), 32, args!["a", "b", "c", 48i32, 64i32])
        .expects("c", &c)
}

fn halves_in_halves() -> Case {
    let (case, c) = halves_of("halves, sums in halves", 4);
    let entry = "_Z11wmma_halvesI6__halfEvPKS0_S2_PT_ii";
    case.with("c", &vec![0u16; c.len()])
        .run(entry, (3, 2), 32, args!["a", "b", "c", 48i32, 64i32])
        .expects("c", &half_bits(&c))
}

fn wide() -> Case {
    let (a, b) = (integer_floats(3, 32 * 16, 30), integer_floats(4, 16 * 8, 30));
    let c = times((32, 8, 16), &a, &b);
    Case::new("wmma", "32 by 8, from shared memory")
        .with("a", &half_bits(&turned(&a, 16)))
        .with("b", &half_bits(&b))
        .with("c", &vec![0f32; c.len()])
        .run("wmma_wide", 1, 32, args!["a", "b", "c"])
        .expects("c", &c)
}

fn bytes_by_wmma() -> Case {
    let (a, b) = (many(5, 256, |r| r as i8), many(6, 256, |r| r as i8));
    let c = product((16, 16, 16), |sum: i32, i, j| sum + i32::from(a[i]) * i32::from(b[j]));
    let c: Vec<i32> = turned(&c, 16).iter().map(|v| v + 5).collect();
    Case::new("wmma", "bytes")
        .with("a", &a)
        .with("b", &turned(&b, 16))
        .with("c", &vec![0i32; c.len()])
        .run("wmma_bytes", 1, 32, args!["a", "b", "c"])
        .expects("c", &c)
}

fn brain() -> Case {
    let bits = |v: &[f32]| v.iter().map(|&v| bf16::from_f32(v).to_bits()).collect::<Vec<_>>();
    let (a, b) = (integer_floats(7, 256, 100), integer_floats(8, 256, 100));
    let first = integer_floats(9, 256, 1000);
    let c: Vec<f32> =
        times((16, 16, 16), &a, &b).iter().zip(&first).map(|(ab, c)| ab + c).collect();
    Case::new("tensor", "bfloat16 by wmma")
        .with("a", &bits(&a))
        .with("b", &bits(&b))
        .with("c", &first)
        .run("wmma_brain", 1, 32, args!["a", "b", "c"])
        .expects("c", &c)
}

fn tf32() -> Case {
    let (a, b) = (integer_floats(10, 128, 500), integer_floats(11, 128, 500));
    let c = times((16, 16, 8), &a, &b);
    Case::new("tensor", "tf32 by wmma")
        .with("a", &a)
        .with("b", &turned(&b, 16))
        .with("c", &vec![0f32; c.len()])
        .run("wmma_tf32", 1, 32, args!["a", "b", "c"])
        .expects("c", &c)
}

fn doubles() -> Case {
    let wide =
        |seed| ints(seed, 128, -9999, 9999).iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
    let (a, b) = (wide(12), wide(13));
    let c = product((8, 8, 16), |sum: f64, i, j| sum + a[i] * b[j]);
    Case::new("tensor", "doubles by wmma")
        .with("a", &a)
        .with("b", &turned(&b, 8))
        .with("c", &vec![0f64; c.len()])
        .run("wmma_double", 1, 32, args!["a", "b", "c"])
        .expects("c", &c)
}

fn pipeline() -> Case {
    let (m, n, k) = (128, 64, 96);
    let (a, b) = (integer_floats(14, m * k, 30), integer_floats(15, k * n, 30));
    let c = times((m, n, k), &a, &b);
    Case::new("tensor", "copies in flight, ldmatrix and mma")
        .with("a", &half_bits(&a))
        .with("bt", &half_bits(&turned(&b, n)))
        .with("c", &vec![0f32; c.len()])
        .run("mma_pipeline", (1, 2), 128, args!["a", "bt", "c", n as i32, k as i32])
        .expects("c", &c)
}

fn bytes() -> Case {
    let (a, b) = (many(16, 16 * 32, |r| r as i8), many(17, 32 * 8, |r| r as u8));
    let c = product((16, 8, 32), |sum: i32, i, j| sum + i32::from(a[i]) * i32::from(b[j]));
    Case::new("tensor", "bytes by mma")
        .with("a", &a)
        .with("b", &turned(&b, 8))
        .with("c", &vec![0i32; c.len()])
        .run("mma_bytes", 1, 32, args!["a", "b", "c"])
        .expects("c", &c)
}

fn transposed() -> Case {
    let x: Vec<u16> = words(18, 128).iter().map(|&v| v as u16).collect();
    let mut out = Vec::new();
    for lane in 0..32 {
        for matrix in 0..2 {
            let at = |row: usize| u32::from(x[(matrix * 8 + row) * 8 + lane / 4]);
            out.push(at(lane % 4 * 2) | at(lane % 4 * 2 + 1) << 16);
        }
    }
    Case::new("tensor", "transposed loads")
        .with("in", &x)
        .with("out", &[0u32; 64])
        .run("ldmatrix_transposed", 1, 32, args!["in", "out"])
        .expects("out", &out)
}
