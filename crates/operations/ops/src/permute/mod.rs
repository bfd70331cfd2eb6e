//! Transposes, permutations of axes, and copies. Elements move bit for bit.
//!
//! The kernels treat elements as bytes. `axes` reduces a permutation to its memory axes, merging those contiguous in both arrays,
//! and finds the widest unit that moves as a whole. If source and output have different adjacent axes, `choose` selects a kernel
//! and its tile for the matrix of these two axes: mostly `squares`; `tiles` and `narrow` for unaligned rows. `staged` moves many
//! short axes through shared memory, `untiled` moves units that keep their order, `in_place` transposes in place.

mod axes;
mod choose;
mod in_place;
mod launches;
mod narrow;
mod squares;
mod staged;
#[cfg(test)]
mod tests;
mod tiles;
mod untiled;

use crate::{Plan, Tensor, TensorMut};
use axes::Axes;
pub use in_place::{TransposeInPlace, transpose_in_place};
use lanework::lang::Storable;
use lanework::{Buffer, Device, Error, Prepared, Result, View, ViewMut};

/// A permutation, transpose or copy that has not run yet; made by [`permute`], [`transpose`] and [`copy`].
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Permute, Tensor, permute};
///
/// let device = Device::best();
/// let images = device.upload(&(0..24u8).collect::<Vec<_>>())?; // 2 rows, 4 columns, 3 channels
/// let planes: Permute<u8, 3> = permute(Tensor::new(&images, [2, 4, 3])?, [2, 0, 1])?;
/// assert_eq!(planes.shape(), [3, 2, 4]);
/// let mut out = device.zeros::<u8>(24)?;
/// let mut plan = planes.prepare(&mut out)?; // runs any number of times
/// plan.launch()?;
/// drop(plan);
/// assert_eq!(out.download()?[..4], [0, 3, 6, 9]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a permutation does nothing until `run`, `prepare` or `eval`"]
pub struct Permute<'a, T: Storable, const R: usize> {
    /// The source, with the output's axis order.
    source: Tensor<'a, T, R>,
    shape: [usize; R],
    strides: [usize; R],
}

/// The array whose axis `i` is axis `axes[i]` of the source, as in `numpy.transpose`.
///
/// Supports any strides, up to six axes, and elements of any size. Axes that are contiguous in both arrays move as one; adjacent
/// bytes that stay together move as one element of up to 16 bytes.
///
/// # Errors
/// [`Error::Request`] if `axes` is not a permutation of the axes.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, permute};
///
/// let device = Device::best();
/// let x = device.upload(&(0..24i32).collect::<Vec<_>>())?;
/// let x = Tensor::new(&x, [2, 3, 4])?;
/// let turned = permute(&x, [2, 0, 1])?.eval()?; // 4 by 2 by 3
/// assert_eq!(turned.download()?[..6], [0, 4, 8, 12, 16, 20]);
/// assert!(permute(&x, [0, 1, 1]).is_err());
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn permute<'a, T: Storable, const R: usize>(
    source: impl Into<Tensor<'a, T, R>>,
    axes: [usize; R],
) -> Result<Permute<'a, T, R>> {
    let mut sorted = axes;
    sorted.sort_unstable();
    if sorted.iter().enumerate().any(|(i, axis)| i != *axis) || R > 6 {
        return Err(Error::Request {
            why: format!("{axes:?} is not an order of the {R} axes of the source"),
            help: "name each axis once, by its number from 0 on; up to six axes".to_owned(),
        });
    }
    let source = source.into();
    let (shape, strides) = (source.shape(), source.strides());
    Ok(Permute {
        shape: axes.map(|axis| shape[axis]),
        strides: axes.map(|axis| strides[axis]),
        source,
    })
}

/// The transpose of a matrix, or of each matrix of an array: exchanges the last two axes.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, TensorMut, transpose};
///
/// let device = Device::best();
/// let a = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let matrix = Tensor::new(&a, [2, 3])?;
/// assert_eq!(transpose(&matrix).eval()?.download()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
///
/// // Into rows that are 4 elements apart.
/// let mut wide = device.zeros::<f32>(12)?;
/// transpose(&matrix).run(TensorMut::with_strides(&mut wide, [3, 2], [4, 1], 0)?)?;
/// assert_eq!(wide.download()?, [1.0, 4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 0.0, 3.0, 6.0, 0.0, 0.0]);
///
/// // A batch: two matrices of one row.
/// let batch = Tensor::new(&a, [2, 1, 3])?;
/// assert_eq!(transpose(batch).shape(), [2, 3, 1]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn transpose<'a, T: Storable, const R: usize>(
    source: impl Into<Tensor<'a, T, R>>,
) -> Permute<'a, T, R> {
    const { assert!(R >= 2, "a transpose has two axes or more") };
    let source = source.into();
    let (mut shape, mut strides) = (source.shape(), source.strides());
    shape.swap(R - 2, R - 1);
    strides.swap(R - 2, R - 1);
    Permute { source, shape, strides }
}

