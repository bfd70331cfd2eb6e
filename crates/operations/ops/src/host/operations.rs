//! The operations on host arrays: scans, permutations, products, norms and reductions.

use super::{OnDevice, Ranked, download, in_shape, upload};
use crate::gemm::GemmElement;
use crate::nn::{self, Normal};
use crate::reduce::{self, Reducible, ReducibleFloat};
use crate::scan::{self, Scannable};
use lanework::{Device, Result, Storable};
use ndarray::{Array, Array2, ArrayView, ArrayView2, Axis, Ix2, RemoveAxis};

macro_rules! scans {
    ($($(#[$doc:meta])* $name:ident: $scan:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// Device errors.
        pub fn $name<T: Scannable, D: Ranked<R>, const R: usize>(
            device: &Device,
            x: ArrayView<'_, T, D>,
        ) -> Result<Array<T, D>> {
            let x = in_order(upload(device, x)?)?;
            download(&scan::$scan(x.tensor()).eval()?, x.shape)
        }
    )*};
}

scans! {
    /// The inclusive running sum, in row-major order.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::array;
    /// let (device, a) = (Device::best(), array![[1i32, 2], [3, 4]]);
    /// assert_eq!(host::inclusive_scan(&device, a.view())?, array![[1, 3], [6, 10]]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    inclusive_scan: inclusive;
    /// The exclusive running sum (the elements before each), in row-major order.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::array;
    /// let a = array![3u32, 1, 4];
    /// assert_eq!(host::exclusive_scan(&Device::best(), a.view())?, array![0, 3, 4]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    exclusive_scan: exclusive;
}

/// An array whose last axis is adjacent in memory, reordered on the device if necessary.
fn in_order<T: Storable, const R: usize>(x: OnDevice<T, R>) -> Result<OnDevice<T, R>> {
    let OnDevice { shape, .. } = x;
    if x.tensor().is_dense() {
        return Ok(x);
    }
    let buffer = crate::copy(x.tensor()).eval()?;
    let mut strides = [1; R];
    for axis in (1..R).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    Ok(OnDevice { buffer, shape, strides })
}

/// The transpose of a matrix, row-major.
///
/// # Errors
/// Device errors.
///
/// ```
/// # use lanework::Device;
/// # use lanework_ops::host;
/// # use ndarray::array;
/// let a = array![[1u8, 2, 3], [4, 5, 6]];
/// assert_eq!(host::transpose(&Device::best(), a.view())?, a.t());
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn transpose<T: Storable>(device: &Device, x: ArrayView2<'_, T>) -> Result<Array2<T>> {
    let x = upload(device, x)?;
    download(&crate::transpose(x.tensor()).eval()?, [x.shape[1], x.shape[0]])
}

/// The array whose axis `i` is axis `axes[i]` of `x`, row-major.
///
/// # Errors
/// [`lanework::Error::Request`] if `axes` is not a permutation of the axes; device errors.
///
/// ```
/// # use lanework::Device;
/// # use lanework_ops::host;
/// # use ndarray::array;
/// let images = array![[[1u8, 2], [3, 4], [5, 6]]]; // a row, three columns, two channels
/// let planes = host::permute(&Device::best(), images.view(), [2, 0, 1])?;
/// assert_eq!(planes, array![[[1, 3, 5]], [[2, 4, 6]]]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn permute<T: Storable, D: Ranked<R>, const R: usize>(
    device: &Device,
    x: ArrayView<'_, T, D>,
    axes: [usize; R],
) -> Result<Array<T, D>> {
    let x = upload(device, x)?;
    let permuted = crate::permute(x.tensor(), axes)?;
    let shape = permuted.shape();
    download(&permuted.eval()?, shape)
}

/// The product of two matrices.
///
/// # Errors
/// [`lanework::Error::Request`] if the shapes do not match; device errors.
///
/// ```
/// # use lanework::Device;
/// # use lanework_ops::host;
/// # use ndarray::{array, Array2};
/// let (a, b) = (array![[1.0f32, 2.0], [3.0, 4.0]], array![[1.0f32, 0.0], [1.0, 1.0]]);
/// let c: Array2<f32> = host::gemm(&Device::best(), a.view(), b.t())?;
/// assert_eq!(c, a.dot(&b.t()));
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn gemm<A: GemmElement, B: GemmElement, C: GemmElement>(
    device: &Device,
    a: ArrayView2<'_, A>,
    b: ArrayView2<'_, B>,
) -> Result<Array2<C>> {
    let (a, b) = (upload(device, a)?, upload(device, b)?);
    download(&crate::gemm(a.tensor(), b.tensor()).eval::<C>()?, [a.shape[0], b.shape[1]])
}

macro_rules! norms {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// Device errors.
        pub fn $name<T: Normal>(device: &Device, x: ArrayView2<'_, T>) -> Result<Array2<T>> {
            let x = in_order(upload(device, x)?)?;
            download::<T, Ix2, 2>(&nn::$name(x.tensor()).eval()?, x.shape)
        }
    )*};
}

