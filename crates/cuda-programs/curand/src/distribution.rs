//! Distributions of random bits, as in cuRAND's headers. A uniform number is the middle of the interval that its bits name, so none is 0.
//!
//! Normal numbers of pseudorandom sequences use the Box-Muller transform (1958); normal numbers of quasirandom sequences use the inverse of the
//! cumulative distribution function, Wichura's AS 241 (PPND16, Applied Statistics 37, 1988), with a relative error near 1e-16.

/// A uniform number from 32 bits.
pub fn uniform(bits: u32) -> f32 {
    bits as f32 * 2f32.powi(-32) + 2f32.powi(-33)
}

/// A uniform number from 32 bits.
pub fn uniform_double(bits: u32) -> f64 {
    f64::from(bits) * 2f64.powi(-32) + 2f64.powi(-33)
}

/// A uniform number from 32 bits, at the end of its interval: cuRAND's doubles of MTGP32 and 32-bit Sobol' sequences.
pub fn uniform_double_at_end(bits: u32) -> f64 {
    (f64::from(bits) + 1.0) * 2f64.powi(-32)
}

/// A uniform number from 53 bits: the whole low word and 21 bits of the high word.
pub fn uniform_of_two(low: u32, high: u32) -> f64 {
    let bits = u64::from(low) ^ (u64::from(high) << 21);
    bits as f64 * 2f64.powi(-53) + 2f64.powi(-54)
}

/// A uniform number from the highest 53 of 64 bits.
pub fn uniform_of_wide(bits: u64) -> f64 {
    (bits >> 11) as f64 * 2f64.powi(-53) + 2f64.powi(-54)
}

/// Two normal numbers from two uniform ones.
pub fn box_muller(u: f64, v: f64) -> (f64, f64) {
    let radius = (-2.0 * u.ln()).sqrt();
    let (sine, cosine) = (std::f64::consts::TAU * v).sin_cos();
    (radius * sine, radius * cosine)
}

fn polynomial(coefficients: &[f64], at: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * at + coefficient)
}

/// The normal number with cumulative probability `p`, above 0 and below 1.
pub fn inverse_normal(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * polynomial(&CENTER.0, r) / polynomial(&CENTER.1, r);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let size = match r <= 5.0 {
        true => polynomial(&MIDDLE.0, r - 1.6) / polynomial(&MIDDLE.1, r - 1.6),
        false => polynomial(&TAIL.0, r - 5.0) / polynomial(&TAIL.1, r - 5.0),
    };
    size.copysign(q)
}

/// Coefficients of a numerator and a denominator, constant term first.
type Ratio = ([f64; 8], [f64; 8]);

#[rustfmt::skip]
const CENTER: Ratio = (
    [3.387_132_872_796_366_5, 133.141_667_891_784_38, 1_971.590_950_306_551_3, 13_731.693_765_509_46,
     45_921.953_931_549_87, 67_265.770_927_008_7, 33_430.575_583_588_13, 2_509.080_928_730_122_7],
    [1.0, 42.313_330_701_600_91, 687.187_007_492_057_9, 5_394.196_021_424_751, 21_213.794_301_586_597,
     39_307.895_800_092_71, 28_729.085_735_721_943, 5_226.495_278_852_545],
);
#[rustfmt::skip]
const MIDDLE: Ratio = (
    [1.423_437_110_749_683_5, 4.630_337_846_156_546, 5.769_497_221_460_691, 3.647_848_324_763_204_5,
     1.270_458_252_452_368_4, 0.241_780_725_177_450_6, 0.022_723_844_989_269_184, 7.745_450_142_783_414e-4],
    [1.0, 2.053_191_626_637_759, 1.676_384_830_183_803_8, 0.689_767_334_985_1, 0.148_103_976_427_480_08,
     0.015_198_666_563_616_457, 5.475_938_084_995_345e-4, 1.050_750_071_644_416_9e-9],
);
#[rustfmt::skip]
const TAIL: Ratio = (
    [6.657_904_643_501_103, 5.463_784_911_164_114, 1.784_826_539_917_291_3, 0.296_560_571_828_504_87,
     0.026_532_189_526_576_124, 1.242_660_947_388_078_4e-3, 2.711_555_568_743_487_6e-5, 2.010_334_399_292_288_1e-7],
    [1.0, 0.599_832_206_555_888, 0.136_929_880_922_735_8, 0.014_875_361_290_850_615, 7.868_691_311_456_133e-4,
     1.846_318_317_510_054_7e-5, 1.421_511_758_316_446e-7, 2.044_263_103_389_939_8e-15],
);

#[cfg(test)]
mod tests {
    use super::{box_muller, inverse_normal, uniform, uniform_of_two};

    #[test]
    fn uniform_numbers_are_above_zero_and_reach_one() {
        assert_eq!((uniform(0), uniform(u32::MAX)), (2f32.powi(-33), 1.0));
        assert_eq!(uniform_of_two(0, 0), 2f64.powi(-54));
        assert_eq!(uniform_of_two(0x1f_ffff, u32::MAX), 1.0);
    }

    #[test]
    fn the_inverse_matches_the_papers_values() {
        // Wichura's test values, and a symmetric pair.
        for (p, wanted) in [
            (0.25, -0.674_489_750_196_081_7),
            (0.001, -3.090_232_306_167_813_5),
            (1e-20, -9.262_340_089_798_408),
        ] {
            let got = inverse_normal(p);
            assert!((got - wanted).abs() < 1e-14 * wanted.abs(), "{p}: {got}");
        }
        assert_eq!(inverse_normal(0.5), 0.0);
        assert_eq!(inverse_normal(0.75), -inverse_normal(0.25));
    }

    #[test]
    fn box_muller_of_a_quarter_turn() {
        let (sine, cosine) = box_muller((-0.5f64).exp(), 0.25);
        assert!((sine - 1.0).abs() < 1e-15 && cosine.abs() < 1e-15);
    }
}
