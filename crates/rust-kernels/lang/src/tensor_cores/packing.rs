//! Scalars packed into the registers of a fragment.

use crate::builder::Builder;
use crate::value::{Class, Register, Value};
use lanework_ptx::{Operand, ScalarType};

/// The word that holds the bits of a scalar `count` times.
pub(super) fn repeated(b: &mut Builder, bits: u32, value: Value, scalar: ScalarType) -> Value {
    match (value, bits) {
        (_, 32 | 64) => value,
        (Value::Constant(one), _) => {
            let one = one & ((1 << bits) - 1);
            Value::Constant((0..32 / bits).fold(0, |word, i| word | one << (i * bits)))
        }
        (_, 16) => pack(b, &[value, value], scalar),
        _ => pack(b, &[value; 4], scalar),
    }
}

/// A register with two scalars of 16 bits or four of 8, the first in the low bits.
pub(super) fn pack(b: &mut Builder, scalars: &[Value], scalar: ScalarType) -> Value {
    let word = ScalarType::B32;
    match scalars {
        [one] => *one,
        [low, high] => {
            let halves = vec![b.operand(*low, scalar), b.operand(*high, scalar)];
            b.emit_to("mov.b32", word, vec![Operand::Vector(halves)])
        }
        [first, rest @ ..] => rest.iter().enumerate().fold(*first, |sum, (i, next)| {
            let place = Value::Constant(8 * (i as u64 + 1));
            let inputs = [(*next, word), (sum, word), (place, word), (Value::Constant(8), word)];
            b.pure("bfi.b32", word, &inputs)
        }),
        [] => Value::Constant(0),
    }
}

/// `to = from`, of any classes of one size.
pub(super) fn put(b: &mut Builder, to: Register, from: Value, ty: ScalarType) {
    match from {
        Value::Register(register) if register.class != to.class => {
            let name = format!("mov.b{}", 8 * to.class.bits_type().size());
            b.emit(&name, vec![to.name().into(), register.name().into()]);
        }
        Value::Constant(_) if to.class == Class::Word => b.assign(to, from, ScalarType::U32),
        _ => b.assign(to, from, ty),
    }
    if to.mutable {
        b.assigned(to);
    }
}

/// The two halves of a register.
pub(super) fn halves(b: &mut Builder, register: Register, scalar: ScalarType) -> [Register; 2] {
    let halves = [b.register(scalar, false), b.register(scalar, false)];
    let names = halves.iter().map(|half| half.name().into()).collect();
    b.emit("mov.b32", vec![Operand::Vector(names), register.name().into()]);
    halves
}
