//! Floats of 8 bits and less (Micikevicius et al., "FP8 Formats for Deep Learning", 2022; Open Compute Project,
//! "Microscaling Formats (MX) Specification", 2023).

/// A format of at most 8 bits: sign, exponent and mantissa, from the highest bit.
///
/// ```
/// use lanework_numbers::SmallFloat;
///
/// assert_eq!((0..8).map(|bits| SmallFloat::E2M1.decode(bits)).sum::<f32>(), 18.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SmallFloat {
    exponent: u32,
    mantissa: u32,
    largest: u8,
    nan: Option<u8>,
}

impl SmallFloat {
    /// 8 bits: 4 of exponent, 3 of mantissa, up to 448, no infinities; all ones are NaN.
    pub const E4M3: SmallFloat = SmallFloat::new(4, 3, 0x7e, Some(0x7f));
    /// 8 bits: 5 of exponent, 2 of mantissa, up to 57344, with infinities and NaN.
    pub const E5M2: SmallFloat = SmallFloat::new(5, 2, 0x7b, Some(0x7f));
    /// 6 bits: 2 of exponent, 3 of mantissa, up to 7.5; neither infinities nor NaN.
    pub const E2M3: SmallFloat = SmallFloat::new(2, 3, 0x1f, None);
    /// 6 bits: 3 of exponent, 2 of mantissa, up to 28; neither infinities nor NaN.
    pub const E3M2: SmallFloat = SmallFloat::new(3, 2, 0x1f, None);
    /// 4 bits: 0, 0.5, 1, 1.5, 2, 3, 4 and 6; neither infinities nor NaN.
    pub const E2M1: SmallFloat = SmallFloat::new(2, 1, 0x7, None);

    /// All formats.
    pub const ALL: [SmallFloat; 5] =
        [SmallFloat::E4M3, SmallFloat::E5M2, SmallFloat::E2M3, SmallFloat::E3M2, SmallFloat::E2M1];

    const fn new(exponent: u32, mantissa: u32, largest: u8, nan: Option<u8>) -> SmallFloat {
        SmallFloat { exponent, mantissa, largest, nan }
    }

    /// Bits of a number.
    pub const fn bits(self) -> u32 {
        1 + self.exponent + self.mantissa
    }

    /// Bits of its exponent.
    pub const fn exponent_bits(self) -> u32 {
        self.exponent
    }

    /// Bits of its mantissa.
    pub const fn mantissa_bits(self) -> u32 {
        self.mantissa
    }

