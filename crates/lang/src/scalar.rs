//! The scalar types of kernels, and the operations on each.

use crate::host::{FloatMethods, IntegerMethods, NumberMethods, WordMethods};
use crate::var::Var;
use bytemuck::Pod;
use half::{bf16, f16};
use lanework_ptx::ScalarType;
use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};
use std::ops::{AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign};
use std::ops::{RemAssign, ShlAssign, ShrAssign, SubAssign};

/// A value that fits a register: the numbers and `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar of the kernel language",
    note = "scalars are bool, u8 to u64, i8 to i64, usize, isize, f16, bf16, f32 and f64"
)]
pub trait Scalar: Copy + Debug + PartialEq + PartialOrd + Send + Sync + 'static {
    /// The PTX type, `pred` for `bool`.
    const SCALAR: ScalarType;
    /// The value's bits, zero-extended.
    fn bits(self) -> u64;
    /// The value with these bits; bits beyond the type's width are ignored.
    fn from_bits(bits: u64) -> Self;
}

/// A scalar with arithmetic and an order: every one but `bool`.
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

/// Scalars with bitwise operators: integers and `bool`.
#[diagnostic::on_unimplemented(message = "`{Self}` has no bitwise operators")]
pub trait Bits: Scalar {}

macro_rules! bits {
    ($($t:ty)*) => { $(impl Bits for $t {})* };
}

bits!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

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
pub trait Element: Number + Storable {}

/// A type whose values buffers hold: scalars, arrays of them, and `#[device]` structs without
/// padding.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in device memory",
    label = "not a type that buffers hold",
    note = "buffers hold u8 to u64, i8 to i64, usize, isize, f16, bf16, f32, f64, arrays of them, \
            and #[device] structs of these; a `bool` is a `u32` there, a tuple a struct"
)]
pub trait Storable: Pod {}

impl<T: Storable, const N: usize> Storable for [T; N] {}

macro_rules! integers {
    ($($t:ty as $bits:ty => $scalar:ident),*) => {$(
        impl Scalar for $t {
            const SCALAR: ScalarType = ScalarType::$scalar;
            fn bits(self) -> u64 {
                (self as $bits).into()
            }
            fn from_bits(bits: u64) -> Self {
                bits as $t
            }
        }
        impl Number for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const MIN: Self = <$t>::MIN;
            const MAX: Self = <$t>::MAX;
        }
        impl Storable for $t {}
        impl Element for $t {}
        impl Integer for $t {
            const BITS: u32 = <$t>::BITS;
        }
    )*};
}

integers!(u8 as u8 => U8, u16 as u16 => U16, u32 as u32 => U32, u64 as u64 => U64,
    i8 as u8 => S8, i16 as u16 => S16, i32 as u32 => S32, i64 as u64 => S64,
    usize as u64 => U64, isize as u64 => S64);

macro_rules! floats {
    ($($t:ty as $bits:ty => $scalar:ident $zero:expr, $one:expr;)*) => {$(
        impl Scalar for $t {
            const SCALAR: ScalarType = ScalarType::$scalar;
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn from_bits(bits: u64) -> Self {
                <$t>::from_bits(bits as $bits)
            }
        }
        impl Number for $t {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            const MIN: Self = <$t>::MIN;
            const MAX: Self = <$t>::MAX;
        }
        impl Storable for $t {}
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
    f16 as u16 => F16 f16::ZERO, f16::ONE;
    bf16 as u16 => Bf16 bf16::ZERO, bf16::ONE;
    f32 as u32 => F32 0.0, 1.0;
    f64 as u64 => F64 0.0, 1.0;
}

impl Scalar for bool {
    const SCALAR: ScalarType = ScalarType::Pred;
    fn bits(self) -> u64 {
        self.into()
    }
    fn from_bits(bits: u64) -> Self {
        bits & 1 == 1
    }
}
