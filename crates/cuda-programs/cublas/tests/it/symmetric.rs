//! Symmetric, Hermitian, triangular and banded matrices in each storage scheme. Expected results are computed here.

use crate::common::{download, handle, numbers, upload};

type Number = [f64; 2];

const N: usize = 5;
/// Diagonals of a band on each side of the main one.
const K: usize = 2;
/// Filler of elements that are not stored: never read or written.
const ELSEWHERE: Number = [f64::NAN, 77.0];

fn mul(a: Number, b: Number) -> Number {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn add(a: Number, b: Number) -> Number {
    [a[0] + b[0], a[1] + b[1]]
}

fn bar(a: Number) -> Number {
    [a[0], -a[1]]
}

fn complex(count: usize, seed: u32) -> Vec<Number> {
    numbers(2 * count, seed).chunks(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// Builds a matrix from a function of row and column.
fn matrix(of: impl Fn(usize, usize) -> Number) -> Vec<Number> {
    (0..N * N).map(|at| of(at % N, at / N)).collect()
}

fn transposed(a: &[Number], operation: i32) -> Vec<Number> {
    matrix(|row, column| match operation {
        0 => a[row + column * N],
        1 => a[column + row * N],
        _ => bar(a[column + row * N]),
    })
}

/// The product of N x N matrices.
fn product(a: &[Number], b: &[Number]) -> Vec<Number> {
    let sum = |row: usize, column: usize| {
        (0..N).map(|k| mul(a[row + k * N], b[k + column * N])).fold([0.0; 2], add)
    };
    (0..b.len()).map(|at| sum(at % N, at / N)).collect()
}

fn combined(alpha: Number, a: &[Number], beta: Number, b: &[Number]) -> Vec<Number> {
    a.iter().zip(b).map(|(a, b)| add(mul(alpha, *a), mul(beta, *b))).collect()
}

fn is_stored(fill: i32, row: usize, column: usize) -> bool {
    if fill == 0 { row >= column } else { row <= column }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Storage {
    Columns,
    Packed,
    Band,
}

/// One triangle of a matrix in a storage scheme; outside a band, the matrix is 0.
fn stored(a: &[Number], fill: i32, how: Storage) -> Vec<Number> {
    let mut to = match how {
        Storage::Columns => vec![ELSEWHERE; N * N],
        Storage::Packed => Vec::new(),
        Storage::Band => vec![ELSEWHERE; (K + 2) * N],
    };
    for (column, row) in (0..N * N).map(|at| (at / N, at % N)) {
        if !is_stored(fill, row, column) {
            continue;
        }
        match how {
            Storage::Columns => to[row + column * N] = a[row + column * N],
            Storage::Packed => to.push(a[row + column * N]),
            Storage::Band if row.abs_diff(column) > K => {}
            Storage::Band if fill == 0 => to[row - column + column * (K + 2)] = a[row + column * N],
            Storage::Band => to[K + row - column + column * (K + 2)] = a[row + column * N],
        }
    }
    to
}

/// Expands a triangle to a full matrix: zeros, mirrored or conjugated elements elsewhere.
fn full(of: &[Number], fill: i32, how: Storage, other: char) -> Vec<Number> {
    matrix(|row, column| {
        let [here, across] = [of[row + column * N], of[column + row * N]];
        match (is_stored(fill, row, column), other) {
            _ if how == Storage::Band && row.abs_diff(column) > K => [0.0; 2],
            (_, 'h') if row == column => [here[0], 0.0],
            (true, _) => here,
            (false, 't') => [0.0; 2],
            (false, 's') => across,
            (false, _) => bar(across),
        }
    })
}

/// Compares bit for bit, since small integers are exact.
fn assert_same(found: &[Number], expected: &[Number], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let same = |part: usize| {
            found[part] == expected[part] || found[part].is_nan() && expected[part].is_nan()
        };
        assert!(same(0) && same(1), "{what}: {found:?} for {expected:?} at {index}");
    }
}

const ALPHA: Number = [2.0, -1.0];
const BETA: Number = [-1.0, 3.0];

#[test]
fn symmetric_and_hermitian_matrices_times_vectors() {
    let handle = handle();
    let (n, k) = (N as i32, K as i32);
    for (fill, how, other) in (0..12).map(|c| {
        (c % 2, [Storage::Columns, Storage::Packed, Storage::Band][c / 2 % 3], ['s', 'h'][c / 6])
    }) {
        let fill = fill as i32;
        let (a, x, y) = (complex(N * N, 3), complex(N, 5), complex(N, 7));
        let (da, dx, dy) = (upload(&stored(&a, fill, how)), upload(&x), upload(&y));
        let code = match (how, other) {
            (Storage::Columns, _) => {
                let name = if other == 's' { "cublasZsymv_v2" } else { "cublasZhemv_v2" };
                call!(name, handle => usize, fill => i32, n => i32, &ALPHA => *const Number, da => u64, n => i32, dx => u64, 1 => i32, &BETA => *const Number, dy => u64, 1 => i32)
            }
            (Storage::Packed, 'h') => {
                call!("cublasZhpmv_v2", handle => usize, fill => i32, n => i32, &ALPHA => *const Number, da => u64, dx => u64, 1 => i32, &BETA => *const Number, dy => u64, 1 => i32)
            }
            (Storage::Band, 'h') => {
                call!("cublasZhbmv_v2", handle => usize, fill => i32, n => i32, k => i32, &ALPHA => *const Number, da => u64, k + 2 => i32, dx => u64, 1 => i32, &BETA => *const Number, dy => u64, 1 => i32)
            }
            _ => continue,
        };
        assert_eq!(code, 0);
        let expected = combined(ALPHA, &product(&full(&a, fill, how, other), &x), BETA, &y);
        assert_same(&download(dy, N), &expected, &format!("{fill} {how:?} {other}"));
    }
}

#[test]
fn real_bands_and_packed_triangles_times_vectors() {
    let handle = handle();
    let (n, k) = (N as i32, K as i32);
    for (fill, how) in
        [(0, Storage::Packed), (1, Storage::Packed), (0, Storage::Band), (1, Storage::Band)]
    {
        let real = |count, seed| {
            complex(count, seed).into_iter().map(|[re, _]| [re, 0.0]).collect::<Vec<_>>()
        };
        let parts = |of: &[Number]| of.iter().map(|[re, _]| *re).collect::<Vec<f64>>();
        let (a, x, y) = (real(N * N, 3), real(N, 5), real(N, 7));
        let (da, dx, dy) =
            (upload(&parts(&stored(&a, fill, how))), upload(&parts(&x)), upload(&parts(&y)));
        let (alpha, beta) = (2.0, -3.0);
        let code = match how {
            Storage::Packed => {
                call!("cublasDspmv_v2", handle => usize, fill => i32, n => i32, &alpha => *const f64, da => u64, dx => u64, 1 => i32, &beta => *const f64, dy => u64, 1 => i32)
            }
            _ => {
                call!("cublasDsbmv_v2_64", handle => usize, fill => i32, N as i64 => i64, K as i64 => i64, &alpha => *const f64, da => u64, i64::from(k + 2) => i64, dx => u64, 1 => i64, &beta => *const f64, dy => u64, 1 => i64)
            }
        };
        assert_eq!(code, 0);
        let expected =
            combined([alpha, 0.0], &product(&full(&a, fill, how, 's'), &x), [beta, 0.0], &y);
        assert_eq!(download::<f64>(dy, N), parts(&expected), "{fill} {how:?}");
    }
}

#[test]
fn a_band_of_any_matrix_times_a_vector() {
    let handle = handle();
    let (below, above, leading) = (1usize, 2usize, 6usize);
    for operation in 0..3 {
        let (a, x, y) = (complex(N * N, 3), complex(N, 5), complex(N, 7));
        let held = |row: usize, column: usize| row <= column + below && column <= row + above;
        let mut band = vec![ELSEWHERE; leading * N];
        for at in (0..N * N).filter(|at| held(at % N, at / N)) {
            band[above + at % N - at / N + at / N * leading] = a[at];
        }
        let whole =
            matrix(|row, column| if held(row, column) { a[row + column * N] } else { [0.0; 2] });
        let (da, dx, dy) = (upload(&band), upload(&x), upload(&y));
        let code = call!(
            "cublasZgbmv_v2", handle => usize, operation => i32, N as i32 => i32, N as i32 => i32, below as i32 => i32, above as i32 => i32, &ALPHA => *const Number,
            da => u64, leading as i32 => i32, dx => u64, 1 => i32, &BETA => *const Number, dy => u64, 1 => i32
        );
        assert_eq!(code, 0);
        let expected = combined(ALPHA, &product(&transposed(&whole, operation), &x), BETA, &y);
        assert_same(&download(dy, N), &expected, &format!("operation {operation}"));
    }
    let code = call!(
        "cublasZgbmv_v2", handle => usize, 0 => i32, 5 => i32, 5 => i32, 1 => i32, 2 => i32, &ALPHA => *const Number, 0 => u64, 3 => i32, 0 => u64, 1 => i32,
        &BETA => *const Number, 0 => u64, 1 => i32
    );
    assert_eq!(code, 7, "three rows hold no four diagonals");
}

#[test]
fn triangular_products_and_solves_are_inverse() {
    let handle = handle();
    let (n, k) = (N as i32, K as i32);
    for case in 0..36 {
        let (fill, unit, operation) = (case % 2, case / 2 % 2, case / 4 % 3);
        let how = [Storage::Columns, Storage::Packed, Storage::Band][(case / 12) as usize];
        let mut a = complex(N * N, 3);
        // A diagonal whose division is exact.
        (0..N).for_each(|at| a[at * (N + 1)] = [0.0, 2.0]);
        let x = complex(N, 5);
        let mut given = stored(&a, fill, how);
        let mut whole = full(&a, fill, how, 't');
        if unit == 1 {
            // A unit diagonal is not read.
            let nan =
                matrix(|row, column| if row == column { ELSEWHERE } else { a[row + column * N] });
            given = stored(&nan, fill, how);
            (0..N).for_each(|at| whole[at * (N + 1)] = [1.0, 0.0]);
        }
        let (da, dx) = (upload(&given), upload(&x));
        let run = |op: &str| match how {
            Storage::Columns => {
                call!(&format!("cublasZtr{op}_v2"), handle => usize, fill => i32, operation => i32, unit => i32, n => i32, da => u64, n => i32, dx => u64, 1 => i32)
            }
            Storage::Packed => {
                call!(&format!("cublasZtp{op}_v2"), handle => usize, fill => i32, operation => i32, unit => i32, n => i32, da => u64, dx => u64, 1 => i32)
            }
            Storage::Band => {
                call!(&format!("cublasZtb{op}_v2"), handle => usize, fill => i32, operation => i32, unit => i32, n => i32, k => i32, da => u64, k + 2 => i32, dx => u64, 1 => i32)
            }
        };
        let what = format!("{how:?} fill {fill} unit {unit} operation {operation}");
        assert_eq!(run("mv"), 0);
        assert_same(&download(dx, N), &product(&transposed(&whole, operation), &x), &what);
        assert_eq!(run("sv"), 0);
        assert_same(&download(dx, N), &x, &what);
    }
}

#[test]
fn updates_change_only_the_stored_triangle() {
    let handle = handle();
    let n = N as i32;
    for (fill, packed, two) in (0..8).map(|case| (case & 1, case & 2 != 0, case & 4 != 0)) {
        for hermitian in [false, true] {
            let (a, x, y) = (complex(N * N, 3), complex(N, 5), complex(N, 7));
            let how = if packed { Storage::Packed } else { Storage::Columns };
            let (da, dx, dy) = (upload(&stored(&a, fill, how)), upload(&x), upload(&y));
            let real = 3.0f64;
            let code = match (hermitian, packed, two) {
                (true, false, false) => {
                    call!("cublasZher_v2", handle => usize, fill => i32, n => i32, &real => *const f64, dx => u64, 1 => i32, da => u64, n => i32)
                }
                (true, true, false) => {
                    call!("cublasZhpr_v2", handle => usize, fill => i32, n => i32, &real => *const f64, dx => u64, 1 => i32, da => u64)
                }
                (true, false, true) => {
                    call!("cublasZher2_v2", handle => usize, fill => i32, n => i32, &ALPHA => *const Number, dx => u64, 1 => i32, dy => u64, 1 => i32, da => u64, n => i32)
                }
                (true, true, true) => {
                    call!("cublasZhpr2_v2", handle => usize, fill => i32, n => i32, &ALPHA => *const Number, dx => u64, 1 => i32, dy => u64, 1 => i32, da => u64)
                }
                (false, false, false) => {
                    call!("cublasZsyr_v2", handle => usize, fill => i32, n => i32, &ALPHA => *const Number, dx => u64, 1 => i32, da => u64, n => i32)
                }
                (false, false, true) => {
                    call!("cublasZsyr2_v2", handle => usize, fill => i32, n => i32, &ALPHA => *const Number, dx => u64, 1 => i32, dy => u64, 1 => i32, da => u64, n => i32)
                }
                _ => continue,
            };
            assert_eq!(code, 0);
            let side = |value: Number| if hermitian { bar(value) } else { value };
            let sum = matrix(|row, column| {
                let terms = match two {
                    false => mul(
                        if hermitian { [real, 0.0] } else { ALPHA },
                        mul(x[row], side(x[column])),
                    ),
                    true => add(
                        mul(ALPHA, mul(x[row], side(y[column]))),
                        mul(side(ALPHA), mul(y[row], side(x[column]))),
                    ),
                };
                let before = a[row + column * N];
                add(if hermitian && row == column { [before[0], 0.0] } else { before }, terms)
            });
            let sum = stored(&sum, fill, how);
            assert_same(
                &download(da, sum.len()),
                &sum,
                &format!("{fill} {packed} {two} {hermitian}"),
            );
        }
    }
}

#[test]
fn products_with_a_triangle_and_rank_2k_updates() {
    let handle = handle();
    let n = N as i32;
    let (a, b, c) = (complex(N * N, 3), complex(N * N, 5), complex(N * N, 7));
    for (fill, side) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        for other in ['s', 'h'] {
            let name = if other == 's' { "cublasZsymm_v2" } else { "cublasZhemm_v2" };
            let (da, db, dc) =
                (upload(&stored(&a, fill, Storage::Columns)), upload(&b), upload(&c));
            let code = call!(
                name, handle => usize, side => i32, fill => i32, n => i32, n => i32, &ALPHA => *const Number, da => u64, n => i32, db => u64, n => i32, &BETA => *const Number,
                dc => u64, n => i32
            );
            assert_eq!(code, 0);
            let whole = full(&a, fill, Storage::Columns, other);
            let made = if side == 0 { product(&whole, &b) } else { product(&b, &whole) };
            assert_same(&download(dc, N * N), &combined(ALPHA, &made, BETA, &c), name);
        }
        for operation in 0..3 {
            let (da, db) = (upload(&stored(&a, fill, Storage::Columns)), upload(&b));
            // In place of B, as programs do.
            let code = call!(
                "cublasZtrmm_v2", handle => usize, side => i32, fill => i32, operation => i32, 0 => i32, n => i32, n => i32, &ALPHA => *const Number, da => u64, n => i32,
                db => u64, n => i32, db => u64, n => i32
            );
            assert_eq!(code, 0);
            let whole = transposed(&full(&a, fill, Storage::Columns, 't'), operation);
            let made = if side == 0 { product(&whole, &b) } else { product(&b, &whole) };
            assert_same(&download(db, N * N), &combined(ALPHA, &made, [0.0; 2], &c), "trmm");
        }
    }
    for (fill, operation, hermitian, both) in
        (0..16).map(|case| (case & 1, case >> 1 & 1, case & 4 != 0, case & 8 != 0))
    {
        let code_of_operation = if hermitian { 2 * operation } else { operation };
        let (da, db, dc) = (upload(&a), upload(&b), upload(&stored(&c, fill, Storage::Columns)));
        let real = 3.0f64;
        let beta: *const f64 = if hermitian { &real } else { BETA.as_ptr() };
        let name = match (hermitian, both) {
            (false, false) => "cublasZsyrkx",
            (false, true) => "cublasZsyr2k_v2",
            (true, false) => "cublasZherkx",
            (true, true) => "cublasZher2k_v2",
        };
        let code = call!(
            name, handle => usize, fill => i32, code_of_operation => i32, n => i32, n => i32, &ALPHA => *const Number, da => u64, n => i32, db => u64, n => i32,
            beta => *const f64, dc => u64, n => i32
        );
        assert_eq!(code, 0, "{name}");
        let across = if hermitian { 2 } else { 1 };
        let [left, right] = [&a, &b].map(|factor| transposed(factor, code_of_operation));
        let mut sum = combined(ALPHA, &product(&left, &transposed(&right, across)), [0.0; 2], &c);
        if both {
            let more = product(&right, &transposed(&left, across));
            sum = combined([1.0, 0.0], &sum, if hermitian { bar(ALPHA) } else { ALPHA }, &more);
        }
        let before = full(&c, fill, Storage::Columns, if hermitian { 'h' } else { 's' });
        let mut expected =
            combined([1.0, 0.0], &sum, if hermitian { [real, 0.0] } else { BETA }, &before);
        if hermitian {
            (0..N).for_each(|at| expected[at * (N + 1)][1] = 0.0);
        }
        assert_same(&download(dc, N * N), &stored(&expected, fill, Storage::Columns), name);
    }
}

#[test]
fn triangles_pack_and_unpack() {
    let handle = handle();
    let n = N as i32;
    for fill in [0, 1] {
        let a = complex(N * N, 3);
        let packed = stored(&a, fill, Storage::Packed);
        let (from, to) = (upload(&packed), upload(&vec![ELSEWHERE; N * N]));
        assert_eq!(
            call!("cublasZtpttr", handle => usize, fill => i32, n => i32, from => u64, to => u64, n => i32),
            0
        );
        assert_same(&download(to, N * N), &stored(&a, fill, Storage::Columns), "tpttr");
        let back = upload(&vec![ELSEWHERE; packed.len()]);
        assert_eq!(
            call!("cublasZtrttp", handle => usize, fill => i32, n => i32, to => u64, n => i32, back => u64),
            0
        );
        assert_same(&download(back, packed.len()), &packed, "trttp");
        assert_eq!(
            call!("cublasZtrttp", handle => usize, 5 => i32, n => i32, to => u64, n => i32, back => u64),
            7
        );
    }
}

#[test]
fn rotations_rotate_pairs_and_rotg_zeroes_an_element() {
    let handle = handle();
    let (x, y) = (upload(&[3.0f64, 1.0]), upload(&[4.0f64, 2.0]));
    let (c, s) = (0.6f64, 0.8f64);
    let code = call!("cublasDrot_v2", handle => usize, 2 => i32, x => u64, 1 => i32, y => u64, 1 => i32, &c => *const f64, &s => *const f64);
    assert_eq!(code, 0);
    let (x, y) = (download::<f64>(x, 2), download::<f64>(y, 2));
    assert!((x[0] - 5.0).abs() < 1e-14 && y[0].abs() < 1e-14, "{x:?} {y:?}");
    let (mut a, mut b, mut c, mut s) = (3.0f64, 4.0f64, 0.0f64, 0.0f64);
    let code = call!("cublasDrotg_v2", handle => usize, &mut a => *mut f64, &mut b => *mut f64, &mut c => *mut f64, &mut s => *mut f64);
    assert_eq!((code, a), (0, 5.0));
    assert!((c - 0.6).abs() < 1e-15 && (s - 0.8).abs() < 1e-15 && (b - 1.0 / 0.6).abs() < 1e-15);
    let (x, y) = (upload(&[3.0f64, 1.0]), upload(&[4.0f64, 2.0]));
    let list = [-1.0f64, 1.0, 2.0, 3.0, 4.0];
    let code = call!("cublasDrotm_v2", handle => usize, 2 => i32, x => u64, 1 => i32, y => u64, 1 => i32, &list => *const [f64; 5]);
    assert_eq!(
        (code, download::<f64>(x, 2), download::<f64>(y, 2)),
        (0, vec![15.0, 7.0], vec![22.0, 10.0])
    );
}

#[test]
fn batched_matrix_vector_products() {
    let handle = handle();
    let (a, x) =
        (upload(&[1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), upload(&[1.0f64, 1.0, 2.0, 1.0]));
    let y = upload(&[0.0f64; 4]);
    let (one, zero) = (1.0f64, 0.0f64);
    let code = call!(
        "cublasDgemvStridedBatched", handle => usize, 0 => i32, 2 => i32, 2 => i32, &one => *const f64, a => u64, 2 => i32, 4 => i64, x => u64, 1 => i32, 2 => i64,
        &zero => *const f64, y => u64, 1 => i32, 2 => i64, 2 => i32
    );
    assert_eq!((code, download::<f64>(y, 4)), (0, vec![4.0, 6.0, 17.0, 20.0]));
    let lists = [upload(&[a + 32, a]), upload(&[x, x + 16]), upload(&[y, y + 16])];
    let code = call!(
        "cublasDgemvBatched", handle => usize, 1 => i32, 2 => i32, 2 => i32, &one => *const f64, lists[0] => u64, 2 => i32, lists[1] => u64, 1 => i32, &zero => *const f64,
        lists[2] => u64, 1 => i32, 2 => i32
    );
    assert_eq!((code, download::<f64>(y, 4)), (0, vec![11.0, 15.0, 4.0, 10.0]));
}
