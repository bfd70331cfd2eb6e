//! Numbers in two doubles: some 104 bits (Dekker 1971; Joldes, Muller and Popescu, "Tight and rigorous error
//! bounds for basic building blocks of double-word arithmetic", 2017).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `high + low`, where `high` is the sum rounded.
#[derive(Clone, Copy, Debug)]
pub struct Double {
    /// The sum, rounded.
    pub high: f64,
    /// The rest.
    pub low: f64,
    /// A power of two that the sum is multiplied by, in results whose parts `f64` could not hold. Arithmetic
    /// takes it to be 0.
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
