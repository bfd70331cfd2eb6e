//! Hyperbolic functions and their inverses.

use super::constants::{LN_2, d};
use super::exponential::{exp_m1_of, exp_of, ln_1p_of, ln_of};
use crate::errors::double::Double;

/// The hyperbolic sine.
pub fn sinh(x: f64) -> Double {
    let a = x.abs();
    let size = if a < 1e-30 {
        d(a)
    } else if a > 300.0 {
        exp_of(d(a) - LN_2)
    } else {
        let e = exp_m1_of(d(a));
        (e + e / (e + d(1.0))) * d(0.5)
    };
    if x.is_sign_negative() { -size } else { size }
}

/// The hyperbolic cosine.
pub fn cosh(x: f64) -> Double {
    let a = x.abs();
    if a > 300.0 {
        return exp_of(d(a) - LN_2);
    }
    let e = exp_m1_of(d(a));
    d(1.0) + e * e / ((e + d(1.0)) * d(2.0))
}

/// The hyperbolic tangent.
pub fn tanh(x: f64) -> Double {
    let a = x.abs();
    if !(1e-30..=300.0).contains(&a) {
        return d(x.tanh());
    }
    let e = exp_m1_of(d(2.0 * a));
    let size = e / (e + d(2.0));
    if x < 0.0 { -size } else { size }
}

/// The inverse hyperbolic sine.
pub fn asinh(x: f64) -> Double {
    let a = x.abs();
    let size = if a < 1e-30 || !a.is_finite() {
        d(a)
    } else if a > 1e6 {
        // a + sqrt(a^2 + 1) = 2a + 1/(2a) - ...
        let twice = d(a) + if a < 1e100 { d(0.25 / a) } else { d(0.0) };
        ln_of(twice) + LN_2
    } else {
        let a = d(a);
        ln_1p_of(a + a * a / (d(1.0) + (d(1.0) + a * a).sqrt()))
    };
    if x.is_sign_negative() { -size } else { size }
}

/// The inverse hyperbolic cosine.
pub fn acosh(x: f64) -> Double {
    if x <= 1.0 || !x.is_finite() {
        return d(x.acosh());
    }
    if x > 1e6 {
        let twice = d(x) - if x < 1e100 { d(0.25 / x) } else { d(0.0) };
        return ln_of(twice) + LN_2;
    }
    let t = d(x) - d(1.0);
    ln_1p_of(t + (t * (d(x) + d(1.0))).sqrt())
}

/// The inverse hyperbolic tangent.
pub fn atanh(x: f64) -> Double {
    let a = x.abs();
    if !(1e-30..1.0).contains(&a) {
        return d(x.atanh());
    }
    let q = (d(a) + d(a)) / (d(1.0) - d(a));
    let l = if q.high > 1e6 { ln_of(q + d(1.0)) } else { ln_1p_of(q) };
    let size = l * d(0.5);
    if x < 0.0 { -size } else { size }
}
