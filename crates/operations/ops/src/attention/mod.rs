//! Attention: `softmax(scale * q * transpose(k)) * v` in one pass. The score matrix is never stored in global memory.

mod choice;
mod hopper;
mod plain;
mod plan;
mod problem;
mod request;
#[cfg(test)]
mod tests;
mod warps;

pub use problem::Half;

use crate::{Plan, Tensor, TensorMut, Workspace};
use choice::AttentionKernel;
use half::{bf16, f16};
use lanework::{Buffer, Element, Result};
use plan::Asked;
use request::Results;

/// Output element types of attention on elements `T`: `T` itself, or `f32`.
///
/// ```
/// use half::bf16;
/// use lanework::Device;
/// use lanework_ops::{AttentionResult, Tensor, TensorMut, attention};
///
/// /// Attention on zeros returns zeros.
/// fn zeros<O: AttentionResult<bf16>>(device: &Device) -> lanework::Result<Vec<O>> {
///     let x = device.zeros::<bf16>(4 * 64)?;
///     let x = Tensor::new(&x, [1, 1, 4, 64])?;
///     let mut out = device.uninit::<O>(4 * 64)?;
///     attention(&x, &x, &x).run(TensorMut::new(&mut out, [1, 1, 4, 64])?)?;
///     out.download()
/// }
/// assert_eq!(zeros::<f32>(&Device::emulator())?, [0.0; 256]);
/// assert_eq!(zeros::<bf16>(&Device::emulator())?, [bf16::ZERO; 256]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub trait AttentionResult<T: Half>: Element {
    /// Erases the output type for the kernels.
    #[doc(hidden)]
    fn results(out: TensorMut<'_, Self, 4>) -> Results<'_, T>;
}

macro_rules! results {
    ($($half:ident)*) => {$(
        impl AttentionResult<$half> for $half {
            fn results(out: TensorMut<'_, $half, 4>) -> Results<'_, $half> {
                Results::narrow(out)
            }
        }

        impl AttentionResult<$half> for f32 {
            fn results(out: TensorMut<'_, f32, 4>) -> Results<'_, $half> {
                Results::wide(out)
            }
        }
    )*};
}

results!(f16 bf16);

/// An attention call that has not run yet; see [`attention`].
#[must_use = "nothing runs until `run`, `prepare` or `eval`"]
#[derive(Debug)]
pub struct Attention<'a, T: Half> {
    asked: Asked<'a, T>,
}

/// `softmax(scale * q * transpose(k)) * v` for every batch and head, with shapes `[batch, heads, sequence, head dimension]`.
///
/// Supports head dimensions 64 and 128. Keys and values may have fewer heads than queries, and another sequence length: each of
/// their heads then serves a group of adjacent query heads (grouped-query attention). Sums are f32; weights are rounded to `T`
/// before they multiply the values.
///
/// When few queries attend to many keys, as in decoding, blocks divide the keys, and the queries of all heads that share keys
/// become rows of one tile, so keys and values are read once (Dao et al. 2023, "Flash-Decoding"). On Hopper, larger query tiles are
/// divided in the same way when there are fewer tiles than multiprocessors. A second launch combines the parts in a fixed order, so
/// results are bitwise reproducible. [`undivided`](Attention::undivided) forces a single launch.
///
/// Strides describe other layouts, such as `[batch, sequence, heads, head dimension]`. The Hopper kernel requires rows that start
/// at multiples of 16 bytes.
///
/// ```
/// use half::bf16;
/// use lanework::Device;
/// use lanework_ops::{Tensor, TensorMut, attention};
///
/// let device = Device::best();
/// let (heads, length, dimension) = (2, 100, 64);
/// let x: Vec<bf16> = (0..heads * length * dimension).map(|i| bf16::from_f32((i % 13) as f32 / 13.0)).collect();
/// let x = device.upload(&x)?;
/// let q = Tensor::new(&x, [1, heads, length, dimension])?;
/// let out = attention(&q, &q, &q).causal().eval()?;
/// // The first query sees only the first key: its weight is 1.
/// assert_eq!(out.download()?[..dimension], x.download()?[..dimension]);
///
/// // The same elements as [batch, sequence, heads, dimension], results as f32, and the log-sum-exp.
/// let strides = [heads * length * dimension, dimension, heads * dimension, 1];
/// let by_sequence = Tensor::with_strides(&x, [1, heads, length, dimension], strides, 0)?;
/// let mut out = device.uninit::<f32>(heads * length * dimension)?;
/// let mut logs = device.uninit::<f32>(heads * length)?;
/// attention(&by_sequence, &by_sequence, &by_sequence)
///     .scale(0.1)
///     .log_sum_exp(TensorMut::new(&mut logs, [1, heads, length])?)
///     .run(TensorMut::with_strides(&mut out, [1, heads, length, dimension], strides, 0)?)?;
/// assert!(logs.download()?.iter().all(|log| *log > 0.0));
///
/// // Decoding: one query for each of 8 heads that share the keys.
/// let (query, keys) = (device.upload(&vec![bf16::ONE; 8 * 64])?, device.upload(&vec![bf16::ONE; 2000 * 64])?);
/// let (query, keys) = (Tensor::new(&query, [1, 8, 1, 64])?, Tensor::new(&keys, [1, 1, 2000, 64])?);
/// let out = attention(query, &keys, &keys).eval()?;
/// assert_eq!(out.download()?, [bf16::ONE; 8 * 64]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn attention<'a, T: Half>(
    q: impl Into<Tensor<'a, T, 4>>,
    k: impl Into<Tensor<'a, T, 4>>,
    v: impl Into<Tensor<'a, T, 4>>,
) -> Attention<'a, T> {
    let (q, k, v) = (q.into(), k.into(), v.into());
    Attention { asked: Asked { q, k, v, causal: false, scale: None, whole: false, log_sums: None } }
}

