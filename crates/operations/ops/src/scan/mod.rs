//! Scans: running sums, minima and maxima, in one pass over memory.
//!
//! Results are bitwise reproducible: the order of additions depends only on positions and on the device's number of
//! multiprocessors.

mod kernels;
mod layout;
mod ring;

use crate::{Plan, Tensor, TensorMut, Workspace};
use kernels::ScanOperation;
use lanework::{Buffer, Result};
use layout::ScanVariant;
pub use layout::Scannable;

/// The inclusive running sum, over all elements in row-major order, or along the last axis ([`Scan::last_axis`]).
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
    Scan { x: x.into(), operation: ScanOperation::Sum, exclusive: false, last_axis: false }
}

/// The exclusive scan (the elements before each). The first result is 0; for minima it is the type's largest value or infinity, for
/// maxima the smallest value or negative infinity.
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

/// A scan that has not run yet; made by [`inclusive`] and [`exclusive`].
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
    operation: ScanOperation,
    exclusive: bool,
    last_axis: bool,
}

impl<'a, T: Scannable, const R: usize> Scan<'a, T, R> {
    /// Scans every row separately.
    pub fn last_axis(mut self) -> Self {
        self.last_axis = true;
        self
    }

    /// Computes the running minimum, which ignores NaN.
    pub fn min(mut self) -> Self {
        self.operation = ScanOperation::Min;
        self
    }

    /// Computes the running maximum, which ignores NaN.
    pub fn max(mut self) -> Self {
        self.operation = ScanOperation::Max;
        self
    }

    /// Queues the scan into `y`, which has the shape of the input.
    ///
    /// # Errors
    /// [`lanework::Error::Request`] for another shape or unsupported strides; device errors.
    pub fn run(self, y: impl Into<TensorMut<'a, T, R>>) -> Result<()> {
        let workspace = Workspace::shared(self.x.device());
        self.plan(y.into(), &workspace)?.launch()
    }

    /// Prepares the scan into `y`, to run any number of times.
    ///
    /// # Errors
    /// As [`Scan::run`].
    pub fn prepare(self, y: impl Into<TensorMut<'a, T, R>>) -> Result<Plan<'a>> {
        let workspace = Workspace::new(self.x.device());
        self.plan(y.into(), &workspace)
    }

    /// Returns the scan in a new buffer, without gaps between rows.
    ///
    /// # Errors
    /// As [`Scan::run`]; also if there is no memory for the buffer.
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
        layout::plan(&device, x, y, rows, operation, ScanVariant::Best, workspace)
    }
}

#[cfg(test)]
mod tests;
