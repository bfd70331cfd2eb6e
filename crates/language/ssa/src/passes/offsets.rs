//! Pointers as offsets from a base. Two pointers with the same base compare like their offsets, because pointers into one
//! object do not wrap.

use crate::fold::signed;
use crate::ir::*;
use IntegerCondition as C;

/// The base of a pointer, and the constant offset from it.
pub(super) fn based(function: &SsaFunction, pointer: ValueId) -> Option<(ValueId, i64)> {
    let mut pointer = function.resolve(pointer);
    if !matches!(function.value_type(pointer), ValueType::Pointer(_)) {
        return None;
    }
    let mut offset = 0_i64;
    while let Some((_, data)) = function.defining(pointer) {
        match data.kind {
            InstructionKind::PointerAdd => {
                let Some(bytes) = function.as_constant(data.arguments[1]) else { break };
                let bits = function.value_type(data.arguments[1]).bits();
                offset = offset.checked_add(signed(bytes, bits))?;
            }
            InstructionKind::Convert(ValueConversion::Space) => {}
            _ => break,
        }
        pointer = function.resolve(data.arguments[0]);
    }
    Some((pointer, offset))
}

/// Compares the offsets of two pointers into one object.
pub(super) fn compare(condition: IntegerCondition, a: i64, b: i64) -> bool {
    match condition {
        C::Equal => a == b,
        C::NotEqual => a != b,
        C::LessSigned | C::LessUnsigned => a < b,
        C::LessOrEqualSigned | C::LessOrEqualUnsigned => a <= b,
        C::GreaterSigned | C::GreaterUnsigned => a > b,
        C::GreaterOrEqualSigned | C::GreaterOrEqualUnsigned => a >= b,
    }
}
