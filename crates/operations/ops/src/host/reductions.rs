//! Reductions of host arrays.

use super::{Ranked, in_shape, upload};
use crate::reduce::{self, Reducible, ReducibleFloat};
use lanework::{Device, Result};
use ndarray::{Array, ArrayView, Axis, RemoveAxis};

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

        #[doc = concat!("As [`", stringify!($name), "`], along one axis: an array of the other axes. See the [module](super) for an example.")]
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
