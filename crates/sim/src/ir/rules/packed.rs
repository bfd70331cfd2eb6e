//! Two 16-bit floats in one 32-bit register.

use super::narrow::NAN16;
use half::{bf16, f16};

/// Applies `f` to the low and to the high halves.
#[inline(always)]
pub fn map16<const N: usize>(x: [u32; N], f: impl Fn([f16; N]) -> f16) -> u32 {
    let low = f(x.map(|x| f16::from_bits(x as u16))).to_bits();
    let high = f(x.map(|x| f16::from_bits((x >> 16) as u16))).to_bits();
    u32::from(low) | u32::from(high) << 16
}

/// The same for `bf16`.
#[inline(always)]
pub fn mapb16<const N: usize>(x: [u32; N], f: impl Fn([bf16; N]) -> bf16) -> u32 {
    let low = f(x.map(|x| bf16::from_bits(x as u16))).to_bits();
    let high = f(x.map(|x| bf16::from_bits((x >> 16) as u16))).to_bits();
    u32::from(low) | u32::from(high) << 16
}

/// Two 16-bit patterns side by side.
#[inline(always)]
pub fn pair(high: u16, low: u16) -> u32 {
    u32::from(high) << 16 | u32::from(low)
}

/// An f16 as f32, by arithmetic on its bits so that 32 lanes go at once.
#[inline(always)]
pub fn widen16(x: f16) -> f32 {
    let bits = u32::from(x.to_bits());
    let sign = (bits & 0x8000) << 16;
    let magnitude = bits & 0x7fff;
    // 2^112 moves the exponent's bias from 15 to 127, subnormals included.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000);
    let special = f32::from_bits(0x7f80_0000 | magnitude << 13);
    let value = if magnitude >= 0x7c00 { special } else { scaled };
    let value = f32::from_bits(value.to_bits() | sign);
    // An f16 that is NaN becomes the NaN of f32 arithmetic, whatever its bits.
    if magnitude > 0x7c00 { f32::from_bits(super::float::NAN32) } else { value }
}

/// A 16-bit float that widens by bit arithmetic.
pub trait Narrow {
    /// As f32, exactly.
    fn widen(self) -> f32;
}

impl Narrow for f16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        widen16(self)
    }
}

impl Narrow for bf16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }
}

// Out of line: every narrow instruction shares these.

/// The nearest f16; NaN is the one that arithmetic makes.
#[inline(never)]
pub fn to_f16(x: f32) -> f16 {
    if x.is_nan() { f16::from_bits(NAN16) } else { f16::from_f32(x) }
}

/// The nearest bf16; NaN is the one that arithmetic makes.
#[inline(never)]
pub fn to_bf16(x: f32) -> bf16 {
    if x.is_nan() { bf16::from_bits(NAN16) } else { bf16::from_f32(x) }
}

/// The nearest f16, rounded once.
#[inline(never)]
pub fn wide_to_f16(x: f64) -> f16 {
    to_f16(rounded_to_odd(x))
}

/// The nearest bf16, rounded once.
#[inline(never)]
pub fn wide_to_bf16(x: f64) -> bf16 {
    to_bf16(rounded_to_odd(x))
}

/// `x` in f32, rounded to odd: an inexact result gets a last bit of 1, so that rounding it again, to
/// a type at least two bits narrower, gives what one rounding would have given.
fn rounded_to_odd(x: f64) -> f32 {
    let nearest = x as f32;
    if nearest.is_nan() || f64::from(nearest) == x {
        return nearest;
    }
    let beyond = f64::from(nearest).abs() > x.abs();
    f32::from_bits((nearest.to_bits() - u32::from(beyond)) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_round_to_halves_once() {
        let just_over_half_a_step = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(wide_to_f16(just_over_half_a_step).to_bits(), 0x3C01);
        assert_eq!(wide_to_f16(1.0 + 2f64.powi(-11)).to_bits(), 0x3C00);
        assert_eq!(wide_to_bf16(1.0 + 2f64.powi(-8) + 2f64.powi(-40)).to_bits(), 0x3F81);
        assert_eq!(wide_to_f16(1e9), f16::INFINITY);
    }
}
