//! Transposes of square matrices in place.

use super::axes::Axes;
use super::launches;
use crate::{Plan, TensorMut};
use lanework::lang::Storable;
use lanework::{Error, Result};

/// A transpose in place that has not run yet; made by [`transpose_in_place`].
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{TensorMut, TransposeInPlace, transpose_in_place};
///
/// let device = Device::best();
/// let mut x = device.upload(&[1u8, 2, 3, 4])?;
/// let turn: TransposeInPlace<u8, 2> = transpose_in_place(TensorMut::new(&mut x, [2, 2])?);
/// let mut plan = turn.prepare()?;
/// plan.launch()?;
/// plan.launch()?; // and back
/// drop(plan);
/// assert_eq!(x.download()?, [1, 2, 3, 4]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a transpose does nothing until `run` or `prepare`"]
pub struct TransposeInPlace<'a, T: Storable, const R: usize> {
    data: TensorMut<'a, T, R>,
}

/// Transposes a square matrix, or each matrix of an array, in place: exchanges the last two axes.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{TensorMut, transpose_in_place};
///
/// let device = Device::best();
/// let mut x = device.upload(&[1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])?;
/// transpose_in_place(TensorMut::new(&mut x, [2, 2, 2])?).run()?;
/// assert_eq!(x.download()?, [1.0, 3.0, 2.0, 4.0, 5.0, 7.0, 6.0, 8.0]);
/// assert!(transpose_in_place(TensorMut::new(&mut x, [2, 4])?).run().is_err());
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn transpose_in_place<'a, T: Storable, const R: usize>(
    data: impl Into<TensorMut<'a, T, R>>,
) -> TransposeInPlace<'a, T, R> {
    const { assert!(R >= 2, "a transpose has two axes or more") };
    TransposeInPlace { data: data.into() }
}

impl<'a, T: Storable, const R: usize> TransposeInPlace<'a, T, R> {
    /// Queues the operation.
    ///
    /// # Errors
    /// As [`TransposeInPlace::prepare`].
    pub fn run(self) -> Result<()> {
        self.prepare()?.launch()
    }

    /// Prepares the operation, to run any number of times; it needs no intermediate memory.
    ///
    /// # Errors
    /// [`Error::Request`] if the matrices are not square; errors of compiling the kernel.
    pub fn prepare(self) -> Result<Plan<'a>> {
        let (shape, from) = (self.data.shape(), self.data.strides());
        if shape[R - 2] != shape[R - 1] {
            return Err(Error::Request {
                why: format!(
                    "matrices of {} rows and {} columns cannot be transposed in place",
                    shape[R - 2],
                    shape[R - 1]
                ),
                help: "use `transpose` with another buffer for the result".to_owned(),
            });
        }
        if shape.contains(&0) {
            return Ok(Plan::new(Vec::new(), []));
        }
        let mut to = from;
        to.swap(R - 2, R - 1);
        let device = self.data.device().clone();
        let data = self.data.into_view().cast::<u8>();
        let axes = Axes::new(size_of::<T>(), &shape, &from, &to, &[data.address()]);
        Ok(Plan::new(vec![launches::in_place(&device, data, &axes)?], []))
    }
}
