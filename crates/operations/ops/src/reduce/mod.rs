//! Reductions of a whole array, or along one axis.
//!
//! ```
//! use lanework::Device;
//! use lanework_ops::{Tensor, reduce};
//!
//! let device = Device::best();
//! let x = device.upload(&[1.0f32, 5.0, 3.0, 4.0, 2.0, 6.0])?;
//! assert_eq!(reduce::sum(&x).value()?, 21.0);
//! assert_eq!(reduce::argmax(&x).value()?, 5);
//!
//! // Two rows of three: the maximum of each column, then the sum of each row.
//! let matrix = Tensor::new(&x, [2, 3])?;
//! assert_eq!(reduce::max(&matrix).axis(0).eval()?.download()?, [4.0, 5.0, 6.0]);
//! let mut sums = device.zeros::<f32>(2)?;
//! reduce::sum(&matrix).axis(1).run(&mut sums)?;
//! assert_eq!(sums.download()?, [9.0, 12.0]);
//! # Ok::<(), lanework::Error>(())
//! ```
//!
//! Every reduction is one launch. The order of the additions depends only on shape, strides and device, so results are
//! bitwise reproducible. Floating-point sums use many accumulators of the type [`Reducible::Sum`], so their error
//! grows with the logarithm of the number of elements. [`Reduction::compensated`] sums are as if accumulated with
//! twice the digits and rounded once.
//!
//! NaNs behave as in NumPy: [`min`] and [`max`] return NaN if any element is NaN, and [`argmin`] and [`argmax`] return the index of
//! the first NaN. Among equal numbers they return the first index; `-0.0` equals `0.0`. For empty inputs sums are 0, and the other
//! reductions return an error.

mod config;
mod dense;
mod elements;
mod partials;
mod planning;
mod shape;
mod strided;

use crate::tensor::{Tensor, TensorMut, dense_strides};
use crate::workspace::{Plan, Workspace};
use config::{ReductionOperation, accumulator};
pub use elements::{Reducible, ReducibleFloat};
use elements::{memory, memory_mut};
use lanework::{Buffer, Error, Result, Storable};
use lanework_numbers::NumberType;
use planning::{ReductionOperand, ReductionOutput, ReductionRequest};
use std::marker::PhantomData;

/// A reduction of an array of `T` to numbers of type `O`; made by the functions of this module.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Plan, reduce};
///
/// let device = Device::best();
/// let x = device.upload(&[1e8f32, 1.0, -1e8, 1.0])?;
/// let sum = reduce::sum(&x).compensated();
/// assert_eq!(sum.value()?, 2.0);
///
/// // Prepare once, run often.
/// let mut out = device.zeros::<f32>(1)?;
/// let mut plan: Plan = reduce::norm2(&x).prepare(&mut out)?;
/// plan.launch()?;
/// drop(plan);
/// assert_eq!(out.download()?, [2f32.sqrt() * 1e8]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[must_use = "a reduction does nothing until `run`, `prepare`, `eval` or `value`"]
pub struct Reduction<'a, T: Reducible, O: Storable, const R: usize> {
    x: Tensor<'a, T, R>,
    y: Option<Tensor<'a, T, R>>,
    operation: ReductionOperation,
    axis: Option<usize>,
    compensated: bool,
    result: PhantomData<fn() -> O>,
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident: $bound:ident, $operation:ident => $out:ty;)*) => {$(
        $(#[$doc])*
        pub fn $name<'a, T: $bound, const R: usize>(
            x: impl Into<Tensor<'a, T, R>>,
        ) -> Reduction<'a, T, $out, R> {
            Reduction::new(x.into(), None, ReductionOperation::$operation)
        }
    )*};
}

reductions! {
    /// The sum.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::reduce;
    /// let x = Device::best().upload(&[i32::MAX, 1])?;
    /// assert_eq!(reduce::sum(&x).value()?, 1i64 << 31);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    sum: Reducible, Sum => T::Sum;
    /// The sum of squares, accumulated with FMA.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::reduce;
    /// let x = Device::best().upload(&[3.0f64, 4.0])?;
    /// assert_eq!(reduce::sum_of_squares(&x).value()?, 25.0);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    sum_of_squares: Reducible, Squares => T::Sum;
    /// The Euclidean norm: the square root of the sum of squares. Nothing is rescaled: if the sum of squares overflows
    /// its type, the norm is infinite.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::reduce;
    /// let x = Device::best().upload(&[3.0f32, 4.0])?;
    /// assert_eq!(reduce::norm2(&x).value()?, 5.0);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    norm2: ReducibleFloat, Norm => T::Sum;
    /// The smallest number; NaN if any element is NaN.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::reduce;
    /// let x = Device::best().upload(&[3u32, 2, 4])?;
    /// assert_eq!(reduce::min(&x).value()?, 2);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    min: Reducible, Min => T;
    /// The largest number; NaN if any element is NaN.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::reduce;
    /// let x = Device::best().upload(&[3.0f32, f32::NAN, 4.0])?;
    /// assert!(reduce::max(&x).value()?.is_nan());
    /// # Ok::<(), lanework::Error>(())
    /// ```
    max: Reducible, Max => T;
    /// The index of the smallest number: along the axis, or in row-major order over all elements, counted from 0.
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::{Tensor, reduce};
    /// let x = Device::best().upload(&[3i64, 2, 4, 2])?;
    /// assert_eq!(reduce::argmin(&x).value()?, 1);
    /// assert_eq!(reduce::argmin(Tensor::new(&x, [2, 2])?.t()).value()?, 2); // 3 4 / 2 2
    /// # Ok::<(), lanework::Error>(())
    /// ```
    argmin: Reducible, ArgMin => u64;
    /// The index of the largest number, as [`argmin`].
    ///
    /// ```
    /// # use lanework::Device;
    /// # use lanework_ops::reduce;
    /// let x = Device::best().upload(&[3.0f32, f32::NAN, 4.0])?;
    /// assert_eq!(reduce::argmax(&x).value()?, 1);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    argmax: Reducible, ArgMax => u64;
}

