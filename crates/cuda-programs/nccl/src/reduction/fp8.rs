//! 8-bit floats: `e4m3` (largest 448, no infinity) and `e5m2` (largest 57344), converted as CUDA's types: to nearest, ties to even, and
//! saturating.

/// A format: bits of the fraction, bias of the exponent, and the bits of the largest value.
#[derive(Clone, Copy)]
pub struct Format {
    fraction: u32,
    bias: i32,
    largest: u8,
    /// Whether the largest exponent encodes only infinity and NaN.
    infinite: bool,
}

pub const E4M3: Format = Format { fraction: 3, bias: 7, largest: 0x7E, infinite: false };
pub const E5M2: Format = Format { fraction: 2, bias: 15, largest: 0x7B, infinite: true };

impl Format {
    /// The value of these bits.
    pub fn decode(self, bits: u8) -> f32 {
        let sign = if bits & 0x80 == 0 { 1.0 } else { -1.0 };
        let magnitude = bits & 0x7F;
        if magnitude > self.largest {
            return if self.infinite && magnitude == self.largest + 1 {
                sign * f32::INFINITY
            } else {
                f32::NAN
            };
        }
        let fraction = u32::from(magnitude) & ((1 << self.fraction) - 1);
        let exponent = (u32::from(magnitude) >> self.fraction) as i32;
        let (digits, exponent) = match exponent {
            0 => (fraction, 1),
            _ => (fraction | 1 << self.fraction, exponent),
        };
        sign * digits as f32 * 2f32.powi(exponent - self.bias - self.fraction as i32)
    }

    /// The bits of the nearest value.
    pub fn encode(self, value: f32) -> u8 {
        let sign = ((value.to_bits() >> 31) as u8) << 7;
        if value.is_nan() {
            return sign | 0x7F;
        }
        let magnitude = value.abs();
        if magnitude >= self.decode(self.largest) {
            return sign | self.largest;
        }
        let exponent = ((magnitude.to_bits() >> 23) as i32 - 127).max(1 - self.bias);
        let digits =
            (magnitude * 2f32.powi(self.fraction as i32 - exponent)).round_ties_even() as u32;
        // Includes the implicit bit of a normal number. Rounding up to the next power of two carries into the exponent.
        let bits = (((exponent + self.bias - 1) as u32) << self.fraction) + digits;
        sign | bits.min(self.largest.into()) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_trip_and_others_round_to_nearest() {
        for format in [E4M3, E5M2] {
            for bits in 0..=0xFF {
                let value = format.decode(bits);
                if value.is_finite() {
                    assert_eq!(format.encode(value), bits, "{value}");
                }
            }
            for bits in 0..format.largest {
                let (low, high) = (format.decode(bits), format.decode(bits + 1));
                assert!(low < high);
                let even = bits + (bits & 1);
                assert_eq!(format.encode((low + high) / 2.0), even, "{low} {high}");
                assert_eq!(format.encode(low * 0.75 + high * 0.25), bits);
                assert_eq!(format.encode(-(low * 0.25 + high * 0.75)), 0x80 | (bits + 1));
            }
        }
    }

    #[test]
    fn large_values_saturate_and_nan_stays_nan() {
        assert_eq!((E4M3.decode(0x7E), E5M2.decode(0x7B)), (448.0, 57344.0));
        assert_eq!((E4M3.encode(1e9), E5M2.encode(f32::NEG_INFINITY)), (0x7E, 0xFB));
        assert!(
            E4M3.decode(0x7F).is_nan()
                && E5M2.decode(0x7D).is_nan()
                && E4M3.decode(E4M3.encode(f32::NAN)).is_nan()
        );
        assert_eq!(E5M2.decode(0x7C), f32::INFINITY);
    }
}
