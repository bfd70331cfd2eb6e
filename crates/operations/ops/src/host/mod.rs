//! Operations on host arrays: one call each on [`ndarray`] views, which returns an array or a number.
//!
//! ```
//! use lanework::Device;
//! use lanework_ops::host;
//! use ndarray::{Axis, array};
//!
//! let device = Device::best();
//! let a = array![[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
//! assert_eq!(host::sum(&device, a.view())?, 21.0);
//! assert_eq!(host::max_axis(&device, a.view(), Axis(0))?, array![4.0, 5.0, 6.0]);
//! let squares: ndarray::Array2<f32> = host::gemm(&device, a.view(), a.t())?;
//! assert_eq!(squares, array![[14.0, 32.0], [32.0, 77.0]]);
//! # Ok::<(), lanework::Error>(())
//! ```
//!
//! Each call consists of three steps, which are public for uses that have no call here, such as options: [`upload`] copies a view
//! to the device, [`OnDevice::tensor`] is the [`Tensor`] that every operation takes, and [`download`] makes an array from a
//! result buffer. A view that fills contiguous memory in any axis order, such as a transposed matrix, is copied as is, and the
//! order becomes tensor strides. Other views (with gaps, repeated elements, or reversed axes) are first packed on the host.
//!
//! ```
//! use lanework::Device;
//! use lanework_ops::{host, reduce};
//! use ndarray::{Array1, array};
//!
//! let device = Device::best();
//! let a = array![[1e8f32, 1.0], [-1e8, 1.0]];
//! let x = host::upload(&device, a.t())?;
//! let sums = reduce::sum(x.tensor()).compensated().axis(1).eval()?;
//! let sums: Array1<f32> = host::download(&sums, [2])?;
//! assert_eq!(sums, array![0.0, 2.0]);
//! # Ok::<(), lanework::Error>(())
//! ```

mod operations;

use crate::Tensor;
use lanework::{Buffer, Device, Error, Result, Storable};
use ndarray::{Array, ArrayView, Dimension, IntoDimension, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6};
pub use operations::{
    argmax, argmax_axis, argmin, argmin_axis, dot, exclusive_scan, gemm, inclusive_scan,
    layer_norm, max, max_axis, min, min_axis, norm2, norm2_axis, permute, rms_norm, softmax, sum,
    sum_axis, sum_of_squares, sum_of_squares_axis, transpose,
};

/// An `ndarray` shape with a fixed number of dimensions, `Ix1` to `Ix6`. Convert a dynamic shape with `into_dimensionality`.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::host::{self, Ranked};
/// use ndarray::{ArrayView, array};
///
/// fn mean<D: Ranked<R>, const R: usize>(device: &Device, x: ArrayView<f64, D>) -> lanework::Result<f64> {
///     let count = x.len() as f64;
///     Ok(host::sum(device, x)? / count)
/// }
///
/// assert_eq!(mean(&Device::best(), array![[1.0, 3.0], [5.0, 7.0]].view())?, 4.0);
/// # Ok::<(), lanework::Error>(())
/// ```
pub trait Ranked<const R: usize>: Dimension {
    /// Converts the shape for `ndarray`.
    #[doc(hidden)]
    fn from_extents(shape: [usize; R]) -> Self;
}

macro_rules! ranked {
    ($($shape:ty = $rank:literal),*) => {$(
        impl Ranked<$rank> for $shape {
            fn from_extents(shape: [usize; $rank]) -> Self {
                shape.into_dimension()
            }
        }
    )*};
}

ranked!(Ix1 = 1, Ix2 = 2, Ix3 = 3, Ix4 = 4, Ix5 = 5, Ix6 = 6);

/// An array on a device, with the axis order that it had on the host; made by [`upload`].
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{host, scan};
/// use ndarray::array;
///
/// let x: host::OnDevice<i32, 2> = host::upload(&Device::best(), array![[1, 2], [3, 4]].t())?;
/// assert_eq!(x.tensor().strides(), [1, 2]);
/// assert_eq!(scan::inclusive(x.tensor()).last_axis().eval()?.download()?, [1, 4, 2, 6]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct OnDevice<T: Storable, const R: usize> {
    buffer: Buffer<T>,
    shape: [usize; R],
    strides: [usize; R],
}

impl<T: Storable, const R: usize> OnDevice<T, R> {
    /// The array as an input of operations.
    pub fn tensor(&self) -> Tensor<'_, T, R> {
        match Tensor::with_strides(&self.buffer, self.shape, self.strides, 0) {
            Ok(tensor) => tensor,
            Err(_) => unreachable!("the buffer was made for it"),
        }
    }
}

/// Copies an array to a device; the [module](self) explains its order there.
///
/// # Errors
/// If the device has no memory for it.
pub fn upload<T: Storable, D: Ranked<R>, const R: usize>(
    device: &Device,
    array: ArrayView<'_, T, D>,
) -> Result<OnDevice<T, R>> {
    let mut shape = [0; R];
    shape.copy_from_slice(array.shape());
    let forwards = |(extent, stride): (&usize, &isize)| *extent <= 1 || *stride > 0;
    let in_place = array.shape().iter().zip(array.strides()).all(forwards);
    if in_place && let Some(memory) = array.as_slice_memory_order() {
        let mut strides = [1; R];
        for ((to, stride), extent) in strides.iter_mut().zip(array.strides()).zip(shape) {
            *to = if extent <= 1 { 1 } else { stride.unsigned_abs() };
        }
        return Ok(OnDevice { buffer: device.upload(memory)?, shape, strides });
    }
    let ordered: Vec<T> = array.iter().copied().collect();
    let mut strides = [1; R];
    for axis in (1..R).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    Ok(OnDevice { buffer: device.upload(&ordered)?, shape, strides })
}

/// Copies results to a host array, after everything queued before has run.
///
/// # Errors
/// [`Error::Request`] if the buffer has another number of elements; pending launch errors.
pub fn download<T: Storable, D: Ranked<R>, const R: usize>(
    buffer: &Buffer<T>,
    shape: [usize; R],
) -> Result<Array<T, D>> {
    in_shape(buffer.download()?, D::from_extents(shape))
}

/// Row-major results as an array.
fn in_shape<T, D: Dimension>(values: Vec<T>, shape: D) -> Result<Array<T, D>> {
    let (elements, extents) = (values.len(), shape.slice().to_vec());
    Array::from_shape_vec(shape, values).map_err(|_| Error::Request {
        why: format!("an array of shape {extents:?} of the {elements} elements of a buffer"),
        help: "give the shape that the operation's results have".to_owned(),
    })
}

#[cfg(test)]
mod tests;
