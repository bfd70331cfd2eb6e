//! Where ptxas begins basic blocks that PTX does not show, as its machine code for `sm_90a` tells (every form
//! of the conformance catalogue was put between a product and a sum, ptxas 13.0). The pass of contraction
//! asks; see `crate::contract`.

use crate::kernel::{MemoryKind, MemoryOp, Opcode};
use crate::lower::state::Lowering;
use crate::types::MemorySpace;
use lanework_ptx::Instruction;

/// Whether ptxas makes several blocks of an instruction: a path for rare operands, a loop, or a wait.
pub fn begins(instruction: &Instruction) -> bool {
    let has = |modifier: &str| instruction.modifiers.iter().any(|m| m == modifier);
    match instruction.opcode.as_str() {
        "brkpt" | "membar" | "pmevent" | "setmaxnreg" => true,
        "bfind" => has("u64") || has("s64"),
        "div" | "rem" => !(has("u32") || has("approx") || has("full")),
        "fence" => has("sc") || has("acq_rel"),
        "griddepcontrol" => has("launch_dependents"),
        "mma" => has("s4") || has("u4") || has("xor"),
        "rcp" | "sqrt" => !has("approx"),
        "rsqrt" => has("f64") && !has("ftz"),
        _ => false,
    }
}

/// Notes the blocks of an instruction that was lowered from `start` on: ptxas branches around what has a
/// guard and does more than to compute a value.
pub fn note_guarded(lowering: &mut Lowering<'_>, start: usize) {
    let branches = |opcode: Opcode| match opcode {
        Opcode::Memory(MemoryOp {
            kind: MemoryKind::Load, space: MemorySpace::Parameter, ..
        }) => false,
        opcode => !matches!(opcode, Opcode::Alu(_)),
    };
    let insts = &lowering.kernel.insts[start..];
    if insts.iter().any(|inst| inst.guard.is_some() && branches(inst.opcode)) {
        lowering.begin_block_at(start);
        lowering.begin_block();
    }
}
