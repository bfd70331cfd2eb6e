//! Rules of textures and surfaces. Not supported, because no specification is precise enough: depth comparison, multisampling,
//! half-precision results, and queries with driver-specific codes.

use crate::LoweringResult;
use crate::kernel::*;
use crate::lower::state::Symbol;
use crate::memory_layout::PARAMETER_WINDOW;
use crate::opcode::Alu;
use crate::opcode::logic::LogicOp;
use crate::opcode::memory::AtomicOp;
use crate::opcode::texture::{
    Geometry, MipLevel, OutOfBounds, SurfaceAccess, TextureOp, TextureQuery,
};
use crate::rules::context::Cx;
use crate::rules::memory::access::{self, atomic_kind};
use crate::rules::mov::copy;
use lanework_ptx as syntax;
use lanework_ptx::AddressBase;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::ScalarType::{self, *};

/// The four results, and the predicate that tells whether the texels are resident: always true.
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
        return Err(cx.unsupported("four results are expected"));
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

/// How the instruction selects the mipmap level.
fn mip(cx: &Cx<'_, '_>) -> LoweringResult<MipLevel> {
    match (cx.has(Base), cx.has(Level), cx.has(Grad)) {
        (_, false, false) => Ok(MipLevel::Base),
        (false, true, false) => Ok(MipLevel::Level),
        (false, false, true) => Ok(MipLevel::Gradient),
        _ => Err(cx.unsupported("several ways to give the mipmap level")),
    }
}

