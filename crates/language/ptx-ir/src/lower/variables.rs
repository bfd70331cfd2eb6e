//! Where variables lie in shared and local memory.
//!
//! For checks they keep apart, so that an index out of one does not land in the next.
//! Loads, stores and copies of variables in memory that no PTX instruction states: parameters, results and frames of
//! calls.

use crate::kernel::*;
use crate::lower::state::Lowering;
use lanework_ptx as syntax;
use lanework_ptx::{Linkage, ScalarType, StateSpace, Variable};

/// Bytes left free between variables, so that an index out of one does not land in the next.
pub const GAP: u32 = 1024;
/// The same in local memory once it has so many bytes.
const NARROW_GAP: u32 = 32;
const WIDE_GAPS: u32 = 16 << 10;

/// The layout of a kernel's variables so far.
pub struct Layout {
    /// Whether variables keep apart.
    gaps: bool,
    /// Bytes of shared memory without gaps.
    packed_shared: u32,
    /// The alignment of dynamic shared memory: that of what is declared there, 16 at least.
    dynamic_alignment: u32,
}

impl Layout {
    /// One without variables; `gaps` says whether they keep apart.
    pub fn new(gaps: bool) -> Layout {
        Layout { gaps, packed_shared: 0, dynamic_alignment: 16 }
    }

    /// Places a variable in shared memory; gives its address.
    pub fn shared(&mut self, kernel: &mut Kernel, variable: &Variable) -> Operand {
        let open = variable.dims.iter().any(Option::is_none);
        if variable.linkage == Linkage::Extern && (open || variable.size() == 0) {
            kernel.dynamic_shared.get_or_insert_with(|| readable(&variable.name));
            let align = variable.alignment().clamp(1, 1024);
            self.dynamic_alignment = self.dynamic_alignment.max(align);
            return Operand::DynamicShared(0);
        }
        let align = variable.alignment().clamp(1, 1024);
        let bytes = variable.size().min(1 << 31) as u32;
        let offset = self.place(kernel.static_shared, align, GAP);
        kernel.static_shared = offset.saturating_add(bytes);
        let packed = self.packed_shared.min(1 << 30).next_multiple_of(align);
        self.packed_shared = packed.saturating_add(bytes);
        let name = readable(&variable.name);
        kernel.shared_variables.push(Placed { name, offset, bytes });
        Operand::Const(u64::from(offset))
    }

    /// Where a variable goes after `end` bytes of others, as far from them as `gap` says.
    fn place(&self, end: u32, align: u32, gap: u32) -> u32 {
        let gap = if self.gaps && end > 0 { gap } else { 0 };
        (end.min(1 << 30) + gap).next_multiple_of(align)
    }

    /// Places a variable in local memory; gives its address.
    pub fn local(&self, kernel: &mut Kernel, variable: &Variable) -> Operand {
        let align = variable.alignment().clamp(1, 1024);
        // Code for debugging has thousands of variables once its calls are inlined, and each thread
        // has them all: parameters of calls are not indexed, and gaps get narrow in the end.
        let gap = match variable.space {
            StateSpace::Param => 0,
            _ if kernel.local_bytes < WIDE_GAPS => GAP,
            _ => NARROW_GAP,
        };
        let offset = self.place(kernel.local_bytes, align, gap);
        let bytes = variable.size().min(1 << 31) as u32;
        kernel.local_bytes = offset.saturating_add(bytes);
        let name = variable.name.clone();
        kernel.local_variables.push(Placed { name, offset, bytes });
        Operand::Const(u64::from(offset))
    }

    /// Ends static shared memory, where dynamic shared memory starts.
    pub fn finish(&self, kernel: &mut Kernel) {
        kernel.declared_shared = self.packed_shared;
        let gap = if self.gaps && kernel.static_shared > 0 { GAP } else { 0 };
        let end = kernel.static_shared.saturating_add(gap);
        kernel.static_shared = end.next_multiple_of(self.dynamic_alignment);
    }
}

/// The name of a variable as the source has it: of `_ZZ6kernelE4tile` the last part.
fn readable(name: &str) -> String {
    let last = name.strip_prefix("_ZZ").and_then(|rest| {
        rest.match_indices('E').rev().find_map(|(at, _)| {
            let digits: String = rest[at + 1..].chars().take_while(char::is_ascii_digit).collect();
            let start = at + 1 + digits.len();
            rest.get(start..start + digits.parse::<usize>().ok()?)
        })
    });
    last.unwrap_or(name).to_owned()
}

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
pub fn memory(kind: MemoryKind, space: MemorySpace, ty: ScalarType) -> MemoryOp {
    let (order, part) = (Order::default(), Part::Whole);
    MemoryOp { kind, space, ty, count: 1, offset: 0, volatile: false, order, part }
}
