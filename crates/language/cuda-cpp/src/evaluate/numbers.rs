//! Arithmetic on constants. Integers are extended to 64 bits; floats are stored as bits.

use crate::syntax::BinaryOperator;
use crate::types::{TypeId, TypeTable};

fn float(bits: u64, ty: TypeId) -> f64 {
    if ty == TypeId::FLOAT { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

fn float_bits(value: f64, ty: TypeId) -> u64 {
    if ty == TypeId::FLOAT { u64::from((value as f32).to_bits()) } else { value.to_bits() }
}

/// The result of an operator on two constants of one type; `None` if it is undefined.
pub fn arithmetic(
    types: &TypeTable,
    operator: BinaryOperator,
    a: u64,
    b: u64,
    ty: TypeId,
) -> Option<u64> {
    use BinaryOperator as B;
    if types.is_float(ty) {
        // `double` is precise enough that rounding sums, products and quotients to `float` once more is harmless.
        let (x, y) = (float(a, ty), float(b, ty));
        let value = match operator {
            B::Add => x + y,
            B::Subtract => x - y,
            B::Multiply => x * y,
            B::Divide => x / y,
            _ => return None,
        };
        return Some(float_bits(value, ty));
    }
    let signed = types.is_signed(ty);
    let bits = types.bits(ty);
    let (x, y) = (a as i64, b as i64);
    let value = match operator {
        B::Add => a.wrapping_add(b),
        B::Subtract => a.wrapping_sub(b),
        B::Multiply => a.wrapping_mul(b),
        B::Divide if signed => x.checked_div(y)? as u64,
        B::Divide => a.checked_div(b)?,
        B::Remainder if signed => x.checked_rem(y)? as u64,
        B::Remainder => a.checked_rem(b)?,
        B::BitAnd => a & b,
        B::BitOr => a | b,
        B::BitXor => a ^ b,
        B::ShiftLeft if b < u64::from(bits) => a << b,
        B::ShiftRight if b < u64::from(bits) && signed => (x >> b) as u64,
        B::ShiftRight if b < u64::from(bits) => a >> b,
        _ => return None,
    };
    Some(types.normalize(ty, value))
}

/// Compares two constants of one type.
pub fn compare(types: &TypeTable, operator: BinaryOperator, a: u64, b: u64, ty: TypeId) -> bool {
    use BinaryOperator as B;
    use std::cmp::Ordering;
    let order = if types.is_float(ty) {
        float(a, ty).partial_cmp(&float(b, ty))
    } else if types.is_signed(ty) {
        Some((a as i64).cmp(&(b as i64)))
    } else {
        Some(a.cmp(&b))
    };
    match operator {
        B::Equal => order == Some(Ordering::Equal),
        B::NotEqual => order != Some(Ordering::Equal),
        B::Less => order == Some(Ordering::Less),
        B::Greater => order == Some(Ordering::Greater),
        B::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// Converts a constant to another type.
pub fn convert(types: &TypeTable, bits: u64, from: TypeId, to: TypeId) -> u64 {
    let target = types.fundamental(to).map_or(to, TypeId::builtin);
    let source = types.fundamental(from).map_or(from, TypeId::builtin);
    match (types.is_float(source), types.is_float(target)) {
        (true, true) => float_bits(float(bits, source), target),
        (true, false) if target == TypeId::BOOL => u64::from(float(bits, source) != 0.0),
        (true, false) => {
            let value = float(bits, source);
            let whole = if types.is_signed(target) { value as i64 as u64 } else { value as u64 };
            types.normalize(target, whole)
        }
        (false, true) if types.is_signed(source) => {
            let value = bits as i64;
            if target == TypeId::FLOAT {
                u64::from((value as f32).to_bits())
            } else {
                (value as f64).to_bits()
            }
        }
        (false, true) => {
            if target == TypeId::FLOAT {
                u64::from((bits as f32).to_bits())
            } else {
                (bits as f64).to_bits()
            }
        }
        (false, false) => types.normalize(target, bits),
    }
}
