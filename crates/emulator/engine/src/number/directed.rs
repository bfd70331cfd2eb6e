//! f32 arithmetic rounded down, up or toward zero, without branches, so that lanes are computed side by side.
//!
//! A product of two f32 is exact in f64. A sum is an f64 and its rounding error, which Knuth's TwoSum finds (Muller et al.,
//! "Handbook of Floating-Point Arithmetic", 2nd edition, section 4.3). The host rounds the f64 to the nearest f32; if that is past
//! the exact result in the wrong direction, the result is the f32 before it.

use crate::number::single::canonical;
use crate::number::soft::Round;

/// `a + b`.
#[inline(always)]
pub fn add(round: Round, a: f32, b: f32) -> f32 {
    sum(round, f64::from(a), f64::from(b))
}

/// `a - b`.
#[inline(always)]
pub fn sub(round: Round, a: f32, b: f32) -> f32 {
    sum(round, f64::from(a), f64::from(-b))
}

/// `a * b`.
#[inline(always)]
pub fn mul(round: Round, a: f32, b: f32) -> f32 {
    directed(round, f64::from(a) * f64::from(b), 0.0)
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub fn fma(round: Round, a: f32, b: f32, c: f32) -> f32 {
    sum(round, f64::from(a) * f64::from(b), f64::from(c))
}

/// The sum of two numbers, rounded once to f32.
#[inline(always)]
fn sum(round: Round, a: f64, b: f64) -> f32 {
    let sum = a + b;
    let of_b = sum - a;
    let error = (a - (sum - of_b)) + (b - of_b);
    let result = directed(round, sum, error);
    // Rounded down, numbers that cancel give -0.
    let cancels = round == Round::Down && sum == 0.0 && (a.to_bits() | b.to_bits()) != 0;
    if cancels { -0.0 } else { result }
}

/// The f32 of `value + error` in a direction; the error is at most half a unit in the last place of `value`.
#[inline(always)]
fn directed(round: Round, value: f64, error: f64) -> f32 {
    let nearest = value as f32;
    let (wide, bits) = (f64::from(nearest), nearest.to_bits());
    // If the nearest f32 differs from `value`, the error is too small to reach it.
    let above = wide > value || wide == value && error < 0.0;
    let below = wide < value || wide == value && error > 0.0;
    // Bits grow with the magnitude.
    let (less, more) = (bits.wrapping_sub(1), bits.wrapping_add(1));
    const SMALLEST: u32 = 1;
    const SIGN: u32 = 1 << 31;
    let (zero, negative) = (nearest == 0.0, bits >> 31 != 0);
    let down = if zero {
        SIGN | SMALLEST
    } else if negative {
        more
    } else {
        less
    };
    let up = if zero {
        SMALLEST
    } else if negative {
        less
    } else {
        more
    };
    let bits = match round {
        Round::Down if above => down,
        Round::Up if below => up,
        // Only a result that is too far from zero changes.
        Round::Zero if above && value > 0.0 => down,
        Round::Zero if below && value < 0.0 => up,
        _ => bits,
    };
    canonical(f32::from_bits(bits))
}

/// `a + b` in f64; NaN is any NaN.
#[inline(always)]
pub fn add_double(round: Round, a: f64, b: f64) -> f64 {
    let sum = a + b;
    let of_b = sum - a;
    let error = (a - (sum - of_b)) + (b - of_b);
    // A sum that overflows is below its rounding.
    let overflows = sum.is_infinite() & a.is_finite() & b.is_finite();
    let result = stepped(round, sum, if overflows { -sum } else { error });
    let cancels = round == Round::Down && sum == 0.0 && (a.to_bits() | b.to_bits()) != 0;
    if cancels { -0.0 } else { result }
}

/// `a * b` in f64 if the second result is true; NaN is any NaN. The error of smaller products is not an f64.
#[inline(always)]
pub fn mul_double(round: Round, a: f64, b: f64) -> (f64, bool) {
    /// 2^-960: the error has 53 bits, and the smallest f64 is 2^-1074.
    const LEAST: f64 = f64::from_bits((1023 - 960) << 52);
    let product = a * b;
    let error = a.mul_add(b, -product);
    let small = product.abs() < LEAST;
    let fits = !small | (a == 0.0) | (b == 0.0);
    (stepped(round, product, error), fits)
}

/// The f64 of `value + error` in a direction; the error is at most half a unit in the last place of `value`, and 0 if `value` is
/// 0.
#[inline(always)]
fn stepped(round: Round, value: f64, error: f64) -> f64 {
    let (positive, bits) = (value > 0.0, value.to_bits());
    let smaller = if positive { error < 0.0 } else { error > 0.0 };
    let larger = if positive { error > 0.0 } else { error < 0.0 };
    // Bits grow with the magnitude.
    let bits = match round {
        Round::Zero if smaller => bits.wrapping_sub(1),
        Round::Down if positive & smaller => bits.wrapping_sub(1),
        Round::Down if !positive & larger => bits.wrapping_add(1),
        Round::Up if positive & larger => bits.wrapping_add(1),
        Round::Up if !positive & smaller => bits.wrapping_sub(1),
        _ => bits,
    };
    f64::from_bits(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{single, soft};

    #[test]
    fn results_in_f64_are_those_of_the_software_arithmetic() {
        let mut all: Vec<u64> = vec![0, 1, 2, 0xf_ffff_ffff_ffff, 1 << 52, (1 << 52) + 1];
        all.extend([f64::MAX.to_bits(), f64::MAX.to_bits() - 1, f64::INFINITY.to_bits()]);
        all.extend([1.0f64, 1.5, 2.0, 3.0, 1e-160, 1e-300, 1e300, 9e15].map(f64::to_bits));
        all.extend([0x3fef_ffff_ffff_ffff, 0x3ff0_0000_0000_0001, 0x7ca0_0000_0000_0000]);
        let mut state = 12_345u64;
        for _ in 0..60 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            all.push(state >> 1);
            all.push(0x3fe0_0000_0000_0000 | state >> 11);
        }
        let all: Vec<f64> =
            all.iter().flat_map(|bits| [*bits, bits | 1 << 63]).map(f64::from_bits).collect();
        let mut exact = 0;
        for round in [Round::Zero, Round::Down, Round::Up] {
            for &a in &all {
                for b in all.iter().copied().chain([-a, -a.next_up(), a * 1e-16]) {
                    let [x, y] = [a, b].map(soft::unpack);
                    let same = |number, found: f64, name: &str| {
                        let expected: f64 = soft::round(number, round, [a, b]);
                        let same = found.to_bits() == expected.to_bits();
                        let nan = found.is_nan() && expected.is_nan();
                        assert!(
                            same || nan,
                            "{name} {round:?} {a:e} {b:e}: {found:e} {expected:e}"
                        );
                    };
                    same(soft::add(x, y, round), add_double(round, a, b), "add");
                    let (product, fits) = mul_double(round, a, b);
                    exact += u32::from(fits);
                    if fits {
                        same(soft::multiply(x, y), product, "mul");
                    }
                }
            }
        }
        assert!(exact > 50_000);
    }

    /// Numbers of all kinds, and pairs that nearly cancel.
    fn numbers() -> Vec<f32> {
        let mut all: Vec<u32> = vec![0, 1, 2, 0x7f_ffff, 0x80_0000, 0x3f80_0000, 0x3f80_0001];
        all.extend([0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0001, 0x3f7f_ffff, 0x4b80_0000, 0x3380_0001]);
        let mut state = 12_345u32;
        for _ in 0..90 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            all.push(state >> 1);
            all.push(0x3f00_0000 | state >> 9);
        }
        all.iter().flat_map(|bits| [*bits, bits | 1 << 31]).map(f32::from_bits).collect()
    }

    #[test]
    fn results_are_those_of_the_software_arithmetic() {
        let all = numbers();
        for round in [Round::Zero, Round::Down, Round::Up] {
            for (i, &a) in all.iter().enumerate() {
                for (j, &b) in all.iter().enumerate() {
                    let [x, y] = [a, b].map(single::unpack);
                    let expect = |number, found: f32, name: &str| {
                        let expected = single::round(number, round).to_bits();
                        assert_eq!(found.to_bits(), expected, "{name} {round:?} {a:e} {b:e}");
                    };
                    expect(soft::add(x, y, round), add(round, a, b), "add");
                    expect(soft::add(x, soft::negate(y), round), sub(round, a, b), "sub");
                    expect(soft::multiply(x, y), mul(round, a, b), "mul");
                    // An addend that nearly cancels the product, and any other.
                    for c in [-(a * b), all[(i * 31 + j * 7) % all.len()]] {
                        let sum = soft::add(soft::multiply(x, y), single::unpack(c), round);
                        expect(sum, fma(round, a, b, c), "fma");
                    }
                }
            }
        }
    }
}
