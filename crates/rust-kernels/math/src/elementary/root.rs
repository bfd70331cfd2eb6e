//! `cbrt` and `hypot`.

use crate::real::{
    Real, Word, bias, copysign, either, fast_two_sum, infinity, k, nan, power_of_two, rough_rsqrt,
    stored, two_product, word, word_either,
};

/// The cube root: an estimate of `1 / cbrt(x)` from a third of the exponent, Halley's iteration without
/// divisions, and a last correction by the exact residual.
#[inline(always)]
pub fn cbrt<F: Real>(x: F) -> F {
    let size = x.abs();
    // The residual must not underflow: 2^-96 and 2^-900, scaled by the cubes of 2^20 and 2^60.
    let tiny = size.lt(either(1.262_177_4e-29, 1.183_052_186_166_774_7e-271));
    let normal = (size * either(1_152_921_504_606_846_976.0, 1.532_495_540_865_889e54))
        .where_else(tiny, size);
    let third = normal.high().mul_high(word::<F>(0x5555_5556));
    let mut y = F::from_high(word_either::<F>(0x54a2_4b66, 0x553e_f0ff) - third);
    for _ in 0..if F::DOUBLE { 3 } else { 2 } {
        let h = (normal * y * y).fma(-y, k(1.0));
        let step = h.fma(h.fma(k(14.0 / 81.0), k(2.0 / 9.0)), k(1.0 / 3.0));
        y = (y * h).fma(step, y);
    }
    let square = y * y;
    let root = normal * square;
    let (product, error) = two_product(root, root);
    let residual = product.fma(root, -normal) + error * root;
    let root = (residual * square).fma(k(-1.0 / 3.0), root);
    let root = (root * either(1.0 / 1_048_576.0, 1.0 / 1_152_921_504_606_846_976.0))
        .where_else(tiny, root);
    let plain = size.lt(infinity()) & !size.eq(k(0.0));
    copysign(root, x).where_else(plain, x)
}

/// `sqrt(x^2 + y^2)` without overflow on the way: both scaled by a power of two, the squares' rounding errors
/// kept and corrected.
#[inline(always)]
pub fn hypot<F: Real>(x: F, y: F) -> F {
    let (x, y) = (x.abs(), y.abs());
    let most = y.where_else(x.lt(y), x);
    let least = x.where_else(x.lt(y), y);
    let limit = word_either::<F>(126, 1022);
    let e = most.high().shr(word::<F>(stored::<F>().into())) - word::<F>(bias::<F>().into());
    let e = limit.where_else(limit.less(e), e);
    let e = (word::<F>(0) - limit).where_else(e.less(word::<F>(0) - limit), e);
    let down = power_of_two::<F>(word::<F>(0) - e);
    let (a, b) = (most * down, least * down);
    let (aa, a_low) = two_product(a, a);
    let (bb, b_low) = two_product(b, b);
    let (sum, error) = fast_two_sum(aa, bb);
    let error = error + (a_low + b_low);
    let root = sum.sqrt();
    let correction = (root.fma(-root, sum) + error) * (k::<F>(0.5) * rough_rsqrt(sum));
    let result = (root + correction) * power_of_two::<F>(e);
    let result = most.where_else(least.eq(k(0.0)), result);
    let result = nan::<F>().where_else(!(x.eq(x) & y.eq(y)), result);
    infinity::<F>().where_else(x.eq(infinity()) | y.eq(infinity()), result)
}
