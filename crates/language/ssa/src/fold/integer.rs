//! Folding of integer operations.

use crate::ir::{IntegerBinary, IntegerCondition, IntegerUnary};

/// The value of the low `bits` bits as a signed integer.
pub(crate) fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

/// Folds an operation on two operands; `None` for a division by zero. Bits beyond the type may be set.
pub(super) fn binary(op: IntegerBinary, a: u64, b: u64, bits: u32) -> Option<u64> {
    use IntegerBinary::*;
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let shift = b as u32;
    Some(match op {
        Add => a.wrapping_add(b),
        Subtract => a.wrapping_sub(b),
        Multiply => a.wrapping_mul(b),
        MultiplyHighSigned => ((i128::from(sa) * i128::from(sb)) >> bits) as u64,
        MultiplyHighUnsigned => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        DivideSigned => sa.checked_div(sb)? as u64,
        DivideUnsigned => a.checked_div(b)?,
        RemainderSigned => sa.checked_rem(sb)? as u64,
        RemainderUnsigned => a.checked_rem(b)?,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        ShiftLeft if shift < bits => a << shift,
        ShiftRightUnsigned if shift < bits => a >> shift,
        ShiftLeft | ShiftRightUnsigned => 0,
        ShiftRightSigned => (sa >> shift.min(bits - 1)) as u64,
        MinimumSigned => sa.min(sb) as u64,
        MinimumUnsigned => a.min(b),
        MaximumSigned => sa.max(sb) as u64,
        MaximumUnsigned => a.max(b),
    })
}

/// Folds an operation on one operand. Bits beyond the type may be set.
pub(super) fn unary(op: IntegerUnary, a: u64, bits: u32) -> u64 {
    match op {
        IntegerUnary::Not => !a,
        IntegerUnary::Negate => a.wrapping_neg(),
        IntegerUnary::Absolute => signed(a, bits).unsigned_abs(),
        IntegerUnary::CountOnes => u64::from(a.count_ones()),
        IntegerUnary::LeadingZeros => u64::from(a.leading_zeros() - (64 - bits)),
        IntegerUnary::ReverseBits => a.reverse_bits() >> (64 - bits),
    }
}

pub(super) fn compare(condition: IntegerCondition, a: u64, b: u64, bits: u32) -> bool {
    use IntegerCondition::*;
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    match condition {
        Equal => a == b,
        NotEqual => a != b,
        LessSigned => sa < sb,
        LessOrEqualSigned => sa <= sb,
        GreaterSigned => sa > sb,
        GreaterOrEqualSigned => sa >= sb,
        LessUnsigned => a < b,
        LessOrEqualUnsigned => a <= b,
        GreaterUnsigned => a > b,
        GreaterOrEqualUnsigned => a >= b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_by_zero_is_left_to_the_device() {
        assert_eq!(binary(IntegerBinary::DivideUnsigned, 7, 0, 32), None);
        assert_eq!(binary(IntegerBinary::RemainderSigned, 7, 0, 32), None);
        assert_eq!(binary(IntegerBinary::DivideSigned, 0xffff_fff9, 2, 32), Some(-3_i64 as u64));
    }

    #[test]
    fn shifts_beyond_the_width_clamp() {
        assert_eq!(binary(IntegerBinary::ShiftLeft, 1, 32, 32), Some(0));
        let minus_one = Some(-1_i64 as u64);
        assert_eq!(binary(IntegerBinary::ShiftRightSigned, 0x8000_0000, 99, 32), minus_one);
    }
}