/// The dot product of two arrays.
///
/// ```
/// # use lanework::Device;
/// # use lanework_ops::{Tensor, reduce};
/// let device = Device::best();
/// let (x, y) = (device.upload(&[1.0f32, 2.0, 3.0, 4.0])?, device.upload(&[1.0f32, 0.5, 2.0, 1.0])?);
/// assert_eq!(reduce::dot(&x, &y).value()?, 12.0);
/// // The diagonal of a matrix product.
/// let (a, b) = (Tensor::new(&x, [2, 2])?, Tensor::new(&y, [2, 2])?);
/// assert_eq!(reduce::dot(&a, b.t()).axis(1).eval()?.download()?, [5.0, 5.5]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn dot<'a, T: Reducible, const R: usize>(
    x: impl Into<Tensor<'a, T, R>>,
    y: impl Into<Tensor<'a, T, R>>,
) -> Reduction<'a, T, T::Sum, R> {
    Reduction::new(x.into(), Some(y.into()), ReductionOperation::Dot)
}

/// The type of results, as kernels identify it.
fn result_kind(operation: ReductionOperation, element: NumberType) -> NumberType {
    match operation {
        ReductionOperation::ArgMin | ReductionOperation::ArgMax => NumberType::I64,
        ReductionOperation::Min | ReductionOperation::Max => element,
        _ => accumulator(element),
    }
}

impl<'a, T: Reducible, O: Storable, const R: usize> Reduction<'a, T, O, R> {
    fn new(
        x: Tensor<'a, T, R>,
        y: Option<Tensor<'a, T, R>>,
        operation: ReductionOperation,
    ) -> Self {
        Reduction { x, y, operation, axis: None, compensated: false, result: PhantomData }
    }

    /// Reduces along this axis only (0 is the outermost). There is one result per index of the other axes.
    pub fn axis(self, axis: usize) -> Self {
        Reduction { axis: Some(axis), ..self }
    }

    /// Uses compensated summation: the sum is as if accumulated with twice the digits and rounded once. Integer sums are always exact.
    pub fn compensated(self) -> Self {
        Reduction { compensated: true, ..self }
    }

    fn request(self) -> ReductionRequest<'a> {
        let device = self.x.device().clone();
        let operand = |tensor: Tensor<'a, T, R>| ReductionOperand {
            shape: tensor.shape().to_vec(),
            strides: tensor.strides().to_vec(),
            memory: memory(T::KIND, tensor.into_view()),
        };
        ReductionRequest {
            device,
            operation: self.operation,
            element: T::KIND,
            axis: self.axis,
            compensated: self.compensated,
            x: operand(self.x),
            y: self.y.map(operand),
        }
    }

    fn output<'o, const K: usize>(
        operation: ReductionOperation,
        output: TensorMut<'o, O, K>,
    ) -> ReductionOutput<'o> {
        ReductionOutput {
            shape: output.shape().to_vec(),
            strides: output.strides().to_vec(),
            memory: memory_mut(result_kind(operation, T::KIND), output.into_view()),
        }
    }

    /// Queues the reduction. The output has the input's dimensions without the axis, or one element if all are reduced.
    ///
    /// # Errors
    /// [`Error::Request`] if a shape, the axis or an option does not fit; device errors.
    pub fn run<'o, const K: usize>(self, output: impl Into<TensorMut<'o, O, K>>) -> Result<()> {
        let output = Self::output(self.operation, output.into());
        let request = self.request();
        let workspace = Workspace::shared(&request.device);
        planning::plan(request, output, &workspace)?.launch()
    }

    /// Prepares the reduction, to run any number of times.
    ///
    /// # Errors
    /// As [`Reduction::run`].
    pub fn prepare<const K: usize>(
        self,
        output: impl Into<TensorMut<'a, O, K>>,
    ) -> Result<Plan<'a>> {
        let output = Self::output(self.operation, output.into());
        let request = self.request();
        let workspace = Workspace::new(&request.device);
        planning::plan(request, output, &workspace)
    }

    /// Queues the reduction, and returns the results in row-major order.
    ///
    /// # Errors
    /// As [`Reduction::run`]; also if the device has no memory for the results.
    pub fn eval(self) -> Result<Buffer<O>> {
        let operation = self.operation;
        let request = self.request();
        let shape = request.results()?;
        let mut strides = vec![1; shape.len()];
        dense_strides(&shape, &mut strides);
        let mut out = request.device.uninit_named::<O>(shape.iter().product(), "reduction")?;
        let workspace = Workspace::shared(&request.device);
        let memory = memory_mut(result_kind(operation, T::KIND), out.view_mut(..));
        planning::plan(request, ReductionOutput { shape, strides, memory }, &workspace)?
            .launch()?;
        Ok(out)
    }

    /// Waits for the single result and copies it to the host.
    ///
    /// # Errors
    /// As [`Reduction::run`]; [`Error::Request`] if there are several results.
    pub fn value(self) -> Result<O> {
        let results = self.eval()?;
        match results.download()?.as_slice() {
            [one] => Ok(*one),
            several => Err(Error::Request {
                why: format!("there are {} results along the axis, not one", several.len()),
                help: "use `eval()` or `run(output)`, or remove `.axis(..)`".to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests;
