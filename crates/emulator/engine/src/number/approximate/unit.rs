//! The special function unit: each function of an f32's bits, as the machine instruction of the same name
//! computes it. Subnormal inputs are zero, and so are results that would be subnormal; only `tanh` keeps
//! both.
//!
//! Every function computes the general case for every input, and selects the special ones at the end.

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use crate::number::approximate::{
    EX2, LG2, RCP, RSQRT, SIN, SQRT, SegmentAlignment, SegmentTable, TANH, UnitFunction, cut,
    square,
};
use crate::number::single::NAN32;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;
const FRACTION: u32 = 0x7f_ffff;

#[inline(always)]
fn is_nan(x: u32) -> bool {
    x & !SIGN > INFINITY
}

/// The absolute value.
#[inline(always)]
fn magnitude(x: u32) -> f32 {
    f32::from_bits(x & !SIGN)
}

/// A number from 0 to `most` in units of 2^-`scale`, cut off; others, and NaN, give `most`.
#[inline(always)]
fn fixed(number: f32, most: f32, scale: u32) -> i32 {
    let number = if number < most { number } else { most };
    // Rust's own conversion saturates, which the compiler does not vectorize.
    // SAFETY: the number is from 0 to `most`, so it is not NaN, and callers give `most` and `scale` with a product below
    // 2^31.
    unsafe { (number * (1u32 << scale) as f32).to_int_unchecked() }
}

/// The biased exponent.
#[inline(always)]
fn exponent(x: u32) -> u32 {
    x >> 23 & 0xff
}

/// An f32 in [1, 2) or so, times a power of two.
#[inline(always)]
fn times_power(bits: u32, power: i32) -> u32 {
    bits.wrapping_add((power as u32) << 23)
}

/// The segment of a fraction by its upper 6 bits, and the other 17.
#[inline(always)]
fn upper6(fraction: u32) -> (u32, u32) {
    (fraction >> 17 & 63, fraction & 0x1_ffff)
}

/// `1 / x`. The value is from 1/2 to 1.
pub struct Rcp;

impl UnitFunction for Rcp {
    const SEGMENTS: &SegmentTable =
        &SegmentTable::new(&RCP, SegmentAlignment { c0: 13, c2: 0, constant: 2023, scale: 39 });

    #[inline(always)]
    fn place(x: u32) -> (u32, u32) {
        (x >> 16 & 127, x & 0xffff)
    }

    #[inline(always)]
    fn square(lower: u32) -> u32 {
        square::<16, 17>(lower)
    }

    #[inline(always)]
    fn result(x: u32, mantissa: u32) -> u32 {
        let (sign, exponent) = (x & SIGN, exponent(x));
        // Below 2^-126, the sum of the exponents is 0 or negative.
        let result = times_power(mantissa, 127 - exponent as i32) as i32;
        let result = if result < 1 << 23 { 0 } else { result as u32 };
        let result = if exponent > 253 { 0 } else { result };
        let result = if exponent == 0 { INFINITY } else { result };
        if is_nan(x) { NAN32 } else { sign | result }
    }
}

/// The mantissa of `1 / m` in units of 2^-24, for the fraction of m in [1, 2): from 2^23 to 2^24.
#[inline(always)]
pub fn rcp_mantissa(fraction: u32) -> u64 {
    mantissa::<Rcp>(fraction)
}

/// The value for an argument in units of 2^-24.
#[inline(always)]
fn mantissa<F: UnitFunction>(x: u32) -> u64 {
    let (segment, lower) = F::place(x);
    (F::SEGMENTS.at(segment, lower, F::square(lower)) * f64::from(1 << 24)) as u64
}

/// Half of the even exponent that an exponent equals or exceeds by 1.
#[inline(always)]
fn half_exponent(x: u32) -> i32 {
    (exponent(x) as i32 - 127) >> 1
}

/// The segment of a mantissa in [1, 4): the second half of the table is for odd exponents.
#[inline(always)]
fn upper7(x: u32) -> (u32, u32) {
    // Biased exponents are odd if the exponent is even.
    ((x >> 17 & 127) ^ 64, x & 0x1_ffff)
}

/// `1 / sqrt(x)`. The value is from 1/2 to 1.
pub struct Rsqrt;

