//! The functions on the host's numbers, compiled for fused multiply-adds where the processor has them.

use crate::elementary::{
    error_function, exponential, hyperbolic, inverse, logarithm, power, remainder, root,
    trigonometric,
};
use crate::real::Real;
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
                /// The same, for a processor with fused multiply-adds.
                ///
                /// # Safety
                /// The processor has them.
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
    ln(x: T) -> T = logarithm::ln(x);
    /// The logarithm to base 2.
    log2(x: T) -> T = logarithm::log2(x);
    /// The logarithm to base 10.
    log10(x: T) -> T = logarithm::log10(x);
    /// `ln(1 + x)`, precise for small `x`.
    ln_1p(x: T) -> T = logarithm::ln_1p(x);
    /// The sine of an angle in radians.
    sin(x: T) -> T = trigonometric::sin(x);
    /// The cosine of an angle in radians.
    cos(x: T) -> T = trigonometric::cos(x);
    /// The sine and the cosine.
    sin_cos(x: T) -> (T, T) = trigonometric::sin_cos(x);
    /// The tangent of an angle in radians.
    tan(x: T) -> T = trigonometric::tan(x);
    /// The arc sine.
    asin(x: T) -> T = inverse::asin(x);
    /// The arc cosine.
    acos(x: T) -> T = inverse::acos(x);
    /// The arc tangent.
    atan(x: T) -> T = inverse::atan(x);
    /// The angle of the point `(x, y)`, from -pi to pi.
    atan2(y: T, x: T) -> T = inverse::atan2(y, x);
    /// The hyperbolic sine.
    sinh(x: T) -> T = hyperbolic::sinh(x);
    /// The hyperbolic cosine.
    cosh(x: T) -> T = hyperbolic::cosh(x);
    /// The hyperbolic tangent.
    tanh(x: T) -> T = hyperbolic::tanh(x);
    /// The inverse hyperbolic sine.
    asinh(x: T) -> T = hyperbolic::asinh(x);
    /// The inverse hyperbolic cosine.
    acosh(x: T) -> T = hyperbolic::acosh(x);
    /// The inverse hyperbolic tangent.
    atanh(x: T) -> T = hyperbolic::atanh(x);
    /// `x` to the power of `y`.
    powf(x: T, y: T) -> T = power::powf(x, y);
    /// `x` to the power of an integer.
    powi(x: T, n: i32) -> T = power::powi(x, Wrapping(n as u32));
    /// The cube root.
    cbrt(x: T) -> T = root::cbrt(x);
    /// `sqrt(x^2 + y^2)` without overflow on the way.
    hypot(x: T, y: T) -> T = root::hypot(x, y);
    /// The error function.
    erf(x: T) -> T = error_function::erf(x);
    /// The complement of the error function, `1 - erf(x)`, precise where it is small.
    erfc(x: T) -> T = error_function::erfc(x);
    /// The remainder `x % y`, with the sign of `x`: exact.
    rem(x: T, y: T) -> T = remainder::rem(x, y);
    /// The remainder of Euclidean division.
    rem_euclid(x: T, y: T) -> T = remainder::rem_euclid(x, y);
    /// The quotient of Euclidean division.
    div_euclid(x: T, y: T) -> T = remainder::div_euclid(x, y);
}
