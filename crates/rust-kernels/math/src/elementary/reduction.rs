//! Argument reduction of the trigonometric functions: `x = q pi/2 + r + s` with `|r| <= pi/4`.
//!
//! Up to a bound, Cody and Waite's with a constant in three parts: the first step is exact thanks to the fused
//! multiply-add. Beyond it, Payne and Hanek's: the significand times as many bits of 2/pi as matter
//! ("Radian reduction for trigonometric functions", 1983), in integers of the format's width. Both give
//! `r + s` with an error far below a unit in the last place of `r`, for every finite `x`.

use crate::elementary::coefficients::{
    FRAC_2_PI, FRAC_PI_2, FRAC_PI_2_LOW, PI_PART_1, PI_PART_2, PI_PART_3,
};
use crate::elementary::exponential::nearest;
use crate::real::{
    Real, Short, Word, bias, either, fast_two_sum, k, nan, power_of_two, stored, word, word_either,
};

/// `(r, s, q)`; q counts modulo 4.
#[inline(always)]
pub(crate) fn reduce<F: Real>(x: F) -> (F, F, Short<F>) {
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
    // An infinity or a NaN has the largest exponent, for which the table is long enough, too.
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
    // high 2^-width in [1/2, 1): its leading bits are a number without rounding, the next ones another.
    let number = |bits: F::Bits| {
        // `bits` has a leading 1 at the top: drop it, and let the exponent say 1 to 2.
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
