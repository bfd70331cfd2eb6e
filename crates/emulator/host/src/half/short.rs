//! The 16-bit float formats: values, and rounding to the nearest number.

use super::frequent::FrequentConversion;

/// A 16-bit float format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShortFormat {
    F16,
    Bf16,
}

impl ShortFormat {
    /// The bits of NaN results.
    const NOT_A_NUMBER: u64 = 0x7fff;

    pub(super) fn named(name: &str) -> Option<ShortFormat> {
        match name {
            "f16" => Some(ShortFormat::F16),
            "bf16" => Some(ShortFormat::Bf16),
            _ => None,
        }
    }

    pub(super) fn value(self, bits: u64) -> f64 {
        let single = match self {
            ShortFormat::F16 => FrequentConversion::FloatFromHalf.convert(bits & 0xffff) as u32,
            ShortFormat::Bf16 => (bits as u32) << 16,
        };
        f64::from(f32::from_bits(single))
    }

    /// The bits of the nearest number, ties to even.
    pub(super) fn nearest(self, value: f64) -> u64 {
        if value.is_nan() {
            return Self::NOT_A_NUMBER;
        }
        let bits = u64::from(rounded_to_odd(value).to_bits());
        match self {
            ShortFormat::F16 => FrequentConversion::HalfFromFloat.convert(bits),
            ShortFormat::Bf16 => FrequentConversion::BfloatFromFloat.convert(bits),
        }
    }
}

/// A number as `f32`, with the last bit 1 if it is not exact. Rounding that to a shorter format gives the same number as
/// rounding the original at once (Boldo and Melquiond, 2008).
fn rounded_to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    if f64::from(nearest) == value {
        return nearest;
    }
    let up = f64::from(nearest).abs() > value.abs();
    f32::from_bits((nearest.to_bits() - u32::from(up)) | 1)
}
