//! Batched small systems, checked by multiplying the results.

use crate::common::{download, handle, numbers, upload};

type Number = [f64; 2];

fn mul(a: Number, b: Number) -> Number {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

/// Complex numbers; matrices are column-major.
fn complex(count: usize, seed: u32) -> Vec<Number> {
    numbers(2 * count, seed).chunks(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// The element of a matrix after the operation.
fn element(a: &[Number], n: usize, operation: i32, row: usize, column: usize) -> Number {
    match operation {
        0 => a[row + column * n],
        1 => a[column + row * n],
        _ => [a[column + row * n][0], -a[column + row * n][1]],
    }
}

/// The product of square matrices.
fn product(a: &[Number], operation: i32, b: &[Number], n: usize) -> Vec<Number> {
    let sum = |row: usize, column: usize| {
        let terms = (0..n).map(|k| mul(element(a, n, operation, row, k), b[k + column * n]));
        terms.fold([0.0; 2], |sum, term| [sum[0] + term[0], sum[1] + term[1]])
    };
    (0..b.len()).map(|place| sum(place % n, place / n)).collect()
}

fn assert_near(found: &[Number], expected: &[Number], what: &str) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((found - expected).abs() < 1e-9, "{what}: {found} for {expected}");
    }
}

const N: usize = 5;
const COUNT: usize = 3;

/// Matrices, and the list of their addresses.
fn batch(seed: u32) -> ([Vec<Number>; COUNT], [u64; COUNT], u64) {
    let matrices = [0, 1, 2].map(|index| complex(N * N, seed + index));
    let places = [0, 1, 2].map(|index: usize| upload(&matrices[index]));
    let list = upload(&places);
    (matrices, places, list)
}

#[test]
fn factored_systems_are_solved_and_inverted() {
    let handle = handle();
    let n = N as i32;
    for pivoting in [true, false] {
        let (matrices, _, list) = batch(3);
        let pivots = if pivoting { upload(&[0i32; N * COUNT]) } else { 0 };
        let info = upload(&[-1i32; COUNT]);
        let code = call!("cublasZgetrfBatched", handle => usize, n => i32, list => u64, n => i32, pivots => u64, info => u64, 3 => i32);
        assert_eq!((code, download::<i32>(info, 3)), (0, vec![0; 3]));
        for operation in 0..3 {
            let (sides, x, of_x) = batch(20);
            let mut done = -1;
            let code = call!(
                "cublasZgetrsBatched", handle => usize, operation => i32, n => i32, n => i32, list => u64, n => i32, pivots => u64, of_x => u64, n => i32,
                &mut done => *mut i32, 3 => i32
            );
            assert_eq!((code, done), (0, 0));
            for index in 0..COUNT {
                let x = download::<Number>(x[index], N * N);
                let what = format!("operation {operation}, pivoting {pivoting}");
                assert_near(&product(&matrices[index], operation, &x, N), &sides[index], &what);
            }
        }
        let (_, inverses, of_inverses) = batch(40);
        let code = call!(
            "cublasZgetriBatched", handle => usize, n => i32, list => u64, n => i32, pivots => u64, of_inverses => u64, n => i32, info => u64, 3 => i32
        );
        assert_eq!((code, download::<i32>(info, 3)), (0, vec![0; 3]));
        let one: Vec<Number> =
            (0..N * N).map(|at| [f64::from(u8::from(at % N == at / N)), 0.0]).collect();
        for index in 0..COUNT {
            let inverse = download::<Number>(inverses[index], N * N);
            assert_near(&product(&matrices[index], 0, &inverse, N), &one, "inverse");
        }
    }
    let (matrices, _, list) = batch(3);
    let (_, inverses, of_inverses) = batch(40);
    let info = upload(&[-1i32; COUNT]);
    let code = call!("cublasZmatinvBatched", handle => usize, n => i32, list => u64, n => i32, of_inverses => u64, n => i32, info => u64, 3 => i32);
    assert_eq!((code, download::<i32>(info, 3)), (0, vec![0; 3]));
    let back = product(&matrices[1], 0, &download::<Number>(inverses[1], N * N), N);
    assert!((back[0][0] - 1.0).abs() < 1e-9 && back[1][0].abs() < 1e-9);
}

#[test]
fn pivots_are_the_largest_elements_and_a_zero_pivot_is_reported() {
    let handle = handle();
    // Column-major; the second is singular.
    let matrices = [[1.0f64, 4.0, 2.0, 3.0], [1.0, 2.0, 2.0, 4.0]];
    let places = matrices.map(|matrix| upload(&matrix));
    let (list, pivots, info) = (upload(&places), upload(&[0i32; 4]), upload(&[-1i32; 2]));
    let code = call!("cublasDgetrfBatched", handle => usize, 2 => i32, list => u64, 2 => i32, pivots => u64, info => u64, 2 => i32);
    assert_eq!((code, download::<i32>(info, 2)), (0, vec![0, 2]));
    assert_eq!(download::<i32>(pivots, 4), [2, 2, 2, 2]);
    assert_eq!(download::<f64>(places[0], 4), [4.0, 0.25, 3.0, 1.25]);
    let inverses = [0.0f64, 7.0].map(|value| upload(&[value; 4]));
    let results = upload(&inverses);
    let code = call!(
        "cublasDgetriBatched", handle => usize, 2 => i32, list => u64, 2 => i32, pivots => u64, results => u64, 2 => i32, info => u64, 2 => i32
    );
    assert_eq!((code, download::<i32>(info, 2)), (0, vec![0, 2]));
    let inverse = download::<f64>(inverses[0], 4);
    assert!(inverse.iter().zip([-0.6, 0.8, 0.4, -0.2]).all(|(a, b)| (a - b).abs() < 1e-15));
    // The inverse of a singular matrix has no finite element.
    assert!(download::<f64>(inverses[1], 4).iter().all(|value| !value.is_finite()));
    let complex = upload(&[upload(&[[0.0f64; 2]; 4])]);
    let to = upload(&[[7.0f64; 2]; 4]);
    let code = call!("cublasZmatinvBatched", handle => usize, 2 => i32, complex => u64, 2 => i32, upload(&[to]) => u64, 2 => i32, info => u64, 1 => i32);
    assert_eq!((code, download::<i32>(info, 1)), (0, vec![1]));
    assert!(download::<[f64; 2]>(to, 4).iter().all(|value| !value[0].is_finite()));
    // Invalid arguments give a status: extents, pivots, memory that is not allocated, more rows than a warp.
    let wrong = upload(&[3i32, 1, 1, 1]);
    for (n, lda, list, pivots, expected) in [
        (-1, 2, list, pivots, 7),
        (2, 1, list, pivots, 7),
        (2, 2, list, wrong, 7),
        (2, 2, 8, pivots, 13),
    ] {
        let code = call!(
            "cublasDgetriBatched", handle => usize, n => i32, list => u64, lda => i32, pivots => u64, results => u64, 2 => i32, info => u64, 2 => i32
        );
        assert_eq!(code, expected);
    }
    let code = call!("cublasDmatinvBatched", handle => usize, 33 => i32, list => u64, 33 => i32, list => u64, 33 => i32, info => u64, 1 => i32);
    assert_eq!(code, 7);
}

#[test]
fn reflections_times_the_triangle_equal_the_matrix() {
    let handle = handle();
    for (m, n) in [(5usize, 3usize), (3, 5), (4, 4), (1, 1)] {
        let a = complex(m * n, 9);
        let (place, tau) = (upload(&a), upload(&vec![[0.0f64; 2]; m.min(n)]));
        let (list, scales, mut info) = (upload(&[place]), upload(&[tau]), -1);
        let code = call!(
            "cublasZgeqrfBatched", handle => usize, m as i32 => i32, n as i32 => i32, list => u64, m as i32 => i32, scales => u64, &mut info => *mut i32, 1 => i32
        );
        assert_eq!((code, info), (0, 0));
        let (factors, tau) = (download::<Number>(place, m * n), download::<Number>(tau, m.min(n)));
        let mut back: Vec<Number> =
            (0..m * n).map(|at| if at % m <= at / m { factors[at] } else { [0.0; 2] }).collect();
        for step in (0..m.min(n)).rev() {
            let vector = |row: usize| match row.cmp(&step) {
                std::cmp::Ordering::Less => [0.0; 2],
                std::cmp::Ordering::Equal => [1.0, 0.0],
                std::cmp::Ordering::Greater => factors[row + step * m],
            };
            for column in 0..n {
                let terms = (0..m)
                    .map(|row| mul([vector(row)[0], -vector(row)[1]], back[row + column * m]));
                let dot =
                    terms.fold([0.0; 2], |sum: Number, term| [sum[0] + term[0], sum[1] + term[1]]);
                for row in 0..m {
                    let less = mul(mul(tau[step], vector(row)), dot);
                    let to = &mut back[row + column * m];
                    *to = [to[0] - less[0], to[1] - less[1]];
                }
            }
        }
        assert_near(&back, &a, &format!("{m} by {n}"));
        assert!((0..m.min(n)).all(|at| factors[at * (m + 1)][1] == 0.0));
    }
}
