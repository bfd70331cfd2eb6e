//! Instructions in which the lanes of a warp see each other.

use super::Cx;
use super::control::{converge, note};
use crate::engine::cross;
use crate::engine::op::Tiers;
use crate::ir::kernel::{Action, Form, Note, Reg, Src};
use crate::ir::lower::Rule;
use lanework_ptx::Operand;
use lanework_ptx::ScalarType::{self, *};

fn emit(
    cx: &mut Cx<'_, '_>,
    handler: Tiers,
    form: Form,
    extra: u32,
    dst: Vec<Option<Reg>>,
    src: Vec<Src>,
) -> Rule {
    let guard = cx.guard;
    cx.lowering.emit(Action::Custom { handler, form, extra }, dst, src, guard);
    Ok(())
}

/// A destination that may be a pair `d|p`.
fn pair(cx: &mut Cx<'_, '_>) -> Rule<Vec<Option<Reg>>> {
    Ok(match cx.operand(0)?.clone() {
        Operand::Pair(d, p) => vec![cx.destination(&d)?, cx.destination(&p)?],
        operand => vec![cx.destination(&operand)?],
    })
}

/// Who takes part: the last operand of a `.sync` instruction says; without it all active lanes. Also
/// tells checks.
fn members(cx: &mut Cx<'_, '_>) -> Rule<Src> {
    if !cx.has("sync") {
        return Ok(Src::Const(u64::from(u32::MAX)));
    }
    let last = cx.instruction.operands.len().saturating_sub(1);
    let members = cx.src(last, B32)?;
    converge(cx, members);
    note(cx, Note::Members, vec![members])?;
    Ok(members)
}

/// The form of a result that is one for all who take part: lanes that name other members have other
/// results, so only members known here make it the same for the warp.
fn form(members: Src) -> Form {
    if matches!(members, Src::Const(_)) { Form::Uniform } else { Form::Varying }
}

/// `shfl`.
pub fn shfl(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["sync", "up", "down", "bfly", "idx"])?;
    let mode = ["up", "down", "bfly", "idx"].iter().position(|m| cx.has(m));
    let mode = mode.ok_or_else(|| cx.unknown("no mode"))? as u32;
    cx.operands(if cx.has("sync") { 5 } else { 4 })?;
    let dst = pair(cx)?;
    let src = vec![cx.src(1, B32)?, cx.src(2, B32)?, cx.src(3, B32)?];
    let members = if cx.has("sync") { cx.src(4, B32)? } else { Src::Const(u64::from(u32::MAX)) };
    if cx.has("sync") {
        converge(cx, members);
    }
    note(cx, Note::Shuffle(mode as u8), vec![members, src[1], src[2]])?;
    emit(cx, Tiers::cold::<cross::Shuffle>(), Form::Varying, mode, dst, src)
}

/// `vote`.
pub fn vote(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["sync", "all", "any", "uni", "ballot"])?;
    let mode = ["all", "any", "uni", "ballot"].iter().position(|m| cx.has(m));
    let mode = mode.ok_or_else(|| cx.unknown("no mode"))? as u32;
    let dst = cx.dst_of(0, if mode == 3 { B32 } else { Pred })?;
    let (p, negated) = cx.predicate(1)?;
    let extra = mode | u32::from(negated) << 8;
    let members = members(cx)?;
    emit(cx, Tiers::cold::<cross::Vote>(), form(members), extra, vec![dst], vec![p, members])
}

/// `match`.
pub fn match_lanes(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["sync", "any", "all"])?;
    let ty = cx.ty()?;
    let dst = pair(cx)?;
    let a = cx.src(1, ty)?;
    let src = vec![a, members(cx)?];
    emit(cx, Tiers::cold::<cross::Match>(), Form::Varying, u32::from(cx.has("all")), dst, src)
}

/// `activemask`.
pub fn active_mask(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let dst = cx.dst_of(0, B32)?;
    emit(cx, Tiers::cold::<cross::ActiveMask>(), Form::Uniform, 0, vec![dst], Vec::new())
}

/// `elect`: the lowest lane that takes part.
pub fn elect(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["sync"])?;
    let dst = pair(cx)?;
    let members = members(cx)?;
    emit(cx, Tiers::cold::<cross::Elect>(), Form::Varying, 0, dst, vec![members])
}

/// `redux`.
pub fn redux(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["sync", "add", "min", "max", "and", "or", "xor", "abs", "NaN"])?;
    let ty = cx.ty()?;
    let name = cx.instruction.modifiers.iter().find(|m| !matches!(m.as_str(), "sync"));
    let mode = match (name.map(String::as_str), ty) {
        (Some("add"), U32 | S32) => cross::REDUX_ADD,
        (Some("min"), U32) => cross::REDUX_MIN_U,
        (Some("max"), U32) => cross::REDUX_MAX_U,
        (Some("min"), S32) => cross::REDUX_MIN_S,
        (Some("max"), S32) => cross::REDUX_MAX_S,
        (Some("and"), B32) => cross::REDUX_AND,
        (Some("or"), B32) => cross::REDUX_OR,
        (Some("xor"), B32) => cross::REDUX_XOR,
        _ => return Err(cx.unknown("this operation or type")),
    };
    let dst = cx.dst_of(0, ScalarType::B32)?;
    let a = cx.src(1, B32)?;
    let members = members(cx)?;
    emit(cx, Tiers::cold::<cross::Redux>(), form(members), mode, vec![dst], vec![a, members])
}
