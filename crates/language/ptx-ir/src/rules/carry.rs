//! Chains of additions and subtractions over the carry flag, which is a predicate of the kernel.
//!
//! The model is the hardware's adder (measured on an H200, all pairs of writers and readers): every `.cc`
//! leaves the carry out of its last addition, and a difference is the sum `a + !b + 1`, so that a flag of 1
//! means no borrow. `subc` computes `a + !b + flag`. The PTX manual speaks of a borrow there, which holds
//! only while subtractions read what subtractions wrote.

use super::context::Cx;
use crate::kernel::{Operand, Reg, Width};
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::carry::CarryOp;
use crate::opcode::integer::Size;
use crate::opcode::product::ProductOp;
use lanework_ptx::ScalarType::{self, *};

/// Emits `dst = a + b + carry` (or `a + !b + carry`); the flag is read if `with`, and written for `.cc`.
fn chain(
    cx: &mut Cx<'_, '_>,
    dst: Option<Reg>,
    a: Operand,
    b: Operand,
    wide: bool,
    with: bool,
) -> LoweringResult {
    let subtract = cx.instruction.opcode.starts_with("sub");
    let row = |carry_out| Alu::Carry(CarryOp { subtract, wide, carry_out });
    let (sum, out) = (row(false), row(true));
    let flag = cx.lowering.carry();
    let carry = if with { Operand::Reg(flag) } else { Operand::Truth(subtract) };
    if !cx.has("cc") {
        return cx.alu(dst, &[a, b, carry], sum);
    }
    // Both results come before either is written, for the operands may be among them.
    let width = if wide { Width::Wide } else { Width::Word };
    let middle = cx.lowering.new_register(width);
    cx.alu(Some(middle), &[a, b, carry], sum)?;
    cx.alu(Some(flag), &[a, b, carry], out)?;
    match dst {
        Some(_) => cx.alu(dst, &[Operand::Reg(middle)], Alu::copy(width)),
        None => Ok(()),
    }
}

fn checked(cx: &Cx<'_, '_>) -> LoweringResult<ScalarType> {
    let ty = cx.ty()?;
    match ty {
        U32 | S32 | U64 | S64 => Ok(ty),
        _ => Err(cx.unknown("this type")),
    }
}

/// `add.cc`, `addc`, `sub.cc` and `subc`.
pub fn add(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["cc"])?;
    let ty = checked(cx)?;
    cx.operands(3)?;
    let dst = cx.dst_of(0, ty)?;
    let (a, b) = (cx.src(1, ty)?, cx.src(2, ty)?);
    let with = cx.instruction.opcode.ends_with('c');
    chain(cx, dst, a, b, ty.size() == 8, with)
}

/// `mad.cc` and `madc`: the low or high half of a product joins the chain.
pub fn mad(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["cc", "lo", "hi"])?;
    let ty = checked(cx)?;
    cx.operands(4)?;
    let dst = cx.dst_of(0, ty)?;
    let (a, b, c) = (cx.src(1, ty)?, cx.src(2, ty)?, cx.src(3, ty)?);
    let op = match (cx.has("hi"), Size::and_sign(ty)) {
        (true, Some((size, signed))) => ProductOp::MulHigh { size, signed },
        _ => ProductOp::Mul(cx.integer(ty)?),
    };
    let wide = ty.size() == 8;
    let product = cx.lowering.new_register(if wide { Width::Wide } else { Width::Word });
    cx.alu(Some(product), &[a, b], Alu::Product(op))?;
    let with = cx.instruction.opcode == "madc";
    chain(cx, dst, Operand::Reg(product), c, wide, with)
}
