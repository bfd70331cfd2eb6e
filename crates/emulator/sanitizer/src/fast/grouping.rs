//! Which loads are checked together: those of words from one address register, with nothing in between
//! that could tell the one's time from the other's.

use super::group::Member;
use lanework_ptx_ir::kernel::*;
use std::collections::HashMap;

/// By instruction of a basic block, from `start` on: the loads that are checked before it, with itself
/// the first; none for what is checked with an earlier one. Whatever is not in the map is no such load.
pub fn groups(insts: &[Inst], start: usize) -> HashMap<usize, Vec<Member>> {
    let mut groups: HashMap<usize, Vec<Member>> = HashMap::new();
    // The first load of the group that more can join, by address.
    let mut open: HashMap<(bool, bool, Reg), usize> = HashMap::new();
    for (i, inst) in insts.iter().enumerate() {
        match (&inst.opcode, words(inst)) {
            (Opcode::Memory(op), Some(address)) => {
                let (offset, read_only) = (op.offset as u64, op.order.read_only);
                let member = Member { offset, instruction: inst.origin, read_only };
                let first = *open.entry(address).or_insert(start + i);
                groups.entry(first).or_default().push(member);
                if first != start + i {
                    groups.insert(start + i, Vec::new());
                }
            }
            (Opcode::Alu(_) | Opcode::Nothing, _) => {}
            _ => open.clear(),
        }
        open.retain(|(.., register), _| !inst.dst.contains(&Some(*register)));
    }
    groups
}

/// Whether a load in the common form goes to shared memory, whether it is one of what must not change, and
/// its address; `None` for anything else.
fn words(inst: &Inst) -> Option<(bool, bool, Reg)> {
    let (Opcode::Memory(op), Some(Operand::Reg(address))) = (&inst.opcode, inst.src.first()) else {
        return None;
    };
    let common = matches!(op.kind, MemoryKind::Load)
        && op.ty.size() == 4
        && op.count == 1
        && op.order.strong.is_none()
        && inst.guard.is_none()
        && matches!(op.space, MemorySpace::Shared | MemorySpace::Global);
    common.then_some((op.space == MemorySpace::Shared, op.order.read_only, *address))
}
