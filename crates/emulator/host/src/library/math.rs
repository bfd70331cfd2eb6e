//! Functions of `math.h`, computed by the host's own.

use crate::direct::MathFunction;
use crate::process::LibraryFunctions;

/// Reads and writes a float as a word of the program.
trait Float: Copy {
    fn from_word(word: u64) -> Self;
    fn to_word(self) -> u64;
}

impl Float for f32 {
    fn from_word(word: u64) -> f32 {
        f32::from_bits(word as u32)
    }

    fn to_word(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Float for f64 {
    fn from_word(word: u64) -> f64 {
        f64::from_bits(word)
    }

    fn to_word(self) -> u64 {
        self.to_bits()
    }
}

/// Lanczos' approximation with g = 7 and nine terms: the logarithm of |gamma(x)|, relative error below 1e-14.
fn log_gamma(x: f64) -> f64 {
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        let pi = std::f64::consts::PI;
        return (pi / (pi * x).sin().abs()).ln() - log_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let sum = TERMS
        .iter()
        .enumerate()
        .skip(1)
        .fold(TERMS[0], |sum, (i, term)| sum + term / (x + i as f64));
    let t = x + 7.5;
    0.5 * std::f64::consts::TAU.ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

/// The complementary error function, by the continued fraction or the series in Abramowitz and Stegun 7.1.
fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x < 2.0 {
        return 1.0 - erf(x);
    }
    let mut fraction = 0.0;
    for k in (1..=60).rev() {
        fraction = f64::from(k) / 2.0 / (x + fraction);
    }
    (-x * x).exp() / std::f64::consts::PI.sqrt() / (x + fraction)
}

fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() >= 2.0 {
        return x.signum() * (1.0 - erfc(x.abs()));
    }
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term.abs() > 1e-18 * sum.abs() && n < 200.0 {
        n += 1.0;
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    2.0 / std::f64::consts::PI.sqrt() * sum
}

/// Defines each function for the interpreter and for machine code.
macro_rules! functions {
    ($($name:literal $kind:ident $float:ident ($($argument:ident),+) $value:expr;)+) => {
        /// The functions for the interpreter.
        pub const FUNCTIONS: LibraryFunctions = &[$(($name, |_, a| {
            let mut words = a.iter().copied();
            $(let $argument = $float::from_word(words.next().unwrap_or(0));)+
            let value: $float = $value;
            Ok(value.to_word())
        })),+];

        /// The functions for machine code.
        const DIRECT: &[(&str, MathFunction)] = &[$(($name, {
            extern "C" fn function($($argument: $float),+) -> $float {
                $value
            }
            MathFunction::$kind(function)
        })),+];
    };
}

/// The function with this name, for machine code.
pub fn direct(name: &str) -> Option<MathFunction> {
    DIRECT.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
}

functions! {
    "sin" F64 f64 (x) x.sin();
    "sinf" F32 f32 (x) x.sin();
    "cos" F64 f64 (x) x.cos();
    "cosf" F32 f32 (x) x.cos();
    "tan" F64 f64 (x) x.tan();
    "tanf" F32 f32 (x) x.tan();
    "asin" F64 f64 (x) x.asin();
    "asinf" F32 f32 (x) x.asin();
    "acos" F64 f64 (x) x.acos();
    "acosf" F32 f32 (x) x.acos();
    "atan" F64 f64 (x) x.atan();
    "atanf" F32 f32 (x) x.atan();
    "sinh" F64 f64 (x) x.sinh();
    "sinhf" F32 f32 (x) x.sinh();
    "cosh" F64 f64 (x) x.cosh();
    "coshf" F32 f32 (x) x.cosh();
    "tanh" F64 f64 (x) x.tanh();
    "tanhf" F32 f32 (x) x.tanh();
    "asinh" F64 f64 (x) x.asinh();
    "asinhf" F32 f32 (x) x.asinh();
    "acosh" F64 f64 (x) x.acosh();
    "acoshf" F32 f32 (x) x.acosh();
    "atanh" F64 f64 (x) x.atanh();
    "atanhf" F32 f32 (x) x.atanh();
    "exp" F64 f64 (x) x.exp();
    "expf" F32 f32 (x) x.exp();
    "exp2" F64 f64 (x) x.exp2();
    "exp2f" F32 f32 (x) x.exp2();
    "log" F64 f64 (x) x.ln();
    "logf" F32 f32 (x) x.ln();
    "log2" F64 f64 (x) x.log2();
    "log2f" F32 f32 (x) x.log2();
    "log10" F64 f64 (x) x.log10();
    "log10f" F32 f32 (x) x.log10();
    "cbrt" F64 f64 (x) x.cbrt();
    "cbrtf" F32 f32 (x) x.cbrt();
    "expm1" F64 f64 (x) x.exp_m1();
    "expm1f" F32 f32 (x) x.exp_m1();
    "log1p" F64 f64 (x) x.ln_1p();
    "log1pf" F32 f32 (x) x.ln_1p();
    "round" F64 f64 (x) x.round();
    "roundf" F32 f32 (x) x.round();
    "pow" F64Pair f64 (x, y) x.powf(y);
    "powf" F32Pair f32 (x, y) x.powf(y);
    "atan2" F64Pair f64 (x, y) x.atan2(y);
    "atan2f" F32Pair f32 (x, y) x.atan2(y);
    "hypot" F64Pair f64 (x, y) x.hypot(y);
    "hypotf" F32Pair f32 (x, y) x.hypot(y);
    "fmod" F64Pair f64 (x, y) x % y;
    "fmodf" F32Pair f32 (x, y) x % y;
    "erf" F64 f64 (x) erf(x);
    "erff" F32 f32 (x) erf(f64::from(x)) as f32;
    "erfc" F64 f64 (x) erfc(x);
    "erfcf" F32 f32 (x) erfc(f64::from(x)) as f32;
    "__lw_lgamma" F64 f64 (x) log_gamma(x);
    "__lw_lgammaf" F32 f32 (x) log_gamma(f64::from(x)) as f32;
    "tgamma" F64 f64 (x) log_gamma(x).exp();
    "tgammaf" F32 f32 (x) log_gamma(f64::from(x)).exp() as f32;
}
