//! Constant folding, with the GPU's semantics.

use crate::ir::*;

mod float;
mod integer;

pub(crate) use integer::signed;

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
        (InstructionKind::Integer { op, .. }, [a, b]) => integer::binary(*op, *a, *b, from.bits()),
        (InstructionKind::IntegerUnary(op), [a]) => Some(integer::unary(*op, *a, from.bits())),
        (InstructionKind::CompareIntegers(condition), [a, b]) => {
            Some(u64::from(integer::compare(*condition, *a, *b, from.bits())))
        }
        (InstructionKind::Float { op, mode }, args) => float::arithmetic(*op, *mode, args, from),
        (InstructionKind::CompareFloats { condition, flush: false }, [a, b]) => {
            Some(u64::from(float::compare(*condition, *a, *b, from)))
        }
        (InstructionKind::Convert(conversion), [a]) => convert(*conversion, *a, from, to),
        (InstructionKind::PointerAdd, [a, b]) => {
            Some(a.wrapping_add(integer::signed(*b, if to.bytes() == 4 { 32 } else { 64 }) as u64))
        }
        _ => None,
    }
}

fn convert(conversion: ValueConversion, a: u64, from: ValueType, to: ValueType) -> Option<u64> {
    use ValueConversion::*;
    Some(match conversion {
        SignExtend => integer::signed(a, from.bits()) as u64,
        ZeroExtend | Truncate | Reinterpret => a,
        SignedToFloat(RoundingMode::Nearest) => {
            float::from_integer(i128::from(integer::signed(a, from.bits())), to)?
        }
        UnsignedToFloat(RoundingMode::Nearest) => float::from_integer(i128::from(a), to)?,
        FloatToSigned { rounding, flush: false } => float::to_integer(a, from, rounding, to, true),
        FloatToUnsigned { rounding, flush: false } => {
            float::to_integer(a, from, rounding, to, false)
        }
        FloatToFloat(mode)
            if mode == FloatMode { contract: mode.contract, ..FloatMode::default() } =>
        {
            float::from_f64(float::to_f64(a, from), to)
        }
        RoundToIntegral { rounding, flush: false } => {
            float::from_f64(float::round(float::to_f64(a, from), rounding), to)
        }
        // Null is 0 only in generic space.
        _ => return None,
    })
}
