//! The stand-in loaded by `dlopen` after the driver, as programs do, on the driver's memory. Expected results are computed here.

use crate::common::{download, get, handle, libraries, numbers, upload};
use half::f16;
use std::ffi::c_void;

type Gemm<T, I> =
    extern "C" fn(usize, i32, i32, I, I, I, *const T, u64, I, u64, I, *const T, u64, I) -> i32;

/// An element of a column-major factor after its operation.
fn element(matrix: &[f64], operation: i32, leading: usize, row: usize, column: usize) -> f64 {
    match operation {
        0 => matrix[row + column * leading],
        _ => matrix[column + row * leading],
    }
}

#[test]
fn products_match_naive_sums_for_all_operations_and_leading_dimensions() {
    let handle = handle();
    let gemm: Gemm<f64, i32> = get(&libraries().own, "cublasDgemm_v2");
    let wide: Gemm<f64, i64> = get(&libraries().own, "cublasDgemm_v2_64");
    let (m, n, k, lda, ldb, ldc) = (7usize, 5, 19, 23, 21, 9);
    for (ta, tb) in [(0, 0), (1, 0), (0, 1), (2, 2)] {
        let (a, b, c) = (numbers(lda * 23, 1), numbers(ldb * 23, 2), numbers(ldc * n, 3));
        let (da, db) = (upload(&a), upload(&b));
        let mut expected = c.clone();
        for row in 0..m {
            for column in 0..n {
                let products = (0..k)
                    .map(|at| element(&a, ta, lda, row, at) * element(&b, tb, ldb, at, column));
                let sum: f64 = products.sum();
                expected[row + column * ldc] = 2.0 * sum - c[row + column * ldc];
            }
        }
        let dc = upload(&c);
        let (i, j, l) = (m as i32, n as i32, k as i32);
        assert_eq!(
            gemm(
                handle, ta, tb, i, j, l, &2.0, da, lda as i32, db, ldb as i32, &-1.0, dc,
                ldc as i32
            ),
            0
        );
        // Gaps between columns stay unchanged.
        assert_eq!(download::<f64>(dc, c.len()), expected, "{ta} {tb}");
        let dc = upload(&c);
        let (i, j, l) = (m as i64, n as i64, k as i64);
        assert_eq!(
            wide(
                handle, ta, tb, i, j, l, &2.0, da, lda as i64, db, ldb as i64, &-1.0, dc,
                ldc as i64
            ),
            0
        );
        assert_eq!(download::<f64>(dc, c.len()), expected, "{ta} {tb}");
    }
}

#[test]
fn with_beta_zero_the_result_may_hold_nan() {
    let handle = handle();
    let gemm: Gemm<f32, i32> = get(&libraries().own, "cublasSgemm_v2");
    let (a, c) = (upload(&[2.0f32]), upload(&[f32::NAN]));
    assert_eq!(gemm(handle, 0, 0, 1, 1, 1, &1.0, a, 1, a, 1, &0.0, c, 1), 0);
    assert_eq!(download::<f32>(c, 1), [4.0]);
}

#[test]
fn unallocated_memory_gives_a_status() {
    let handle = handle();
    let gemm: Gemm<f32, i32> = get(&libraries().own, "cublasSgemm_v2");
    let small = upload(&[1.0f32; 4]);
    let one = |m, at, ld| gemm(handle, 0, 0, m, 1, 1, &1.0, at, ld, small, 1, &0.0, small, ld);
    assert_eq!(one(4, small, 4), 0);
    assert_eq!(one(5, small, 5), 13); // a column of 5 in an allocation of 4
    assert_eq!(one(4, 8, 4), 13); // no allocation
    assert_eq!(one(4, small, 3), 7); // a leading dimension smaller than the number of rows
    assert_eq!(gemm(handle + 1, 0, 0, 1, 1, 1, &1.0, small, 1, small, 1, &0.0, small, 1), 1);
}

#[test]
fn complex_factors_are_conjugated() {
    let handle = handle();
    let gemm: Gemm<[f32; 2], i32> = get(&libraries().own, "cublasCgemm_v2");
    let (a, b, c) = (upload(&[[1.0f32, 2.0]]), upload(&[[3.0f32, 4.0]]), upload(&[[0.0f32; 2]]));
    let both: [[f32; 2]; 2] = [[1.0, 0.0], [0.0, 0.0]];
    for (operation, expected) in [(0, [-5.0, 10.0]), (1, [-5.0, 10.0]), (2, [11.0, -2.0])] {
        assert_eq!(gemm(handle, operation, 0, 1, 1, 1, &both[0], a, 1, b, 1, &both[1], c, 1), 0);
        assert_eq!(download::<[f32; 2]>(c, 1), [expected]);
    }
}