/// Appends the level operands after the coordinates; returns how many instruction operands they take.
fn level(
    cx: &mut Cx<'_, '_>,
    mip: MipLevel,
    geometry: Geometry,
    coordinate: ScalarType,
    src: &mut Vec<Operand>,
) -> LoweringResult<usize> {
    match mip {
        MipLevel::Base => Ok(0),
        MipLevel::Level => {
            src.push(cx.src(2, coordinate)?);
            Ok(1)
        }
        MipLevel::Gradient => {
            if coordinate != F32 {
                return Err(cx.unsupported("gradients of integer coordinates"));
            }
            for i in [2, 3] {
                let parts = match cx.operand(i)?.clone() {
                    syntax::Operand::Vector(list) => list,
                    one => vec![one],
                };
                if parts.len() < geometry.axes() {
                    return Err(cx.unsupported("a gradient with fewer parts than coordinates"));
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
    let gathers = cx.instruction.opcode == syntax::Opcode::Tld4;
    let components = [R, G, B, A];
    match gathers {
        true => allow(cx, &[R, G, B, A, V4])?,
        false => allow(cx, &[V4, Base, Level, Grad])?,
    }
    let geometry = geometry(cx)?;
    let [ty, coordinate] = cx.types()[..] else {
        return Err(cx.unsupported("two types are expected"));
    };
    if !matches!(ty, U32 | S32 | F32) || !matches!(coordinate, S32 | F32) || !cx.has(V4) {
        return Err(cx.unsupported("these types"));
    }
    let mut src = place(cx, 1, geometry, coordinate)?;
    let mip = mip(cx)?;
    let mut next = 2 + level(cx, mip, geometry, coordinate, &mut src)?;
    let offset = match cx.instruction.operands.get(next).cloned() {
        Some(syntax::Operand::Vector(list)) => {
            if list.len() < geometry.axes() {
                return Err(cx.unsupported("too few offsets"));
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
        return Err(cx.unsupported("comparison of depths"));
    }
    if offset && matches!(geometry, Geometry::Cube | Geometry::Cubes) {
        return Err(cx.unsupported("offsets in a cube"));
    }
    let op = match gathers {
        false => TextureOp::Sample { geometry, fetch: coordinate == S32, mip, offset },
        true => {
            if !matches!(geometry, Geometry::Plane | Geometry::Planes) || coordinate != F32 {
                return Err(cx.unsupported("this shape"));
            }
            let component = components.iter().position(|component| cx.has(*component));
            let component =
                component.ok_or_else(|| cx.unsupported("the component is missing"))? as u8;
            TextureOp::Gather { geometry, component, offset }
        }
    };
    let dst = results(cx, ty)?;
    emit(cx, op, dst, src);
    Ok(())
}

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
        _ => Err(cx.unsupported(&format!("`{name}` is not a texture, sampler or surface"))),
    }
}

/// The texture, its sampler and the coordinates of operand `i`.
pub fn place(
    cx: &mut Cx<'_, '_>,
    i: usize,
    geometry: Geometry,
    coordinate: ScalarType,
) -> LoweringResult<Vec<Operand>> {
    let syntax::Operand::Address(address) = cx.operand(i)?.clone() else {
        return Err(cx.unsupported("a texture or surface in brackets is expected"));
    };
    let (AddressBase::Name(name), 0) = (&address.base, address.offset) else {
        return Err(cx.unsupported("the texture or surface is not named by a register or variable"));
    };
    let object = handle(cx, name)?;
    let (sampler, coordinates) = match &address.extra[..] {
        [coordinates] => (Operand::Const(0), coordinates),
        [syntax::Operand::Name(sampler), coordinates] => (handle(cx, sampler)?, coordinates),
        _ => return Err(cx.unsupported("coordinates are expected after the texture or surface")),
    };
    let coordinates = match coordinates {
        syntax::Operand::Vector(list) => list.clone(),
        one => vec![one.clone()],
    };
    if coordinates.len() != geometry.written() {
        return Err(cx.unsupported("the number of coordinates does not match the shape"));
    }
    let mut src = vec![object, sampler];
    for (at, operand) in coordinates.iter().enumerate() {
        let ty = if at == 0 && geometry.is_layered() { U32 } else { coordinate };
        src.push(cx.source(operand, ty)?);
    }
    Ok(src)
}

/// The object in the brackets of operand `i`.
pub fn object(cx: &mut Cx<'_, '_>, i: usize) -> LoweringResult<Operand> {
    match cx.operand(i)?.clone() {
        syntax::Operand::Address(address) if address.offset == 0 && address.extra.is_empty() => {
            match &address.base {
                AddressBase::Name(name) => handle(cx, name),
                AddressBase::Absolute(_) => Err(cx.unsupported("a number instead of a handle")),
            }
        }
        syntax::Operand::Name(name) => handle(cx, &name),
        _ => Err(cx.unsupported("a texture or surface in brackets is expected")),
    }
}

/// The shape that the modifiers name.
pub fn geometry(cx: &Cx<'_, '_>) -> LoweringResult<Geometry> {
    let found =
        cx.instruction.modifiers.iter().find_map(|modifier| Geometry::from_modifier(*modifier));
    found.ok_or_else(|| cx.unsupported("no shape that the emulator knows"))
}

const GEOMETRIES: &[Modifier] = &[D1, D2, D3, A1d, A2d, Cube, Acube];

/// Refuses modifiers but types, shapes and `more`.
pub fn allow(cx: &Cx<'_, '_>, more: &[Modifier]) -> LoweringResult {
    cx.allow(&[GEOMETRIES, more].concat())
}

pub fn emit(cx: &mut Cx<'_, '_>, op: TextureOp, dst: Vec<Option<Reg>>, src: Vec<Operand>) {
    cx.emit(Opcode::Texture(op), dst, src);
}

/// `txq` and `suq`.
pub fn query(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let texture = cx.instruction.opcode == syntax::Opcode::Txq;
    let known: &[(Modifier, TextureQuery)] = &[
        (QueryWidth, TextureQuery::Width),
        (QueryHeight, TextureQuery::Height),
        (QueryDepth, TextureQuery::Depth),
        (ArraySize, TextureQuery::Layers),
        (NumMipmapLevels, TextureQuery::Levels),
        (NumSamples, TextureQuery::Samples),
        (NormalizedCoords, TextureQuery::Normalized),
    ];
    let known = if texture { known } else { &known[..4] };
    let (_, ask) = *known
        .iter()
        .find(|(name, _)| cx.has(*name))
        .ok_or_else(|| cx.unsupported("a query with a driver-specific answer"))?;
    if cx.ty()? != B32 {
        return Err(cx.unsupported("this type"));
    }
    let of_level = texture && cx.has(Level);
    if of_level && !matches!(ask, TextureQuery::Width | TextureQuery::Height | TextureQuery::Depth)
    {
        return Err(cx.unsupported("a query that is not of a level"));
    }
    let dst = cx.dst_of(0, B32)?;
    let object = object(cx, 1)?;
    let level = if of_level { cx.src(2, U32)? } else { Operand::Const(0) };
    emit(cx, TextureOp::Ask(ask), vec![dst], vec![object, level]);
    Ok(())
}

/// `istypep`.
pub fn is_type(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(2)?;
    let ask = match cx.ty()? {
        Texref => TextureQuery::IsTexture,
        Samplerref => TextureQuery::IsSampler,
        Surfref => TextureQuery::IsSurface,
        _ => return Err(cx.unsupported("this type")),
    };
    let dst = cx.dst_of(0, Pred)?;
    let object = object(cx, 1)?;
    let word = cx.lowering.new_register(Width::Word);
    emit(cx, TextureOp::Ask(ask), vec![Some(word)], vec![object, Operand::Const(0)]);
    cx.alu(dst, &[Operand::Reg(word)], Alu::Logic(LogicOp::IsNonzero))
}

/// How a surface instruction accesses elements of `ty`.
fn surface(cx: &Cx<'_, '_>, ty: ScalarType, count: u8) -> LoweringResult<SurfaceAccess> {
    let outside = match (cx.has(Trap), cx.has(Clamp), cx.has(Zero)) {
        (true, false, false) => OutOfBounds::Trap,
        (false, true, false) => OutOfBounds::Clamp,
        (false, false, true) => OutOfBounds::Zero,
        _ => return Err(cx.unsupported("neither `.trap` nor `.clamp` nor `.zero`")),
    };
    let geometry = geometry(cx)?;
    if matches!(geometry, Geometry::Cube | Geometry::Cubes) {
        return Err(cx.unsupported("surfaces that are cubes"));
    }
    let bytes = ty.size() as u8;
    Ok(SurfaceAccess { geometry, outside, bytes, count, texels: cx.has(P) })
}

const SURFACE: &[Modifier] = &[B, P, V2, V4, Trap, Clamp, Zero, Ca, Cg, Cs, Cv, Wb, Wt];

/// The elements of an operand that may be a vector.
fn vector(cx: &Cx<'_, '_>, i: usize) -> LoweringResult<Vec<syntax::Operand>> {
    let count = access::count(cx);
    access::elements(cx, i, count)
}

/// `suld`.
pub fn surface_load(cx: &mut Cx<'_, '_>) -> LoweringResult {
    allow(cx, SURFACE)?;
    cx.operands(2)?;
    let ty = cx.ty()?;
    let elements = vector(cx, 0)?;
    let surface = surface(cx, ty, elements.len() as u8)?;
    if surface.texels || !matches!(ty, B8 | B16 | B32 | B64) {
        return Err(cx.unsupported("this type"));
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
pub fn surface_store(cx: &mut Cx<'_, '_>) -> LoweringResult {
    allow(cx, SURFACE)?;
    cx.operands(2)?;
    let ty = cx.ty()?;
    let elements = vector(cx, 1)?;
    let surface = surface(cx, ty, elements.len() as u8)?;
    if !matches!(ty, B8 | B16 | B32 | B64) || surface.texels && ty != B32 {
        return Err(cx.unsupported("this type"));
    }
    let mut src = place(cx, 0, surface.geometry, S32)?;
    for element in &elements {
        src.push(cx.source(element, ty)?);
    }
    emit(cx, TextureOp::Store(surface), Vec::new(), src);
    Ok(())
}

/// `sured`.
pub fn surface_reduce(cx: &mut Cx<'_, '_>) -> LoweringResult {
    const KINDS: &[Modifier] = &[Add, Min, Max, And, Or];
    allow(cx, &[SURFACE, KINDS].concat())?;
    cx.operands(2)?;
    let ty = cx.ty()?;
    let surface = surface(cx, ty, 1)?;
    let kind = KINDS.iter().find(|kind| cx.has(**kind)).and_then(|kind| atomic_kind(*kind));
    // Bits are added and compared as unsigned ones.
    let number = match ty {
        B32 => U32,
        B64 => U64,
        U32 | S32 | U64 | S64 => ty,
        _ => return Err(cx.unsupported("this type")),
    };
    let op = kind.and_then(|kind| {
        let bits = if number.size() == 8 { B64 } else { B32 };
        AtomicOp::for_copy(kind, number).or_else(|| AtomicOp::for_copy(kind, bits))
    });
    let op = op.ok_or_else(|| cx.unsupported("no operation on this type"))?;
    let mut src = place(cx, 0, surface.geometry, S32)?;
    src.push(cx.src(1, ty)?);
    emit(cx, TextureOp::Reduce(surface, op), Vec::new(), src);
    Ok(())
}
