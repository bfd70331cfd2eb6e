//! Maps frequent SSA operations that compute one value to operations of their own. All others run as `Op::Other`.

use crate::code::Op;
use lanework_ssa::*;

/// The operation that computes `d` from the registers `operands`, if `kind` has one for these types.
pub fn dedicated(
    kind: &InstructionKind,
    d: u32,
    operands: &[u32],
    from: ValueType,
    to: ValueType,
) -> Option<Op> {
    use InstructionKind as K;
    match (kind, operands) {
        (K::Integer { op, .. }, &[a, b]) => integer(*op, d, a, b, from.bits()),
        (K::Float { op, mode }, &[a, b])
            if *mode == FloatMode { contract: mode.contract, ..FloatMode::default() } =>
        {
            float(*op, d, a, b, from)
        }
        (K::CompareIntegers(condition), &[a, b]) => {
            Some(compare(*condition, d, a, b, 64 - from.bits()))
        }
        (K::CompareFloats { condition, flush: false }, &[a, b]) => {
            compare_floats(*condition, d, a, b, from)
        }
        (K::Select, &[c, a, b]) => Some(Op::Select { d, c, a, b }),
        (K::PointerAdd, &[a, b]) => Some(Op::Add64 { d, a, b }),
        (K::Convert(conversion), &[a]) => convert(*conversion, d, a, from, to),
        _ => None,
    }
}

fn integer(op: IntegerBinary, d: u32, a: u32, b: u32, bits: u32) -> Option<Op> {
    use IntegerBinary as I;
    Some(match (op, bits) {
        (I::And, _) => Op::And { d, a, b },
        (I::Or, _) => Op::Or { d, a, b },
        (I::Xor, _) => Op::Xor { d, a, b },
        (I::Add, 32) => Op::Add32 { d, a, b },
        (I::Subtract, 32) => Op::Sub32 { d, a, b },
        (I::Multiply, 32) => Op::Mul32 { d, a, b },
        (I::ShiftLeft, 32) => Op::Shl32 { d, a, b },
        (I::Add, 64) => Op::Add64 { d, a, b },
        (I::Subtract, 64) => Op::Sub64 { d, a, b },
        (I::Multiply, 64) => Op::Mul64 { d, a, b },
        (I::ShiftLeft, 64) => Op::Shl64 { d, a, b },
        (I::ShiftRightSigned, 32 | 64) => Op::ShiftRightSigned { d, a, b, shift: 64 - bits },
        (I::ShiftRightUnsigned, 32 | 64) => Op::ShiftRightUnsigned { d, a, b, shift: 64 - bits },
        (I::DivideSigned, 32 | 64) => Op::DivideSigned { d, a, b, shift: 64 - bits },
        (I::RemainderSigned, 32 | 64) => Op::RemainderSigned { d, a, b, shift: 64 - bits },
        (I::DivideUnsigned, 32 | 64) => Op::DivideUnsigned { d, a, b },
        (I::RemainderUnsigned, 32 | 64) => Op::RemainderUnsigned { d, a, b },
        _ => return None,
    })
}

fn float(op: FloatArithmetic, d: u32, a: u32, b: u32, ty: ValueType) -> Option<Op> {
    use FloatArithmetic as F;
    if ty != ValueType::F32 && ty != ValueType::F64 {
        return None;
    }
    Some(match (op, ty == ValueType::F32) {
        (F::Add, true) => Op::AddF32 { d, a, b },
        (F::Subtract, true) => Op::SubF32 { d, a, b },
        (F::Multiply, true) => Op::MulF32 { d, a, b },
        (F::Divide, true) => Op::DivF32 { d, a, b },
        (F::Add, false) => Op::AddF64 { d, a, b },
        (F::Subtract, false) => Op::SubF64 { d, a, b },
        (F::Multiply, false) => Op::MulF64 { d, a, b },
        (F::Divide, false) => Op::DivF64 { d, a, b },
        _ => return None,
    })
}

