//! Software floating point on integers, in every rounding direction of IEEE 754; the host's arithmetic
//! only rounds to the nearest even.
//!
//! A number is a sign and `mantissa * 2^exponent`. An operation computes it with a sticky last bit, and
//! [`Format::round`] rounds it into a format (Muller et al., "Handbook of Floating-Point Arithmetic", 2nd
//! edition, chapters 7 and 8). Callers handle NaN, because GPUs choose payloads by type. Exception flags
//! and traps do not exist, as on a GPU. The last part is for f64, where a GPU's NaN, minimum and maximum
//! differ from the host's (PTX manual, "Floating-Point Instructions").

#[cfg(test)]
mod tests;

use Number::{Finite, Infinite, Nan};

/// The direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// To the nearest, ties to the even one.
    Even,
    /// Toward zero.
    Zero,
    /// Down.
    Down,
    /// Up.
    Up,
    /// To the nearest, ties away from zero.
    Away,
}

/// A binary format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Bits of the mantissa that are stored.
    mantissa: u32,
    /// Bits of the exponent.
    exponent: u32,
}

/// Half precision.
pub const F16: Format = Format { mantissa: 10, exponent: 5 };

/// bfloat16.
pub const BF16: Format = Format { mantissa: 7, exponent: 8 };

/// Single precision.
pub const F32: Format = Format { mantissa: 23, exponent: 8 };

/// Double precision.
pub const F64: Format = Format { mantissa: 52, exponent: 11 };

/// TensorFloat-32, without the 13 bits below it.
#[cfg(test)]
pub const TF32: Format = Format { mantissa: 10, exponent: 8 };

/// A number, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Not a number.
    Nan,
    /// An infinity.
    Infinite {
        /// Whether it is negative.
        negative: bool,
    },
    /// Zero or finite.
    Finite {
        /// Whether the sign is negative; also defined for zero.
        negative: bool,
        /// Its digits; the last is sticky if the number is inexact.
        mantissa: u128,
        /// The weight of the last digit, as a power of two.
        exponent: i32,
    },
}

/// The number of a signed integer given by sign and magnitude.
pub fn integer(negative: bool, magnitude: u64) -> Number {
    Finite { negative, mantissa: u128::from(magnitude), exponent: 0 }
}

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.mantissa
    }

    fn signed(self, negative: bool, bits: u64) -> u64 {
        bits | u64::from(negative) << (self.mantissa + self.exponent)
    }

    /// Unpacks a number.
    pub fn unpack(self, bits: u64) -> Number {
        let negative = bits >> (self.mantissa + self.exponent) & 1 != 0;
        let fraction = bits & ((1 << self.mantissa) - 1);
        let biased = (bits >> self.mantissa & ((1 << self.exponent) - 1)) as i32;
        let lowest = 1 - self.bias() - self.mantissa as i32;
        match (biased, fraction) {
            (0, _) => Finite { negative, mantissa: u128::from(fraction), exponent: lowest },
            _ if biased == (1 << self.exponent) - 1 => {
                if fraction == 0 {
                    Infinite { negative }
                } else {
                    Nan
                }
            }
            _ => Finite {
                negative,
                mantissa: u128::from(fraction | 1 << self.mantissa),
                exponent: lowest + biased - 1,
            },
        }
    }

    /// The bits of a number; `None` for NaN.
    pub fn round(self, number: Number, round: Round) -> Option<u64> {
        let (negative, mantissa, exponent) = match number {
            Nan => return None,
            Infinite { negative } => return Some(self.signed(negative, self.infinity())),
            Finite { negative, mantissa: 0, .. } => return Some(self.signed(negative, 0)),
            Finite { negative, mantissa, exponent } => (negative, mantissa, exponent),
        };
        let leading = 127 - mantissa.leading_zeros() as i32 + exponent;
        // Below the smallest normal number the place of the last digit stays the same.
        let place = leading.max(1 - self.bias());
        let last = place - self.mantissa as i32;
        let kept = shifted(mantissa, exponent - last, negative, round);
        let biased = (place + self.bias() - 1) as u64;
        // A carry out of the mantissa increments the exponent automatically.
        let bits = (biased << self.mantissa).saturating_add(kept);
        if biased >= (1 << self.exponent) || bits >= self.infinity() {
            let grows = match round {
                Round::Even | Round::Away => true,
                Round::Zero => false,
                Round::Down => negative,
                Round::Up => !negative,
            };
            return Some(self.signed(negative, self.infinity() - u64::from(!grows)));
        }
        Some(self.signed(negative, bits))
    }
}

