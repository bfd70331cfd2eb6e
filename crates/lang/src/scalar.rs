//! The scalar types of kernels, and the operations on each.

use bytemuck::Pod;
use half::{bf16, f16};
use lanework_ptx::ScalarType;
use std::fmt::Debug;

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
pub trait Number: Scalar {}

/// Scalars with bitwise operators: integers and `bool`.
#[diagnostic::on_unimplemented(message = "`{Self}` has no bitwise operators")]
pub trait Bits: Scalar {}

macro_rules! bits {
    ($($t:ty)*) => { $(impl Bits for $t {})* };
}

bits!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

/// An integer.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an integer type of the kernel language")]
pub trait Integer: Element + Bits {}

/// A floating-point number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a floating-point number of the kernel language",
    note = "floating-point types are f16, bf16, f32 and f64; convert with `as`"
)]
pub trait Float: Element {}

/// A type that device memory and kernel parameters may hold.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in device memory",
    note = "elements are u8 to u64, i8 to i64, usize, isize, f16, bf16, f32 and f64"
)]
pub trait Element: Number + Pod {}

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
        impl Number for $t {}
        impl Element for $t {}
        impl Integer for $t {}
    )*};
}

integers!(u8 as u8 => U8, u16 as u16 => U16, u32 as u32 => U32, u64 as u64 => U64,
    i8 as u8 => S8, i16 as u16 => S16, i32 as u32 => S32, i64 as u64 => S64,
    usize as u64 => U64, isize as u64 => S64);

macro_rules! floats {
    ($($t:ty as $bits:ty => $scalar:ident),*) => {$(
        impl Scalar for $t {
            const SCALAR: ScalarType = ScalarType::$scalar;
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn from_bits(bits: u64) -> Self {
                <$t>::from_bits(bits as $bits)
            }
        }
        impl Number for $t {}
        impl Element for $t {}
        impl Float for $t {}
    )*};
}

floats!(f16 as u16 => F16, bf16 as u16 => Bf16, f32 as u32 => F32, f64 as u64 => F64);

impl Scalar for bool {
    const SCALAR: ScalarType = ScalarType::Pred;
    fn bits(self) -> u64 {
        self.into()
    }
    fn from_bits(bits: u64) -> Self {
        bits & 1 == 1
    }
}