impl UnitFunction for Rsqrt {
    const SEGMENTS: &SegmentTable =
        &SegmentTable::new(&RSQRT, SegmentAlignment { c0: 14, c2: 2, constant: -1, scale: 40 });

    #[inline(always)]
    fn place(x: u32) -> (u32, u32) {
        upper7(x)
    }

    #[inline(always)]
    fn result(x: u32, mantissa: u32) -> u32 {
        // The result for an even power of two is exact.
        let mantissa = if x & 0xff_ffff == 1 << 23 { ONE } else { mantissa };
        let result = times_power(mantissa, -half_exponent(x));
        let result = if x == INFINITY { 0 } else { result };
        let result = if x & SIGN != 0 || is_nan(x) { NAN32 } else { result };
        if exponent(x) == 0 { x & SIGN | INFINITY } else { result }
    }
}

/// The mantissa of `1 / sqrt(m)` in units of 2^-24, for m = 1 + fraction, or twice that where `odd`.
#[inline(always)]
pub fn rsqrt_mantissa(odd: bool, fraction: u32) -> u64 {
    match odd || fraction != 0 {
        true => mantissa::<Rsqrt>(fraction | u32::from(!odd) << 23),
        false => 1 << 24,
    }
}

/// `sqrt(x)`. The value is from 1 to 2.
pub struct Sqrt;

impl UnitFunction for Sqrt {
    const SEGMENTS: &SegmentTable =
        &SegmentTable::new(&SQRT, SegmentAlignment { c0: 15, c2: 1, constant: -1, scale: 40 });

    #[inline(always)]
    fn place(x: u32) -> (u32, u32) {
        upper7(x)
    }

    #[inline(always)]
    fn result(x: u32, mantissa: u32) -> u32 {
        let result = times_power(mantissa, half_exponent(x));
        let result = if x == INFINITY { INFINITY } else { result };
        let result = if x & SIGN != 0 || is_nan(x) { NAN32 } else { result };
        if exponent(x) == 0 { x & SIGN } else { result }
    }
}

/// `2^x`. The argument is cut off to 23 bits after the point; the value is from 1 to 2.
pub struct Ex2;

impl Ex2 {
    /// The argument in units of 2^-23.
    #[inline(always)]
    fn fixed(x: u32) -> i32 {
        let magnitude = fixed(magnitude(x), 255.0, 23);
        // Whole numbers are negated exactly, all others by one's complement.
        let negated = if magnitude & FRACTION as i32 == 0 { -magnitude } else { !magnitude };
        if x & SIGN != 0 { negated } else { magnitude }
    }
}

impl UnitFunction for Ex2 {
    const SEGMENTS: &SegmentTable =
        &SegmentTable::new(&EX2, SegmentAlignment { c0: 13, c2: 0, constant: 6114, scale: 38 });

    #[inline(always)]
    fn place(x: u32) -> (u32, u32) {
        upper6(Ex2::fixed(x) as u32)
    }

    #[inline(always)]
    fn result(x: u32, mantissa: u32) -> u32 {
        let whole = Ex2::fixed(x) >> 23;
        let beyond = if x & SIGN != 0 { 0 } else { INFINITY };
        let inside = exponent(x) < 127 + 8 && (-126..=127).contains(&whole);
        let result = if inside { times_power(mantissa, whole) } else { beyond };
        if is_nan(x) { NAN32 } else { result }
    }
}

/// `log2(x)`. The value is the logarithm of the mantissa in quarters of 2^-36.
pub struct Lg2;

impl UnitFunction for Lg2 {
    const SEGMENTS: &SegmentTable =
        &SegmentTable::new(&LG2, SegmentAlignment { c0: 12, c2: 1, constant: 0x345, scale: 2 });

    #[inline(always)]
    fn place(x: u32) -> (u32, u32) {
        upper6(x)
    }

    /// The magnitude as f32.
    #[inline(always)]
    fn narrow(x: u32, value: f64) -> u32 {
        /// Sums with this number are rounded to whole numbers.
        const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;
        const UNITS: f64 = (1u64 << 36) as f64;
        // Quarters less 3/8 round to the whole number below.
        let fraction = (value - 0.375 + WHOLE) - WHOLE;
        let value = f64::from(exponent(x) as i32 - 127) * UNITS + fraction;
        // One's complement.
        let less = if value < 0.0 { 1.0 } else { 0.0 };
        cut((value.abs() - less) * (1.0 / UNITS))
    }

