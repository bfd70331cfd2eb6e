//! Rules of integer arithmetic, and dispatch of the mnemonics that integers share with floats.
//!
//! The carry flag is a predicate register of the kernel. It models the hardware adder (measured on an H200, all pairs of writers
//! and readers): every `.cc` stores the carry out of its last addition, and a difference is the sum `a + !b + 1`, so a flag of 1
//! means no borrow. `subc` computes `a + !b + flag`. The PTX manual calls the flag a borrow there, which holds only while
//! subtractions read what subtractions wrote.

use crate::LoweringResult;
use crate::kernel::{Operand, Reg, Width};
use crate::opcode::Alu;
use crate::opcode::integer::{CarryOp, IntegerOp, IntegerSize, PairOp, ProductOp};
use crate::rules::arithmetic::{expand, float};
use crate::rules::context::Cx;
use lanework_ptx as syntax;
use lanework_ptx::Modifier::*;
use lanework_ptx::ScalarType::{self, *};

/// `add`.
pub fn add(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if let Some(done) = expand::expanded(cx) {
        return done;
    }
    if let Some(done) = pairs(cx) {
        return done;
    }
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::add(cx);
    }
    if cx.has(Cc) {
        return add_carry(cx);
    }
    let op = match cx.has(Sat) {
        true => IntegerOp::AddSaturate,
        false => IntegerOp::Add(cx.integer(ty)?),
    };
    cx.uniform_type(ty, 2, Alu::Integer(op))
}

/// `sub`.
pub fn sub(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if let Some(done) = expand::expanded(cx) {
        return done;
    }
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::sub(cx);
    }
    if cx.has(Cc) {
        return add_carry(cx);
    }
    let op = match cx.has(Sat) {
        true => IntegerOp::SubSaturate,
        false => IntegerOp::Sub(cx.integer(ty)?),
    };
    cx.uniform_type(ty, 2, Alu::Integer(op))
}

/// Pairs of 16-bit integers, which are not a scalar type: `add`, `min` and `max`.
fn pairs(cx: &mut Cx<'_, '_>) -> Option<LoweringResult> {
    if !cx.has(U16x2) && !cx.has(S16x2) {
        return None;
    }
    let signed = cx.has(S16x2);
    let op = match (cx.instruction.opcode, signed, cx.has(Relu)) {
        (syntax::Opcode::Add, _, false) => PairOp::Add,
        (syntax::Opcode::Min, _, false) => PairOp::Min { signed },
        (syntax::Opcode::Max, _, false) => PairOp::Max { signed },
        (syntax::Opcode::Min, true, true) => PairOp::MinRelu,
        (syntax::Opcode::Max, true, true) => PairOp::MaxRelu,
        _ => return Some(Err(cx.unsupported("this operation on pairs"))),
    };
    Some(cx.uniform_type(B32, 2, Alu::Integer(IntegerOp::Pair(op))))
}

/// The type of twice the width, and the factors of `.wide`: whether they have 32 bits, and a sign.
fn doubled(cx: &Cx<'_, '_>, ty: ScalarType) -> LoweringResult<(ScalarType, bool, bool)> {
    match ty {
        U16 => Ok((U32, false, false)),
        S16 => Ok((S32, false, true)),
        U32 => Ok((U64, true, false)),
        S32 => Ok((S64, true, true)),
        _ => Err(cx.unsupported("`.wide` of this type")),
    }
}

/// `mul`.
pub fn mul(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if let Some(done) = expand::expanded(cx) {
        return done;
    }
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::mul(cx);
    }
    if cx.has(Wide) {
        let (wide, word, signed) = doubled(cx, ty)?;
        cx.operands(3)?;
        let dst = cx.dst_of(0, wide)?;
        let (a, b) = (cx.src(1, ty)?, cx.src(2, ty)?);
        return cx.alu(dst, &[a, b], Alu::Product(ProductOp::MulWide { word, signed }));
    }
    let op = if cx.has(Hi) {
        let (size, signed) = cx.fitting(IntegerSize::and_sign(ty))?;
        ProductOp::MulHigh { size, signed }
    } else {
        ProductOp::Mul(cx.integer(ty)?)
    };
    cx.uniform_type(ty, 2, Alu::Product(op))
}

