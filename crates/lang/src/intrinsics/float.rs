//! Mathematics on floating-point numbers.
//!
//! `sqrt`, `recip` and division are correctly rounded; functions that PTX approximates state their
//! error, as the PTX manual does.

use crate::arithmetic::{from_f32, to_f32};
use crate::builder::Builder;
use crate::current::{here, with};
use crate::scalar::Float;
use crate::value::Value;
use crate::var::{IntoVar, Var};
use half::{bf16, f16};
use lanework_ptx::ScalarType;

/// A pure unary operation on `f32` or `f64`; half precision is computed in `f32`.
fn unary(b: &mut Builder, op: &str, ty: ScalarType, x: Value) -> Value {
    match ty {
        ScalarType::F16 | ScalarType::Bf16 => {
            let wide = to_f32(b, ty, x);
            let wide = unary(b, op, ScalarType::F32, wide);
            from_f32(b, ty, wide)
        }
        _ => b.pure(&format!("{op}.{}", ty.name()), ty, &[(x, ty)]),
    }
}

/// Rounding to an integral value in the same type, such as `cvt.rmi.f32.f32`.
fn rounded(b: &mut Builder, mode: &str, ty: ScalarType, x: Value) -> Value {
    match ty {
        ScalarType::F16 | ScalarType::Bf16 => {
            let wide = to_f32(b, ty, x);
            let wide = rounded(b, mode, ScalarType::F32, wide);
            from_f32(b, ty, wide)
        }
        _ => b.pure(&format!("cvt.{mode}.{0}.{0}", ty.name()), ty, &[(x, ty)]),
    }
}

macro_rules! unary_methods {
    ($($(#[$doc:meta])* $name:ident $function:ident $op:literal;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(self) -> Var<T> {
            here();
            Var::new(with(|b| $function(b, $op, T::SCALAR, self.value)))
        }
    )*};
}

impl<T: Float> Var<T> {
    unary_methods! {
        /// The square root, correctly rounded (`sqrt.rn`).
        sqrt unary "sqrt.rn";
        /// The reciprocal, correctly rounded (`rcp.rn`).
        recip unary "rcp.rn";
        /// The largest integer not above the value (`cvt.rmi`).
        floor rounded "rmi";
        /// The smallest integer not below the value (`cvt.rpi`).
        ceil rounded "rpi";
        /// The value rounded towards zero (`cvt.rzi`).
        trunc rounded "rzi";
        /// The value rounded to the nearest integer, ties to even (`cvt.rni`).
        round_ties_even rounded "rni";
    }

    /// The value rounded to the nearest integer, ties away from zero.
    #[track_caller]
    pub fn round(self) -> Var<T> {
        let rounded = self.trunc();
        let rest = (self - rounded).abs();
        let away = crate::compare::Order::ge(rest, Var::<T>::from_f64(0.5));
        let up = crate::compare::Order::ge(self, Var::<T>::from_f64(0.0));
        let one = crate::merge::select::<T>(up, Var::from_f64(1.0), Var::from_f64(-1.0));
        crate::merge::select::<T>(away, rounded + one, rounded)
    }

    /// `self * a + b` with one rounding (`fma.rn`).
    #[track_caller]
    pub fn mul_add(self, a: impl IntoVar<T>, b: impl IntoVar<T>) -> Var<T> {
        here();
        let (ty, name) = (T::SCALAR, format!("fma.rn.{}", T::SCALAR.name()));
        let inputs = [(self.value, ty), (a.into_var().value, ty), (b.into_var().value, ty)];
        Var::new(with(|b| b.pure(&name, ty, &inputs)))
    }

    /// Whether it is a NaN.
    #[track_caller]
    pub fn is_nan(self) -> Var<bool> {
        crate::compare::Equate::ne(self, self)
    }

    /// The `exponent`-th power for an exponent known while staging, by repeated squaring;
    /// for negative exponents the reciprocal of the positive power.
    #[track_caller]
    pub fn powi(self, exponent: i32) -> Var<T> {
        let mut power = Var::from_f64(1.0);
        let (mut square, mut left) = (self, exponent.unsigned_abs());
        while left > 0 {
            if left & 1 == 1 {
                power = power * square;
            }
            left >>= 1;
            if left > 0 {
                square = square * square;
            }
        }
        if exponent < 0 { power.recip() } else { power }
    }

    /// A constant.
    fn from_f64(value: f64) -> Var<T> {
        Var::new(Value::Constant(match T::SCALAR {
            ScalarType::F16 => f16::from_f64(value).to_bits().into(),
            ScalarType::Bf16 => bf16::from_f64(value).to_bits().into(),
            ScalarType::F32 => (value as f32).to_bits().into(),
            _ => value.to_bits(),
        }))
    }
}

