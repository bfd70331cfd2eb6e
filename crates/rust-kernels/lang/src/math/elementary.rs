//! Elementary functions under Rust's names: the algorithms of `lanework-math`, whose largest errors in units in
//! the last place (ulp) are listed at each function. They consist of exact and correctly rounded instructions
//! only, so that a GPU, the emulator and [`lanework_math`] on the host give the same bits (but for the payload
//! of a NaN). `f16` and `bf16` are computed in `f32` and rounded.
//!
//! Also the instructions of [`fast`](crate::fast), the hardware's approximations.

#![allow(missing_docs)]

use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::math::staged::{self, one, two};
use crate::scalar::number::Float;
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::ScalarType;

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $function:ident $argument:literal [$single:literal $double:literal];)*) => {
        // The bound is the method's, so that the error for another type names that type.
        impl<T> Var<T> {$(
            $(#[$doc])*
            #[doc = concat!("\n\nThe error is at most ", $single, " ulp in `f32` and ", $double, " ulp in `f64`.")]
            ///
            /// ```
            /// # use lanework::prelude::*;
            /// #[kernel]
            /// fn example(x: &[f32], out: &mut [f32]) {
            #[doc = concat!("    out[0] = x[0].", stringify!($name), "();")]
            /// }
            /// # let device = Device::emulator();
            #[doc = concat!("# let x = device.upload(&[", $argument, "f32])?;")]
            /// # let mut out = device.zeros::<f32>(1)?;
            /// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
            #[doc = concat!("assert_eq!(out.download()?, [lanework::math::", stringify!($name), "(", $argument, "f32)]);")]
            /// # Ok::<(), lanework::Error>(())
            /// ```
            #[track_caller]
            pub fn $name(self) -> Var<T>
            where
                T: Float,
            {
                here();
                Var::new(one(&staged::$function, T::SCALAR, self.value))
            }
        )*}

        #[cfg(test)]
        const STATED: &[(&str, &str, &str)] = &[$((stringify!($name), $single, $double)),*];
    };
}

functions! {
    /// e to the power of the value.
    exp EXP "1.5" ["0.85" "0.85"];
    /// 2 to the power of the value.
    exp2 EXP2 "1.5" ["0.9" "0.9"];
    /// `exp(x) - 1`, precise for small `x`.
    exp_m1 EXP_M1 "0.01" ["1.05" "0.85"];
    /// The natural logarithm.
    ln LN "10.0" ["0.85" "0.9"];
    /// The logarithm to base 2, exact for powers of two.
    log2 LOG2 "10.0" ["1.05" "1.05"];
    /// The logarithm to base 10, exact for powers of ten.
    log10 LOG10 "1000.0" ["1.05" "0.95"];
    /// `ln(1 + x)`, precise for small `x`.
    ln_1p LN_1P "0.01" ["1.0" "1.0"];
    /// The sine of an angle in radians, of any magnitude.
    sin SIN "1e10" ["0.85" "0.85"];
    /// The cosine of an angle in radians, of any magnitude.
    cos COS "1e10" ["0.85" "0.85"];
    /// The tangent of an angle in radians, of any magnitude.
    tan TAN "1e10" ["1.1" "1.1"];
    /// The arc sine.
    asin ASIN "0.75" ["0.75" "0.75"];
    /// The arc cosine.
    acos ACOS "0.75" ["0.75" "0.75"];
    /// The arc tangent.
    atan ATAN "3.0" ["1.1" "1.1"];
    /// The hyperbolic sine.
    sinh SINH "2.0" ["0.9" "0.85"];
    /// The hyperbolic cosine.
    cosh COSH "2.0" ["0.95" "0.95"];
    /// The hyperbolic tangent.
    tanh TANH "0.75" ["0.85" "0.85"];
    /// The inverse hyperbolic sine.
    asinh ASINH "2.0" ["1.2" "1.2"];
    /// The inverse hyperbolic cosine.
    acosh ACOSH "2.0" ["1.05" "1.0"];
    /// The inverse hyperbolic tangent.
    atanh ATANH "0.5" ["1.15" "1.1"];
    /// The cube root.
    cbrt CBRT "27.0" ["0.51" "0.51"];
    /// The error function.
    erf ERF "0.5" ["1.05" "1.1"];
    /// The complement of the error function, `1 - erf(x)`, precise where it is small.
    erfc ERFC "3.0" ["3.1" "4.0"];
}

