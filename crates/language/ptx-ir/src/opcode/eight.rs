//! Conversions from and to floats of 8, 6 and 4 bits, two at a time (PTX manual, `cvt` of `.e4m3x2`, `.e5m2x2`,
//! `.e2m3x2`, `.e3m2x2` and `.e2m1x2`).

/// A conversion of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EightOp {
    /// The small type.
    pub format: EightFormat,
    /// What is converted.
    pub direction: EightDirection,
    /// Whether negative numbers become 0.
    pub relu: bool,
}

/// A float type of 8 bits or less; 6 bits lie in the low ones of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EightFormat {
    /// 4 bits of exponent, 3 of mantissa, no infinities.
    E4m3,
    /// 5 bits of exponent, 2 of mantissa.
    E5m2,
    /// 6 bits: 2 of exponent, 3 of mantissa, no infinities, no NaN.
    E2m3,
    /// 6 bits: 3 of exponent, 2 of mantissa, likewise.
    E3m2,
    /// 4 bits: 2 of exponent, 1 of mantissa, likewise; two in a byte.
    E2m1,
}

impl EightFormat {
    /// Bits from one of a pair to the other.
    pub fn distance(self) -> u32 {
        if self == EightFormat::E2m1 { 4 } else { 8 }
    }
}

/// What is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EightDirection {
    /// Two f32, the first to the high half; too large ones become the largest finite number.
    FromSingles,
    /// Two f16, likewise.
    FromHalves,
    /// To two f16: nothing is lost.
    ToHalves,
}
