//! Level 2: products of matrices and vectors. Matrices are general, symmetric, Hermitian, triangular or banded, in
//! full, packed or band storage.

use crate::factored::{Triangle, solve};
use crate::gemm::{Batch, product};
use crate::kind::{ElementType, Number, add, export, is_double, mul};
use crate::level1::{elements, write};
use crate::matrix::{Dense, Layout, Matrix, Operation, Stored, Unstored, after, column};
use crate::{Result, Status, handle};
use lanework_standin::submit;

/// `y = alpha op(A) x + beta y`, for each matrix of a batch.
unsafe fn all_gemv(
    kind: ElementType,
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
    // SAFETY: by `export`'s contract, `alpha` and `beta` are null or, in host pointer mode, valid for a scalar.
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
            let given = column(elements(&x, "x")?);
            let before =
                if scalars[1] == [0.0; 2] { None } else { Some(column(elements(&y, "y")?)) };
            let (double, complex) = (is_double(kind), kind.is_complex);
            let a = (a, operation, "A");
            let after = product(&a, &given, scalars, before.as_ref(), double, complex)?;
            write(&y, after.elements, "y")?;
        }
        Ok(())
    })
}

unsafe fn gemv([kind]: [ElementType; 1], arguments: [i64; 12]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { all_gemv(kind, [Batch::Strided(0); 3], 1, arguments) }
}

unsafe fn gemv_batched(
    [kind]: [ElementType; 1],
    [h, t, m, n, alpha, a, lda, x, incx, beta, y, incy, count]: [i64; 13],
) -> Result {
    let each = [h, t, m, n, alpha, a, lda, x, incx, beta, y, incy];
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { all_gemv(kind, [Batch::Pointers; 3], count, each) }
}

unsafe fn gemv_strided(
    [kind]: [ElementType; 1],
    [h, t, m, n, alpha, a, lda, sa, x, incx, sx, beta, y, incy, sy, count]: [i64; 16],
) -> Result {
    let each = [h, t, m, n, alpha, a, lda, x, incx, beta, y, incy];
    let strides =
        [sa, sx, sy].map(|stride| Batch::Strided((stride as usize).wrapping_mul(kind.bytes())));
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { all_gemv(kind, strides, count, each) }
}

