//! The generic functions, which take types as `cudaDataType` and 64-bit sizes.

use crate::api::dense::{both_sides, call, form, has_vectors, is_upper};
use crate::handle::stream;
use crate::matrix::{DeviceMatrix, element as element_of, size};
use crate::operations::{Call, Pivots, geqrf, getrf, getrs, potrf, potrs};
use crate::spectra::{Values, eigenvalues, general_eigenvalues, singular_values, wanted};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Out, calls, store};

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
fn work(handle: usize, device: Out<'_, usize>, host: Out<'_, usize>) -> Result {
    stream(handle)?;
    store::<_, Status>(device, 16)?;
    store(host, 16)
}

calls! { "cuSOLVER", Status;
    fn cusolverDnXgetrf_bufferSize(handle: usize, _options: usize, _m: i64, _n: i64, _type: i32, _a: usize, _lda: i64, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work(handle, device, host)
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
        work(handle, device, host)
    }
    fn cusolverDnXpotrf(handle: usize, _options: usize, fill: i32, n: i64, code: i32, a: usize, lda: i64, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize) {
        potrf(same(handle, info, code, &[], &[])?, is_upper(fill)?, DeviceMatrix::square(a, n, lda)?)
    }
    fn cusolverDnXpotrs(handle: usize, _options: usize, fill: i32, n: i64, columns: i64, code: i32, a: usize, lda: i64, code_b: i32, b: usize, ldb: i64, info: usize) {
        let (a, b) = (DeviceMatrix::square(a, n, lda)?, DeviceMatrix::new(b, n, columns, ldb)?);
        potrs(same(handle, info, code, &[code_b], &[])?, is_upper(fill)?, a, b)
    }
    fn cusolverDnXgeqrf_bufferSize(handle: usize, _options: usize, _m: i64, _n: i64, _type: i32, _a: usize, _lda: i64, _type_tau: i32, _tau: usize, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work(handle, device, host)
    }
    fn cusolverDnXgeqrf(handle: usize, _options: usize, m: i64, n: i64, code: i32, a: usize, lda: i64, code_tau: i32, tau: usize, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize) {
        geqrf(same(handle, info, code, &[code_tau], &[])?, DeviceMatrix::new(a, m, n, lda)?, tau)
    }
    fn cusolverDnXsyevd_bufferSize(handle: usize, _options: usize, _mode: i32, _fill: i32, _n: i64, _type: i32, _a: usize, _lda: i64, _type_w: i32, _w: usize, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work(handle, device, host)
    }
    fn cusolverDnXsyevd(handle: usize, _options: usize, mode: i32, fill: i32, n: i64, code: i32, a: usize, lda: i64, code_w: i32, values: usize, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize) {
        let call = same(handle, info, code, &[], &[code_w])?;
        eigenvalues(call, has_vectors(mode)?, is_upper(fill)?, DeviceMatrix::square(a, n, lda)?, values)
    }
    fn cusolverDnXsyevBatched_bufferSize(handle: usize, _options: usize, _mode: i32, _fill: i32, _n: i64, _type: i32, _a: usize, _lda: i64, _type_w: i32, _w: usize, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>, _count: i64) {
        work(handle, device, host)
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
        work(handle, device, host)
    }
    fn cusolverDnXgesvd(handle: usize, _options: usize, left: i8, right: i8, m: i64, n: i64, code: i32, a: usize, lda: i64, code_s: i32, values: usize, code_u: i32, u: usize, ldu: i64, code_v: i32, vt: usize, ldvt: i64, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize) {
        let (call, a) = (same(handle, info, code, &[code_u, code_v], &[code_s])?, DeviceMatrix::new(a, m, n, lda)?);
        singular_values(call, a, values, wanted([left, right], a, [(u, ldu), (vt, ldvt)])?)
    }
    fn cusolverDnXgesvdp_bufferSize(handle: usize, _options: usize, _mode: i32, _economic: i32, _m: i64, _n: i64, _type: i32, _a: usize, _lda: i64, _type_s: i32, _s: usize, _type_u: i32, _u: usize, _ldu: i64, _type_v: i32, _v: usize, _ldv: i64, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work(handle, device, host)
    }
    fn cusolverDnXgesvdp(handle: usize, _options: usize, mode: i32, economic: i32, m: i64, n: i64, code: i32, a: usize, lda: i64, code_s: i32, values: usize, code_u: i32, u: usize, ldu: i64, code_v: i32, v: usize, ldv: i64, _computed: i32, _device: usize, _device_bytes: usize, _host: usize, _host_bytes: usize, info: usize, added: Out<'_, f64>) {
        let (call, a) = (same(handle, info, code, &[code_u, code_v], &[code_s])?, DeviceMatrix::new(a, m, n, lda)?);
        let wanted = both_sides(has_vectors(mode)?, economic != 0, a, [(u, ldu), (v, ldv)])?;
        // The perturbation that NVIDIA's method adds to small singular values; Jacobi's adds none.
        added.store_optional(0.0);
        singular_values(call, a, values, wanted)
    }
    fn cusolverDnXgeev_bufferSize(handle: usize, _options: usize, _left: i32, _right: i32, _n: i64, _type: i32, _a: usize, _lda: i64, _type_w: i32, _w: usize, _type_l: i32, _vl: usize, _ldvl: i64, _type_r: i32, _vr: usize, _ldvr: i64, _computed: i32, device: Out<'_, usize>, host: Out<'_, usize>) {
        work(handle, device, host)
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
