//! Matrices and what is like their product: sums, scaled rows and columns, updates of a triangle, triangular systems.

use crate::export::export;
use crate::gemm::Batch;
use crate::handle;
use crate::kind::{Kind, add, mul};
use crate::matrix::{Dense, Matrix, Operation};
use crate::product::product;
use crate::scalar::Scalar;
use crate::status::{Result, Status};
use crate::triangular::{Triangle, solve};
use lanework_standin::submit;

/// `C = alpha op(A) + beta op(B)`.
unsafe fn geam(
    [kind]: [Kind; 1],
    [handle, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc]: [i64; 13],
) -> Result {
    let held = handle::get(handle)?;
    let [ta, tb] = [Operation::of(ta as i32)?, Operation::of(tb as i32)?];
    // SAFETY: by the caller.
    let scalars = unsafe { [held.scalar(alpha, kind)?, held.scalar(beta, kind)?] };
    let c = Matrix::by_columns(c as usize, kind, m, n, ldc)?;
    // A term whose factor is 0 on the host need not be there.
    let term = |scalar: Scalar, at: i64, operation: Operation, leading: i64| match scalar {
        Scalar::Known([0.0, 0.0]) => Ok(None),
        _ => Matrix::factor(at as usize, kind, operation, m, n, leading)
            .map(|matrix| Some((matrix, operation, scalar))),
    };
    let terms = [term(scalars[0], a, ta, lda)?, term(scalars[1], b, tb, ldb)?];
    submit(held.stream, move || {
        let mut sum = Dense {
            rows: c.rows,
            columns: c.columns,
            elements: vec![[0.0; 2]; c.rows * c.columns],
        };
        for (matrix, operation, scalar) in terms.into_iter().flatten() {
            let (factor, dense) = (scalar.value()?, matrix.read_as(operation, "a term")?);
            for (to, from) in sum.elements.iter_mut().zip(&dense.elements) {
                *to = add(*to, mul(factor, *from));
            }
        }
        c.write(&sum, "C")
    })
}

/// `C = A diag(x)` (right) or `diag(x) A` (left).
unsafe fn dgmm(
    [kind]: [Kind; 1],
    [handle, side, m, n, a, lda, x, incx, c, ldc]: [i64; 10],
) -> Result {
    let held = handle::get(handle)?;
    let a = Matrix::by_columns(a as usize, kind, m, n, lda)?;
    let c = Matrix::by_columns(c as usize, kind, m, n, ldc)?;
    let (x, backwards) = Matrix::vector(x as usize, kind, if side == 0 { m } else { n }, incx)?;
    submit(held.stream, move || {
        let (mut dense, mut x) = (a.read("A")?, x.read("x")?.elements);
        if backwards {
            x.reverse();
        }
        for (index, element) in dense.elements.iter_mut().enumerate() {
            let (row, column) = (index / a.columns, index % a.columns);
            *element = mul(*element, x[if side == 0 { row } else { column }]);
        }
        c.write(&dense, "C")
    })
}

/// `C = alpha op(A) op(A)^T + beta C`, of which one triangle is read and written; `hermitian` conjugates.
unsafe fn rank_update(
    [kind, scale]: [Kind; 2],
    hermitian: bool,
    [handle, triangle, operation, n, k, alpha, a, lda, beta, c, ldc]: [i64; 11],
) -> Result {
    let held = handle::get(handle)?;
    let given = Operation::of(operation as i32)?;
    let first =
        Operation { transposed: given.transposed, conjugated: hermitian && given.transposed };
    let second =
        Operation { transposed: !given.transposed, conjugated: hermitian && !given.transposed };
    // SAFETY: by the caller.
    let scalars = unsafe { [held.scalar(alpha, scale)?, held.scalar(beta, scale)?] };
    let a = Matrix::factor(a as usize, kind, first, n, k, lda)?;
    let c = Matrix::by_columns(c as usize, kind, n, n, ldc)?;
    submit(held.stream, move || {
        let scalars = [scalars[0].value()?, scalars[1].value()?];
        let (left, right, before) = (a.read_as(first, "A")?, a.read_as(second, "A")?, c.read("C")?);
        let mut after =
            product(&left, &right, scalars, Some(&before), kind.is_double(), kind.is_complex());
        for (index, element) in after.elements.iter_mut().enumerate() {
            let (row, column) = (index / c.columns, index % c.columns);
            let outside = if triangle == 0 { column > row } else { row > column };
            if outside && triangle < 2 {
                *element = before.elements[index];
            } else if hermitian && row == column {
                element[1] = 0.0;
            }
        }
        c.write(&after, "C")
    })
}

unsafe fn syrk([kind]: [Kind; 1], arguments: [i64; 11]) -> Result {
    // SAFETY: by the caller.
    unsafe { rank_update([kind, kind], false, arguments) }
}

