//! Conversions from and to floats of 8 bits, two at a time (PTX manual, `cvt` of `.e4m3x2` and `.e5m2x2`).

/// A conversion of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EightOp {
    /// The 8-bit type.
    pub format: EightFormat,
    /// What is converted.
    pub direction: EightDirection,
    /// Whether negative numbers become 0.
    pub relu: bool,
}

/// A float type of 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EightFormat {
    /// 4 bits of exponent, 3 of mantissa, no infinities.
    E4m3,
    /// 5 bits of exponent, 2 of mantissa.
    E5m2,
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
