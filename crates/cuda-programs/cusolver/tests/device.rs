//! The stand-in loaded by `dlopen` after the driver, as programs do, on device memory, in every element type; and invalid calls.

#![cfg(target_os = "linux")]

#[macro_use]
mod common;

use common::{allocate, context, download, upload};

fn handle() -> usize {
    context();
    let mut handle = 0;
    assert_eq!(call!("cusolverDnCreate", &mut handle => &mut usize), 0);
    handle
}

/// Uploads values to new device memory.
fn device<T>(values: &[T]) -> u64 {
    let at = allocate(size_of_val(values).max(1));
    upload(at, values);
    at
}

fn info() -> u64 {
    device(&[77i32])
}

/// A positive definite column-major matrix with leading dimension 8; the gaps must stay unchanged.
const A: [f64; 24] = [
    4.0, 2.0, -2.0, 9e9, 9e9, 9e9, 9e9, 9e9, 2.0, 10.0, 2.0, 9e9, 9e9, 9e9, 9e9, 9e9, -2.0, 2.0,
    6.0, 9e9, 9e9, 9e9, 9e9, 9e9,
];
const X: [f64; 3] = [1.0, -2.0, 3.0];
/// The right-hand side: the matrix times the solution.
const B: [f64; 3] = [-6.0, -12.0, 12.0];

fn close(got: &[f64], wanted: &[f64], within: f64) {
    assert_eq!(got.len(), wanted.len());
    let near = got.iter().zip(wanted).all(|(got, wanted)| (got - wanted).abs() < within);
    assert!(near, "{got:?} is not {wanted:?}");
}

#[test]
fn a_positive_definite_system_is_solved() {
    let handle = handle();
    let (a, b, info, mut work) = (device(&A), device(&B), info(), 0);
    let code = call!("cusolverDnDpotrf_bufferSize", handle => usize, 0 => i32, 3 => i32, a => u64, 8 => i32, &mut work => &mut i32);
    assert!(code == 0 && work > 0);
    let code = call!("cusolverDnDpotrf", handle => usize, 0 => i32, 3 => i32, a => u64, 8 => i32, 0 => u64, work => i32, info => u64);
    assert_eq!((code, download::<i32>(info, 1)[0]), (0, 0));
    let factor = download::<f64>(a, 24);
    assert_eq!([factor[0], factor[1], factor[2], factor[9]], [2.0, 1.0, -1.0, 3.0]);
    // The other triangle and the gaps between columns are unchanged.
    assert_eq!([factor[8], factor[16], factor[17]], [2.0, -2.0, 2.0]);
    assert!(factor.chunks(8).all(|column| column[3..] == [9e9; 5]));
    let code = call!("cusolverDnDpotrs", handle => usize, 0 => i32, 3 => i32, 1 => i32, a => u64, 8 => i32, b => u64, 3 => i32, info => u64);
    assert_eq!(code, 0);
    close(&download(b, 3), &X, 1e-14);
    // A batch by pointers, with one matrix that is not positive definite.
    let negative = device(&[1f64, 0.0, 0.0, -1.0]);
    let good = device(&[1f64, 0.0, 0.0, 4.0]);
    let (pointers, infos) = (device(&[good, negative]), device(&[7i32, 7]));
    let code = call!("cusolverDnDpotrfBatched", handle => usize, 1 => i32, 2 => i32, pointers => u64, 2 => i32, infos => u64, 2 => i32);
    assert_eq!((code, download::<i32>(infos, 2)), (0, vec![0, 2]));
    assert_eq!(download::<f64>(good, 4), [1.0, 0.0, 0.0, 2.0]);
    assert_eq!(call!("cusolverDnDestroy", handle => usize), 0);
    assert_eq!(call!("cusolverDnDestroy", handle => usize), 1);
}

