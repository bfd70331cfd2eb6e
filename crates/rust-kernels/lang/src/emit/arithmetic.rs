//! Binary operations on untyped values: constant folding with the GPU's results, algebraic simplification and instruction selection.

use crate::emit::builder::Builder;
use crate::emit::value::{Value, compute_type, extended, integer, is_narrow, wrap};
use half::{bf16, f16};
use lanework_ptx::{Operand, ScalarType};

/// A binary operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Min,
    Max,
}

impl Operation {
    /// Whether the operation is commutative.
    pub fn commutes(self) -> bool {
        use Operation::*;
        matches!(self, Add | Mul | And | Or | Xor | Min | Max)
    }

    /// The instruction for integers of the (32- or 64-bit) type `ty`.
    pub fn integer_name(self, ty: ScalarType) -> String {
        let (word, bits) = (ty.name(), 8 * ty.size());
        match self {
            Operation::Add => format!("add.{word}"),
            Operation::Sub => format!("sub.{word}"),
            Operation::Mul => format!("mul.lo.{word}"),
            Operation::Div => format!("div.{word}"),
            Operation::Rem => format!("rem.{word}"),
            Operation::And => format!("and.b{bits}"),
            Operation::Or => format!("or.b{bits}"),
            Operation::Xor => format!("xor.b{bits}"),
            Operation::Shl => format!("shl.b{bits}"),
            Operation::Shr => format!("shr.{word}"),
            Operation::Min => format!("min.{word}"),
            Operation::Max => format!("max.{word}"),
        }
    }

    /// The instruction for floats of type `ty`; the rounding is explicit, so that a product and a
    /// sum are never contracted into a fused multiply-add.
    pub fn float_name(self, ty: ScalarType) -> String {
        let word = ty.name();
        match self {
            Operation::Add => format!("add.rn.{word}"),
            Operation::Sub => format!("sub.rn.{word}"),
            Operation::Mul => format!("mul.rn.{word}"),
            Operation::Div => format!("div.rn.{word}"),
            Operation::Min => format!("min.{word}"),
            Operation::Max => format!("max.{word}"),
            other => unreachable!("{other:?} is not defined on floats"),
        }
    }
}

/// `x op y` for values of type `ty` (a shift's `y` is a `u32`).
pub(crate) fn binary(b: &mut Builder, op: Operation, ty: ScalarType, x: Value, y: Value) -> Value {
    if ty == ScalarType::Pred {
        return logic(b, op, x, y);
    }
    let (x, y) = match (x, y) {
        (Value::Constant(_), Value::Constant(_)) => (x, y),
        (Value::Constant(_), _) if op.commutes() => (y, x),
        _ => (x, y),
    };
    if let (Value::Constant(a), Value::Constant(c)) = (x, y)
        && let Some(bits) = fold(op, ty, a, c)
    {
        return Value::Constant(bits);
    }
    if ty.is_float() {
        return float(b, op, ty, x, y);
    }
    if let Value::Constant(bits) = y {
        if let Some(simple) = simplify(b, op, ty, x, bits) {
            return simple;
        }
        if op == Operation::Sub && !is_narrow(ty) {
            let negated = wrap(-integer(bits, ty), ty);
            return binary(b, Operation::Add, ty, x, Value::Constant(negated));
        }
    }
    let compute = compute_type(ty);
    let shift = matches!(op, Operation::Shl | Operation::Shr);
    let right = if shift { ScalarType::U32 } else { compute };
    let (x, y) = (extended(x, ty), if shift { y } else { extended(y, ty) });
    let result = b.pure(&op.integer_name(compute), compute, &[(x, compute), (y, right)]);
    if let (Operation::Add, Value::Constant(bits), false) = (op, y, is_narrow(ty)) {
        // As a signed number, so that `i - 1` on unsigned types is a small negative offset.
        let signed = if ty.size() == 4 { i64::from(bits as i32) } else { bits as i64 };
        b.note_sum(result, x, signed);
    }
    let may_leave_range = !matches!(
        op,
        Operation::And | Operation::Or | Operation::Xor | Operation::Min | Operation::Max
    );
    if may_leave_range { normalize(b, ty, result) } else { result }
}

/// Wraps an 8- or 16-bit integer in a 32-bit register to its range.
pub(crate) fn normalize(b: &mut Builder, ty: ScalarType, value: Value) -> Value {
    use ScalarType::{S8, S16, S32, U8, U16, U32};
    match ty {
        U8 => b.pure("and.b32", U32, &[(value, U32), (Value::Constant(0xFF), U32)]),
        U16 => b.pure("and.b32", U32, &[(value, U32), (Value::Constant(0xFFFF), U32)]),
        S8 => b.pure("cvt.s32.s8", S32, &[(value, S32)]),
        S16 => b.pure("cvt.s32.s16", S32, &[(value, S32)]),
        _ => value,
    }
}

