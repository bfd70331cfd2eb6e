//! Operations whose results are arrays: matrix products, softmax, norms, attention, and permutations.

use crate::array::{Array, ArrayMut, ElementType, of_axes, of_type, refused};
use half::{bf16, f16};
use lanework_ops::nn::{self, Normal};
use lanework_ops::{
    AttentionResult, Fp8E4m3, Fp8E5m2, Gemm, GemmElement, Half, Precision, attention as attend,
    gemm as multiply, permute as by_axes, transpose_in_place as in_place,
};
use lanework_runtime::{Result, Storable};

/// The function applied after the bias, numbered as `lanework_activation` in the C header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Activation {
    /// Nothing.
    #[default]
    None = 0,
    /// Replaces negative results by 0.
    Relu = 1,
    /// `x/2 (1 + erf(x/sqrt 2))`.
    Gelu = 2,
}

/// The options of a product.
#[derive(Debug)]
pub struct Product<'a> {
    /// Factor of the product.
    pub alpha: f64,
    /// Factor of the output's previous values. If it is 0, they are not read.
    pub beta: f64,
    /// The precision of products of f32 factors.
    pub precision: Precision,
    /// One element per column, of the output's or the accumulator's type.
    pub bias: Option<Array<'a>>,
    /// The function applied after the bias.
    pub activation: Activation,
    /// For 8-bit factors, f32 scales of A (one, or one per row) and of B (one, or one per column).
    pub scales: Option<(Array<'a>, Array<'a>)>,
}

impl Default for Product<'_> {
    fn default() -> Self {
        Product {
            alpha: 1.0,
            beta: 0.0,
            precision: Precision::Full,
            bias: None,
            activation: Activation::None,
            scales: None,
        }
    }
}

/// The type of the sums of a product of such elements, which is the default type of results.
///
/// # Errors
/// [`lanework_runtime::Error::Request`] if factors of that type are not supported.
pub fn sum_type(element: ElementType) -> Result<ElementType> {
    match element {
        ElementType::F64 => Ok(ElementType::F64),
        ElementType::I8 => Ok(ElementType::I32),
        ElementType::F32 | ElementType::F16 | ElementType::Bf16 => Ok(ElementType::F32),
        ElementType::E4m3 | ElementType::E5m2 => Ok(ElementType::F32),
        other => refused(
            format!("a product of {}", other.name()),
            "factors are f64, f32, f16, bf16, e4m3, e5m2 or i8: convert them",
        ),
    }
}

/// Queues `c = alpha a b + beta c` with options, for matrices, or for batches of matrices as arrays of three axes. To transpose a
/// factor, exchange its strides.
///
/// # Errors
/// [`lanework_runtime::Error::Request`] if types, shapes or options do not match; errors of the device.
///
/// ```
/// use lanework::Device;
/// use lanework_arrays::{Array, ArrayMut, ElementType, Product, gemm};
///
/// let device = Device::best();
/// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let mut c = device.zeros::<f32>(4)?;
/// let a = Array::new(x.view(..).cast(), ElementType::F32, &[2, 2], None)?;
/// let transposed = Array::new(x.view(..).cast(), ElementType::F32, &[2, 2], Some(&[1, 2]))?;
/// let out = ArrayMut::new(c.view_mut(..).cast(), ElementType::F32, &[2, 2], None)?;
/// gemm(a, transposed, Product::default(), out)?;
/// assert_eq!(c.download()?, [5.0, 11.0, 11.0, 25.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn gemm<'a>(a: Array<'a>, b: Array<'a>, how: Product<'a>, c: ArrayMut<'a>) -> Result<()> {
    match (a.shape().len(), b.shape().len(), c.shape().len()) {
        (2, 2, 2) => typed::<2>(a, b, how, c),
        (3, 3, 3) => typed::<3>(a, b, how, c),
        _ => refused(
            format!("a product of shapes {:?} and {:?} into {:?}", a.shape(), b.shape(), c.shape()),
            "give three matrices, or three batches of them: a batch has three axes, and one matrix for all is a batch of 1",
        ),
    }
}

fn typed<'a, const R: usize>(
    a: Array<'a>,
    b: Array<'a>,
    how: Product<'a>,
    c: ArrayMut<'a>,
) -> Result<()> {
    let (of_a, of_b) = (a.element(), b.element());
    sum_type(of_a)?;
    let product = match (of_a, of_b) {
        (ElementType::E4m3, ElementType::E5m2) => factors::<Fp8E4m3, Fp8E5m2, R>(a, b),
        (ElementType::E5m2, ElementType::E4m3) => factors::<Fp8E5m2, Fp8E4m3, R>(a, b),
        _ if of_a == of_b => of_type!(of_a, "a product", T in [
            F64 f64, F32 f32, F16 f16, Bf16 bf16, I8 i8, E4m3 Fp8E4m3, E5m2 Fp8E5m2
        ] => factors::<T, T, R>(a, b)),
        _ => refused(
            format!("a product of {} and {}", of_a.name(), of_b.name()),
            "both factors need elements of one type, or of the two 8-bit floats",
        ),
    }?;
    let product = with_options(product, how)?;
    of_type!(c.element(), "a product into an array", T in [
        F64 f64, F32 f32, F16 f16, Bf16 bf16, I8 i8, I32 i32, E4m3 Fp8E4m3, E5m2 Fp8E5m2
    ] => product.run(c.tensor::<T, R>("an output")?))
}

fn factors<'a, A: GemmElement, B: GemmElement, const R: usize>(
    a: Array<'a>,
    b: Array<'a>,
) -> Result<Gemm<'a, R>> {
    Ok(multiply(a.tensor::<A, R>("A")?, b.tensor::<B, R>("B")?))
}