#[test]
fn general_systems_are_solved_with_both_pivot_sizes() {
    let handle = handle();
    let square: Vec<f64> = A.chunks(8).flat_map(|column| column[..3].to_vec()).collect();
    let (info, none) = (info(), 0u64);
    let (a, b, pivots) = (device(&square), device(&B), device(&[0i32; 3]));
    let code = call!("cusolverDnDgetrf", handle => usize, 3 => i32, 3 => i32, a => u64, 3 => i32, none => u64, pivots => u64, info => u64);
    assert_eq!((code, download::<i32>(info, 1)[0]), (0, 0));
    assert_eq!(download::<i32>(pivots, 1), [1]);
    let code = call!("cusolverDnDgetrs", handle => usize, 0 => i32, 3 => i32, 1 => i32, a => u64, 3 => i32, pivots => u64, b => u64, 3 => i32, info => u64);
    assert_eq!(code, 0);
    close(&download(b, 3), &X, 1e-14);
    // 64-bit sizes, single precision: cudaDataType 0.
    let single: Vec<f32> = square.iter().map(|x| *x as f32).collect();
    let (a, b, pivots) = (device(&single), device(&B.map(|x| x as f32)), device(&[0i64; 3]));
    let (mut on_device, mut on_host) = (0usize, 0usize);
    let code = call!("cusolverDnXgetrf_bufferSize", handle => usize, none => u64, 3 => i64, 3 => i64, 0 => i32, a => u64, 3 => i64, 0 => i32, &mut on_device => &mut usize, &mut on_host => &mut usize);
    assert!(code == 0 && on_device > 0);
    let code = call!("cusolverDnXgetrf", handle => usize, none => u64, 3 => i64, 3 => i64, 0 => i32, a => u64, 3 => i64, pivots => u64, 0 => i32, none => u64, 0 => usize, none => u64, 0 => usize, info => u64);
    assert_eq!(code, 0);
    let code = call!("cusolverDnXgetrs", handle => usize, none => u64, 1 => i32, 3 => i64, 1 => i64, 0 => i32, a => u64, 3 => i64, pivots => u64, 0 => i32, b => u64, 3 => i64, info => u64);
    assert_eq!(code, 0);
    // The matrix is symmetric, so its transpose has the same factor.
    let found: Vec<f64> = download::<f32>(b, 3).into_iter().map(f64::from).collect();
    close(&found, &X, 1e-5);
    // Pivots that getrf never stores are refused.
    upload(pivots, &[5i64, 2, 3]);
    let code = call!("cusolverDnXgetrs", handle => usize, none => u64, 0 => i32, 3 => i64, 1 => i64, 0 => i32, a => u64, 3 => i64, pivots => u64, 0 => i32, b => u64, 3 => i64, info => u64);
    assert_eq!(code, 3);
}

#[test]
fn qr_solves_least_squares() {
    let handle = handle();
    // A line through (0, 1), (1, 3), (2, 5), (3, 7), column-major; complex, so that conjugation matters.
    let a = [
        [1.0, 0.0],
        [1.0, 0.0],
        [1.0, 0.0],
        [1.0, 0.0],
        [0.0, 0.0],
        [0.0, 1.0],
        [0.0, 2.0],
        [0.0, 3.0],
    ];
    let b = [[1.0, 0.0], [3.0, 0.0], [5.0, 0.0], [7.0, 0.0]];
    let (a, b, tau, info, none) =
        (device::<[f64; 2]>(&a), device::<[f64; 2]>(&b), device(&[[0f64; 2]; 2]), info(), 0u64);
    let code = call!("cusolverDnZgeqrf", handle => usize, 4 => i32, 2 => i32, a => u64, 4 => i32, tau => u64, none => u64, 1 => i32, info => u64);
    assert_eq!((code, download::<i32>(info, 1)[0]), (0, 0));
    // Q* b, from the left.
    let code = call!("cusolverDnZunmqr", handle => usize, 0 => i32, 2 => i32, 4 => i32, 1 => i32, 2 => i32, a => u64, 4 => i32, tau => u64, b => u64, 4 => i32, none => u64, 1 => i32, info => u64);
    assert_eq!(code, 0);
    let (r, y) = (download::<[f64; 2]>(a, 8), download::<[f64; 2]>(b, 2));
    // The slope is 2 / i = -2i and the offset 1; R's diagonal is real.
    let slope = [y[1][0] / r[5][0], y[1][1] / r[5][0]];
    close(&slope, &[0.0, -2.0], 1e-14);
    // Columns of Q have length 1.
    let code = call!("cusolverDnZungqr", handle => usize, 4 => i32, 2 => i32, 2 => i32, a => u64, 4 => i32, tau => u64, none => u64, 1 => i32, info => u64);
    assert_eq!(code, 0);
    for column in download::<[f64; 2]>(a, 8).chunks(4) {
        close(&[column.iter().flatten().map(|x| x * x).sum()], &[1.0], 1e-14);
    }
    let code = call!("cusolverDnZungqr", handle => usize, 4 => i32, 2 => i32, 3 => i32, a => u64, 4 => i32, tau => u64, none => u64, 1 => i32, info => u64);
    assert_eq!(code, 3);
}

