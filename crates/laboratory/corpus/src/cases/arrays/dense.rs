//! `dense.cu`: products, transposes and a factorization; `wmma.cu` and `tensor.cu`: products by the matrix
//! instructions. Factors are small integers, so every sum of products is exact in any order.

use crate::Case;
use crate::case::{args, bytes, doubles, floats, integer_floats, ints, many, words};
use half::{bf16, f16};
use std::cmp::Ordering;

const DENSE: &str = "dense";

pub fn cases() -> Vec<Case> {
    [dense_cases(), matrices_cases()].into_iter().flatten().collect()
}

fn dense_cases() -> Vec<Case> {
    let mut cases = vec![naive(), tiled_floats(), tiled_doubles(), tiled_integers(), registers()];
    cases.extend([product_of_bytes(), matvec(), matvec_transposed()]);
    cases.extend([transpose(), transpose_bytes(), transpose_in_place(), cholesky()]);
    cases
}

/// `a` (m by k) times `b` (k by n).
pub fn product<T: Copy + Default>(
    (m, n, k): (usize, usize, usize),
    add: impl Fn(T, usize, usize) -> T,
) -> Vec<T> {
    let dot = |i: usize| (0..k).fold(T::default(), |sum, p| add(sum, i / n * k + p, p * n + i % n));
    (0..m * n).map(dot).collect()
}

fn naive() -> Case {
    let n = 37;
    let (a, b) = (floats(1, n * n), floats(2, n * n));
    let c = product((n, n, n), |sum: f32, i, j| a[i].mul_add(b[j], sum));
    Case::new(DENSE, "naive product")
        .with("a", &a)
        .with("b", &b)
        .with("c", &vec![f32::NAN; n * n])
        .run("sgemm_naive", (3, 5), (16, 8), args![n as i32, "a", "b", "c"])
        .expects_within("c", &c, 1e-5)
}

const SHAPE: (usize, usize, usize) = (35, 41, 29);

fn tiled_floats() -> Case {
    let (m, n, k) = SHAPE;
    let (a, b) = (integer_floats(3, m * k, 9), integer_floats(4, k * n, 9));
    let c = integer_floats(5, m * n, 9);
    let ab = product(SHAPE, |sum: f32, i, j| sum + a[i] * b[j]);
    let expected: Vec<f32> = ab.iter().zip(&c).map(|(ab, c)| 2.0 * ab - 3.0 * c).collect();
    Case::new(DENSE, "tiles of floats")
        .with("a", &a)
        .with("b", &b)
        .with("c", &c)
        .run(
            "_Z10gemm_tiledIfLi16EEviiiPKT_S2_PS0_S0_S0_",
            (3, 3),
            (16, 16),
            args![m as i32, n as i32, k as i32, "a", "b", "c", 2f32, -3f32],
        )
        .expects("c", &expected)
}

fn tiled_doubles() -> Case {
    let (m, n, k) = SHAPE;
    let (a, b) = (doubles(6, m * k), doubles(7, k * n));
    let c = product(SHAPE, |sum: f64, i, j| a[i].mul_add(b[j], sum));
    Case::new(DENSE, "tiles of doubles")
        .with("a", &a)
        .with("b", &b)
        .with("c", &vec![0f64; m * n])
        .run(
            "_Z10gemm_tiledIdLi8EEviiiPKT_S2_PS0_S0_S0_",
            (6, 5),
            (8, 8),
            args![m as i32, n as i32, k as i32, "a", "b", "c", 1f64, 0f64],
        )
        .expects_within("c", &c, 1e-14)
}

fn tiled_integers() -> Case {
    let (m, n, k) = SHAPE;
    let (a, b) = (many(8, m * k, |r| r as i64), many(9, k * n, |r| r as i64));
    let c = many(10, m * n, |r| r as i64);
    let ab = product(SHAPE, |sum: i64, i, j| sum.wrapping_add(a[i].wrapping_mul(b[j])));
    let expected: Vec<i64> = ab
        .iter()
        .zip(&c)
        .map(|(ab, c)| ab.wrapping_mul(5).wrapping_add(c.wrapping_mul(-7)))
        .collect();
    Case::new(DENSE, "tiles of 64-bit integers")
        .with("a", &a)
        .with("b", &b)
        .with("c", &c)
        .run(
            "_Z10gemm_tiledIxLi16EEviiiPKT_S2_PS0_S0_S0_",
            (3, 3),
            (16, 16),
            args![m as i32, n as i32, k as i32, "a", "b", "c", 5i64, -7i64],
        )
        .expects("c", &expected)
}

fn registers() -> Case {
    let n = 128;
    let (a, b) = (integer_floats(11, n * n, 20), integer_floats(12, n * n, 20));
    let c = product((n, n, n), |sum: f32, i, j| sum + a[i] * b[j]);
    Case::new(DENSE, "register tiles")
        .with("a", &a)
        .with("b", &b)
        .with("c", &vec![f32::NAN; n * n])
        .run("sgemm_registers", (2, 2), 256, args![n as i32, "a", "b", "c"])
        .expects("c", &c)
}

