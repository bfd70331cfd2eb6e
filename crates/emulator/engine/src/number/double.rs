//! f64 arithmetic in which a GPU differs from the host: the resulting NaN, and the minimum and maximum
//! (PTX manual, "Floating-Point Instructions").

use crate::number::soft;
use crate::number::soft::{Number, Round};

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
    soft::F64.unpack(x.to_bits())
}

/// The f64 nearest in a direction, or the NaN of the operands.
pub fn round<const N: usize>(number: Number, round: Round, operands: [f64; N]) -> f64 {
    match soft::F64.round(number, round) {
        Some(bits) => f64::from_bits(bits),
        None => with_nan_of(f64::NAN, operands),
    }
}