/// Copies an array from any strides to any strides.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, copy};
///
/// let device = Device::best();
/// let x = device.upload(&(0..12u16).collect::<Vec<_>>())?;
/// let middle = Tensor::with_strides(&x, [3, 2], [4, 1], 1)?;
/// assert_eq!(copy(middle).eval()?.download()?, [1, 2, 5, 6, 9, 10]);
///
/// // A stride of 0 repeats.
/// let twice = Tensor::with_strides(&x, [2, 3], [0, 1], 0)?;
/// assert_eq!(copy(twice).eval()?.download()?, [0, 1, 2, 0, 1, 2]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn copy<'a, T: Storable, const R: usize>(
    source: impl Into<Tensor<'a, T, R>>,
) -> Permute<'a, T, R> {
    let source = source.into();
    Permute { shape: source.shape(), strides: source.strides(), source }
}

/// The launch that copies an array of `size`-byte elements to other strides (in elements). If `overlaps`, it may begin before the
/// previous launch has ended.
pub(crate) fn moved<'a>(
    device: &Device,
    size: usize,
    shape: &[usize],
    (from, from_strides): (View<'a, u8>, &[usize]),
    (to, to_strides): (ViewMut<'a, u8>, &[usize]),
    overlaps: bool,
) -> Result<Prepared<'a>> {
    let addresses = [from.address(), to.address()];
    let axes = Axes::new(size, shape, from_strides, to_strides, &addresses);
    launches::launch(device, from, to, &axes, overlaps)
}

impl<'a, T: Storable, const R: usize> Permute<'a, T, R> {
    /// The shape of the output.
    pub fn shape(&self) -> [usize; R] {
        self.shape
    }

    /// Queues the operation.
    ///
    /// # Errors
    /// As [`Permute::prepare`].
    pub fn run<'b>(self, output: impl IntoOutput<'b, T, R>) -> Result<()>
    where
        'a: 'b,
    {
        self.prepare(output)?.launch()
    }

    /// Prepares the operation, to run any number of times; it needs no intermediate memory.
    ///
    /// # Errors
    /// [`Error::Request`] if the output has another shape or is on another device; errors of compiling the kernel.
    pub fn prepare<'b>(self, output: impl IntoOutput<'b, T, R>) -> Result<Plan<'b>>
    where
        'a: 'b,
    {
        let output = output.into_output(self.shape)?;
        let (device, shape) = (self.source.device().clone(), self.shape);
        if output.shape() != shape {
            return Err(Error::Request {
                why: format!("the output has shape {:?}, the result {shape:?}", output.shape()),
                help: "give the output the shape of the result; its strides are free".to_owned(),
            });
        }
        let to = output.strides();
        let (from, strides) = (self.source.into_view(), self.strides);
        let into = output.into_view();
        if shape.contains(&0) {
            return Ok(Plan::new(Vec::new(), []));
        }
        let (source, target) = ((from.cast(), &strides[..]), (into.cast(), &to[..]));
        let step = moved(&device, size_of::<T>(), &shape, source, target, false)?;
        Ok(Plan::new(vec![step], []))
    }

    /// Runs the operation into a new buffer, row-major without gaps.
    ///
    /// # Errors
    /// As [`Permute::prepare`]; also if the device has no memory for the result.
    pub fn eval(self) -> Result<Buffer<T>> {
        let device: Device = self.source.device().clone();
        let mut output = device.uninit_named(self.shape.iter().product(), "permuted")?;
        self.run(&mut output)?;
        Ok(output)
    }
}

/// An output of `R` axes: a [`TensorMut`], or a buffer of exactly as many elements, which is filled in row-major order.
///
/// ```
/// use lanework::{Device, Result};
/// use lanework_ops::{IntoOutput, Tensor, transpose};
///
/// fn turned<'a>(x: &Tensor<'a, f32, 2>, into: impl IntoOutput<'a, f32, 2>) -> Result<()> {
///     transpose(x).run(into)
/// }
///
/// let device = Device::best();
/// let (x, mut y) = (device.zeros::<f32>(6)?, device.zeros::<f32>(6)?);
/// turned(&Tensor::new(&x, [2, 3])?, &mut y)?;
/// assert!(turned(&Tensor::new(&x, [1, 3])?, &mut y).is_err()); // y has 6 elements, not 3
/// # Ok::<(), lanework::Error>(())
/// ```
pub trait IntoOutput<'a, T: Storable, const R: usize> {
    /// Converts to an array for a result of this shape.
    ///
    /// # Errors
    /// [`Error::Request`] if a buffer has another number of elements.
    fn into_output(self, shape: [usize; R]) -> Result<TensorMut<'a, T, R>>;
}

impl<'a, T: Storable, const R: usize> IntoOutput<'a, T, R> for TensorMut<'a, T, R> {
    fn into_output(self, _: [usize; R]) -> Result<TensorMut<'a, T, R>> {
        Ok(self)
    }
}

impl<'a, T: Storable, const R: usize> IntoOutput<'a, T, R> for &'a mut Buffer<T> {
    fn into_output(self, shape: [usize; R]) -> Result<TensorMut<'a, T, R>> {
        let elements = shape.iter().fold(1usize, |product, extent| product.saturating_mul(*extent));
        if elements != self.len() {
            return Err(Error::Request {
                why: format!(
                    "the output has {} elements, a result of shape {shape:?} has {elements}",
                    self.len()
                ),
                help:
                    "pass a buffer of exactly as many elements, or a `TensorMut` of a part of one"
                        .to_owned(),
            });
        }
        TensorMut::new(self, shape)
    }
}
