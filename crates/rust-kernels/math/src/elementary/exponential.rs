//! Exponentials: `exp`, `exp2`, `exp_m1`, and `exp(x + y)` for a number in two parts.
//!
//! Cody and Waite's reduction `x = n ln 2 + r` with a constant in two parts, a polynomial for `|r| <= ln(2)/2`,
//! and a multiplication by `2^n` in two steps, so that a subnormal result is rounded once more only.
//! (Muller, "Elementary Functions", chapters 4 and 11.) `exp_m1` and its users keep the rounding errors of
//! `r` and of the polynomial's last sum as a second part.

use crate::elementary::coefficients::{EXP, EXP2, LN_2, LN_2_LOW, LOG2_E};
use crate::real::{
    Real, Short, either, fast_two_sum, horner, k, power_of_two, scale, two_sum, word,
};

/// `x` limited to `low..=high`, a NaN unchanged.
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
pub(crate) fn joined<F: Real>((n, w, v): (Short<F>, F, F)) -> F {
    let (sum, error) = fast_two_sum(k::<F>(1.0), w);
    scale(sum + (error + v), n)
}

/// `exp(x) - 1`.
#[inline(always)]
pub fn exp_m1<F: Real>(x: F) -> F {
    let limit = limited(x, either(-20.0, -45.0), either(89.0, 709.9));
    let (n, w, v) = parts(limit, k(0.0));
    // With half the power of two, the largest results do not overflow on the way.
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
