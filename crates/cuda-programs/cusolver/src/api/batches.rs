//! Batched functions: matrices at a constant stride, or given by a list of pointers.

use crate::api::dense::{WORK, both_sides, call, has_vectors, is_upper};
use crate::handle::{sorts, stream};
use crate::matrix;
use crate::matrix::{DeviceMatrix, size};
use crate::operations::{Call, potrf, potrs};
use crate::spectra::{eigenvalues, singular_values};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Memory, Out, calls, is_captured, store};

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
