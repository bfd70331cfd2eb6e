//! What the instructions on textures and surfaces share: objects, coordinates and shapes.

use crate::kernel::*;
use crate::lower::state::Symbol;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::texture::{Geometry, TextureOp};
use crate::rules::context::Cx;
use crate::window::PARAMETER_WINDOW;
use lanework_ptx as syntax;
use lanework_ptx::AddressBase;
use lanework_ptx::ScalarType::{self, *};

/// An opaque object by its name: the handle in a register, or the address of the variable that holds it.
fn handle(cx: &mut Cx<'_, '_>, name: &str) -> LoweringResult<Operand> {
    match cx.lowering.lookup(name) {
        Some(Symbol::Register(register)) => {
            cx.check_width(register, B64)?;
            Ok(Operand::Reg(register))
        }
        Some(Symbol::Variable(MemorySpace::Parameter, Operand::Const(at))) => {
            Ok(Operand::Const(PARAMETER_WINDOW + at))
        }
        Some(Symbol::Variable(MemorySpace::Global, address)) => Ok(address),
        _ => Err(cx.unknown(&format!("`{name}` is not a texture, sampler or surface"))),
    }
}

/// The texture, its sampler and the coordinates of operand `i`.
pub(super) fn place(
    cx: &mut Cx<'_, '_>,
    i: usize,
    geometry: Geometry,
    coordinate: ScalarType,
) -> LoweringResult<Vec<Operand>> {
    let syntax::Operand::Address(address) = cx.operand(i)?.clone() else {
        return Err(cx.unknown("a texture or surface in brackets is expected"));
    };
    let (AddressBase::Name(name), 0) = (&address.base, address.offset) else {
        return Err(cx.unknown("the texture or surface is not named by a register or variable"));
    };
    let object = handle(cx, name)?;
    let (sampler, coordinates) = match &address.extra[..] {
        [coordinates] => (Operand::Const(0), coordinates),
        [syntax::Operand::Name(sampler), coordinates] => (handle(cx, sampler)?, coordinates),
        _ => return Err(cx.unknown("coordinates are expected after the texture or surface")),
    };
    let coordinates = match coordinates {
        syntax::Operand::Vector(list) => list.clone(),
        one => vec![one.clone()],
    };
    if coordinates.len() != geometry.written() {
        return Err(cx.unknown("the number of coordinates is not that of the shape"));
    }
    let mut src = vec![object, sampler];
    for (at, operand) in coordinates.iter().enumerate() {
        let ty = if at == 0 && geometry.is_layered() { U32 } else { coordinate };
        src.push(cx.source(operand, ty)?);
    }
    Ok(src)
}

/// The object in the brackets of operand `i`.
pub(super) fn object(cx: &mut Cx<'_, '_>, i: usize) -> LoweringResult<Operand> {
    match cx.operand(i)?.clone() {
        syntax::Operand::Address(address) if address.offset == 0 && address.extra.is_empty() => {
            match &address.base {
                AddressBase::Name(name) => handle(cx, name),
                AddressBase::Absolute(_) => Err(cx.unknown("a number instead of a handle")),
            }
        }
        syntax::Operand::Name(name) => handle(cx, &name),
        _ => Err(cx.unknown("a texture or surface in brackets is expected")),
    }
}

/// The shape that the modifiers name.
pub(super) fn geometry(cx: &Cx<'_, '_>) -> LoweringResult<Geometry> {
    let found = cx.instruction.modifiers.iter().find_map(|modifier| Geometry::of(modifier));
    found.ok_or_else(|| cx.unknown("no shape that the emulator knows"))
}

const GEOMETRIES: &[&str] = &["1d", "2d", "3d", "a1d", "a2d", "cube", "acube"];

/// Refuses modifiers but types, shapes and `more`.
pub(super) fn allow(cx: &Cx<'_, '_>, more: &[&str]) -> LoweringResult {
    cx.allow(&[GEOMETRIES, more].concat())
}

pub(super) fn emit(cx: &mut Cx<'_, '_>, op: TextureOp, dst: Vec<Option<Reg>>, src: Vec<Operand>) {
    cx.emit(Opcode::Texture(op), dst, src);
}
