//! Level 3 except gemm: sums, row and column scaling, products with symmetric, Hermitian and triangular matrices, rank updates of a triangle,
//! and triangular systems.

use crate::factored::{Triangle, solve};
use crate::gemm::{Batch, product};
use crate::handle::Scalar;
use crate::kind::{ElementType, Number, add, export, is_double, mul};
use crate::matrix::{Dense, Layout, Matrix, Operation, Stored, Unstored, after, columns};
use crate::{Result, Status, handle};
use lanework_standin::submit;

/// `C = alpha op(A) + beta op(B)`.
unsafe fn geam(
    [kind]: [ElementType; 1],
    [handle, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc]: [i64; 13],
) -> Result {
    let held = handle::get(handle)?;
    let [ta, tb] = [Operation::of(ta as i32)?, Operation::of(tb as i32)?];
    // SAFETY: by `export`'s contract, `alpha` and `beta` are null or, in host pointer mode, valid for a scalar.
    let scalars = unsafe { [held.scalar(alpha, kind)?, held.scalar(beta, kind)?] };
    let c = Matrix::by_columns(c as usize, kind, m, n, ldc)?;
    // A term with a host scalar of 0 is not read, so its matrix may be absent.
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
    [kind]: [ElementType; 1],
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

/// `C = alpha op(A) op(A)^T + beta C`, reading and writing one triangle of C; `hermitian` conjugates.
unsafe fn rank_update(
    [kind, scale]: [ElementType; 2],
    hermitian: bool,
    [handle, triangle, operation, n, k, alpha, a, lda, beta, c, ldc]: [i64; 11],
) -> Result {
    let held = handle::get(handle)?;
    let given = Operation::of(operation as i32)?;
    let first =
        Operation { transposed: given.transposed, conjugated: hermitian && given.transposed };
    let second =
        Operation { transposed: !given.transposed, conjugated: hermitian && !given.transposed };
    // SAFETY: by `export`'s contract, `alpha` and `beta` are null or, in host pointer mode, valid for a scalar.
    let scalars = unsafe { [held.scalar(alpha, scale)?, held.scalar(beta, scale)?] };
    let a = Matrix::factor(a as usize, kind, first, n, k, lda)?;
    let c = Matrix::by_columns(c as usize, kind, n, n, ldc)?;
    submit(held.stream, move || {
        let scalars = [scalars[0].value()?, scalars[1].value()?];
        let (left, right, before) = ((a, first, "A"), (a, second, "A"), c.read("C")?);
        let mut after =
            product(&left, &right, scalars, Some(&before), is_double(kind), kind.is_complex)?;
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

unsafe fn syrk([kind]: [ElementType; 1], arguments: [i64; 11]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { rank_update([kind, kind], false, arguments) }
}

unsafe fn herk(kinds: [ElementType; 2], arguments: [i64; 11]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { rank_update(kinds, true, arguments) }
}

/// Solves `op(A) X = alpha B` (left) or `X op(A) = alpha B` (right) for each system of a batch. X overwrites B.
unsafe fn solve_all(
    kind: ElementType,
    batch: Batch,
    count: i64,
    [handle, side, triangle, operation, unit, m, n, alpha, a, lda, b, ldb]: [i64; 12],
) -> Result {
    let held = handle::get(handle)?;
    let operation = Operation::of(operation as i32)?;
    let count = usize::try_from(count).map_err(|_| Status::InvalidValue)?;
    // SAFETY: by `export`'s contract, `alpha` is null or, in host pointer mode, valid for a scalar.
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

unsafe fn trsm([kind]: [ElementType; 1], arguments: [i64; 12]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { solve_all(kind, Batch::Strided(0), 1, arguments) }
}

unsafe fn trsm_batched(
    [kind]: [ElementType; 1],
    [h, side, triangle, t, unit, m, n, alpha, a, lda, b, ldb, count]: [i64; 13],
) -> Result {
    let each = [h, side, triangle, t, unit, m, n, alpha, a, lda, b, ldb];
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
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

/// `C = alpha A B + beta C` (left) or `alpha B A + beta C`, with one stored triangle of A.
unsafe fn with_symmetric(
    kind: ElementType,
    other: Unstored,
    [h, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc]: [i64; 13],
) -> Result {
    let held = handle::get(h)?;
    let order = if side == 0 { m } else { n };
    let a = Stored::triangle(a, kind, fill, order, Layout::Columns(lda), other)?;
    let (b, c) = (columns(b, kind, m, n, ldb)?, columns(c, kind, m, n, ldc)?);
    // SAFETY: by `export`'s contract, `alpha` and `beta` are null or, in host pointer mode, valid for a scalar.
    let scalars = unsafe { [held.scalar(alpha, kind)?, held.scalar(beta, kind)?] };
    submit(held.stream, move || {
        let scalars = [scalars[0].value()?, scalars[1].value()?];
        let (dense, b) = (a.read(false, "A")?, b.read("B")?);
        let [left, right] = if side == 0 { [&dense, &b] } else { [&b, &dense] };
        let before = if scalars[1] == [0.0; 2] { None } else { Some(c.read("C")?) };
        let (double, complex) = (is_double(kind), kind.is_complex);
        c.write(&product(left, right, scalars, before.as_ref(), double, complex)?, "C")
    })
}

unsafe fn symm([kind]: [ElementType; 1], arguments: [i64; 13]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { with_symmetric(kind, Unstored::Mirrored, arguments) }
}

unsafe fn hemm([kind]: [ElementType; 1], arguments: [i64; 13]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { with_symmetric(kind, Unstored::Conjugated, arguments) }
}

/// `C = alpha op(A) B` (left) or `alpha B op(A)`, where A is triangular.
unsafe fn trmm(
    [kind]: [ElementType; 1],
    [h, side, fill, t, unit, m, n, alpha, a, lda, b, ldb, c, ldc]: [i64; 14],
) -> Result {
    let (held, operation) = (handle::get(h)?, Operation::of(t as i32)?);
    let order = if side == 0 { m } else { n };
    let a = Stored::triangle(a, kind, fill, order, Layout::Columns(lda), Unstored::Zero)?;
    let (b, c) = (columns(b, kind, m, n, ldb)?, columns(c, kind, m, n, ldc)?);
    // SAFETY: by `export`'s contract, `alpha` is null or, in host pointer mode, valid for a scalar.
    let alpha = unsafe { held.scalar(alpha, kind)? };
    submit(held.stream, move || {
        let (dense, b) = (after(a.read(unit == 1, "A")?, operation), b.read("B")?);
        let [left, right] = if side == 0 { [&dense, &b] } else { [&b, &dense] };
        let scalars = [alpha.value()?, [0.0; 2]];
        c.write(&product(left, right, scalars, None, is_double(kind), kind.is_complex)?, "C")
    })
}

/// Updates a triangle: `C = alpha op(A) op(B)' + beta C`. `both` adds the same with A and B exchanged and alpha conjugated. `'` transposes,
/// and conjugates if C is Hermitian.
unsafe fn two_factors(
    [kind, scale]: [ElementType; 2],
    other: Unstored,
    both: bool,
    [h, fill, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc]: [i64; 13],
) -> Result {
    let (held, given) = (handle::get(h)?, Operation::of(t as i32)?);
    let hermitian = other == Unstored::Conjugated;
    let first =
        Operation { transposed: given.transposed, conjugated: hermitian && given.transposed };
    let across = Operation { transposed: true, conjugated: hermitian };
    let a = Matrix::factor(a as usize, kind, first, n, k, lda)?;
    let b = Matrix::factor(b as usize, kind, first, n, k, ldb)?;
    let c = Stored::triangle(c, kind, fill, n, Layout::Columns(ldc), other)?;
    // SAFETY: by `export`'s contract, `alpha` and `beta` are null or, in host pointer mode, valid for a scalar.
    let scalars = unsafe { [held.scalar(alpha, kind)?, held.scalar(beta, scale)?] };
    submit(held.stream, move || {
        let [alpha, beta] = [scalars[0].value()?, scalars[1].value()?];
        let (a, b) = (a.read_as(first, "A")?, b.read_as(first, "B")?);
        let (double, complex) = (is_double(kind), kind.is_complex);
        let part =
            |left: &Dense, right: &Dense, alpha: Number, beta: Number, before: Option<&Dense>| {
                product(left, &after(right.clone(), across), [alpha, beta], before, double, complex)
            };
        let before = if beta == [0.0; 2] { None } else { Some(c.read(false, "C")?) };
        let mut sum = part(&a, &b, alpha, beta, before.as_ref())?;
        if both {
            let alpha = [alpha[0], if hermitian { -alpha[1] } else { alpha[1] }];
            let more = part(&b, &a, alpha, [0.0; 2], None)?;
            sum.elements.iter_mut().zip(more.elements).for_each(|(to, more)| *to = add(*to, more));
        }
        c.write(&sum, "C")
    })
}

unsafe fn syr2k([kind]: [ElementType; 1], arguments: [i64; 13]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { two_factors([kind; 2], Unstored::Mirrored, true, arguments) }
}

unsafe fn her2k(kinds: [ElementType; 2], arguments: [i64; 13]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { two_factors(kinds, Unstored::Conjugated, true, arguments) }
}

unsafe fn syrkx([kind]: [ElementType; 1], arguments: [i64; 13]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { two_factors([kind; 2], Unstored::Mirrored, false, arguments) }
}

unsafe fn herkx(kinds: [ElementType; 2], arguments: [i64; 13]) -> Result {
    // SAFETY: the arguments are passed on unchanged, so `export`'s contract for them still holds.
    unsafe { two_factors(kinds, Unstored::Conjugated, false, arguments) }
}

export!(symm, (h ptr, side opt, fill opt, m int, n int, alpha ptr, a ptr, lda int, b ptr, ldb int, beta ptr, c ptr, ldc int):
    [cublasSsymm_v2 cublasSsymm_v2_64 F32] [cublasDsymm_v2 cublasDsymm_v2_64 F64] [cublasCsymm_v2 cublasCsymm_v2_64 C32] [cublasZsymm_v2 cublasZsymm_v2_64 C64]);
export!(hemm, (h ptr, side opt, fill opt, m int, n int, alpha ptr, a ptr, lda int, b ptr, ldb int, beta ptr, c ptr, ldc int):
    [cublasChemm_v2 cublasChemm_v2_64 C32] [cublasZhemm_v2 cublasZhemm_v2_64 C64]);
export!(trmm, (h ptr, side opt, fill opt, t opt, unit opt, m int, n int, alpha ptr, a ptr, lda int, b ptr, ldb int, c ptr, ldc int):
    [cublasStrmm_v2 cublasStrmm_v2_64 F32] [cublasDtrmm_v2 cublasDtrmm_v2_64 F64] [cublasCtrmm_v2 cublasCtrmm_v2_64 C32] [cublasZtrmm_v2 cublasZtrmm_v2_64 C64]);
export!(syr2k, (h ptr, fill opt, t opt, n int, k int, alpha ptr, a ptr, lda int, b ptr, ldb int, beta ptr, c ptr, ldc int):
    [cublasSsyr2k_v2 cublasSsyr2k_v2_64 F32] [cublasDsyr2k_v2 cublasDsyr2k_v2_64 F64] [cublasCsyr2k_v2 cublasCsyr2k_v2_64 C32] [cublasZsyr2k_v2 cublasZsyr2k_v2_64 C64]);
export!(her2k, (h ptr, fill opt, t opt, n int, k int, alpha ptr, a ptr, lda int, b ptr, ldb int, beta ptr, c ptr, ldc int):
    [cublasCher2k_v2 cublasCher2k_v2_64 C32 F32] [cublasZher2k_v2 cublasZher2k_v2_64 C64 F64]);
export!(syrkx, (h ptr, fill opt, t opt, n int, k int, alpha ptr, a ptr, lda int, b ptr, ldb int, beta ptr, c ptr, ldc int):
    [cublasSsyrkx cublasSsyrkx_64 F32] [cublasDsyrkx cublasDsyrkx_64 F64] [cublasCsyrkx cublasCsyrkx_64 C32] [cublasZsyrkx cublasZsyrkx_64 C64]);
export!(herkx, (h ptr, fill opt, t opt, n int, k int, alpha ptr, a ptr, lda int, b ptr, ldb int, beta ptr, c ptr, ldc int):
    [cublasCherkx cublasCherkx_64 C32 F32] [cublasZherkx cublasZherkx_64 C64 F64]);
