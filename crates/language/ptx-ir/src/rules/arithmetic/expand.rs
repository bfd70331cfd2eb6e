//! Instructions that expand to others: sm_100 forms on pairs of f32, on two types, or with three operands, and f32 reductions over
//! a warp. Each becomes the instructions by which the manual defines it, under the same guard. Not measured: no GPU of that
//! architecture was available.

use crate::LoweringResult;
use crate::kernel::Width;
use crate::rules::context::Cx;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::ScalarType::*;
use lanework_ptx::{Instruction, Opcode, Operand};

/// Lowers one instruction under the guard of the expanded instruction.
fn step(
    cx: &mut Cx<'_, '_>,
    opcode: Opcode,
    modifiers: &[Modifier],
    operands: &[Operand],
) -> LoweringResult {
    let guard = cx.instruction.guard.clone();
    let (modifiers, operands) = (modifiers.to_vec(), operands.to_vec());
    let instruction = Instruction { guard, opcode, modifiers, operands, ..Instruction::default() };
    (cx.lowering.lower)(cx.lowering, &instruction)
}

/// A new register, as an operand.
fn temporary(cx: &mut Cx<'_, '_>, width: Width) -> Operand {
    // No PTX name has a dot and a number in it.
    let name = format!("%expanded.{}", cx.lowering.kernel.registers.len());
    cx.lowering.bind_register(name.clone(), 1, width);
    Operand::Name(name)
}

/// The modifiers of the instruction except some.
fn modifiers_without(cx: &Cx<'_, '_>, left_out: &[Modifier]) -> Vec<Modifier> {
    cx.instruction.modifiers.iter().copied().filter(|m| !left_out.contains(m)).collect()
}

/// Forms that expand to other instructions: pairs of f32, and operands of two types.
pub fn expanded(cx: &mut Cx<'_, '_>) -> Option<LoweringResult> {
    if cx.has(F32x2) {
        return Some(pairs(cx));
    }
    matches!(cx.types()[..], [F32, F16 | Bf16]).then(|| mixed(cx))
}

/// `add`, `sub`, `mul` and `fma` of `.f32x2`: on the low and the high f32 of 64 bits.
pub fn pairs(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let count = if cx.instruction.opcode == Opcode::Fma { 4 } else { 3 };
    cx.operands(count)?;
    let mut modifiers = modifiers_without(cx, &[F32x2]);
    modifiers.push(Type(F32));
    let results = [temporary(cx, Width::Word), temporary(cx, Width::Word)];
    let mut halves = vec![vec![results[0].clone()], vec![results[1].clone()]];
    for i in 1..count {
        let parts = [temporary(cx, Width::Word), temporary(cx, Width::Word)];
        let source = cx.operand(i)?.clone();
        step(cx, Opcode::Mov, &[Type(B64)], &[Operand::Vector(parts.to_vec()), source])?;
        halves.iter_mut().zip(parts).for_each(|(operands, part)| operands.push(part));
    }
    for operands in &halves {
        step(cx, cx.instruction.opcode, &modifiers, operands)?;
    }
    let to = cx.operand(0)?.clone();
    step(cx, Opcode::Mov, &[Type(B64)], &[to, Operand::Vector(results.to_vec())])
}

/// `add`, `sub` and `fma` of `.f32.f16` and `.f32.bf16`: the operands of 16 bits are made f32 first, which
/// is exact.
fn mixed(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let narrow = match cx.types()[..] {
        [F32, narrow @ (F16 | Bf16)] => narrow,
        _ => return Err(cx.unsupported("these types")),
    };
    let count = if cx.instruction.opcode == Opcode::Fma { 4 } else { 3 };
    cx.operands(count)?;
    let mut operands = vec![cx.operand(0)?.clone()];
    for i in 1..count - 1 {
        let wide = temporary(cx, Width::Word);
        let source = cx.operand(i)?.clone();
        step(cx, Opcode::Cvt, &[Type(F32), Type(narrow)], &[wide.clone(), source])?;
        operands.push(wide);
    }
    operands.push(cx.operand(count - 1)?.clone());
    let modifiers = modifiers_without(cx, &[Type(narrow)]);
    step(cx, cx.instruction.opcode, &modifiers, &operands)
}