#[test]
fn eigenvalues_come_with_their_vectors() {
    let handle = handle();
    // [[2, i], [-i, 2]] has eigenvalues 1 and 3; the lower triangle is read.
    let of = [[2f32, 0.0], [0.0, -1.0], [9e9, 9e9], [2.0, 0.0]];
    let (a, values, info, none) = (device(&of), device(&[0f32; 2]), info(), 0u64);
    let code = call!("cusolverDnCheevd", handle => usize, 1 => i32, 0 => i32, 2 => i32, a => u64, 2 => i32, values => u64, none => u64, 1 => i32, info => u64);
    assert_eq!((code, download::<i32>(info, 1)[0]), (0, 0));
    let found: Vec<f64> = download::<f32>(values, 2).into_iter().map(f64::from).collect();
    close(&found, &[1.0, 3.0], 1e-6);
    // The second component of a vector is i or -i times the first: A v = 1 v and A v = 3 v.
    for (vector, sign) in download::<[f32; 2]>(a, 4).chunks(2).zip([1.0, -1.0]) {
        let [x, y] = [vector[0], vector[1]].map(|[re, im]| [f64::from(re), f64::from(im)]);
        close(&y, &[-sign * x[1], sign * x[0]], 1e-6);
    }
    // A batch of contiguous matrices, by Jacobi's method with the caller's settings.
    let mut settings = 0;
    assert_eq!(call!("cusolverDnCreateSyevjInfo", &mut settings => &mut usize), 0);
    let (a, values, infos) = (
        device(&[1f64, 2.0, 2.0, 1.0, 5.0, 0.0, 0.0, 4.0]),
        device(&[0f64; 4]),
        device(&[7i32; 2]),
    );
    let code = call!("cusolverDnDsyevjBatched", handle => usize, 0 => i32, 1 => i32, 2 => i32, a => u64, 2 => i32, values => u64, none => u64, 1 => i32, infos => u64, settings => usize, 2 => i32);
    assert_eq!((code, download::<i32>(infos, 2)), (0, vec![0, 0]));
    close(&download(values, 4), &[-1.0, 3.0, 4.0, 5.0], 1e-14);
    assert_eq!(call!("cusolverDnDestroySyevjInfo", settings => usize), 0);
    let nan = device(&[f64::NAN; 4]);
    let code = call!("cusolverDnDsyevd", handle => usize, 0 => i32, 1 => i32, 2 => i32, nan => u64, 2 => i32, values => u64, none => u64, 1 => i32, infos => u64);
    assert_eq!((code, download::<i32>(infos, 1)[0]), (0, 1));
    assert!(download::<f64>(values, 2).iter().all(|value| value.is_nan()));
}