/// `mantissa * 2^by`, rounded to an integer.
fn shifted(mantissa: u128, by: i32, negative: bool, round: Round) -> u64 {
    if by >= 0 {
        return (mantissa << by) as u64;
    }
    let drop = by.unsigned_abs();
    let (kept, rest, half) = if drop > 127 {
        (0, 1, 2)
    } else {
        (mantissa >> drop, mantissa & ((1 << drop) - 1), 1u128 << (drop - 1))
    };
    let up = match round {
        Round::Even => rest > half || (rest == half && kept & 1 == 1),
        Round::Away => rest >= half,
        Round::Zero => false,
        Round::Down => negative && rest != 0,
        Round::Up => !negative && rest != 0,
    };
    kept as u64 + u64::from(up)
}

/// The digits with the leading one at bit 124, room for a carry above it; bits shifted out below are
/// recorded in the sticky last bit.
fn normalized(mantissa: u128, exponent: i32) -> (u128, i32) {
    let up = mantissa.leading_zeros() as i32 - 3;
    if up >= 0 { (mantissa << up, exponent - up) } else { (jammed(mantissa, -up), exponent - up) }
}

/// Shifted down; the last digit is 1 if anything was lost.
fn jammed(mantissa: u128, by: i32) -> u128 {
    match by {
        0 => mantissa,
        1..128 => mantissa >> by | u128::from(mantissa & ((1 << by) - 1) != 0),
        _ => u128::from(mantissa != 0),
    }
}

/// `a + b`; an exact zero is negative only when rounding down, or when both are.
pub fn add(a: Number, b: Number, round: Round) -> Number {
    let (
        Finite { negative: sa, mantissa: ma, exponent: ea },
        Finite { negative: sb, mantissa: mb, exponent: eb },
    ) = (a, b)
    else {
        return match (a, b) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite { negative: x }, Infinite { negative: y }) if x != y => Nan,
            (Infinite { .. }, _) => a,
            _ => b,
        };
    };
    let zero = Finite {
        negative: if sa == sb { sa } else { round == Round::Down },
        mantissa: 0,
        exponent: 0,
    };
    match (ma, mb) {
        (0, 0) => return zero,
        (0, _) => return b,
        (_, 0) => return a,
        _ => {}
    }
    let ((ma, ea), (mb, eb)) = (normalized(ma, ea), normalized(mb, eb));
    let exponent = ea.max(eb);
    let (ma, mb) = (jammed(ma, exponent - ea), jammed(mb, exponent - eb));
    if sa == sb {
        return Finite { negative: sa, mantissa: ma + mb, exponent };
    }
    match ma.cmp(&mb) {
        std::cmp::Ordering::Equal => zero,
        std::cmp::Ordering::Greater => Finite { negative: sa, mantissa: ma - mb, exponent },
        std::cmp::Ordering::Less => Finite { negative: sb, mantissa: mb - ma, exponent },
    }
}

/// `-a`.
#[cfg(test)]
pub fn negate(a: Number) -> Number {
    match a {
        Nan => Nan,
        Infinite { negative } => Infinite { negative: !negative },
        Finite { negative, mantissa, exponent } => {
            Finite { negative: !negative, mantissa, exponent }
        }
    }
}

fn is_zero(a: Number) -> bool {
    matches!(a, Finite { mantissa: 0, .. })
}

fn is_negative(a: Number) -> bool {
    matches!(a, Infinite { negative: true } | Finite { negative: true, .. })
}

