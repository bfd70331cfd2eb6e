//! Softmax, norms and attention.

use crate::array::{Array, ArrayMut, of_type, refused};
use half::{bf16, f16};
use lanework_ops::nn::{self, Normal};
use lanework_ops::{AttentionResult, Half, attention as attend};
use lanework_runtime::Result;

/// How rows are normalized, numbered as `lanework_norm_kind` in the C header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum NormKind {
    /// Less the mean, divided by the standard deviation.
    Layer = 0,
    /// Divided by the root of the mean square.
    Rms = 1,
}

/// A norm of rows, with its operands.
#[derive(Debug)]
pub struct Norm<'a> {
    /// Which one.
    pub kind: NormKind,
    /// A factor for each column.
    pub gamma: Option<Array<'a>>,
    /// A summand for each column.
    pub beta: Option<Array<'a>>,
    /// Added to the variance or the mean square.
    pub eps: f32,
}

/// Refuses an output, or an operand, of another type or shape than the input.
fn same(what: &str, x: &Array<'_>, y: (crate::ElementType, &[usize])) -> Result<()> {
    if (x.element(), x.shape()) == y {
        return Ok(());
    }
    refused(
        format!("{what} of {} {:?} into {} {:?}", x.element().name(), x.shape(), y.0.name(), y.1),
        "give an output of the input's type and shape",
    )
}

/// Queues the softmax of each row of a matrix into `out`, which has its shape and type.
///
/// # Errors
/// [`lanework_runtime::Error::Request`] where types or shapes do not go together; the device's errors.
pub fn softmax(x: Array<'_>, out: ArrayMut<'_>) -> Result<()> {
    same("a softmax", &x, (out.element(), out.shape()))?;
    of_type!(x.element(), "a softmax", T in [F16 f16, Bf16 bf16, F32 f32]
        => nn::softmax(x.tensor::<T, 2>("a matrix")?).run(out.tensor("an output")?))
}

/// Queues the norm of each row of a matrix into `out`, which has its shape and type.
///
/// # Errors
/// As [`softmax`].
///
/// ```
/// use lanework::Device;
/// use lanework_arrays::{Array, ArrayMut, ElementType, Norm, NormKind, norm};
///
/// let device = Device::best();
/// let x = device.upload(&[3.0f32, -3.0, 5.0, 5.0])?;
/// let mut y = device.zeros::<f32>(4)?;
/// let rows = Array::new(x.view(..).cast(), ElementType::F32, &[2, 2], None)?;
/// let out = ArrayMut::new(y.view_mut(..).cast(), ElementType::F32, &[2, 2], None)?;
/// norm(Norm { kind: NormKind::Rms, gamma: None, beta: None, eps: 0.0 }, rows, out)?;
/// assert_eq!(y.download()?, [1.0, -1.0, 1.0, 1.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn norm<'a>(how: Norm<'a>, x: Array<'a>, out: ArrayMut<'a>) -> Result<()> {
    same("a norm", &x, (out.element(), out.shape()))?;
    for (name, vector) in [("gamma", &how.gamma), ("beta", &how.beta)] {
        if let Some(vector) = vector
            && vector.element() != x.element()
        {
            return refused(
                format!(
                    "a {name} of {} for rows of {}",
                    vector.element().name(),
                    x.element().name()
                ),
                "give it in the type of the rows",
            );
        }
    }
    of_type!(x.element(), "a norm", T in [F16 f16, Bf16 bf16, F32 f32] => of_rows::<T>(how, x, out))
}

fn of_rows<'a, T: Normal>(how: Norm<'a>, x: Array<'a>, out: ArrayMut<'a>) -> Result<()> {
    let x = x.tensor::<T, 2>("a matrix")?;
    let norm = match how.kind {
        NormKind::Layer => nn::layer_norm(x),
        NormKind::Rms => nn::rms_norm(x),
    };
    let mut norm = norm.eps(how.eps);
    if let Some(gamma) = how.gamma {
        norm = norm.gamma(gamma.tensor::<T, 1>("gamma")?);
    }
    if let Some(beta) = how.beta {
        norm = norm.beta(beta.tensor::<T, 1>("beta")?);
    }
    norm.run(out.tensor("an output")?)
}

/// Queues `softmax(scale q k') v` into `out`: arrays of batch, heads, sequence and head dimension. Without a scale it is one over the root of the
/// head dimension.
///
/// # Errors
/// As [`softmax`].
pub fn attention<'a>(
    [q, k, v]: [Array<'a>; 3],
    causal: bool,
    scale: Option<f32>,
    out: ArrayMut<'a>,
) -> Result<()> {
    let element = q.element();
    if [k.element(), v.element(), out.element()] != [element; 3] {
        return refused(
            format!(
                "attention of {}, {} and {} into {}",
                element.name(),
                k.element().name(),
                v.element().name(),
                out.element().name()
            ),
            "all of them need elements of one type",
        );
    }
    of_type!(element, "attention", T in [F16 f16, Bf16 bf16]
        => of_halves::<T>([q, k, v], causal, scale, out))
}

fn of_halves<'a, T: Half + AttentionResult<T>>(
    [q, k, v]: [Array<'a>; 3],
    causal: bool,
    scale: Option<f32>,
    out: ArrayMut<'a>,
) -> Result<()> {
    let attention = attend(q.tensor::<T, 4>("q")?, k.tensor::<T, 4>("k")?, v.tensor::<T, 4>("v")?);
    let attention = if causal { attention.causal() } else { attention };
    let attention = match scale {
        Some(scale) => attention.scale(scale),
        None => attention,
    };
    attention.run(out.tensor::<T, 4>("an output")?)
}
