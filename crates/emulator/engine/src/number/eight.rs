//! Floats of 8 bits and less, from and to f32 and f16 (Micikevicius et al., "FP8 Formats for Deep Learning", 2022; for
//! 4 and 6 bits see the MX specification).
//!
//! Numbers round to the nearest even and saturate to the largest finite one. The only NaN produced is 0x7f; in formats
//! without NaN, a NaN becomes the largest number.

use crate::number::narrow::widen16;
use half::f16;
use lanework_numbers::SmallFloat;
use lanework_ptx_ir::opcode::convert::SmallFloatFormat;

/// Every e4m3 number.
pub static E4M3: [f32; 256] = {
    let mut table = [0.0; 256];
    let mut bits = 0;
    while bits < 256 {
        table[bits] = SmallFloat::E4M3.decode(bits as u8);
        bits += 1;
    }
    table
};

/// The format's conversions.
fn float(format: SmallFloatFormat) -> SmallFloat {
    match format {
        SmallFloatFormat::E4m3 => SmallFloat::E4M3,
        SmallFloatFormat::E5m2 => SmallFloat::E5M2,
        SmallFloatFormat::E2m3 => SmallFloat::E2M3,
        SmallFloatFormat::E3m2 => SmallFloat::E3M2,
        SmallFloatFormat::E2m1 => SmallFloat::E2M1,
    }
}

/// Converts two f32. `high` becomes the high byte, or the high half of a byte in a 4-bit format.
pub fn narrow_singles(format: SmallFloatFormat, relu: bool, high: f32, low: f32) -> u32 {
    narrow(format, relu, high) << format.distance() | narrow(format, relu, low)
}

/// Converts two packed f16 to two bytes.
pub fn narrow_halves(format: SmallFloatFormat, relu: bool, a: u32) -> u32 {
    let half = |bits: u32| widen16(f16::from_bits(bits as u16));
    narrow_singles(format, relu, half(a >> 16), half(a))
}

/// Converts two bytes to two packed f16.
pub fn widen(format: SmallFloatFormat, relu: bool, a: u32) -> u32 {
    widen_one(format, relu, a >> format.distance()) << 16 | widen_one(format, relu, a)
}

/// Converts the low 8 bits to f16.
fn widen_one(format: SmallFloatFormat, relu: bool, bits: u32) -> u32 {
    let value = f16::from_f32(float(format).decode(bits as u8));
    match u32::from(value.to_bits()) {
        _ if value.is_nan() => 0x7fff,
        0x8000.. if relu => 0,
        bits => bits,
    }
}

/// The nearest float of the format, ties to even; NaN loses its sign.
fn narrow(format: SmallFloatFormat, relu: bool, x: f32) -> u32 {
    let x = if x.is_nan() { f32::NAN } else { x };
    let is_cut = relu && x.is_sign_negative();
    u32::from(float(format).encode(if is_cut { 0.0 } else { x }))
}

#[cfg(test)]
mod tests {
    use crate::number::eight::*;

    const FORMATS: [(SmallFloatFormat, u32); 5] = [
        (SmallFloatFormat::E4m3, 0x7e),
        (SmallFloatFormat::E5m2, 0x7b),
        (SmallFloatFormat::E2m3, 0x1f),
        (SmallFloatFormat::E3m2, 0x1f),
        (SmallFloatFormat::E2m1, 0x7),
    ];

    /// The sign bit, and the result for a NaN.
    fn sign_and_nan(format: SmallFloatFormat) -> (u32, u32) {
        match format {
            SmallFloatFormat::E4m3 | SmallFloatFormat::E5m2 => (7, 0x7f),
            SmallFloatFormat::E2m3 | SmallFloatFormat::E3m2 => (5, 0x1f),
            SmallFloatFormat::E2m1 => (3, 7),
        }
    }

    /// The number with a pattern, from the type's definition.
    fn value(format: SmallFloatFormat, bits: u32) -> f64 {
        let (exponent_bits, mantissa_bits, bias) = match format {
            SmallFloatFormat::E4m3 => (4, 3, 7),
            SmallFloatFormat::E5m2 => (5, 2, 15),
            SmallFloatFormat::E2m3 => (2, 3, 1),
            SmallFloatFormat::E3m2 => (3, 2, 3),
            SmallFloatFormat::E2m1 => (2, 1, 1),
        };
        let exponent = (bits >> mantissa_bits & ((1 << exponent_bits) - 1)) as i32;
        let mantissa = f64::from(bits & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
        match exponent {
            0 => mantissa * 2f64.powi(1 - bias),
            _ => (1.0 + mantissa) * 2f64.powi(exponent - bias),
        }
    }

    /// The finite number nearest to a magnitude, ties to even, by trying all.
    fn nearest(format: SmallFloatFormat, most: u32, x: f64) -> u32 {
        let distance = |bits: u32| (value(format, bits) - x).abs();
        let all = (0..=most)
            .min_by(|a, b| distance(*a).total_cmp(&distance(*b)).then((a & 1).cmp(&(b & 1))));
        all.expect("there are some")
    }

    #[test]
    fn every_half_goes_to_the_nearest_of_all_8_bit_numbers() {
        for (format, most) in FORMATS {
            for bits in 0..=0xffffu16 {
                let x = f16::from_bits(bits);
                let (sign, nan) = sign_and_nan(format);
                let mask = (1 << format.distance()) - 1;
                let got = narrow_halves(format, false, u32::from(bits)) & mask;
                let sign = u32::from(bits >> 15) << sign;
                let want = match x.is_nan() {
                    true => nan,
                    false if x.is_infinite() => most | sign,
                    false => nearest(format, most, x.to_f64().abs()) | sign,
                };
                assert_eq!(got, want, "{x} to {format:?}");
            }
        }
    }

    #[test]
    fn singles_round_once() {
        for (format, most) in FORMATS {
            for bits in 0..most {
                // Just below, at and just above the middle of two neighbors.
                let middle = (value(format, bits) + value(format, bits + 1)) / 2.0;
                let middle = middle as f32;
                for x in [middle.next_down(), middle, middle.next_up()] {
                    let got = narrow_singles(format, true, x, -x);
                    assert_eq!(
                        got,
                        nearest(format, most, f64::from(x)) << format.distance(),
                        "{x}"
                    );
                }
            }
        }
    }

    #[test]
    fn all_8_bit_numbers_are_halves() {
        for (format, most) in FORMATS {
            for bits in 0..=most {
                let negative = 1 << sign_and_nan(format).0;
                let got = widen(format, false, bits << format.distance() | bits | negative);
                let (high, low) = ((got >> 16) as u16, got as u16);
                assert_eq!(f16::from_bits(high).to_f64(), value(format, bits));
                assert_eq!(f16::from_bits(low).to_f64(), -value(format, bits));
            }
        }
    }
}
