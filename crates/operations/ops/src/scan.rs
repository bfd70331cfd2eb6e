//! Scans: running sums, minima and maxima, in one pass over memory.
//!
//! The result has the same bits in every run: which numbers are added in which order depends on their places alone, and on the
//! device's number of multiprocessors.

mod exchange;
mod form;
mod layout;
mod ring;
mod rows;
mod scannable;
mod tiles;

pub use scannable::Scannable;

use crate::{Plan, Tensor, TensorMut, Workspace};
use form::Operation;
use lanework::{Buffer, Result};
use layout::Way;

/// The running sum up to each element and with it: of a tensor of several dimensions in the order of its rows, or along the last axis
/// ([`Scan::last_axis`]).
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, scan};
///
/// let device = Device::best();
/// let x = device.upload(&[3, 1, 4, 1, 5, 9])?;
/// assert_eq!(scan::inclusive(&x).eval()?.download()?, [3, 4, 8, 9, 14, 23]);
///
/// let rows = Tensor::new(&x, [2, 3])?;
/// let mut y = device.zeros::<i32>(6)?;
/// let mut plan = scan::inclusive(rows).last_axis().max().prepare(lanework_ops::TensorMut::new(&mut y, [2, 3])?)?;
/// plan.launch()?; // and again, on any stream, or in a graph
/// drop(plan);
/// assert_eq!(y.download()?, [3, 3, 4, 1, 5, 9]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn inclusive<'a, T: Scannable, const R: usize>(
    x: impl Into<Tensor<'a, T, R>>,
) -> Scan<'a, T, R> {
    Scan { x: x.into(), operation: Operation::Sum, exclusive: false, last_axis: false }
}

/// As [`inclusive`], of the elements before each: the first result is 0, for minima the type's largest value, or infinity, for maxima its
/// least.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::scan;
///
/// let lengths = Device::best().upload(&[3u32, 1, 4, 1, 5])?;
/// let starts = scan::exclusive(&lengths).eval()?;
/// assert_eq!(starts.download()?, [0, 3, 4, 8, 9]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn exclusive<'a, T: Scannable, const R: usize>(
    x: impl Into<Tensor<'a, T, R>>,
) -> Scan<'a, T, R> {
    Scan { exclusive: true, ..inclusive(x) }
}

/// A scan to be run; made by [`inclusive`] and [`exclusive`].
///
/// ```
/// use lanework::Device;
/// use lanework_ops::scan::{self, Scan};
///
/// let device = Device::best();
/// let x = device.upload(&[2.0f32, 8.0, 5.0])?;
/// let least: Scan<f32> = scan::inclusive(&x).min();
/// let mut y = device.zeros(3)?;
/// least.run(&mut y)?;
/// assert_eq!(y.download()?, [2.0, 2.0, 2.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[must_use = "nothing runs until `run`, `prepare` or `eval`"]
#[derive(Clone, Debug)]
pub struct Scan<'a, T: Scannable, const R: usize = 1> {
    x: Tensor<'a, T, R>,
    operation: Operation,
    exclusive: bool,
    last_axis: bool,
}

impl<'a, T: Scannable, const R: usize> Scan<'a, T, R> {
    /// Every row by itself.
    pub fn last_axis(mut self) -> Self {
        self.last_axis = true;
        self
    }

    /// The smallest element so far; a NaN is passed over.
    pub fn min(mut self) -> Self {
        self.operation = Operation::Min;
        self
    }

    /// The largest element so far; a NaN is passed over.
    pub fn max(mut self) -> Self {
        self.operation = Operation::Max;
        self
    }

    /// Queues the scan into `y`, which has the shape of the input.
    ///
    /// # Errors
    /// [`lanework::Error::Request`] for another shape or strides that a scan does not take; what the device reports.
    pub fn run(self, y: impl Into<TensorMut<'a, T, R>>) -> Result<()> {
        let workspace = Workspace::of(self.x.device());
        self.plan(y.into(), &workspace)?.launch()
    }

    /// The scan into `y`, to be run any number of times.
    ///
    /// # Errors
    /// As [`Scan::run`].
    pub fn prepare(self, y: impl Into<TensorMut<'a, T, R>>) -> Result<Plan<'a>> {
        let workspace = Workspace::new(self.x.device());
        self.plan(y.into(), &workspace)
    }

    /// The scan in a new buffer, without gaps between rows.
    ///
    /// # Errors
    /// As [`Scan::run`]; no memory for the buffer.
    pub fn eval(self) -> Result<Buffer<T>> {
        let shape = self.x.shape();
        let mut y = self.x.device().uninit_named(self.x.len(), "scan")?;
        self.run(TensorMut::new(&mut y, shape)?)?;
        Ok(y)
    }

    fn plan(self, y: TensorMut<'a, T, R>, workspace: &Workspace) -> Result<Plan<'a>> {
        let operation = (self.operation, self.exclusive);
        let rows = layout::rows(layout::axes(&self.x, &y)?, self.last_axis)?;
        let device = self.x.device().clone();
        let (x, y) = (self.x.into_view(), y.into_view());
        layout::plan(&device, x, y, rows, operation, Way::Best, workspace)
    }
}

#[cfg(test)]
mod tests;
