//! Floats of 4 and 6 bits (Open Compute Project, "OCP Microscaling Formats (MX) Specification", 2023): no
//! infinities, no NaN.

/// A format: a sign, then exponent and mantissa.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiny {
    /// Bits of exponent.
    pub exponent: u32,
    /// Bits of mantissa.
    pub mantissa: u32,
}

/// 4 bits: 0, 0.5, 1, 1.5, 2, 3, 4, 6.
pub const E2M1: Tiny = Tiny { exponent: 2, mantissa: 1 };
/// 6 bits, up to 7.5.
pub const E2M3: Tiny = Tiny { exponent: 2, mantissa: 3 };
/// 6 bits, up to 28.
pub const E3M2: Tiny = Tiny { exponent: 3, mantissa: 2 };

impl Tiny {
    /// The number with these bits; those above its own mean nothing.
    pub fn widen(self, bits: u32) -> f32 {
        let (e, m) = (self.exponent, self.mantissa);
        let (exponent, mantissa) = (bits >> m & ((1 << e) - 1), bits & ((1 << m) - 1));
        let bias = (1 << (e - 1)) - 1;
        let magnitude = match exponent {
            0 => mantissa as f32 / f32::from_bits((127 + m + bias - 1) << 23),
            _ => f32::from_bits((exponent + 127 - bias) << 23 | mantissa << (23 - m)),
        };
        if bits >> (e + m) & 1 != 0 { -magnitude } else { magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_the_numbers_of_the_specification() {
        let all = |format: Tiny, count: u32| (0..count).map(|bits| format.widen(bits)).collect();
        let fours: Vec<f32> = all(E2M1, 8);
        assert_eq!(fours, [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
        assert_eq!(E2M1.widen(0xf), -6.0);
        assert_eq!((E2M3.widen(1), E2M3.widen(8), E2M3.widen(31)), (0.125, 1.0, 7.5));
        assert_eq!((E3M2.widen(1), E3M2.widen(4), E3M2.widen(31)), (0.0625, 0.25, 28.0));
        assert_eq!(E3M2.widen(0x3f), -28.0);
    }
}
