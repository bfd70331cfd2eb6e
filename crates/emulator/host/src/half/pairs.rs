//! Conversions of two numbers at a time: to and from fp8, and from `float` to `half2` and `bfloat162`.

use super::frequent::FrequentConversion;
use lanework_numbers::SmallFloat;

/// A conversion of a pair. The first number is in the upper half of a pair.
#[derive(Clone, Copy, Debug)]
pub struct PairConversion {
    from: PairType,
    to: PairType,
    relu: bool,
}

/// The type of both numbers.
#[derive(Clone, Copy, Debug)]
enum PairType {
    F32,
    F16,
    Bf16,
    Small(SmallFloat),
}

impl PairType {
    fn named(name: &str) -> Option<PairType> {
        Some(match name {
            "f32" => PairType::F32,
            "f16x2" => PairType::F16,
            "bf16x2" => PairType::Bf16,
            "e4m3x2" => PairType::Small(SmallFloat::E4M3),
            "e5m2x2" => PairType::Small(SmallFloat::E5M2),
            _ => return None,
        })
    }

    /// Bits of one number.
    fn bits(self) -> u32 {
        match self {
            PairType::F32 => 32,
            PairType::F16 | PairType::Bf16 => 16,
            PairType::Small(_) => 8,
        }
    }

    /// The value of a number; f32 represents the values of all types.
    fn value(self, bits: u64) -> f32 {
        match self {
            PairType::F32 => f32::from_bits(bits as u32),
            PairType::F16 => f32::from_bits(FrequentConversion::FloatFromHalf.convert(bits) as u32),
            PairType::Bf16 => f32::from_bits((bits as u32) << 16),
            PairType::Small(format) => format.decode(bits as u8),
        }
    }

    /// The bits of the nearest number.
    fn nearest(self, value: f32) -> u64 {
        let bits = u64::from(value.to_bits());
        match self {
            PairType::F32 => bits,
            PairType::F16 => FrequentConversion::HalfFromFloat.convert(bits),
            PairType::Bf16 => FrequentConversion::BfloatFromFloat.convert(bits),
            // The GPU's NaN has no sign.
            PairType::Small(format) if value.is_nan() => {
                u64::from(format.encode(f32::from_bits(0x7fc0_0000)))
            }
            PairType::Small(format) => u64::from(format.encode(value)),
        }
    }
}

impl PairConversion {
    /// A conversion by the modifiers after `cvt`, and the number of its inputs.
    pub fn parse(parts: &[&str], inputs: usize) -> Option<PairConversion> {
        let [modifiers @ .., to, from] = parts else { return None };
        let (to, from) = (PairType::named(to)?, PairType::named(from)?);
        let wanted = match (from, to) {
            (PairType::F32, PairType::F32) => return None,
            (PairType::F32, _) => 2,
            _ => 1,
        };
        let known = modifiers.iter().all(|part| ["rn", "satfinite", "relu"].contains(part));
        let relu = modifiers.contains(&"relu");
        (known && inputs == wanted && modifiers.contains(&"rn")).then_some(PairConversion {
            from,
            to,
            relu,
        })
    }

    /// Converts.
    pub fn convert(self, inputs: &[u64]) -> u64 {
        let shift = self.from.bits();
        let (high, low) = match *inputs {
            [high, low] => (high, low),
            [both] => (both >> shift & ((1 << shift) - 1), both & ((1 << shift) - 1)),
            _ => (0, 0),
        };
        let one = |bits: u64| {
            let value = self.from.value(bits);
            self.to.nearest(if self.relu && value < 0.0 { 0.0 } else { value })
        };
        one(high) << self.to.bits() | one(low)
    }
}
