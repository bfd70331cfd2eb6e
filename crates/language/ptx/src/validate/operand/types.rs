//! Which types agree with each other, and with literals.

use crate::ast::Immediate;
use crate::types::ScalarType::{self, *};

/// Whether an operand fits, and why not.
pub(super) type Fit = Result<(), String>;

pub(in crate::validate) fn is_bits(ty: ScalarType) -> bool {
    matches!(ty, B8 | B16 | B32 | B64 | B128)
}

pub(in crate::validate) fn is_integer(ty: ScalarType) -> bool {
    matches!(ty, U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64)
}

/// Whether a register of type `register` may stand where the instruction wants `wanted`: sizes agree,
/// or the register may be `wide`r; bits go with all, integers with integers, floats with their own.
pub(super) fn agrees(wanted: ScalarType, register: ScalarType, wide: bool) -> bool {
    if (wanted == Pred) != (register == Pred) {
        return false;
    }
    let size =
        if wide { register.size() >= wanted.size() } else { register.size() == wanted.size() };
    // ptxas counts .f16x2 registers among the 32-bit integers, and has no .bf16 ones.
    let integer = is_integer(register) || register == F16x2;
    size && (is_bits(wanted)
        || is_bits(register)
        || wanted == register
        || is_integer(wanted) && integer)
}

/// Whether a literal may stand for a value of type `wanted`.
pub(super) fn literal_fits(value: Immediate, wanted: ScalarType) -> bool {
    match value {
        Immediate::Integer(_) => wanted == Pred || is_bits(wanted) || is_integer(wanted),
        Immediate::F32(_) => matches!(wanted, F32 | F64 | B32),
        Immediate::F64(_) => matches!(wanted, F32 | F64 | B64),
    }
}

/// The untyped bits of a type: arguments are compared by size.
pub(super) fn bits_of(ty: ScalarType) -> ScalarType {
    match ty.size() {
        _ if ty == Pred => Pred,
        1 => B8,
        2 => B16,
        4 => B32,
        8 => B64,
        _ => B128,
    }
}

/// The type of twice the bits.
pub(super) fn double(ty: ScalarType) -> ScalarType {
    match ty {
        U16 => U32,
        S16 => S32,
        U32 => U64,
        S32 => S64,
        other => other,
    }
}

/// A type as messages ask for it.
pub(super) fn wanted(ty: ScalarType) -> String {
    if ty == Pred { "a .pred register".to_owned() } else { format!("a .{} value", ty.name()) }
}

/// A literal as PTX writes it.
pub(super) fn shown(value: Immediate) -> String {
    match value {
        Immediate::Integer(value) => value.to_string(),
        Immediate::F32(bits) => format!("0f{bits:08X}"),
        Immediate::F64(bits) => format!("0d{bits:016X}"),
    }
}
