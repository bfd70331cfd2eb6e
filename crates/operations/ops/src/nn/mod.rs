//! Row-wise network operations: softmax, layer norm, RMS norm.
//!
//! A row is read once and written once if it fits in the device's registers: up to a few million elements. Statistics
//! are `f32`. Results are bitwise reproducible.

mod exchange;
mod kernels;
mod passes;
mod planning;
mod ring;
mod rows;
mod statistics;

use crate::{Plan, Tensor, TensorMut, Workspace};
use kernels::RowOperation;
use lanework::{Buffer, Result};
#[doc(hidden)]
pub use planning::Variant;
use planning::refuse;
pub use rows::Normal;
use rows::{RowLayout, RowOperands};

/// Softmax of each row. Subtracts the row's largest element first, so nothing overflows. A row with a NaN or positive
/// infinity becomes all NaN.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, nn};
///
/// let x = Device::best().upload(&[0.0f32, 0.0, 1000.0, 1000.0])?;
/// let y = nn::softmax(Tensor::new(&x, [1, 4])?).eval()?;
/// assert_eq!(y.download()?, [0.0, 0.0, 0.5, 0.5]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn softmax<'a, T: Normal>(x: impl Into<Tensor<'a, T, 2>>) -> Softmax<'a, T> {
    Softmax { inner: RowwiseRequest::new(x.into(), RowOperation::Softmax) }
}

/// Layer norm of each row, with optional gamma and beta: `(x - mean) / sqrt(variance + eps) * gamma + beta`.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, nn};
///
/// let device = Device::best();
/// let x = device.upload(&[1.0f32, 3.0, 10.0, 30.0])?;
/// let (gamma, beta) = (device.upload(&[1.0f32, 2.0])?, device.upload(&[0.0f32, 0.5])?);
/// let norm = nn::layer_norm(Tensor::new(&x, [2, 2])?).eps(0.0).gamma(&gamma).beta(&beta);
/// assert_eq!(norm.eval()?.download()?, [-1.0, 2.5, -1.0, 2.5]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn layer_norm<'a, T: Normal>(x: impl Into<Tensor<'a, T, 2>>) -> Norm<'a, T> {
    Norm { inner: RowwiseRequest::new(x.into(), RowOperation::LayerNorm) }
}

/// RMS norm of each row, with optional gamma and beta: `x / sqrt(mean of squares + eps) * gamma + beta`.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, TensorMut, nn};
///
/// let device = Device::best();
/// let x = device.upload(&[3.0f32, -3.0, 5.0, 5.0])?;
/// let mut y = device.zeros::<f32>(4)?;
/// nn::rms_norm(Tensor::new(&x, [2, 2])?).eps(0.0).run(TensorMut::new(&mut y, [2, 2])?)?;
/// assert_eq!(y.download()?, [1.0, -1.0, 1.0, 1.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn rms_norm<'a, T: Normal>(x: impl Into<Tensor<'a, T, 2>>) -> Norm<'a, T> {
    Norm { inner: RowwiseRequest::new(x.into(), RowOperation::RmsNorm) }
}

/// A softmax that has not run yet; made by [`softmax`].
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, TensorMut, nn::{self, Softmax}};
///
/// let device = Device::best();
/// let x = device.zeros::<f32>(6)?;
/// let mut y = device.zeros::<f32>(6)?;
/// let rows: Softmax<f32> = nn::softmax(Tensor::new(&x, [3, 2])?);
/// let mut plan = rows.prepare(TensorMut::new(&mut y, [3, 2])?)?;
/// plan.launch()?; // and again, on any stream, or in a graph
/// drop(plan);
/// assert_eq!(y.download()?, [0.5; 6]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[must_use = "nothing runs until `run`, `prepare` or `eval`"]
pub struct Softmax<'a, T: Normal> {
    inner: RowwiseRequest<'a, T>,
}

/// A layer norm or an RMS norm that has not run yet; made by [`layer_norm`] and [`rms_norm`].
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, nn::{self, Norm}};
///
/// let x = Device::best().upload(&[1.0f32, -1.0])?;
/// let norm: Norm<f32> = nn::rms_norm(Tensor::new(&x, [1, 2])?).eps(3.0);
/// assert_eq!(norm.eval()?.download()?, [0.5, -0.5]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[must_use = "nothing runs until `run`, `prepare` or `eval`"]
pub struct Norm<'a, T: Normal> {
    inner: RowwiseRequest<'a, T>,
}