#[test]
fn half_precision_is_summed_in_single_and_whole_batches_run() {
    type Strided = extern "C" fn(
        usize,
        i32,
        i32,
        i32,
        i32,
        i32,
        *const f32,
        u64,
        i32,
        i32,
        i64,
        u64,
        i32,
        i32,
        i64,
        *const f32,
        u64,
        i32,
        i32,
        i64,
        i32,
        i32,
        i32,
    ) -> i32;
    let handle = handle();
    let gemm: Strided = get(&libraries().own, "cublasGemmStridedBatchedEx");
    // 4096 ones: a sum in half precision would stop at 2048.
    let (k, half) = (4096, 2);
    let ones = upload(&vec![f16::ONE; 2 * k]);
    let c = upload(&[f16::ZERO; 2]);
    let (i, stride) = (k as i32, k as i64);
    assert_eq!(
        gemm(
            handle, 1, 0, 1, 1, i, &0.5, ones, half, i, stride, ones, half, i, 0, &0.0, c, half, 1,
            1, 2, 68, -1
        ),
        0
    );
    assert_eq!(download::<f16>(c, 2), [f16::from_f32(2048.0); 2]);

    type Pointers = extern "C" fn(
        usize,
        i32,
        i32,
        i32,
        i32,
        i32,
        *const f64,
        u64,
        i32,
        u64,
        i32,
        *const f64,
        u64,
        i32,
        i32,
    ) -> i32;
    let batched: Pointers = get(&libraries().own, "cublasDgemmBatched");
    let (x, y, z) = (upload(&[3.0f64]), upload(&[5.0f64]), upload(&[0.0f64; 2]));
    let (a, b, c) = (upload(&[x, y]), upload(&[x, x]), upload(&[z, z + 8]));
    assert_eq!(batched(handle, 0, 0, 1, 1, 1, &1.0, a, 1, b, 1, &0.0, c, 1, 2), 0);
    assert_eq!(download::<f64>(z, 2), [9.0, 15.0]);
}

#[test]
fn int8_products_give_int32() {
    type Ex = extern "C" fn(
        usize,
        i32,
        i32,
        i32,
        i32,
        i32,
        *const i32,
        u64,
        i32,
        i32,
        u64,
        i32,
        i32,
        *const i32,
        u64,
        i32,
        i32,
        i32,
        i32,
    ) -> i32;
    let handle = handle();
    let gemm: Ex = get(&libraries().own, "cublasGemmEx");
    let (a, c) = (upload(&[-128i8; 4]), upload(&[0i32]));
    assert_eq!(gemm(handle, 1, 0, 1, 1, 4, &1, a, 3, 4, a, 3, 4, &0, c, 10, 1, 72, -1), 0);
    assert_eq!(download::<i32>(c, 1), [4 * 128 * 128]);
}

#[test]
fn vectors_have_increments_and_results_follow_the_pointer_mode() {
    type Dot = extern "C" fn(usize, i32, u64, i32, u64, i32, *mut f32) -> i32;
    type Reduce = extern "C" fn(usize, i32, u64, i32, *mut c_void) -> i32;
    let handle = handle();
    let dot: Dot = get(&libraries().own, "cublasSdot_v2");
    let mode: extern "C" fn(usize, i32) -> i32 = get(&libraries().own, "cublasSetPointerMode_v2");
    let (x, y) = (upload(&[1.0f32, 9.0, 2.0, 9.0, 3.0]), upload(&[1.0f32, 10.0, 100.0]));
    let mut result = 0.0;
    assert_eq!(dot(handle, 3, x, 2, y, -1, &mut result), 0);
    assert_eq!(result, 100.0 + 20.0 + 3.0);
    assert_eq!(mode(handle, 1), 0);
    let place = upload(&[0.0f32]);
    assert_eq!(dot(handle, 3, x, 2, y, 1, place as *mut f32), 0);
    assert_eq!(download::<f32>(place, 1), [321.0]);
    assert_eq!(mode(handle, 0), 0);
    let (norm, amax): (Reduce, Reduce) =
        (get(&libraries().own, "cublasSnrm2_v2"), get(&libraries().own, "cublasIsamax_v2"));
    let (mut length, mut index) = (0.0f32, 0i32);
    // Values whose squares overflow single precision.
    let large = upload(&[3e30f32, -4e30]);
    assert_eq!(norm(handle, 2, large, 1, (&raw mut length).cast()), 0);
    assert_eq!(amax(handle, 2, large, 1, (&raw mut index).cast()), 0);
    assert!((length / 5e30 - 1.0).abs() < 1e-6, "{length}");
    assert_eq!(index, 2);
}

