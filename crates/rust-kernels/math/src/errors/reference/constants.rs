//! Constants of the reference functions, to twice the precision of `f64`.

use crate::errors::double::Double;

/// ln 2.
pub(super) const LN_2: Double =
    Double { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17, power: 0 };
/// pi / 2.
pub(super) const HALF_PI: Double =
    Double { high: std::f64::consts::FRAC_PI_2, low: 6.123_233_995_736_766e-17, power: 0 };
/// ln 10.
pub(super) const LN_10: Double =
    Double { high: std::f64::consts::LN_10, low: -2.170_756_223_382_249_4e-16, power: 0 };
/// 2 / sqrt(pi).
pub(super) const TWO_OVER_ROOT_PI: Double =
    Double { high: std::f64::consts::FRAC_2_SQRT_PI, low: 1.533_545_961_316_587_8e-17, power: 0 };

/// A number of `f64`, exactly.
pub(super) fn d(x: f64) -> Double {
    x.into()
}

/// The largest number is far beyond the range of `f64`: a result overflows in any case.
pub(super) const HUGE: Double = Double { high: f64::INFINITY, low: 0.0, power: 0 };