/// `mad`.
pub fn mad(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::fma(cx);
    }
    if cx.has(Cc) {
        return mad_carry(cx);
    }
    if cx.has(Wide) {
        let (wide, word, signed) = doubled(cx, ty)?;
        cx.operands(4)?;
        let dst = cx.dst_of(0, wide)?;
        let (a, b, c) = (cx.src(1, ty)?, cx.src(2, ty)?, cx.src(3, wide)?);
        return cx.alu(dst, &[a, b, c], Alu::Product(ProductOp::MadWide { word, signed }));
    }
    let op = match (cx.has(Hi), cx.has(Sat)) {
        (true, true) if ty == S32 => ProductOp::MadHighSaturate,
        (true, true) => return Err(cx.unsupported("this type")),
        (true, false) => {
            let (size, signed) = cx.fitting(IntegerSize::and_sign(ty))?;
            ProductOp::MadHigh { size, signed }
        }
        (false, true) => return Err(cx.unsupported("`.sat` without `.hi`")),
        (false, false) => ProductOp::Mad(cx.integer(ty)?),
    };
    cx.uniform_type(ty, 3, Alu::Product(op))
}

/// `mul24`.
pub fn mul24(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let high = cx.has(Hi);
    let op = match ty {
        U32 | S32 => ProductOp::Mul24 { high, signed: ty == S32 },
        _ => return Err(cx.unsupported("this type")),
    };
    cx.uniform_type(ty, 2, Alu::Product(op))
}

/// `mad24`.
pub fn mad24(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let high = cx.has(Hi);
    let op = match ty {
        S32 if high && cx.has(Sat) => ProductOp::Mad24HighSaturate,
        _ if cx.has(Sat) => return Err(cx.unsupported("`.sat` of this form")),
        U32 | S32 => ProductOp::Mad24 { high, signed: ty == S32 },
        _ => return Err(cx.unsupported("this type")),
    };
    cx.uniform_type(ty, 3, Alu::Product(op))
}

/// `div`; a division by zero gives all ones, as GPUs do.
pub fn div(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::div(cx);
    }
    if ty.size() == 8 {
        cx.no_sums(usize::MAX)?;
    }
    let op = IntegerOp::Div(cx.integer(ty)?);
    cx.uniform_type(ty, 2, Alu::Integer(op))
}

/// `rem`; a remainder by zero gives all ones.
pub fn rem(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    if ty.size() == 8 {
        cx.no_sums(usize::MAX)?;
    }
    let op = IntegerOp::Rem(cx.integer(ty)?);
    cx.uniform_type(ty, 2, Alu::Integer(op))
}

/// `min` and `max`.
pub fn min_max(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if let Some(done) = pairs(cx) {
        return done;
    }
    let ty = cx.ty()?;
    if ty.is_float() {
        return float::min_max(cx);
    }
    let smaller = cx.instruction.opcode == syntax::Opcode::Min;
    let op = match (smaller, cx.has(Relu)) {
        (true, true) if ty == S32 => IntegerOp::MinRelu,
        (false, true) if ty == S32 => IntegerOp::MaxRelu,
        (_, true) => return Err(cx.unsupported("`.relu` of this type")),
        (true, false) => IntegerOp::Min(cx.integer(ty)?),
        (false, false) => IntegerOp::Max(cx.integer(ty)?),
    };
    cx.uniform_type(ty, 2, Alu::Integer(op))
}

/// `sad`: |a - b| + c.
pub fn sad(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let op = IntegerOp::SumOfDifference(cx.integer(ty)?);
    cx.uniform_type(ty, 3, Alu::Integer(op))
}