    /// The bits of the largest finite number.
    pub const fn largest(self) -> u8 {
        self.largest
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The number with these bits. Ignores higher bits. f32 and f16 represent every number exactly.
    pub const fn decode(self, bits: u8) -> f32 {
        let (e, m) = (self.exponent, self.mantissa);
        let bits = bits as u32;
        let magnitude = bits & ((1 << (e + m)) - 1);
        let (exponent, mantissa) = (magnitude >> m, magnitude & ((1 << m) - 1));
        let size = if magnitude > self.largest as u32 {
            if self.exponent == 5 && mantissa == 0 { f32::INFINITY } else { f32::NAN }
        } else if exponent == 0 {
            // A subnormal number is `m` times the smallest one.
            let step = 127 + 1 - self.bias() - m as i32;
            mantissa as f32 * f32::from_bits((step as u32) << 23)
        } else {
            let exponent = exponent as i32 + 127 - self.bias();
            f32::from_bits((exponent as u32) << 23 | mantissa << (23 - m))
        };
        if bits >> (e + m) & 1 != 0 { -size } else { size }
    }

    /// The bits of the number nearest to `x`, ties to even, saturated to the largest finite number, as
    /// `cvt.rn.satfinite` computes. A NaN becomes the NaN of all ones or, in a format without NaN, the largest number,
    /// with the same sign.
    pub const fn encode(self, x: f32) -> u8 {
        let negative = x.to_bits() >> 31;
        let sign = (negative << (self.exponent + self.mantissa)) as u8;
        if x.is_nan() {
            let nan = match self.nan {
                Some(nan) => nan,
                None => self.largest,
            };
            return sign | nan;
        }
        let magnitude = self.round(x.to_bits() & 0x7fff_ffff);
        let largest = self.largest as u32;
        sign | if magnitude < largest { magnitude as u8 } else { self.largest }
    }

    /// The bits of the nearest magnitude, without a limit on the exponent.
    const fn round(self, bits: u32) -> u32 {
        let least = 1 - self.bias();
        let field = (bits >> 23) as i32;
        let significand = if field == 0 { bits } else { bits & 0x7f_ffff | 0x80_0000 };
        let exponent = if field == 0 { 1 - 127 } else { field - 127 };
        // Subnormal numbers all have the same last place.
        let below = if exponent < least { (least - exponent) as u32 } else { 0 };
        // A number far below the smallest one rounds to zero.
        let dropped = 23 - self.mantissa + below;
        let dropped = if dropped > 31 { 31 } else { dropped };
        let (kept, rest) = (significand >> dropped, significand & ((1 << dropped) - 1));
        let half = 1 << (dropped - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        // The leading bit of a normal number adds one to the exponent.
        let above = if exponent > least { (exponent - least) as u32 } else { 0 };
        (above << self.mantissa) + kept + up as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number with a magnitude's bits, from the definition.
    fn value(format: SmallFloat, bits: u8) -> f64 {
        let mantissa = f64::from(bits & ((1 << format.mantissa) - 1));
        let mantissa = mantissa / f64::from(1 << format.mantissa);
        match i32::from(bits >> format.mantissa) {
            0 => mantissa * 2f64.powi(1 - format.bias()),
            exponent => (1.0 + mantissa) * 2f64.powi(exponent - format.bias()),
        }
    }

    /// The finite magnitude nearest to `x`, ties to even, by exhaustive search.
    fn nearest(format: SmallFloat, x: f64) -> u8 {
        let distance = |bits: u8| (value(format, bits) - x).abs();
        let all = (0..=format.largest)
            .min_by(|a, b| distance(*a).total_cmp(&distance(*b)).then((a & 1).cmp(&(b & 1))));
        all.expect("there are some")
    }

    #[test]
    fn all_numbers_decode_by_definition_and_round_trip() {
        for format in SmallFloat::ALL {
            let sign = 1 << (format.bits() - 1);
            for bits in 0..=format.largest {
                assert_eq!(f64::from(format.decode(bits)), value(format, bits));
                assert_eq!(f64::from(format.decode(bits | sign)), -value(format, bits));
                assert_eq!(format.encode(format.decode(bits)), bits);
                assert_eq!(format.encode(format.decode(bits | sign)), bits | sign);
            }
        }
        let infinities = [0x7c, 0xfc].map(|bits| SmallFloat::E5M2.decode(bits));
        assert_eq!(infinities, [f32::INFINITY, f32::NEG_INFINITY]);
        let nans = [SmallFloat::E4M3.decode(0x7f), SmallFloat::E5M2.decode(0x7d)];
        assert!(nans.iter().all(|nan| nan.is_nan()));
    }

    #[test]
    fn formats_have_the_numbers_of_the_specification() {
        let [fours, small, wide] = [SmallFloat::E2M1, SmallFloat::E2M3, SmallFloat::E3M2];
        let all: Vec<f32> = (0..8).map(|bits| fours.decode(bits)).collect();
        assert_eq!(all, [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
        assert_eq!(fours.decode(0xf), -6.0);
        assert_eq!([1, 8, 31].map(|bits| small.decode(bits)), [0.125, 1.0, 7.5]);
        assert_eq!([1, 4, 31, 63].map(|bits| wide.decode(bits)), [0.0625, 0.25, 28.0, -28.0]);
    }

    #[test]
    fn numbers_round_to_the_nearest_of_all() {
        for format in SmallFloat::ALL {
            for bits in 0..format.largest {
                // Just below, at and just above the middle of two neighbors.
                let middle = (value(format, bits) + value(format, bits + 1)) / 2.0;
                let middle = middle as f32;
                for x in [middle.next_down(), middle, middle.next_up()] {
                    assert_eq!(format.encode(x), nearest(format, x.into()), "{format:?} {x}");
                }
            }
            let most = value(format, format.largest);
            // Every bf16, and pseudorandom f32s.
            let halves = (0..=0xffffu32).map(|bits| f32::from_bits(bits << 16));
            let others = (0..3000u32).map(|i| f32::from_bits(i.wrapping_mul(2_654_435_761)));
            let ends = [f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-45, -0.0];
            for x in halves.chain(others).chain(ends).filter(|x| !x.is_nan()) {
                let sign = if x.is_sign_negative() { 1 << (format.bits() - 1) } else { 0 };
                let expected = nearest(format, f64::from(x.abs()).min(most)) | sign;
                assert_eq!(format.encode(x), expected, "{format:?} {x}");
            }
        }
    }

    #[test]
    fn large_numbers_saturate_and_nan_keeps_its_sign() {
        for format in SmallFloat::ALL {
            let sign = 1 << (format.bits() - 1);
            assert_eq!(format.encode(f32::INFINITY), format.largest);
            assert_eq!(format.encode(f32::MIN), format.largest | sign);
        }
        let negative = -f32::NAN.abs();
        assert_eq!(
            [SmallFloat::E4M3.encode(negative), SmallFloat::E5M2.encode(negative)],
            [0xff; 2]
        );
        assert_eq!(SmallFloat::E2M1.encode(f32::NAN.abs()), 7);
        assert_eq!(
            (SmallFloat::E4M3.decode(0x7e), SmallFloat::E5M2.decode(0x7b)),
            (448.0, 57344.0)
        );
        assert_eq!((SmallFloat::E2M3.decode(0x1f), SmallFloat::E3M2.decode(0x1f)), (7.5, 28.0));
    }
}
