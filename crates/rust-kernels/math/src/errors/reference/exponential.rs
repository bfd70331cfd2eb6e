//! Exponentials and logarithms.

use super::constants::{HUGE, LN_2, LN_10, d};
use crate::errors::double::{Double, double};

/// `exp(x) - 1` for `|x| <= 0.35`.
pub(super) fn small_exp_m1(x: Double) -> Double {
    let r = x.scaled(-8);
    // r below 0.0014: ten terms of the series.
    let mut sum = d(0.0);
    for n in (1..=10).rev() {
        sum = (d(1.0) + sum) * r / d(f64::from(n));
    }
    for _ in 0..8 {
        sum = sum * (sum + d(2.0));
    }
    sum
}

/// `(n, y)` with `exp(x) = 2^n (1 + y)`.
pub(super) fn exp_parts(x: Double) -> (i32, Double) {
    let n = (x.high * std::f64::consts::LOG2_E).round();
    (n as i32, small_exp_m1(x - LN_2 * d(n)))
}

pub(super) fn exp_of(x: Double) -> Double {
    if x.high > 720.0 {
        return HUGE;
    }
    if x.high < -760.0 || x.high.is_nan() {
        return d(x.high.exp());
    }
    let (n, y) = exp_parts(x);
    powered(d(1.0) + y, n)
}

/// `x 2^n`, out of range as well.
pub(super) fn powered(x: Double, n: i32) -> Double {
    let size = x.high.abs();
    if n.abs() < 900 && size > 1e-10 { x.scaled(n) } else { Double { power: n, ..x } }
}

pub(super) fn exp_m1_of(x: Double) -> Double {
    if x.high > 600.0 {
        return exp_of(x);
    }
    if x.high < -100.0 {
        return d(-1.0);
    }
    let (n, y) = exp_parts(x);
    if n == 0 { y } else { y.scaled(n) + (d(2f64.powi(n)) - d(1.0)) }
}

/// `ln(1 + x)` by one step of Newton's method, for `-1 < x < 2^30`.
pub(super) fn ln_1p_of(x: Double) -> Double {
    let first = d(x.high.ln_1p());
    let e = x + (d(1.0) + x) * exp_m1_of(-first);
    first + e - e * e * d(0.5)
}

pub(super) fn ln_of(x: Double) -> Double {
    if x.high <= 0.0 || !x.high.is_finite() {
        return d(x.high.ln());
    }
    let bits = (x.high * if x.high < 1e-300 { 2f64.powi(100) } else { 1.0 }).to_bits();
    let mut n = (bits >> 52) as i32 - 1023 - if x.high < 1e-300 { 100 } else { 0 };
    let mut m = x.scaled(-n);
    if m.high > 1.5 {
        (m, n) = (m.scaled(-1), n + 1);
    }
    ln_1p_of(m - d(1.0)) + LN_2 * d(n.into())
}

/// e to the power of `x`.
pub fn exp(x: f64) -> Double {
    exp_of(d(x))
}

/// 2 to the power of `x`.
pub fn exp2(x: f64) -> Double {
    if !(-1100.0..=1030.0).contains(&x) {
        return d(x.exp2());
    }
    let n = x.round();
    let y = d(1.0) + small_exp_m1(d(x - n) * LN_2);
    powered(y, n as i32)
}

/// `exp(x) - 1`.
pub fn exp_m1(x: f64) -> Double {
    if x.abs() < 1e-30 { double(x, x * x * 0.5) } else { exp_m1_of(d(x)) }
}

/// The natural logarithm.
pub fn ln(x: f64) -> Double {
    ln_of(d(x))
}

/// The logarithm to base 2.
pub fn log2(x: f64) -> Double {
    let l = ln(x);
    if l.high.is_finite() { l / LN_2 } else { l }
}

/// The logarithm to base 10.
pub fn log10(x: f64) -> Double {
    let l = ln(x);
    if l.high.is_finite() { l / LN_10 } else { l }
}

/// `ln(1 + x)`.
pub fn ln_1p(x: f64) -> Double {
    if x.abs() < 1e-30 || x <= -1.0 || !x.is_finite() {
        return double(x.ln_1p(), 0.0);
    }
    if x > 1e6 { ln_of(d(x) + d(1.0)) } else { ln_1p_of(d(x)) }
}
