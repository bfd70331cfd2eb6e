//! Functions of `math.h`, computed by the host's own.

use crate::process::{LibraryFunctions, word};

fn double(a: &[u64], at: usize) -> f64 {
    f64::from_bits(word(a, at))
}

fn single(a: &[u64], at: usize) -> f32 {
    f32::from_bits(word(a, at) as u32)
}

fn bits(value: f32) -> u64 {
    u64::from(value.to_bits())
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

pub const FUNCTIONS: LibraryFunctions = &[
    ("sin", |_, a| Ok(double(a, 0).sin().to_bits())),
    ("sinf", |_, a| Ok(bits(single(a, 0).sin()))),
    ("cos", |_, a| Ok(double(a, 0).cos().to_bits())),
    ("cosf", |_, a| Ok(bits(single(a, 0).cos()))),
    ("tan", |_, a| Ok(double(a, 0).tan().to_bits())),
    ("tanf", |_, a| Ok(bits(single(a, 0).tan()))),
    ("asin", |_, a| Ok(double(a, 0).asin().to_bits())),
    ("asinf", |_, a| Ok(bits(single(a, 0).asin()))),
    ("acos", |_, a| Ok(double(a, 0).acos().to_bits())),
    ("acosf", |_, a| Ok(bits(single(a, 0).acos()))),
    ("atan", |_, a| Ok(double(a, 0).atan().to_bits())),
    ("atanf", |_, a| Ok(bits(single(a, 0).atan()))),
    ("sinh", |_, a| Ok(double(a, 0).sinh().to_bits())),
    ("sinhf", |_, a| Ok(bits(single(a, 0).sinh()))),
    ("cosh", |_, a| Ok(double(a, 0).cosh().to_bits())),
    ("coshf", |_, a| Ok(bits(single(a, 0).cosh()))),
    ("tanh", |_, a| Ok(double(a, 0).tanh().to_bits())),
    ("tanhf", |_, a| Ok(bits(single(a, 0).tanh()))),
    ("asinh", |_, a| Ok(double(a, 0).asinh().to_bits())),
    ("asinhf", |_, a| Ok(bits(single(a, 0).asinh()))),
    ("acosh", |_, a| Ok(double(a, 0).acosh().to_bits())),
    ("acoshf", |_, a| Ok(bits(single(a, 0).acosh()))),
    ("atanh", |_, a| Ok(double(a, 0).atanh().to_bits())),
    ("atanhf", |_, a| Ok(bits(single(a, 0).atanh()))),
    ("exp", |_, a| Ok(double(a, 0).exp().to_bits())),
    ("expf", |_, a| Ok(bits(single(a, 0).exp()))),
    ("exp2", |_, a| Ok(double(a, 0).exp2().to_bits())),
    ("exp2f", |_, a| Ok(bits(single(a, 0).exp2()))),
    ("log", |_, a| Ok(double(a, 0).ln().to_bits())),
    ("logf", |_, a| Ok(bits(single(a, 0).ln()))),
    ("log2", |_, a| Ok(double(a, 0).log2().to_bits())),
    ("log2f", |_, a| Ok(bits(single(a, 0).log2()))),
    ("log10", |_, a| Ok(double(a, 0).log10().to_bits())),
    ("log10f", |_, a| Ok(bits(single(a, 0).log10()))),
    ("cbrt", |_, a| Ok(double(a, 0).cbrt().to_bits())),
    ("cbrtf", |_, a| Ok(bits(single(a, 0).cbrt()))),
    ("expm1", |_, a| Ok(double(a, 0).exp_m1().to_bits())),
    ("expm1f", |_, a| Ok(bits(single(a, 0).exp_m1()))),
    ("log1p", |_, a| Ok(double(a, 0).ln_1p().to_bits())),
    ("log1pf", |_, a| Ok(bits(single(a, 0).ln_1p()))),
    ("round", |_, a| Ok(double(a, 0).round().to_bits())),
    ("roundf", |_, a| Ok(bits(single(a, 0).round()))),
    ("pow", |_, a| Ok(double(a, 0).powf(double(a, 1)).to_bits())),
    ("powf", |_, a| Ok(bits(single(a, 0).powf(single(a, 1))))),
    ("atan2", |_, a| Ok(double(a, 0).atan2(double(a, 1)).to_bits())),
    ("atan2f", |_, a| Ok(bits(single(a, 0).atan2(single(a, 1))))),
    ("hypot", |_, a| Ok(double(a, 0).hypot(double(a, 1)).to_bits())),
    ("hypotf", |_, a| Ok(bits(single(a, 0).hypot(single(a, 1))))),
    ("fmod", |_, a| Ok((double(a, 0) % double(a, 1)).to_bits())),
    ("fmodf", |_, a| Ok(bits(single(a, 0) % single(a, 1)))),
    ("erf", |_, a| Ok(erf(double(a, 0)).to_bits())),
    ("erff", |_, a| Ok(bits(erf(f64::from(single(a, 0))) as f32))),
    ("erfc", |_, a| Ok(erfc(double(a, 0)).to_bits())),
    ("erfcf", |_, a| Ok(bits(erfc(f64::from(single(a, 0))) as f32))),
    ("lgamma", |_, a| Ok(log_gamma(double(a, 0)).to_bits())),
    ("lgammaf", |_, a| Ok(bits(log_gamma(f64::from(single(a, 0))) as f32))),
    ("tgamma", |_, a| Ok(log_gamma(double(a, 0)).exp().to_bits())),
    ("tgammaf", |_, a| Ok(bits(log_gamma(f64::from(single(a, 0))).exp() as f32))),
];