#[test]
fn triangular_systems_are_solved_from_both_sides() {
    type Trsm =
        extern "C" fn(usize, i32, i32, i32, i32, i32, i32, *const f64, u64, i32, u64, i32) -> i32;
    let handle = handle();
    let (trsm, gemm): (Trsm, Gemm<f64, i32>) =
        (get(&libraries().own, "cublasDtrsm_v2"), get(&libraries().own, "cublasDgemm_v2"));
    for (side, triangle, operation) in (0..8).map(|bits| (bits & 1, bits >> 1 & 1, bits >> 2)) {
        let mut a = numbers(9, 5);
        for (place, number) in a.iter_mut().enumerate() {
            let (row, column) = (place % 3, place / 3);
            match (row == column, row > column) {
                (true, _) => *number = 2.0,
                (_, below) if below == (triangle == 0) => {}
                _ => *number = 0.0,
            }
        }
        let b = numbers(9, 6);
        let (da, x, after) = (upload(&a), upload(&b), upload(&[0.0f64; 9]));
        assert_eq!(trsm(handle, side, triangle, operation, 0, 3, 3, &1.0, da, 3, x, 3), 0);
        let done = match side {
            0 => gemm(handle, operation, 0, 3, 3, 3, &1.0, da, 3, x, 3, &0.0, after, 3),
            _ => gemm(handle, 0, operation, 3, 3, 3, &1.0, x, 3, da, 3, &0.0, after, 3),
        };
        assert_eq!(done, 0);
        // Halves and small integers are exact.
        assert_eq!(
            download::<f64>(after, 9),
            b,
            "side {side}, triangle {triangle}, operation {operation}"
        );
    }
}

#[test]
fn batched_systems_match_single_solves() {
    type Trsm<At> =
        extern "C" fn(usize, i32, i32, i32, i32, i32, i32, *const f64, At, i32, u64, i32) -> i32;
    type Batched = extern "C" fn(
        usize,
        i32,
        i32,
        i32,
        i32,
        i32,
        i32,
        *const f64,
        u64,
        i32,
        u64,
        i32,
        i32,
    ) -> i32;
    let handle = handle();
    let (one, batched): (Trsm<u64>, Batched) =
        (get(&libraries().own, "cublasDtrsm_v2"), get(&libraries().own, "cublasDtrsmBatched"));
    // Column-major, three rows: the upper triangle of the first, all of the second.
    let factors = [[2.0f64, 9.0, 9.0, 1.0, 4.0, 9.0, 3.0, 5.0, 0.5], [1.0; 9]];
    let sides = [numbers(6, 2), numbers(6, 7)];
    let a = factors.map(|factor| upload(&factor));
    let (alone, x) =
        (sides.each_ref().map(|side| upload(side)), sides.each_ref().map(|side| upload(side)));
    let lists = [upload(&a), upload(&x)];
    for (a, b) in a.iter().zip(&alone) {
        assert_eq!(one(handle, 0, 1, 0, 0, 3, 2, &2.0, *a, 3, *b, 3), 0);
    }
    assert_eq!(batched(handle, 0, 1, 0, 0, 3, 2, &2.0, lists[0], 3, lists[1], 3, 2), 0);
    for ((x, alone), side) in x.iter().zip(&alone).zip(&sides) {
        assert_eq!(download::<f64>(*x, 6), download::<f64>(*alone, 6));
        assert_ne!(&download::<f64>(*x, 6), side);
    }
    // An empty batch does nothing; a negative count or a missing list is an error.
    assert_eq!(batched(handle, 0, 1, 0, 0, 3, 2, &2.0, lists[0], 3, lists[1], 3, 0), 0);
    assert_eq!(batched(handle, 0, 1, 0, 0, 3, 2, &2.0, lists[0], 3, lists[1], 3, -1), 7);
    assert_ne!(batched(handle, 0, 1, 0, 0, 3, 2, &2.0, 8, 3, lists[1], 3, 2), 0);
}

