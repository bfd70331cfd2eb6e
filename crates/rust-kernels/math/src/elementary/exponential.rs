//! Exponentials, logarithms, powers and the error function: `exp`, `exp2`, `exp_m1`, `ln`, `log2`, `log10`, `ln_1p`, `powf`, `powi`,
//! `erf` and `erfc`.
//!
//! Exponentials: Cody and Waite's reduction `x = n ln 2 + r` with a constant in two parts, a polynomial for `|r| <= ln(2)/2`,
//! and a multiplication by `2^n` in two steps, so that a subnormal result is rounded only once more.
//! (Muller, "Elementary Functions", chapters 4 and 11.) `exp_m1` and its users keep the rounding errors of
//! `r` and of the polynomial's last sum as a second part.
//!
//! Logarithms: `x = 2^e (1 + f)` with `2/3 <= 1 + f < 4/3`; then `e ln 2 + f + t(f)`, where the first sum keeps its rounding
//! error and `e ln 2` is exact in its leading part. For f32, `t` is a polynomial; for f64, Tang's form with
//! `s = f / (2 + f)`, whose series in `s^2` is short ("Table-driven implementation of the logarithm function",
//! 1990; fdlibm's error analysis).
//!
//! Powers: `x^y = exp(y ln x)`, with `ln x` in two parts to about 2^-40 for f32 and 2^-68 for f64: the series of
//! `2 atanh(f / (2 + f))` with its first three terms in double words (as in Muller's handbook,
//! section 11.4), and the product's error carried into the exponential.
//!
//! Error function: `erf` up to 1 by a polynomial; beyond, `erfc(x) = exp(-x^2) g(t) / (1 + 2x)` with `t = (x - K) / (x + K)`, which
//! maps the whole half-line to an interval where `g` is smooth (Shepherd and Laframboise, "Chebyshev
//! approximation of (1 + 2x) exp(x^2) erfc x", 1981); `x^2` keeps its rounding error.

use crate::elementary::coefficients::{
    ERF, ERFCX, EXP, EXP2, LN, LN_2, LN_2_LOW, LN_2_REST, LN_2_SHORT, LN_RATIO, LN_TAIL, LOG2_E,
    LOG2_E_LOW, LOG10_2_REST, LOG10_2_SHORT, LOG10_E, LOG10_E_LOW, TWO_FIFTHS, TWO_FIFTHS_LOW,
    TWO_THIRDS, TWO_THIRDS_LOW,
};
use crate::real::{
    Pair, Real, Short, Word, add_exponent, copysign, either, fast_two_sum, horner, horner_from,
    infinity, k, nan, power_of_two, scale, stored, two_product, two_sum, word, word_either,
};

/// `x` clamped to `low..=high`. A NaN stays unchanged.
#[inline(always)]
pub(crate) fn limited<F: Real>(x: F, low: F, high: F) -> F {
    let x = high.where_else(high.lt(x), x);
    low.where_else(x.lt(low), x)
}

/// The sum that rounds to an integer: adding it leaves the integer in the low bits.
#[inline(always)]
fn rounder<F: Real>() -> F {
    either(12_582_912.0, 6_755_399_441_055_744.0)
}

/// The integer nearest to `x * factor`, as an integer and as a number.
#[inline(always)]
pub(crate) fn nearest<F: Real>(x: F, factor: F) -> (Short<F>, F) {
    let sum = x.fma(factor, rounder());
    (sum.low() - rounder::<F>().low(), sum - rounder())
}

/// e to the power of `x`.
#[inline(always)]
pub fn exp<F: Real>(x: F) -> F {
    let x = limited(x, either(-105.0, -746.0), either(90.0, 711.0));
    let (n, whole) = nearest(x, F::constant(LOG2_E));
    let r = whole.fma(-F::constant(LN_2), x);
    let r = whole.fma(-F::constant(LN_2_LOW), r);
    let (one, error) = fast_two_sum(k::<F>(1.0), r);
    scale(one + (r * r).fma(horner(r, &EXP), error), n)
}

/// 2 to the power of `x`.
#[inline(always)]
pub fn exp2<F: Real>(x: F) -> F {
    let x = limited(x, either(-151.0, -1076.0), either(129.0, 1025.0));
    let (n, whole) = nearest(x, k(1.0));
    let r = x - whole;
    scale(r.fma(horner(r, &EXP2), k(1.0)), n)
}

