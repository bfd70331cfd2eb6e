//! Roots and powers.

use super::constants::{HUGE, d};
use super::exponential::{exp_of, ln_of, powered};
use crate::errors::double::Double;

/// The cube root.
pub fn cbrt(x: f64) -> Double {
    if x == 0.0 || !x.is_finite() {
        return d(x);
    }
    // x = m 2^(3 n)
    let tiny = x.abs() < 1e-290;
    let scaled = if tiny { x * 2f64.powi(180) } else { x };
    let n = ((scaled.abs().to_bits() >> 52) as i32 - 1023).div_euclid(3);
    let m = d(scaled).scaled(-3 * n);
    let mut y = d(m.high.cbrt());
    for _ in 0..2 {
        y = y - (y * y * y - m) / (y * y * d(3.0));
    }
    y.scaled(if tiny { n - 60 } else { n })
}

/// The square root of the sum of squares.
pub fn hypot(x: f64, y: f64) -> Double {
    let most = x.abs().max(y.abs());
    if most == 0.0 || !x.is_finite() || !y.is_finite() {
        return d(x.hypot(y));
    }
    let n = ((most.to_bits() >> 52) as i32 - 1023).clamp(-1022, 1000);
    let (a, b) = (d(x).scaled(-n), d(y).scaled(-n));
    let root = (a * a + b * b).sqrt();
    powered(root, n)
}

/// `x` to the power of `y`.
pub fn powf(x: f64, y: f64) -> Double {
    let plain = x.powf(y);
    if x == 0.0 || y == 0.0 || !x.is_finite() || !y.is_finite() || plain.is_nan() || x == 1.0 {
        return d(plain);
    }
    let product = ln_of(d(x.abs())) * d(y);
    if product.high.abs() > 1e4 {
        return if product.high > 0.0 {
            if plain < 0.0 { -HUGE } else { HUGE }
        } else {
            d(0.0f64.copysign(plain))
        };
    }
    let size = exp_of(product);
    if plain.is_sign_negative() { -size } else { size }
}