fn with_options<'a, const R: usize>(product: Gemm<'a, R>, how: Product<'a>) -> Result<Gemm<'a, R>> {
    let Product { alpha, beta, precision, bias, activation, scales } = how;
    let mut product = product.alpha(alpha).beta(beta).precision(precision);
    if let Some((of_a, of_b)) = scales {
        for scale in [&of_a, &of_b] {
            if scale.element() != ElementType::F32 {
                return refused(format!("scales of {}", scale.element().name()), "scales are f32");
            }
        }
        product =
            product.scales(of_a.tensor::<f32, 1>("scales")?, of_b.tensor::<f32, 1>("scales")?);
    }
    if let Some(bias) = bias {
        product = of_type!(bias.element(), "a bias", T in [
            F64 f64, F32 f32, F16 f16, Bf16 bf16, I32 i32
        ] => Ok(product.bias(bias.tensor::<T, 1>("a bias")?)))?;
    }
    Ok(match activation {
        Activation::None => product,
        Activation::Relu => product.relu(),
        Activation::Gelu => product.gelu(),
    })
}

/// How rows are normalized, numbered as `lanework_norm_kind` in the C header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum NormKind {
    /// Subtracts the mean, and divides by the standard deviation.
    Layer = 0,
    /// Divides by the root of the mean square.
    Rms = 1,
}

/// A norm of rows, with its operands.
#[derive(Debug)]
pub struct Norm<'a> {
    /// The kind of norm.
    pub kind: NormKind,
    /// A factor for each column.
    pub gamma: Option<Array<'a>>,
    /// A summand for each column.
    pub beta: Option<Array<'a>>,
    /// Added to the variance or the mean square.
    pub eps: f32,
}

/// Rejects an output or operand whose type or shape differs from the input's.
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
/// [`lanework_runtime::Error::Request`] if types or shapes do not match; errors of the device.
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

/// Queues `softmax(scale q k') v` into `out`. The axes of all arrays are batch, heads, sequence and head dimension. The default
/// scale is one over the root of the head dimension.
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

/// Queues a permutation of the axes of `x` into `out`, whose axis `i` is axis `axes[i]` of `x`, as in `numpy.transpose`. The identity
/// copies between any strides.
///
/// # Errors
/// [`lanework_runtime::Error::Request`] if types, shapes or axes do not match; errors of the device.
///
/// ```
/// use lanework::Device;
/// use lanework_arrays::{Array, ArrayMut, ElementType, permute};
///
/// let device = Device::best();
/// let x = device.upload(&[1u8, 2, 3, 4, 5, 6])?;
/// let mut y = device.zeros::<u8>(6)?;
/// let input = Array::new(x.view(..), ElementType::U8, &[1, 2, 3], None)?;
/// permute(input, &[2, 0, 1], ArrayMut::new(y.view_mut(..), ElementType::U8, &[3, 1, 2], None)?)?;
/// assert_eq!(y.download()?, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn permute(x: Array<'_>, axes: &[usize], out: ArrayMut<'_>) -> Result<()> {
    if x.element().bytes() != out.element().bytes() {
        return refused(
            format!("{} moved into {}", x.element().name(), out.element().name()),
            "elements move bit for bit: give an output of the input's type",
        );
    }
    let bytes = x.element().bytes();
    of_axes!(x.shape().len(), R => match bytes {
        1 => moved::<u8, R>(x, axes, out),
        2 => moved::<u16, R>(x, axes, out),
        4 => moved::<u32, R>(x, axes, out),
        _ => moved::<u64, R>(x, axes, out),
    })
}

fn moved<T: Storable, const R: usize>(
    x: Array<'_>,
    axes: &[usize],
    out: ArrayMut<'_>,
) -> Result<()> {
    let Ok(axes) = <[usize; R]>::try_from(axes) else {
        return refused(
            format!("an order of {} axes, {axes:?}, for an array of {R}", axes.len()),
            "name each axis once, by its number from 0 on",
        );
    };
    by_axes(x.tensor::<T, R>("an input")?, axes)?.run(out.tensor::<T, R>("an output")?)
}

/// Queues the transpose of a matrix, or of each matrix of an array: exchanges the last two axes.
///
/// # Errors
/// As [`permute`].
pub fn transpose(x: Array<'_>, out: ArrayMut<'_>) -> Result<()> {
    let mut axes: Vec<usize> = (0..x.shape().len()).collect();
    let [.., rows, columns] = axes.as_mut_slice() else {
        return refused(
            format!("the transpose of an array of shape {:?}", x.shape()),
            "a transpose has two axes or more",
        );
    };
    std::mem::swap(rows, columns);
    permute(x, &axes, out)
}

/// Queues the transpose of a square matrix, or of each square matrix of an array, in place.
///
/// # Errors
/// As [`permute`], and if the matrices are not square.
pub fn transpose_in_place(x: ArrayMut<'_>) -> Result<()> {
    fn turned<T: Storable>(x: ArrayMut<'_>) -> Result<()> {
        match x.shape().len() {
            2 => in_place(x.tensor::<T, 2>("a matrix")?).run(),
            3 => in_place(x.tensor::<T, 3>("a batch of matrices")?).run(),
            _ => refused(
                format!("the transpose in place of an array of shape {:?}", x.shape()),
                "give a matrix, or a batch of them as three axes",
            ),
        }
    }
    match x.element().bytes() {
        1 => turned::<u8>(x),
        2 => turned::<u16>(x),
        4 => turned::<u32>(x),
        _ => turned::<u64>(x),
    }
}
