//! Products with a symmetric, Hermitian or triangular matrix, and updates of a triangle by two factors (level 3).

use crate::export::export;
use crate::handle;
use crate::kind::{Kind, Number, add};
use crate::matrix::{Dense, Matrix, Operation};
use crate::product::product;
use crate::status::Result;
use crate::stored::{Layout, Other, Stored, after, columns};
use lanework_standin::submit;

/// `C = alpha A B + beta C` (left) or `alpha B A + beta C`, A with a stored triangle.
unsafe fn with_symmetric(
    kind: Kind,
    other: Other,
    [h, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc]: [i64; 13],
) -> Result {
    let held = handle::get(h)?;
    let order = if side == 0 { m } else { n };
    let a = Stored::triangle(a, kind, fill, order, Layout::Columns(lda), other)?;
    let (b, c) = (columns(b, kind, m, n, ldb)?, columns(c, kind, m, n, ldc)?);
    // SAFETY: by the caller.
    let scalars = unsafe { [held.scalar(alpha, kind)?, held.scalar(beta, kind)?] };
    submit(held.stream, move || {
        let scalars = [scalars[0].value()?, scalars[1].value()?];
        let (dense, b) = (a.read(false, "A")?, b.read("B")?);
        let [left, right] = if side == 0 { [&dense, &b] } else { [&b, &dense] };
        let before = if scalars[1] == [0.0; 2] { None } else { Some(c.read("C")?) };
        let (double, complex) = (kind.is_double(), kind.is_complex());
        c.write(&product(left, right, scalars, before.as_ref(), double, complex), "C")
    })
}

unsafe fn symm([kind]: [Kind; 1], arguments: [i64; 13]) -> Result {
    // SAFETY: by the caller.
    unsafe { with_symmetric(kind, Other::Mirrored, arguments) }
}

unsafe fn hemm([kind]: [Kind; 1], arguments: [i64; 13]) -> Result {
    // SAFETY: by the caller.
    unsafe { with_symmetric(kind, Other::Conjugated, arguments) }
}

/// `C = alpha op(A) B` (left) or `alpha B op(A)`, A a triangle.
unsafe fn trmm(
    [kind]: [Kind; 1],
    [h, side, fill, t, unit, m, n, alpha, a, lda, b, ldb, c, ldc]: [i64; 14],
) -> Result {
    let (held, operation) = (handle::get(h)?, Operation::of(t as i32)?);
    let order = if side == 0 { m } else { n };
    let a = Stored::triangle(a, kind, fill, order, Layout::Columns(lda), Other::Zero)?;
    let (b, c) = (columns(b, kind, m, n, ldb)?, columns(c, kind, m, n, ldc)?);
    // SAFETY: by the caller.
    let alpha = unsafe { held.scalar(alpha, kind)? };
    submit(held.stream, move || {
        let (dense, b) = (after(a.read(unit == 1, "A")?, operation), b.read("B")?);
        let [left, right] = if side == 0 { [&dense, &b] } else { [&b, &dense] };
        let scalars = [alpha.value()?, [0.0; 2]];
        c.write(&product(left, right, scalars, None, kind.is_double(), kind.is_complex()), "C")
    })
}

/// `C = alpha op(A) op(B)' + beta C` of a triangle, and with `both` the same with A and B exchanged and alpha's conjugate; `'` transposes, and
/// conjugates where C is Hermitian.
unsafe fn two_factors(
    [kind, scale]: [Kind; 2],
    other: Other,
    both: bool,
    [h, fill, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc]: [i64; 13],
) -> Result {
    let (held, given) = (handle::get(h)?, Operation::of(t as i32)?);
    let hermitian = other == Other::Conjugated;
    let first =
        Operation { transposed: given.transposed, conjugated: hermitian && given.transposed };
    let across = Operation { transposed: true, conjugated: hermitian };
    let a = Matrix::factor(a as usize, kind, first, n, k, lda)?;
    let b = Matrix::factor(b as usize, kind, first, n, k, ldb)?;
    let c = Stored::triangle(c, kind, fill, n, Layout::Columns(ldc), other)?;
    // SAFETY: by the caller.
    let scalars = unsafe { [held.scalar(alpha, kind)?, held.scalar(beta, scale)?] };
    submit(held.stream, move || {
        let [alpha, beta] = [scalars[0].value()?, scalars[1].value()?];
        let (a, b) = (a.read_as(first, "A")?, b.read_as(first, "B")?);
        let (double, complex) = (kind.is_double(), kind.is_complex());
        let part =
            |left: &Dense, right: &Dense, alpha: Number, beta: Number, before: Option<&Dense>| {
                product(left, &after(right.clone(), across), [alpha, beta], before, double, complex)
            };
        let before = if beta == [0.0; 2] { None } else { Some(c.read(false, "C")?) };
        let mut sum = part(&a, &b, alpha, beta, before.as_ref());
        if both {
            let alpha = [alpha[0], if hermitian { -alpha[1] } else { alpha[1] }];
            let more = part(&b, &a, alpha, [0.0; 2], None);
            sum.elements.iter_mut().zip(more.elements).for_each(|(to, more)| *to = add(*to, more));
        }
        c.write(&sum, "C")
    })
}

unsafe fn syr2k([kind]: [Kind; 1], arguments: [i64; 13]) -> Result {
    // SAFETY: by the caller.
    unsafe { two_factors([kind; 2], Other::Mirrored, true, arguments) }
}

unsafe fn her2k(kinds: [Kind; 2], arguments: [i64; 13]) -> Result {
    // SAFETY: by the caller.
    unsafe { two_factors(kinds, Other::Conjugated, true, arguments) }
}

unsafe fn syrkx([kind]: [Kind; 1], arguments: [i64; 13]) -> Result {
    // SAFETY: by the caller.
    unsafe { two_factors([kind; 2], Other::Mirrored, false, arguments) }
}

unsafe fn herkx(kinds: [Kind; 2], arguments: [i64; 13]) -> Result {
    // SAFETY: by the caller.
    unsafe { two_factors(kinds, Other::Conjugated, false, arguments) }
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