macro_rules! functions_of_two {
    ($($(#[$doc:meta])* $name:ident $function:ident $x:literal $y:literal [$error:literal];)*) => {
        impl<T: Float> Var<T> {$(
            $(#[$doc])*
            #[doc = concat!("\n\n", $error)]
            ///
            /// ```
            /// # use lanework::prelude::*;
            /// #[kernel]
            /// fn example(x: &[f32], y: &[f32], out: &mut [f32]) {
            #[doc = concat!("    out[0] = x[0].", stringify!($name), "(y[0]);")]
            /// }
            /// # let device = Device::emulator();
            #[doc = concat!("# let x = device.upload(&[", $x, "f32])?;")]
            #[doc = concat!("# let y = device.upload(&[", $y, "f32])?;")]
            /// # let mut out = device.zeros::<f32>(1)?;
            /// # example(&x, &y, &mut out).grid(1).block(1).launch(&device)?;
            #[doc = concat!("assert_eq!(out.download()?, [lanework::math::", stringify!($name), "(", $x, "f32, ", $y, ")]);")]
            /// # Ok::<(), lanework::Error>(())
            /// ```
            #[track_caller]
            pub fn $name(self, other: impl IntoVar<T>) -> Var<T> {
                here();
                Var::new(two(&staged::$function, T::SCALAR, self.value, other.into_var().value))
            }
        )*}
    };
}

functions_of_two! {
    /// The angle of the point (`other`, `self`), from -pi to pi: `y.atan2(x)`.
    atan2 ATAN2 "1.0" "-2.0" ["The error is at most 1.1 ulp in `f32` and 1 ulp in `f64`."];
    /// The value to the power of `other`.
    powf POWF "-2.0" "2.0" ["The error is at most 0.85 ulp in `f32` and 0.65 ulp in `f64`."];
    /// The length of the hypotenuse, `sqrt(x^2 + y^2)`, without overflow of intermediate results.
    hypot HYPOT "3.0" "4.0" ["The error is at most 0.8 ulp in `f32` and 0.6 ulp in `f64`."];
    /// The remainder of Euclidean division: from 0 to `other.abs()`.
    rem_euclid REM_EUCLID "-7.5" "2.0" ["The remainder is exact; the sum with `other` is rounded."];
    /// The quotient of Euclidean division.
    div_euclid DIV_EUCLID "-7.5" "2.0" ["It is computed from the rounded quotient, as in Rust."];
}

impl<T: Float> Var<T> {
    /// The sine and the cosine, with one reduction of the argument.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[f32], out: &mut [f32]) {
    ///     let (sin, cos) = x[0].sin_cos();
    ///     out[0] = sin;
    ///     out[1] = cos;
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&[0.5f32])?;
    /// # let mut out = device.zeros::<f32>(2)?;
    /// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
    /// assert_eq!(out.download()?, [lanework::math::sin(0.5f32), lanework::math::cos(0.5f32)]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn sin_cos(self) -> (Var<T>, Var<T>) {
        here();
        let (sin, cos) = staged::sin_cos(T::SCALAR, self.value);
        (Var::new(sin), Var::new(cos))
    }

    /// The logarithm to any base: `ln(x) / ln(base)`, as in Rust.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[f32], out: &mut [f32]) {
    ///     out[0] = x[0].log(3.0);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&[81.0f32])?;
    /// # let mut out = device.zeros::<f32>(1)?;
    /// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
    /// assert!((out.download()?[0] - 4.0).abs() < 1e-6);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn log(self, base: impl IntoVar<T>) -> Var<T> {
        self.ln() / base.into_var().ln()
    }

    /// The value to an integer power, by repeated squaring. A negative exponent gives the reciprocal of the positive power. Each
    /// product is rounded.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[f32], out: &mut [f32]) {
    ///     out[0] = x[0].powi(-3);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&[2.0f32])?;
    /// # let mut out = device.zeros::<f32>(1)?;
    /// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
    /// assert_eq!(out.download()?, [0.125]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn powi(self, exponent: impl IntoVar<i32>) -> Var<T> {
        here();
        match exponent.into_var().value {
            Value::Constant(bits) => self.constant_power(bits as u32 as i32),
            exponent => Var::new(staged::powi(T::SCALAR, self.value, exponent)),
        }
    }

    /// [`powi`](Var::powi) for an exponent known while staging.
    #[track_caller]
    fn constant_power(self, exponent: i32) -> Var<T> {
        let mut power: Option<Var<T>> = None;
        let (mut square, mut left) = (self, exponent.unsigned_abs());
        while left > 0 {
            if left & 1 == 1 {
                power = Some(power.map_or(square, |power| power * square));
            }
            left >>= 1;
            if left > 0 {
                square = square * square;
            }
        }
        let power = power.unwrap_or(Var::constant(T::ONE));
        if exponent < 0 { power.recip() } else { power }
    }
}

