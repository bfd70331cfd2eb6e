//! `suld`, `sust` and `sured`.

use super::operands::{allow, emit, geometry, place};
use crate::lower::unsupported::LoweringResult;
use crate::opcode::atomic::AtomicOp;
use crate::opcode::texture::{Geometry, Outside, Surface, TextureOp};
use crate::rules::access::{self, atomic_kind};
use crate::rules::context::Cx;
use lanework_ptx as syntax;
use lanework_ptx::ScalarType::{self, *};

/// How a surface instruction accesses elements of `ty`.
fn surface(cx: &Cx<'_, '_>, ty: ScalarType, count: u8) -> LoweringResult<Surface> {
    let outside = match (cx.has("trap"), cx.has("clamp"), cx.has("zero")) {
        (true, false, false) => Outside::Trap,
        (false, true, false) => Outside::Clamp,
        (false, false, true) => Outside::Zero,
        _ => return Err(cx.unknown("neither `.trap` nor `.clamp` nor `.zero`")),
    };
    let geometry = geometry(cx)?;
    if matches!(geometry, Geometry::Cube | Geometry::Cubes) {
        return Err(cx.unknown("surfaces that are cubes"));
    }
    let bytes = ty.size() as u8;
    Ok(Surface { geometry, outside, bytes, count, texels: cx.has("p") })
}

const SURFACE: &[&str] =
    &["b", "p", "v2", "v4", "trap", "clamp", "zero", "ca", "cg", "cs", "cv", "wb", "wt"];

/// The elements of an operand that may be a vector.
fn vector(cx: &Cx<'_, '_>, i: usize) -> LoweringResult<Vec<syntax::Operand>> {
    let count = access::count(cx);
    access::elements(cx, i, count)
}

/// `suld`.
pub fn load(cx: &mut Cx<'_, '_>) -> LoweringResult {
    allow(cx, SURFACE)?;
    cx.operands(2)?;
    let ty = cx.ty()?;
    let elements = vector(cx, 0)?;
    let surface = surface(cx, ty, elements.len() as u8)?;
    if surface.texels || !matches!(ty, B8 | B16 | B32 | B64) {
        return Err(cx.unknown("this type"));
    }
    let src = place(cx, 1, surface.geometry, S32)?;
    let mut dst = Vec::new();
    for element in &elements {
        dst.push(cx.destination(element, ty)?);
    }
    emit(cx, TextureOp::Load(surface), dst, src);
    Ok(())
}

/// `sust`.
pub fn store(cx: &mut Cx<'_, '_>) -> LoweringResult {
    allow(cx, SURFACE)?;
    cx.operands(2)?;
    let ty = cx.ty()?;
    let elements = vector(cx, 1)?;
    let surface = surface(cx, ty, elements.len() as u8)?;
    if !matches!(ty, B8 | B16 | B32 | B64) || surface.texels && ty != B32 {
        return Err(cx.unknown("this type"));
    }
    let mut src = place(cx, 0, surface.geometry, S32)?;
    for element in &elements {
        src.push(cx.source(element, ty)?);
    }
    emit(cx, TextureOp::Store(surface), Vec::new(), src);
    Ok(())
}

/// `sured`.
pub fn reduce(cx: &mut Cx<'_, '_>) -> LoweringResult {
    const KINDS: &[&str] = &["add", "min", "max", "and", "or"];
    allow(cx, &[SURFACE, KINDS].concat())?;
    cx.operands(2)?;
    let ty = cx.ty()?;
    let surface = surface(cx, ty, 1)?;
    let kind = KINDS.iter().find(|kind| cx.has(kind)).and_then(|kind| atomic_kind(kind));
    // Bits are added and compared as unsigned ones.
    let number = match ty {
        B32 => U32,
        B64 => U64,
        U32 | S32 | U64 | S64 => ty,
        _ => return Err(cx.unknown("this type")),
    };
    let op = kind.and_then(|kind| {
        let bits = if number.size() == 8 { B64 } else { B32 };
        AtomicOp::of_copy(kind, number).or_else(|| AtomicOp::of_copy(kind, bits))
    });
    let op = op.ok_or_else(|| cx.unknown("no operation on this type"))?;
    let mut src = place(cx, 0, surface.geometry, S32)?;
    src.push(cx.src(1, ty)?);
    emit(cx, TextureOp::Reduce(surface, op), Vec::new(), src);
    Ok(())
}
