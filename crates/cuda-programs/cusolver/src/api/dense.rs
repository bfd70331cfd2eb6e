//! The functions whose names contain the element type: S, D, C and Z.

use crate::algorithms::factor::Transposition;
use crate::handle::{sorts, stream};
use crate::matrix;
use crate::matrix::{DeviceMatrix, Element, size};
use crate::operations::{Call, Pivots, geqrf, getrf, getrs, orgqr, ormqr, potrf, potri, potrs};
use crate::spectra::{VectorOutputs, eigenvalues, singular_values, wanted};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Out, calls, store};

/// Reported size of every work area in elements: none is needed, but programs allocate the reported size.
pub const WORK: i32 = 1;

/// Whether `cublasFillMode_t` selects the upper triangle.
///
/// # Errors
/// If it is neither.
pub fn is_upper(fill: i32) -> Result<bool> {
    match fill {
        0 => Ok(false),
        1 => Ok(true),
        _ => refuse(Status::InvalidValue, &format!("{fill} is not a cublasFillMode_t")),
    }
}

/// The operation on a matrix (`cublasOperation_t`).
///
/// # Errors
/// If the value is unknown.
pub fn form(operation: i32) -> Result<Transposition> {
    match operation {
        0 => Ok(Transposition::Plain),
        1 => Ok(Transposition::Transposed),
        2 => Ok(Transposition::Adjoint),
        _ => refuse(Status::InvalidValue, &format!("{operation} is not a cublasOperation_t")),
    }
}

/// Whether `cusolverEigMode_t` requests vectors.
///
/// # Errors
/// If the value is unknown.
pub fn has_vectors(mode: i32) -> Result<bool> {
    match mode {
        0 => Ok(false),
        1 => Ok(true),
        _ => refuse(Status::InvalidValue, &format!("{mode} is not a cusolverEigMode_t")),
    }
}

/// A call with a handle.
pub fn call(element: Element, handle: usize, info: usize) -> Result<Call> {
    Ok(Call { element, stream: stream(handle)?, info })
}

/// Checks the handle and stores the size of a work area.
fn work(handle: usize, to: Out<'_, i32>) -> Result {
    stream(handle)?;
    store(to, WORK)
}

/// Outputs of `gesvdj`: both sides or none. Each side is complete, or has only as many vectors as there are values.
pub fn both_sides(
    vectors: bool,
    economic: bool,
    a: DeviceMatrix,
    [u, v]: [(usize, i64); 2],
) -> Result<VectorOutputs> {
    if !vectors {
        return Ok(VectorOutputs { left: None, right: None, adjoint: false });
    }
    let (rows, columns) = (a.rows as i64, a.columns as i64);
    let [left, right] = if economic { [rows.min(columns); 2] } else { [rows, columns] };
    Ok(VectorOutputs {
        left: Some(DeviceMatrix::new(u.0, rows, left, u.1)?),
        right: Some(DeviceMatrix::new(v.0, columns, right, v.1)?),
        adjoint: false,
    })
}

