//! Constant trip counts, found by evaluating the exit condition of a loop iteration by iteration.
//!
//! A counter may be an integer or a pointer. A pointer is known as an offset from a base that does not change in the
//! loop, so that `for (float x : array)` over a local array has a constant trip count, too: then the array can become
//! values. Two pointers with the same base compare like their offsets, because pointers into one object do not wrap.

use crate::analysis::{FastMap, NaturalLoop};
use crate::fold::{fold, signed};
use crate::ir::*;
use crate::passes::offsets::{based, compare};

/// A value that is known in one iteration.
#[derive(Clone, Copy)]
enum KnownValue {
    /// The value is this constant.
    Constant(ValueId),
    /// The value is a pointer this many bytes from a base.
    Address(ValueId, i64),
}

/// The trip count of a loop, up to `most`.
pub(super) fn trip_count(
    function: &mut SsaFunction,
    natural: &NaturalLoop,
    before: BlockId,
    most: usize,
) -> Option<usize> {
    let [latch] = natural.latches[..] else { return None };
    let BlockTerminator::Branch(condition, yes, no) = function.block(latch).terminator.clone()
    else {
        return None;
    };
    let (again, stays_if) = if yes.block == natural.header && !natural.contains(no.block) {
        (yes, 1)
    } else if no.block == natural.header && !natural.contains(yes.block) {
        (no, 0)
    } else {
        return None;
    };
    let BlockTerminator::Jump(entry) = function.block(before).terminator.clone() else {
        return None;
    };
    let parameters = function.block(natural.header).parameters.clone();
    // The bases of pointers that enter the loop do not change in it.
    let mut bases: FastMap<ValueId, KnownValue> = FastMap::default();
    let mut known: FastMap<ValueId, KnownValue> = FastMap::default();
    for (parameter, argument) in parameters.iter().zip(&entry.arguments) {
        if function.as_constant(*argument).is_some() {
            known.insert(*parameter, KnownValue::Constant(function.resolve(*argument)));
        } else if let Some((base, offset)) = based(function, *argument) {
            bases.insert(base, KnownValue::Address(base, 0));
            known.insert(*parameter, KnownValue::Address(base, offset));
        }
    }
    known.extend(bases.iter());
    for count in 1..=most {
        let mut values = known.clone();
        let KnownValue::Constant(stays) = evaluate(function, condition, &mut values, 0)? else {
            return None;
        };
        if function.as_constant(stays) != Some(stays_if) {
            return Some(count);
        }
        known.clone_from(&bases);
        for (parameter, argument) in parameters.iter().zip(&again.arguments) {
            if let Some(value) = evaluate(function, *argument, &mut values, 0) {
                known.insert(*parameter, value);
            }
        }
    }
    None
}

/// Evaluates a value, given what is known of others; `None` if it is not constant.
fn evaluate(
    function: &mut SsaFunction,
    value: ValueId,
    known: &mut FastMap<ValueId, KnownValue>,
    depth: u32,
) -> Option<KnownValue> {
    let value = function.resolve(value);
    if function.as_constant(value).is_some() {
        return Some(KnownValue::Constant(value));
    }
    if let Some(found) = known.get(&value) {
        return Some(*found);
    }
    let (_, data) = function.defining(value)?;
    let data = data.clone();
    if depth > 16 || data.arguments.is_empty() || data.results.len() != 1 {
        return None;
    }
    let arguments: Option<Vec<KnownValue>> =
        data.arguments.iter().map(|a| evaluate(function, *a, known, depth + 1)).collect();
    let ty = function.value_type(value);
    let found = match (&data.kind, &arguments?[..]) {
        (
            InstructionKind::PointerAdd,
            [KnownValue::Address(base, offset), KnownValue::Constant(bytes)],
        ) => {
            let bits = function.value_type(*bytes).bits();
            let bytes = signed(function.as_constant(*bytes)?, bits);
            KnownValue::Address(*base, offset.checked_add(bytes)?)
        }
        (InstructionKind::Convert(ValueConversion::Space), [address @ KnownValue::Address(..)]) => {
            *address
        }
        (
            InstructionKind::CompareIntegers(condition),
            [KnownValue::Address(base, a), KnownValue::Address(other, b)],
        ) if base == other => {
            KnownValue::Constant(function.constant(ty, u64::from(compare(*condition, *a, *b))))
        }
        (kind, arguments) => {
            let constants: Option<Vec<ValueId>> = arguments
                .iter()
                .map(|argument| match argument {
                    KnownValue::Constant(constant) => Some(*constant),
                    KnownValue::Address(..) => None,
                })
                .collect();
            KnownValue::Constant(fold(function, kind, &constants?, ty)?)
        }
    };
    known.insert(value, found);
    Some(found)
}
