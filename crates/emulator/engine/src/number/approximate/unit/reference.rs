//! The special function unit in integers, case by case: the reference that [`super`] is compared with.

use crate::number::approximate::Row;
use crate::number::approximate::square;
use crate::number::approximate::{EX2, LG2, RCP, RSQRT, SIN, SQRT, TANH};
use crate::number::single::NAN32;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;
const FRACTION: u32 = 0x7f_ffff;

/// Alignment of a function's coefficients: C0 is shifted left, and so is the product with C2; a constant is
/// added.
struct Alignment {
    c0: u32,
    c2: u32,
    constant: i64,
}

/// C0 + C1 `x` + C2 `x`^2 of a segment, with `x` of 17 bits.
fn interpolate(row: Row, x: u32, alignment: Alignment) -> u64 {
    sum(row, x, square::<17, 19>(x), alignment)
}

/// C0 + C1 `x` + C2 `x`^2 of a segment, with `x` of 16 bits.
fn interpolate16(row: Row, x: u32, alignment: Alignment) -> u64 {
    sum(row, x, square::<16, 17>(x), alignment)
}

fn sum((c0, c1, c2): Row, x: u32, square: u32, alignment: Alignment) -> u64 {
    let linear = i64::from(c1) * i64::from(x);
    let quadratic = (i64::from(c2) * i64::from(square)) << alignment.c2;
    // No table makes this negative.
    ((i64::from(c0) << alignment.c0) + alignment.constant + linear + quadratic) as u64
}

/// The f32 of `value` * 2^`-scale`, cut off; its sign bit is clear.
fn truncated(value: u64, scale: i32) -> u32 {
    if value == 0 {
        return 0;
    }
    let digits = 64 - value.leading_zeros() as i32;
    let mantissa = if digits > 24 { value >> (digits - 24) } else { value << (24 - digits) };
    let exponent = (digits - 1 - scale + 127) as u32;
    (exponent << 23) | (mantissa as u32 & 0x7f_ffff)
}

/// The parts of an f32.
struct Parts {
    sign: u32,
    exponent: u32,
    fraction: u32,
}

fn parts(x: u32) -> Parts {
    Parts { sign: x & SIGN, exponent: x >> 23 & 0xff, fraction: x & FRACTION }
}

impl Parts {
    fn is_nan(&self) -> bool {
        self.exponent == 0xff && self.fraction != 0
    }

    fn is_infinite(&self) -> bool {
        self.exponent == 0xff && self.fraction == 0
    }

    /// Zero, or a subnormal number, which counts as zero.
    fn is_zero(&self) -> bool {
        self.exponent == 0
    }
}

/// The mantissa of `1 / m` in units of 2^-24, for the fraction of m in [1, 2): from 2^23 to 2^24.
pub fn rcp_mantissa(fraction: u32) -> u64 {
    let row = RCP[(fraction >> 16) as usize];
    interpolate16(row, fraction & 0xffff, Alignment { c0: 13, c2: 0, constant: 2023 }) >> 15
}

/// `1 / x`.
pub fn rcp(x: u32) -> u32 {
    let p = parts(x);
    if p.is_nan() {
        return NAN32;
    }
    if p.is_zero() {
        return p.sign | INFINITY;
    }
    if p.exponent > 253 {
        return p.sign;
    }
    let result = truncated(rcp_mantissa(p.fraction), 24 + p.exponent as i32 - 127);
    if result < 1 << 23 { p.sign } else { p.sign | result }
}

/// The mantissa of `1 / sqrt(m)` in units of 2^-24, for m = 1 + fraction, or twice that where `odd`.
pub fn rsqrt_mantissa(odd: bool, fraction: u32) -> u64 {
    if !odd && fraction == 0 {
        return 1 << 24;
    }
    let row = RSQRT[64 * usize::from(odd) + (fraction >> 17) as usize];
    interpolate(row, fraction & 0x1_ffff, Alignment { c0: 14, c2: 2, constant: -1 }) >> 16
}

/// `1 / sqrt(x)`.
pub fn rsqrt(x: u32) -> u32 {
    let p = parts(x);
    if p.is_nan() {
        return NAN32;
    }
    if p.is_zero() {
        return p.sign | INFINITY;
    }
    if p.sign != 0 {
        return NAN32;
    }
    if p.is_infinite() {
        return 0;
    }
    let (odd, half) = halved(p.exponent);
    truncated(rsqrt_mantissa(odd, p.fraction), 24 + half)
}

/// Whether a biased exponent is odd, and half of the even one below.
fn halved(exponent: u32) -> (bool, i32) {
    let exponent = exponent as i32 - 127;
    (exponent & 1 == 1, exponent >> 1)
}

/// `sqrt(x)`.
pub fn sqrt(x: u32) -> u32 {
    let p = parts(x);
    if p.is_nan() {
        return NAN32;
    }
    if p.is_zero() {
        return p.sign;
    }
    if p.sign != 0 {
        return NAN32;
    }
    if p.is_infinite() {
        return INFINITY;
    }
    let (odd, half) = halved(p.exponent);
    let row = SQRT[64 * usize::from(odd) + (p.fraction >> 17) as usize];
    let alignment = Alignment { c0: 15, c2: 1, constant: -1 };
    truncated(interpolate(row, p.fraction & 0x1_ffff, alignment) >> 17, 23 - half)
}