fn instruction(name: &str, inputs: &[Value]) -> Var<f32> {
    let ty = ScalarType::F32;
    let inputs: Vec<_> = inputs.iter().map(|value| (*value, ty)).collect();
    Var::new(with(|b| b.pure(name, ty, &inputs)))
}

macro_rules! instructions {
    ($($name:ident $op:literal;)*) => {$(
        #[track_caller]
        pub fn $name(x: impl IntoVar<f32>) -> Var<f32> {
            here();
            instruction($op, &[x.into_var().value])
        }
    )*};
}

instructions! {
    sin "sin.approx.f32";
    cos "cos.approx.f32";
    exp2 "ex2.approx.f32";
    exp2_ftz "ex2.approx.ftz.f32";
    log2 "lg2.approx.f32";
    tanh "tanh.approx.f32";
    rsqrt "rsqrt.approx.f32";
    sqrt "sqrt.approx.f32";
    recip "rcp.approx.f32";
}

#[doc(hidden)]
#[track_caller]
pub fn exp(x: impl IntoVar<f32>) -> Var<f32> {
    exp2(x.into_var() * std::f32::consts::LOG2_E)
}

#[doc(hidden)]
#[track_caller]
pub fn ln(x: impl IntoVar<f32>) -> Var<f32> {
    log2(x) * std::f32::consts::LN_2
}

#[doc(hidden)]
#[track_caller]
pub fn log10(x: impl IntoVar<f32>) -> Var<f32> {
    log2(x) * std::f32::consts::LOG10_2
}

#[doc(hidden)]
#[track_caller]
pub fn tan(x: impl IntoVar<f32>) -> Var<f32> {
    let x = x.into_var();
    div(sin(x), cos(x))
}

#[doc(hidden)]
#[track_caller]
pub fn powf(x: impl IntoVar<f32>, y: impl IntoVar<f32>) -> Var<f32> {
    exp2(y.into_var() * log2(x))
}

#[doc(hidden)]
#[track_caller]
pub fn div(x: impl IntoVar<f32>, y: impl IntoVar<f32>) -> Var<f32> {
    here();
    instruction("div.approx.f32", &[x.into_var().value, y.into_var().value])
}

#[cfg(test)]
mod tests {
    use lanework_math::errors::ONES;

    #[test]
    fn the_docs_state_the_bounds_that_are_tested() {
        for (name, single, double) in super::STATED {
            let function =
                ONES.iter().find(|f| f.name == *name).expect("every function is measured");
            assert_eq!([single.parse(), double.parse()], function.bounds.map(Ok), "{name}");
        }
    }
}