/// `a * b`, exactly.
pub fn multiply(a: Number, b: Number) -> Number {
    let negative = is_negative(a) != is_negative(b);
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Infinite { .. }, other) | (other, Infinite { .. }) => {
            if is_zero(other) {
                Nan
            } else {
                Infinite { negative }
            }
        }
        (Finite { mantissa: ma, exponent: ea, .. }, Finite { mantissa: mb, exponent: eb, .. }) => {
            Finite { negative, mantissa: ma * mb, exponent: ea + eb }
        }
    }
}

/// `a / b`.
pub fn divide(a: Number, b: Number) -> Number {
    let negative = is_negative(a) != is_negative(b);
    match (a, b) {
        (Nan, _) | (_, Nan) | (Infinite { .. }, Infinite { .. }) => Nan,
        (Infinite { .. }, _) => Infinite { negative },
        (_, Infinite { .. }) => Finite { negative, mantissa: 0, exponent: 0 },
        _ if is_zero(b) => {
            if is_zero(a) {
                Nan
            } else {
                Infinite { negative }
            }
        }
        (Finite { mantissa: ma, exponent: ea, .. }, Finite { mantissa: mb, exponent: eb, .. }) => {
            let up = ma.leading_zeros().saturating_sub(2);
            let (high, rest) = ((ma << up) / mb, (ma << up) % mb);
            // One more bit than the quotient has, for the remainder.
            let mantissa = high << 1 | u128::from(rest != 0);
            Finite { negative, mantissa, exponent: ea - up as i32 - eb - 1 }
        }
    }
}

/// The square root.
pub fn root(a: Number) -> Number {
    match a {
        Finite { negative: false, mantissa, exponent } if mantissa != 0 => {
            let (mut mantissa, mut exponent) = normalized(mantissa, exponent);
            if exponent & 1 != 0 {
                mantissa <<= 1;
                exponent -= 1;
            }
            let root = mantissa.isqrt();
            let left = u128::from(root * root != mantissa);
            Finite { negative: false, mantissa: root << 1 | left, exponent: exponent / 2 - 1 }
        }
        Finite { mantissa: 0, .. } | Infinite { negative: false } => a,
        _ => Nan,
    }
}

/// The f64 NaN of an invalid operation.
const NAN: u64 = 0xfff8_0000_0000_0000;

/// Makes a signaling NaN quiet.
#[inline(always)]
pub fn quiet(x: f64) -> f64 {
    if x.is_nan() { f64::from_bits(x.to_bits() | 1 << 51) } else { x }
}

/// `result`; if it is NaN, the first operand that is a NaN, made quiet, which is the NaN that a GPU
/// returns.
#[inline(always)]
pub fn with_nan_of<const N: usize>(result: f64, operands: [f64; N]) -> f64 {
    let mut nan = f64::from_bits(NAN);
    for x in operands.into_iter().rev() {
        nan = if x.is_nan() { quiet(x) } else { nan };
    }
    if result.is_nan() { nan } else { result }
}

/// The smaller operand, or the one that is not NaN; -0 is below +0.
#[inline(always)]
pub fn min(a: f64, b: f64) -> f64 {
    let equal = f64::from_bits(a.to_bits() | b.to_bits());
    let ordered = if a == b {
        equal
    } else if a < b {
        a
    } else {
        b
    };
    number_of(a, b, ordered)
}

/// The larger operand, or the one that is not NaN; +0 is above -0.
#[inline(always)]
pub fn max(a: f64, b: f64) -> f64 {
    let equal = f64::from_bits(a.to_bits() & b.to_bits());
    let ordered = if a == b {
        equal
    } else if a > b {
        a
    } else {
        b
    };
    number_of(a, b, ordered)
}

/// The operand that is a number; the second where neither is.
#[inline(always)]
fn number_of(a: f64, b: f64, ordered: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => quiet(b),
        (true, false) => b,
        (false, true) => a,
        (false, false) => ordered,
    }
}

/// Unpacks an f64.
pub fn unpack(x: f64) -> Number {
    F64.unpack(x.to_bits())
}

/// The f64 nearest in a direction, or the NaN of the operands.
pub fn round<const N: usize>(number: Number, round: Round, operands: [f64; N]) -> f64 {
    match F64.round(number, round) {
        Some(bits) => f64::from_bits(bits),
        None => with_nan_of(f64::NAN, operands),
    }
}
