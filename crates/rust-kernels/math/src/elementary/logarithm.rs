//! Logarithms: `ln`, `log2`, `log10`, `ln_1p`, and the logarithm of `1 + x + y` in two parts.
//!
//! `x = 2^e (1 + f)` with `2/3 <= 1 + f < 4/3`; then `e ln 2 + f + t(f)`, where the first sum keeps its rounding
//! error and `e ln 2` is exact in its leading part. For f32, `t` is a polynomial; for f64, Tang's form with
//! `s = f / (2 + f)`, whose series in `s^2` is short ("Table-driven implementation of the logarithm function",
//! 1990; fdlibm's error analysis).

use crate::elementary::coefficients::{
    LN, LN_2_REST, LN_2_SHORT, LN_RATIO, LOG2_E, LOG2_E_LOW, LOG10_2_REST, LOG10_2_SHORT, LOG10_E,
    LOG10_E_LOW,
};
use crate::real::{
    Pair, Real, Short, Word, add_exponent, either, fast_two_sum, horner, horner_from, infinity, k,
    nan, power_of_two, stored, two_sum, word, word_either,
};

/// The exponent of a number `m 2^e`, `2/3 <= m < 4/3`, from its high word.
#[inline(always)]
fn exponent<F: Real>(high: Short<F>) -> Short<F> {
    (high - word_either::<F>(0x3f2a_aaab, 0x3fe5_5555)).sar(word::<F>(stored::<F>().into()))
}

/// `(e, f)` with `x = 2^e (1 + f)` for a positive finite `x`.
#[inline(always)]
pub(crate) fn split<F: Real>(x: F) -> (Short<F>, F) {
    let subnormal = x.lt(either(f32::MIN_POSITIVE, f64::MIN_POSITIVE));
    let normal = (x * either(16_777_216.0, 18_014_398_509_481_984.0)).where_else(subnormal, x);
    let shift = word_either::<F>(24, 54).where_else(subnormal, word::<F>(0));
    let e = exponent::<F>(normal.high());
    (e - shift, add_exponent(normal, word::<F>(0) - e) - k(1.0))
}

/// `ln(1 + f) - f`.
#[inline(always)]
fn tail<F: Real>(f: F) -> F {
    if F::DOUBLE {
        let s = f / (k::<F>(2.0) + f);
        let (z, half) = (s * s, k::<F>(0.5) * f * f);
        s.fma(z.fma(horner(z, &LN_RATIO), half), -half)
    } else {
        // The first coefficient is -1/2, whose product with f^2 is rounded once.
        let z = f * f;
        (z * f).fma(horner_from(f, &LN, 1), k::<F>(-0.5) * z)
    }
}

/// A logarithm's values outside the positive numbers.
#[inline(always)]
fn completed<F: Real>(x: F, result: F) -> F {
    let result = result.where_else(x.lt(infinity()), x);
    let result = (-infinity::<F>()).where_else(x.eq(k(0.0)), result);
    nan::<F>().where_else(x.lt(k(0.0)), result)
}

/// The natural logarithm.
#[inline(always)]
pub fn ln<F: Real>(x: F) -> F {
    let (e, f) = split(x);
    let e = F::from_short(e);
    let (sum, error) = fast_two_sum(e * F::constant(LN_2_SHORT), f);
    completed(x, sum + (tail(f) + e.fma(F::constant(LN_2_REST), error)))
}

/// `e (short + rest) + ln(1 + f) (factor + low)`.
#[inline(always)]
fn with_base<F: Real>(x: F, short: Pair, rest: Pair, factor: Pair, low: Pair) -> F {
    let (e, f) = split(x);
    let e = F::from_short(e);
    let (factor, low) = (F::constant(factor), F::constant(low));
    let product = f * factor;
    let (sum, lost) = fast_two_sum(e * F::constant(short), product);
    let small = (f.fma(factor, -product) + lost) + e.fma(F::constant(rest), f * low);
    completed(x, sum + tail(f).fma(factor, small))
}

/// The logarithm to base 2.
#[inline(always)]
pub fn log2<F: Real>(x: F) -> F {
    with_base(x, Pair::exact(1.0), Pair::exact(0.0), LOG2_E, LOG2_E_LOW)
}

/// The logarithm to base 10.
#[inline(always)]
pub fn log10<F: Real>(x: F) -> F {
    with_base(x, LOG10_2_SHORT, LOG10_2_REST, LOG10_E, LOG10_E_LOW)
}

/// `ln(1 + x + low) + more ln 2` in two parts; `x > -1`, `low` at most a rounding error of `x`.
#[inline(always)]
pub(crate) fn ln_1p_parts<F: Real>(x: F, low: F, more: Short<F>) -> (F, F) {
    let (u, lost) = two_sum(k::<F>(1.0), x);
    let e = exponent::<F>(u.high());
    let negated = word::<F>(0) - e;
    // Beyond 2^126 (2^1022), nothing is lost.
    let least = word_either::<F>(-126i32 as u32, -1022i32 as u32);
    let unit = power_of_two::<F>(least.where_else(negated.less(least), negated));
    let near = e.eq(word::<F>(0));
    let f = x.where_else(near, add_exponent(u, negated) - k(1.0));
    let rest = low.where_else(near, (lost + low) * unit);
    let rest = f.fma(-rest, rest);
    let e = F::from_short(e + more);
    let (sum, error) = fast_two_sum(e * F::constant(LN_2_SHORT), f);
    (sum, tail(f) + (e.fma(F::constant(LN_2_REST), error) + rest))
}

/// `ln(1 + x)`.
#[inline(always)]
pub fn ln_1p<F: Real>(x: F) -> F {
    let (sum, error) = ln_1p_parts(x, k(0.0), word::<F>(0));
    let result = (sum + error).where_else(x.lt(infinity()), x);
    let result = x.where_else(x.eq(k(0.0)), result);
    let result = (-infinity::<F>()).where_else(x.eq(k(-1.0)), result);
    nan::<F>().where_else(x.lt(k(-1.0)), result)
}