/// `min` and `max` of three f32: combines the first two, then the result with the third.
pub fn of_three(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[Ftz, Nan, Abs])?;
    cx.operands(4)?;
    if cx.ty()? != F32 {
        return Err(cx.unsupported("three operands of this type"));
    }
    let mut sources = Vec::new();
    for i in 1..4 {
        let mut source = cx.operand(i)?.clone();
        if cx.has(Abs) {
            let magnitude = temporary(cx, Width::Word);
            step(cx, Opcode::Abs, &[Type(F32)], &[magnitude.clone(), source])?;
            source = magnitude;
        }
        sources.push(source);
    }
    let (opcode, modifiers) = (cx.instruction.opcode, modifiers_without(cx, &[Abs]));
    let first = temporary(cx, Width::Word);
    let two = [first.clone(), sources[0].clone(), sources[1].clone()];
    step(cx, opcode, &modifiers, &two)?;
    let to = cx.operand(0)?.clone();
    step(cx, opcode, &modifiers, &[to, first, sources[2].clone()])
}

/// `redux.sync` of f32: over unsigned words in the order of the floats, -0 below +0. A NaN goes to the end
/// where it loses, or with `.NaN` to the end where it wins.
pub fn redux(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(3)?;
    let min = cx.has(Min);
    if min == cx.has(Max) {
        return Err(cx.unsupported("the reduction is missing"));
    }
    let [value, sign, key] = [(); 3].map(|()| temporary(cx, Width::Word));
    let nan = temporary(cx, Width::Predicate);
    let integer = Operand::integer;
    let source = cx.operand(1)?.clone();
    let magnitude = if cx.has(Abs) { 0x7fff_ffff } else { 0xffff_ffffu32 };
    step(cx, Opcode::And, &[Type(B32)], &[value.clone(), source, integer(magnitude)])?;
    step(cx, Opcode::Shr, &[Type(S32)], &[sign.clone(), value.clone(), integer(31)])?;
    step(cx, Opcode::Or, &[Type(B32)], &[sign.clone(), sign.clone(), integer(0x8000_0000u32)])?;
    step(cx, Opcode::Xor, &[Type(B32)], &[key.clone(), value.clone(), sign.clone()])?;
    step(cx, Opcode::Testp, &[Notanumber, Type(F32)], &[nan.clone(), value])?;
    let end = if min == cx.has(Nan) { 0 } else { u32::MAX };
    step(cx, Opcode::Selp, &[Type(B32)], &[key.clone(), integer(end), key.clone(), nan.clone()])?;
    let members = cx.operand(2)?.clone();
    let over = [Sync, if min { Min } else { Max }, Type(U32)];
    step(cx, Opcode::Redux, &over, &[key.clone(), key.clone(), members])?;
    // Back: the sign is set where the key's highest bit is not.
    step(cx, Opcode::Shr, &[Type(S32)], &[sign.clone(), key.clone(), integer(31)])?;
    step(cx, Opcode::Not, &[Type(B32)], &[sign.clone(), sign.clone()])?;
    step(cx, Opcode::Or, &[Type(B32)], &[sign.clone(), sign.clone(), integer(0x8000_0000u32)])?;
    step(cx, Opcode::Xor, &[Type(B32)], &[key.clone(), key.clone(), sign])?;
    step(cx, Opcode::Testp, &[Notanumber, Type(F32)], &[nan.clone(), key.clone()])?;
    let to = cx.operand(0)?.clone();
    step(cx, Opcode::Selp, &[Type(B32)], &[to, integer(0x7fff_ffff), key, nan])
}

/// `multimem`: an address of a multicast object stands for the same address on each of its devices. Here
/// every address belongs to one device, so a reduction over the devices is the value itself.
pub fn multimem(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow_known()?;
    let operands = cx.instruction.operands.clone();
    let operations = [Add, Min, Max, And, Or, Xor];
    let opcode = match cx.instruction.modifiers.first() {
        Some(LdReduce) => Opcode::Ld,
        Some(St) => Opcode::St,
        Some(Red) => Opcode::Red,
        Some(Cp) => Opcode::Cp,
        _ => return Err(cx.unsupported("this operation")),
    };
    let reduces = opcode == Opcode::Ld;
    if reduces && !operations.iter().any(|operation| cx.has(*operation)) {
        return Err(cx.unsupported("the reduction is missing"));
    }
    let mut modifiers = cx.instruction.modifiers[1..].to_vec();
    if reduces {
        modifiers.retain(|m| !matches!(m, AccF32 | AccF16) && !operations.contains(m));
    }
    step(cx, opcode, &modifiers, &operands)
}
