//! Elementary functions, written once for the host and for kernels.
//!
//! The [algorithms] are generic over the numbers they compute with ([`real::Real`]): the host's `f32` and `f64`, or
//! the handles of a kernel being staged. They use only exact and correctly rounded operations (sums, products,
//! fused multiply-adds, quotients, square roots, integers, selections), so every machine gives the same bits, except
//! for the payload of a NaN. The functions of this module are the host's versions.
//!
//! Outside a function's domain and for zeros, infinities and NaNs, results equal Rust's methods of the same names.
//!
//! ```
//! assert_eq!(lanework_math::powf(-2.0f32, 2.0), 4.0);
//! assert!((lanework_math::sin(1e22f64) - -0.8522008497671888).abs() < 1e-15);
//! ```
//!
//! The constants are computed by `scripts/minimax.py`.

mod elementary;
pub mod errors;
mod functions;
pub mod real;

pub use functions::*;

/// The algorithms, for any type that implements the traits of [`real`].
pub mod algorithms {
    pub use crate::elementary::coefficients::{TWO_OVER_PI_DOUBLE, TWO_OVER_PI_SINGLE};
    pub use crate::elementary::exponential::{erf, erfc};
    pub use crate::elementary::exponential::{exp, exp_m1, exp2};
    pub use crate::elementary::exponential::{ln, ln_1p, log2, log10};
    pub use crate::elementary::exponential::{powf, powi};
    pub use crate::elementary::root::{cbrt, hypot};
    pub use crate::elementary::root::{div_euclid, rem, rem_euclid};
    pub use crate::elementary::trigonometric::{acos, asin, atan, atan2};
    pub use crate::elementary::trigonometric::{acosh, asinh, atanh, cosh, sinh, tanh};
    pub use crate::elementary::trigonometric::{cos, sin, sin_cos, tan};
}