macro_rules! single_methods {
    ($($(#[$doc:meta])* $name:ident $op:literal;)*) => {
        impl Var<f32> {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(self) -> Var<f32> {
                here();
                Var::new(with(|b| unary(b, $op, ScalarType::F32, self.value)))
            }
        )*}
        $(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(x: impl IntoVar<f32>) -> Var<f32> {
                x.into_var().$name()
            }
        )*
    };
}

single_methods! {
    /// The reciprocal square root, within 2 units in the last place (`rsqrt.approx`).
    rsqrt "rsqrt.approx";
    /// The square root, within 3 units in the last place (`sqrt.approx`).
    sqrt_approx "sqrt.approx";
    /// The reciprocal, within 1 unit in the last place (`rcp.approx`).
    rcp_approx "rcp.approx";
    /// 2 to the power of the value, within 2 units in the last place (`ex2.approx`).
    exp2 "ex2.approx";
    /// The logarithm to base 2, absolute error 2^-22 near 1 (`lg2.approx`).
    log2 "lg2.approx";
    /// The sine, absolute error 2^-20.5 within -pi to pi (`sin.approx`).
    sin "sin.approx";
    /// The cosine, absolute error 2^-20.5 within -pi to pi (`cos.approx`).
    cos "cos.approx";
    /// The hyperbolic tangent, relative error 2^-11 (`tanh.approx`, from sm_75).
    tanh "tanh.approx";
}

impl Var<f32> {
    /// e to the power of it, as `exp2(x * log2(e))`.
    #[track_caller]
    pub fn exp(self) -> Var<f32> {
        (self * std::f32::consts::LOG2_E).exp2()
    }

    /// The power `exponent` of a positive number, as `exp2(exponent * log2(x))`.
    #[track_caller]
    pub fn powf(self, exponent: impl IntoVar<f32>) -> Var<f32> {
        (exponent.into_var() * self.log2()).exp2()
    }

    /// The natural logarithm, as `log2(x) * ln(2)`.
    #[track_caller]
    pub fn ln(self) -> Var<f32> {
        self.log2() * std::f32::consts::LN_2
    }

    /// The bits.
    #[track_caller]
    pub fn to_bits(self) -> Var<u32> {
        here();
        match self.value {
            Value::Constant(bits) => Var::new(Value::Constant(bits)),
            value => {
                let inputs = [(value, ScalarType::F32)];
                Var::new(with(|b| b.pure("mov.b32", ScalarType::U32, &inputs)))
            }
        }
    }
}

/// The square root, correctly rounded.
#[track_caller]
pub fn sqrt<T: Float>(x: impl IntoVar<T>) -> Var<T> {
    x.into_var().sqrt()
}

/// The reciprocal, correctly rounded.
#[track_caller]
pub fn rcp<T: Float>(x: impl IntoVar<T>) -> Var<T> {
    x.into_var().recip()
}

/// `a * b + c` with one rounding.
#[track_caller]
pub fn fma<T: Float>(a: impl IntoVar<T>, b: impl IntoVar<T>, c: impl IntoVar<T>) -> Var<T> {
    a.into_var().mul_add(b, c)
}

/// The largest integer not above the value.
#[track_caller]
pub fn floor<T: Float>(x: impl IntoVar<T>) -> Var<T> {
    x.into_var().floor()
}

/// The smallest integer not below the value.
#[track_caller]
pub fn ceil<T: Float>(x: impl IntoVar<T>) -> Var<T> {
    x.into_var().ceil()
}

/// The value rounded to the nearest integer, ties away from zero.
#[track_caller]
pub fn round<T: Float>(x: impl IntoVar<T>) -> Var<T> {
    x.into_var().round()
}

/// The value rounded towards zero.
#[track_caller]
pub fn trunc<T: Float>(x: impl IntoVar<T>) -> Var<T> {
    x.into_var().trunc()
}

/// The quotient, within 2 units in the last place for divisors of magnitude 2^-126 to 2^126
/// (`div.approx.f32`).
#[track_caller]
pub fn div_approx(x: impl IntoVar<f32>, y: impl IntoVar<f32>) -> Var<f32> {
    here();
    let ty = ScalarType::F32;
    let inputs = [(x.into_var().value, ty), (y.into_var().value, ty)];
    Var::new(with(|b| b.pure("div.approx.f32", ty, &inputs)))
}

/// The float with these bits.
#[track_caller]
pub fn f32_from_bits(bits: impl IntoVar<u32>) -> Var<f32> {
    bits.into_var().to_f32_bits()
}
