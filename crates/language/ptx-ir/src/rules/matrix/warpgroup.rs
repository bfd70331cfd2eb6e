//! Rules of `wgmma`.

use crate::LoweringResult;
use crate::kernel::{Opcode, Operand, SyncAnnotation};
use crate::opcode::asynchrony::AsyncOp;
use crate::opcode::matrix::{ElementType, GroupMultiply, MatrixOp};
use crate::rules::context::Cx;
use crate::rules::matrix::{alike, allow, destinations, numbers, selector, shape, sources};
use lanework_ptx::Modifier::*;
use lanework_ptx::ScalarType;

/// `wgmma`.
pub fn wgmma(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let guard = cx.guard;
    match cx.instruction.modifiers.first().copied() {
        // Products are computed at issue, when the writes that they read are already in order.
        Some(Fence) => {
            cx.allow(&[Fence, Sync, Aligned])?;
            cx.operands(0)?;
            cx.lowering.emit(Opcode::Nothing, Vec::new(), Vec::new(), guard);
            cx.note(SyncAnnotation::ProductFence, Vec::new())
        }
        Some(CommitGroup) => {
            cx.allow(&[CommitGroup, Sync, Aligned])?;
            cx.operands(0)?;
            let opcode = Opcode::Async(AsyncOp::ProductCommit);
            cx.lowering.emit(opcode, Vec::new(), Vec::new(), guard);
            cx.note(SyncAnnotation::ProductCommit, Vec::new())
        }
        Some(WaitGroup) => {
            cx.allow(&[WaitGroup, Sync, Aligned])?;
            cx.operands(1)?;
            let Operand::Const(pending) = cx.src(0, ScalarType::U32)? else {
                return Err(cx.unsupported("the number of groups is not a constant"));
            };
            cx.lowering.emit(Opcode::Async(AsyncOp::ProductWait), Vec::new(), Vec::new(), guard);
            cx.note(SyncAnnotation::ProductWait(pending as u32), Vec::new())
        }
        Some(MmaAsync) => multiply(cx),
        _ => Err(cx.unsupported("it is neither a product, nor a fence, nor a group")),
    }
}

/// Whether products of `a` may have results of type `d`.
fn has_result(a: ElementType, d: ElementType) -> bool {
    match a {
        ElementType::F16 | ElementType::E4m3 | ElementType::E5m2 => {
            matches!(d, ElementType::F16 | ElementType::F32)
        }
        ElementType::Bf16 | ElementType::Tf32 => d == ElementType::F32,
        ElementType::S8 | ElementType::U8 | ElementType::B1 => d == ElementType::S32,
        _ => false,
    }
}

/// A literal operand that is one of two numbers: whether it is the second.
fn either(cx: &mut Cx<'_, '_>, i: usize, [first, second]: [i64; 2]) -> LoweringResult<bool> {
    match cx.src(i, ScalarType::S64)? {
        Operand::Const(bits) if bits as i64 == first => Ok(false),
        Operand::Const(bits) if bits as i64 == second => Ok(true),
        _ => Err(cx.unsupported(&format!("operand {i} is neither {first} nor {second}"))),
    }
}

fn multiply(cx: &mut Cx<'_, '_>) -> LoweringResult {
    allow(cx, &[MmaAsync, Sp, Sync, Aligned, Satfinite, And, Popc])?;
    let [d, a, b] = numbers(cx)[..] else {
        return Err(cx.unsupported("three types are expected"));
    };
    let shape = shape(cx)?;
    let is_sparse = cx.has(Sp);
    let integers = d == ElementType::S32;
    let widths = if integers { shape.n <= 32 || shape.n % 16 == 0 } else { true };
    let right = shape.m == 64
        && (8..=256).contains(&shape.n)
        && shape.n % 8 == 0
        && widths
        && shape.k == 256 / a.bits() * if is_sparse { 2 } else { 1 };
    if !alike(a, b) || !has_result(a, d) {
        return Err(cx.unsupported("this combination of types"));
    }
    if !right {
        return Err(cx.unsupported("this shape for this type"));
    }
    let bits = a == ElementType::B1;
    if bits != (cx.has(And) && cx.has(Popc)) || (bits && is_sparse) {
        return Err(cx.unsupported("`.and.popc` is only for `.b1`"));
    }
    if cx.has(Satfinite) && (!integers || bits) {
        return Err(cx.unsupported("only integers saturate"));
    }
    let registers = matches!(cx.operand(1)?, lanework_ptx::Operand::Vector(_));
    let mut this = GroupMultiply {
        n: shape.n,
        k: shape.k,
        a,
        b,
        d,
        registers,
        inverted: false,
        negated: false,
        across: [false; 2],
        saturate: cx.has(Satfinite),
        bits,
        sparse: None,
    };
    let mut next = 3;
    if is_sparse {
        this.sparse = Some(selector(cx, 4, shape.k, a)?);
        next = 5;
    }
    let (counts, inverted) = cx.predicate(next)?;
    this.inverted = inverted;
    next += 1;
    if !integers {
        this.negated = either(cx, next, [1, -1])? != either(cx, next + 1, [1, -1])?;
        next += 2;
    }
    if a.bits() == 16 {
        if !registers {
            this.across[0] = either(cx, next, [0, 1])?;
            next += 1;
        }
        this.across[1] = either(cx, next, [0, 1])?;
        next += 1;
    }
    cx.operands(next)?;
    let dst = destinations(cx, 0, this.accumulators(), d)?;
    let mut src = vec![cx.src(2, ScalarType::B64)?, counts];
    if registers {
        src.extend(sources(cx, 1, 4, ElementType::S32)?);
    } else {
        src.push(cx.src(1, ScalarType::B64)?);
    }
    src.extend(sources(cx, 0, this.accumulators(), d)?);
    if is_sparse {
        src.push(cx.src(3, ScalarType::B32)?);
    }
    let guard = cx.guard;
    cx.lowering.emit(Opcode::Matrix(MatrixOp::Group(this)), dst, src, guard);
    Ok(())
}
