//! Trigonometric and hyperbolic functions and their inverses.

use super::{HALF_PI, LN_2, d, exp_m1_of, exp_of, ln_1p_of, ln_of, powered};
use crate::algorithms::TWO_OVER_PI_DOUBLE;
use crate::errors::reference::Double;

/// `(sin, cos)` of `|x| <= pi/4` by the series.
fn small_sin_cos(x: Double) -> (Double, Double) {
    let z = -(x * x);
    let (mut sin, mut cos) = (d(1.0), d(1.0));
    for n in (1..=14).rev() {
        let n = f64::from(n);
        sin = d(1.0) + sin * z / d(2.0 * n * (2.0 * n + 1.0));
        cos = d(1.0) + cos * z / d(2.0 * n * (2.0 * n - 1.0));
    }
    (x * sin, cos)
}

/// `(q, r)` with `x = q pi/2 + r`, q modulo 4, by the product with the relevant bits of 2/pi.
fn reduced(x: f64) -> (u32, Double) {
    if x.abs() < 0.7 {
        return (0, d(x));
    }
    let bits = x.abs().to_bits();
    let e = (bits >> 52) as i32 - 1075;
    let m = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    // |x| = m 2^e. Use words of 2/pi from bit `skip` on: the bits before it only count whole turns.
    let skip = (e - 2).max(0) as usize;
    let word = |i: usize| {
        let at = |i: usize| TWO_OVER_PI_DOUBLE.get(1 + i).copied().unwrap_or(0);
        let (i, by) = (skip / 64 + i, skip % 64);
        if by == 0 { at(i) } else { at(i) << by | at(i + 1) >> (64 - by) }
    };
    // m times five words. The product's most significant word, which includes whole turns, comes first.
    let mut product = [0u64; 6];
    let mut carry = 0u128;
    for i in (0..5).rev() {
        let partial = m * u128::from(word(i)) + carry;
        product[i + 1] = partial as u64;
        carry = partial >> 64;
    }
    product[0] = carry as u64;
    // The binary point is after bit 320 - skip - e counted from the end.
    let point = 320 + skip as i32 - e;
    let bit = |k: i32| {
        // Bit k from the end, k < 384.
        if !(0..384).contains(&k) { 0 } else { product[5 - (k / 64) as usize] >> (k % 64) & 1 }
    };
    let q = (bit(point) | bit(point + 1) << 1) as u32;
    let up = bit(point - 1) == 1;
    let mut fraction = d(0.0);
    // The bits below the point, in groups. If the fraction is above a half, use its complement.
    let mut k = point - 1;
    let mut first = None;
    while k >= 0 {
        let b = if up { bit(k) ^ 1 } else { bit(k) };
        if b == 1 {
            let top = *first.get_or_insert(k);
            if top - k > 120 {
                break;
            }
            fraction = fraction + d(2f64.powi(k - point));
        }
        k -= 1;
    }
    let r = fraction * HALF_PI;
    let q = if up { q + 1 } else { q };
    let r = if up { -r } else { r };
    if x < 0.0 { (q.wrapping_neg() & 3, -r) } else { (q & 3, r) }
}

fn sin_cos_of(x: f64) -> (Double, Double) {
    if !x.is_finite() {
        return (d(f64::NAN), d(f64::NAN));
    }
    let (q, r) = reduced(x);
    let (sin, cos) = small_sin_cos(r);
    match q {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The sine.
pub fn sin(x: f64) -> Double {
    if x.abs() < 1e-30 { d(x) } else { sin_cos_of(x).0 }
}

/// The cosine.
pub fn cos(x: f64) -> Double {
    sin_cos_of(x).1
}

/// The tangent.
pub fn tan(x: f64) -> Double {
    if x.abs() < 1e-30 {
        return d(x);
    }
    let (sin, cos) = sin_cos_of(x);
    sin / cos
}

/// `atan(x)` for `|x| <= 1` by one step of Newton's method.
fn small_atan(x: Double) -> Double {
    if x.high.abs() < 1e-30 {
        return x;
    }
    let first = d(x.high.atan());
    let (sin, cos) = small_sin_cos(first);
    first + (x * cos - sin) / (cos + x * sin)
}

/// The angle of the point `(x, y)` with `y >= 0`, neither 0.
fn angle(y: Double, x: Double) -> Double {
    if y.high <= x.high.abs() {
        let a = small_atan(y / x);
        if x.high < 0.0 { a + HALF_PI + HALF_PI } else { a }
    } else {
        HALF_PI - small_atan(x / y)
    }
}

/// The arc tangent.
pub fn atan(x: f64) -> Double {
    if x.abs() < 1e-30 || x.abs() > 1e30 || x.is_nan() {
        let side = if x > 0.0 { HALF_PI } else { -HALF_PI };
        return if x.abs() > 1e30 {
            side - d(if x.is_infinite() { 0.0 } else { 1.0 / x })
        } else {
            d(x)
        };
    }
    if x < 0.0 { -angle(d(-x), d(1.0)) } else { angle(d(x), d(1.0)) }
}

/// The angle of the point `(x, y)`.
pub fn atan2(y: f64, x: f64) -> Double {
    if x == 0.0 || y == 0.0 || !x.is_finite() || !y.is_finite() {
        let plain = y.atan2(x);
        // Multiples of pi/4 need full precision.
        let eighths = (plain / std::f64::consts::FRAC_PI_4).round();
        return if plain.is_nan() || eighths == 0.0 {
            d(plain)
        } else {
            HALF_PI * d(eighths * 0.5)
        };
    }
    // Significands and exponents.
    let split = |v: f64| {
        let (v, shift) = if v < 1e-300 { (v * 2f64.powi(200), -200) } else { (v, 0) };
        let n = (v.to_bits() >> 52) as i32 - 1023;
        (d(v).scaled(-n), n + shift)
    };
    let ((a, n), (b, m)) = (split(y.abs()), split(x.abs()));
    let size = if n - m < -100 {
        if x > 0.0 { powered(a / b, n - m) } else { HALF_PI + HALF_PI }
    } else if n - m > 100 {
        HALF_PI - (b / a).scaled((m - n).max(-200)) * d(x.signum())
    } else {
        angle(a.scaled(n - m), if x > 0.0 { b } else { -b })
    };
    if y < 0.0 { -size } else { size }
}

/// The arc sine.
pub fn asin(x: f64) -> Double {
    if x.abs() >= 1.0 || x.abs() < 1e-30 || x.is_nan() {
        return if x.abs() == 1.0 { HALF_PI * d(x) } else { d(x.asin()) };
    }
    let a = d(x.abs());
    let a = angle(a, ((d(1.0) - a) * (d(1.0) + a)).sqrt());
    if x < 0.0 { -a } else { a }
}

/// The arc cosine.
pub fn acos(x: f64) -> Double {
    if x.abs() >= 1.0 || x.is_nan() {
        return if x == -1.0 { HALF_PI + HALF_PI } else { d(x.acos()) };
    }
    if x.abs() < 1e-30 {
        return HALF_PI - d(x);
    }
    angle(((d(1.0) - d(x)) * (d(1.0) + d(x))).sqrt(), d(x))
}

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
