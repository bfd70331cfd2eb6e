//! A matrix and vectors.

use crate::export::export;
use crate::gemm::Batch;
use crate::handle;
use crate::kind::{Kind, add, mul};
use crate::level1::{elements, write};
use crate::matrix::{Dense, Matrix, Operation};
use crate::product::product;
use crate::status::{Result, Status};
use lanework_standin::submit;

/// `y = alpha op(A) x + beta y`, once or for each of a batch.
unsafe fn all_gemv(
    kind: Kind,
    batches: [Batch; 3],
    count: i64,
    [h, t, m, n, alpha, a, lda, x, incx, beta, y, incy]: [i64; 12],
) -> Result {
    let held = handle::get(h)?;
    let operation = Operation::of(t as i32)?;
    let count = usize::try_from(count).map_err(|_| Status::InvalidValue)?;
    let a = Matrix::by_columns(a as usize, kind, m, n, lda)?;
    let (rows, columns) = if operation.transposed { (n, m) } else { (m, n) };
    let x = Matrix::vector(x as usize, kind, columns, incx)?;
    let y = Matrix::vector(y as usize, kind, rows, incy)?;
    // SAFETY: by the caller.
    let scalars = unsafe { [held.scalar(alpha, kind)?, held.scalar(beta, kind)?] };
    submit(held.stream, move || {
        let scalars = [scalars[0].value()?, scalars[1].value()?];
        let column = |elements: Vec<_>| Dense { rows: elements.len(), columns: 1, elements };
        for index in 0..count {
            let at = |matrix: Matrix, batch: Batch| -> Result<Matrix> {
                Ok(Matrix { at: batch.address(matrix.at, index)?, ..matrix })
            };
            let a = at(a, batches[0])?;
            let (x, y) = ((at(x.0, batches[1])?, x.1), (at(y.0, batches[2])?, y.1));
            let (dense, given) = (a.read_as(operation, "A")?, column(elements(&x, "x")?));
            let before =
                if scalars[1] == [0.0; 2] { None } else { Some(column(elements(&y, "y")?)) };
            let (double, complex) = (kind.is_double(), kind.is_complex());
            let after = product(&dense, &given, scalars, before.as_ref(), double, complex);
            write(&y, after.elements, "y")?;
        }
        Ok(())
    })
}

unsafe fn gemv([kind]: [Kind; 1], arguments: [i64; 12]) -> Result {
    // SAFETY: by the caller.
    unsafe { all_gemv(kind, [Batch::Strided(0); 3], 1, arguments) }
}

unsafe fn gemv_batched(
    [kind]: [Kind; 1],
    [h, t, m, n, alpha, a, lda, x, incx, beta, y, incy, count]: [i64; 13],
) -> Result {
    let each = [h, t, m, n, alpha, a, lda, x, incx, beta, y, incy];
    // SAFETY: by the caller.
    unsafe { all_gemv(kind, [Batch::Pointers; 3], count, each) }
}

unsafe fn gemv_strided(
    [kind]: [Kind; 1],
    [h, t, m, n, alpha, a, lda, sa, x, incx, sx, beta, y, incy, sy, count]: [i64; 16],
) -> Result {
    let each = [h, t, m, n, alpha, a, lda, x, incx, beta, y, incy];
    let strides =
        [sa, sx, sy].map(|stride| Batch::Strided((stride as usize).wrapping_mul(kind.bytes())));
    // SAFETY: by the caller.
    unsafe { all_gemv(kind, strides, count, each) }
}

/// `A = alpha x y^T + A`, or with y's conjugates.
unsafe fn rank_one(
    kind: Kind,
    conjugated: bool,
    [h, m, n, alpha, x, incx, y, incy, a, lda]: [i64; 10],
) -> Result {
    let held = handle::get(h)?;
    let a = Matrix::by_columns(a as usize, kind, m, n, lda)?;
    let x = Matrix::vector(x as usize, kind, m, incx)?;
    let y = Matrix::vector(y as usize, kind, n, incy)?;
    // SAFETY: by the caller.
    let alpha = unsafe { held.scalar(alpha, kind)? };
    submit(held.stream, move || {
        let (alpha, x, y, mut dense) =
            (alpha.value()?, elements(&x, "x")?, elements(&y, "y")?, a.read("A")?);
        for (index, element) in dense.elements.iter_mut().enumerate() {
            let [re, im] = y[index % a.columns];
            let other = [re, if conjugated { -im } else { im }];
            *element = add(*element, mul(alpha, mul(x[index / a.columns], other)));
        }
        a.write(&dense, "A")
    })
}

unsafe fn ger([kind]: [Kind; 1], arguments: [i64; 10]) -> Result {
    // SAFETY: by the caller.
    unsafe { rank_one(kind, false, arguments) }
}

unsafe fn gerc([kind]: [Kind; 1], arguments: [i64; 10]) -> Result {
    // SAFETY: by the caller.
    unsafe { rank_one(kind, true, arguments) }
}

export!(gemv, (h ptr, t opt, m int, n int, alpha ptr, a ptr, lda int, x ptr, incx int, beta ptr, y ptr, incy int):
    [cublasSgemv_v2 cublasSgemv_v2_64 F32] [cublasDgemv_v2 cublasDgemv_v2_64 F64]
    [cublasCgemv_v2 cublasCgemv_v2_64 C32] [cublasZgemv_v2 cublasZgemv_v2_64 C64]);
export!(ger, (h ptr, m int, n int, alpha ptr, x ptr, incx int, y ptr, incy int, a ptr, lda int):
    [cublasSger_v2 cublasSger_v2_64 F32] [cublasDger_v2 cublasDger_v2_64 F64]
    [cublasCgeru_v2 cublasCgeru_v2_64 C32] [cublasZgeru_v2 cublasZgeru_v2_64 C64]);
export!(gerc, (h ptr, m int, n int, alpha ptr, x ptr, incx int, y ptr, incy int, a ptr, lda int):
    [cublasCgerc_v2 cublasCgerc_v2_64 C32] [cublasZgerc_v2 cublasZgerc_v2_64 C64]);
export!(gemv_batched, (h ptr, t opt, m int, n int, alpha ptr, a ptr, lda int, x ptr, incx int, beta ptr, y ptr, incy int, count int):
    [cublasSgemvBatched cublasSgemvBatched_64 F32] [cublasDgemvBatched cublasDgemvBatched_64 F64]
    [cublasCgemvBatched cublasCgemvBatched_64 C32] [cublasZgemvBatched cublasZgemvBatched_64 C64]);
export!(gemv_strided, (h ptr, t opt, m int, n int, alpha ptr, a ptr, lda int, sa long, x ptr, incx int, sx long, beta ptr, y ptr, incy int, sy long, count int):
    [cublasSgemvStridedBatched cublasSgemvStridedBatched_64 F32] [cublasDgemvStridedBatched cublasDgemvStridedBatched_64 F64]
    [cublasCgemvStridedBatched cublasCgemvStridedBatched_64 C32] [cublasZgemvStridedBatched cublasZgemvStridedBatched_64 C64]);
