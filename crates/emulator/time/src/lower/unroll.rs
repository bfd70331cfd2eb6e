//! Which loops ptxas unrolls, and which operations the copies of the body share.
//!
//! ptxas 13 unrolls innermost loops of one basic block four times if the result stays small. The copies share one
//! comparison and one branch, and 64-bit addresses that grow by a constant become offsets. 32-bit indices do not: they may
//! wrap around.

use crate::lower::{Lowered, Unit};
use crate::trace::KernelTrace;
use lanework_ptx_ir::kernel::{Kernel, Opcode, Operand, Width};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::integer::{Integer, IntegerOp};

/// The most operations of a loop body that is unrolled four times.
const SMALL_BODY: usize = 64;

/// The unrolling of each basic block: 1 for those that are no loops.
pub fn factors(trace: &KernelTrace, lowered: &Lowered) -> Vec<u8> {
    let blocks = 0..trace.runs.successors.len() as u32;
    let factor = |block: u32| {
        let itself = trace.runs.successors[block as usize].contains(&block);
        if !itself {
            return 1;
        }
        let runs = trace.runs.of_block(block);
        let operations = runs.flat_map(|run| &lowered.operations[run as usize]);
        let (mut cost, mut walls) = (0, 0);
        for operation in operations {
            cost += usize::from(operation.unit != Unit::Free);
            walls += usize::from(matches!(operation.unit, Unit::Sync | Unit::Fence | Unit::Wgmma(_)));
        }
        if cost <= SMALL_BODY && walls == 0 { 4 } else { 1 }
    };
    blocks.map(factor).collect()
}

/// Whether the copies of an instruction after the first cost nothing: a 64-bit sum with a constant in a loop.
pub fn grows_by_constant(kernel: &Kernel, at: usize) -> bool {
    let inst = &kernel.insts[at];
    let sum = matches!(
        inst.opcode,
        Opcode::Alu(Alu::Integer(IntegerOp::Add(Integer::U64 | Integer::S64)))
    );
    let constant = inst.src.iter().any(|operand| matches!(operand, Operand::Const(_)));
    let wide = inst.writes().all(|r| kernel.registers[r as usize].width == Width::Wide);
    sum && constant && wide
}
