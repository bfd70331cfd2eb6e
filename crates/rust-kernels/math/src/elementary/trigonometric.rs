//! Trigonometric and hyperbolic functions, and their inverses.
//!
//! Argument reduction: `x = q pi/2 + r + s` with `|r| <= pi/4`. Up to a bound, by Cody and Waite's method with a constant in three
//! parts, whose first step is exact thanks to the fused multiply-add. Beyond it, by Payne and Hanek's method ("Radian reduction for
//! trigonometric functions", 1983): the significand times the relevant bits of 2/pi, in integers of the format's width. Both give
//! `r + s` with an error far below a unit in the last place of `r`, for every finite `x`.
//!
//! `asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2))` for `x > 1/2`, where the square root's rounding error is found by a
//! fused multiply-add and corrected; `atan(x) = pi/2 - atan(1/x)` for `x > 1`.
//!
//! Hyperbolic functions use the exponential and the logarithm in two parts; `sinh` and `tanh` of small arguments are polynomials.

use crate::elementary::coefficients::{
    ASIN, ATAN, COS, FRAC_2_PI, FRAC_PI_2, FRAC_PI_2_LOW, PI, PI_LOW, PI_PART_1, PI_PART_2,
    PI_PART_3, SIN, SINH, TAN, TANH,
};
use crate::elementary::exponential::{limited, ln_1p_parts, nearest, parts};
use crate::real::{
    Real, Short, Word, bias, copysign, either, fast_two_sum, horner, infinity, k, nan,
    power_of_two, rough_reciprocal, rough_rsqrt, stored, two_product, two_sum, word, word_either,
};

/// The sine and the cosine of `r + s`.
#[inline(always)]
fn core<F: Real>(r: F, s: F) -> (F, F) {
    let z = r * r;
    let half = k::<F>(0.5) * z;
    let sine = r + (r * z).fma(horner(z, &SIN), half.fma(-s, s));
    let (one, error) = fast_two_sum(k::<F>(1.0), -half);
    let cosine = one + (error + (z * z).fma(horner(z, &COS), -r * s));
    (sine, cosine)
}

/// `x`, negated if bit 1 of `q` is set.
#[inline(always)]
fn turned<F: Real>(x: F, q: Short<F>) -> F {
    x.with_high(x.high() ^ (q.shl(word::<F>(30)) & word::<F>(0x8000_0000)))
}

/// The sine and the cosine.
#[inline(always)]
pub fn sin_cos<F: Real>(x: F) -> (F, F) {
    let (r, s, q) = reduce(x);
    let (sine, cosine) = core(r, s);
    let even = (q & word::<F>(1)).eq(word::<F>(0));
    let sin = turned(sine.where_else(even, cosine), q);
    let cos = turned(cosine.where_else(even, sine), q + word::<F>(1));
    (x.where_else(x.eq(k(0.0)), sin), cos)
}

/// The sine.
#[inline(always)]
pub fn sin<F: Real>(x: F) -> F {
    sin_cos(x).0
}

/// The cosine.
#[inline(always)]
pub fn cos<F: Real>(x: F) -> F {
    sin_cos(x).1
}

/// The tangent: `t = u + v` in two parts for `|r| <= pi/4`, or `-1 / t` after an odd number of quarter turns.
#[inline(always)]
pub fn tan<F: Real>(x: F) -> F {
    let (r, s, q) = reduce(x);
    let z = r * r;
    let rest = (r * z).fma(horner(z, &TAN), s);
    let (u, v) = fast_two_sum(r, rest);
    let v = v + u * u * s;
    let inverse = k::<F>(-1.0) / u;
    let error = inverse.fma(u, k(1.0));
    let inverse = inverse.fma(inverse.fma(v, error), inverse);
    let even = (q & word::<F>(1)).eq(word::<F>(0));
    let tan = (u + v).where_else(even, inverse);
    x.where_else(x.eq(k(0.0)), tan)
}

