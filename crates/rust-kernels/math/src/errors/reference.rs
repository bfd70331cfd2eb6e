//! Reference functions to about 95 bits: slow and simple, so that they share nothing with the functions that they check except the
//! bits of 2/pi. A committed test compares them with values of 200 bits.
//!
//! They compute with [`Double`], a number in two doubles: about 104 bits (Dekker 1971; Joldes, Muller and Popescu, "Tight and rigorous
//! error bounds for basic building blocks of double-word arithmetic", 2017).

mod trigonometric;

pub use trigonometric::{
    acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, sin, sinh, tan, tanh,
};

use std::ops::{Add, Div, Mul, Neg, Sub};

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

/// `exp(x) - 1` for `|x| <= 0.35`.
fn small_exp_m1(x: Double) -> Double {
    let r = x.scaled(-8);
    // r is below 0.0014, so ten terms of the series suffice.
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

/// `x 2^n`, even if it is outside the range of `f64`.
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

/// A number of `f64`, exactly.
fn d(x: f64) -> Double {
    x.into()
}

/// A number beyond the range of `f64`, so that any result overflows.
const HUGE: Double = Double { high: f64::INFINITY, low: 0.0, power: 0 };

/// The error function for `0 < x < 3`, by a series without cancellation.
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

/// The complement for `x >= 2.5`, by a continued fraction.
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

/// `high + low`, where `high` is the sum rounded.
#[derive(Clone, Copy, Debug)]
pub struct Double {
    /// The sum, rounded.
    pub high: f64,
    /// The rest.
    pub low: f64,
    /// The exponent of a power of two that scales the sum, in results whose parts `f64` cannot hold. Arithmetic assumes 0.
    pub power: i32,
}

/// The number in two doubles.
pub fn double(high: f64, low: f64) -> Double {
    let sum = high + low;
    Double { high: sum, low: if sum.is_finite() { low - (sum - high) } else { 0.0 }, power: 0 }
}

impl From<f64> for Double {
    fn from(high: f64) -> Double {
        Double { high, low: 0.0, power: 0 }
    }
}

impl Add for Double {
    type Output = Double;
    #[inline]
    fn add(self, other: Double) -> Double {
        let (sum, error) = two_sum(self.high, other.high);
        if !sum.is_finite() {
            return sum.into();
        }
        let (low, rest) = two_sum(self.low, other.low);
        let first = double(sum, error + low);
        double(first.high, first.low + rest)
    }
}

impl Sub for Double {
    type Output = Double;
    #[inline]
    fn sub(self, other: Double) -> Double {
        self + -other
    }
}

impl Neg for Double {
    type Output = Double;
    #[inline]
    fn neg(self) -> Double {
        Double { high: -self.high, low: -self.low, power: self.power }
    }
}

impl Mul for Double {
    type Output = Double;
    #[inline]
    fn mul(self, other: Double) -> Double {
        let product = self.high * other.high;
        if product == 0.0 || !product.is_finite() {
            return product.into();
        }
        let error = self.high.mul_add(other.high, -product);
        double(product, error + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Double;
    #[inline]
    fn div(self, other: Double) -> Double {
        let quotient = self.high / other.high;
        let rest = self - other * quotient.into();
        let next = rest.high / other.high;
        let rest = rest - other * next.into();
        double(quotient, next) + (rest.high / other.high).into()
    }
}

impl Double {
    /// The square root of a positive number.
    #[inline]
    pub fn sqrt(self) -> Double {
        if self.high == 0.0 {
            return self;
        }
        let root = self.high.sqrt();
        let rest = self - Double::from(root) * root.into();
        let next = double(root, rest.high / (2.0 * root));
        let rest = self - next * next;
        next + (rest.high / (2.0 * root)).into()
    }

    /// The value, rounded.
    pub fn value(self) -> f64 {
        self.high * 2f64.powi(self.power / 2) * 2f64.powi(self.power - self.power / 2)
    }

    /// The product with a power of two.
    pub fn scaled(self, n: i32) -> Double {
        let half = n / 2;
        let (a, b) = (2f64.powi(half), 2f64.powi(n - half));
        Double { high: self.high * a * b, low: self.low * a * b, power: 0 }
    }
}

fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    let part = sum - x;
    (sum, (x - (sum - part)) + (y - part))
}
