//! Running error analysis: numbers with a bound on the error of a kernel's arithmetic.
//!
//! Each value of a reference is computed in f64 together with a bound on the error of the same value computed in the
//! kernel's format (N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed. 2002, section 3.3: `|fl(a
//! op b) - a op b| <= u |a op b|`, errors of operands carried along). An operation on exact operands whose
//! result the format can represent has no error, so small integers are judged bit for bit. A sum over an index
//! gets `gamma_n` of the sum of its absolute terms, which holds for every order of additions (section 4.2).
//!
//! Limits: errors are first order and doubled at the end; functions are assumed to be accurate within
//! [`Arithmetic::function_units`], which covers CUDA's library but not its intrinsics (`__expf`).

use crate::task::Element;

/// The arithmetic that defines a kernel's error bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arithmetic {
    /// The format of intermediate results.
    pub format: Element,
    /// Maximum error of a library function, in unit roundoffs.
    pub function_units: f64,
}

impl Arithmetic {
    /// The arithmetic of a format, with the accuracy of CUDA's library functions.
    pub fn of(format: Element) -> Self {
        Arithmetic { format, function_units: 8.0 }
    }

    /// Whether the format can represent the number.
    pub fn holds(&self, value: f64) -> bool {
        match self.format {
            Element::F64 => true,
            Element::F32 => f64::from(value as f32) == value,
            Element::F16 => half::f16::from_f64(value).to_f64() == value,
            Element::Bf16 => half::bf16::from_f64(value).to_f64() == value,
            _ => value.fract() == 0.0,
        }
    }

    /// `gamma_n`, or its bound if `n u >= 1/2` (C.-P. Jeannerod and S. M. Rump, SIAM J. Matrix Anal. Appl. 34, 2013).
    pub fn gamma(&self, roundings: f64) -> f64 {
        let first = roundings * self.format.unit();
        if first < 0.5 { first / (1.0 - first) } else { 2.0 * first }
    }
}

/// A number and the error allowed to a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approx {
    /// The number.
    pub value: f64,
    /// The error allowed.
    pub error: f64,
    /// Whether an intermediate result may overflow in the kernel's format.
    pub wild: bool,
}

impl Approx {
    /// A number that the kernel represents exactly.
    pub fn exact(value: f64) -> Self {
        Approx { value, error: 0.0, wild: false }
    }

    /// The result of one operation, rounded once; `carried` is the error inherited from its operands.
    fn rounded(value: f64, carried: f64, wild: bool, arithmetic: &Arithmetic) -> Self {
        if !value.is_finite() {
            return Approx { value, error: 0.0, wild };
        }
        let format = arithmetic.format;
        let rounds = carried != 0.0 || !arithmetic.holds(value);
        let rounding =
            if rounds { format.unit() * (value.abs() + carried) + format.smallest() } else { 0.0 };
        let wild = wild || value.abs() + carried + rounding > format.largest();
        Approx { value, error: carried + rounding, wild }
    }

    /// A constant of a task file; the kernel rounds it to its format.
    pub fn constant(value: f64, arithmetic: &Arithmetic) -> Self {
        Approx::rounded(value, 0.0, false, arithmetic)
    }

    /// The negation.
    pub fn minus(self) -> Self {
        Approx { value: -self.value, ..self }
    }

    /// The sum.
    pub fn add(self, other: Self, arithmetic: &Arithmetic) -> Self {
        let carried = self.error + other.error;
        Approx::rounded(self.value + other.value, carried, self.wild || other.wild, arithmetic)
    }

    /// The product.
    pub fn multiply(self, other: Self, arithmetic: &Arithmetic) -> Self {
        let (a, b) = (self, other);
        let carried =
            finite(a.value.abs() * b.error) + finite(b.value.abs() * a.error) + a.error * b.error;
        Approx::rounded(a.value * b.value, carried, a.wild || b.wild, arithmetic)
    }

    /// The quotient.
    pub fn divide(self, other: Self, arithmetic: &Arithmetic) -> Self {
        let (a, b) = (self, other);
        let value = a.value / b.value;
        let wild = a.wild || b.wild;
        if b.error > 0.0 && b.value.abs() <= b.error {
            return Approx { value, error: f64::INFINITY, wild: true };
        }
        let carried = finite((a.error + value.abs() * b.error) / (b.value.abs() - b.error));
        // Fast library divisions have an error of two units in the last place.
        let quotient = Approx::rounded(value, carried, wild, arithmetic);
        Approx {
            error: if quotient.error == 0.0 { 0.0 } else { 4.0 * quotient.error - 3.0 * carried },
            ..quotient
        }
    }

    /// A monotonic function, computed by a library.
    pub fn monotonic(self, function: impl Fn(f64) -> f64, arithmetic: &Arithmetic) -> Self {
        let value = function(self.value);
        let reach = |x: f64| finite((function(x) - value).abs());
        let carried = match self.error {
            0.0 => 0.0,
            error => reach(self.value + error).max(reach(self.value - error)),
        };
        self.by_library(value, carried, arithmetic)
    }

    /// A library function with this value; `carried` is the error inherited from its arguments.
    pub fn by_library(self, value: f64, carried: f64, arithmetic: &Arithmetic) -> Self {
        if value.is_nan() && !self.value.is_nan() && self.error > 0.0 {
            return Approx { value, error: f64::INFINITY, wild: true };
        }
        if !value.is_finite() {
            return Approx { value, error: 0.0, wild: self.wild };
        }
        let format = arithmetic.format;
        let library =
            arithmetic.function_units * format.unit() * value.abs() + format.smallest_normal();
        let error = carried + library;
        Approx { value, error, wild: self.wild || value.abs() + error > format.largest() }
    }

