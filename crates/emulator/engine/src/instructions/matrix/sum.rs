//! Addition in tensor cores: products are exact, and the products of one group are added to the accumulator
//! in one step. All terms are aligned to the largest exponent among them, truncated a fixed number of bits
//! below it, and added exactly; the sum is truncated or rounded once to the accumulator's type. `new` has
//! the table of constants, measured on an H200.

use crate::number::eight::E4M3;
use crate::number::narrow::{Narrow, widen16};
use half::{bf16, f16};
use lanework_ptx_ir::opcode::matrix::ElementType;

/// Rounding of a group's sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// To f32, toward zero.
    Single,
    /// To f32 with 13 bits of mantissa, toward zero.
    Short,
    /// To f16, to nearest.
    Half,
}

/// How sums of products of some types are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adder {
    /// Products per group.
    pub group: usize,
    /// Bits kept below the largest exponent.
    pub kept: i32,
    /// Rounding of each sum.
    pub round: Round,
    /// Whether the accumulator is added afterwards, by an ordinary addition.
    pub apart: bool,
}

impl Adder {
    /// The adder for factors of type `a` and results of type `d`, of a warpgroup's or a warp's product.
    pub fn new(a: ElementType, d: ElementType, warpgroup: bool) -> Adder {
        let eight_bits = matches!(a, ElementType::E4m3 | ElementType::E5m2);
        let group = match a {
            ElementType::Tf32 => 8,
            _ if eight_bits && warpgroup => 32,
            _ => 16,
        };
        let short = eight_bits && warpgroup;
        let round = match d {
            ElementType::F16 => Round::Half,
            _ if short => Round::Short,
            _ => Round::Single,
        };
        let apart = eight_bits && !warpgroup;
        Adder { group, kept: if short { 13 } else { 25 }, round, apart }
    }

    /// The smallest normal accumulator.
    #[inline(always)]
    pub fn least(self) -> f64 {
        least(if self.round == Round::Half { ElementType::F16 } else { ElementType::F32 })
    }

    /// Adds the accumulator to a finished sum.
    pub fn add_apart(self, sum: f64, c: f64) -> f64 {
        match self.round {
            Round::Half => f64::from(crate::number::narrow::widen16(half(sum + c))),
            _ => f64::from(sum as f32 + c as f32),
        }
    }
}

/// Sums computed together.
pub const SIDE: usize = 8;

/// `SIDE` numbers, in the form that the adders take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terms {
    /// Their values.
    pub value: [f64; SIDE],
    /// Their powers of two.
    pub power: [f64; SIDE],
}

impl Terms {
    /// Puts a number in place `j`.
    #[inline(always)]
    pub fn set(&mut self, j: usize, term: Term) {
        self.value[j] = term.value;
        self.power[j] = term.power;
    }
}

/// The least power that terms are aligned to.
const LEAST_POWER: f64 = f32::MIN_POSITIVE as f64;

/// Two to the power of `n`.
#[inline(always)]
fn exp2(n: i32) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

/// Adds one group of products, `a[k]` times each of `b[k]`, to the accumulators: the exact sum of the
/// truncated terms, not yet rounded. Infinities and NaNs give the IEEE result.
#[inline(always)]
pub fn add_group(kept: i32, a: &[Term], b: &[Terms], c: &Terms) -> [f64; SIDE] {
    let mut top = [LEAST_POWER; SIDE];
    for j in 0..SIDE {
        top[j] = if c.power[j] > top[j] { c.power[j] } else { top[j] };
    }
    for (a, b) in a.iter().zip(b) {
        for j in 0..SIDE {
            let power = a.power * b.power[j];
            top[j] = if power > top[j] { power } else { top[j] };
        }
    }
    let scale = exp2(kept);
    let mut up = [0.0; SIDE];
    let mut sum = [0.0; SIDE];
    for j in 0..SIDE {
        up[j] = scale / top[j];
        sum[j] = (c.value[j] * up[j]).trunc();
    }
    for (a, b) in a.iter().zip(b) {
        for j in 0..SIDE {
            sum[j] += (a.value * b.value[j] * up[j]).trunc();
        }
    }
    let down = exp2(-kept);
    for j in 0..SIDE {
        sum[j] *= top[j] * down;
    }
    sum
}

/// The same if some term may be infinite or NaN: a plain sum that is not finite is then the result.
#[inline(never)]
pub fn add_special(kept: i32, a: &[Term], b: &[Terms], c: &Terms) -> [f64; SIDE] {
    let mut plain = c.value;
    let (mut present, mut partners) = ([Term::default(); 64], [Terms::default(); 64]);
    let mut count = 0;
    for (a, b) in a.iter().zip(b).filter(|(a, _)| a.power >= 0.0).take(64) {
        for j in 0..SIDE {
            plain[j] += a.value * b.value[j];
        }
        (present[count], partners[count]) = (*a, *b);
        count += 1;
    }
    let mut sum = add_group(kept, &present[..count], &partners[..count], c);
    for j in 0..SIDE {
        if !plain[j].is_finite() {
            sum[j] = plain[j];
        }
    }
    sum
}

