//! Instructions in which the lanes of a warp see each other.

use super::context::Cx;
use crate::kernel::{Opcode, Operand, Reg, SyncAnnotation};
use crate::lower::unsupported::LoweringResult;
use crate::opcode::warp::{ShuffleMode, VoteMode, WarpOp, WarpReduction};
use lanework_ptx as syntax;
use lanework_ptx::ScalarType::{self, *};

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

/// Who takes part in `op`, to which each brings a value: the last operand of a `.sync` instruction says; without it all
/// active lanes. Also tells checks.
fn members(cx: &mut Cx<'_, '_>, op: WarpOp, value: Option<Operand>) -> LoweringResult<Operand> {
    if !cx.has("sync") {
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
    cx.allow(&["sync", "up", "down", "bfly", "idx"])?;
    let modes = [
        ("up", ShuffleMode::Up),
        ("down", ShuffleMode::Down),
        ("bfly", ShuffleMode::Butterfly),
        ("idx", ShuffleMode::Index),
    ];
    let mode = modes.into_iter().find(|(name, _)| cx.has(name));
    let (_, mode) = mode.ok_or_else(|| cx.unknown("no mode"))?;
    cx.operands(if cx.has("sync") { 5 } else { 4 })?;
    let dst = pair(cx)?;
    let src = vec![cx.src(1, B32)?, cx.src(2, B32)?, cx.src(3, B32)?];
    let members =
        if cx.has("sync") { cx.src(4, B32)? } else { Operand::Const(u64::from(u32::MAX)) };
    if cx.has("sync") {
        cx.converge(Some(WarpOp::Shuffle(mode)), members, Some(src[0]));
    }
    cx.note(SyncAnnotation::Shuffle(mode), vec![members, src[1], src[2]])?;
    emit(cx, WarpOp::Shuffle(mode), dst, src)
}

/// `vote`.
pub fn vote(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["sync", "all", "any", "uni", "ballot"])?;
    let modes = [
        ("all", VoteMode::All),
        ("any", VoteMode::Any),
        ("uni", VoteMode::Uniform),
        ("ballot", VoteMode::Ballot),
    ];
    let mode = modes.into_iter().find(|(name, _)| cx.has(name));
    let (_, mode) = mode.ok_or_else(|| cx.unknown("no mode"))?;
    let dst = cx.dst_of(0, if mode == VoteMode::Ballot { B32 } else { Pred })?;
    let (p, negated) = cx.predicate(1)?;
    let op = WarpOp::Vote { mode, negated };
    let members = members(cx, op, Some(p))?;
    emit(cx, op, vec![dst], vec![p, members])
}

/// `match`.
pub fn match_lanes(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["sync", "any", "all"])?;
    let ty = cx.ty()?;
    let dst = pair(cx)?;
    let a = cx.src(1, ty)?;
    let op = WarpOp::Match { all: cx.has("all") };
    let src = vec![a, members(cx, op, Some(a))?];
    emit(cx, op, dst, src)
}

/// `activemask`.
pub fn active_mask(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[])?;
    let dst = cx.dst_of(0, B32)?;
    emit(cx, WarpOp::ActiveMask, vec![dst], Vec::new())
}

/// `elect`: the lowest lane that takes part.
pub fn elect(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["sync"])?;
    let dst = pair(cx)?;
    let members = members(cx, WarpOp::Elect, None)?;
    emit(cx, WarpOp::Elect, dst, vec![members])
}

/// `redux`.
pub fn redux(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["sync", "add", "min", "max", "and", "or", "xor", "abs", "NaN"])?;
    let ty = cx.ty()?;
    if ty == ScalarType::F32 {
        return super::expand::redux(cx);
    }
    let name = cx.instruction.modifiers.iter().find(|m| !matches!(m.as_str(), "sync"));
    let mode = match (name.map(String::as_str), ty) {
        (Some("add"), U32 | S32) => WarpReduction::Add,
        (Some("min"), U32) => WarpReduction::MinUnsigned,
        (Some("max"), U32) => WarpReduction::MaxUnsigned,
        (Some("min"), S32) => WarpReduction::MinSigned,
        (Some("max"), S32) => WarpReduction::MaxSigned,
        (Some("and"), B32) => WarpReduction::And,
        (Some("or"), B32) => WarpReduction::Or,
        (Some("xor"), B32) => WarpReduction::Xor,
        _ => return Err(cx.unknown("this operation or type")),
    };
    let dst = cx.dst_of(0, ScalarType::B32)?;
    let a = cx.src(1, B32)?;
    let op = WarpOp::Reduce(mode);
    let members = members(cx, op, Some(a))?;
    emit(cx, op, vec![dst], vec![a, members])
}
