//! The error function and its complement.

use super::constants::{TWO_OVER_ROOT_PI, d};
use super::exponential::{exp_of, exp_parts, powered};
use crate::errors::double::Double;

/// The error function by a series without cancellation, for `0 < x < 3`.
fn erf_series(x: Double) -> Double {
    let z = x * x * d(2.0);
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term = term * z / d(f64::from(2 * n + 1));
        sum = sum + term;
        if term.high < sum.high * 1e-33 {
            break;
        }
    }
    TWO_OVER_ROOT_PI * exp_of(-(x * x)) * sum
}

/// The complement by a continued fraction, for `x >= 2.5`.
fn erfc_fraction(x: f64) -> Double {
    let x = d(x);
    let mut f = x;
    for n in (1..=160).rev() {
        f = x + d(f64::from(n) * 0.5) / f;
    }
    let (n, y) = exp_parts(-(x * x));
    powered(TWO_OVER_ROOT_PI * d(0.5) * (d(1.0) + y) / f, n)
}

/// The error function.
pub fn erf(x: f64) -> Double {
    let a = x.abs();
    let size = if a < 1e-30 {
        powered(TWO_OVER_ROOT_PI * d(a * 2f64.powi(90)), -90)
    } else if a < 2.5 {
        erf_series(d(a))
    } else if a < 30.0 {
        let rest = erfc_fraction(a);
        d(1.0) - if rest.power == 0 { rest } else { d(0.0) }
    } else if a.is_nan() {
        d(a)
    } else {
        d(1.0)
    };
    if x.is_sign_negative() { -size } else { size }
}

/// The complement of the error function.
pub fn erfc(x: f64) -> Double {
    if x < 2.5 {
        let e = erf(x);
        d(1.0) - if e.power == 0 { e } else { d(0.0) }
    } else if x < 30.0 {
        erfc_fraction(x)
    } else {
        d(if x.is_nan() { x } else { 0.0 })
    }
}
