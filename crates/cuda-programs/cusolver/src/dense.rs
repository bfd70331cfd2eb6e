//! The functions for dense matrices, by name: those with the element type in the name (S, D, C and Z); batched ones, whose
//! matrices have a constant stride or are given by a list of pointers; and the generic ones, which take types as
//! `cudaDataType` and 64-bit sizes.

use crate::algorithms::factor::Transposition;
use crate::handle::{sorts, stream};
use crate::matrix::{self, DeviceMatrix, Element, element as element_of, size};
use crate::operations::{Call, Pivots, geqrf, getrf, getrs, orgqr, ormqr, potrf, potri, potrs};
use crate::spectra::{
    Values, VectorOutputs, eigenvalues, general_eigenvalues, singular_values, wanted,
};
use crate::{Result, Status, refuse};
use lanework_standin::{Memory, Out, calls, is_captured, store};

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

/// Reads a list of matrix addresses.
///
/// # Errors
/// If the stream is captured, because the list is read during the call.
fn addresses(call: Call, at: usize, count: usize) -> Result<Vec<usize>> {
    if is_captured(call.stream)? {
        return refuse(
            Status::NotSupported,
            "batches by pointers cannot be captured; call them outside the graph",
        );
    }
    let bytes = Memory { at, bytes: 8 * count }.read("the pointers to matrices")?;
    let address = |bytes: &[u8]| {
        let mut own = [0; 8];
        own.copy_from_slice(bytes);
        u64::from_le_bytes(own) as usize
    };
    Ok(bytes.chunks_exact(8).map(address).collect())
}

impl Call {
    /// The call for one matrix of a batch, with its own `devInfo`.
    pub fn of(self, number: usize) -> Call {
        Call { info: if self.info == 0 { 0 } else { self.info + 4 * number }, ..self }
    }
}

macro_rules! batches {
    ($($element:ident: $potrf:ident $potrs:ident $syevj_size:ident $syevj:ident $gesvdj_size:ident $gesvdj:ident;)*) => {
        calls! { "cuSOLVER", Status; $(
            fn $potrf(handle: usize, fill: i32, n: i32, matrices: usize, lda: i32, info: usize, count: i32) {
                let (call, upper) = (call(matrix::$element, handle, info)?, is_upper(fill)?);
                let all = addresses(call, matrices, size(count.into(), "the number of matrices")?)?;
                all.iter().enumerate().try_for_each(|(number, at)| {
                    potrf(call.of(number), upper, DeviceMatrix::square(*at, n.into(), lda.into())?)
                })
            }
            fn $potrs(handle: usize, fill: i32, n: i32, columns: i32, matrices: usize, lda: i32, others: usize, ldb: i32, info: usize, count: i32) {
                let (call, upper) = (call(matrix::$element, handle, info)?, is_upper(fill)?);
                let count = size(count.into(), "the number of matrices")?;
                let (all, others) = (addresses(call, matrices, count)?, addresses(call, others, count)?);
                all.iter().zip(others).try_for_each(|(a, b)| {
                    let a = DeviceMatrix::square(*a, n.into(), lda.into())?;
                    potrs(call, upper, a, DeviceMatrix::new(b, n.into(), columns.into(), ldb.into())?)
                })
            }
            fn $syevj_size(handle: usize, _mode: i32, _fill: i32, _n: i32, _a: usize, _lda: i32, _values: usize, to: Out<'_, i32>, _settings: usize, _count: i32) {
                stream(handle)?;
                store(to, WORK)
            }
            fn $syevj(handle: usize, mode: i32, fill: i32, n: i32, a: usize, lda: i32, values: usize, _work: usize, _length: i32, info: usize, settings: usize, count: i32) {
                sorts(settings)?;
                let (call, a) = (call(matrix::$element, handle, info)?, DeviceMatrix::square(a, n.into(), lda.into())?);
                let (vectors, upper) = (has_vectors(mode)?, is_upper(fill)?);
                (0..size(count.into(), "the number of matrices")?).try_for_each(|number| {
                    let values = values + number * a.rows * call.element.real().bytes();
                    eigenvalues(call.of(number), vectors, upper, a.after(call.element, number), values)
                })
            }
            fn $gesvdj_size(handle: usize, _mode: i32, _m: i32, _n: i32, _a: usize, _lda: i32, _values: usize, _u: usize, _ldu: i32, _v: usize, _ldv: i32, to: Out<'_, i32>, _settings: usize, _count: i32) {
                stream(handle)?;
                store(to, WORK)
            }
            fn $gesvdj(handle: usize, mode: i32, m: i32, n: i32, a: usize, lda: i32, values: usize, u: usize, ldu: i32, v: usize, ldv: i32, _work: usize, _length: i32, info: usize, settings: usize, count: i32) {
                sorts(settings)?;
                let (call, a) = (call(matrix::$element, handle, info)?, DeviceMatrix::new(a, m.into(), n.into(), lda.into())?);
                let all = both_sides(has_vectors(mode)?, false, a, [(u, ldu.into()), (v, ldv.into())])?;
                (0..size(count.into(), "the number of matrices")?).try_for_each(|number| {
                    let values = values + number * a.rows.min(a.columns) * call.element.real().bytes();
                    let mut wanted = all;
                    wanted.left = wanted.left.map(|place| place.after(call.element, number));
                    wanted.right = wanted.right.map(|place| place.after(call.element, number));
                    singular_values(call.of(number), a.after(call.element, number), values, wanted)
                })
            }
        )* }
    };
}

