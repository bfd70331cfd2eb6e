//! Methods of numbers in generic device functions, and those that Rust's own types lack.
//!
//! These traits are supertraits of `Number`, `Integer` and `Float`, and no prelude exports them. So a bound brings their methods into
//! scope, and `x.min(y)` on a `u32` remains Rust's own method.

use half::{bf16, f16};

macro_rules! generic_methods {
    (
        $(#[$doc:meta])* $trait:ident: $($t:ty)*;
        $($name:ident($($argument:ident: $at:ty),*) -> $out:ty $(= $path:path)?;)*
    ) => {
        $(#[$doc])*
        #[allow(clippy::wrong_self_convention)]
        pub trait $trait: Sized {
            $(
                /// The method of the same name.
                #[must_use]
                fn $name(self $(, $argument: $at)*) -> $out;
            )*
        }
        generic_methods!(@each [$($t)*] $trait [$($name($($argument: $at),*) -> $out $(= $path)?;)*]);
    };
    (@each [$($t:ty)*] $trait:ident $methods:tt) => {
        $(generic_methods!(@one $t, $trait $methods);)*
    };
    (@one $t:ty, $trait:ident [$($name:ident($($argument:ident: $at:ty),*) -> $out:ty $(= $path:path)?;)*]) => {
        impl $trait for $t {
            $(
                #[inline]
                fn $name(self $(, $argument: $at)*) -> $out {
                    generic_methods!(@call $t, $name, (self $(, $argument)*) $(, $path)?)
                }
            )*
        }
    };
    (@call $t:ty, $name:ident, $arguments:tt, $path:path) => {
        $path $arguments
    };
    (@call $t:ty, $name:ident, $arguments:tt) => {
        <$t>::$name $arguments
    };
}

generic_methods! {
    /// Methods of integers.
    IntegerMethods: u8 u16 u32 u64 usize i8 i16 i32 i64 isize;
    count_ones() -> u32;
    count_zeros() -> u32;
    leading_zeros() -> u32;
    trailing_zeros() -> u32;
    leading_ones() -> u32;
    trailing_ones() -> u32;
    reverse_bits() -> Self;
    rotate_left(by: u32) -> Self;
    rotate_right(by: u32) -> Self;
    wrapping_add(other: Self) -> Self;
    wrapping_sub(other: Self) -> Self;
    wrapping_mul(other: Self) -> Self;
    wrapping_div(other: Self) -> Self;
    wrapping_rem(other: Self) -> Self;
    wrapping_neg() -> Self;
    wrapping_shl(by: u32) -> Self;
    wrapping_shr(by: u32) -> Self;
    wrapping_pow(exponent: u32) -> Self;
    saturating_add(other: Self) -> Self;
    saturating_sub(other: Self) -> Self;
    pow(exponent: u32) -> Self;
    ilog2() -> u32;
}

generic_methods! {
    /// Methods of floating-point numbers. The elementary functions return the same bits as in a kernel.
    FloatMethods: f32 f64;
    sqrt() -> Self;
    recip() -> Self;
    floor() -> Self;
    ceil() -> Self;
    trunc() -> Self;
    round() -> Self;
    round_ties_even() -> Self;
    fract() -> Self;
    mul_add(a: Self, b: Self) -> Self;
    to_degrees() -> Self;
    to_radians() -> Self;
    rem_euclid(other: Self) -> Self = lanework_math::rem_euclid;
    div_euclid(other: Self) -> Self = lanework_math::div_euclid;
    cbrt() -> Self = lanework_math::cbrt;
    hypot(other: Self) -> Self = lanework_math::hypot;
    powi(exponent: i32) -> Self = lanework_math::powi;
    powf(exponent: Self) -> Self = lanework_math::powf;
    exp() -> Self = lanework_math::exp;
    exp2() -> Self = lanework_math::exp2;
    exp_m1() -> Self = lanework_math::exp_m1;
    ln() -> Self = lanework_math::ln;
    ln_1p() -> Self = lanework_math::ln_1p;
    log2() -> Self = lanework_math::log2;
    log10() -> Self = lanework_math::log10;
    sin() -> Self = lanework_math::sin;
    cos() -> Self = lanework_math::cos;
    tan() -> Self = lanework_math::tan;
    asin() -> Self = lanework_math::asin;
    acos() -> Self = lanework_math::acos;
    atan() -> Self = lanework_math::atan;
    atan2(other: Self) -> Self = lanework_math::atan2;
    sinh() -> Self = lanework_math::sinh;
    cosh() -> Self = lanework_math::cosh;
    tanh() -> Self = lanework_math::tanh;
    asinh() -> Self = lanework_math::asinh;
    acosh() -> Self = lanework_math::acosh;
    atanh() -> Self = lanework_math::atanh;
    erf() -> Self = lanework_math::erf;
    erfc() -> Self = lanework_math::erfc;
    signum() -> Self;
    copysign(sign: Self) -> Self;
    is_nan() -> bool;
    is_finite() -> bool;
    is_infinite() -> bool;
    is_sign_negative() -> bool;
    is_sign_positive() -> bool;
}

macro_rules! half_methods {
    ($($name:ident($($argument:ident),*);)*) => {
        /// Methods of half-precision numbers, computed in `f32` and rounded.
        pub trait HalfMethods: Sized {
            $(
                /// The method of the same name.
                #[must_use]
                fn $name(self $(, $argument: Self)*) -> Self;
            )*
            /// The value to an integer power.
            #[must_use]
            fn powi(self, exponent: i32) -> Self;
            /// The absolute value.
            #[must_use]
            fn abs(self) -> Self;
        }
        half_methods!(@impl f16 $($name($($argument),*);)*);
        half_methods!(@impl bf16 $($name($($argument),*);)*);
    };
    (@impl $t:ident $($name:ident($($argument:ident),*);)*) => {
        impl HalfMethods for $t {
            $(
                fn $name(self $(, $argument: Self)*) -> Self {
                    $t::from_f32(FloatMethods::$name(self.to_f32() $(, $argument.to_f32())*))
                }
            )*
            fn powi(self, exponent: i32) -> Self {
                $t::from_f32(lanework_math::powi(self.to_f32(), exponent))
            }
            fn abs(self) -> Self {
                $t::from_bits(self.to_bits() & 0x7fff)
            }
        }
        impl FloatMethods for $t {
            $(
                fn $name(self $(, $argument: Self)*) -> Self {
                    HalfMethods::$name(self $(, $argument)*)
                }
            )*
            fn powi(self, exponent: i32) -> Self {
                HalfMethods::powi(self, exponent)
            }
            fn signum(self) -> Self {
                $t::signum(self)
            }
            fn copysign(self, sign: Self) -> Self {
                $t::copysign(self, sign)
            }
            fn is_nan(self) -> bool {
                $t::is_nan(self)
            }
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
            fn is_infinite(self) -> bool {
                $t::is_infinite(self)
            }
            fn is_sign_negative(self) -> bool {
                $t::is_sign_negative(self)
            }
            fn is_sign_positive(self) -> bool {
                $t::is_sign_positive(self)
            }
        }
    };
}

half_methods! {
    sqrt(); cbrt(); recip(); floor(); ceil(); trunc(); round(); round_ties_even(); fract();
    mul_add(a, b); hypot(other); powf(exponent); exp(); exp2(); exp_m1(); ln(); ln_1p(); log2();
    log10(); sin(); cos(); tan(); asin(); acos(); atan(); atan2(other); sinh(); cosh(); tanh();
    asinh(); acosh(); atanh(); erf(); erfc(); to_degrees(); to_radians(); rem_euclid(other);
    div_euclid(other);
}

/// Methods of every number.
pub trait NumberMethods: Sized {
    /// The smaller value; for floats, the operand that is not NaN.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// The larger value; for floats, the operand that is not NaN.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// The value clamped to `low..=high`.
    #[must_use]
    fn clamp(self, low: Self, high: Self) -> Self;
    /// The absolute value; the smallest signed integer stays unchanged.
    #[must_use]
    fn abs(self) -> Self;
}

macro_rules! number_methods {
    ($($t:ty: $min:path, $max:path, $clamp:path, $abs:expr;)*) => {$(
        impl NumberMethods for $t {
            #[inline]
            fn min(self, other: Self) -> Self {
                $min(self, other)
            }
            #[inline]
            fn max(self, other: Self) -> Self {
                $max(self, other)
            }
            #[inline]
            fn clamp(self, low: Self, high: Self) -> Self {
                $clamp(self, low, high)
            }
            #[inline]
            fn abs(self) -> Self {
                let abs: fn($t) -> $t = $abs;
                abs(self)
            }
        }
    )*};
}

macro_rules! integer_methods {
    ($($t:ty: $abs:expr;)*) => {
        number_methods! {$( $t: Ord::min, Ord::max, Ord::clamp, $abs; )*}
    };
}

integer_methods! {
    u8: |x| x; u16: |x| x; u32: |x| x; u64: |x| x; usize: |x| x;
    i8: i8::wrapping_abs; i16: i16::wrapping_abs; i32: i32::wrapping_abs; i64: i64::wrapping_abs;
    isize: isize::wrapping_abs;
}

number_methods! {
    f32: f32::min, f32::max, f32::clamp, f32::abs;
    f64: f64::min, f64::max, f64::clamp, f64::abs;
    f16: f16::min, f16::max, f16::clamp, HalfMethods::abs;
    bf16: bf16::min, bf16::max, bf16::clamp, HalfMethods::abs;
}

/// Methods of integers that Rust lacks.
pub trait WordMethods: Sized {
    /// The high half of the double-width product.
    #[must_use]
    fn mul_hi(self, other: Self) -> Self;
    /// The `f32` with these bits.
    #[must_use]
    fn to_f32_bits(self) -> f32;
}

macro_rules! word_methods {
    ($($t:ty)*) => {$(
        impl WordMethods for $t {
            fn mul_hi(self, other: Self) -> Self {
                let product = match <$t>::MIN == 0 {
                    true => (self as u128).wrapping_mul(other as u128) as i128,
                    false => (self as i128).wrapping_mul(other as i128),
                };
                (product >> <$t>::BITS) as $t
            }
            fn to_f32_bits(self) -> f32 {
                f32::from_bits(self as u32)
            }
        }
    )*};
}

word_methods!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
