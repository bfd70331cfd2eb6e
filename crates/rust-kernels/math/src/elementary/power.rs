//! `powf` and `powi`.
//!
//! `x^y = exp(y ln x)`, with `ln x` in two parts to about 2^-40 for f32 and 2^-68 for f64: the series of
//! `2 atanh(f / (2 + f))` with its first three terms in double words (as in Muller's handbook,
//! section 11.4), and the product's error carried into the exponential.

use crate::elementary::coefficients::{
    LN_2_REST, LN_2_SHORT, LN_TAIL, TWO_FIFTHS, TWO_FIFTHS_LOW, TWO_THIRDS, TWO_THIRDS_LOW,
};
use crate::elementary::exponential::{joined, parts};
use crate::elementary::logarithm::split;
use crate::real::{
    Real, Short, Word, either, fast_two_sum, horner, infinity, k, nan, two_product, word,
};

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

    // Where ln |x| or y is infinite: 0 or infinity.
    let inverse = y.lt(zero);
    let degenerate = size.eq(zero) | size.eq(infinity()) | y.abs().eq(infinity());
    let result =
        infinity::<F>().where_else(size.lt(one) ^ !inverse, zero).where_else(degenerate, result);
    // The sign, and powers of negative numbers that are NaN.
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

/// `x` to the power of the integer `n` by repeated squaring; the reciprocal of the power of `-n` if `n` is
/// negative.
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