    #[inline(always)]
    fn result(x: u32, narrow: u32) -> u32 {
        let result = if x < ONE { SIGN | narrow } else { narrow };
        let result = if x == ONE { 0 } else { result };
        let result = if x == INFINITY { INFINITY } else { result };
        let result = if x & SIGN != 0 || is_nan(x) { NAN32 } else { result };
        if exponent(x) == 0 { SIGN | INFINITY } else { result }
    }
}

/// A number of turns in units of 2^-25, less the whole turns, without its sign. The argument is cut off to 25 bits after
/// the point.
#[inline(always)]
fn turn(x: u32) -> u32 {
    let turns = magnitude(x);
    fixed(turns - turns.floor(), 1.0, 25) as u32
}

/// The sine of a number of turns, plus a quarter for the cosine.
pub struct Turn<const QUARTER: u32>;
/// `sin(2 pi x)`.
pub type Sin = Turn<0>;
/// `cos(2 pi x)`.
pub type Cos = Turn<1>;

impl<const QUARTER: u32> Turn<QUARTER> {
    #[inline(always)]
    fn angle(x: u32) -> u32 {
        turn(x).wrapping_add(QUARTER << 23)
    }
}

impl<const QUARTER: u32> UnitFunction for Turn<QUARTER> {
    const SEGMENTS: &SegmentTable =
        &SegmentTable::new(&SIN, SegmentAlignment { c0: 12, c2: 0, constant: 0, scale: 37 });

    #[inline(always)]
    fn place(x: u32) -> (u32, u32) {
        upper6(mirrored(Self::angle(x)))
    }

    #[inline(always)]
    fn result(x: u32, narrow: u32) -> u32 {
        let angle = Self::angle(x);
        // The value at 0 is not a normal number.
        let narrow = if mirrored(angle) & FRACTION == 0 { 0 } else { narrow };
        let at_top = angle & 0xff_ffff == 1 << 23;
        let sign = (angle >> 23 & 2) << 30 ^ if QUARTER == 0 { x & SIGN } else { 0 };
        let result = sign ^ if at_top { ONE } else { narrow };
        if exponent(x) == 0xff { NAN32 } else { result }
    }
}

/// An angle as in the first quadrant; the second and the fourth are mirrored.
#[inline(always)]
fn mirrored(angle: u32) -> u32 {
    if angle & 1 << 23 != 0 { !angle } else { angle }
}

/// `tanh(x)`. Numbers below 2^-8 are returned unchanged. The value is in [1, 2), or up to 4 in the segments after the first of a
/// power of two.
pub struct Tanh;

impl Tanh {
    /// From 2^-8 on, for each power of two: the number of bits that choose one of its segments, and 8 times the first.
    const POWERS: [u32; 16] = [
        0,
        8,
        16,
        1 | 24,
        1 | 40,
        2 | 56,
        2 | 88,
        2 | 120,
        3 | 152,
        4 | 216,
        3 | 344,
        0,
        0,
        0,
        0,
        0,
    ];
}

impl UnitFunction for Tanh {
    const SEGMENTS: &SegmentTable =
        &SegmentTable::new(&TANH, SegmentAlignment { c0: 15, c2: 1, constant: 0, scale: 38 });

    #[inline(always)]
    fn place(x: u32) -> (u32, u32) {
        let power = Tanh::POWERS[exponent(x).wrapping_sub(119) as usize & 15];
        let (bits, fraction) = (power & 7, x & FRACTION);
        let lower = (fraction & (FRACTION >> bits)) >> (6 - bits);
        ((power >> 3) + (fraction >> (23 - bits)), lower)
    }

    #[inline(always)]
    fn result(x: u32, narrow: u32) -> u32 {
        // The exponent of the result at the start of the power of two, less 127.
        let power = (exponent(x) as i32 - 128).clamp(-8, -1);
        let result = x & SIGN | times_power(narrow, power);
        let result = if exponent(x) > 129 { x & SIGN | ONE } else { result };
        let result = if exponent(x) < 119 { x } else { result };
        if is_nan(x) { NAN32 } else { result }
    }
}