macro_rules! dense {
    ($($element:ident: $potrf_size:ident $potrf:ident $potrs:ident $potri_size:ident $potri:ident $getrf_size:ident $getrf:ident $getrs:ident
        $geqrf_size:ident $geqrf:ident $orgqr_size:ident $orgqr:ident $ormqr_size:ident $ormqr:ident $syevd_size:ident $syevd:ident
        $syevj_size:ident $syevj:ident $gesvd_size:ident $gesvd:ident $gesvdj_size:ident $gesvdj:ident;)*) => {
        calls! { "cuSOLVER", Status; $(
            fn $potrf_size(handle: usize, _fill: i32, _n: i32, _a: usize, _lda: i32, to: Out<'_, i32>) {
                work(handle, to)
            }
            fn $potrf(handle: usize, fill: i32, n: i32, a: usize, lda: i32, _work: usize, _length: i32, info: usize) {
                let a = DeviceMatrix::square(a, n.into(), lda.into())?;
                potrf(call(matrix::$element, handle, info)?, is_upper(fill)?, a)
            }
            fn $potrs(handle: usize, fill: i32, n: i32, columns: i32, a: usize, lda: i32, b: usize, ldb: i32, info: usize) {
                let (a, b) = (DeviceMatrix::square(a, n.into(), lda.into())?, DeviceMatrix::new(b, n.into(), columns.into(), ldb.into())?);
                potrs(call(matrix::$element, handle, info)?, is_upper(fill)?, a, b)
            }
            fn $potri_size(handle: usize, _fill: i32, _n: i32, _a: usize, _lda: i32, to: Out<'_, i32>) {
                work(handle, to)
            }
            fn $potri(handle: usize, fill: i32, n: i32, a: usize, lda: i32, _work: usize, _length: i32, info: usize) {
                let a = DeviceMatrix::square(a, n.into(), lda.into())?;
                potri(call(matrix::$element, handle, info)?, is_upper(fill)?, a)
            }
            fn $getrf_size(handle: usize, _m: i32, _n: i32, _a: usize, _lda: i32, to: Out<'_, i32>) {
                work(handle, to)
            }
            fn $getrf(handle: usize, m: i32, n: i32, a: usize, lda: i32, _work: usize, pivots: usize, info: usize) {
                let a = DeviceMatrix::new(a, m.into(), n.into(), lda.into())?;
                getrf(call(matrix::$element, handle, info)?, a, Pivots { at: pivots, wide: false })
            }
            fn $getrs(handle: usize, operation: i32, n: i32, columns: i32, a: usize, lda: i32, pivots: usize, b: usize, ldb: i32, info: usize) {
                let (a, b) = (DeviceMatrix::square(a, n.into(), lda.into())?, DeviceMatrix::new(b, n.into(), columns.into(), ldb.into())?);
                getrs(call(matrix::$element, handle, info)?, form(operation)?, a, Pivots { at: pivots, wide: false }, b)
            }
            fn $geqrf_size(handle: usize, _m: i32, _n: i32, _a: usize, _lda: i32, to: Out<'_, i32>) {
                work(handle, to)
            }
            fn $geqrf(handle: usize, m: i32, n: i32, a: usize, lda: i32, tau: usize, _work: usize, _length: i32, info: usize) {
                let a = DeviceMatrix::new(a, m.into(), n.into(), lda.into())?;
                geqrf(call(matrix::$element, handle, info)?, a, tau)
            }
            fn $orgqr_size(handle: usize, _m: i32, _n: i32, _k: i32, _a: usize, _lda: i32, _tau: usize, to: Out<'_, i32>) {
                work(handle, to)
            }
            fn $orgqr(handle: usize, m: i32, n: i32, k: i32, a: usize, lda: i32, tau: usize, _work: usize, _length: i32, info: usize) {
                let a = DeviceMatrix::new(a, m.into(), n.into(), lda.into())?;
                orgqr(call(matrix::$element, handle, info)?, a, size(k.into(), "the number of reflections")?, tau)
            }
            fn $ormqr_size(handle: usize, _side: i32, _operation: i32, _m: i32, _n: i32, _k: i32, _a: usize, _lda: i32, _tau: usize, _c: usize, _ldc: i32, to: Out<'_, i32>) {
                work(handle, to)
            }
            fn $ormqr(handle: usize, side: i32, operation: i32, m: i32, n: i32, k: i32, a: usize, lda: i32, tau: usize, c: usize, ldc: i32, _work: usize, _length: i32, info: usize) {
                if !matches!(side, 0 | 1) {
                    return refuse(Status::InvalidValue, &format!("{side} is neither left nor right"));
                }
                let right = side == 1;
                let a = DeviceMatrix::new(a, if right { n } else { m }.into(), k.into(), lda.into())?;
                let c = DeviceMatrix::new(c, m.into(), n.into(), ldc.into())?;
                ormqr(call(matrix::$element, handle, info)?, right, form(operation)?, a, tau, c)
            }
            fn $syevd_size(handle: usize, _mode: i32, _fill: i32, _n: i32, _a: usize, _lda: i32, _values: usize, to: Out<'_, i32>) {
                work(handle, to)
            }
            fn $syevd(handle: usize, mode: i32, fill: i32, n: i32, a: usize, lda: i32, values: usize, _work: usize, _length: i32, info: usize) {
                let a = DeviceMatrix::square(a, n.into(), lda.into())?;
                eigenvalues(call(matrix::$element, handle, info)?, has_vectors(mode)?, is_upper(fill)?, a, values)
            }
            fn $syevj_size(handle: usize, _mode: i32, _fill: i32, _n: i32, _a: usize, _lda: i32, _values: usize, to: Out<'_, i32>, _settings: usize) {
                work(handle, to)
            }
            fn $syevj(handle: usize, mode: i32, fill: i32, n: i32, a: usize, lda: i32, values: usize, _work: usize, _length: i32, info: usize, settings: usize) {
                sorts(settings)?;
                let a = DeviceMatrix::square(a, n.into(), lda.into())?;
                eigenvalues(call(matrix::$element, handle, info)?, has_vectors(mode)?, is_upper(fill)?, a, values)
            }
            fn $gesvd_size(handle: usize, _m: i32, _n: i32, to: Out<'_, i32>) {
                work(handle, to)
            }
            fn $gesvd(handle: usize, left: i8, right: i8, m: i32, n: i32, a: usize, lda: i32, values: usize, u: usize, ldu: i32, vt: usize, ldvt: i32, _work: usize, _length: i32, _real: usize, info: usize) {
                let a = DeviceMatrix::new(a, m.into(), n.into(), lda.into())?;
                let wanted = wanted([left, right], a, [(u, ldu.into()), (vt, ldvt.into())])?;
                singular_values(call(matrix::$element, handle, info)?, a, values, wanted)
            }
            fn $gesvdj_size(handle: usize, _mode: i32, _economic: i32, _m: i32, _n: i32, _a: usize, _lda: i32, _values: usize, _u: usize, _ldu: i32, _v: usize, _ldv: i32, to: Out<'_, i32>, _settings: usize) {
                work(handle, to)
            }
            fn $gesvdj(handle: usize, mode: i32, economic: i32, m: i32, n: i32, a: usize, lda: i32, values: usize, u: usize, ldu: i32, v: usize, ldv: i32, _work: usize, _length: i32, info: usize, settings: usize) {
                sorts(settings)?;
                let a = DeviceMatrix::new(a, m.into(), n.into(), lda.into())?;
                let wanted = both_sides(has_vectors(mode)?, economic != 0, a, [(u, ldu.into()), (v, ldv.into())])?;
                singular_values(call(matrix::$element, handle, info)?, a, values, wanted)
            }
        )* }
    };
}

