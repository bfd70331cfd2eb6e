//! Constant evaluation: an interpreter of the typed tree.
//!
//! Objects are byte arrays. The upper 32 bits of a pointer are the object's number plus 1; the lower 32 bits are an
//! offset. Integers are extended to 64 bits; floats are stored as bits.

mod objects;
mod run;

use crate::analyze::Analyzer;
use crate::syntax::BinaryOperator;
use crate::typed::*;
use crate::types::{TypeId, TypeKind, TypeTable};
use std::collections::HashMap;

/// Marks function pointers.
const FUNCTION: u64 = 1 << 63;

/// Maximum total size of all objects in bytes.
const MEMORY: u64 = 1 << 26;

/// Maximum recursion depth of constant functions.
const CALLS: usize = 200;

/// An object of the interpreter.
struct EvaluatedObject {
    bytes: Vec<u8>,
    /// The module variable that it represents, if any.
    variable: Option<VariableNumber>,
    /// Whether its bytes are known.
    known: bool,
}

struct Interpreter<'a> {
    analyzer: &'a mut Analyzer,
    objects: Vec<EvaluatedObject>,
    variables: HashMap<VariableNumber, u64>,
    /// The objects of the running function's locals. `None` outside of functions, where constants
    /// of the enclosing scope are used.
    locals: Option<Vec<u64>>,
    outer: HashMap<LocalNumber, u64>,
    memory: u64,
    calls: usize,
    /// The value of the last `return`.
    returned: u64,
    /// Address of the object that `return` initializes.
    target: u64,
}

/// The bytes of the object that an expression initializes, if it is a constant expression.
pub fn evaluate(analyzer: &mut Analyzer, value: &Typed, size: u64) -> Option<ConstantBytes> {
    let ty = value.ty;
    let mut interpreter = Interpreter {
        analyzer,
        objects: Vec::new(),
        variables: HashMap::new(),
        locals: None,
        outer: HashMap::new(),
        memory: 0,
        calls: 0,
        returned: 0,
        target: 0,
    };
    let place = interpreter.object(size.max(1))?;
    interpreter.initialize(value, place)?;
    let mut bytes = std::mem::take(&mut interpreter.objects.first_mut()?.bytes);
    let mut addresses = Vec::new();
    let mut pointers = Vec::new();
    find_pointers(&interpreter.analyzer.types, ty, 0, &mut pointers);
    for offset in pointers {
        let slot = bytes.get_mut(offset as usize..offset as usize + 8)?;
        let pointer = u64::from_le_bytes(slot.try_into().ok()?);
        if pointer == 0 {
            continue;
        }
        slot.fill(0);
        let (target, addend) = interpreter.target_of(pointer)?;
        addresses.push((offset, target, addend));
    }
    bytes.truncate(size as usize);
    Some(ConstantBytes { bytes, addresses })
}

/// Finds the offsets of all pointers in a type.
fn find_pointers(types: &TypeTable, ty: TypeId, base: u64, found: &mut Vec<u64>) {
    if found.len() > 1 << 16 {
        return;
    }
    match types.kind(ty) {
        TypeKind::Pointer(_)
        | TypeKind::Reference(_)
        | TypeKind::RvalueReference(_)
        | TypeKind::NullPointer => {
            found.push(base);
        }
        TypeKind::MemberPointer(_, member, _)
            if matches!(types.kind(*member), TypeKind::Function(_)) =>
        {
            found.push(base);
        }
        TypeKind::Array(element, Some(count)) => {
            let mut inner = Vec::new();
            find_pointers(types, *element, 0, &mut inner);
            if inner.is_empty() {
                return;
            }
            for at in 0..*count {
                found.extend(inner.iter().map(|offset| base + at * types.size(*element) + offset));
                if found.len() > 1 << 16 {
                    return;
                }
            }
        }
        TypeKind::Record(record) => {
            let record = types.record(*record);
            for (ty, offset) in &record.bases {
                find_pointers(types, *ty, base + offset, found);
            }
            for field in record
                .fields
                .iter()
                .filter(|field| !record.is_union || field.offset == 0)
                .take(4096)
            {
                find_pointers(types, field.kind, base + field.offset, found);
            }
        }
        _ => {}
    }
}

impl Interpreter<'_> {
    /// Creates an object filled with zeros, and returns a pointer to it.
    fn object(&mut self, size: u64) -> Option<u64> {
        self.memory = self.memory.checked_add(size.max(16))?;
        if self.memory > MEMORY {
            return None;
        }
        self.objects.push(EvaluatedObject {
            bytes: vec![0; size as usize],
            variable: None,
            known: true,
        });
        Some((self.objects.len() as u64) << 32)
    }

    fn target_of(&self, pointer: u64) -> Option<(AddressTarget, i64)> {
        if pointer & FUNCTION != 0 {
            return Some((AddressTarget::Function(FunctionNumber(pointer as u32)), 0));
        }
        let object = self.objects.get((pointer >> 32).checked_sub(1)? as usize)?;
        Some((AddressTarget::Variable(object.variable?), i64::from(pointer as u32)))
    }

    fn range(&self, pointer: u64, size: u64) -> Option<(usize, std::ops::Range<usize>)> {
        if pointer & FUNCTION != 0 {
            return None;
        }
        let object = (pointer >> 32).checked_sub(1)? as usize;
        let start = u64::from(pointer as u32);
        let end = start.checked_add(size)?;
        (end <= self.objects.get(object)?.bytes.len() as u64)
            .then_some((object, start as usize..end as usize))
    }

    fn read(&self, pointer: u64, size: u64) -> Option<&[u8]> {
        let (object, range) = self.range(pointer, size)?;
        let object = self.objects.get(object)?;
        if !object.known {
            return None;
        }
        object.bytes.get(range)
    }

    fn write(&mut self, pointer: u64, bytes: &[u8]) -> Option<()> {
        let (object, range) = self.range(pointer, bytes.len() as u64)?;
        let object = self.objects.get_mut(object)?;
        if object.variable.is_some() {
            return None;
        }
        object.bytes.get_mut(range)?.copy_from_slice(bytes);
        Some(())
    }

    /// The object that represents a module variable.
    fn variable(&mut self, variable: VariableNumber) -> Option<u64> {
        if let Some(&known) = self.variables.get(&variable) {
            return Some(known);
        }
        let ty = self.analyzer.variables.get(variable.0 as usize)?.ty;
        let size = self.analyzer.types.size(ty).min(MEMORY);
        let bytes = self.analyzer.variable_bytes(variable);
        let constant = self.analyzer.types.is_const(ty);
        let pointer = self.object(size)?;
        let known = bytes.filter(|bytes| constant && bytes.addresses.is_empty());
        let object = self.objects.last_mut()?;
        object.variable = Some(variable);
        object.known = known.is_some();
        if let Some(bytes) = known {
            for (to, from) in object.bytes.iter_mut().zip(&bytes.bytes) {
                *to = *from;
            }
        }
        self.variables.insert(variable, pointer);
        Some(pointer)
    }
}

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
