//! The numbers of kernels: traits for generic code, with constants and operators; and integers as indices, run-time or on the host.

use crate::emit::builder::Builder;
use crate::emit::value::{Index, Value, integer};
use crate::scalar::host_methods::{FloatMethods, IntegerMethods, NumberMethods, WordMethods};
use crate::scalar::var::{Bits, Scalar, Var};
use half::{bf16, f16};
use lanework_abi::Storable;
use lanework_ptx::ScalarType;
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign,
    Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

/// A scalar with arithmetic and an order: every scalar but `bool`.
///
/// ```
/// # use lanework::prelude::*;
/// /// The bounds of a type, in generic code.
/// #[device]
/// fn bounds<T: Number>(x: T) -> bool {
///     x >= T::MIN && x <= T::MAX && T::ONE > T::ZERO
/// }
///
/// #[device]
/// fn top_bit<T: Integer>(x: T) -> T {
///     x >> (T::BITS - 1)
/// }
///
/// #[device]
/// fn next<T: Float>(x: T) -> T {
///     if x < T::MIN_POSITIVE || x == T::INFINITY || x == T::NEG_INFINITY { T::NAN } else { x + T::EPSILON }
/// }
///
/// #[kernel]
/// fn example<T: Element + Float>(x: &[T], bits: &[u32], out: &mut [T]) {
///     if bounds(x[0]) && top_bit(bits[0]) == 1 {
///         out[0] = next(x[0]);
///     }
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[1.0f64])?;
/// # let bits = device.upload(&[1u32 << 31])?;
/// # let mut out = device.zeros::<f64>(1)?;
/// # example(&x, &bits, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [1.0 + f64::EPSILON]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of the kernel language",
    note = "numbers are u8 to u64, i8 to i64, usize, isize, f16, bf16, f32 and f64"
)]
pub trait Number:
    Scalar
    + Storable
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + Add<Var<Self>, Output = Var<Self>>
    + Sub<Var<Self>, Output = Var<Self>>
    + Mul<Var<Self>, Output = Var<Self>>
    + Div<Var<Self>, Output = Var<Self>>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + NumberMethods
    + Rem<Var<Self>, Output = Var<Self>>
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The smallest value; for floating-point numbers, the smallest finite one.
    const MIN: Self;
    /// The largest value; for floating-point numbers, the largest finite one.
    const MAX: Self;
}

/// An integer.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an integer type of the kernel language")]
pub trait Integer:
    Element
    + Bits
    + Rem<Output = Self>
    + Rem<Var<Self>, Output = Var<Self>>
    + Eq
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + BitAnd<Var<Self>, Output = Var<Self>>
    + BitOr<Var<Self>, Output = Var<Self>>
    + BitXor<Var<Self>, Output = Var<Self>>
    + RemAssign
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + ShlAssign<u32>
    + ShrAssign<u32>
    + IntegerMethods
    + WordMethods
{
    /// The number of bits.
    const BITS: u32;
}

/// A floating-point number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a floating-point number of the kernel language",
    note = "floating-point types are f16, bf16, f32 and f64; convert with `as`"
)]
pub trait Float: Element + Neg<Output = Self> + FloatMethods {
    /// The distance from 1 to the next larger number.
    const EPSILON: Self;
    /// The smallest positive normal number.
    const MIN_POSITIVE: Self;
    /// Infinity.
    const INFINITY: Self;
    /// Negative infinity.
    const NEG_INFINITY: Self;
    /// Not a number.
    const NAN: Self;
}

/// A type that device memory and kernel parameters may hold.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in device memory",
    note = "elements are u8 to u64, i8 to i64, usize, isize, f16, bf16, f32 and f64"
)]
pub trait Element: Number + Storable + bytemuck::Pod {}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Number for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const MIN: Self = <$t>::MIN;
            const MAX: Self = <$t>::MAX;
        }
        impl Element for $t {}
        impl Integer for $t {
            const BITS: u32 = <$t>::BITS;
        }
    )*};
}

integers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

macro_rules! floats {
    ($($t:ty: $zero:expr, $one:expr;)*) => {$(
        impl Number for $t {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            const MIN: Self = <$t>::MIN;
            const MAX: Self = <$t>::MAX;
        }
        impl Element for $t {}
        impl Float for $t {
            const EPSILON: Self = <$t>::EPSILON;
            const MIN_POSITIVE: Self = <$t>::MIN_POSITIVE;
            const INFINITY: Self = <$t>::INFINITY;
            const NEG_INFINITY: Self = <$t>::NEG_INFINITY;
            const NAN: Self = <$t>::NAN;
        }
    )*};
}

floats! {
    f16: f16::ZERO, f16::ONE;
    bf16: bf16::ZERO, bf16::ONE;
    f32: 0.0, 1.0;
    f64: 0.0, 1.0;
}

/// An integer of any type that may index memory, known on the host or only at run time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot index an array",
    label = "expected an integer"
)]
pub trait IndexValue: Copy {
    /// The index as an untyped value and its type.
    #[doc(hidden)]
    fn parts(self) -> Index;
}

macro_rules! host_integers {
    ($($t:ty)*) => {$(
        impl IndexValue for $t {
            fn parts(self) -> Index {
                Index { value: Value::Constant(self.bits()), ty: <$t>::SCALAR }
            }
        }

        impl Extent for $t {
            fn extent(self) -> Option<usize> {
                usize::try_from(self).ok()
            }
        }
    )*};
}

// One impl per type instead of one for all `Integer` types, so that rustc's errors list the types.
host_integers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

/// The type of an index: any integer.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot index an array",
    label = "expected an integer"
)]
pub trait IndexType: Scalar {}

#[diagnostic::do_not_recommend]
impl<T: Integer> IndexType for T {}

impl<T: IndexType> IndexValue for Var<T> {
    fn parts(self) -> Index {
        Index { value: self.value, ty: T::SCALAR }
    }
}

impl Index {
    /// The index plus `count`.
    pub(crate) fn plus(self, b: &mut Builder, count: u64) -> Index {
        use crate::emit::arithmetic::Operation;
        use crate::emit::arithmetic::binary;
        let value = binary(b, Operation::Add, self.ty, self.value, Value::Constant(count));
        Index { value, ty: self.ty }
    }

    /// The index sign- or zero-extended to 64 bits.
    pub(crate) fn widened(self, b: &mut Builder) -> Value {
        match self.value {
            Value::Constant(bits) => Value::Constant(integer(bits, self.ty) as u64),
            value if self.ty.size() == 8 => value,
            value if self.ty.is_signed() => {
                b.pure("cvt.s64.s32", ScalarType::S64, &[(value, ScalarType::S32)])
            }
            value => b.pure("cvt.u64.u32", ScalarType::U64, &[(value, ScalarType::U32)]),
        }
    }
}

/// A host integer that is an array's extent or a constant index.
#[diagnostic::on_unimplemented(
    message = "this value is not known while the kernel is staged",
    label = "a run-time value cannot be used here",
    note = "register arrays and shapes take literals, const generics, `#[constant]` parameters and \
            the variables of `#[unroll]` loops; put the array in shared memory for run-time indices"
)]
pub trait Extent: Copy {
    /// The value; `None` if it is negative or too large.
    fn extent(self) -> Option<usize>;
}
