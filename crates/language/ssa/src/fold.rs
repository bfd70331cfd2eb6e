//! Constant folding, with the GPU's semantics. NaN results are not folded, because their bits depend on the hardware.

use crate::ir::*;
use half::{bf16, f16};

/// An existing value that equals an instruction's result, if its arguments determine one.
pub(crate) fn fold(
    function: &mut SsaFunction,
    kind: &InstructionKind,
    arguments: &[ValueId],
    ty: ValueType,
) -> Option<ValueId> {
    if let InstructionKind::PointerAdd = kind
        && function.as_constant(arguments[1]) == Some(0)
    {
        return Some(arguments[0]);
    }
    if let InstructionKind::Select = kind
        && let Some(condition) = function.as_constant(arguments[0])
    {
        return Some(if condition != 0 { arguments[1] } else { arguments[2] });
    }
    let from = function.value_type(*arguments.first()?);
    let mut constants = [0; 3];
    let constants = constants.get_mut(..arguments.len())?;
    for (constant, argument) in constants.iter_mut().zip(arguments) {
        *constant = function.as_constant(*argument)?;
    }
    let bits = evaluate(kind, constants, from, ty)?;
    Some(function.constant(ty, bits))
}

/// The bits of a result from the bits of the arguments.
pub(crate) fn evaluate(
    kind: &InstructionKind,
    args: &[u64],
    from: ValueType,
    to: ValueType,
) -> Option<u64> {
    match (kind, args) {
        (InstructionKind::Integer { op, .. }, [a, b]) => integer_binary(*op, *a, *b, from.bits()),
        (InstructionKind::IntegerUnary(op), [a]) => Some(integer_unary(*op, *a, from.bits())),
        (InstructionKind::CompareIntegers(condition), [a, b]) => {
            Some(u64::from(compare_integers(*condition, *a, *b, from.bits())))
        }
        (InstructionKind::Float { op, mode }, args) => float_arithmetic(*op, *mode, args, from),
        (InstructionKind::CompareFloats { condition, flush: false }, [a, b]) => {
            Some(u64::from(compare_floats(*condition, *a, *b, from)))
        }
        (InstructionKind::Convert(conversion), [a]) => convert(*conversion, *a, from, to),
        (InstructionKind::PointerAdd, [a, b]) => {
            Some(a.wrapping_add(signed(*b, if to.bytes() == 4 { 32 } else { 64 }) as u64))
        }
        _ => None,
    }
}

fn convert(conversion: ValueConversion, a: u64, from: ValueType, to: ValueType) -> Option<u64> {
    use ValueConversion::*;
    Some(match conversion {
        SignExtend => signed(a, from.bits()) as u64,
        ZeroExtend | Truncate | Reinterpret => a,
        SignedToFloat(RoundingMode::Nearest) => {
            from_integer(i128::from(signed(a, from.bits())), to)?
        }
        UnsignedToFloat(RoundingMode::Nearest) => from_integer(i128::from(a), to)?,
        FloatToSigned { rounding, flush: false } => to_integer(a, from, rounding, to, true),
        FloatToUnsigned { rounding, flush: false } => to_integer(a, from, rounding, to, false),
        FloatToFloat(mode)
            if mode == FloatMode { contract: mode.contract, ..FloatMode::default() } =>
        {
            from_f64(to_f64(a, from), to)
        }
        RoundToIntegral { rounding, flush: false } => {
            from_f64(round(to_f64(a, from), rounding), to)
        }
        // Null is 0 only in generic space.
        _ => return None,
    })
}

/// The value of the low `bits` bits as a signed integer.
pub(crate) fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

/// Folds an operation on two operands; `None` for a division by zero. Bits beyond the type may be set.
fn integer_binary(op: IntegerBinary, a: u64, b: u64, bits: u32) -> Option<u64> {
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
fn integer_unary(op: IntegerUnary, a: u64, bits: u32) -> u64 {
    match op {
        IntegerUnary::Not => !a,
        IntegerUnary::Negate => a.wrapping_neg(),
        IntegerUnary::Absolute => signed(a, bits).unsigned_abs(),
        IntegerUnary::CountOnes => u64::from(a.count_ones()),
        IntegerUnary::LeadingZeros => u64::from(a.leading_zeros() - (64 - bits)),
        IntegerUnary::ReverseBits => a.reverse_bits() >> (64 - bits),
    }
}

fn compare_integers(condition: IntegerCondition, a: u64, b: u64, bits: u32) -> bool {
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

/// The exact value of a number of type `ty`.
fn to_f64(bits: u64, ty: ValueType) -> f64 {
    match ty {
        ValueType::F16 => f16::from_bits(bits as u16).to_f64(),
        ValueType::BF16 => bf16::from_bits(bits as u16).to_f64(),
        ValueType::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The bits of the nearest number of type `ty`.
fn from_f64(value: f64, ty: ValueType) -> u64 {
    match ty {
        ValueType::F16 => u64::from(f16::from_f64(value).to_bits()),
        ValueType::BF16 => u64::from(bf16::from_f64(value).to_bits()),
        ValueType::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

fn float_arithmetic(
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

fn compare_floats(condition: FloatCondition, a: u64, b: u64, ty: ValueType) -> bool {
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
fn from_integer(value: i128, ty: ValueType) -> Option<u64> {
    match ty {
        ValueType::F32 => Some(u64::from((value as f32).to_bits())),
        ValueType::F64 => Some((value as f64).to_bits()),
        // Exact in `f64`, so it is rounded only once.
        _ if value.unsigned_abs() < 1 << 53 => Some(from_f64(value as f64, ty)),
        _ => None,
    }
}

fn round(value: f64, rounding: RoundingMode) -> f64 {
    match rounding {
        RoundingMode::Nearest => value.round_ties_even(),
        RoundingMode::Zero => value.trunc(),
        RoundingMode::Up => value.ceil(),
        RoundingMode::Down => value.floor(),
    }
}

/// The integer nearest to a float in the rounding direction, clamped to the type. As with `cvt`, NaN gives 0
/// for 32 bits, and only the highest bit set for 64 bits.
fn to_integer(
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
    fn division_by_zero_is_left_to_the_device() {
        assert_eq!(integer_binary(IntegerBinary::DivideUnsigned, 7, 0, 32), None);
        assert_eq!(integer_binary(IntegerBinary::RemainderSigned, 7, 0, 32), None);
        assert_eq!(
            integer_binary(IntegerBinary::DivideSigned, 0xffff_fff9, 2, 32),
            Some(-3_i64 as u64)
        );
    }

    #[test]
    fn shifts_beyond_the_width_clamp() {
        assert_eq!(integer_binary(IntegerBinary::ShiftLeft, 1, 32, 32), Some(0));
        let minus_one = Some(-1_i64 as u64);
        assert_eq!(integer_binary(IntegerBinary::ShiftRightSigned, 0x8000_0000, 99, 32), minus_one);
    }

    #[test]
    fn results_that_are_nan_are_not_folded() {
        let zero = [0, 0];
        assert_eq!(
            float_arithmetic(FloatArithmetic::Divide, FloatMode::default(), &zero, ValueType::F32),
            None
        );
        let one_and_zero = [u64::from(1.0_f32.to_bits()), 0];
        let infinity = u64::from(f32::INFINITY.to_bits());
        let folded = float_arithmetic(
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