#[test]
fn singular_values_come_with_the_requested_vectors() {
    let handle = handle();
    // Columns (3, 4, 0) and (0, 0, 2).
    let of = [3f64, 4.0, 0.0, 0.0, 0.0, 2.0];
    let (info, none) = (info(), 0u64);
    let (s, u, vt) = (device(&[0f64; 2]), device(&[9f64; 9]), device(&[9f64; 4]));
    let svd = |a: u64, left: u8, right: u8| call!("cusolverDnDgesvd", handle => usize, left => u8, right => u8, 3 => i32, 2 => i32, a => u64, 3 => i32, s => u64, u => u64, 3 => i32, vt => u64, 2 => i32, none => u64, 1 => i32, none => u64, info => u64);
    assert_eq!(svd(device(&of), b'A', b'A'), 0);
    close(&download(s, 2), &[5.0, 2.0], 1e-14);
    let (left, right) = (download::<f64>(u, 9), download::<f64>(vt, 4));
    for (at, value) in of.iter().enumerate() {
        let (row, column) = (at % 3, at / 3);
        let made =
            left[row] * 5.0 * right[2 * column] + left[3 + row] * 2.0 * right[2 * column + 1];
        close(&[made], &[*value], 1e-14);
    }
    // The third column is orthogonal to the first two.
    let dot = |a: usize, b: usize| (0..3).map(|i| left[3 * a + i] * left[3 * b + i]).sum::<f64>();
    close(&[dot(0, 2), dot(1, 2), dot(2, 2)], &[0.0, 0.0, 1.0], 1e-14);
    // Vectors in place of A, and no others.
    let a = device(&of);
    upload(u, &[9f64; 9]);
    assert_eq!(svd(a, b'O', b'N'), 0);
    close(
        &download::<f64>(a, 6).iter().map(|x| x.abs()).collect::<Vec<_>>(),
        &[0.6, 0.8, 0.0, 0.0, 0.0, 1.0],
        1e-14,
    );
    assert_eq!(download::<f64>(u, 9), [9.0; 9]);
    assert_eq!(svd(a, b'O', b'O'), 3);
    assert_eq!(svd(a, b'X', b'N'), 3);
    // More columns than rows: gesvd refuses them; gesvdj accepts them and gives V.
    let code = call!("cusolverDnDgesvd", handle => usize, b'N' => u8, b'N' => u8, 2 => i32, 3 => i32, a => u64, 3 => i32, s => u64, u => u64, 3 => i32, vt => u64, 2 => i32, none => u64, 1 => i32, none => u64, info => u64);
    assert_eq!(code, 3);
    let mut settings = 0;
    assert_eq!(call!("cusolverDnCreateGesvdjInfo", &mut settings => &mut usize), 0);
    let wide = device(&[3f64, 0.0, 4.0, 0.0, 0.0, 2.0]);
    let (u, v) = (device(&[9f64; 4]), device(&[9f64; 9]));
    let code = call!("cusolverDnDgesvdj", handle => usize, 1 => i32, 1 => i32, 2 => i32, 3 => i32, wide => u64, 2 => i32, s => u64, u => u64, 2 => i32, v => u64, 3 => i32, none => u64, 1 => i32, info => u64, settings => usize);
    assert_eq!(code, 0);
    close(&download(s, 2), &[5.0, 2.0], 1e-14);
    let v = download::<f64>(v, 9);
    close(
        &v[..6].iter().map(|x| x.abs()).collect::<Vec<_>>(),
        &[0.6, 0.8, 0.0, 0.0, 0.0, 1.0],
        1e-14,
    );
    assert_eq!(v[6..], [9.0; 3]); // economic
    // By polar decomposition (`gesvdp`), as JAX calls it: all of V, and the perturbation of the values.
    let mut added = 9f64;
    let wide = device(&[3f64, 0.0, 4.0, 0.0, 0.0, 2.0]);
    let v = device(&[9f64; 9]);
    let code = call!("cusolverDnXgesvdp", handle => usize, none => u64, 1 => i32, 0 => i32, 2 => i64, 3 => i64, 1 => i32, wide => u64, 2 => i64, 1 => i32, s => u64, 1 => i32, u => u64, 2 => i64, 1 => i32, v => u64, 3 => i64, 1 => i32, none => u64, 16 => usize, none => u64, 16 => usize, info => u64, &mut added => &mut f64);
    assert_eq!((code, added), (0, 0.0));
    close(&download(s, 2), &[5.0, 2.0], 1e-14);
    let v: Vec<f64> = download::<f64>(v, 9).iter().map(|x| x.abs()).collect();
    close(&v, &[0.6, 0.8, 0.0, 0.0, 0.0, 1.0, 0.8, 0.6, 0.0], 1e-14);
}