fn signs(cx: &Cx<'_, '_>) -> LoweringResult<[bool; 2]> {
    let types = cx.types();
    match types[..] {
        [a, b] if matches!(a, U32 | S32) && matches!(b, U32 | S32) => Ok([a == S32, b == S32]),
        _ => Err(cx.unsupported("types other than `.u32` and `.s32`")),
    }
}

/// `dp4a`.
pub fn dp4a(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let signed = signs(cx)?;
    cx.uniform_type(B32, 3, Alu::Product(ProductOp::Dot4 { signed }))
}

/// `dp2a`.
pub fn dp2a(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let (signed, high) = (signs(cx)?, cx.has(Hi));
    cx.uniform_type(B32, 3, Alu::Product(ProductOp::Dot2 { signed, high }))
}

/// Emits `dst = a + b + carry` (or `a + !b + carry`); the flag is read if `with`, and written for `.cc`.
fn add_with_flag(
    cx: &mut Cx<'_, '_>,
    dst: Option<Reg>,
    a: Operand,
    b: Operand,
    wide: bool,
    with: bool,
) -> LoweringResult {
    let subtract = matches!(cx.instruction.opcode, syntax::Opcode::Sub | syntax::Opcode::Subc);
    let row = |carry_out| Alu::Carry(CarryOp { subtract, wide, carry_out });
    let (sum, out) = (row(false), row(true));
    let flag = cx.lowering.carry();
    let carry = if with { Operand::Reg(flag) } else { Operand::Truth(subtract) };
    if !cx.has(Cc) {
        return cx.alu(dst, &[a, b, carry], sum);
    }
    // Both results are computed before either is written, because the operands may be among them.
    let width = if wide { Width::Wide } else { Width::Word };
    let middle = cx.lowering.new_register(width);
    cx.alu(Some(middle), &[a, b, carry], sum)?;
    cx.alu(Some(flag), &[a, b, carry], out)?;
    match dst {
        Some(_) => cx.alu(dst, &[Operand::Reg(middle)], Alu::copy(width)),
        None => Ok(()),
    }
}

fn carry_type(cx: &Cx<'_, '_>) -> LoweringResult<ScalarType> {
    let ty = cx.ty()?;
    match ty {
        U32 | S32 | U64 | S64 => Ok(ty),
        _ => Err(cx.unsupported("this type")),
    }
}

/// `add.cc`, `addc`, `sub.cc` and `subc`.
pub fn add_carry(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = carry_type(cx)?;
    cx.operands(3)?;
    let dst = cx.dst_of(0, ty)?;
    let (a, b) = (cx.src(1, ty)?, cx.src(2, ty)?);
    let with = matches!(cx.instruction.opcode, syntax::Opcode::Addc | syntax::Opcode::Subc);
    add_with_flag(cx, dst, a, b, ty.size() == 8, with)
}

/// `mad.cc` and `madc`: the low or high half of a product joins the chain.
pub fn mad_carry(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = carry_type(cx)?;
    cx.operands(4)?;
    let dst = cx.dst_of(0, ty)?;
    let (a, b, c) = (cx.src(1, ty)?, cx.src(2, ty)?, cx.src(3, ty)?);
    let op = match (cx.has(Hi), IntegerSize::and_sign(ty)) {
        (true, Some((size, signed))) => ProductOp::MulHigh { size, signed },
        _ => ProductOp::Mul(cx.integer(ty)?),
    };
    let wide = ty.size() == 8;
    let product = cx.lowering.new_register(if wide { Width::Wide } else { Width::Word });
    cx.alu(Some(product), &[a, b], Alu::Product(op))?;
    let with = cx.instruction.opcode == syntax::Opcode::Madc;
    add_with_flag(cx, dst, Operand::Reg(product), c, wide, with)
}
