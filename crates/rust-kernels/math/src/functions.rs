//! The functions on the host's `f32` and `f64`, compiled for fused multiply-adds if the processor supports them, and the operations
//! on these numbers.

use crate::elementary::coefficients::{TWO_OVER_PI_DOUBLE, TWO_OVER_PI_SINGLE};
use crate::elementary::{exponential, root, trigonometric};
use crate::real::{Mask, Pair, Real, Word};
use std::num::Wrapping;

/// A number of the host: `f32` or `f64`.
pub trait Number: Real<Bits: crate::real::Word<Short = Wrapping<u32>>> + sealed::Sealed {}

mod sealed {
    /// Closes [`Number`](super::Number).
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Number for f32 {}

impl Number for f64 {}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($x:ident: $t:ty),*) -> $out:ty = $call:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name<T: Number>($($x: $t),*) -> $out {
            #[cfg(target_arch = "x86_64")]
            {
                /// The same function, for a processor with fused multiply-adds.
                ///
                /// # Safety
                /// The processor must support them.
                #[target_feature(enable = "fma")]
                fn fused<T: Number>($($x: $t),*) -> $out {
                    $call
                }
                if std::arch::is_x86_feature_detected!("fma") {
                    // SAFETY: `is_x86_feature_detected` found `fma`, the only feature that `fused` enables.
                    return unsafe { fused($($x),*) };
                }
            }
            $call
        }
    )*};
}

functions! {
    /// e to the power of `x`.
    exp(x: T) -> T = exponential::exp(x);
    /// 2 to the power of `x`.
    exp2(x: T) -> T = exponential::exp2(x);
    /// `exp(x) - 1`, precise for small `x`.
    exp_m1(x: T) -> T = exponential::exp_m1(x);
    /// The natural logarithm.
    ln(x: T) -> T = exponential::ln(x);
    /// The logarithm to base 2.
    log2(x: T) -> T = exponential::log2(x);
    /// The logarithm to base 10.
    log10(x: T) -> T = exponential::log10(x);
    /// `ln(1 + x)`, precise for small `x`.
    ln_1p(x: T) -> T = exponential::ln_1p(x);
    /// The sine of an angle in radians.
    sin(x: T) -> T = trigonometric::sin(x);
    /// The cosine of an angle in radians.
    cos(x: T) -> T = trigonometric::cos(x);
    /// The sine and the cosine.
    sin_cos(x: T) -> (T, T) = trigonometric::sin_cos(x);
    /// The tangent of an angle in radians.
    tan(x: T) -> T = trigonometric::tan(x);
    /// The arc sine.
    asin(x: T) -> T = trigonometric::asin(x);
    /// The arc cosine.
    acos(x: T) -> T = trigonometric::acos(x);
    /// The arc tangent.
    atan(x: T) -> T = trigonometric::atan(x);
    /// The angle of the point `(x, y)`, from -pi to pi.
    atan2(y: T, x: T) -> T = trigonometric::atan2(y, x);
    /// The hyperbolic sine.
    sinh(x: T) -> T = trigonometric::sinh(x);
    /// The hyperbolic cosine.
    cosh(x: T) -> T = trigonometric::cosh(x);
    /// The hyperbolic tangent.
    tanh(x: T) -> T = trigonometric::tanh(x);
    /// The inverse hyperbolic sine.
    asinh(x: T) -> T = trigonometric::asinh(x);
    /// The inverse hyperbolic cosine.
    acosh(x: T) -> T = trigonometric::acosh(x);
    /// The inverse hyperbolic tangent.
    atanh(x: T) -> T = trigonometric::atanh(x);
    /// `x` to the power of `y`.
    powf(x: T, y: T) -> T = exponential::powf(x, y);
    /// `x` to the power of an integer.
    powi(x: T, n: i32) -> T = exponential::powi(x, Wrapping(n as u32));
    /// The cube root.
    cbrt(x: T) -> T = root::cbrt(x);
    /// `sqrt(x^2 + y^2)` without overflow of intermediate results.
    hypot(x: T, y: T) -> T = root::hypot(x, y);
    /// The error function.
    erf(x: T) -> T = exponential::erf(x);
    /// The complement of the error function, `1 - erf(x)`, precise where it is small.
    erfc(x: T) -> T = exponential::erfc(x);
    /// The remainder `x % y`, with the sign of `x`: exact.
    rem(x: T, y: T) -> T = root::rem(x, y);
    /// The remainder of Euclidean division.
    rem_euclid(x: T, y: T) -> T = root::rem_euclid(x, y);
    /// The quotient of Euclidean division.
    div_euclid(x: T, y: T) -> T = root::div_euclid(x, y);
}

impl Mask for bool {}