batches! {
    S: cusolverDnSpotrfBatched cusolverDnSpotrsBatched cusolverDnSsyevjBatched_bufferSize cusolverDnSsyevjBatched
        cusolverDnSgesvdjBatched_bufferSize cusolverDnSgesvdjBatched;
    D: cusolverDnDpotrfBatched cusolverDnDpotrsBatched cusolverDnDsyevjBatched_bufferSize cusolverDnDsyevjBatched
        cusolverDnDgesvdjBatched_bufferSize cusolverDnDgesvdjBatched;
    C: cusolverDnCpotrfBatched cusolverDnCpotrsBatched cusolverDnCheevjBatched_bufferSize cusolverDnCheevjBatched
        cusolverDnCgesvdjBatched_bufferSize cusolverDnCgesvdjBatched;
    Z: cusolverDnZpotrfBatched cusolverDnZpotrsBatched cusolverDnZheevjBatched_bufferSize cusolverDnZheevjBatched
        cusolverDnZgesvdjBatched_bufferSize cusolverDnZgesvdjBatched;
}

/// A call on matrices of one type. `others` must be of the same type, and `real` of its real type.
fn same(handle: usize, info: usize, code: i32, others: &[i32], real: &[i32]) -> Result<Call> {
    let element = element_of(code)?;
    for other in others {
        if element_of(*other)? != element {
            return refuse(Status::NotSupported, "matrices of different types are not supported");
        }
    }
    for other in real {
        if element_of(*other)? != element.real() {
            return refuse(
                Status::NotSupported,
                "values of another precision than the matrix are not supported",
            );
        }
    }
    call(element, handle, info)
}

/// Stores the sizes of work areas; none is needed.
fn work_areas(handle: usize, device: Out<'_, usize>, host: Out<'_, usize>) -> Result {
    stream(handle)?;
    store::<_, Status>(device, 16)?;
    store(host, 16)
}