unsafe fn herk(kinds: [Kind; 2], arguments: [i64; 11]) -> Result {
    // SAFETY: by the caller.
    unsafe { rank_update(kinds, true, arguments) }
}

/// `op(A) X = alpha B` (left) or `X op(A) = alpha B` (right); X takes B's place, in each system of a batch.
unsafe fn solve_all(
    kind: Kind,
    batch: Batch,
    count: i64,
    [handle, side, triangle, operation, unit, m, n, alpha, a, lda, b, ldb]: [i64; 12],
) -> Result {
    let held = handle::get(handle)?;
    let operation = Operation::of(operation as i32)?;
    let count = usize::try_from(count).map_err(|_| Status::InvalidValue)?;
    // SAFETY: by the caller.
    let alpha = unsafe { held.scalar(alpha, kind)? };
    let order = if side == 0 { m } else { n };
    let a = Matrix::by_columns(a as usize, kind, order, order, lda)?;
    let b = Matrix::by_columns(b as usize, kind, m, n, ldb)?;
    let shape = Triangle {
        left: side == 0,
        lower: (triangle == 0) != operation.transposed,
        unit: unit == 1,
    };
    submit(held.stream, move || {
        let factor = alpha.value()?;
        for index in 0..count {
            let at = |matrix: Matrix| -> Result<Matrix> {
                Ok(Matrix { at: batch.address(matrix.at, index)?, ..matrix })
            };
            let (dense, b) = (at(a)?.read_as(operation, "A")?, at(b)?);
            let mut x = b.read("B")?;
            x.elements.iter_mut().for_each(|element| *element = mul(factor, *element));
            solve(&dense, shape, &mut x);
            b.write(&x, "B")?;
        }
        Ok(())
    })
}

unsafe fn trsm([kind]: [Kind; 1], arguments: [i64; 12]) -> Result {
    // SAFETY: by the caller.
    unsafe { solve_all(kind, Batch::Strided(0), 1, arguments) }
}

unsafe fn trsm_batched(
    [kind]: [Kind; 1],
    [h, side, triangle, t, unit, m, n, alpha, a, lda, b, ldb, count]: [i64; 13],
) -> Result {
    let each = [h, side, triangle, t, unit, m, n, alpha, a, lda, b, ldb];
    // SAFETY: by the caller.
    unsafe { solve_all(kind, Batch::Pointers, count, each) }
}

export!(geam, (h ptr, ta opt, tb opt, m int, n int, alpha ptr, a ptr, lda int, beta ptr, b ptr, ldb int, c ptr, ldc int):
    [cublasSgeam cublasSgeam_64 F32] [cublasDgeam cublasDgeam_64 F64] [cublasCgeam cublasCgeam_64 C32] [cublasZgeam cublasZgeam_64 C64]);
export!(dgmm, (h ptr, side opt, m int, n int, a ptr, lda int, x ptr, incx int, c ptr, ldc int):
    [cublasSdgmm cublasSdgmm_64 F32] [cublasDdgmm cublasDdgmm_64 F64] [cublasCdgmm cublasCdgmm_64 C32] [cublasZdgmm cublasZdgmm_64 C64]);
export!(syrk, (h ptr, triangle opt, t opt, n int, k int, alpha ptr, a ptr, lda int, beta ptr, c ptr, ldc int):
    [cublasSsyrk_v2 cublasSsyrk_v2_64 F32] [cublasDsyrk_v2 cublasDsyrk_v2_64 F64] [cublasCsyrk_v2 cublasCsyrk_v2_64 C32] [cublasZsyrk_v2 cublasZsyrk_v2_64 C64]);
export!(herk, (h ptr, triangle opt, t opt, n int, k int, alpha ptr, a ptr, lda int, beta ptr, c ptr, ldc int):
    [cublasCherk_v2 cublasCherk_v2_64 C32 F32] [cublasZherk_v2 cublasZherk_v2_64 C64 F64]);
export!(trsm, (h ptr, side opt, triangle opt, t opt, unit opt, m int, n int, alpha ptr, a ptr, lda int, b ptr, ldb int):
    [cublasStrsm_v2 cublasStrsm_v2_64 F32] [cublasDtrsm_v2 cublasDtrsm_v2_64 F64] [cublasCtrsm_v2 cublasCtrsm_v2_64 C32] [cublasZtrsm_v2 cublasZtrsm_v2_64 C64]);
export!(trsm_batched, (h ptr, side opt, triangle opt, t opt, unit opt, m int, n int, alpha ptr, a ptr, lda int, b ptr, ldb int, count int):
    [cublasStrsmBatched cublasStrsmBatched_64 F32] [cublasDtrsmBatched cublasDtrsmBatched_64 F64] [cublasCtrsmBatched cublasCtrsmBatched_64 C32] [cublasZtrsmBatched cublasZtrsmBatched_64 C64]);
