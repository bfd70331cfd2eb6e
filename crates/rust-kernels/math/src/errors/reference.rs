//! The functions to some 95 bits, for reference: slow, and as plain as can be, so that they share nothing with
//! what they judge but the bits of 2/pi. A committed test compares them with values of 200 bits.

mod exponential;
mod trigonometric;

pub use exponential::{cbrt, erf, erfc, exp, exp_m1, exp2, hypot, ln, ln_1p, log2, log10, powf};
pub use trigonometric::{
    acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, sin, sinh, tan, tanh,
};

use super::double::Double;
use exponential::d;

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
