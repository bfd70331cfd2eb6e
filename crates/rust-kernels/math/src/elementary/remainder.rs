//! `%`, `rem_euclid`, `div_euclid`: exact, by long division of the significands.

use crate::real::{Real, Word, copysign, infinity, k, nan, scale, word};

/// The remainder of `x / y` with the sign of `x`, exactly: some bits of the quotient a step.
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
    // The bits of an integer below 2^(fraction + 1) are it times the smallest subnormal.
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