/// `(r, s, q)`; q counts modulo 4.
#[inline(always)]
fn reduce<F: Real>(x: F) -> (F, F, Short<F>) {
    let small = x.abs().lt(either(100_000.0, 1_000_000_000.0));
    F::branch_parts(small, || cody_waite(x), || payne_hanek(x))
}

#[inline(always)]
fn cody_waite<F: Real>(x: F) -> (F, F, Short<F>) {
    let (q, n) = nearest(x, F::constant(FRAC_2_PI));
    let n = -n;
    let first = n.fma(F::constant(PI_PART_1), x);
    let product = n * F::constant(PI_PART_2);
    let error = n.fma(F::constant(PI_PART_2), -product);
    let (r, lost) = fast_two_sum(first, product);
    (r, n.fma(F::constant(PI_PART_3), lost + error), q)
}

#[inline(always)]
fn payne_hanek<F: Real>(x: F) -> (F, F, Short<F>) {
    let constant = |value: u64| F::Bits::constant(value);
    let zero = word::<F>(0);
    let width: i64 = if F::DOUBLE { 64 } else { 32 };
    let fraction: u32 = if F::DOUBLE { 52 } else { 23 };
    let biased = x.high().shr(word::<F>(stored::<F>().into())) & word_either::<F>(0xff, 0x7ff);
    // |x| = significand 2^(e - width + 1). For 2/pi from its bit e - width - 1 on, the product's top two
    // bits count quarter turns; the table has one word of zeros first.
    let significand =
        (x.to_bits() | constant(1 << fraction)).shl(word::<F>(width - 1 - i64::from(fraction)));
    let top = constant(1).shl(word::<F>(width - 1));
    let start = biased - word::<F>(i64::from(bias::<F>()) + 1);
    // The table is long enough for the largest exponent, which infinities and NaNs have.
    let index = start.shr(word::<F>(if F::DOUBLE { 6 } else { 5 }));
    let shift = start & word::<F>(width - 1);
    let back = word::<F>(width) - shift;
    let table = |i: i64| F::two_over_pi(index + word::<F>(i));
    let (a, b, c, d) = (table(0), table(1), table(2), table(3));
    let window = |high: F::Bits, low: F::Bits| high.shl(shift) | low.shr(back);
    let (a, b, c) = (window(a, b), window(b, c), window(c, d));
    let low = significand.mul_high(c) + significand * b;
    let carry = constant(1).where_else(low.below(significand * b), constant(0));
    let high = significand * a + significand.mul_high(b) + carry;

    // The fraction of a quarter turn, as a signed number of two words.
    let two = word::<F>(2);
    let q = F::Bits::shr(high, word::<F>(width - 2)).short();
    let high = high.shl(two) | low.shr(word::<F>(width - 2));
    let low = low.shl(two);
    let above = high.less(constant(0));
    let q = (q + word::<F>(1)).where_else(above, q);
    let ones = constant(u64::MAX).where_else(above, constant(0));
    // Its magnitude, except for one unit of the last bit.
    let (high, low) = (high ^ ones, low ^ ones);
    let empty = high.eq(constant(0));
    let lifted = low.where_else(empty, high);
    let rest = constant(0).where_else(empty, low);
    let extra = word::<F>(width).where_else(empty, zero);
    let zeros = lifted.leading_zeros();
    let back = word::<F>(width) - zeros;
    let (high, low) = (lifted.shl(zeros) | rest.shr(back), rest.shl(zeros));
    // high 2^-width is in [1/2, 1). Its leading bits make one exact number, the next bits another.
    let number = |bits: F::Bits| {
        // The top bit of `bits` is 1. Drop it, and set the exponent of numbers from 1 to 2.
        let field = bits.shl(word::<F>(1)).shr(word::<F>(width - i64::from(fraction)));
        F::from_bits(field | k::<F>(1.0).to_bits())
    };
    let leading = number(high);
    let used = word::<F>(i64::from(fraction) + 1);
    let next = high.shl(used) | low.shr(word::<F>(width) - used);
    let unit = if F::DOUBLE { -52 } else { -23 };
    let trailing =
        (number(next.shr(word::<F>(1)) | top) - k(1.0)) * power_of_two::<F>(word::<F>(unit));
    let weight = power_of_two::<F>(word::<F>(-1) - zeros - extra);
    let (leading, trailing) = (leading * weight, trailing * weight);
    let half_pi = F::constant(FRAC_PI_2);
    let product = leading * half_pi;
    let error = leading.fma(half_pi, -product);
    let error = leading.fma(F::constant(FRAC_PI_2_LOW), error);
    let (r, s) = fast_two_sum(product, trailing.fma(half_pi, error));
    let finite = biased.below(word_either::<F>(0xff, 0x7ff));
    let r = r.where_else(finite, nan());
    // The signs of x and of the fraction.
    let negative = x.lt(k(0.0)) ^ above;
    let q = (zero - q).where_else(x.lt(k(0.0)), q);
    ((-r).where_else(negative, r), (-s).where_else(negative, s), q)
}

