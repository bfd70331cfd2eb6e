//! Handlers of the steps of video instructions.

use crate::alu_operation::{AluOperation, rare2, rare3};
use lanework_ptx_ir::opcode::logic::Relation;
use lanework_ptx_ir::opcode::logic::{BitField, VideoOp};

/// The handlers of an opcode of this family.
pub fn handlers(op: VideoOp) -> &'static AluOperation {
    match op {
        VideoOp::Pick { wide: false } => rare2(|a: u32, field: u32| pick(u64::from(a), field)),
        VideoOp::Pick { wide: true } => rare2(|a: u64, field: u32| pick(a, field)),
        VideoOp::Add => rare2(|a: i64, b: i64| a + b),
        VideoOp::Subtract => rare2(|a: i64, b: i64| a - b),
        VideoOp::AbsoluteDifference => rare2(|a: i64, b: i64| (a - b).abs()),
        VideoOp::Min => rare2(|a: i64, b: i64| a.min(b)),
        VideoOp::Max => rare2(|a: i64, b: i64| a.max(b)),
        VideoOp::Average => rare2(|a: i64, b: i64| (a + b + i64::from(a + b >= 0)) >> 1),
        VideoOp::ShiftLeft { wrap: true } => rare2(|a: i64, b: i64| a << (b & 31)),
        VideoOp::ShiftLeft { wrap: false } => {
            rare2(|a: i64, b: i64| ((i128::from(a)) << b.min(32)) as i64)
        }
        VideoOp::ShiftRight { wrap: true } => rare2(|a: i64, b: i64| a >> (b & 31)),
        VideoOp::ShiftRight { wrap: false } => rare2(|a: i64, b: i64| a >> b.min(32)),
        VideoOp::Set(relation) => match relation {
            Relation::Equal => rare2(|a: i64, b: i64| i64::from(a == b)),
            Relation::NotEqual => rare2(|a: i64, b: i64| i64::from(a != b)),
            Relation::Less => rare2(|a: i64, b: i64| i64::from(a < b)),
            Relation::LessEqual => rare2(|a: i64, b: i64| i64::from(a <= b)),
            Relation::Greater => rare2(|a: i64, b: i64| i64::from(a > b)),
            Relation::GreaterEqual => rare2(|a: i64, b: i64| i64::from(a >= b)),
        },
        VideoOp::Clamp => rare2(|a: i64, field: u32| clamp(a, field)),
        VideoOp::Merge => rare3(|value: u64, c: u32, field: u32| merge(value, c, field)),
        VideoOp::MultiplyAdd { plus_one: false } => {
            rare3(|a: u64, b: u64, c: u64| a.wrapping_mul(b).wrapping_add(c))
        }
        VideoOp::MultiplyAdd { plus_one: true } => {
            rare3(|a: u64, b: u64, c: u64| a.wrapping_mul(b).wrapping_add(c).wrapping_add(1))
        }
        VideoOp::ScaleDown { signed: true, saturate: true } => {
            rare2(|a: i64, n: u32| (a >> n).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32)
        }
        VideoOp::ScaleDown { signed: true, saturate: false } => {
            rare2(|a: i64, n: u32| (a >> n) as u32)
        }
        VideoOp::ScaleDown { signed: false, saturate: true } => {
            rare2(|a: u64, n: u32| (a >> n).min(0xffff_ffff) as u32)
        }
        VideoOp::ScaleDown { signed: false, saturate: false } => {
            rare2(|a: u64, n: u32| (a >> n) as u32)
        }
    }
}

/// A field of 64 bits, extended by its sign or not.
fn pick(word: u64, field: u32) -> i64 {
    let BitField { shift, bits, signed } = BitField::decode(field);
    let value = (word >> shift) << (64 - bits);
    if signed { value as i64 >> (64 - bits) } else { (value >> (64 - bits)) as i64 }
}

fn clamp(a: i64, field: u32) -> i64 {
    let BitField { bits, signed, .. } = BitField::decode(field);
    let (low, high) = match signed {
        true => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
        false => (0, (1i64 << bits) - 1),
    };
    a.clamp(low, high)
}

/// `c` with a field replaced by the low bits of a value.
fn merge(value: u64, c: u32, field: u32) -> u32 {
    let BitField { shift, bits, .. } = BitField::decode(field);
    let mask = (u64::MAX >> (64 - bits)) << shift;
    (u64::from(c) & !mask | value << shift & mask) as u32
}
