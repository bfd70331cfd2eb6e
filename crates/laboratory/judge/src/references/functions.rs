//! The functions of formulas, with the error propagation of each.

use crate::references::approx::{Approx, Arithmetic, larger};

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function(usize);

/// How to propagate errors through a function.
enum Rule {
    /// Monotonic.
    Monotonic(fn(f64) -> f64),
    /// Lipschitz constant 1: the slope never exceeds 1.
    Nonexpansive(fn(f64) -> f64),
    /// A step function with jumps.
    Step(fn(f64) -> f64),
    /// See [`Function::approx`].
    Special,
}

/// Every function: its name, its number of arguments, and its error propagation.
const FUNCTIONS: [(&str, usize, Rule); 27] = [
    ("min", 2, Rule::Special),
    ("max", 2, Rule::Special),
    ("abs", 1, Rule::Special),
    ("sqrt", 1, Rule::Special),
    ("pow", 2, Rule::Special),
    ("relu", 1, Rule::Special),
    ("gelu", 1, Rule::Special),
    ("silu", 1, Rule::Special),
    ("rsqrt", 1, Rule::Monotonic(|x| 1.0 / x.sqrt())),
    ("exp", 1, Rule::Monotonic(f64::exp)),
    ("exp2", 1, Rule::Monotonic(f64::exp2)),
    ("expm1", 1, Rule::Monotonic(f64::exp_m1)),
    ("log", 1, Rule::Monotonic(f64::ln)),
    ("log2", 1, Rule::Monotonic(f64::log2)),
    ("log10", 1, Rule::Monotonic(f64::log10)),
    ("log1p", 1, Rule::Monotonic(f64::ln_1p)),
    ("tanh", 1, Rule::Monotonic(f64::tanh)),
    ("sigmoid", 1, Rule::Monotonic(|x| 1.0 / (1.0 + (-x).exp()))),
    ("erf", 1, Rule::Monotonic(erf)),
    ("atan", 1, Rule::Monotonic(f64::atan)),
    ("cbrt", 1, Rule::Monotonic(f64::cbrt)),
    ("sin", 1, Rule::Nonexpansive(f64::sin)),
    ("cos", 1, Rule::Nonexpansive(f64::cos)),
    ("floor", 1, Rule::Step(f64::floor)),
    ("ceil", 1, Rule::Step(f64::ceil)),
    ("round", 1, Rule::Step(f64::round_ties_even)),
    ("ceil_div", 2, Rule::Special),
];

impl Function {
    /// The function with this name and number of arguments.
    pub fn named(name: &str, arguments: usize) -> Option<Function> {
        let found = |(known, takes, _): &(&str, usize, Rule)| *known == name && *takes == arguments;
        FUNCTIONS.iter().position(found).map(Function)
    }

    /// Every name, for messages.
    pub fn names() -> String {
        FUNCTIONS.map(|(name, ..)| name).join(", ")
    }

    /// Whether its value depends on which of two numbers is larger.
    pub fn decides(self) -> bool {
        matches!(FUNCTIONS[self.0].0, "min" | "max" | "relu")
    }