impl<'a, T: Half> Attention<'a, T> {
    /// Applies a causal mask, aligned to the end: the last query sees all keys, each earlier query one key fewer. Rows that see no key
    /// are zeros.
    pub fn causal(self) -> Self {
        Attention { asked: Asked { causal: true, ..self.asked } }
    }

    /// Scales the scores by a positive number; the default is the reciprocal square root of the head dimension.
    pub fn scale(self, scale: f32) -> Self {
        Attention { asked: Asked { scale: Some(scale), ..self.asked } }
    }

    /// Never divides the keys: uses one launch without intermediate results, even if most of the device stays idle.
    pub fn undivided(self) -> Self {
        Attention { asked: Asked { whole: true, ..self.asked } }
    }

    /// Stores the natural logarithm of the sum of the scaled scores' exponentials (log-sum-exp), of shape `[batch, heads,
    /// sequence]`, from which results over several sets of keys can be combined.
    pub fn log_sum_exp(self, log_sums: impl Into<TensorMut<'a, f32, 3>>) -> Self {
        Attention { asked: Asked { log_sums: Some(log_sums.into()), ..self.asked } }
    }

    /// Queues the call in the order of the device's other work.
    ///
    /// # Errors
    /// [`Error::Request`](lanework::Error::Request) naming the operand with a wrong shape or stride; device errors.
    pub fn run<O: AttentionResult<T>>(self, out: impl Into<TensorMut<'a, O, 4>>) -> Result<()> {
        let workspace = Workspace::shared(self.asked.q.device());
        self.plan(O::results(out.into()), &workspace, None)?.launch()
    }

    /// Compiles the call into a plan that can run any number of times.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn prepare<O: AttentionResult<T>>(
        self,
        out: impl Into<TensorMut<'a, O, 4>>,
    ) -> Result<Plan<'a>> {
        let workspace = Workspace::new(self.asked.q.device());
        self.plan(O::results(out.into()), &workspace, None)
    }

    /// Queues the call and returns the results, which have the shape of the queries.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn eval(self) -> Result<Buffer<T>>
    where
        T: AttentionResult<T>,
    {
        let (device, shape) = (self.asked.q.device().clone(), self.asked.q.shape());
        let mut out = device.uninit_named::<T>(shape.iter().product(), "attention")?;
        // Shorten the lifetime: the results do not live as long as the operands.
        let this: Attention<'_, T> = self;
        this.run(TensorMut::new(&mut out, shape)?)?;
        Ok(out)
    }

    /// Builds the plan, with the given kernel if one is forced.
    fn plan(
        self,
        out: Results<'a, T>,
        workspace: &Workspace,
        path: Option<AttentionKernel>,
    ) -> Result<Plan<'a>> {
        plan::plan(self.asked, out, workspace, path)
    }
}
