//! The frequent conversions between `float` and the 16-bit formats. Machine code contains the same formulas, so both ways
//! of execution compute the same bits.

/// A conversion of the low bits of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrequentConversion {
    /// To the nearest `half`, ties to even.
    HalfFromFloat,
    /// To the nearest `bfloat16`, ties to even.
    BfloatFromFloat,
    FloatFromHalf,
}

/// The bits of f32's infinity.
pub const INFINITY: u32 = 0x7f80_0000;
/// The bits of 2^112, the ratio of the units of f16's and f32's exponents.
pub const SCALE: u32 = 0x7780_0000;
/// The bits of the smallest f32 that is not below f16's smallest normal number, 2^-14.
pub const LEAST_NORMAL: u32 = 0x3880_0000;
/// The bits of the smallest power of two that f16 does not represent, 2^16.
pub const TOO_LARGE: u32 = 0x4780_0000;
/// The bits of 0.5, whose last place is that of f16's subnormal numbers.
pub const MAGIC: u32 = 0x3f00_0000;
/// Added to an f32's bits: changes the exponent's bias to f16's, and rounds up from above the middle.
pub const REBIAS: u32 = 0xc800_0fff;

impl FrequentConversion {
    /// A conversion by the modifiers after `cvt`.
    pub fn parse(parts: &[&str]) -> Option<FrequentConversion> {
        match parts {
            ["rn", "f16", "f32"] => Some(FrequentConversion::HalfFromFloat),
            ["rn", "bf16", "f32"] => Some(FrequentConversion::BfloatFromFloat),
            ["f32", "f16"] => Some(FrequentConversion::FloatFromHalf),
            _ => None,
        }
    }

    /// Converts. A NaN becomes 0x7fff, or keeps its payload in an f32.
    pub fn convert(self, word: u64) -> u64 {
        let bits = word as u32;
        u64::from(match self {
            FrequentConversion::HalfFromFloat => {
                let magnitude = bits & 0x7fff_ffff;
                if magnitude > INFINITY {
                    return 0x7fff;
                }
                let sign = bits >> 16 & 0x8000;
                sign | if magnitude >= TOO_LARGE {
                    0x7c00
                } else if magnitude < LEAST_NORMAL {
                    // The addition rounds to a multiple of f16's smallest number.
                    let sum = f32::from_bits(magnitude) + f32::from_bits(MAGIC);
                    sum.to_bits() - MAGIC
                } else {
                    magnitude.wrapping_add(REBIAS).wrapping_add(magnitude >> 13 & 1) >> 13
                }
            }
            FrequentConversion::BfloatFromFloat => {
                if bits & 0x7fff_ffff > INFINITY {
                    return 0x7fff;
                }
                bits.wrapping_add(0x7fff).wrapping_add(bits >> 16 & 1) >> 16
            }
            FrequentConversion::FloatFromHalf => {
                let moved = (bits & 0x7fff) << 13;
                let scaled = (f32::from_bits(moved) * f32::from_bits(SCALE)).to_bits();
                let special = match moved {
                    0..0x0f80_0000 => 0,
                    0x0f80_0000 => INFINITY,
                    _ => INFINITY | 0x40_0000,
                };
                scaled | special | (bits & 0x8000) << 16
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::FrequentConversion;
    use lanework_numbers::NumberType;

    /// Whether bits are those of the nearest number of a type with 16 bits, ties to even.
    fn is_nearest(ty: NumberType, bits: u64, value: f32) -> bool {
        // Infinity stands for the number after the largest.
        let of = |bits: u64| match ty.read(&(bits as u16).to_le_bytes()) {
            number if number.is_infinite() => ty.largest() / (1.0 - ty.unit()),
            number => number,
        };
        let sign = u64::from(value.is_sign_negative()) << 15;
        let (magnitude, size) = (bits & 0x7fff, f64::from(value.abs()));
        let size = size.min(of(if ty == NumberType::F16 { 0x7c00 } else { 0x7f80 }));
        let distance = (of(magnitude) - size).abs();
        let beats = |other: Option<u64>| {
            let Some(other) = other.map(|other| (of(other) - size).abs()) else { return true };
            distance < other || distance == other && magnitude & 1 == 0 || other.is_nan()
        };
        bits & 0x8000 == sign && beats(magnitude.checked_sub(1)) && beats(Some(magnitude + 1))
    }

    #[test]
    fn formulas_agree_with_the_types() {
        for half in 0..0x1_0000u64 {
            let found = f32::from_bits(FrequentConversion::FloatFromHalf.convert(half) as u32);
            let expected = NumberType::F16.read(&(half as u16).to_le_bytes());
            assert!(f64::from(found).to_bits() == expected.to_bits(), "{half:#x}: {found}");
        }
        // Bits near those where the rounding changes, of every exponent, and others.
        let near = (0..0x8_0000u32)
            .flat_map(|top| [-1i32, 0, 1].map(|by| (top << 13).wrapping_add_signed(by)));
        let others = (0..300_000u32).map(|i| i.wrapping_mul(2_654_435_761));
        for value in near.chain(others).map(f32::from_bits).filter(|value| !value.is_nan()) {
            let word = u64::from(value.to_bits());
            let half = FrequentConversion::HalfFromFloat.convert(word);
            assert!(is_nearest(NumberType::F16, half, value), "{value:e}: {half:#x}");
            let half = FrequentConversion::BfloatFromFloat.convert(word);
            assert!(is_nearest(NumberType::Bf16, half, value), "{value:e}: {half:#x}");
        }
        assert_eq!(
            FrequentConversion::HalfFromFloat.convert(u64::from(f32::NAN.to_bits())),
            0x7fff
        );
        assert_eq!(FrequentConversion::BfloatFromFloat.convert(0xffff_ffff), 0x7fff);
    }
}