dense! {
    S: cusolverDnSpotrf_bufferSize cusolverDnSpotrf cusolverDnSpotrs cusolverDnSpotri_bufferSize cusolverDnSpotri
        cusolverDnSgetrf_bufferSize cusolverDnSgetrf cusolverDnSgetrs cusolverDnSgeqrf_bufferSize cusolverDnSgeqrf
        cusolverDnSorgqr_bufferSize cusolverDnSorgqr cusolverDnSormqr_bufferSize cusolverDnSormqr cusolverDnSsyevd_bufferSize
        cusolverDnSsyevd cusolverDnSsyevj_bufferSize cusolverDnSsyevj cusolverDnSgesvd_bufferSize cusolverDnSgesvd
        cusolverDnSgesvdj_bufferSize cusolverDnSgesvdj;
    D: cusolverDnDpotrf_bufferSize cusolverDnDpotrf cusolverDnDpotrs cusolverDnDpotri_bufferSize cusolverDnDpotri
        cusolverDnDgetrf_bufferSize cusolverDnDgetrf cusolverDnDgetrs cusolverDnDgeqrf_bufferSize cusolverDnDgeqrf
        cusolverDnDorgqr_bufferSize cusolverDnDorgqr cusolverDnDormqr_bufferSize cusolverDnDormqr cusolverDnDsyevd_bufferSize
        cusolverDnDsyevd cusolverDnDsyevj_bufferSize cusolverDnDsyevj cusolverDnDgesvd_bufferSize cusolverDnDgesvd
        cusolverDnDgesvdj_bufferSize cusolverDnDgesvdj;
    C: cusolverDnCpotrf_bufferSize cusolverDnCpotrf cusolverDnCpotrs cusolverDnCpotri_bufferSize cusolverDnCpotri
        cusolverDnCgetrf_bufferSize cusolverDnCgetrf cusolverDnCgetrs cusolverDnCgeqrf_bufferSize cusolverDnCgeqrf
        cusolverDnCungqr_bufferSize cusolverDnCungqr cusolverDnCunmqr_bufferSize cusolverDnCunmqr cusolverDnCheevd_bufferSize
        cusolverDnCheevd cusolverDnCheevj_bufferSize cusolverDnCheevj cusolverDnCgesvd_bufferSize cusolverDnCgesvd
        cusolverDnCgesvdj_bufferSize cusolverDnCgesvdj;
    Z: cusolverDnZpotrf_bufferSize cusolverDnZpotrf cusolverDnZpotrs cusolverDnZpotri_bufferSize cusolverDnZpotri
        cusolverDnZgetrf_bufferSize cusolverDnZgetrf cusolverDnZgetrs cusolverDnZgeqrf_bufferSize cusolverDnZgeqrf
        cusolverDnZungqr_bufferSize cusolverDnZungqr cusolverDnZunmqr_bufferSize cusolverDnZunmqr cusolverDnZheevd_bufferSize
        cusolverDnZheevd cusolverDnZheevj_bufferSize cusolverDnZheevj cusolverDnZgesvd_bufferSize cusolverDnZgesvd
        cusolverDnZgesvdj_bufferSize cusolverDnZgesvdj;
}
