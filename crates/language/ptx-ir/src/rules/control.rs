//! Rules of branches, exits, barriers, warp exchange, and instructions without an effect in the emulator.

use crate::LoweringResult;
use crate::kernel::*;
use crate::lower::state::Symbol;
use crate::opcode::Alu;
use crate::opcode::logic::LogicOp;
use crate::opcode::memory::{ShuffleMode, VoteMode, WarpOp, WarpReduction};
use crate::rules::context::Cx;
use crate::rules::memory::access::scope;
use lanework_ptx as syntax;
use lanework_ptx::Modifier::*;
use lanework_ptx::ScalarType::{self, B32, Pred, *};

/// `bra`.
pub fn branch(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(1)?;
    let syntax::Operand::Name(name) = cx.operand(0)?.clone() else {
        return Err(cx.unsupported("the target is not a label"));
    };
    let Some(Symbol::Label(label)) = cx.lowering.lookup(&name) else {
        return Err(cx.unsupported(&format!("`{name}` is not a label")));
    };
    let guard = cx.guard;
    cx.lowering.emit(Opcode::Branch(label), Vec::new(), Vec::new(), guard);
    Ok(())
}

/// `brx.idx`: compares the index with each target's number in turn. An index past the last target is undefined; here it
/// traps.
pub fn branch_indexed(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(2)?;
    let index = cx.src(0, B32)?;
    let syntax::Operand::Name(name) = cx.operand(1)?.clone() else {
        return Err(cx.unsupported("the targets are not named"));
    };
    let Some(Symbol::Targets(targets)) = cx.lowering.lookup(&name) else {
        return Err(cx.unsupported(&format!("`{name}` is not the label of a `.branchtargets`")));
    };
    let skip = cx.lowering.skip_unless(cx.guard);
    for (i, target) in targets.into_iter().enumerate() {
        let chosen = cx.lowering.new_register(Width::Predicate);
        let compare = Opcode::Alu(Alu::Logic(LogicOp::Equal));
        let src = vec![index, Operand::Const(i as u64)];
        cx.lowering.emit(compare, vec![Some(chosen)], src, None);
        cx.lowering.emit(Opcode::Branch(target), Vec::new(), Vec::new(), Some((chosen, false)));
    }
    cx.lowering.emit(Opcode::Trap, Vec::new(), Vec::new(), None);
    if let Some(skip) = skip {
        cx.lowering.set_label(skip);
    }
    Ok(())
}

/// `call`: never used, because [`Lowering`](crate::lower::Lowering) handles calls itself, but the
/// instruction table requires a rule.
pub fn call(cx: &mut Cx<'_, '_>) -> LoweringResult {
    Err(cx.unsupported("this operation"))
}

/// `exit`.
pub fn exit(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.branching(Opcode::Exit, Vec::new(), Vec::new());
    Ok(())
}

/// `ret`.
pub fn ret(cx: &mut Cx<'_, '_>) -> LoweringResult {
    match cx.lowering.return_label() {
        Some(label) => {
            let guard = cx.guard;
            cx.lowering.emit(Opcode::Branch(label), Vec::new(), Vec::new(), guard);
        }
        None => cx.branching(Opcode::Return, Vec::new(), Vec::new()),
    }
    Ok(())
}

/// `trap` and `brkpt`.
pub fn trap(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.branching(Opcode::Trap, Vec::new(), Vec::new());
    Ok(())
}

/// Fences, hints, sleeps: no effect, because the emulator runs memory accesses in order.
pub fn nothing(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.nothing()
}