fn compare(condition: IntegerCondition, d: u32, a: u32, b: u32, shift: u32) -> Op {
    use IntegerCondition as C;
    match condition {
        C::Equal => Op::Equal { d, a, b },
        C::NotEqual => Op::NotEqual { d, a, b },
        C::LessUnsigned => Op::LessUnsigned { d, a, b },
        C::GreaterUnsigned => Op::LessUnsigned { d, a: b, b: a },
        C::LessOrEqualUnsigned => Op::LessEqualUnsigned { d, a, b },
        C::GreaterOrEqualUnsigned => Op::LessEqualUnsigned { d, a: b, b: a },
        C::LessSigned => Op::LessSigned { d, a, b, shift },
        C::GreaterSigned => Op::LessSigned { d, a: b, b: a, shift },
        C::LessOrEqualSigned => Op::LessEqualSigned { d, a, b, shift },
        C::GreaterOrEqualSigned => Op::LessEqualSigned { d, a: b, b: a, shift },
    }
}

fn compare_floats(condition: FloatCondition, d: u32, a: u32, b: u32, ty: ValueType) -> Option<Op> {
    use FloatCondition as C;
    Some(match (condition, ty) {
        (C::Less, ValueType::F32) => Op::LessF32 { d, a, b },
        (C::Greater, ValueType::F32) => Op::LessF32 { d, a: b, b: a },
        (C::LessOrEqual, ValueType::F32) => Op::LessEqualF32 { d, a, b },
        (C::GreaterOrEqual, ValueType::F32) => Op::LessEqualF32 { d, a: b, b: a },
        (C::Less, ValueType::F64) => Op::LessF64 { d, a, b },
        (C::Greater, ValueType::F64) => Op::LessF64 { d, a: b, b: a },
        (C::LessOrEqual, ValueType::F64) => Op::LessEqualF64 { d, a, b },
        (C::GreaterOrEqual, ValueType::F64) => Op::LessEqualF64 { d, a: b, b: a },
        _ => return None,
    })
}

fn convert(
    conversion: ValueConversion,
    d: u32,
    a: u32,
    from: ValueType,
    to: ValueType,
) -> Option<Op> {
    use ValueConversion as V;
    let nearest = RoundingMode::Nearest;
    Some(match conversion {
        V::SignExtend => Op::SignExtend { d, a, shift: 64 - from.bits(), mask: 64 - to.bits() },
        V::ZeroExtend | V::Reinterpret | V::Space => Op::Move { d, a },
        V::Truncate => Op::Truncate { d, a, mask: 64 - to.bits() },
        V::SignedToFloat(rounding) if rounding == nearest => match (from.bits(), to) {
            (32, ValueType::F32) => Op::Signed32ToF32 { d, a },
            (32, ValueType::F64) => Op::Signed32ToF64 { d, a },
            (64, ValueType::F64) => Op::Signed64ToF64 { d, a },
            _ => return None,
        },
        V::UnsignedToFloat(rounding) if rounding == nearest => match to {
            ValueType::F32 => Op::UnsignedToF32 { d, a },
            ValueType::F64 => Op::UnsignedToF64 { d, a },
            _ => return None,
        },
        V::FloatToSigned { rounding: RoundingMode::Zero, flush: false } => {
            match (from, to.bits()) {
                (ValueType::F32, 32) => Op::F32ToSigned32 { d, a },
                (ValueType::F64, 32) => Op::F64ToSigned32 { d, a },
                (ValueType::F64, 64) => Op::F64ToSigned64 { d, a },
                _ => return None,
            }
        }
        V::FloatToFloat(mode)
            if mode == FloatMode { contract: mode.contract, ..FloatMode::default() } =>
        {
            match (from, to) {
                (ValueType::F32, ValueType::F64) => Op::F32ToF64 { d, a },
                (ValueType::F64, ValueType::F32) => Op::F64ToF32 { d, a },
                _ => return None,
            }
        }
        _ => return None,
    })
}
