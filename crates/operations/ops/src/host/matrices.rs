//! Host-array operations whose results are arrays: scans, permutations, products and norms.

use super::{OnDevice, Ranked, download, upload};
use crate::gemm::GemmElement;
use crate::nn::{self, Normal};
use crate::scan::{self, Scannable};
use lanework::{Device, Result, Storable};
use ndarray::{Array, Array2, ArrayView, ArrayView2, Ix2};

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