/// `(y, w)` with `asin(y') = y + w`, where y' is |x|, or `sqrt((1 - |x|) / 2)` where `|x| > 1/2`.
#[inline(always)]
fn asin_core<F: Real>(x: F) -> (F, F) {
    let size = x.abs();
    let inner = size.le(k(0.5));
    let half = k::<F>(0.5).fma(-size, k(0.5));
    let z = (size * size).where_else(inner, half);
    let root = half.sqrt();
    let error = root.fma(-root, half) * (k::<F>(0.5) * rough_rsqrt(half));
    let y = size.where_else(inner, root);
    let low = k::<F>(0.0).where_else(inner, error);
    // At x = 1, the estimate of 1 / sqrt(0) is finite, and the error is 0.
    (y, (y * z).fma(horner(z, &ASIN), low))
}

/// The arc sine.
#[inline(always)]
pub fn asin<F: Real>(x: F) -> F {
    let (y, w) = asin_core(x);
    let (high, low) = fast_two_sum(F::constant(FRAC_PI_2), k::<F>(-2.0) * y);
    let outer = high + (low + k::<F>(-2.0).fma(w, F::constant(FRAC_PI_2_LOW)));
    let result = (y + w).where_else(x.abs().le(k(0.5)), outer);
    // For a NaN the comparison is false, and the square root returns a NaN.
    copysign(result, x)
}

/// The arc cosine.
#[inline(always)]
pub fn acos<F: Real>(x: F) -> F {
    let (y, w) = asin_core(x);
    let half_pi = F::constant(FRAC_PI_2);
    let (signed, rest) =
        ((-y).where_else(k::<F>(0.0).lt(x), y), (-w).where_else(k::<F>(0.0).lt(x), w));
    let (high, low) = fast_two_sum(half_pi, signed);
    let inner = high + (low + (rest + F::constant(FRAC_PI_2_LOW)));
    let double = k::<F>(2.0) * (y + w);
    let (high, low) = fast_two_sum(F::constant(PI), k::<F>(-2.0) * y);
    let opposite = high + (low + k::<F>(-2.0).fma(w, F::constant(PI_LOW)));
    let outer = opposite.where_else(x.lt(k(0.0)), double);
    inner.where_else(x.abs().le(k(0.5)), outer)
}

/// `(y, w)` with `atan(q + low) = y + w` for `0 <= q <= 1`.
#[inline(always)]
fn atan_core<F: Real>(q: F, low: F) -> (F, F) {
    let z = q * q;
    (q, (q * z).fma(horner(z, &ATAN), low))
}

/// `1 / (1 + q^2)`, the slope of the arc tangent, within a few hundredths.
#[inline(always)]
fn slope<F: Real>(q: F) -> F {
    let z = q * q;
    z.fma(z.fma(k(0.28), k(-0.78)), k(1.0))
}

