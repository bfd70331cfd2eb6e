//! 128-bit registers, stored as two 64-bit registers. They can be moved, loaded, stored, exchanged and compared; no instruction
//! computes with them.

use crate::LoweringResult;
use crate::kernel::*;
use crate::lower::state::Symbol;
use crate::opcode::Alu;
use crate::opcode::integer::IntegerSize;
use crate::opcode::logic::{MoveOp, PartSize};
use crate::opcode::memory::AtomicOp;
use crate::rules::context::Cx;
use crate::rules::memory::access::{allowed, order, resolve, scope, space};
use lanework_ptx as syntax;
use lanework_ptx::Immediate;
use lanework_ptx::Modifier::*;
use lanework_ptx::ScalarType::{B32, B64};

const COPY: Alu = Alu::copy(Width::Wide);

/// Operand `i` as a 128-bit register that is written: its low and its high half, none for `_`.
pub fn destination(cx: &mut Cx<'_, '_>, i: usize) -> LoweringResult<[Option<Reg>; 2]> {
    let name = match cx.operand(i)?.clone() {
        syntax::Operand::Name(name) if name == "_" => return Ok([None; 2]),
        syntax::Operand::Name(name) => name,
        _ => return Err(cx.unsupported("a 128-bit register is expected")),
    };
    match cx.lowering.lookup(&name) {
        Some(Symbol::Quad(halves)) => Ok(halves.map(Some)),
        _ => Err(cx.unsupported(&format!("`{name}` is not a 128-bit register"))),
    }
}

/// Operand `i` as a source of 128 bits: its low and its high half.
pub fn source(cx: &mut Cx<'_, '_>, i: usize) -> LoweringResult<[Operand; 2]> {
    let operand = cx.operand(i)?.clone();
    if let syntax::Operand::Name(name) = &operand
        && let Some(Symbol::Quad(halves)) = cx.lowering.lookup(name)
    {
        return Ok(halves.map(Operand::Reg));
    }
    match operand {
        syntax::Operand::Immediate(Immediate::Integer(value)) => {
            Ok([value as u64, (value >> 64) as u64].map(Operand::Const))
        }
        _ => Err(cx.unsupported("a 128-bit register is expected")),
    }
}

/// Copies of the halves, because a destination may also be a source.
fn kept(cx: &mut Cx<'_, '_>, halves: [Operand; 2]) -> LoweringResult<[Operand; 2]> {
    let mut copies = halves;
    for half in &mut copies {
        let register = cx.lowering.new_register(Width::Wide);
        cx.alu(Some(register), &[*half], COPY)?;
        *half = Operand::Reg(register);
    }
    Ok(copies)
}

/// `mov.b128`, including those from and to two parts of 64 bits or four of 32.
pub fn mov(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(2)?;
    let from = match cx.operand(1)?.clone() {
        syntax::Operand::Vector(parts) => joined(cx, &parts)?,
        syntax::Operand::Name(name)
            if !matches!(cx.lowering.lookup(&name), Some(Symbol::Quad(_))) =>
        {
            [cx.src(1, B64)?, Operand::Const(0)]
        }
        _ => source(cx, 1)?,
    };
    let from = kept(cx, from)?;
    if let syntax::Operand::Vector(parts) = cx.operand(0)?.clone() {
        return parted(cx, from, &parts);
    }
    let to = destination(cx, 0)?;
    for (to, from) in to.into_iter().zip(from) {
        cx.alu(to, &[from], COPY)?;
    }
    Ok(())
}

fn joined(cx: &mut Cx<'_, '_>, parts: &[syntax::Operand]) -> LoweringResult<[Operand; 2]> {
    match parts {
        [low, high] => Ok([cx.source(low, B64)?, cx.source(high, B64)?]),
        [_, _, _, _] => {
            let mut halves = [Operand::Const(0); 2];
            for (half, pair) in halves.iter_mut().zip(parts.chunks(2)) {
                let words = [cx.source(&pair[0], B32)?, cx.source(&pair[1], B32)?];
                let register = cx.lowering.new_register(Width::Wide);
                let join = Alu::Move(MoveOp::Concatenate { wide: true, low: 4 });
                cx.alu(Some(register), &words, join)?;
                *half = Operand::Reg(register);
            }
            Ok(halves)
        }
        _ => Err(cx.unsupported("this number of parts")),
    }
}

fn parted(cx: &mut Cx<'_, '_>, from: [Operand; 2], parts: &[syntax::Operand]) -> LoweringResult {
    if parts.len() != 2 && parts.len() != 4 {
        return Err(cx.unsupported("this number of parts"));
    }
    for (half, parts) in from.into_iter().zip(parts.chunks(parts.len() / 2)) {
        if let [part] = parts {
            let to = cx.destination(part, B64)?;
            cx.alu(to, &[half], COPY)?;
            continue;
        }
        for (i, part) in parts.iter().enumerate() {
            let to = cx.destination(part, B32)?;
            let word = MoveOp::Extract { wide: true, part: PartSize::Word };
            cx.alu(to, &[half, Operand::Const(32 * i as u64)], Alu::Move(word))?;
        }
    }
    Ok(())
}

/// `atom.exch.b128` and `atom.cas.b128`.
pub fn atom(cx: &mut Cx<'_, '_>) -> LoweringResult {
    allowed(cx, &[Exch, Cas])?;
    let swap = cx.has(Cas);
    cx.operands(if swap { 4 } else { 3 })?;
    let dst = destination(cx, 0)?.to_vec();
    let (base, offset, named) = cx.address(1)?;
    let space = resolve(space(cx), named);
    let mut src = vec![base];
    src.extend(source(cx, 2)?);
    let atomic = match swap {
        true => {
            src.extend(source(cx, 3)?);
            AtomicOp::CompareAndSwap(IntegerSize::Wide)
        }
        false => AtomicOp::Exchange,
    };
    // The result depends on which block comes first.
    cx.lowering.kernel.ordered_blocks = true;
    let order = MemoryOrder { strong: Some(scope(cx)), ..order(cx) };
    let (kind, part) = (MemoryKind::Atomic(atomic), AccessPart::Whole);
    let op = MemoryOp { kind, space, ty: B64, count: 2, offset, volatile: true, order, part };
    cx.emit(Opcode::Memory(op), dst, src);
    Ok(())
}