/// `2^x`. The argument is cut off to 23 bits after the point.
pub fn ex2(x: u32) -> u32 {
    let p = parts(x);
    if p.is_nan() {
        return NAN32;
    }
    let negative = p.sign != 0;
    if p.exponent >= 127 + 8 {
        return if negative { 0 } else { INFINITY };
    }
    let mantissa = p.fraction | 1 << 23;
    let magnitude = match p.exponent {
        0 => 0,
        small @ ..127 => mantissa.checked_shr(127 - small).unwrap_or(0),
        large => mantissa << (large - 127),
    } as i32;
    let fixed = match negative {
        false => magnitude,
        // Whole numbers are negated exactly, all others by one's complement.
        true if magnitude & FRACTION as i32 == 0 => -magnitude,
        true => !magnitude,
    };
    let (whole, fraction) = (fixed >> 23, fixed as u32 & FRACTION);
    if whole < -126 {
        return 0;
    }
    if whole > 127 {
        return INFINITY;
    }
    let alignment = Alignment { c0: 13, c2: 0, constant: 6114 };
    let row = EX2[(fraction >> 17) as usize];
    truncated(interpolate(row, fraction & 0x1_ffff, alignment) >> 15, 23 - whole)
}

/// `log2(x)`.
pub fn lg2(x: u32) -> u32 {
    let p = parts(x);
    if p.is_nan() {
        return NAN32;
    }
    if p.is_zero() {
        return SIGN | INFINITY;
    }
    if p.sign != 0 {
        return NAN32;
    }
    if p.is_infinite() {
        return INFINITY;
    }
    if x == ONE {
        return 0;
    }
    let alignment = Alignment { c0: 12, c2: 1, constant: 0x345 };
    let row = LG2[(p.fraction >> 17) as usize];
    // In units of 2^-36.
    let fraction = (interpolate(row, p.fraction & 0x1_ffff, alignment) >> 2) as i64;
    let value = ((i64::from(p.exponent) - 127) << 36) + fraction;
    match value < 0 {
        true => SIGN | truncated(!value as u64, 36),
        false => truncated(value as u64, 36),
    }
}

/// `sin(2 pi x)`.
pub fn sin(x: u32) -> u32 {
    let p = parts(x);
    if p.exponent == 0xff {
        return NAN32;
    }
    let (quadrant, fraction) = turn(&p);
    of_quadrant(quadrant, fraction) ^ p.sign
}

/// `cos(2 pi x)`.
pub fn cos(x: u32) -> u32 {
    let p = parts(x);
    if p.exponent == 0xff {
        return NAN32;
    }
    let (quadrant, fraction) = turn(&p);
    of_quadrant(quadrant + 1, fraction)
}

/// The quadrant of a number of turns, and the position in it, in units of 2^-23. The argument is cut off to
/// 25 bits after the point.
fn turn(p: &Parts) -> (u32, u32) {
    let mantissa = p.fraction | 1 << 23;
    let fixed = match p.exponent {
        0 => 0,
        small @ ..125 => mantissa.checked_shr(125 - small).unwrap_or(0),
        // The bits shifted out are whole revolutions.
        large => mantissa.checked_shl(large - 125).unwrap_or(0),
    };
    (fixed >> 23 & 3, fixed & FRACTION)
}

/// The sine of an angle in a quadrant; the second and the fourth are mirrored.
fn of_quadrant(quadrant: u32, fraction: u32) -> u32 {
    let sign = (quadrant & 2) << 30;
    let fraction = match quadrant & 1 == 1 {
        true if fraction == 0 => return sign | ONE,
        true => !fraction & FRACTION,
        false => fraction,
    };
    let row = SIN[(fraction >> 17) as usize];
    let alignment = Alignment { c0: 12, c2: 0, constant: 0 };
    sign | truncated(interpolate(row, fraction & 0x1_ffff, alignment), 37)
}

/// `tanh(x)`. Numbers below 2^-8 are returned unchanged.
pub fn tanh(x: u32) -> u32 {
    let p = parts(x);
    if p.is_nan() {
        return NAN32;
    }
    // The number of bits that choose a segment, the first segment, and the exponent of the result at the
    // start of the power of two.
    let (bits, first, exponent) = match p.exponent {
        ..119 => return x,
        119 => (0, 0, 119),
        120 => (0, 1, 119),
        121 => (0, 2, 120),
        122 => (1, 3, 121),
        123 => (1, 5, 122),
        124 => (2, 7, 123),
        125 => (2, 11, 124),
        126 => (2, 15, 125),
        127 => (3, 19, 126),
        128 => (4, 27, 126),
        129 => (3, 43, 126),
        _ => return p.sign | ONE,
    };
    let row = TANH[first + (p.fraction >> (23 - bits)) as usize];
    let lower = (p.fraction & (FRACTION >> bits)) >> (6 - bits);
    let alignment = Alignment { c0: 15, c2: 1, constant: 0 };
    p.sign | truncated(interpolate(row, lower, alignment) >> 15, 150 - exponent)
}
