//! The functions to some 95 bits, for reference: slow, and as plain as can be, so that they share nothing with
//! what they judge but the bits of 2/pi. A committed test compares them with values of 200 bits.

use super::double::{Double, double};
use crate::algorithms::TWO_OVER_PI_DOUBLE;

/// ln 2.
const LN_2: Double =
    Double { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17, power: 0 };
/// pi / 2.
const HALF_PI: Double =
    Double { high: std::f64::consts::FRAC_PI_2, low: 6.123_233_995_736_766e-17, power: 0 };
/// ln 10.
const LN_10: Double =
    Double { high: std::f64::consts::LN_10, low: -2.170_756_223_382_249_4e-16, power: 0 };
/// 2 / sqrt(pi).
const TWO_OVER_ROOT_PI: Double =
    Double { high: std::f64::consts::FRAC_2_SQRT_PI, low: 1.533_545_961_316_587_8e-17, power: 0 };

fn d(x: f64) -> Double {
    x.into()
}

/// The largest number is far beyond what `f64` holds: a result that overflows by whatever it is.
const HUGE: Double = Double { high: f64::INFINITY, low: 0.0, power: 0 };

/// `exp(x) - 1` for `|x| <= 0.35`.
fn small_exp_m1(x: Double) -> Double {
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
fn exp_parts(x: Double) -> (i32, Double) {
    let n = (x.high * std::f64::consts::LOG2_E).round();
    (n as i32, small_exp_m1(x - LN_2 * d(n)))
}

fn exp_of(x: Double) -> Double {
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
fn powered(x: Double, n: i32) -> Double {
    let size = x.high.abs();
    if n.abs() < 900 && size > 1e-10 { x.scaled(n) } else { Double { power: n, ..x } }
}

fn exp_m1_of(x: Double) -> Double {
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
fn ln_1p_of(x: Double) -> Double {
    let first = d(x.high.ln_1p());
    let e = x + (d(1.0) + x) * exp_m1_of(-first);
    first + e - e * e * d(0.5)
}

fn ln_of(x: Double) -> Double {
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

/// `(q, r)` with `x = q pi/2 + r`, q modulo 4: the exact product with 2/pi, as far as it matters.
fn reduced(x: f64) -> (u32, Double) {
    if x.abs() < 0.7 {
        return (0, d(x));
    }
    let bits = x.abs().to_bits();
    let e = (bits >> 52) as i32 - 1075;
    let m = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    // |x| = m 2^e. Words of 2/pi from bit `skip` on, such that those before count whole turns.
    let skip = (e - 2).max(0) as usize;
    let word = |i: usize| {
        let at = |i: usize| TWO_OVER_PI_DOUBLE.get(1 + i).copied().unwrap_or(0);
        let (i, by) = (skip / 64 + i, skip % 64);
        if by == 0 { at(i) } else { at(i) << by | at(i + 1) >> (64 - by) }
    };
    // m times five words: the product's words, the most significant (whole turns among it) first.
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
    // Bits below the point, in groups; all ones minus the fraction where it is above a half.
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
        // The multiples of pi/4, precisely.
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