macro_rules! word {
    ($t:ty, $signed:ty, $wide:ty, $bits:literal) => {
        impl Word for Wrapping<$t> {
            type Mask = bool;
            type Short = Wrapping<u32>;
            type Entry = $t;
            #[inline(always)]
            fn constant(bits: u64) -> Self {
                Wrapping(bits as $t)
            }
            #[inline(always)]
            fn shl(self, by: Wrapping<u32>) -> Self {
                Wrapping(self.0.checked_shl(by.0).unwrap_or(0))
            }
            #[inline(always)]
            fn shr(self, by: Wrapping<u32>) -> Self {
                Wrapping(self.0.checked_shr(by.0).unwrap_or(0))
            }
            #[inline(always)]
            fn sar(self, by: Wrapping<u32>) -> Self {
                Wrapping(((self.0 as $signed) >> by.0.min($bits - 1)) as $t)
            }
            #[inline(always)]
            fn mul_high(self, other: Self) -> Self {
                Wrapping(((<$wide>::from(self.0) * <$wide>::from(other.0)) >> $bits) as $t)
            }
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                Wrapping(self.0.checked_rem(other.0).unwrap_or(self.0))
            }
            #[inline(always)]
            fn leading_zeros(self) -> Wrapping<u32> {
                Wrapping(self.0.leading_zeros())
            }
            #[inline(always)]
            fn eq(self, other: Self) -> bool {
                self.0 == other.0
            }
            #[inline(always)]
            fn below(self, other: Self) -> bool {
                self.0 < other.0
            }
            #[inline(always)]
            fn less(self, other: Self) -> bool {
                (self.0 as $signed) < (other.0 as $signed)
            }
            #[inline(always)]
            fn where_else(self, mask: bool, other: Self) -> Self {
                if mask { self } else { other }
            }
            #[inline(always)]
            fn short(self) -> Wrapping<u32> {
                Wrapping(self.0 as u32)
            }
            #[inline(always)]
            fn extended(short: Wrapping<u32>) -> Self {
                Wrapping(short.0.into())
            }
            #[inline(always)]
            fn look_up(table: &'static [$t], index: Wrapping<u32>) -> Self {
                Wrapping(table[index.0 as usize])
            }
            #[inline(always)]
            fn repeat<const N: usize>(
                mut state: [Self; N],
                go: impl Fn([Self; N]) -> bool,
                step: impl Fn([Self; N]) -> [Self; N],
            ) -> [Self; N] {
                while go(state) {
                    state = step(state);
                }
                state
            }
        }
    };
}

word!(u32, i32, u64, 32);

word!(u64, i64, u128, 64);

macro_rules! real {
    ($t:ty, $bits:ty, $double:literal, $field:ident, $table:ident, $shift:literal) => {
        impl Real for $t {
            type Bits = Wrapping<$bits>;
            const DOUBLE: bool = $double;
            #[inline(always)]
            fn constant(value: Pair) -> Self {
                value.$field
            }
            #[inline(always)]
            fn two_over_pi(index: Wrapping<u32>) -> Self::Bits {
                Word::look_up($table, index)
            }
            #[inline(always)]
            fn fma(self, a: Self, b: Self) -> Self {
                self.mul_add(a, b)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn trunc(self) -> Self {
                self.trunc()
            }
            #[inline(always)]
            fn eq(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                self <= other
            }
            #[inline(always)]
            fn where_else(self, mask: bool, other: Self) -> Self {
                if mask { self } else { other }
            }
            #[inline(always)]
            fn branch(
                mask: bool,
                first: impl FnOnce() -> Self,
                second: impl FnOnce() -> Self,
            ) -> Self {
                if mask { first() } else { second() }
            }
            #[inline(always)]
            fn branch_parts(
                mask: bool,
                first: impl FnOnce() -> (Self, Self, Wrapping<u32>),
                second: impl FnOnce() -> (Self, Self, Wrapping<u32>),
            ) -> (Self, Self, Wrapping<u32>) {
                if mask { first() } else { second() }
            }
            #[inline(always)]
            fn to_bits(self) -> Self::Bits {
                Wrapping(self.to_bits())
            }
            #[inline(always)]
            fn from_bits(bits: Self::Bits) -> Self {
                <$t>::from_bits(bits.0)
            }
            #[inline(always)]
            fn high(self) -> Wrapping<u32> {
                Wrapping((self.to_bits() >> $shift) as u32)
            }
            #[inline(always)]
            fn with_high(self, high: Wrapping<u32>) -> Self {
                let low = self.to_bits() & ((1 as $bits) << $shift).wrapping_sub(1);
                <$t>::from_bits(<$bits>::from(high.0) << $shift | low)
            }
            #[inline(always)]
            fn from_high(high: Wrapping<u32>) -> Self {
                <$t>::from_bits(<$bits>::from(high.0) << $shift)
            }
            #[inline(always)]
            fn low(self) -> Wrapping<u32> {
                Wrapping(self.to_bits() as u32)
            }
            #[inline(always)]
            fn from_short(integer: Wrapping<u32>) -> Self {
                integer.0 as i32 as $t
            }
        }
    };
}

real!(f32, u32, false, single, TWO_OVER_PI_SINGLE, 0);

real!(f64, u64, true, double, TWO_OVER_PI_DOUBLE, 32);