impl<'a, T: Normal> Norm<'a, T> {
    /// Multiplies each column by a factor.
    pub fn gamma(mut self, gamma: impl Into<Tensor<'a, T>>) -> Self {
        self.inner.gamma = Some(gamma.into());
        self
    }

    /// Adds an offset to each column.
    pub fn beta(mut self, beta: impl Into<Tensor<'a, T>>) -> Self {
        self.inner.beta = Some(beta.into());
        self
    }

    /// Sets the number added to the variance or to the mean square; the default is 1e-5.
    pub fn eps(mut self, eps: f32) -> Self {
        self.inner.eps = eps;
        self
    }
}

macro_rules! enders {
    ($($name:ident)*) => {$(
        impl<'a, T: Normal> $name<'a, T> {
            /// Queues the operation into `y`, which has the shape of the input.
            ///
            /// # Errors
            /// [`lanework::Error::Request`] for another shape; device errors.
            pub fn run(self, y: impl Into<TensorMut<'a, T, 2>>) -> Result<()> {
                let workspace = Workspace::shared(self.inner.x.device());
                self.inner.plan(y.into(), Variant::Best, &workspace)?.launch()
            }

            /// Prepares the operation into `y`, to run any number of times.
            ///
            /// # Errors
            /// As `run`.
            pub fn prepare(self, y: impl Into<TensorMut<'a, T, 2>>) -> Result<Plan<'a>> {
                let workspace = Workspace::new(self.inner.x.device());
                self.inner.plan(y.into(), Variant::Best, &workspace)
            }

            /// As `prepare`, with a forced kernel variant. For the ladders, which measure variants against each other.
            ///
            /// # Errors
            /// As `run`.
            #[doc(hidden)]
            pub fn prepare_variant(self, y: impl Into<TensorMut<'a, T, 2>>, variant: Variant) -> Result<Plan<'a>> {
                let workspace = Workspace::new(self.inner.x.device());
                self.inner.plan(y.into(), variant, &workspace)
            }

            /// Returns the result in a new buffer, without gaps between rows.
            ///
            /// # Errors
            /// As `run`; also if there is no memory for the buffer.
            pub fn eval(self) -> Result<Buffer<T>> {
                let shape = self.inner.x.shape();
                let mut y = self.inner.x.device().uninit_named(self.inner.x.len(), "rows")?;
                self.run(TensorMut::new(&mut y, shape)?)?;
                Ok(y)
            }
        }
    )*};
}

enders!(Softmax Norm);

/// A type-erased row operation.
struct RowwiseRequest<'a, T: Normal> {
    x: Tensor<'a, T, 2>,
    gamma: Option<Tensor<'a, T>>,
    beta: Option<Tensor<'a, T>>,
    eps: f32,
    kind: RowOperation,
}

impl<'a, T: Normal> RowwiseRequest<'a, T> {
    fn new(x: Tensor<'a, T, 2>, kind: RowOperation) -> Self {
        RowwiseRequest { x, gamma: None, beta: None, eps: 1e-5, kind }
    }

    fn plan(
        self,
        y: TensorMut<'a, T, 2>,
        variant: Variant,
        workspace: &Workspace,
    ) -> Result<Plan<'a>> {
        let RowwiseRequest { x, gamma, beta, eps, kind } = self;
        let [rows, n] = x.shape();
        if y.shape() != [rows, n] {
            let why = format!(
                "rows of a matrix of shape {:?}, into one of shape {:?}",
                [rows, n],
                y.shape()
            );
            return Err(refuse(why, "give an output of the input's shape"));
        }
        for (name, vector) in [("gamma", &gamma), ("beta", &beta)] {
            let Some(vector) = vector else { continue };
            if vector.shape() != [n] || !vector.is_dense() {
                let why = format!(
                    "a {name} of shape {:?} with strides {:?}, for rows of {n} elements",
                    vector.shape(),
                    vector.strides()
                );
                return Err(refuse(why, "give one element for each column, next to each other"));
            }
        }
        let ([x_row, x_step], [y_row, y_step]) = (x.strides(), y.strides());
        let rows = RowLayout { rows, n, row: (x_row, y_row), step: (x_step, y_step), eps };
        let device = x.device().clone();
        let with = (kind, gamma.is_some(), beta.is_some());
        let (x, y) = (x.into_view(), y.into_view());
        let (gamma, beta) = (gamma.map_or(x, Tensor::into_view), beta.map_or(x, Tensor::into_view));
        planning::plan(&device, RowOperands { x, y, gamma, beta }, rows, with, variant, workspace)
    }
}

#[cfg(test)]
mod tests;
