//! Scale factors of blocks of small floats: a byte is the exponent of a power of two from 2^-127 to 2^127, 0xff is NaN, and
//! there is no sign (Open Compute Project, "Microscaling Formats (MX) Specification", 2023; PTX manual, `cvt` of `.ue8m0x2`).
//!
//! Unmeasured: no GPU that has these conversions was available. NVIDIA's `cuda_fp8.hpp` gives the same for every bf16.

/// The exponent of a magnitude; `up` to the power of two above it, else to the one below. What is below all powers is the
/// least; what is above them is the largest where `finite`, else NaN.
fn scale(up: bool, finite: bool, x: f32) -> u32 {
    const INFINITE: u32 = 0x7f80_0000;
    const LEAST: u32 = 0x0040_0000;
    let magnitude = x.to_bits() & 0x7fff_ffff;
    if magnitude > INFINITE {
        return 0xff;
    }
    let between = magnitude & 0x7f_ffff != 0 && magnitude > LEAST;
    let exponent = (magnitude >> 23) + u32::from(up && between);
    exponent.min(if finite { 0xfe } else { 0xff })
}

/// Those of two numbers, the first in the high byte.
pub fn scales(up: bool, finite: bool, high: f32, low: f32) -> u32 {
    scale(up, finite, high) << 8 | scale(up, finite, low)
}

/// Those of two packed bf16.
pub fn scales_of_halves(up: bool, finite: bool, pair: u32) -> u32 {
    scales(up, finite, f32::from_bits(pair & 0xffff_0000), f32::from_bits(pair << 16))
}

/// Two scale factors as packed bf16.
pub fn halves_of_scales(pair: u32) -> u32 {
    let half = |byte: u32| match byte & 0xff {
        0 => 0x0040,
        0xff => 0x7fff,
        exponent => exponent << 7,
    };
    half(pair >> 8) << 16 | half(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The power of two that a byte stands for.
    fn power(byte: u32) -> f64 {
        2f64.powi(byte as i32 - 127)
    }

    #[test]
    fn every_bf16_goes_to_the_power_of_two_below_or_above() {
        for bits in 0..=0xffffu32 {
            let x = f32::from_bits(bits << 16);
            let magnitude = f64::from(x.abs());
            let [down, up] = [false, true].map(|up| scales_of_halves(up, false, bits) & 0xff);
            let [down_finite, up_finite] =
                [false, true].map(|up| scales_of_halves(up, true, bits << 16) >> 8);
            if x.is_nan() {
                assert_eq!([down, up, down_finite, up_finite], [0xff; 4]);
                continue;
            }
            let below = (0..=0xfe).rev().find(|e| power(*e) <= magnitude).unwrap_or(0);
            let above = (0..=0xfe).find(|e| power(*e) >= magnitude);
            assert_eq!(down, if x.is_infinite() { 0xff } else { below }, "{x}");
            assert_eq!(down_finite, below, "{x}");
            assert_eq!(up, above.unwrap_or(0xff), "{x}");
            assert_eq!(up_finite, above.unwrap_or(0xfe), "{x}");
        }
    }

    #[test]
    fn singles_between_two_bf16_round_once() {
        let just_above = 4.0f32.next_up();
        assert_eq!(scales(true, true, just_above, -just_above), 130 << 8 | 130);
        assert_eq!(scales(false, true, just_above, 4.0f32.next_down()), 129 << 8 | 128);
        assert_eq!(scales(true, false, f32::MAX, f32::MAX), 0xffff);
        assert_eq!(scales(true, true, f32::MAX, 0.0), 0xfe00);
    }

    #[test]
    fn scale_factors_are_bf16() {
        for byte in 0..0xff {
            let half = halves_of_scales(byte | byte << 8);
            assert_eq!(f64::from(f32::from_bits(half << 16)), power(byte));
            assert_eq!(half >> 16, half & 0xffff);
        }
        assert!(f32::from_bits(halves_of_scales(0xff) << 16).is_nan());
    }
}
