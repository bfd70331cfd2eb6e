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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{single, soft};

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