/// `A = alpha x y^T + A`, or `alpha x y^H + A`.
unsafe fn rank_one(
    kind: ElementType,
    conjugated: bool,
    [h, m, n, alpha, x, incx, y, incy, a, lda]: [i64; 10],
) -> Result {
    let held = handle::get(h)?;
    let a = Matrix::by_columns(a as usize, kind, m, n, lda)?;
    let x = Matrix::vector(x as usize, kind, m, incx)?;
    let y = Matrix::vector(y as usize, kind, n, incy)?;
    // SAFETY: by `export`'s contract, `alpha` is null or, in host pointer mode, valid for a scalar.
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

unsafe fn ger([kind]: [ElementType; 1], arguments: [i64; 10]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { rank_one(kind, false, arguments) }
}

unsafe fn gerc([kind]: [ElementType; 1], arguments: [i64; 10]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
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

fn vector(at: i64, kind: ElementType, n: i64, increment: i64) -> Result<(Matrix, bool)> {
    Matrix::vector(at as usize, kind, n, increment)
}

/// `y = alpha op(A) x + beta y`.
unsafe fn times(
    a: Stored,
    operation: Operation,
    [h, alpha, x, incx, beta, y, incy]: [i64; 7],
) -> Result {
    let (held, kind) = (handle::get(h)?, a.kind);
    let extents = if operation.transposed { [a.columns, a.rows] } else { [a.rows, a.columns] };
    let [x, y] =
        [vector(x, kind, extents[1] as i64, incx)?, vector(y, kind, extents[0] as i64, incy)?];
    // SAFETY: by `export`'s contract, `alpha` and `beta` are null or, in host pointer mode, valid for a scalar.
    let scalars = unsafe { [held.scalar(alpha, kind)?, held.scalar(beta, kind)?] };
    submit(held.stream, move || {
        let scalars = [scalars[0].value()?, scalars[1].value()?];
        let (dense, given) = (after(a.read(false, "A")?, operation), column(elements(&x, "x")?));
        let before = if scalars[1] == [0.0; 2] { None } else { Some(column(elements(&y, "y")?)) };
        let result =
            product(&dense, &given, scalars, before.as_ref(), is_double(kind), kind.is_complex)?;
        write(&y, result.elements, "y")
    })
}

const PLAIN: Operation = Operation { transposed: false, conjugated: false };

unsafe fn symmetric(
    kind: ElementType,
    other: Unstored,
    layout: Layout,
    [h, fill, n, alpha, a, x, incx, beta, y, incy]: [i64; 10],
) -> Result {
    let a = Stored::triangle(a, kind, fill, n, layout, other)?;
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { times(a, PLAIN, [h, alpha, x, incx, beta, y, incy]) }
}

/// Symmetric product with a column-major triangle.
unsafe fn by_columns(
    kind: ElementType,
    other: Unstored,
    [h, fill, n, alpha, a, lda, x, incx, beta, y, incy]: [i64; 11],
) -> Result {
    let arguments = [h, fill, n, alpha, a, x, incx, beta, y, incy];
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { symmetric(kind, other, Layout::Columns(lda), arguments) }
}

unsafe fn symv([kind]: [ElementType; 1], arguments: [i64; 11]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { by_columns(kind, Unstored::Mirrored, arguments) }
}

unsafe fn hemv([kind]: [ElementType; 1], arguments: [i64; 11]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { by_columns(kind, Unstored::Conjugated, arguments) }
}

unsafe fn spmv([kind]: [ElementType; 1], arguments: [i64; 10]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { symmetric(kind, Unstored::Mirrored, Layout::Packed, arguments) }
}

unsafe fn hpmv([kind]: [ElementType; 1], arguments: [i64; 10]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { symmetric(kind, Unstored::Conjugated, Layout::Packed, arguments) }
}

/// Band storage of a triangle.
fn band(fill: i64, diagonals: i64, leading: i64) -> Layout {
    let (below, above) = if fill == 0 { (diagonals, 0) } else { (0, diagonals) };
    Layout::Band { below, above, leading }
}

/// Symmetric product with a triangle in band storage.
unsafe fn by_band(
    kind: ElementType,
    other: Unstored,
    [h, fill, n, k, alpha, a, lda, x, incx, beta, y, incy]: [i64; 12],
) -> Result {
    let arguments = [h, fill, n, alpha, a, x, incx, beta, y, incy];
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { symmetric(kind, other, band(fill, k, lda), arguments) }
}

unsafe fn sbmv([kind]: [ElementType; 1], arguments: [i64; 12]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { by_band(kind, Unstored::Mirrored, arguments) }
}

unsafe fn hbmv([kind]: [ElementType; 1], arguments: [i64; 12]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { by_band(kind, Unstored::Conjugated, arguments) }
}

unsafe fn gbmv(
    [kind]: [ElementType; 1],
    [h, t, m, n, below, above, alpha, a, lda, x, incx, beta, y, incy]: [i64; 14],
) -> Result {
    let a = Stored::whole(a, kind, [m, n], Layout::Band { below, above, leading: lda })?;
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { times(a, Operation::of(t as i32)?, [h, alpha, x, incx, beta, y, incy]) }
}

/// `x = op(A) x`, or the solution of `op(A) x' = x`, for a triangular matrix.
fn triangle(
    kind: ElementType,
    inverse: bool,
    layout: Layout,
    [h, fill, t, unit, n, a, x, incx]: [i64; 8],
) -> Result {
    let (held, operation) = (handle::get(h)?, Operation::of(t as i32)?);
    let a = Stored::triangle(a, kind, fill, n, layout, Unstored::Zero)?;
    let (x, unit) = (vector(x, kind, n, incx)?, unit == 1);
    let shape = Triangle { left: true, lower: (fill == 0) != operation.transposed, unit };
    submit(held.stream, move || {
        let dense = after(a.read(unit, "A")?, operation);
        let mut given = column(elements(&x, "x")?);
        if inverse {
            solve(&dense, shape, &mut given);
        } else {
            let one = [[1.0, 0.0], [0.0; 2]];
            given = product(&dense, &given, one, None, is_double(kind), kind.is_complex)?;
        }
        write(&x, given.elements, "x")
    })
}

unsafe fn trmv(
    [kind]: [ElementType; 1],
    [h, fill, t, unit, n, a, lda, x, incx]: [i64; 9],
) -> Result {
    triangle(kind, false, Layout::Columns(lda), [h, fill, t, unit, n, a, x, incx])
}

unsafe fn trsv(
    [kind]: [ElementType; 1],
    [h, fill, t, unit, n, a, lda, x, incx]: [i64; 9],
) -> Result {
    triangle(kind, true, Layout::Columns(lda), [h, fill, t, unit, n, a, x, incx])
}

unsafe fn tpmv([kind]: [ElementType; 1], arguments: [i64; 8]) -> Result {
    triangle(kind, false, Layout::Packed, arguments)
}

unsafe fn tpsv([kind]: [ElementType; 1], arguments: [i64; 8]) -> Result {
    triangle(kind, true, Layout::Packed, arguments)
}

unsafe fn tbmv(
    [kind]: [ElementType; 1],
    [h, fill, t, unit, n, k, a, lda, x, incx]: [i64; 10],
) -> Result {
    triangle(kind, false, band(fill, k, lda), [h, fill, t, unit, n, a, x, incx])
}

unsafe fn tbsv(
    [kind]: [ElementType; 1],
    [h, fill, t, unit, n, k, a, lda, x, incx]: [i64; 10],
) -> Result {
    triangle(kind, true, band(fill, k, lda), [h, fill, t, unit, n, a, x, incx])
}

/// Updates a triangle: `A = alpha x y' + conj(alpha) y x' + A`, or `alpha x x' + A` without y; `'` conjugates if A is Hermitian.
unsafe fn update(
    [kind, scale]: [ElementType; 2],
    other: Unstored,
    layout: Layout,
    [h, fill, n, alpha, x, incx, a]: [i64; 7],
    second: Option<[i64; 2]>,
) -> Result {
    let held = handle::get(h)?;
    let a = Stored::triangle(a, kind, fill, n, layout, other)?;
    let x = vector(x, kind, n, incx)?;
    let y = second.map(|[y, incy]| vector(y, kind, n, incy)).transpose()?;
    // SAFETY: by `export`'s contract, `alpha` is null or, in host pointer mode, valid for a scalar.
    let alpha = unsafe { held.scalar(alpha, scale)? };
    let bar = move |[re, im]: Number| [re, if other == Unstored::Conjugated { -im } else { im }];
    submit(held.stream, move || {
        let (alpha, x) = (alpha.value()?, elements(&x, "x")?);
        let y = y.as_ref().map(|y| elements(y, "y")).transpose()?;
        let mut dense: Dense = a.read(false, "A")?;
        for (place, element) in dense.elements.iter_mut().enumerate() {
            let (row, column) = (place / a.columns, place % a.columns);
            let term = match &y {
                None => mul(alpha, mul(x[row], bar(x[column]))),
                Some(y) => {
                    let first = mul(alpha, mul(x[row], bar(y[column])));
                    add(first, mul(bar(alpha), mul(y[row], bar(x[column]))))
                }
            };
            *element = add(*element, term);
        }
        a.write(&dense, "A")
    })
}

/// Rank-1 update of a column-major triangle.
unsafe fn update_columns(
    kinds: [ElementType; 2],
    other: Unstored,
    [h, fill, n, alpha, x, incx, a, lda]: [i64; 8],
) -> Result {
    let arguments = [h, fill, n, alpha, x, incx, a];
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { update(kinds, other, Layout::Columns(lda), arguments, None) }
}

unsafe fn syr([kind]: [ElementType; 1], arguments: [i64; 8]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { update_columns([kind; 2], Unstored::Mirrored, arguments) }
}

unsafe fn her(kinds: [ElementType; 2], arguments: [i64; 8]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { update_columns(kinds, Unstored::Conjugated, arguments) }
}

unsafe fn spr([kind]: [ElementType; 1], arguments: [i64; 7]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { update([kind; 2], Unstored::Mirrored, Layout::Packed, arguments, None) }
}

unsafe fn hpr(kinds: [ElementType; 2], arguments: [i64; 7]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { update(kinds, Unstored::Conjugated, Layout::Packed, arguments, None) }
}

/// Rank-2 update.
unsafe fn update2(
    kind: ElementType,
    other: Unstored,
    layout: Layout,
    [h, fill, n, alpha, x, incx, y, incy, a]: [i64; 9],
) -> Result {
    let arguments = [h, fill, n, alpha, x, incx, a];
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { update([kind; 2], other, layout, arguments, Some([y, incy])) }
}

unsafe fn syr2([kind]: [ElementType; 1], [first @ .., lda]: [i64; 10]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { update2(kind, Unstored::Mirrored, Layout::Columns(lda), first) }
}

unsafe fn her2([kind]: [ElementType; 1], [first @ .., lda]: [i64; 10]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { update2(kind, Unstored::Conjugated, Layout::Columns(lda), first) }
}

unsafe fn spr2([kind]: [ElementType; 1], arguments: [i64; 9]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { update2(kind, Unstored::Mirrored, Layout::Packed, arguments) }
}

unsafe fn hpr2([kind]: [ElementType; 1], arguments: [i64; 9]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { update2(kind, Unstored::Conjugated, Layout::Packed, arguments) }
}

/// Converts a triangle between packed and column-major storage.
fn repack(
    kind: ElementType,
    [h, fill, n]: [i64; 3],
    from: (i64, Layout),
    to: (i64, Layout),
) -> Result {
    let held = handle::get(h)?;
    let stored = |(at, layout)| Stored::triangle(at, kind, fill, n, layout, Unstored::Zero);
    let (from, to) = (stored(from)?, stored(to)?);
    submit(held.stream, move || to.write(&from.read(false, "A")?, "the result"))
}

unsafe fn tpttr([kind]: [ElementType; 1], [h, fill, n, packed, a, lda]: [i64; 6]) -> Result {
    repack(kind, [h, fill, n], (packed, Layout::Packed), (a, Layout::Columns(lda)))
}

unsafe fn trttp([kind]: [ElementType; 1], [h, fill, n, a, lda, packed]: [i64; 6]) -> Result {
    repack(kind, [h, fill, n], (a, Layout::Columns(lda)), (packed, Layout::Packed))
}

export!(symv, (h ptr, fill opt, n int, alpha ptr, a ptr, lda int, x ptr, incx int, beta ptr, y ptr, incy int):
    [cublasSsymv_v2 cublasSsymv_v2_64 F32] [cublasDsymv_v2 cublasDsymv_v2_64 F64] [cublasCsymv_v2 cublasCsymv_v2_64 C32] [cublasZsymv_v2 cublasZsymv_v2_64 C64]);
export!(hemv, (h ptr, fill opt, n int, alpha ptr, a ptr, lda int, x ptr, incx int, beta ptr, y ptr, incy int):
    [cublasChemv_v2 cublasChemv_v2_64 C32] [cublasZhemv_v2 cublasZhemv_v2_64 C64]);
export!(spmv, (h ptr, fill opt, n int, alpha ptr, a ptr, x ptr, incx int, beta ptr, y ptr, incy int):
    [cublasSspmv_v2 cublasSspmv_v2_64 F32] [cublasDspmv_v2 cublasDspmv_v2_64 F64]);
export!(hpmv, (h ptr, fill opt, n int, alpha ptr, a ptr, x ptr, incx int, beta ptr, y ptr, incy int):
    [cublasChpmv_v2 cublasChpmv_v2_64 C32] [cublasZhpmv_v2 cublasZhpmv_v2_64 C64]);
export!(sbmv, (h ptr, fill opt, n int, k int, alpha ptr, a ptr, lda int, x ptr, incx int, beta ptr, y ptr, incy int):
    [cublasSsbmv_v2 cublasSsbmv_v2_64 F32] [cublasDsbmv_v2 cublasDsbmv_v2_64 F64]);
export!(hbmv, (h ptr, fill opt, n int, k int, alpha ptr, a ptr, lda int, x ptr, incx int, beta ptr, y ptr, incy int):
    [cublasChbmv_v2 cublasChbmv_v2_64 C32] [cublasZhbmv_v2 cublasZhbmv_v2_64 C64]);
export!(gbmv, (h ptr, t opt, m int, n int, below int, above int, alpha ptr, a ptr, lda int, x ptr, incx int, beta ptr, y ptr, incy int):
    [cublasSgbmv_v2 cublasSgbmv_v2_64 F32] [cublasDgbmv_v2 cublasDgbmv_v2_64 F64] [cublasCgbmv_v2 cublasCgbmv_v2_64 C32] [cublasZgbmv_v2 cublasZgbmv_v2_64 C64]);
export!(trmv, (h ptr, fill opt, t opt, unit opt, n int, a ptr, lda int, x ptr, incx int):
    [cublasStrmv_v2 cublasStrmv_v2_64 F32] [cublasDtrmv_v2 cublasDtrmv_v2_64 F64] [cublasCtrmv_v2 cublasCtrmv_v2_64 C32] [cublasZtrmv_v2 cublasZtrmv_v2_64 C64]);
export!(trsv, (h ptr, fill opt, t opt, unit opt, n int, a ptr, lda int, x ptr, incx int):
    [cublasStrsv_v2 cublasStrsv_v2_64 F32] [cublasDtrsv_v2 cublasDtrsv_v2_64 F64] [cublasCtrsv_v2 cublasCtrsv_v2_64 C32] [cublasZtrsv_v2 cublasZtrsv_v2_64 C64]);
export!(tpmv, (h ptr, fill opt, t opt, unit opt, n int, a ptr, x ptr, incx int):
    [cublasStpmv_v2 cublasStpmv_v2_64 F32] [cublasDtpmv_v2 cublasDtpmv_v2_64 F64] [cublasCtpmv_v2 cublasCtpmv_v2_64 C32] [cublasZtpmv_v2 cublasZtpmv_v2_64 C64]);
export!(tpsv, (h ptr, fill opt, t opt, unit opt, n int, a ptr, x ptr, incx int):
    [cublasStpsv_v2 cublasStpsv_v2_64 F32] [cublasDtpsv_v2 cublasDtpsv_v2_64 F64] [cublasCtpsv_v2 cublasCtpsv_v2_64 C32] [cublasZtpsv_v2 cublasZtpsv_v2_64 C64]);
export!(tbmv, (h ptr, fill opt, t opt, unit opt, n int, k int, a ptr, lda int, x ptr, incx int):
    [cublasStbmv_v2 cublasStbmv_v2_64 F32] [cublasDtbmv_v2 cublasDtbmv_v2_64 F64] [cublasCtbmv_v2 cublasCtbmv_v2_64 C32] [cublasZtbmv_v2 cublasZtbmv_v2_64 C64]);
export!(tbsv, (h ptr, fill opt, t opt, unit opt, n int, k int, a ptr, lda int, x ptr, incx int):
    [cublasStbsv_v2 cublasStbsv_v2_64 F32] [cublasDtbsv_v2 cublasDtbsv_v2_64 F64] [cublasCtbsv_v2 cublasCtbsv_v2_64 C32] [cublasZtbsv_v2 cublasZtbsv_v2_64 C64]);
export!(syr, (h ptr, fill opt, n int, alpha ptr, x ptr, incx int, a ptr, lda int):
    [cublasSsyr_v2 cublasSsyr_v2_64 F32] [cublasDsyr_v2 cublasDsyr_v2_64 F64] [cublasCsyr_v2 cublasCsyr_v2_64 C32] [cublasZsyr_v2 cublasZsyr_v2_64 C64]);
export!(her, (h ptr, fill opt, n int, alpha ptr, x ptr, incx int, a ptr, lda int):
    [cublasCher_v2 cublasCher_v2_64 C32 F32] [cublasZher_v2 cublasZher_v2_64 C64 F64]);
export!(spr, (h ptr, fill opt, n int, alpha ptr, x ptr, incx int, a ptr):
    [cublasSspr_v2 cublasSspr_v2_64 F32] [cublasDspr_v2 cublasDspr_v2_64 F64]);
export!(hpr, (h ptr, fill opt, n int, alpha ptr, x ptr, incx int, a ptr):
    [cublasChpr_v2 cublasChpr_v2_64 C32 F32] [cublasZhpr_v2 cublasZhpr_v2_64 C64 F64]);
export!(syr2, (h ptr, fill opt, n int, alpha ptr, x ptr, incx int, y ptr, incy int, a ptr, lda int):
    [cublasSsyr2_v2 cublasSsyr2_v2_64 F32] [cublasDsyr2_v2 cublasDsyr2_v2_64 F64] [cublasCsyr2_v2 cublasCsyr2_v2_64 C32] [cublasZsyr2_v2 cublasZsyr2_v2_64 C64]);
export!(her2, (h ptr, fill opt, n int, alpha ptr, x ptr, incx int, y ptr, incy int, a ptr, lda int):
    [cublasCher2_v2 cublasCher2_v2_64 C32] [cublasZher2_v2 cublasZher2_v2_64 C64]);
export!(spr2, (h ptr, fill opt, n int, alpha ptr, x ptr, incx int, y ptr, incy int, a ptr):
    [cublasSspr2_v2 cublasSspr2_v2_64 F32] [cublasDspr2_v2 cublasDspr2_v2_64 F64]);
export!(hpr2, (h ptr, fill opt, n int, alpha ptr, x ptr, incx int, y ptr, incy int, a ptr):
    [cublasChpr2_v2 cublasChpr2_v2_64 C32] [cublasZhpr2_v2 cublasZhpr2_v2_64 C64]);
export!(@one tpttr, i32, cublasStpttr, [F32], (h ptr, fill opt, n int, packed ptr, a ptr, lda int));
export!(@one tpttr, i32, cublasDtpttr, [F64], (h ptr, fill opt, n int, packed ptr, a ptr, lda int));
export!(@one tpttr, i32, cublasCtpttr, [C32], (h ptr, fill opt, n int, packed ptr, a ptr, lda int));
export!(@one tpttr, i32, cublasZtpttr, [C64], (h ptr, fill opt, n int, packed ptr, a ptr, lda int));
export!(@one trttp, i32, cublasStrttp, [F32], (h ptr, fill opt, n int, a ptr, lda int, packed ptr));
export!(@one trttp, i32, cublasDtrttp, [F64], (h ptr, fill opt, n int, a ptr, lda int, packed ptr));
export!(@one trttp, i32, cublasCtrttp, [C32], (h ptr, fill opt, n int, a ptr, lda int, packed ptr));
export!(@one trttp, i32, cublasZtrttp, [C64], (h ptr, fill opt, n int, a ptr, lda int, packed ptr));
