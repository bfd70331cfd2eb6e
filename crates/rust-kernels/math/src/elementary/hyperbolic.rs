//! `sinh`, `cosh`, `tanh`, `asinh`, `acosh`, `atanh`: from the exponential and the logarithm in two parts;
//! `sinh` and `tanh` of small arguments by polynomials.

use crate::elementary::coefficients::{SINH, TANH};
use crate::elementary::exponential::{limited, ln_1p_parts, parts};
use crate::real::{
    Real, Word, copysign, either, fast_two_sum, horner, infinity, k, nan, power_of_two,
    rough_rsqrt, two_product, two_sum, word,
};

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
    // The second form is as precise as the first only where the root is not near 1.
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
    // The quotient of a tiny number is subnormal or rounds twice: the number is the result.
    let result = a.where_else(a.lt(either(1e-5, 1e-9)), result);
    let result = infinity::<F>().where_else(a.eq(k(1.0)), result);
    let result = nan::<F>().where_else(k::<F>(1.0).lt(a), result);
    copysign(result, x)
}
