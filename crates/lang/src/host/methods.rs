//! Methods of numbers in generic device functions, and those that Rust's own types lack.
//!
//! The traits of generic code are above `Number`, `Integer` and `Float` and in no prelude: a bound
//! makes its methods known, and `x.min(y)` on a `u32` stays Rust's own.

use half::{bf16, f16};

macro_rules! generic_methods {
    (
        $(#[$doc:meta])* $trait:ident: $($t:ty)*;
        $($name:ident($($argument:ident: $at:ty),*) -> $out:ty;)*
    ) => {
        $(#[$doc])*
        pub trait $trait: Sized {
            $(
                /// The method of the same name.
                #[must_use]
                fn $name(self $(, $argument: $at)*) -> $out;
            )*
        }
        generic_methods!(@each [$($t)*] $trait [$($name($($argument: $at),*) -> $out;)*]);
    };
    (@each [$($t:ty)*] $trait:ident $methods:tt) => {
        $(generic_methods!(@one $t, $trait $methods);)*
    };
    (@one $t:ty, $trait:ident [$($name:ident($($argument:ident: $at:ty),*) -> $out:ty;)*]) => {
        impl $trait for $t {
            $(
                #[inline]
                fn $name(self $(, $argument: $at)*) -> $out {
                    <$t>::$name(self $(, $argument)*)
                }
            )*
        }
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
    /// Methods of `f32` and `f64`.
    FloatMethods: f32 f64;
    sqrt() -> Self;
    cbrt() -> Self;
    recip() -> Self;
    floor() -> Self;
    ceil() -> Self;
    trunc() -> Self;
    round() -> Self;
    round_ties_even() -> Self;
    fract() -> Self;
    mul_add(a: Self, b: Self) -> Self;
    hypot(other: Self) -> Self;
    powi(exponent: i32) -> Self;
    powf(exponent: Self) -> Self;
    exp() -> Self;
    exp2() -> Self;
    exp_m1() -> Self;
    ln() -> Self;
    ln_1p() -> Self;
    log2() -> Self;
    log10() -> Self;
    sin() -> Self;
    cos() -> Self;
    tan() -> Self;
    asin() -> Self;
    acos() -> Self;
    atan() -> Self;
    atan2(other: Self) -> Self;
    sinh() -> Self;
    cosh() -> Self;
    tanh() -> Self;
    asinh() -> Self;
    acosh() -> Self;
    atanh() -> Self;
    signum() -> Self;
    copysign(sign: Self) -> Self;
    is_nan() -> bool;
    is_finite() -> bool;
    is_infinite() -> bool;
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
            /// The power with an integral exponent.
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
                    $t::from_f32(self.to_f32().$name($($argument.to_f32()),*))
                }
            )*
            fn powi(self, exponent: i32) -> Self {
                $t::from_f32(self.to_f32().powi(exponent))
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
        }
    };
}

half_methods! {
    sqrt(); cbrt(); recip(); floor(); ceil(); trunc(); round(); round_ties_even(); fract();
    mul_add(a, b); hypot(other); powf(exponent); exp(); exp2(); exp_m1(); ln(); ln_1p(); log2();
    log10(); sin(); cos(); tan(); asin(); acos(); atan(); atan2(other); sinh(); cosh(); tanh();
    asinh(); acosh(); atanh();
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

/// Methods of `f32` that Rust lacks.
pub trait SingleMethods: Sized {
    /// The reciprocal square root.
    #[must_use]
    fn rsqrt(self) -> Self;
    /// The square root.
    #[must_use]
    fn sqrt_approx(self) -> Self;
    /// The reciprocal.
    #[must_use]
    fn rcp_approx(self) -> Self;
}

impl SingleMethods for f32 {
    fn rsqrt(self) -> f32 {
        1.0 / self.sqrt()
    }
    fn sqrt_approx(self) -> f32 {
        self.sqrt()
    }
    fn rcp_approx(self) -> f32 {
        self.recip()
    }
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