/// `fence` and `membar`.
pub fn fence(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has(Proxy) || cx.has(ProxyAsync) {
        let asynchronous =
            [Async, AsyncGeneric, AsyncGlobal, AsyncSharedCta, AsyncSharedCluster, ProxyAsync];
        return match asynchronous.iter().any(|proxy| cx.has(*proxy)) {
            true => cx.note(SyncAnnotation::ProxyFence, Vec::new()),
            false => cx.nothing(),
        };
    }
    if cx.has(MbarrierInit) {
        return cx.note(SyncAnnotation::InitFence, Vec::new());
    }
    // `membar` calls the device `gl`.
    let scope = scope(cx);
    cx.note(SyncAnnotation::Fence(scope), Vec::new())
}

/// `bar` and `barrier`.
pub fn barrier(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has(Cluster) {
        return crate::rules::memory::asynchrony::cluster_barrier(cx);
    }
    cx.allow(&[Cta, Sync, Aligned, Arrive, Red, Popc, And, Or, Warp])?;
    if cx.has(Warp) {
        let members = cx.src(0, B32)?;
        cx.converge(None, members, None);
        return cx.note(SyncAnnotation::WarpSync, vec![members]);
    }
    if cx.has(Red) {
        return reduce(cx);
    }
    let mut src = Vec::new();
    for i in 0..cx.instruction.operands.len() {
        let source = cx.src(i, B32)?;
        src.push(source);
    }
    if src.is_empty() || src.len() > 2 {
        return Err(cx.unsupported("one or two operands are expected"));
    }
    let kind = if cx.has(Arrive) { BarrierKind::Arrive } else { BarrierKind::Sync };
    cx.branching(Opcode::Barrier { kind, aligned: aligned(cx) }, Vec::new(), src);
    Ok(())
}

fn reduce(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let reduction = match (cx.has(Popc), cx.has(And), cx.has(Or)) {
        (true, _, _) => Reduction::Count,
        (_, true, _) => Reduction::All,
        (_, _, true) => Reduction::Any,
        _ => return Err(cx.unsupported("the reduction is missing")),
    };
    let ty = if reduction == Reduction::Count { B32 } else { Pred };
    let dst = cx.dst_of(0, ty)?;
    let count = cx.instruction.operands.len();
    if count != 3 && count != 4 {
        return Err(cx.unsupported("three or four operands are expected"));
    }
    let (predicate, negated) = cx.predicate(count - 1)?;
    let mut src = vec![predicate, Operand::Const(u64::from(negated)), cx.src(1, B32)?];
    if count == 4 {
        src.push(cx.src(2, B32)?);
    }
    let kind = BarrierKind::Reduce(reduction);
    cx.branching(Opcode::Barrier { kind, aligned: aligned(cx) }, vec![dst], src);
    Ok(())
}

/// Whether a barrier requires all threads of a warp at one instruction: `bar` is `barrier.aligned`.
fn aligned(cx: &Cx<'_, '_>) -> bool {
    cx.instruction.opcode == syntax::Opcode::Bar || cx.has(Aligned)
}

fn emit(
    cx: &mut Cx<'_, '_>,
    op: WarpOp,
    dst: Vec<Option<Reg>>,
    src: Vec<Operand>,
) -> LoweringResult {
    let guard = cx.guard;
    cx.lowering.emit(Opcode::Warp(op), dst, src, guard);
    Ok(())
}

/// A destination that may be a pair `d|p`.
fn pair(cx: &mut Cx<'_, '_>) -> LoweringResult<Vec<Option<Reg>>> {
    Ok(match cx.operand(0)?.clone() {
        syntax::Operand::Pair(d, p) => vec![cx.destination(&d, B32)?, cx.destination(&p, Pred)?],
        operand => vec![cx.destination(&operand, B32)?],
    })
}

/// The members of `op`: the mask in the last operand of a `.sync` instruction, else all active lanes. Each member
/// contributes `value`. Also annotates the members for checks.
fn members(cx: &mut Cx<'_, '_>, op: WarpOp, value: Option<Operand>) -> LoweringResult<Operand> {
    if !cx.has(Sync) {
        return Ok(Operand::Const(u64::from(u32::MAX)));
    }
    let last = cx.instruction.operands.len().saturating_sub(1);
    let members = cx.src(last, B32)?;
    cx.converge(Some(op), members, value);
    cx.note(SyncAnnotation::Members, vec![members])?;
    Ok(members)
}

