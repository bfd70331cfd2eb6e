//! The elementary functions of `lanework-math`, staged: what kernels call, of one and of two arguments.

mod raw;
mod real;
mod table;
mod word;

use self::raw::Raw;
use crate::arithmetic::to_f32;
use crate::cast::cast;
use crate::current::with;
use crate::value::Value;
use lanework_ptx::ScalarType;

/// A function of one argument, staged and on the host.
pub(crate) struct One {
    pub single: fn(Raw<f32>) -> Raw<f32>,
    pub double: fn(Raw<f64>) -> Raw<f64>,
    pub host_single: fn(f32) -> f32,
    pub host_double: fn(f64) -> f64,
}

/// A function of two arguments, staged and on the host.
pub(crate) struct Two {
    pub single: fn(Raw<f32>, Raw<f32>) -> Raw<f32>,
    pub double: fn(Raw<f64>, Raw<f64>) -> Raw<f64>,
    pub host_single: fn(f32, f32) -> f32,
    pub host_double: fn(f64, f64) -> f64,
}

/// The function at `x` of type `ty`: a constant's value is the host's, which has the same bits.
pub(crate) fn one(function: &One, ty: ScalarType, x: Value) -> Value {
    match (ty, x) {
        (ScalarType::F32, Value::Constant(bits)) => {
            Value::Constant((function.host_single)(f32::from_bits(bits as u32)).to_bits().into())
        }
        (ScalarType::F64, Value::Constant(bits)) => {
            Value::Constant((function.host_double)(f64::from_bits(bits)).to_bits())
        }
        (ScalarType::F32, _) => (function.single)(Raw::new(x)).0,
        (ScalarType::F64, _) => (function.double)(Raw::new(x)).0,
        _ => {
            let wide = with(|b| to_f32(b, ty, x));
            let wide = one(function, ScalarType::F32, wide);
            with(|b| cast(b, wide, ScalarType::F32, ty))
        }
    }
}

/// [`one`] for two arguments.
pub(crate) fn two(function: &Two, ty: ScalarType, x: Value, y: Value) -> Value {
    match (ty, x, y) {
        (ScalarType::F32, Value::Constant(x), Value::Constant(y)) => {
            let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
            Value::Constant((function.host_single)(x, y).to_bits().into())
        }
        (ScalarType::F64, Value::Constant(x), Value::Constant(y)) => {
            let (x, y) = (f64::from_bits(x), f64::from_bits(y));
            Value::Constant((function.host_double)(x, y).to_bits())
        }
        (ScalarType::F32, ..) => (function.single)(Raw::new(x), Raw::new(y)).0,
        (ScalarType::F64, ..) => (function.double)(Raw::new(x), Raw::new(y)).0,
        _ => {
            let (x, y) = with(|b| (to_f32(b, ty, x), to_f32(b, ty, y)));
            let wide = two(function, ScalarType::F32, x, y);
            with(|b| cast(b, wide, ScalarType::F32, ty))
        }
    }
}

macro_rules! staged {
    ($($(#[$doc:meta])* $constant:ident: $kind:ident $name:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) static $constant: $kind = $kind {
            single: lanework_math::algorithms::$name::<Raw<f32>>,
            double: lanework_math::algorithms::$name::<Raw<f64>>,
            host_single: lanework_math::$name::<f32>,
            host_double: lanework_math::$name::<f64>,
        };
    )*};
}

staged! {
    EXP: One exp;
    EXP2: One exp2;
    EXP_M1: One exp_m1;
    LN: One ln;
    LOG2: One log2;
    LOG10: One log10;
    LN_1P: One ln_1p;
    SIN: One sin;
    COS: One cos;
    TAN: One tan;
    ASIN: One asin;
    ACOS: One acos;
    ATAN: One atan;
    SINH: One sinh;
    COSH: One cosh;
    TANH: One tanh;
    ASINH: One asinh;
    ACOSH: One acosh;
    ATANH: One atanh;
    CBRT: One cbrt;
    ERF: One erf;
    ERFC: One erfc;
    ATAN2: Two atan2;
    POWF: Two powf;
    HYPOT: Two hypot;
    REM: Two rem;
    REM_EUCLID: Two rem_euclid;
    DIV_EUCLID: Two div_euclid;
}

/// The sine and the cosine of `x` of type `ty`, with one reduction.
pub(crate) fn sin_cos(ty: ScalarType, x: Value) -> (Value, Value) {
    use lanework_math::algorithms;
    match (ty, x) {
        (_, Value::Constant(_)) => (one(&SIN, ty, x), one(&COS, ty, x)),
        (ScalarType::F32, _) => {
            let (sin, cos) = algorithms::sin_cos(Raw::<f32>::new(x));
            (sin.0, cos.0)
        }
        (ScalarType::F64, _) => {
            let (sin, cos) = algorithms::sin_cos(Raw::<f64>::new(x));
            (sin.0, cos.0)
        }
        _ => {
            let wide = with(|b| to_f32(b, ty, x));
            let (sin, cos) = sin_cos(ScalarType::F32, wide);
            with(|b| (cast(b, sin, ScalarType::F32, ty), cast(b, cos, ScalarType::F32, ty)))
        }
    }
}

/// `x` of type `ty` to the power of an `i32`.
pub(crate) fn powi(ty: ScalarType, x: Value, exponent: Value) -> Value {
    use lanework_math::algorithms;
    let exponent = Raw::<u32>::new(exponent);
    match ty {
        ScalarType::F32 => algorithms::powi(Raw::<f32>::new(x), exponent).0,
        ScalarType::F64 => algorithms::powi(Raw::<f64>::new(x), exponent).0,
        _ => {
            let wide = with(|b| to_f32(b, ty, x));
            let power = algorithms::powi(Raw::<f32>::new(wide), exponent).0;
            with(|b| cast(b, power, ScalarType::F32, ty))
        }
    }
}