/// `exp(x + low) = 2^n (1 + w + v)`, where `w + v` is precise to a few bits more than the format.
#[inline(always)]
pub(crate) fn parts<F: Real>(x: F, low: F) -> (Short<F>, F, F) {
    let (n, whole) = nearest(x, F::constant(LOG2_E));
    let exact = whole.fma(-F::constant(LN_2), x);
    let (r, rest) = fast_two_sum(exact, whole * -F::constant(LN_2_LOW));
    let rest = rest + low;
    let square = r * r * horner(r, &EXP);
    let (w, error) = fast_two_sum(r, square);
    (n, w, error + w.fma(rest, rest))
}

/// `2^n (1 + w + v)`, rounded.
#[inline(always)]
fn joined<F: Real>((n, w, v): (Short<F>, F, F)) -> F {
    let (sum, error) = fast_two_sum(k::<F>(1.0), w);
    scale(sum + (error + v), n)
}

/// `exp(x) - 1`.
#[inline(always)]
pub fn exp_m1<F: Real>(x: F) -> F {
    let limit = limited(x, either(-20.0, -45.0), either(89.0, 709.9));
    let (n, w, v) = parts(limit, k(0.0));
    // With half the power of two, no intermediate value of the largest results overflows.
    let half = power_of_two::<F>(n - word::<F>(1));
    let (whole, lost) = two_sum(half, k(-0.5));
    let scaled = half * w;
    let sum = whole + scaled;
    // Which of the two is larger depends on n.
    let part = sum - whole;
    let error = (whole - (sum - part)) + (scaled - part);
    let result = k::<F>(2.0) * (sum + half.fma(v, error + lost));
    // Halving a subnormal number would round it.
    x.where_else(x.abs().lt(either(1e-9, 1e-18)), result)
}

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
        // The first coefficient is -1/2: its product with f^2 is rounded once.
        let z = f * f;
        (z * f).fma(horner_from(f, &LN, 1), k::<F>(-0.5) * z)
    }
}

/// Completes a logarithm with its values outside the positive numbers.
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

/// `ln x` in two parts, for a positive finite `x`.
#[inline(always)]
fn ln_parts<F: Real>(x: F) -> (F, F) {
    let (e, f) = split(x);
    let e = F::from_short(e);
    // s + low = f / (2 + f)
    let (d, lost) = fast_two_sum(k::<F>(2.0), f);
    let inverse = k::<F>(1.0) / d;
    let s = f * inverse;
    let low = (s.fma(-d, f) - s * lost) * inverse;
    let (z, error) = two_product(s, s);
    let z_low = (s + s).fma(low, error);
    // 2/3 + z (2/5 + z tail)
    let inner = z * horner(z, &LN_TAIL);
    let (c, c_low) = fast_two_sum(F::constant(TWO_FIFTHS), inner);
    let c_low = c_low + F::constant(TWO_FIFTHS_LOW);
    let (p, error) = two_product(z, c);
    let p_low = z.fma(c_low, z_low.fma(c, error));
    let (c, c_low) = fast_two_sum(F::constant(TWO_THIRDS), p);
    let c_low = c_low + (p_low + F::constant(TWO_THIRDS_LOW));
    let (p, error) = two_product(z, c);
    let p_low = z.fma(c_low, z_low.fma(c, error));
    // ln(1 + f) = 2 s + s p
    let (q, error) = two_product(s, p);
    let q_low = s.fma(p_low, low.fma(p, error));
    let (a, a_low) = fast_two_sum(s + s, q);
    let a_low = a_low + (q_low + (low + low));
    let (sum, error) = fast_two_sum(e * F::constant(LN_2_SHORT), a);
    let rest = e * F::constant(LN_2_REST);
    let rest_error = e.fma(F::constant(LN_2_REST), -rest);
    let (sum, more) = fast_two_sum(sum, rest);
    fast_two_sum(sum, more + (error + (a_low + rest_error)))
}

