//! Floating-point numbers: rounding, signs, square roots, bits. Every operation here is correctly rounded.
//!
//! Also the methods of `f16` and `bf16` that the crate `half` provides on the host.

use crate::emit::arithmetic::{Operation, binary, from_f32, to_f32};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::scalar::cast::Cast;
use crate::scalar::compare::{Relation, relate};
use crate::scalar::number::Float;
use crate::scalar::var::{IntoVar, Scalar, Var};
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

// The bound is the method's, so that the error for another type names that type.
macro_rules! unary_methods {
    ($($(#[$doc:meta])* $name:ident $function:ident $op:literal;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(self) -> Var<T>
        where
            T: Float,
        {
            here();
            Var::new(with(|b| $function(b, $op, T::SCALAR, self.value)))
        }
    )*};
}

/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn mixed(v: f32, w: f32) -> f32 {
///     let whole = v.round() + v.fract() + v.signum() + v.copysign(w);
///     if v.is_nan() || v.is_infinite() || w.is_sign_positive() {
///         return 0.0;
///     }
///     let known = v.is_finite() && w.is_sign_negative();
///     if known { v.mul_add(w, whole) + v.to_degrees().to_radians() } else { -1.0 }
/// }
///
/// #[kernel]
/// fn example(x: &[f32], out: &mut [f32]) {
///     out[0] = mixed(x[0], x[1]);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[2.5f32, -3.0])?;
/// # let mut out = device.zeros::<f32>(1)?;
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// // On the host, the same function computes the same bits.
/// assert_eq!(out.download()?, [mixed(2.5, -3.0)]);
/// # Ok::<(), lanework::Error>(())
/// ```
impl<T> Var<T> {
    unary_methods! {
        /// The square root, correctly rounded (`sqrt.rn`).
        sqrt unary "sqrt.rn";
        /// The reciprocal, correctly rounded (`rcp.rn`).
        recip unary "rcp.rn";
        /// The largest integer not above the value (`cvt.rmi`).
        floor rounded "rmi";
        /// The smallest integer not below the value (`cvt.rpi`).
        ceil rounded "rpi";
        /// The value rounded toward zero (`cvt.rzi`).
        trunc rounded "rzi";
        /// The value rounded to the nearest integer, ties to even (`cvt.rni`).
        round_ties_even rounded "rni";
    }
}

impl<T: Float> Var<T> {
    /// The value rounded to the nearest integer, ties away from zero.
    #[track_caller]
    pub fn round(self) -> Var<T> {
        let rounded = self.trunc();
        let rest = (self - rounded).abs();
        let away = crate::scalar::compare::Order::ge(rest, Var::<T>::from_f64(0.5));
        let up = crate::scalar::compare::Order::ge(self, Var::<T>::from_f64(0.0));
        let one = crate::flow::branch::select::<T>(up, Self::from_f64(1.0), Self::from_f64(-1.0));
        crate::flow::branch::select::<T>(away, rounded + one, rounded)
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
        crate::scalar::compare::Equate::ne(self, self)
    }

    /// Whether it is infinite.
    #[track_caller]
    pub fn is_infinite(self) -> Var<bool> {
        crate::scalar::compare::Equate::eq(self.abs(), Var::constant(T::INFINITY))
    }

    /// Whether it is neither infinite nor a NaN.
    #[track_caller]
    pub fn is_finite(self) -> Var<bool> {
        crate::scalar::compare::Order::lt(self.abs(), Var::constant(T::INFINITY))
    }

    /// Whether its sign bit is set, as in `-0.0`.
    #[track_caller]
    pub fn is_sign_negative(self) -> Var<bool> {
        here();
        let (ty, bits) = self.raw_bits();
        Var::new(with(|b| relate(b, Relation::Lt, ty, bits, Value::Constant(0))))
    }

    /// Whether its sign bit is clear.
    #[track_caller]
    pub fn is_sign_positive(self) -> Var<bool> {
        !self.is_sign_negative()
    }

    /// The bits in an integer register, as a signed integer; half precision as `f32`.
    fn raw_bits(self) -> (ScalarType, Value) {
        with(|b| match (T::SCALAR, self.value) {
            (ScalarType::F64, value @ Value::Constant(_)) => (ScalarType::S64, value),
            (ScalarType::F64, value) => {
                (ScalarType::S64, b.pure("mov.b64", ScalarType::S64, &[(value, ScalarType::F64)]))
            }
            (ty, value) => match to_f32(b, ty, value) {
                value @ Value::Constant(_) => (ScalarType::S32, value),
                value => (
                    ScalarType::S32,
                    b.pure("mov.b32", ScalarType::S32, &[(value, ScalarType::F32)]),
                ),
            },
        })
    }

    /// The magnitude of the value with the sign of `sign`.
    #[track_caller]
    pub fn copysign(self, sign: impl IntoVar<T>) -> Var<T> {
        let size = self.abs();
        crate::flow::branch::select::<T>(sign.into_var().is_sign_negative(), -size, size)
    }

    /// 1 or -1 with the sign of the value; a NaN for a NaN.
    #[track_caller]
    pub fn signum(self) -> Var<T> {
        let unit = Var::from_f64(1.0).copysign(self);
        crate::flow::branch::select::<T>(self.is_nan(), self, unit)
    }

    /// The value less its integral part.
    #[track_caller]
    pub fn fract(self) -> Var<T> {
        self - self.trunc()
    }

    /// Radians as degrees.
    #[track_caller]
    pub fn to_degrees(self) -> Var<T> {
        self.scaled(f32::to_degrees(1.0), f64::to_degrees(1.0))
    }

    /// Degrees as radians.
    #[track_caller]
    pub fn to_radians(self) -> Var<T> {
        self.scaled(f32::to_radians(1.0), f64::to_radians(1.0))
    }

    /// The product with a constant.
    #[track_caller]
    fn scaled(self, single: f32, double: f64) -> Var<T> {
        here();
        Var::new(with(|b| match T::SCALAR {
            ScalarType::F64 => {
                binary(b, Operation::Mul, T::SCALAR, self.value, Value::Constant(double.to_bits()))
            }
            ty => {
                let factor = Value::Constant(single.to_bits().into());
                let wide = to_f32(b, ty, self.value);
                let wide = binary(b, Operation::Mul, ScalarType::F32, wide, factor);
                from_f32(b, ty, wide)
            }
        }))
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

/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn next_up(v: f32) -> f32 {
///     f32_from_bits(v.to_bits() + 1)
/// }
///
/// #[device]
/// fn next_up_double(v: f64) -> f64 {
///     f64_from_bits(v.to_bits() + 1)
/// }
///
/// #[kernel]
/// fn example(x: &[f32], out: &mut [f64]) {
///     out[0] = next_up(x[0]) as f64;
///     out[1] = next_up_double(x[0] as f64);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[1.0f32])?;
/// # let mut out = device.zeros::<f64>(2)?;
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [1.0 + f64::from(f32::EPSILON), 1.0 + f64::EPSILON]);
/// # Ok::<(), lanework::Error>(())
/// ```
impl Var<f32> {
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
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn sum(x: f32) -> f32 {
///     // Functions with CUDA's names; the methods do the same.
///     fma(sqrt(x), rcp(x), floor(x) + ceil(x) + round(x) + trunc(x))
/// }
///
/// #[kernel]
/// fn example(x: &[f32], out: &mut [f32]) {
///     out[0] = sum(x[0]);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[6.25f32])?;
/// # let mut out = device.zeros::<f32>(1)?;
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [sum(6.25)]);
/// assert_eq!(sum(6.25), 6.0 + 7.0 + 6.0 + 6.0 + 0.4);
/// # Ok::<(), lanework::Error>(())
/// ```
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

/// The value rounded toward zero.
#[track_caller]
pub fn trunc<T: Float>(x: impl IntoVar<T>) -> Var<T> {
    x.into_var().trunc()
}

/// The float with these bits.
#[track_caller]
pub fn f32_from_bits(bits: impl IntoVar<u32>) -> Var<f32> {
    bits.into_var().to_f32_bits()
}

impl Var<f64> {
    /// The bits.
    #[track_caller]
    pub fn to_bits(self) -> Var<u64> {
        here();
        match self.value {
            Value::Constant(bits) => Var::new(Value::Constant(bits)),
            value => {
                let inputs = [(value, ScalarType::F64)];
                Var::new(with(|b| b.pure("mov.b64", ScalarType::U64, &inputs)))
            }
        }
    }
}

/// The `f64` with these bits.
#[track_caller]
pub fn f64_from_bits(bits: impl IntoVar<u64>) -> Var<f64> {
    here();
    match bits.into_var().value {
        Value::Constant(bits) => Var::new(Value::Constant(bits)),
        value => {
            let inputs = [(value, ScalarType::B64)];
            Var::new(with(|b| b.pure("mov.b64", ScalarType::F64, &inputs)))
        }
    }
}

macro_rules! halves {
    ($($t:ty)*) => {$(
        /// ```
        /// # use lanework::prelude::*;
        /// use half::{bf16, f16};
        ///
        /// #[device]
        /// fn rounded(x: f32) -> f64 {
        ///     f16::from_f32(x).to_f64() + bf16::from_f32(x).to_f32() as f64
        /// }
        ///
        /// #[kernel]
        /// fn example(x: &[f32], out: &mut [f64]) {
        ///     out[0] = rounded(x[0]);
        /// }
        /// # let device = Device::emulator();
        /// # let x = device.upload(&[0.1f32])?;
        /// # let mut out = device.zeros::<f64>(1)?;
        /// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
        /// assert_eq!(out.download()?, [rounded(0.1)]);
        /// # Ok::<(), lanework::Error>(())
        /// ```
        impl Var<$t> {
            /// The number as an `f32`.
            #[track_caller]
            pub fn to_f32(self) -> Var<f32> {
                self.cast()
            }

            /// The number as an `f64`.
            #[track_caller]
            pub fn to_f64(self) -> Var<f64> {
                self.cast()
            }
        }
    )*};
}

halves!(f16 bf16);

macro_rules! short {
    ($($t:ty)*) => {$(
        impl Var<$t> {
            /// The bits.
            #[track_caller]
            pub fn to_bits(self) -> Var<u16> {
                here();
                match self.value {
                    Value::Constant(bits) => Var::new(Value::Constant(bits)),
                    value => {
                        let inputs = [(value, <$t as Scalar>::SCALAR)];
                        Var::new(with(|b| b.pure("mov.b16", ScalarType::U16, &inputs)))
                    }
                }
            }
        }
    )*};
}

short!(f16 bf16);
