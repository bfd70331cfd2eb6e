//! Element types of attention.

use half::{bf16, f16};
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, Narrow, Product};

/// A 16-bit float: an operand of the tensor cores, and the type that f32 results are rounded to.
///
/// ```
/// use half::{bf16, f16};
/// use lanework_ops::Half;
///
/// fn bits<T: Half>() -> u32 {
///     T::BITS
/// }
/// assert_eq!((bits::<f16>(), bits::<bf16>()), (16, 16));
/// ```
pub trait Half:
    GroupProduct<Self, f32, Storage = Self> + Product<Self, f32, 16, 8, 16> + Narrow + Element
{
}

impl Half for f16 {}
impl Half for bf16 {}
