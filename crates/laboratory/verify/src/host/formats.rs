//! Number formats narrower than f32, to which the inputs of a product may have been rounded: TF32, bf16 and
//! fp16.
//!
//! `cvt.rna.tf32.f32` rounds ties away from zero, other code to even. Tensor cores ignore the low 13 bits of an f32
//! passed as TF32. The upper half of an f32 is the truncated bf16.

use half::f16;

/// A narrower format and its rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TF32, rounded to nearest, ties to even.
    Tf32,
    /// TF32, rounded to nearest, ties away from zero.
    Tf32Away,
    /// TF32, truncated.
    Tf32Cut,
    /// bf16, rounded to nearest, ties to even.
    Bf16,
    /// bf16, truncated.
    Bf16Cut,
    /// fp16, rounded to nearest, ties to even.
    F16,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 6] = [
        Format::Tf32,
        Format::Tf32Away,
        Format::Tf32Cut,
        Format::Bf16,
        Format::Bf16Cut,
        Format::F16,
    ];

    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Format::Tf32 | Format::Tf32Away => "rounded to TF32",
            Format::Tf32Cut => "cut off to TF32",
            Format::Bf16 => "rounded to bf16",
            Format::Bf16Cut => "cut off to bf16",
            Format::F16 => "rounded to fp16",
        }
    }

    /// `x` rounded to this format.
    pub fn round(self, x: f32) -> f32 {
        if self == Format::F16 {
            return f16::from_f32(x).to_f32();
        }
        if !x.is_finite() {
            return x;
        }
        let dropped = if matches!(self, Format::Bf16 | Format::Bf16Cut) { 16 } else { 13 };
        let (bits, unit) = (x.to_bits(), 1u32 << dropped);
        let up = match self {
            Format::Tf32Cut | Format::Bf16Cut => 0,
            Format::Tf32Away => unit / 2,
            _ => unit / 2 - 1 + ((bits >> dropped) & 1),
        };
        // A carry out of the fraction increments the exponent, up to infinity.
        f32::from_bits((bits + up) & !(unit - 1))
    }

    /// Whether the format represents `x` exactly.
    pub fn holds(self, x: f32) -> bool {
        self.round(x) == x
    }

    /// The distance between adjacent numbers of the format around `x`, if `x` is in its normal range.
    pub fn spacing(self, x: f64) -> f64 {
        let fraction = if matches!(self, Format::Bf16 | Format::Bf16Cut) { 7 } else { 10 };
        2f64.powi(x.abs().log2().floor() as i32 - fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_round_as_they_do_on_hardware() {
        let tie = 1.0 + 2f32.powi(-11);
        assert_eq!(Format::Tf32.round(tie), 1.0);
        assert_eq!(Format::Tf32Away.round(tie), 1.0 + 2f32.powi(-10));
        assert_eq!(Format::Tf32Cut.round(1.0 + 2f32.powi(-10) * 0.99), 1.0);
        assert_eq!(Format::Bf16.round(0.1), half::bf16::from_f32(0.1).to_f32());
        assert_eq!(Format::Bf16.round(f32::MAX), f32::INFINITY);
        assert_eq!(Format::F16.round(1e5), f32::INFINITY);
        for format in Format::ALL {
            assert_eq!(format.round(-0.75), -0.75);
            assert!(format.round(f32::NAN).is_nan());
            assert_eq!(format.round(f32::NEG_INFINITY), f32::NEG_INFINITY);
            assert!(format.holds(1.5) && !format.holds(0.1));
        }
    }
}