/// `x` to the power of `y`.
#[inline(always)]
pub fn powf<F: Real>(x: F, y: F) -> F {
    let (zero, one) = (k::<F>(0.0), k::<F>(1.0));
    let size = x.abs();
    let (l, l_low) = ln_parts(size);
    let (product, error) = two_product(y, l);
    let low = y.fma(l_low, error);
    let limit = either::<F>(120.0, 800.0);
    let far = limit.lt(product.abs());
    let bound = limit.where_else(zero.lt(product), -limit);
    let result = joined(parts(bound.where_else(far, product), zero.where_else(far, low)));

    // If ln |x| or y is infinite, the result is 0 or infinity.
    let inverse = y.lt(zero);
    let degenerate = size.eq(zero) | size.eq(infinity()) | y.abs().eq(infinity());
    let result =
        infinity::<F>().where_else(size.lt(one) ^ !inverse, zero).where_else(degenerate, result);
    // Determines the sign. Some powers of negative numbers are NaN.
    let half = k::<F>(0.5) * y;
    let integral = y.trunc().eq(y);
    let odd = integral & !half.trunc().eq(half);
    let negative = x.high().less(word::<F>(0));
    let result = (-result).where_else(negative & odd, result);
    let undefined = x.lt(zero) & !integral & !size.eq(infinity());
    let undefined = undefined | !(x.eq(x) & y.eq(y));
    let result = nan::<F>().where_else(undefined, result);
    let unit = y.eq(zero) | x.eq(one) | (x.eq(-one) & y.abs().eq(infinity()));
    one.where_else(unit, result)
}

/// `x` to the power of the integer `n`, by repeated squaring. If `n` is negative, the reciprocal of the power of `-n`.
#[inline(always)]
pub fn powi<F: Real>(x: F, n: Short<F>) -> F {
    let zero = word::<F>(0);
    let negative = n.less(zero);
    let count = F::Bits::extended((zero - n).where_else(negative, n));
    let bits = |value: u64| F::Bits::constant(value);
    let one = k::<F>(1.0).to_bits();
    let [power, ..] = F::Bits::repeat(
        [one, x.to_bits(), count],
        |[_, _, left]| !left.eq(bits(0)),
        |[power, square, left]| {
            let (value, factor) = (F::from_bits(power), F::from_bits(square));
            let taken = (left & bits(1)).eq(bits(1));
            let power = (value * factor).where_else(taken, value);
            [power.to_bits(), (factor * factor).to_bits(), left.shr(word::<F>(1))]
        },
    );
    let power = F::from_bits(power);
    (k::<F>(1.0) / power).where_else(negative, power)
}

/// `erfc` of numbers from 1/2 to the bound beyond which it underflows.
#[inline(always)]
fn complement<F: Real>(x: F) -> F {
    let shift = either::<F>(2.0, 4.0);
    let sum = x + shift;
    let t = (x - shift) / sum;
    // Computes the rounding error of (x - K) / (x + K).
    let error = t.fma(-sum, x - shift) - t * ((x - sum) + shift);
    let t = t + error / sum;
    let g = horner(t, &ERFCX);
    let d = (x + x) + k(1.0);
    let scaled = g / d;
    let residual = scaled.fma(-d, g) / d;
    let (square, low) = two_product(x, x);
    let (n, w, v) = parts(-square, -low);
    // (1 + w + v) (scaled + residual), then the power of two.
    let factor = scaled + scaled.fma(w + v, residual);
    scale(factor, n)
}

/// The error function.
#[inline(always)]
pub fn erf<F: Real>(x: F) -> F {
    let size = x.abs();
    let z = x * x;
    let small = x.fma(horner(z, &ERF), x);
    let small = x.where_else(x.eq(k(0.0)), small);
    let most = either::<F>(4.5, 6.5);
    let bounded = most.where_else(most.lt(size), size);
    let large = copysign(k::<F>(1.0) - complement(bounded), x);
    large.where_else(k::<F>(1.0).lt(size), small)
}

/// The complement of the error function, `1 - erf(x)`.
#[inline(always)]
pub fn erfc<F: Real>(x: F) -> F {
    let size = x.abs();
    let z = x * x;
    let small = k::<F>(1.0) - x.fma(horner(z, &ERF), x);
    let most = either::<F>(10.8, 27.8);
    let bounded = most.where_else(most.lt(size), size);
    let large = complement(bounded);
    let large = (k::<F>(2.0) - large).where_else(x.lt(k(0.0)), large);
    large.where_else(k::<F>(0.5).lt(size), small)
}
