//! `asin`, `acos`, `atan`, `atan2`.
//!
//! `asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2))` for `x > 1/2`, where the square root's rounding error is found by a
//! fused multiply-add and corrected; `atan(x) = pi/2 - atan(1/x)` for `x > 1`.

use crate::elementary::coefficients::{ASIN, ATAN, FRAC_PI_2, FRAC_PI_2_LOW, PI, PI_LOW};
use crate::real::{
    Real, Word, copysign, either, fast_two_sum, horner, infinity, k, nan, rough_reciprocal,
    rough_rsqrt, word,
};

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
    // A NaN fails the comparison, and gives a NaN by the square root.
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
    // Further out, the reciprocal's error does not matter, and infinity has none.
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
    // 0/0 is 0 and inf/inf is 1 here.
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