/// The arc tangent.
#[inline(always)]
pub fn atan<F: Real>(x: F) -> F {
    let size = x.abs();
    let large = k::<F>(1.0).lt(size);
    let q = (k::<F>(1.0) / size).where_else(large, size);
    // For larger numbers, the reciprocal's error does not matter; for infinity, it is undefined.
    let middle = large & size.lt(k(1e9));
    let low = q.fma(-size, k(1.0)) * q;
    let (y, w) = atan_core(q, (low * slope(q)).where_else(middle, k(0.0)));
    let (high, low) = fast_two_sum(F::constant(FRAC_PI_2), -y);
    let outer = high + (low + (F::constant(FRAC_PI_2_LOW) - w));
    copysign(outer.where_else(large, y + w), x)
}

/// The angle of the point `(x, y)`.
#[inline(always)]
pub fn atan2<F: Real>(y: F, x: F) -> F {
    let (width, height) = (x.abs(), y.abs());
    let steep = width.lt(height);
    let most = height.where_else(steep, width);
    let least = width.where_else(steep, height);
    // The remainder of the division must not underflow.
    let small = most.lt(either(5.421_011e-20, 1e-150));
    let factor = either::<F>(1.844_674_4e19, 1.340_780_792_994_259_7e154);
    let factor = factor.where_else(small, k(1.0));
    let (most, least) = (most * factor, least * factor);
    let quotient = least / most;
    // Here 0/0 is 0 and inf/inf is 1.
    let quotient = k::<F>(0.0).where_else(most.eq(k(0.0)), quotient);
    let quotient = k::<F>(1.0).where_else(least.eq(infinity()), quotient);
    let error = quotient.fma(-most, least) * rough_reciprocal(most);
    let error = error.where_else(error.abs().lt(quotient), k(0.0));
    let (a, w) = atan_core(quotient, error * slope(quotient));
    // pi/2 - a, then pi - a or pi - (pi/2 - a) = pi/2 + a.
    let back = x.high().less(word::<F>(0));
    let zero = k::<F>(0.0);
    let base = F::constant(FRAC_PI_2).where_else(steep, F::constant(PI).where_else(back, zero));
    let base_low =
        F::constant(FRAC_PI_2_LOW).where_else(steep, F::constant(PI_LOW).where_else(back, zero));
    let subtract = steep ^ back;
    let (a, w) = ((-a).where_else(subtract, a), (-w).where_else(subtract, w));
    let (high, low) = fast_two_sum(base, a);
    let angle = high + (low + (base_low + w));
    let angle = (a + w).where_else(base.eq(zero), angle);
    let angle = copysign(angle, y);
    let known = x.eq(x) & y.eq(y);
    angle.where_else(known, nan())
}