    /// Its value with its error bound.
    pub fn approx(self, of: &[Approx], arithmetic: &Arithmetic) -> Approx {
        let x = of[0];
        let (name, _, how) = &FUNCTIONS[self.0];
        match how {
            Rule::Monotonic(function) => x.monotonic(function, arithmetic),
            Rule::Nonexpansive(function) => x.by_library(function(x.value), x.error, arithmetic),
            Rule::Step(function) => {
                let [low, high] = [x.value - x.error, x.value + x.error].map(function);
                Approx {
                    value: function(x.value),
                    error: if low == high { 0.0 } else { high - low },
                    wild: x.wild,
                }
            }
            Rule::Special => match *name {
                "min" => larger(x.minus(), of[1].minus()).minus(),
                "max" => larger(x, of[1]),
                "abs" => Approx { value: x.value.abs(), ..x },
                "relu" => Approx { value: x.value.max(0.0), ..x },
                "sqrt" => x.square_root(arithmetic),
                "pow" => power(x, of[1], arithmetic),
                "gelu" => {
                    let root = Approx::constant(std::f64::consts::FRAC_1_SQRT_2, arithmetic);
                    let inner = x.multiply(root, arithmetic).monotonic(erf, arithmetic);
                    let half = x.multiply(Approx::exact(0.5), arithmetic);
                    half.multiply(Approx::exact(1.0).add(inner, arithmetic), arithmetic)
                }
                "silu" => {
                    let sigmoid = x.monotonic(|x| 1.0 / (1.0 + (-x).exp()), arithmetic);
                    x.multiply(sigmoid, arithmetic)
                }
                _ => {
                    let [low, high] =
                        [-1.0, 1.0].map(|side| ((x.value + side * x.error) / of[1].value).ceil());
                    Approx {
                        value: (x.value / of[1].value).ceil(),
                        error: high - low,
                        wild: x.wild,
                    }
                }
            },
        }
    }

    /// Its value for integers.
    pub fn whole(self, of: &[i64]) -> i64 {
        match (FUNCTIONS[self.0].0, of) {
            ("min", [a, b]) => *a.min(b),
            ("max", [a, b]) => *a.max(b),
            ("abs", [a]) => a.wrapping_abs(),
            ("relu", [a]) => *a.max(&0),
            ("ceil_div", [a, b]) if *b > 0 => a.div_euclid(*b) + i64::from(a.rem_euclid(*b) > 0),
            ("floor" | "ceil" | "round", [a]) => *a,
            _ => {
                self.approx(
                    &of.iter().map(|x| Approx::exact(*x as f64)).collect::<Vec<_>>(),
                    &Arithmetic::of(crate::task::Element::F64),
                )
                .value as i64
            }
        }
    }
}

fn power(x: Approx, y: Approx, arithmetic: &Arithmetic) -> Approx {
    let value = x.value.powf(y.value);
    let mut carried = 0f64;
    for (dx, dy) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let other = (x.value + dx * x.error).powf(y.value + dy * y.error);
        carried = carried.max(if other.is_nan() { 0.0 } else { (other - value).abs() });
    }
    let once = x.by_library(value, carried, arithmetic);
    // `powf` has twice the error of the other functions.
    once.by_library(value, once.error, arithmetic)
}

/// The error function: its Maclaurin series near 0, else the continued fraction of its complement (W. Gautschi,
/// "Efficient computation of the complex error function", 1970; M. Abramowitz and I. Stegun, 7.1.5 and 7.1.14).
pub fn erf(x: f64) -> f64 {
    let size = x.abs();
    if x.is_nan() || size > 6.5 {
        return if x.is_nan() { x } else { x.signum() };
    }
    if size < 2.5 {
        let (mut term, mut sum) = (x, x);
        for n in 1..100 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        return 2.0 / std::f64::consts::PI.sqrt() * sum;
    }
    let fraction = (1..=80).rev().fold(size, |inner, k| size + f64::from(k) / 2.0 / inner);
    let complement = (-size * size).exp() / (std::f64::consts::PI.sqrt() * fraction);
    x.signum() * (1.0 - complement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_matches_tables() {
        for (x, y) in [
            (0.0, 0.0),
            (0.5, 0.520_499_877_813_046_5),
            (1.0, 0.842_700_792_949_714_9),
            (2.0, 0.995_322_265_018_952_7),
            (3.0, 0.999_977_909_503_001_4),
            (-1.0, -0.842_700_792_949_714_9),
        ] {
            assert!((erf(x) - y).abs() < 1e-14, "erf({x}) = {}", erf(x));
        }
    }

    #[test]
    fn integers_are_divided_and_compared_exactly() {
        let function = |name: &str, count| Function::named(name, count).expect("a function");
        assert_eq!(function("ceil_div", 2).whole(&[7, 2]), 4);
        assert_eq!(function("max", 2).whole(&[i64::MIN, 3]), 3);
        assert!(Function::named("max", 3).is_none());
    }
}