/// A sum as f32, rounded toward zero; infinite from 2^128 on.
#[inline(always)]
pub fn single(x: f64) -> f32 {
    let near = x as f32;
    let beyond = f64::from(near).abs() > x.abs() && x.abs() < TOP;
    let cut = f32::from_bits(near.to_bits().wrapping_sub(u32::from(beyond)));
    if x.is_nan() { f32::from_bits(0x7fff_ffff) } else { cut }
}

/// Twice the largest power of two of an f32.
const TOP: f64 = f32::MAX as f64 * (1.0 + 1.0 / 16777215.0);

/// A sum rounded by `round`.
#[inline(always)]
pub fn rounded(round: Round, x: f64) -> f64 {
    // A sum of zero is positive.
    0.0 + match round {
        Round::Single => f64::from(single(x)),
        Round::Short => f64::from(f32::from_bits(short(single(x)))),
        Round::Half => f64::from(crate::number::narrow::widen16(half(x))),
    }
}

/// The bits of an f32 truncated to 13 bits of mantissa; NaN is kept.
#[inline(always)]
pub fn short(x: f32) -> u32 {
    if x.is_nan() { x.to_bits() } else { x.to_bits() & !0x3ff }
}

/// A sum as f16, rounded to nearest.
#[inline(always)]
pub fn half(x: f64) -> half::f16 {
    if x.is_nan() {
        return half::f16::from_bits(0x7fff);
    }
    crate::number::narrow::wide_to_f16(x)
}

/// A number and the power of two of its exponent: the exponent of the smallest normal number for a
/// denormal, whose leading bit is 0, and 0 for a zero, which does not affect the alignment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Term {
    /// The number.
    pub value: f64,
    /// Its power of two.
    pub power: f64,
}

/// The exponent's bits of an f64.
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;

impl Term {
    /// An element that a sparse matrix does not store: it is not multiplied, not even by an infinity.
    pub const ABSENT: Term = Term { value: 0.0, power: -1.0 };

    /// A number of a type whose smallest normal number is `least`.
    #[inline(always)]
    pub fn new(value: f64, least: f64) -> Term {
        let power = f64::from_bits(value.to_bits() & EXPONENT);
        let power = if power < least { least } else { power };
        Term { value, power: if value == 0.0 { 0.0 } else { power } }
    }

    /// The number with the other sign.
    #[inline(always)]
    pub fn negated(self) -> Term {
        Term { value: -self.value, power: self.power }
    }

    /// The number with these bits.
    #[inline(always)]
    pub fn decode(number: ElementType, bits: u64) -> Term {
        let value = match number {
            ElementType::F16 => f64::from(widen16(f16::from_bits(bits as u16))),
            ElementType::Bf16 => f64::from(bf16::from_bits(bits as u16).widen()),
            ElementType::Tf32 => f64::from(f32::from_bits(bits as u32 & !0x1fff)),
            ElementType::E4m3 => f64::from(E4M3[bits as usize & 0xff]),
            ElementType::E5m2 => f64::from(widen16(f16::from_bits((bits as u16) << 8))),
            _ => f64::from(f32::from_bits(bits as u32)),
        };
        Term::new(value, least(number))
    }
}

/// The smallest normal number of a type.
#[inline(always)]
pub fn least(number: ElementType) -> f64 {
    const M6: f64 = 1.0 / 64.0;
    const M14: f64 = 1.0 / 16384.0;
    match number {
        ElementType::F16 | ElementType::E5m2 => M14,
        ElementType::E4m3 => M6,
        _ => f32::MIN_POSITIVE as f64,
    }
}

#[cfg(test)]
mod tests {
    use crate::instructions::matrix::sum::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri rounds `powi` and `exp2` at random")]
    fn narrow_numbers_have_their_documented_extremes() {
        let value = |number, bits| Term::decode(number, bits).value;
        assert_eq!(value(ElementType::E4m3, 0x7e), 448.0);
        assert_eq!(value(ElementType::E4m3, 0x08), 0.015625);
        assert_eq!(value(ElementType::E4m3, 0x81), -1.0 / 512.0);
        assert!(value(ElementType::E4m3, 0x7f).is_nan() && value(ElementType::E4m3, 0xff).is_nan());
        assert_eq!(value(ElementType::E5m2, 0x7b), 57344.0);
        assert_eq!(value(ElementType::E5m2, 0xfc), f64::NEG_INFINITY);
        assert_eq!(value(ElementType::E5m2, 0x01), 2f64.powi(-16));
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri rounds `powi` and `exp2` at random")]
    fn a_denormal_aligns_as_the_smallest_normal_number_and_zero_as_nothing() {
        assert_eq!(Term::decode(ElementType::F16, 1).power, 2f64.powi(-14));
        assert_eq!(Term::decode(ElementType::F16, 0x3e00).power, 1.0);
        assert_eq!(Term::decode(ElementType::F32, 0x8000_0000).power, 0.0);
    }
}
