//! Loads, stores and copies of variables in memory that no PTX instruction states: parameters, results and frames of
//! calls.

use crate::kernel::*;
use crate::lower::state::Lowering;
use lanework_ptx as syntax;
use lanework_ptx::ScalarType;

/// A load or store of local memory.
pub fn local(kind: MemoryKind, ty: ScalarType, offset: i64) -> MemoryOp {
    MemoryOp { offset, ..memory(kind, MemorySpace::Local, ty) }
}

/// Loads from local memory.
pub fn load(lowering: &mut Lowering<'_>, ty: ScalarType, to: Reg, base: Operand, offset: i64) {
    let op = Opcode::Memory(local(MemoryKind::Load, ty, offset));
    lowering.emit(op, vec![Some(to)], vec![base], None);
}

/// Stores to local memory.
pub fn store(
    lowering: &mut Lowering<'_>,
    ty: ScalarType,
    base: Operand,
    offset: i64,
    value: Operand,
) {
    let op = Opcode::Memory(local(MemoryKind::Store, ty, offset));
    lowering.emit(op, Vec::new(), vec![base, value], None);
}

/// Copies a variable's bytes from one place to another: space, base and offset.
pub fn copy_memory(
    lowering: &mut Lowering<'_>,
    to: (MemorySpace, Operand, i64),
    from: (MemorySpace, Operand, i64),
    variable: &syntax::Variable,
) {
    use ScalarType::{B8, B16, B32, B64};
    let (bytes, align) = (variable.size() as i64, i64::from(variable.alignment()));
    let mut at = 0;
    while at < bytes {
        let fits = |ty: &ScalarType| {
            let size = i64::from(ty.size());
            size <= align && at % size == 0 && at + size <= bytes
        };
        let ty = [B64, B32, B16, B8].into_iter().find(fits).unwrap_or(B8);
        let width = if ty == B64 { Width::Wide } else { Width::Word };
        let value = lowering.new_register(width);
        let (space, base, offset) = from;
        let load = MemoryOp { offset: offset + at, ..memory(MemoryKind::Load, space, ty) };
        lowering.emit(Opcode::Memory(load), vec![Some(value)], vec![base], None);
        let (space, base, offset) = to;
        let store = MemoryOp { offset: offset + at, ..memory(MemoryKind::Store, space, ty) };
        let src = vec![base, Operand::Reg(value)];
        lowering.emit(Opcode::Memory(store), Vec::new(), src, None);
        at += i64::from(ty.size());
    }
}

/// A load or store of one value.
pub(super) fn memory(kind: MemoryKind, space: MemorySpace, ty: ScalarType) -> MemoryOp {
    let (order, part) = (Order::default(), Part::Whole);
    MemoryOp { kind, space, ty, count: 1, offset: 0, volatile: false, order, part }
}