norms! {
    /// The softmax of each row.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::array;
    /// let y = host::softmax(&Device::best(), array![[2.0f32, 2.0], [5.0, 5.0]].view())?;
    /// assert_eq!(y, array![[0.5, 0.5], [0.5, 0.5]]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    softmax;
    /// Each row's elements minus their mean, divided by their standard deviation.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::array;
    /// let y = host::layer_norm(&Device::best(), array![[1.0f32, 3.0]].view())?;
    /// assert!((y[[0, 0]] + 1.0).abs() < 1e-4 && (y[[0, 1]] - 1.0).abs() < 1e-4);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    layer_norm;
    /// Each row's elements divided by the root of their mean square.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::array;
    /// let y = host::rms_norm(&Device::best(), array![[-2.0f32, 2.0]].view())?;
    /// assert!((y[[0, 0]] + 1.0).abs() < 1e-4 && (y[[0, 1]] - 1.0).abs() < 1e-4);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    rms_norm;
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $along:ident: $bound:ident => $out:ty;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// As [`Reduction::run`](crate::reduce::Reduction::run); device errors.
        pub fn $name<T: $bound, D: Ranked<R>, const R: usize>(
            device: &Device,
            x: ArrayView<'_, T, D>,
        ) -> Result<$out> {
            reduce::$name(upload(device, x)?.tensor()).value()
        }

        #[doc = concat!("Like [`", stringify!($name), "`], but along one axis; the result has the other axes. See the [module](super) for an example.")]
        ///
        /// # Errors
        /// As [`Reduction::run`](crate::reduce::Reduction::run); device errors.
        pub fn $along<T: $bound, D: Ranked<R> + RemoveAxis, const R: usize>(
            device: &Device,
            x: ArrayView<'_, T, D>,
            axis: Axis,
        ) -> Result<Array<$out, D::Smaller>> {
            let shape = x.raw_dim();
            let results = reduce::$name(upload(device, x)?.tensor()).axis(axis.0).eval()?;
            in_shape(results.download()?, shape.remove_axis(axis))
        }
    )*};
}

reductions! {
    /// The sum of all elements, in the type of [`Reducible::Sum`].
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::{array, Axis};
    /// let (device, a) = (Device::best(), array![[1i32, 2], [3, 4]]);
    /// assert_eq!(host::sum(&device, a.view())?, 10i64);
    /// assert_eq!(host::sum_axis(&device, a.view(), Axis(1))?, array![3i64, 7]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    sum sum_axis: Reducible => T::Sum;
    /// The sum of the squares.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::{array, Axis};
    /// let (device, a) = (Device::best(), array![[1.0f64, 2.0], [3.0, 4.0]]);
    /// assert_eq!(host::sum_of_squares(&device, a.view())?, 30.0);
    /// assert_eq!(host::sum_of_squares_axis(&device, a.view(), Axis(0))?, array![10.0, 20.0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    sum_of_squares sum_of_squares_axis: Reducible => T::Sum;
    /// The Euclidean norm.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::{array, Axis};
    /// let (device, a) = (Device::best(), array![[3.0f32, 4.0], [0.0, 12.0]]);
    /// assert_eq!(host::norm2(&device, a.view())?, 13.0);
    /// assert_eq!(host::norm2_axis(&device, a.view(), Axis(1))?, array![5.0, 12.0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    norm2 norm2_axis: ReducibleFloat => T::Sum;
    /// The smallest element; NaN if any element is NaN.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::{array, Axis};
    /// let (device, a) = (Device::best(), array![[1u32, 7], [3, 4]]);
    /// assert_eq!(host::min(&device, a.view())?, 1);
    /// assert_eq!(host::min_axis(&device, a.view(), Axis(0))?, array![1, 4]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    min min_axis: Reducible => T;
    /// The largest element; NaN if any element is NaN.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::{array, Axis};
    /// let (device, a) = (Device::best(), array![[1.5f32, 7.0], [3.0, 4.0]]);
    /// assert_eq!(host::max(&device, a.view())?, 7.0);
    /// assert_eq!(host::max_axis(&device, a.view(), Axis(1))?, array![7.0, 4.0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    max max_axis: Reducible => T;
    /// The index of the smallest element in row-major order, counted from 0.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::{array, Axis};
    /// let (device, a) = (Device::best(), array![[1i64, 7], [0, 4]]);
    /// assert_eq!(host::argmin(&device, a.view())?, 2);
    /// assert_eq!(host::argmin(&device, a.t())?, 1);
    /// assert_eq!(host::argmin_axis(&device, a.view(), Axis(0))?, array![1, 1]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    argmin argmin_axis: Reducible => u64;
    /// The index of the largest element in row-major order, counted from 0.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::host;
    /// # use ndarray::{array, Axis};
    /// let (device, a) = (Device::best(), array![[1i64, 7], [0, 4]]);
    /// assert_eq!(host::argmax(&device, a.view())?, 1);
    /// assert_eq!(host::argmax_axis(&device, a.view(), Axis(1))?, array![1, 1]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    argmax argmax_axis: Reducible => u64;
}

/// The dot product of two arrays.
///
/// # Errors
/// [`lanework::Error::Request`] if the shapes differ; device errors.
///
/// ```
/// # use lanework::Device;
/// # use lanework_ops::host;
/// # use ndarray::array;
/// let (x, y) = (array![1.0f32, 2.0, 3.0], array![4.0f32, 5.0, 6.0]);
/// assert_eq!(host::dot(&Device::best(), x.view(), y.view())?, 32.0);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn dot<T: Reducible, D: Ranked<R>, const R: usize>(
    device: &Device,
    x: ArrayView<'_, T, D>,
    y: ArrayView<'_, T, D>,
) -> Result<T::Sum> {
    reduce::dot(upload(device, x)?.tensor(), upload(device, y)?.tensor()).value()
}