#[test]
fn a_symmetric_matrix_is_tridiagonalized() {
    let handle = handle();
    let (info, none, mut work) = (info(), 0u64, 0);
    let (a, d, e, tau) = (device(&A), device(&[0f64; 3]), device(&[0f64; 2]), device(&[9f64; 2]));
    let code = call!("cusolverDnDsytrd_bufferSize", handle => usize, 0 => i32, 3 => i32, a => u64, 8 => i32, d => u64, e => u64, tau => u64, &mut work => &mut i32);
    assert!(code == 0 && work > 0);
    let code = call!("cusolverDnDsytrd", handle => usize, 0 => i32, 3 => i32, a => u64, 8 => i32, d => u64, e => u64, tau => u64, none => u64, work => i32, info => u64);
    assert_eq!((code, download::<i32>(info, 1)[0]), (0, 0));
    let root = 2f64.sqrt();
    close(&download(d, 3), &[4.0, 6.0, 10.0], 1e-14);
    close(&download(e, 2), &[-2.0 * root, -2.0], 1e-14);
    close(&download(tau, 2), &[1.0 + root / 2.0, 0.0], 1e-14);
    let factors = download::<f64>(a, 24);
    close(&[factors[1], factors[2], factors[10]], &[-2.0 * root, 1.0 - root, -2.0], 1e-14);
    // The other triangle is unchanged.
    assert_eq!([factors[8], factors[16], factors[17]], [2.0, -2.0, 2.0]);
}

#[test]
fn invalid_calls_give_a_status_and_write_nothing() {
    let handle = handle();
    let (a, none) = (device(&[1f64, 0.0, 0.0, 1.0]), 0u64);
    let potrf = |handle: usize, fill: i32, n: i32, a: u64, lda: i32| call!("cusolverDnDpotrf", handle => usize, fill => i32, n => i32, a => u64, lda => i32, none => u64, 1 => i32, none => u64);
    assert_eq!(potrf(handle, 0, 2, a, 2), 0);
    assert_eq!(potrf(handle, 0, 2, a, 1), 3);
    assert_eq!(potrf(handle, 0, -1, a, 1), 3);
    assert_eq!(potrf(handle, 2, 2, a, 2), 3);
    assert_eq!(potrf(handle, 0, 3, a, 3), 6); // past its end
    assert_eq!(potrf(handle, 0, 2, 64, 2), 6);
    assert_eq!(potrf(handle + 16_000, 0, 2, a, 2), 1);
    assert_eq!(potrf(handle, 0, 0, 0, 1), 0); // nothing to do
    assert_eq!(download::<f64>(a, 4), [1.0, 0.0, 0.0, 1.0]);
    let code = call!("cusolverDnXpotrf", handle => usize, none => u64, 0 => i32, 2 => i64, 2 => i32, a => u64, 2 => i64, 2 => i32, none => u64, 0 => usize, none => u64, 0 => usize, none => u64);
    assert_eq!(code, 9); // half precision
    assert_eq!(call!("cusolverDnXtrtri"), 9);
    let mut version = 0;
    assert_eq!(call!("cusolverGetVersion", &mut version => &mut i32), 0);
    assert!(version >= 12_000);
}