fn product_of_bytes() -> Case {
    let n = 32;
    let (a, bt) = (bytes(13, n * n), bytes(14, n * n));
    let signed = |v: u8| i32::from(v as i8);
    let dot = |i: usize| {
        (0..n).map(|k| signed(a[i / n * n + k]) * signed(bt[i % n * n + k])).sum::<i32>()
    };
    Case::new(DENSE, "products of bytes")
        .with("a", &a)
        .with("bt", &bt)
        .with("c", &vec![0i32; n * n])
        .run("gemm_bytes", (1, n as u32), n as u32, args![n as i32, "a", "bt", "c"])
        .expects("c", &(0..n * n).map(dot).collect::<Vec<_>>())
}

fn matvec() -> Case {
    let (rows, cols) = (30, 100);
    let (a, x) = (integer_floats(15, rows * cols, 50), integer_floats(16, cols, 50));
    let y: Vec<f32> =
        a.chunks(cols).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
    Case::new(DENSE, "matrix times vector, a warp per row")
        .with("a", &a)
        .with("x", &x)
        .with("y", &vec![f32::NAN; rows])
        .run("matvec_warp", 8, (32, 4), args![rows as i32, cols as i32, "a", "x", "y"])
        .expects("y", &y)
}

fn matvec_transposed() -> Case {
    let (rows, cols) = (150, 90);
    let (a, x) = (doubles(17, rows * cols), doubles(18, rows));
    let y: Vec<f64> = (0..cols)
        .map(|col| (0..rows).fold(0.0, |sum: f64, row| a[row * cols + col].mul_add(x[row], sum)))
        .collect();
    Case::new(DENSE, "transposed matrix times vector")
        .with("a", &a)
        .with("x", &x)
        .with("y", &vec![f64::NAN; cols])
        .run("matvec_transposed", 2, 64, args![rows as i32, cols as i32, "a", "x", "y"])
        .expects_within("y", &y, 1e-13)
}

/// The columns of a matrix as rows.
fn transposed<T: Copy>(rows: usize, cols: usize, m: &[T]) -> Vec<T> {
    (0..rows * cols).map(|i| m[i % rows * cols + i / rows]).collect()
}

fn transpose() -> Case {
    let (rows, cols) = (50, 70);
    let m = doubles(19, rows * cols);
    Case::new(DENSE, "padded transposition")
        .with("in", &m)
        .with("out", &vec![0f64; rows * cols])
        .run("transpose_padded", (5, 4), (16, 16), args![rows as i32, cols as i32, "in", "out"])
        .expects("out", &transposed(rows, cols, &m))
}

fn transpose_bytes() -> Case {
    let n = 96;
    let m = bytes(20, n * n);
    Case::new(DENSE, "swizzled transposition of bytes")
        .with("in", &m)
        .with("out", &vec![0u8; n * n])
        .run("transpose_bytes", (3, 3), (8, 32), args![n as i32, "in", "out"])
        .expects("out", &transposed(n, n, &m))
}

fn transpose_in_place() -> Case {
    let n = 48;
    let m = many(21, n * n, |r| r as i16);
    Case::new(DENSE, "transposition in place")
        .with("m", &m)
        .run("transpose_in_place", (3, 3), (16, 16), args![n as i32, "m"])
        .expects("m", &transposed(n, n, &m))
}

fn cholesky() -> Case {
    let n = 12;
    let mut matrices = Vec::new();
    let mut factors = Vec::new();
    for seed in 22..25 {
        // With integer factors, every step is exact.
        let mut factor: Vec<f64> = ints(seed, n * n, -3, 3).iter().map(|&v| f64::from(v)).collect();
        for (i, value) in factor.iter_mut().enumerate() {
            match (i % n).cmp(&(i / n)) {
                Ordering::Greater => *value = 0.0,
                Ordering::Equal => *value = 4.0,
                Ordering::Less => {}
            }
        }
        for i in 0..n * n {
            let (row, col) = (i / n, i % n);
            matrices.push((0..n).map(|k| factor[row * n + k] * factor[col * n + k]).sum::<f64>());
        }
        factors.extend(factor);
    }
    Case::new(DENSE, "Cholesky factors")
        .with("m", &matrices)
        .run_shared("cholesky", 3, 32, (n * n * 8) as u32, args![n as i32, "m"])
        .expects("m", &factors)
}

fn matrices_cases() -> Vec<Case> {
    let mut cases = vec![halves(), halves_in_halves(), wide(), bytes_by_wmma(), brain(), tf32()];
    cases.extend([doubles_by_wmma(), pipeline(), bytes_by_mma(), transposed_loads()]);
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

fn doubles_by_wmma() -> Case {
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

fn bytes_by_mma() -> Case {
    let (a, b) = (many(16, 16 * 32, |r| r as i8), many(17, 32 * 8, |r| r as u8));
    let c = product((16, 8, 32), |sum: i32, i, j| sum + i32::from(a[i]) * i32::from(b[j]));
    Case::new("tensor", "bytes by mma")
        .with("a", &a)
        .with("b", &turned(&b, 8))
        .with("c", &vec![0i32; c.len()])
        .run("mma_bytes", 1, 32, args!["a", "b", "c"])
        .expects("c", &c)
}

fn transposed_loads() -> Case {
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