#[test]
fn a_captured_product_runs_when_its_graph_is_launched() {
    let handle = handle();
    let cuda = &libraries().cuda;
    let gemm: Gemm<f32, i32> = get(&libraries().own, "cublasSgemm_v2");
    let set: extern "C" fn(usize, usize) -> i32 = get(&libraries().own, "cublasSetStream_v2");
    let create: extern "C" fn(*mut usize, u32) -> i32 = get(cuda, "cuStreamCreate");
    let begin: extern "C" fn(usize, i32) -> i32 = get(cuda, "cuStreamBeginCapture_v2");
    let end: extern "C" fn(usize, *mut usize) -> i32 = get(cuda, "cuStreamEndCapture");
    let instantiate: extern "C" fn(*mut usize, usize, u64) -> i32 =
        get(cuda, "cuGraphInstantiateWithFlags");
    let launch: extern "C" fn(usize, usize) -> i32 = get(cuda, "cuGraphLaunch");
    let (mut stream, mut graph, mut ready) = (0, 0, 0);
    let (a, c) = (upload(&[3.0f32]), upload(&[1.0f32]));
    // Meanwhile, other tests use the legacy stream in other threads.
    assert_eq!((create(&mut stream, 1), set(handle, stream), begin(stream, 1)), (0, 0, 0));
    assert_eq!(gemm(handle, 0, 0, 1, 1, 1, &1.0, a, 1, c, 1, &0.0, c, 1), 0);
    assert_eq!(end(stream, &mut graph), 0);
    assert_eq!(download::<f32>(c, 1), [1.0]);
    assert_eq!(
        (instantiate(&mut ready, graph, 0), launch(ready, stream), launch(ready, stream)),
        (0, 0, 0)
    );
    assert_eq!(download::<f32>(c, 1), [9.0]);
}

#[test]
fn cublaslt_products_apply_bias_and_activation() {
    let handle = handle();
    let blas = &libraries().own;
    let describe: extern "C" fn(*mut usize, i32, i32) -> i32 =
        get(blas, "cublasLtMatmulDescCreate");
    let set: extern "C" fn(usize, i32, *const c_void, usize) -> i32 =
        get(blas, "cublasLtMatmulDescSetAttribute");
    let layout: extern "C" fn(*mut usize, i32, u64, u64, i64) -> i32 =
        get(blas, "cublasLtMatrixLayoutCreate");
    type Matmul = extern "C" fn(
        usize,
        usize,
        *const f32,
        u64,
        usize,
        u64,
        usize,
        *const f32,
        u64,
        usize,
        u64,
        usize,
        usize,
        usize,
        usize,
        usize,
    ) -> i32;
    let matmul: Matmul = get(blas, "cublasLtMatmul");
    let (mut product, mut shape) = (0, 0);
    assert_eq!((describe(&mut product, 68, 0), layout(&mut shape, 0, 2, 2, 2)), (0, 0));
    let (a, identity, d) = (
        upload(&[1.0f32, -2.0, 3.0, -4.0]),
        upload(&[1.0f32, 0.0, 0.0, 1.0]),
        upload(&[0.0f32; 4]),
    );
    let bias = upload(&[10.0f32, 1.0]);
    let run = |epilogue: u32| {
        assert_eq!(set(product, 7, (&raw const epilogue).cast(), 4), 0);
        assert_eq!(set(product, 8, (&raw const bias).cast(), 8), 0);
        let code = matmul(
            handle, product, &1.0, a, shape, identity, shape, &0.0, d, shape, d, shape, 0, 0, 0, 0,
        );
        (code, download::<f32>(d, 4))
    };
    assert_eq!(run(1), (0, vec![1.0, -2.0, 3.0, -4.0]));
    assert_eq!(run(4 | 2), (0, vec![11.0, 0.0, 13.0, 0.0]));
    let (code, gelu) = run(32);
    assert_eq!(code, 0);
    assert!((gelu[0] - 0.841_192).abs() < 1e-5 && (gelu[1] + 0.045_402).abs() < 1e-5, "{gelu:?}");
    assert_eq!(run(8 | 128).0, 15); // a gradient is refused
    // The address for the largest absolute result: null is the default; any other address is refused.
    let nowhere = 0u64;
    assert_eq!(set(product, 21, (&raw const nowhere).cast(), 8), 0);
    assert_eq!(set(product, 21, (&raw const d).cast(), 8), 15);
}

#[test]
fn unimplemented_functions_report_it() {
    handle();
    let unknown: extern "C" fn() -> i32 = get(&libraries().own, "cublasSgelsBatched");
    assert_eq!(unknown(), 15);
}