calls! { "cuSOLVER", Status;
    fn cusolverDnXgetrf_bufferSize(handle: usize, _options: usize, _m: i64, _n: i64, _type: i32, _a: usize, _lda: i64, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work_areas(handle, device, host)
    }
    fn cusolverDnXgetrf(handle: usize, _options: usize, m: i64, n: i64, code: i32, a: usize, lda: i64, pivots: usize, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize) {
        let pivots = Pivots { at: pivots, wide: true };
        getrf(same(handle, info, code, &[], &[])?, DeviceMatrix::new(a, m, n, lda)?, pivots)
    }
    fn cusolverDnXgetrs(handle: usize, _options: usize, operation: i32, n: i64, columns: i64, code: i32, a: usize, lda: i64, pivots: usize, code_b: i32, b: usize, ldb: i64, info: usize) {
        let (a, b) = (DeviceMatrix::square(a, n, lda)?, DeviceMatrix::new(b, n, columns, ldb)?);
        let pivots = Pivots { at: pivots, wide: true };
        getrs(same(handle, info, code, &[code_b], &[])?, form(operation)?, a, pivots, b)
    }
    fn cusolverDnXpotrf_bufferSize(handle: usize, _options: usize, _fill: i32, _n: i64, _type: i32, _a: usize, _lda: i64, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work_areas(handle, device, host)
    }
    fn cusolverDnXpotrf(handle: usize, _options: usize, fill: i32, n: i64, code: i32, a: usize, lda: i64, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize) {
        potrf(same(handle, info, code, &[], &[])?, is_upper(fill)?, DeviceMatrix::square(a, n, lda)?)
    }
    fn cusolverDnXpotrs(handle: usize, _options: usize, fill: i32, n: i64, columns: i64, code: i32, a: usize, lda: i64, code_b: i32, b: usize, ldb: i64, info: usize) {
        let (a, b) = (DeviceMatrix::square(a, n, lda)?, DeviceMatrix::new(b, n, columns, ldb)?);
        potrs(same(handle, info, code, &[code_b], &[])?, is_upper(fill)?, a, b)
    }
    fn cusolverDnXgeqrf_bufferSize(handle: usize, _options: usize, _m: i64, _n: i64, _type: i32, _a: usize, _lda: i64, _type_tau: i32, _tau: usize, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work_areas(handle, device, host)
    }
    fn cusolverDnXgeqrf(handle: usize, _options: usize, m: i64, n: i64, code: i32, a: usize, lda: i64, code_tau: i32, tau: usize, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize) {
        geqrf(same(handle, info, code, &[code_tau], &[])?, DeviceMatrix::new(a, m, n, lda)?, tau)
    }
    fn cusolverDnXsyevd_bufferSize(handle: usize, _options: usize, _mode: i32, _fill: i32, _n: i64, _type: i32, _a: usize, _lda: i64, _type_w: i32, _w: usize, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work_areas(handle, device, host)
    }
    fn cusolverDnXsyevd(handle: usize, _options: usize, mode: i32, fill: i32, n: i64, code: i32, a: usize, lda: i64, code_w: i32, values: usize, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize) {
        let call = same(handle, info, code, &[], &[code_w])?;
        eigenvalues(call, has_vectors(mode)?, is_upper(fill)?, DeviceMatrix::square(a, n, lda)?, values)
    }
    fn cusolverDnXsyevBatched_bufferSize(handle: usize, _options: usize, _mode: i32, _fill: i32, _n: i64, _type: i32, _a: usize, _lda: i64, _type_w: i32, _w: usize, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>, _count: i64) {
        work_areas(handle, device, host)
    }
    fn cusolverDnXsyevBatched(handle: usize, _options: usize, mode: i32, fill: i32, n: i64, code: i32, a: usize, lda: i64, code_w: i32, values: usize, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize, count: i64) {
        let call = same(handle, info, code, &[], &[code_w])?;
        let (a, vectors, upper) = (DeviceMatrix::square(a, n, lda)?, has_vectors(mode)?, is_upper(fill)?);
        (0..size(count, "the number of matrices")?).try_for_each(|number| {
            let values = values + number * a.rows * call.element.real().bytes();
            eigenvalues(call.of(number), vectors, upper, a.after(call.element, number), values)
        })
    }
    fn cusolverDnXgesvd_bufferSize(handle: usize, _options: usize, _left: i8, _right: i8, _m: i64, _n: i64, _type: i32, _a: usize, _lda: i64, _type_s: i32, _s: usize, _type_u: i32, _u: usize, _ldu: i64, _type_v: i32, _v: usize, _ldv: i64, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work_areas(handle, device, host)
    }
    fn cusolverDnXgesvd(handle: usize, _options: usize, left: i8, right: i8, m: i64, n: i64, code: i32, a: usize, lda: i64, code_s: i32, values: usize, code_u: i32, u: usize, ldu: i64, code_v: i32, vt: usize, ldvt: i64, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize) {
        let (call, a) = (same(handle, info, code, &[code_u, code_v], &[code_s])?, DeviceMatrix::new(a, m, n, lda)?);
        singular_values(call, a, values, wanted([left, right], a, [(u, ldu), (vt, ldvt)])?)
    }
    fn cusolverDnXgesvdp_bufferSize(handle: usize, _options: usize, _mode: i32, _economic: i32, _m: i64, _n: i64, _type: i32, _a: usize, _lda: i64, _type_s: i32, _s: usize, _type_u: i32, _u: usize, _ldu: i64, _type_v: i32, _v: usize, _ldv: i64, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work_areas(handle, device, host)
    }
    fn cusolverDnXgesvdp(handle: usize, _options: usize, mode: i32, economic: i32, m: i64, n: i64, code: i32, a: usize, lda: i64, code_s: i32, values: usize, code_u: i32, u: usize, ldu: i64, code_v: i32, v: usize, ldv: i64, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize, added: Out<'_, f64>) {
        let (call, a) = (same(handle, info, code, &[code_u, code_v], &[code_s])?, DeviceMatrix::new(a, m, n, lda)?);
        let wanted = both_sides(has_vectors(mode)?, economic != 0, a, [(u, ldu), (v, ldv)])?;
        // The perturbation that NVIDIA's method adds to small singular values; Jacobi's adds none.
        added.store_optional(0.0);
        singular_values(call, a, values, wanted)
    }
    fn cusolverDnXgeev_bufferSize(handle: usize, _options: usize, _left: i32, _right: i32, _n: i64, _type: i32, _a: usize, _lda: i64, _type_w: i32, _w: usize, _type_l: i32, _vl: usize, _ldvl: i64, _type_r: i32, _vr: usize, _ldvr: i64, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work_areas(handle, device, host)
    }
    fn cusolverDnXgeev(handle: usize, _options: usize, left: i32, right: i32, n: i64, code: i32, a: usize, lda: i64, code_w: i32, values: usize, code_l: i32, vl: usize, ldvl: i64, code_r: i32, vr: usize, ldvr: i64, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize) {
        let (call, of_values) = (same(handle, info, code, &[code_l, code_r], &[])?, element_of(code_w)?);
        if of_values.real() != call.element.real() || call.element.is_complex && !of_values.is_complex {
            return refuse(Status::InvalidValue, "eigenvalues must be complex numbers of the matrix's precision or, for a real matrix, two lists of parts");
        }
        let side = |mode: i32, at: usize, leading: i64| -> Result<Option<DeviceMatrix>> {
            if has_vectors(mode)? { DeviceMatrix::square(at, n, leading).map(Some) } else { Ok(None) }
        };
        let sides = [side(left, vl, ldvl)?, side(right, vr, ldvr)?];
        let values = Values { at: values, split_parts: !of_values.is_complex };
        general_eigenvalues(call, DeviceMatrix::square(a, n, lda)?, values, sides)
    }
}
