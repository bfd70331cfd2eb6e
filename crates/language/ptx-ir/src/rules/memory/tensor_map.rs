//! Rules of `tensormap.replace` and `tensormap.cp_fenceproxy`: changes of tensor maps as stores to fields of the emulator's layout.
//! Values follow ptxas: extents are given in full, the rank minus 1, strides in bytes.

use crate::LoweringResult;
use crate::kernel::*;
use crate::memory_layout::tensor_map as layout;
use crate::module::constants::immediate_bits;
use crate::opcode::Alu;
use crate::opcode::integer::{Integer, IntegerOp};
use crate::opcode::logic::{CompareOp, Relation};
use crate::opcode::memory::{AccessPart, MemoryKind, MemoryOp};
use crate::rules::context::Cx;
use crate::rules::memory::access::space;
use lanework_ptx as syntax;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::ScalarType::{self, *};

/// The types of elements by the codes of `.elemtype`, each with its code in the emulator's layout.
const ELEMENTS: [(u64, u64); 10] =
    [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (9, 8), (10, 9)];

/// `tensormap`.
pub fn tensormap(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has(CpFenceproxy) { copy(cx) } else { replace(cx) }
}

fn access(kind: MemoryKind, space: MemorySpace, ty: ScalarType, offset: i64) -> Opcode {
    let (order, part) = (MemoryOrder::default(), AccessPart::Whole);
    Opcode::Memory(MemoryOp { kind, space, ty, count: 1, offset, volatile: false, order, part })
}

/// An operand that must be a literal.
fn literal(cx: &Cx<'_, '_>, i: usize) -> LoweringResult<u64> {
    match cx.operand(i)? {
        syntax::Operand::Immediate(value) => Ok(immediate_bits(*value, U32)),
        _ => Err(cx.unsupported("a literal is expected")),
    }
}

/// The sum of a 32-bit operand and a constant.
fn sum(cx: &mut Cx<'_, '_>, i: usize, by: u32) -> LoweringResult<Operand> {
    let value = cx.src(i, U32)?;
    let register = cx.lowering.new_register(Width::Word);
    let add = Alu::Integer(IntegerOp::Add(Integer::U32));
    cx.alu(Some(register), &[value, Operand::Const(u64::from(by))], add)?;
    Ok(Operand::Reg(register))
}

#[rustfmt::skip] // as many as fit
const FIELDS: &[Modifier] = &[
    Replace, Tile, B1024, Global, SharedCta, GlobalAddress, Rank, GlobalDim, GlobalStride, BoxDim,
    ElementStride, Elemtype, InterleaveLayout, SwizzleMode, SwizzleAtomicity, FillMode,
];

fn replace(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(FIELDS)?;
    let wide = [GlobalAddress, GlobalStride].iter().any(|field| cx.has(*field));
    if cx.ty()? != if wide { B64 } else { B32 } {
        return Err(cx.unsupported("this type"));
    }
    let ordered = [GlobalDim, GlobalStride, BoxDim, ElementStride];
    let ordered = ordered.iter().any(|field| cx.has(*field));
    cx.operands(if ordered { 3 } else { 2 })?;
    let (base, offset, named) = cx.address(0)?;
    let within = crate::rules::memory::access::resolve(space(cx), named);
    let at = if ordered { literal(cx, 1)? as usize } else { 0 };
    let last = if cx.has(GlobalStride) { 3 } else { 4 };
    if at > last {
        return Err(cx.unsupported("a dimension beyond those of a tensor map"));
    }
    let (place, ty, value) = if cx.has(GlobalAddress) {
        (layout::ADDRESS, B64, cx.src(1, B64)?)
    } else if cx.has(Rank) {
        (layout::DIMENSIONS, B8, sum(cx, 1, 1)?)
    } else if cx.has(GlobalDim) {
        (layout::EXTENTS + 4 * at, B32, sum(cx, 2, u32::MAX)?)
    } else if cx.has(GlobalStride) {
        (layout::STRIDES + 8 * at, B64, cx.src(2, B64)?)
    } else if cx.has(BoxDim) {
        (layout::TILE + 2 * at, B16, cx.src(2, U32)?)
    } else if cx.has(ElementStride) {
        (layout::STEPS + at, B8, cx.src(2, U32)?)
    } else {
        let code = literal(cx, 1)?;
        let (place, code) = if cx.has(Elemtype) {
            (layout::ELEMENT, ELEMENTS.iter().find(|(ptx, _)| *ptx == code).map(|(_, ours)| *ours))
        } else if cx.has(SwizzleMode) {
            (layout::SWIZZLE, (code < 4).then_some(code))
        } else if cx.has(FillMode) {
            (layout::FILL, (code < 2).then_some(code))
        } else if code == 0 && (cx.has(InterleaveLayout) || cx.has(SwizzleAtomicity)) {
            return cx.nothing();
        } else {
            return Err(cx.unsupported("this field or value"));
        };
        (place, B8, Operand::Const(code.ok_or_else(|| cx.unsupported("this value"))?))
    };
    let opcode = access(MemoryKind::Store, within, ty, offset + place as i64);
    cx.emit(opcode, Vec::new(), vec![base, value]);
    Ok(())
}

/// `cp_fenceproxy`: one lane copies the map from shared to global memory. The fence has no effect, because memory
/// accesses run in order.
fn copy(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[
        CpFenceproxy,
        Global,
        SharedCta,
        TensormapGeneric,
        Release,
        Cta,
        Cluster,
        Gpu,
        Sys,
        Sync,
        Aligned,
    ])?;
    cx.operands(3)?;
    if literal(cx, 2)? != layout::BYTES as u64 {
        return Err(cx.unsupported("a size other than 128"));
    }
    let ((to, to_offset, _), (from, from_offset, _)) = (cx.address(0)?, cx.address(1)?);
    let skip = cx.lowering.skip_unless(cx.guard);
    let lane = cx.lowering.special(SpecialRegister::Lane, Width::Word);
    let first = cx.lowering.new_register(Width::Predicate);
    let equal = Opcode::Alu(Alu::Compare(CompareOp::Integer(Relation::Equal, Integer::U32)));
    let src = vec![Operand::Reg(lane), Operand::Const(0)];
    cx.lowering.emit(equal, vec![Some(first)], src, None);
    let guard = Some((first, false));
    let word = cx.lowering.new_register(Width::Wide);
    for at in (0..layout::BYTES as i64).step_by(8) {
        let load = access(MemoryKind::Load, MemorySpace::Shared, B64, from_offset + at);
        cx.lowering.emit(load, vec![Some(word)], vec![from], guard);
        let store = access(MemoryKind::Store, MemorySpace::Global, B64, to_offset + at);
        cx.lowering.emit(store, Vec::new(), vec![to, Operand::Reg(word)], guard);
    }
    if let Some(skip) = skip {
        cx.lowering.set_label(skip);
    }
    Ok(())
}