/// `shfl`.
pub fn shfl(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let modes = [
        (Up, ShuffleMode::Up),
        (Down, ShuffleMode::Down),
        (Bfly, ShuffleMode::Butterfly),
        (Idx, ShuffleMode::Index),
    ];
    let mode = modes.into_iter().find(|(name, _)| cx.has(*name));
    let (_, mode) = mode.ok_or_else(|| cx.unsupported("the mode is missing"))?;
    cx.operands(if cx.has(Sync) { 5 } else { 4 })?;
    let dst = pair(cx)?;
    let src = vec![cx.src(1, B32)?, cx.src(2, B32)?, cx.src(3, B32)?];
    let members = if cx.has(Sync) { cx.src(4, B32)? } else { Operand::Const(u64::from(u32::MAX)) };
    if cx.has(Sync) {
        cx.converge(Some(WarpOp::Shuffle(mode)), members, Some(src[0]));
    }
    cx.note(SyncAnnotation::Shuffle(mode), vec![members, src[1], src[2]])?;
    emit(cx, WarpOp::Shuffle(mode), dst, src)
}

/// `vote`.
pub fn vote(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let modes = [
        (All, VoteMode::All),
        (Any, VoteMode::Any),
        (Uni, VoteMode::Uniform),
        (Ballot, VoteMode::Ballot),
    ];
    let mode = modes.into_iter().find(|(name, _)| cx.has(*name));
    let (_, mode) = mode.ok_or_else(|| cx.unsupported("the mode is missing"))?;
    let dst = cx.dst_of(0, if mode == VoteMode::Ballot { B32 } else { Pred })?;
    let (p, negated) = cx.predicate(1)?;
    let op = WarpOp::Vote { mode, negated };
    let members = members(cx, op, Some(p))?;
    emit(cx, op, vec![dst], vec![p, members])
}

/// `match`.
pub fn match_lanes(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let dst = pair(cx)?;
    let a = cx.src(1, ty)?;
    let op = WarpOp::Match { all: cx.has(All) };
    let src = vec![a, members(cx, op, Some(a))?];
    emit(cx, op, dst, src)
}

/// `activemask`.
pub fn active_mask(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let dst = cx.dst_of(0, B32)?;
    emit(cx, WarpOp::ActiveMask, vec![dst], Vec::new())
}

/// `elect`: the lowest lane that takes part.
pub fn elect(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let dst = pair(cx)?;
    let members = members(cx, WarpOp::Elect, None)?;
    emit(cx, WarpOp::Elect, dst, vec![members])
}

/// `redux`.
pub fn redux(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    if ty == ScalarType::F32 {
        return crate::rules::arithmetic::expand::redux(cx);
    }
    let name = cx.instruction.modifiers.iter().copied().find(|m| *m != Sync);
    let mode = match (name, ty) {
        (Some(Add), U32 | S32) => WarpReduction::Add,
        (Some(Min), U32) => WarpReduction::MinUnsigned,
        (Some(Max), U32) => WarpReduction::MaxUnsigned,
        (Some(Min), S32) => WarpReduction::MinSigned,
        (Some(Max), S32) => WarpReduction::MaxSigned,
        (Some(And), B32) => WarpReduction::And,
        (Some(Or), B32) => WarpReduction::Or,
        (Some(Xor), B32) => WarpReduction::Xor,
        _ => return Err(cx.unsupported("this operation or type")),
    };
    let dst = cx.dst_of(0, ScalarType::B32)?;
    let a = cx.src(1, B32)?;
    let op = WarpOp::Reduce(mode);
    let members = members(cx, op, Some(a))?;
    emit(cx, op, vec![dst], vec![a, members])
}
