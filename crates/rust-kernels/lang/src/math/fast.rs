//! The hardware's approximations: `fast::sin(x)` where speed matters more than the last bits.
//!
//! Each is one or two `f32` instructions; the PTX manual states the errors. The methods of `Var` under
//! the same names are precise: `x.sin()`.
//!
//! ```
//! use lanework::prelude::*;
//!
//! #[kernel]
//! fn example(x: &[f32], out: &mut [f32]) {
//!     out[0] = fast::exp(x[0]);
//!     out[1] = x[0].exp();
//! }
//! # let device = Device::emulator();
//! # let x = device.upload(&[0.5f32])?;
//! # let mut out = device.zeros::<f32>(2)?;
//! # example(&x, &mut out).grid(1).block(1).launch(&device)?;
//! let out = out.download()?;
//! assert!((out[0] - out[1]).abs() < 1e-6);
//! # Ok::<(), lanework::Error>(())
//! ```

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($x:ident),*) $arguments:literal = $host:expr, $want:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// On the host, the result is precise.
        ///
        /// ```
        /// # use lanework::prelude::*;
        /// #[kernel]
        /// fn example(x: &[f32], out: &mut [f32]) {
        #[doc = concat!("    out[0] = fast::", stringify!($name), $arguments, ";")]
        /// }
        /// # let device = Device::emulator();
        /// # let x = device.upload(&[0.5f32, 3.0])?;
        /// # let mut out = device.zeros::<f32>(1)?;
        /// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
        #[doc = concat!("assert!((out.download()?[0] - ", $want, ").abs() < 1e-3);")]
        /// # Ok::<(), lanework::Error>(())
        /// ```
        pub fn $name($($x: f32),*) -> f32 {
            $host
        }

        #[doc(hidden)]
        #[allow(missing_docs)]
        pub mod $name {
            pub use crate::math::elementary::$name as staged;
        }
    )*};
}

functions! {
    /// The sine, absolute error 2^-20.5 within -pi to pi (`sin.approx`).
    sin(x) "(x[0])" = lanework_math::sin(x), "0.5f32.sin()";
    /// The cosine, absolute error 2^-20.5 within -pi to pi (`cos.approx`).
    cos(x) "(x[0])" = lanework_math::cos(x), "0.5f32.cos()";
    /// The tangent: the quotient of [`sin`] and [`cos`].
    tan(x) "(x[0])" = lanework_math::tan(x), "0.5f32.tan()";
    /// 2 to the power of `x`, within 2 ulp (`ex2.approx`).
    exp2(x) "(x[0])" = lanework_math::exp2(x), "0.5f32.exp2()";
    /// As [`exp2`], but flushes subnormal arguments and results to zero: one GPU instruction instead of four (`ex2.approx.ftz`).
    exp2_ftz(x) "(x[0])" = lanework_math::exp2(x), "0.5f32.exp2()";
    /// e to the power of `x`: [`exp2`]`(x * log2(e))`.
    exp(x) "(x[0])" = lanework_math::exp(x), "0.5f32.exp()";
    /// The logarithm to base 2, absolute error 2^-22 near 1, else 2 ulp (`lg2.approx`).
    log2(x) "(x[1])" = lanework_math::log2(x), "3f32.log2()";
    /// The natural logarithm: [`log2`]`(x) * ln(2)`.
    ln(x) "(x[1])" = lanework_math::ln(x), "3f32.ln()";
    /// The logarithm to base 10: [`log2`]`(x) * log10(2)`.
    log10(x) "(x[1])" = lanework_math::log10(x), "3f32.log10()";
    /// The hyperbolic tangent, relative error 2^-11 (`tanh.approx`, from sm_75).
    tanh(x) "(x[0])" = lanework_math::tanh(x), "0.5f32.tanh()";
    /// The power of a positive number: [`exp2`]`(y * `[`log2`]`(x))`; a NaN for a negative one.
    powf(x, y) "(x[1], x[0])" = lanework_math::powf(x, y), "3f32.sqrt()";
    /// The reciprocal square root, within 2 ulp (`rsqrt.approx`).
    rsqrt(x) "(x[1])" = 1.0 / x.sqrt(), "1.0 / 3f32.sqrt()";
    /// The square root, relative error 2^-23 (`sqrt.approx`).
    sqrt(x) "(x[1])" = x.sqrt(), "3f32.sqrt()";
    /// The reciprocal, within 1 ulp (`rcp.approx`).
    recip(x) "(x[1])" = 1.0 / x, "1.0 / 3.0";
    /// The quotient, within 2 ulp for divisors of magnitude 2^-126 to 2^126 (`div.approx`).
    div(x, y) "(x[0], x[1])" = x / y, "0.5 / 3.0";
}