/// A quarter of exp(|x|) in two parts, and a quarter of exp(-|x|).
#[inline(always)]
fn quarters<F: Real>(x: F) -> (F, F, F) {
    let size = limited(x.abs(), k(0.0), either(89.6, 710.6));
    let (n, w, v) = parts(size, k(0.0));
    let unit = power_of_two::<F>(n - word::<F>(2));
    let (one, error) = fast_two_sum(k::<F>(1.0), w);
    let quarter = one * unit;
    (quarter, (error + v) * unit, k::<F>(0.0625) / quarter)
}

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh<F: Real>(x: F) -> F {
    let (quarter, low, inverse) = quarters(x);
    let large = k::<F>(2.0) * (quarter + (low - inverse));
    let z = x * x;
    let small = (x * z).fma(horner(z, &SINH), x);
    let small = x.where_else(x.eq(k(0.0)), small);
    small.where_else(x.abs().lt(k(1.0)), copysign(large, x))
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh<F: Real>(x: F) -> F {
    let (quarter, low, inverse) = quarters(x);
    k::<F>(2.0) * (quarter + (low + inverse))
}

/// The hyperbolic tangent: `1 - 2 / (exp(2x) + 1)` beyond 5/8.
#[inline(always)]
pub fn tanh<F: Real>(x: F) -> F {
    let size = x.abs();
    let twice = limited(size + size, k(0.0), either(20.0, 42.0));
    let (n, w, v) = parts(twice, k(0.0));
    let unit = power_of_two::<F>(n);
    // unit + 1 is exact, unit w is at most half of it.
    let (sum, error) = fast_two_sum(unit + k(1.0), unit * w);
    let low = unit.fma(v, error);
    let quotient = k::<F>(2.0) / sum;
    let correction = quotient * quotient * (k::<F>(0.5) * low);
    let (high, lost) = fast_two_sum(k::<F>(1.0), -quotient);
    let large = high + (lost + correction);
    let z = x * x;
    let small = (x * z).fma(horner(z, &TANH), x);
    let small = x.where_else(x.eq(k(0.0)), small);
    small.where_else(size.le(k(0.625)), copysign(large, x))
}

/// The inverse hyperbolic sine: `ln(1 + a + a^2 / (1 + sqrt(1 + a^2)))`.
#[inline(always)]
pub fn asinh<F: Real>(x: F) -> F {
    let size = x.abs();
    let huge = either::<F>(1e9, 1e18).lt(size);
    let a = k::<F>(1.0).where_else(huge, size);
    let (square, lost) = two_product(a, a);
    let (more, error) = two_sum(k::<F>(1.0), square);
    let root = more.sqrt();
    let low = (root.fma(-root, more) + (error + lost)) * (k::<F>(0.5) * rough_rsqrt(more));
    // The second form is as precise as the first only if the root is not near 1.
    let near = a.lt(k(0.5));
    let rest = (square / (k::<F>(1.0) + root)).where_else(near, root - k(1.0));
    let (sum, error) = fast_two_sum(a, rest);
    let error = error.where_else(near, error + low);
    let sum = size.where_else(huge, sum);
    let error = k::<F>(0.0).where_else(huge, error);
    let (high, low) = ln_1p_parts(sum, error, word::<F>(1).where_else(huge, word::<F>(0)));
    let result = size.where_else(size.eq(infinity()), high + low);
    copysign(x.where_else(x.eq(k(0.0)), result), x)
}

/// The inverse hyperbolic cosine: `ln(1 + t + sqrt(t (x + 1)))` with `t = x - 1`.
#[inline(always)]
pub fn acosh<F: Real>(x: F) -> F {
    let huge = either::<F>(1e9, 1e18).lt(x);
    let a = k::<F>(2.0).where_else(huge, x);
    let t = a - k(1.0);
    let (sum, lost) = two_sum(a, k(1.0));
    let (product, error) = two_product(t, sum);
    let error = t.fma(lost, error);
    let root = product.sqrt();
    let low = (root.fma(-root, product) + error) * (k::<F>(0.5) * rough_rsqrt(product));
    let (sum, error) = two_sum(root, t);
    let sum = x.where_else(huge, sum);
    let error = k::<F>(0.0).where_else(huge, error + low);
    let (high, low) = ln_1p_parts(sum, error, word::<F>(1).where_else(huge, word::<F>(0)));
    let result = x.where_else(x.eq(infinity()), high + low);
    let result = k::<F>(0.0).where_else(x.eq(k(1.0)), result);
    nan::<F>().where_else(x.lt(k(1.0)), result)
}

/// The inverse hyperbolic tangent: half of `ln(1 + 2a / (1 - a))`.
#[inline(always)]
pub fn atanh<F: Real>(x: F) -> F {
    let a = x.abs();
    let (d, lost) = fast_two_sum(k::<F>(1.0), -a);
    let inverse = k::<F>(1.0) / d;
    let twice = a + a;
    let q = twice * inverse;
    let low = (q.fma(-d, twice) - q * lost) * inverse;
    let (high, rest) = ln_1p_parts(q, low, word::<F>(0));
    let result = k::<F>(0.5) * (high + rest);
    // For a tiny number the quotient is subnormal or rounded twice, so return the number.
    let result = a.where_else(a.lt(either(1e-5, 1e-9)), result);
    let result = infinity::<F>().where_else(a.eq(k(1.0)), result);
    let result = nan::<F>().where_else(k::<F>(1.0).lt(a), result);
    copysign(result, x)
}
