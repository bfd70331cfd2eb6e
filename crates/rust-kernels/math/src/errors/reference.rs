//! The functions to some 95 bits, for reference: slow, and as plain as can be, so that they share nothing with
//! what they judge but the bits of 2/pi. A committed test compares them with values of 200 bits.

mod constants;
mod error_function;
mod exponential;
mod hyperbolic;
mod powers;
mod trigonometric;

pub use error_function::{erf, erfc};
pub use exponential::{exp, exp_m1, exp2, ln, ln_1p, log2, log10};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use powers::{cbrt, hypot, powf};
pub use trigonometric::{acos, asin, atan, atan2, cos, sin, tan};

use self::constants::d;
use super::double::Double;

/// The remainder, exact.
pub fn rem(x: f64, y: f64) -> Double {
    d(x % y)
}

/// The remainder of Euclidean division: the exact remainder, and the divisor's magnitude if it is negative.
pub fn rem_euclid(x: f64, y: f64) -> Double {
    let rest = x % y;
    if rest < 0.0 { d(rest) + d(y.abs()) } else { d(rest) }
}

/// The quotient of Euclidean division as Rust defines it, by the rounded quotient.
pub fn div_euclid(x: f64, y: f64) -> Double {
    d(x.div_euclid(y))
}