/// Strength reduction: cheaper forms of an integer operation with a constant on the right.
fn simplify(b: &mut Builder, op: Operation, ty: ScalarType, x: Value, bits: u64) -> Option<Value> {
    let ones = wrap(-1, ty);
    let power = bits.is_power_of_two().then(|| Value::Constant(u64::from(bits.trailing_zeros())));
    match (op, bits) {
        (Operation::Mul | Operation::And, 0) => Some(Value::Constant(0)),
        (Operation::Mul | Operation::Div, 1) => Some(x),
        (Operation::Rem, 1) if !ty.is_signed() => Some(Value::Constant(0)),
        (
            Operation::Add
            | Operation::Sub
            | Operation::Or
            | Operation::Xor
            | Operation::Shl
            | Operation::Shr,
            0,
        ) => Some(x),
        (Operation::And, _) if bits == ones => Some(x),
        (Operation::Mul, _) => power.map(|k| binary(b, Operation::Shl, ty, x, k)),
        (Operation::Div, _) if !ty.is_signed() => {
            power.map(|k| binary(b, Operation::Shr, ty, x, k))
        }
        (Operation::Rem, _) if !ty.is_signed() && power.is_some() => {
            Some(binary(b, Operation::And, ty, x, Value::Constant(bits - 1)))
        }
        (Operation::Add, _) if !is_narrow(ty) => {
            // (x + c) + d is x + (c + d) in wrapping arithmetic.
            let (base, constant) = b.split_sum(x);
            (base != x).then(|| {
                let sum = wrap(i128::from(constant) + integer(bits, ty), ty);
                binary(b, Operation::Add, ty, base, Value::Constant(sum))
            })
        }
        _ => None,
    }
}

fn float(b: &mut Builder, op: Operation, ty: ScalarType, x: Value, y: Value) -> Value {
    let one = match ty {
        ScalarType::F32 => Value::Constant(1.0f32.to_bits().into()),
        _ => Value::Constant(1.0f64.to_bits()),
    };
    if matches!(op, Operation::Mul | Operation::Div)
        && matches!(ty, ScalarType::F32 | ScalarType::F64)
        && y == one
    {
        return x;
    }
    let direct = match ty {
        ScalarType::Bf16 => false,
        ScalarType::F16 => matches!(op, Operation::Add | Operation::Sub | Operation::Mul),
        _ => true,
    };
    if direct {
        return b.pure(&op.float_name(ty), ty, &[(x, ty), (y, ty)]);
    }
    let (x, y) = (to_f32(b, ty, x), to_f32(b, ty, y));
    let single = ScalarType::F32;
    let result = b.pure(&op.float_name(single), single, &[(x, single), (y, single)]);
    from_f32(b, ty, result)
}

/// A half-precision value as an `f32`, exactly.
pub(crate) fn to_f32(b: &mut Builder, ty: ScalarType, x: Value) -> Value {
    match (ty, x) {
        (ScalarType::F16, Value::Constant(bits)) => {
            Value::Constant(half::f16::from_bits(bits as u16).to_f32().to_bits().into())
        }
        (ScalarType::Bf16, Value::Constant(bits)) => {
            Value::Constant(half::bf16::from_bits(bits as u16).to_f32().to_bits().into())
        }
        (ScalarType::F16, _) => b.pure("cvt.f32.f16", ScalarType::F32, &[(x, ty)]),
        (ScalarType::Bf16, _) => {
            // A bf16 is the upper half of an f32; `cvt.f32.bf16` would need sm_90.
            let key = b.computation("widen.bf16", [x].into_iter());
            let zero = b.operand(Value::Constant(0), ScalarType::B16);
            let upper = b.operand(x, ty);
            let halves = vec![Operand::Vector(vec![zero, upper])];
            b.pure_operands(key, "mov.b32", ScalarType::F32, halves)
        }
        _ => x,
    }
}

/// An `f32` rounded to the nearest half-precision value.
pub(crate) fn from_f32(b: &mut Builder, ty: ScalarType, x: Value) -> Value {
    let name = match ty {
        ScalarType::F16 => "cvt.rn.f16.f32",
        ScalarType::Bf16 => "cvt.rn.bf16.f32",
        _ => return x,
    };
    b.pure(name, ty, &[(x, ScalarType::F32)])
}

/// `&`, `|` and `^` on predicates.
fn logic(b: &mut Builder, op: Operation, x: Value, y: Value) -> Value {
    let (x, y) = if matches!(x, Value::Constant(_)) { (y, x) } else { (x, y) };
    let ty = ScalarType::Pred;
    match (op, x, y) {
        (_, Value::Constant(a), Value::Constant(c)) => Value::Constant(match op {
            Operation::And => a & c,
            Operation::Or => a | c,
            _ => a ^ c,
        }),
        (Operation::And, _, Value::Constant(0)) => y,
        (Operation::And, _, Value::Constant(_)) => x,
        (Operation::Or, _, Value::Constant(0)) | (Operation::Xor, _, Value::Constant(0)) => x,
        (Operation::Or, _, Value::Constant(_)) => y,
        (Operation::And, ..) => b.pure("and.pred", ty, &[(x, ty), (y, ty)]),
        (Operation::Or, ..) => b.pure("or.pred", ty, &[(x, ty), (y, ty)]),
        (_, _, Value::Constant(_)) => not(b, ty, x),
        _ => b.pure("xor.pred", ty, &[(x, ty), (y, ty)]),
    }
}

