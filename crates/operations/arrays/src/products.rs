//! Matrix products with their options as data.

use crate::array::{Array, ArrayMut, ElementType, of_type, refused};
use half::{bf16, f16};
use lanework_ops::{Fp8E4m3, Fp8E5m2, Gemm, GemmElement, Precision, gemm as multiply};
use lanework_runtime::Result;

/// The function applied after the bias, numbered as `lanework_activation` in the C header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Activation {
    /// Nothing.
    #[default]
    None = 0,
    /// Negative results become 0.
    Relu = 1,
    /// `x/2 (1 + erf(x/sqrt 2))`.
    Gelu = 2,
}

/// The options of a product.
#[derive(Debug)]
pub struct Product<'a> {
    /// Factor of the product.
    pub alpha: f64,
    /// Factor of the output's former values, which are not read if it is 0.
    pub beta: f64,
    /// How factors of f32 are multiplied.
    pub precision: Precision,
    /// One element per column, of the output's or the accumulator's type.
    pub bias: Option<Array<'a>>,
    /// The function applied after the bias.
    pub activation: Activation,
    /// Of 8-bit factors: f32 scales of A, one or one for each row, and of B, one or one for each column.
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

/// The type of the sums of a product of elements of a type: what results are without asking for another one.
///
/// # Errors
/// [`lanework_runtime::Error::Request`] where factors of that type are not multiplied.
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

/// Queues `c = alpha a b + beta c`, with what the options ask for: matrices, or batches of them as three axes. Transposed factors are arrays with
/// their strides exchanged.
///
/// # Errors
/// [`lanework_runtime::Error::Request`] where types, shapes or options do not go together; the device's errors.
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
