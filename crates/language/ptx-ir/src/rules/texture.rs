//! Textures and surfaces. What nothing defines well enough is refused: depth comparison, multisampling, results in
//! half precision, and the queries whose codes are a driver's own.

mod operands;
pub mod query;
pub mod surface;

use super::context::Cx;
use super::mov::copy;
use crate::kernel::*;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::texture::{Geometry, Mip, TextureOp};
use lanework_ptx as syntax;
use lanework_ptx::ScalarType::{self, *};
use operands::{allow, emit, geometry, place};

/// The four results, and the predicate that tells whether the texels are there: they are.
fn results(cx: &mut Cx<'_, '_>, ty: ScalarType) -> LoweringResult<Vec<Option<Reg>>> {
    let (vector, resident) = match cx.operand(0)?.clone() {
        syntax::Operand::Pair(vector, resident) => (*vector, Some(*resident)),
        vector => (vector, None),
    };
    let elements = match vector {
        syntax::Operand::Vector(list) => list,
        syntax::Operand::Name(name) => {
            ["x", "y", "z", "w"].map(|part| format!("{name}.{part}").into()).to_vec()
        }
        _ => Vec::new(),
    };
    if elements.len() != 4 {
        return Err(cx.unknown("four results are expected"));
    }
    let mut dst = Vec::new();
    for element in &elements {
        dst.push(cx.destination(element, ty)?);
    }
    if let Some(resident) = resident {
        let to = cx.destination(&resident, Pred)?;
        cx.alu(to, &[Operand::Truth(true)], copy(Pred))?;
    }
    Ok(dst)
}

/// How the level is said.
fn mip(cx: &Cx<'_, '_>) -> LoweringResult<Mip> {
    match (cx.has("base"), cx.has("level"), cx.has("grad")) {
        (_, false, false) => Ok(Mip::Base),
        (false, true, false) => Ok(Mip::Level),
        (false, false, true) => Ok(Mip::Gradient),
        _ => Err(cx.unknown("several ways to say the mipmap level")),
    }
}

/// Appends what says the level, which follows the coordinates; gives how many operands of the instruction it takes.
fn level(
    cx: &mut Cx<'_, '_>,
    mip: Mip,
    geometry: Geometry,
    coordinate: ScalarType,
    src: &mut Vec<Operand>,
) -> LoweringResult<usize> {
    match mip {
        Mip::Base => Ok(0),
        Mip::Level => {
            src.push(cx.src(2, coordinate)?);
            Ok(1)
        }
        Mip::Gradient => {
            if coordinate != F32 {
                return Err(cx.unknown("gradients of integer coordinates"));
            }
            for i in [2, 3] {
                let parts = match cx.operand(i)?.clone() {
                    syntax::Operand::Vector(list) => list,
                    one => vec![one],
                };
                if parts.len() < geometry.axes() {
                    return Err(cx.unknown("a gradient with fewer parts than coordinates"));
                }
                for part in parts.iter().take(geometry.axes()) {
                    src.push(cx.source(part, F32)?);
                }
            }
            Ok(2)
        }
    }
}

/// `tex` and `tld4`.
pub fn sample(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let gathers = cx.instruction.opcode == "tld4";
    let components = ["r", "g", "b", "a"];
    match gathers {
        true => allow(cx, &["r", "g", "b", "a", "v4"])?,
        false => allow(cx, &["v4", "base", "level", "grad"])?,
    }
    let geometry = geometry(cx)?;
    let [ty, coordinate] = cx.types()[..] else { return Err(cx.unknown("two types are expected")) };
    if !matches!(ty, U32 | S32 | F32) || !matches!(coordinate, S32 | F32) || !cx.has("v4") {
        return Err(cx.unknown("these types"));
    }
    let mut src = place(cx, 1, geometry, coordinate)?;
    let mip = mip(cx)?;
    let mut next = 2 + level(cx, mip, geometry, coordinate, &mut src)?;
    let offset = match cx.instruction.operands.get(next).cloned() {
        Some(syntax::Operand::Vector(list)) => {
            if list.len() < geometry.axes() {
                return Err(cx.unknown("too few offsets"));
            }
            for operand in list.iter().take(geometry.axes()) {
                src.push(cx.source(operand, S32)?);
            }
            next += 1;
            true
        }
        _ => false,
    };
    if cx.instruction.operands.len() > next {
        return Err(cx.unknown("comparison of depths"));
    }
    if offset && matches!(geometry, Geometry::Cube | Geometry::Cubes) {
        return Err(cx.unknown("offsets in a cube"));
    }
    let op = match gathers {
        false => TextureOp::Sample { geometry, fetch: coordinate == S32, mip, offset },
        true => {
            if !matches!(geometry, Geometry::Plane | Geometry::Planes) || coordinate != F32 {
                return Err(cx.unknown("this shape"));
            }
            let component = components.iter().position(|component| cx.has(component));
            let component = component.ok_or_else(|| cx.unknown("no component"))? as u8;
            TextureOp::Gather { geometry, component, offset }
        }
    };
    let dst = results(cx, ty)?;
    emit(cx, op, dst, src);
    Ok(())
}