/// `!x`.
pub(crate) fn not(b: &mut Builder, ty: ScalarType, x: Value) -> Value {
    match x {
        Value::Constant(bits) if ty == ScalarType::Pred => Value::Constant(bits ^ 1),
        Value::Constant(bits) => Value::Constant(wrap(!integer(bits, ty), ty)),
        _ if ty == ScalarType::Pred => b.pure("not.pred", ty, &[(x, ty)]),
        _ => {
            let name = if ty.size() == 8 { "not.b64" } else { "not.b32" };
            let inverted = b.pure(name, ty, &[(x, ty)]);
            // The inverse of a sign-extended value is sign-extended. That of a zero-extended value needs its upper bits cleared.
            if ty.is_signed() { inverted } else { normalize(b, ty, inverted) }
        }
    }
}

/// `-x`.
pub(crate) fn negate(b: &mut Builder, ty: ScalarType, x: Value) -> Value {
    match (x, ty) {
        (Value::Constant(bits), ScalarType::F32) => Value::Constant(bits ^ 1 << 31),
        (Value::Constant(bits), ScalarType::F64) => Value::Constant(bits ^ 1 << 63),
        (Value::Constant(bits), ScalarType::F16 | ScalarType::Bf16) => {
            Value::Constant(bits ^ 1 << 15)
        }
        (Value::Constant(bits), _) => Value::Constant(wrap(-integer(bits, ty), ty)),
        (_, ScalarType::F16 | ScalarType::Bf16) => {
            let sign = Value::Constant(0x8000);
            b.pure("xor.b16", ty, &[(x, ty), (sign, ScalarType::U32)])
        }
        _ => {
            // Two's complement: negation is the same for unsigned numbers, which `neg` lacks.
            let compute = compute_type(ty);
            let name = match compute {
                ScalarType::U32 | ScalarType::S32 => "neg.s32",
                ScalarType::U64 | ScalarType::S64 => "neg.s64",
                ScalarType::F64 => "neg.f64",
                _ => "neg.f32",
            };
            let negated = b.pure(name, compute, &[(x, compute)]);
            normalize(b, ty, negated)
        }
    }
}

/// `a op b` on constants; `None` where the result must be computed at run time.
pub(crate) fn fold(op: Operation, ty: ScalarType, a: u64, b: u64) -> Option<u64> {
    match ty {
        ScalarType::F32 => float32(op, f32::from_bits(a as u32), f32::from_bits(b as u32))
            .map(|v| v.to_bits().into()),
        ScalarType::F64 => float64(op, f64::from_bits(a), f64::from_bits(b)).map(f64::to_bits),
        ScalarType::F16 => {
            let wide = |bits: u64| f16::from_bits(bits as u16).to_f32();
            float32(op, wide(a), wide(b)).map(|v| f16::from_f32(v).to_bits().into())
        }
        ScalarType::Bf16 => {
            let wide = |bits: u64| bf16::from_bits(bits as u16).to_f32();
            float32(op, wide(a), wide(b)).map(|v| bf16::from_f32(v).to_bits().into())
        }
        _ => integers(op, ty, a, b),
    }
}

fn integers(op: Operation, ty: ScalarType, a: u64, b: u64) -> Option<u64> {
    let bits = 8 * ty.size();
    let shift = matches!(op, Operation::Shl | Operation::Shr);
    let (x, y) = (integer(a, ty), if shift { i128::from(b) } else { integer(b, ty) });
    let value = match op {
        Operation::Add => x + y,
        Operation::Sub => x - y,
        Operation::Mul => x.wrapping_mul(y),
        Operation::Div if y != 0 => x / y,
        Operation::Rem if y != 0 => x % y,
        Operation::And => x & y,
        Operation::Or => x | y,
        Operation::Xor => x ^ y,
        Operation::Shl if (0..i128::from(bits)).contains(&y) => x << y,
        Operation::Shr if (0..i128::from(bits)).contains(&y) => x >> y,
        Operation::Min => x.min(y),
        Operation::Max => x.max(y),
        _ => return None,
    };
    Some(wrap(value, ty))
}

fn float32(op: Operation, x: f32, y: f32) -> Option<f32> {
    Some(match op {
        Operation::Add => x + y,
        Operation::Sub => x - y,
        Operation::Mul => x * y,
        Operation::Div => x / y,
        Operation::Min => x.min(y),
        Operation::Max => x.max(y),
        _ => return None,
    })
}

fn float64(op: Operation, x: f64, y: f64) -> Option<f64> {
    Some(match op {
        Operation::Add => x + y,
        Operation::Sub => x - y,
        Operation::Mul => x * y,
        Operation::Div => x / y,
        Operation::Min => x.min(y),
        Operation::Max => x.max(y),
        _ => return None,
    })
}
