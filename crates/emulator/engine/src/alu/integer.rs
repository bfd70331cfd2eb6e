//! Handlers of integer arithmetic but for products.

use super::affine::each;
use crate::alu_operation::{Affine, AluOperation, affine, hot2, rare1, rare2, rare3, warm2};
use lanework_ptx_ir::opcode::integer::{Integer, IntegerOp, PairOp, SignedInteger};

const ADD: Affine = Affine { sum: true, ..affine(&|a, b, _| Some(each(u64::wrapping_add, a, b))) };
const SUB: Affine = affine(&|a, b, _| Some(each(u64::wrapping_sub, a, b)));
/// The handlers of an opcode of this family.
pub fn handlers(op: IntegerOp) -> &'static AluOperation {
    use Integer::*;
    match op {
        IntegerOp::Add(U32 | S32) => with_affine!(hot2(|a: u32, b: u32| a.wrapping_add(b)), ADD),
        IntegerOp::Add(U64 | S64) => with_affine!(hot2(|a: u64, b: u64| a.wrapping_add(b)), ADD),
        IntegerOp::Add(ty) => by_integer!(ty, rare2, |a, b| a.wrapping_add(b)),
        IntegerOp::Sub(U32 | S32) => with_affine!(hot2(|a: u32, b: u32| a.wrapping_sub(b)), SUB),
        IntegerOp::Sub(U64 | S64) => with_affine!(hot2(|a: u64, b: u64| a.wrapping_sub(b)), SUB),
        IntegerOp::Sub(ty) => by_integer!(ty, rare2, |a, b| a.wrapping_sub(b)),
        IntegerOp::AddSaturate => rare2(|a: i32, b: i32| a.saturating_add(b)),
        IntegerOp::SubSaturate => rare2(|a: i32, b: i32| a.saturating_sub(b)),
        IntegerOp::Div(ty) => by_integer!(ty, rare2, |a, b| if b == 0 {
            (0 as T).wrapping_sub(1)
        } else {
            a.wrapping_div(b)
        }),
        IntegerOp::Rem(ty) => by_integer!(ty, rare2, |a, b| if b == 0 {
            (0 as T).wrapping_sub(1)
        } else {
            a.wrapping_rem(b)
        }),
        IntegerOp::Min(S32) => warm2(|a: i32, b: i32| a.min(b)),
        IntegerOp::Min(U32) => warm2(|a: u32, b: u32| a.min(b)),
        IntegerOp::Min(ty) => by_integer!(ty, rare2, |a, b| a.min(b)),
        IntegerOp::Max(S32) => warm2(|a: i32, b: i32| a.max(b)),
        IntegerOp::Max(U32) => warm2(|a: u32, b: u32| a.max(b)),
        IntegerOp::Max(ty) => by_integer!(ty, rare2, |a, b| a.max(b)),
        IntegerOp::MinRelu => rare2(|a: i32, b: i32| a.min(b).max(0)),
        IntegerOp::MaxRelu => rare2(|a: i32, b: i32| a.max(b).max(0)),
        IntegerOp::Abs(SignedInteger::S16) => rare1(|a: i16| a.wrapping_abs()),
        IntegerOp::Abs(SignedInteger::S32) => rare1(|a: i32| a.wrapping_abs()),
        IntegerOp::Abs(SignedInteger::S64) => rare1(|a: i64| a.wrapping_abs()),
        IntegerOp::Neg(SignedInteger::S16) => rare1(|a: i16| a.wrapping_neg()),
        IntegerOp::Neg(SignedInteger::S32) => rare1(|a: i32| a.wrapping_neg()),
        IntegerOp::Neg(SignedInteger::S64) => rare1(|a: i64| a.wrapping_neg()),
        IntegerOp::SumOfDifference(ty) => {
            by_integer!(ty, rare3, |a, b, c| c.wrapping_add(if a < b {
                b.wrapping_sub(a)
            } else {
                a.wrapping_sub(b)
            }))
        }
        IntegerOp::Pair(op) => pair(op),
    }
}

fn pair(op: PairOp) -> &'static AluOperation {
    fn each(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
        u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
    }
    fn signed(f: impl Fn(i16, i16) -> i16) -> impl Fn(u16, u16) -> u16 {
        move |a, b| f(a as i16, b as i16) as u16
    }
    match op {
        PairOp::Add => rare2(|a: u32, b: u32| each(a, b, u16::wrapping_add)),
        PairOp::Min { signed: false } => rare2(|a: u32, b: u32| each(a, b, u16::min)),
        PairOp::Max { signed: false } => rare2(|a: u32, b: u32| each(a, b, u16::max)),
        PairOp::Min { signed: true } => rare2(|a: u32, b: u32| each(a, b, signed(i16::min))),
        PairOp::Max { signed: true } => rare2(|a: u32, b: u32| each(a, b, signed(i16::max))),
        PairOp::MinRelu => rare2(|a: u32, b: u32| each(a, b, signed(|a, b| a.min(b).max(0)))),
        PairOp::MaxRelu => rare2(|a: u32, b: u32| each(a, b, signed(|a, b| a.max(b).max(0)))),
    }
}
