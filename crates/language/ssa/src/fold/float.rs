//! Folding of floating-point operations. NaN results are not folded, because their bits depend on the hardware.

use crate::ir::{FloatArithmetic, FloatCondition, FloatMode, RoundingMode, ValueType};
use half::{bf16, f16};

/// The exact value of a number of type `ty`.
pub(super) fn to_f64(bits: u64, ty: ValueType) -> f64 {
    match ty {
        ValueType::F16 => f16::from_bits(bits as u16).to_f64(),
        ValueType::BF16 => bf16::from_bits(bits as u16).to_f64(),
        ValueType::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The bits of the nearest number of type `ty`.
pub(super) fn from_f64(value: f64, ty: ValueType) -> u64 {
    match ty {
        ValueType::F16 => u64::from(f16::from_f64(value).to_bits()),
        ValueType::BF16 => u64::from(bf16::from_f64(value).to_bits()),
        ValueType::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

pub(super) fn arithmetic(
    op: FloatArithmetic,
    mode: FloatMode,
    arguments: &[u64],
    ty: ValueType,
) -> Option<u64> {
    use FloatArithmetic::*;
    let sign = 1 << (ty.bits() - 1);
    let to_nearest = FloatMode { contract: mode.contract, ..FloatMode::default() };
    match (op, arguments) {
        (Negate, [a]) if !mode.flush => return Some(a ^ sign),
        (Absolute, [a]) if !mode.flush => return Some(a & !sign),
        _ if mode != to_nearest => return None,
        _ => {}
    }
    // Products and sums of two `f32` are first rounded to `f64`. Rounding twice is harmless, because `f64` has more
    // than twice the precision plus two bits (Figueroa, "When is double rounding innocuous?", 1995).
    let value = match (op, arguments) {
        (FusedMultiplyAdd, [a, b, c]) => match ty {
            ValueType::F32 => {
                let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(*bits as u32));
                f64::from(a.mul_add(b, c))
            }
            ValueType::F64 => {
                let [a, b, c] = [a, b, c].map(|bits| f64::from_bits(*bits));
                a.mul_add(b, c)
            }
            _ => return None,
        },
        (_, [a, b]) => {
            let (a, b) = (to_f64(*a, ty), to_f64(*b, ty));
            match op {
                Add => a + b,
                Subtract => a - b,
                Multiply => a * b,
                Divide => a / b,
                Minimum if a != b => a.min(b),
                Maximum if a != b => a.max(b),
                _ => return None,
            }
        }
        (SquareRoot, [a]) => to_f64(*a, ty).sqrt(),
        (Reciprocal, [a]) => 1.0 / to_f64(*a, ty),
        _ => return None,
    };
    (!value.is_nan()).then(|| from_f64(value, ty))
}

pub(super) fn compare(condition: FloatCondition, a: u64, b: u64, ty: ValueType) -> bool {
    use FloatCondition::*;
    let (a, b) = (to_f64(a, ty), to_f64(b, ty));
    let unordered = a.is_nan() || b.is_nan();
    match condition {
        Equal => a == b,
        NotEqual => !unordered && a != b,
        Less => a < b,
        LessOrEqual => a <= b,
        Greater => a > b,
        GreaterOrEqual => a >= b,
        EqualOrUnordered => unordered || a == b,
        NotEqualOrUnordered => a != b,
        LessOrUnordered => unordered || a < b,
        LessOrEqualOrUnordered => unordered || a <= b,
        GreaterOrUnordered => unordered || a > b,
        GreaterOrEqualOrUnordered => unordered || a >= b,
        Ordered => !unordered,
        Unordered => unordered,
    }
}

/// The number of type `ty` nearest to an integer.
pub(super) fn from_integer(value: i128, ty: ValueType) -> Option<u64> {
    match ty {
        ValueType::F32 => Some(u64::from((value as f32).to_bits())),
        ValueType::F64 => Some((value as f64).to_bits()),
        // Exact in `f64`, so it is rounded only once.
        _ if value.unsigned_abs() < 1 << 53 => Some(from_f64(value as f64, ty)),
        _ => None,
    }
}

pub(super) fn round(value: f64, rounding: RoundingMode) -> f64 {
    match rounding {
        RoundingMode::Nearest => value.round_ties_even(),
        RoundingMode::Zero => value.trunc(),
        RoundingMode::Up => value.ceil(),
        RoundingMode::Down => value.floor(),
    }
}

/// The integer nearest to a float in the rounding direction, clamped to the type. As with `cvt`, NaN gives 0
/// for 32 bits, and only the highest bit set for 64 bits.
pub(super) fn to_integer(
    bits: u64,
    from: ValueType,
    rounding: RoundingMode,
    to: ValueType,
    is_signed: bool,
) -> u64 {
    let value = to_f64(bits, from);
    if value.is_nan() {
        return if to.bits() == 64 { 1 << 63 } else { 0 };
    }
    let value = round(value, rounding) as i128;
    let (low, high) = match is_signed {
        true => (-1_i128 << (to.bits() - 1), (1_i128 << (to.bits() - 1)) - 1),
        false => (0, (1_i128 << to.bits()) - 1),
    };
    value.clamp(low, high) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_are_nan_are_not_folded() {
        let zero = [0, 0];
        assert_eq!(
            arithmetic(FloatArithmetic::Divide, FloatMode::default(), &zero, ValueType::F32),
            None
        );
        let one_and_zero = [u64::from(1.0_f32.to_bits()), 0];
        let infinity = u64::from(f32::INFINITY.to_bits());
        let folded = arithmetic(
            FloatArithmetic::Divide,
            FloatMode::default(),
            &one_and_zero,
            ValueType::F32,
        );
        assert_eq!(folded, Some(infinity));
    }

    #[test]
    fn conversions_to_integers_saturate() {
        let large = 1e20_f64.to_bits();
        let to = |ty, signed| to_integer(large, ValueType::F64, RoundingMode::Zero, ty, signed);
        assert_eq!(to(ValueType::I32, true), i32::MAX as u64);
        assert_eq!(to(ValueType::I32, false), u64::from(u32::MAX));
        let negative = (-1.5_f64).to_bits();
        assert_eq!(
            to_integer(negative, ValueType::F64, RoundingMode::Zero, ValueType::I32, false),
            0
        );
    }
}