    /// The square root, rounded correctly or with an error of two units in the last place.
    pub fn square_root(self, arithmetic: &Arithmetic) -> Self {
        if self.error == 0.0 && self.value >= 0.0 && arithmetic.holds(self.value.sqrt()) {
            return Approx { value: self.value.sqrt(), ..self };
        }
        self.monotonic(f64::sqrt, arithmetic)
    }

    /// This value, or the alternative if a comparison may have gone the other way.
    pub fn or(self, other: Self, decided: bool) -> Self {
        if decided {
            return self;
        }
        let apart = finite((self.value - other.value).abs());
        let error = self.error.max(apart + other.error);
        Approx { error, wild: self.wild || other.wild, ..self }
    }

    /// Whether the errors of the two values allow either order.
    pub fn undecided(self, other: Self) -> bool {
        (self.value - other.value).abs() <= self.error + other.error
            && self.error + other.error > 0.0
    }
}

/// The larger of two, as defined by `fmaxf`.
pub fn larger(a: Approx, b: Approx) -> Approx {
    let error = if a.undecided(b) {
        a.error.max(b.error)
    } else if a.value > b.value {
        a.error
    } else {
        b.error
    };
    Approx { value: a.value.max(b.value), error, wild: a.wild || b.wild }
}

fn finite(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x }
}

/// A sum of terms in any order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    value: f64,
    lost: f64,
    /// Sum of the absolute values.
    pub scale: f64,
    carried: f64,
    terms: u64,
    whole: bool,
    wild: bool,
}

/// Partial results of fast methods may exceed the sum of the terms by this power of two.
const SPARE_BITS: i32 = 2;

impl Sum {
    /// The empty sum.
    pub fn new() -> Self {
        Sum { whole: true, ..Sum::default() }
    }

    /// Adds a term with Neumaier compensation, which makes the reference's own error negligible.
    pub fn add(&mut self, term: Approx) {
        let sum = self.value + term.value;
        if sum.is_finite() {
            let (large, small) = match self.value.abs() >= term.value.abs() {
                true => (self.value, term.value),
                false => (term.value, self.value),
            };
            self.lost += (large - sum) + small;
        }
        self.value = sum;
        self.scale += term.value.abs() + term.error;
        self.carried += term.error;
        self.terms += 1;
        self.whole &= term.error == 0.0 && term.value.fract() == 0.0;
        self.wild |= term.wild;
    }

    /// The sum, with the errors of the additions and of `extra` more roundings.
    pub fn finish(&self, extra: f64, arithmetic: &Arithmetic) -> Approx {
        let value = if self.value.is_finite() { self.value + self.lost } else { self.value };
        let format = arithmetic.format;
        let most = 2f64.powi(format.precision() as i32 - SPARE_BITS);
        let exact = self.whole && self.scale <= most;
        let lone = self.terms <= 1 && extra == 0.0;
        let error = match (value.is_finite(), exact || lone) {
            (false, _) => 0.0,
            (true, true) => self.carried,
            (true, false) => {
                let underflow = self.terms as f64 * format.smallest();
                self.carried + arithmetic.gamma(self.terms as f64 + extra) * self.scale + underflow
            }
        };
        // Partial sums are at most the sum of the absolute terms.
        let wild = self.wild
            || self.scale * (1.0 + arithmetic.gamma(self.terms as f64)) > format.largest();
        Approx { value, error, wild }
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    const F32: Arithmetic = Arithmetic { format: Element::F32, function_units: 8.0 };

    #[test]
    fn small_integers_are_exact_and_others_are_not() {
        let three = Approx::exact(3.0).multiply(Approx::exact(7.0), &F32);
        assert_eq!(three, Approx::exact(21.0));
        let third = Approx::exact(1.0).divide(Approx::exact(3.0), &F32);
        assert!(third.error > 1e-8 && third.error < 1e-6);
        let mut sum = Sum::new();
        (0..1000).for_each(|i| sum.add(Approx::exact(f64::from(i))));
        assert_eq!(sum.finish(0.0, &F32), Approx::exact(499_500.0));
        sum.add(Approx::exact(0.1));
        assert!(sum.finish(0.0, &F32).error > 1.0);
    }

    /// Chains of f32 operations on random numbers stay within the bounds computed in f64.
    #[test]
    fn f32_results_are_within_the_bound() {
        use rand::{Rng, SeedableRng};
        let mut random = rand::rngs::StdRng::seed_from_u64(1);
        let mut largest = 0f64;
        for _ in 0..2000 {
            let mut x = random.random_range(-2f32..2.0);
            let mut twin = Approx::exact(x.into());
            for _ in 0..12 {
                let y = random.random_range(-2f32..2.0);
                let other = Approx::exact(y.into());
                (x, twin) = match random.random_range(0..6) {
                    0 => (x + y, twin.add(other, &F32)),
                    1 => (x * y, twin.multiply(other, &F32)),
                    2 => (x / y, twin.divide(other, &F32)),
                    3 => (x.clamp(-50.0, 50.0).exp(), {
                        let held = Approx { value: twin.value.clamp(-50.0, 50.0), ..twin };
                        held.monotonic(f64::exp, &F32)
                    }),
                    4 => (x.abs().sqrt(), {
                        let held = Approx { value: twin.value.abs(), ..twin };
                        held.square_root(&F32)
                    }),
                    _ => (x.tanh(), twin.monotonic(f64::tanh, &F32)),
                };
                if twin.wild || !twin.value.is_finite() {
                    break;
                }
                let off = (f64::from(x) - twin.value).abs();
                assert!(off <= 2.0 * twin.error, "{x} against {twin:?}");
                largest = largest.max(off / twin.error.max(1e-300));
            }
        }
        assert!(largest > 0.05, "the bound says nothing: {largest}");
    }
}
