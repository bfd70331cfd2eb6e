//! Conversions to and from floats of 8 bits, two at a time: one handler, told by a number what to do.

use crate::engine::cross::NO_SLOT;
use crate::engine::lanes::{Lanes, fetch_cold, put_cold};
use crate::engine::number::narrow::widen16;
use crate::engine::op::{Body, Op, Warp};
use half::f16;

/// A float type of 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 4 bits of exponent, 3 of mantissa, no infinities.
    E4m3,
    /// 5 bits of exponent, 2 of mantissa.
    E5m2,
}

/// What is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Two f32, the first to the high half; too large ones become the largest finite number.
    FromSingles,
    /// Two f16, likewise.
    FromHalves,
    /// To two f16: nothing is lost.
    ToHalves,
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The 8-bit type.
    pub format: Format,
    /// What is converted.
    pub direction: Direction,
    /// Whether negative numbers become 0.
    pub relu: bool,
}

/// Every e4m3 number: the pattern of an infinity is a finite number, 480 would be NaN.
pub static E4M3: [f32; 256] = {
    let mut table = [0.0; 256];
    let mut bits = 0u32;
    while bits < 256 {
        let (exponent, mantissa) = (bits >> 3 & 15, bits & 7);
        let magnitude = if exponent == 15 && mantissa == 7 {
            f32::NAN
        } else if exponent == 0 {
            mantissa as f32 / 512.0
        } else {
            f32::from_bits((exponent + 120) << 23 | mantissa << 20)
        };
        table[bits as usize] = if bits & 0x80 != 0 { -magnitude } else { magnitude };
        bits += 1;
    }
    table
};

impl Conversion {
    /// As a number.
    pub fn code(self) -> u32 {
        u32::from(self.relu)
            | u32::from(self.format == Format::E5m2) << 1
            | (self.direction as u32) << 2
    }

    fn from_code(code: u32) -> Conversion {
        Conversion {
            relu: code & 1 != 0,
            format: if code & 2 != 0 { Format::E5m2 } else { Format::E4m3 },
            direction: match code >> 2 {
                0 => Direction::FromSingles,
                1 => Direction::FromHalves,
                _ => Direction::ToHalves,
            },
        }
    }

    /// Converts a lane's operands.
    pub fn apply(self, a: u32, b: u32) -> u32 {
        let half = |bits: u32| widen16(f16::from_bits(bits as u16));
        let [high, low] = match self.direction {
            Direction::FromSingles => [a, b].map(f32::from_bits),
            Direction::FromHalves => [half(a >> 16), half(a)],
            Direction::ToHalves => return self.widened(a >> 8) << 16 | self.widened(a),
        };
        self.narrowed(high) << 8 | self.narrowed(low)
    }

    /// The f16 of the low 8 bits.
    fn widened(self, bits: u32) -> u32 {
        let value = match self.format {
            Format::E4m3 => f16::from_f32(E4M3[bits as usize & 0xff]),
            Format::E5m2 => f16::from_bits((bits as u16) << 8),
        };
        match u32::from(value.to_bits()) {
            _ if value.is_nan() => 0x7fff,
            0x8000.. if self.relu => 0,
            bits => bits,
        }
    }

    /// The nearest 8-bit float, of two the even one.
    fn narrowed(self, x: f32) -> u32 {
        // Bits of mantissa, the exponent of the smallest normal number, the largest finite number.
        let (mantissa, least, most) = match self.format {
            Format::E4m3 => (3, -6, 0x7e),
            Format::E5m2 => (2, -14, 0x7b),
        };
        if x.is_nan() {
            return 0x7f;
        }
        let negative = x.is_sign_negative();
        if self.relu && negative {
            return 0;
        }
        let magnitude = round(x.to_bits() & 0x7fff_ffff, least, mantissa).min(most);
        magnitude | u32::from(negative) << 7
    }
}

/// A positive f32 as a float whose smallest normal number is `2^least` and that has `mantissa` bits,
/// with no limit to its exponent.
fn round(bits: u32, least: i32, mantissa: u32) -> u32 {
    let field = (bits >> 23) as i32;
    let significand = if field == 0 { bits } else { bits & 0x7f_ffff | 0x80_0000 };
    let exponent = field.max(1) - 127;
    // Nothing is left of a number far below the smallest.
    let drop = (23 - mantissa + (least - exponent).max(0) as u32).min(31);
    let (kept, rest) = (significand >> drop, significand & ((1 << drop) - 1));
    let half = 1 << (drop - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    // The leading bit of a normal number adds one to the exponent's field.
    (((exponent - least).max(0) as u32) << mantissa) + kept + u32::from(up)
}

/// Any such conversion; the high half of the immediate is its code.
pub struct Convert;

impl Body for Convert {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        let conversion = Conversion::from_code((op.imm >> 32) as u32);
        // SAFETY: slots are valid by the assembler.
        unsafe {
            let a = fetch_cold::<u32>(warp, op.b).0;
            let b = match conversion.direction {
                Direction::FromSingles => fetch_cold::<u32>(warp, op.c).0,
                _ => [0; 32],
            };
            let mut to = [0; 32];
            for (to, (a, b)) in to.iter_mut().zip(a.iter().zip(&b)) {
                *to = conversion.apply(*a, *b);
            }
            if op.a != NO_SLOT {
                put_cold(warp, op.a, Lanes(to));
            }
            op.next(warp)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [(Format, u32); 2] = [(Format::E4m3, 0x7e), (Format::E5m2, 0x7b)];

    /// The number with a pattern, from the type's definition.
    fn value(format: Format, bits: u32) -> f64 {
        let (exponent_bits, mantissa_bits, bias) =
            if format == Format::E4m3 { (4, 3, 7) } else { (5, 2, 15) };
        let exponent = (bits >> mantissa_bits & ((1 << exponent_bits) - 1)) as i32;
        let mantissa = f64::from(bits & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
        match exponent {
            0 => mantissa * 2f64.powi(1 - bias),
            _ => (1.0 + mantissa) * 2f64.powi(exponent - bias),
        }
    }

    /// The finite number nearest to a magnitude, of two the even one, by looking at all.
    fn nearest(format: Format, most: u32, x: f64) -> u32 {
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
                let conversion =
                    Conversion { format, direction: Direction::FromHalves, relu: false };
                let got = conversion.apply(u32::from(bits), 0) & 0xff;
                let sign = u32::from(bits >> 15) << 7;
                let want = match x.is_nan() {
                    true => 0x7f,
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
            let conversion = Conversion { format, direction: Direction::FromSingles, relu: true };
            for bits in 0..most {
                // Just below, at and just above the middle of two neighbours.
                let middle = (value(format, bits) + value(format, bits + 1)) / 2.0;
                let middle = middle as f32;
                for x in [middle.next_down(), middle, middle.next_up()] {
                    let got = conversion.apply(x.to_bits(), (-x).to_bits());
                    assert_eq!(got, nearest(format, most, f64::from(x)) << 8, "{x}");
                }
            }
        }
    }

    #[test]
    fn all_8_bit_numbers_are_halves() {
        for (format, most) in FORMATS {
            let conversion = Conversion { format, direction: Direction::ToHalves, relu: false };
            for bits in 0..=most {
                let got = conversion.apply(bits << 8 | bits | 0x80, 0);
                let (high, low) = ((got >> 16) as u16, got as u16);
                assert_eq!(f16::from_bits(high).to_f64(), value(format, bits));
                assert_eq!(f16::from_bits(low).to_f64(), -value(format, bits));
            }
        }
    }
}
