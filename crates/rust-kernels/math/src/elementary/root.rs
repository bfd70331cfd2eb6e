//! `cbrt` and `hypot`; and `%`, `rem_euclid` and `div_euclid`, which are exact, by long division of the significands.

use crate::real::{
    Real, Word, bias, copysign, either, fast_two_sum, infinity, k, nan, power_of_two, rough_rsqrt,
    scale, stored, two_product, word, word_either,
};

/// The cube root: estimates `1 / cbrt(x)` from a third of the exponent, refines it by Halley's iteration without
/// divisions, and corrects the result by the exact residual.
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

/// `sqrt(x^2 + y^2)` without overflow of intermediate results: scales both by a power of two, and corrects for the rounding errors of
/// the squares.
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

/// The exact remainder of `x / y` with the sign of `x`. Each step computes several bits of the quotient.
#[inline(always)]
pub fn rem<F: Real>(x: F, y: F) -> F {
    let (a, b) = (x.abs(), y.abs());
    let defined = a.lt(infinity()) & k::<F>(0.0).lt(b);
    let whole = defined & b.le(a) & b.lt(infinity());
    let rest = F::branch(whole, || long_division(a, b), || a);
    // A NaN in y is caught by the comparison of b with 0.
    copysign(rest, x).where_else(defined, nan())
}

#[inline(always)]
fn long_division<F: Real>(a: F, b: F) -> F {
    let constant = |value: u64| F::Bits::constant(value);
    let fraction: u32 = if F::DOUBLE { 52 } else { 23 };
    let spare: u64 = if F::DOUBLE { 11 } else { 8 };
    let (zero, one) = (constant(0), constant(1));
    let parts = |x: F| {
        let bits = x.to_bits();
        let e = bits.shr(word::<F>(fraction.into()));
        let subnormal = e.eq(zero);
        let implicit = zero.where_else(subnormal, constant(1 << fraction));
        let significand = (bits & constant((1 << fraction) - 1)) | implicit;
        (one.where_else(subnormal, e), significand)
    };
    let ((e, m), (f, d)) = (parts(a), parts(b));
    let [_, rest] = F::Bits::repeat(
        [e - f, m.rem(d)],
        |[left, rest]| !(left.eq(zero) | rest.eq(zero)),
        |[left, rest]| {
            let step = left.where_else(left.below(constant(spare)), constant(spare));
            [left - step, rest.shl(step.short()).rem(d)]
        },
    );
    // As the bits of a float, an integer below 2^(fraction + 1) is that integer times the smallest subnormal number.
    scale(F::from_bits(rest), f.short() - word::<F>(1))
}

/// The remainder of Euclidean division, in `0..|y|` (or `|y|` itself by rounding).
#[inline(always)]
pub fn rem_euclid<F: Real>(x: F, y: F) -> F {
    let rest = rem(x, y);
    (rest + y.abs()).where_else(rest.lt(k(0.0)), rest)
}

/// The quotient of Euclidean division.
#[inline(always)]
pub fn div_euclid<F: Real>(x: F, y: F) -> F {
    let quotient = (x / y).trunc();
    let one = k::<F>(1.0);
    let other = (quotient - one).where_else(k::<F>(0.0).lt(y), quotient + one);
    other.where_else(rem(x, y).lt(k(0.0)), quotient)
}