#[test]
fn a_general_matrix_has_its_eigenvalues_and_vectors() {
    let handle = handle();
    // Column-major, leading dimension 4: a rotation by a right angle and a stretch, with eigenvalues i, -i and 3.
    let matrix = [0.0f64, 1.0, 0.0, 9e9, -1.0, 0.0, 0.0, 9e9, 1.0, 2.0, 3.0, 9e9];
    let (lists, numbers, vl, vr, info) =
        (device(&[0f64; 6]), device(&[0f64; 6]), device(&[0f64; 9]), device(&[0f64; 9]), info());
    for (code_w, values) in [(1, lists), (5, numbers)] {
        let code = call!(
            "cusolverDnXgeev", handle => usize, 0 => usize, 1 => i32, 1 => i32, 3 => i64, 1 => i32, device(&matrix) => u64, 4 => i64, code_w => i32, values => u64,
            1 => i32, vl => u64, 3 => i64, 1 => i32, vr => u64, 3 => i64, 1 => i32, 0 => usize, 0 => usize, 0 => usize, 0 => usize, info => u64
        );
        assert_eq!((code, download::<i32>(info, 1)[0]), (0, 0));
    }
    // The pair is adjacent, the positive one first.
    let [lists, pairs] = [lists, numbers].map(|at| download::<f64>(at, 6));
    let first = usize::from(lists[3] == 0.0);
    let alone = if first == 0 { 2 } else { 0 };
    close(&[lists[alone], lists[3 + alone]], &[3.0, 0.0], 1e-14);
    close(&[lists[first], lists[3 + first]], &[0.0, 1.0], 1e-14);
    close(&[lists[first + 1], lists[4 + first]], &[0.0, -1.0], 1e-14);
    for at in 0..3 {
        assert_eq!(pairs[2 * at..2 * at + 2], [lists[at], lists[3 + at]]);
    }
    let (left, right) = (download::<f64>(vl, 9), download::<f64>(vr, 9));
    let element = |row: usize, column: usize| matrix[row + 4 * column];
    let column = |of: &[f64], at: usize| [of[3 * at], of[3 * at + 1], of[3 * at + 2]];
    let times = |x: [f64; 3]| [0, 1, 2].map(|i| (0..3).map(|k| element(i, k) * x[k]).sum::<f64>());
    let turned = |x: [f64; 3]| [0, 1, 2].map(|i| (0..3).map(|k| element(k, i) * x[k]).sum::<f64>());
    let single = column(&right, alone);
    close(&times(single), &single.map(|x| 3.0 * x), 1e-14);
    close(&turned(column(&left, alone)), &column(&left, alone).map(|x| 3.0 * x), 1e-14);
    // A (re + i im) = i (re + i im); for the left vector u* A = i u*, so A' u = -i u.
    let [re, im] = [first, first + 1].map(|at| column(&right, at));
    close(&times(re), &im.map(|x| -x), 1e-14);
    close(&times(im), &re, 1e-14);
    let [re, im] = [first, first + 1].map(|at| column(&left, at));
    close(&turned(re), &im, 1e-14);
    // Complex vectors of a real matrix are refused; matrices that are not finite have no eigenvalues.
    let code = call!(
        "cusolverDnXgeev", handle => usize, 0 => usize, 0 => i32, 1 => i32, 3 => i64, 1 => i32, device(&matrix) => u64, 4 => i64, 5 => i32, numbers => u64,
        5 => i32, vl => u64, 3 => i64, 5 => i32, vr => u64, 3 => i64, 5 => i32, 0 => usize, 0 => usize, 0 => usize, 0 => usize, info => u64
    );
    assert_eq!(code, 9);
    let code = call!(
        "cusolverDnXgeev", handle => usize, 0 => usize, 0 => i32, 0 => i32, 1 => i64, 4 => i32, device(&[f32::INFINITY, 0.0]) => u64, 1 => i64, 4 => i32,
        numbers => u64, 4 => i32, 0 => u64, 1 => i64, 4 => i32, 0 => u64, 1 => i64, 4 => i32, 0 => usize, 0 => usize, 0 => usize, 0 => usize, info => u64
    );
    assert_eq!((code, download::<i32>(info, 1)[0]), (0, 1));
    assert!(download::<f32>(numbers, 2).iter().all(|value| value.is_nan()));
}

#[test]
fn a_sparse_system_is_solved_or_reported_singular() {
    context();
    let (mut handle, mut singular) = (0usize, 7i32);
    assert_eq!(call!("cusolverSpCreate", &mut handle => &mut usize), 0);
    // 2 0 1 / 0 3 0 / 4 0 1, with indices from 1; the last entry is given as two halves.
    let values = device(&[2f32, 1.0, 3.0, 4.0, 0.5, 0.5]);
    let (offsets, columns) = (device(&[1i32, 3, 4, 7]), device(&[1i32, 3, 2, 1, 3, 3]));
    let (b, x) = (device(&[5f32, 6.0, 7.0]), device(&[0f32; 3]));
    let mut solve = |order: i32, entries: i32| {
        let code = call!("cusolverSpScsrlsvqr", handle => usize, order => i32, entries => i32, 0 => usize, values => u64, offsets => u64, columns => u64, b => u64, 1e-6 => f32, 0 => i32, x => u64, &mut singular => &mut i32);
        (code, singular)
    };
    assert_eq!(solve(3, 6), (0, -1));
    let found: Vec<f64> = download::<f32>(x, 3).into_iter().map(f64::from).collect();
    close(&found, &[1.0, 2.0, 3.0], 1e-6);
    // Offsets that do not match the number of entries; then a third column equal to the first.
    assert_eq!(solve(3, 5).0, 3);
    upload(columns, &[1i32, 1, 2, 1, 1, 1]);
    assert_eq!(solve(3, 6), (0, 2));
    upload(columns, &[1i32, 4, 2, 1, 3, 3]);
    assert_eq!(solve(3, 6).0, 3);
    assert_eq!(call!("cusolverSpDestroy", handle => usize), 0);
}
