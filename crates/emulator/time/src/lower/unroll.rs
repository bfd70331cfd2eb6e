//! Which loops ptxas unrolls, and which operations the copies of the body share.
//!
//! ptxas 13 unrolls innermost loops of one basic block four times if their counter grows by a constant and the result stays
//! small. The copies share one
//! comparison and one branch, and 64-bit addresses that grow by a constant become offsets. 32-bit indices do not: they may
//! wrap around.

use crate::lower::{Lowered, Unit};
use crate::trace::KernelTrace;
use lanework_ptx_ir::kernel::{Kernel, Opcode, Operand, Reg, Width};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::integer::{Integer, IntegerOp};
use lanework_ptx_ir::opcode::logic::MoveOp;

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
        if !counts_by_constant(trace, runs.clone()) {
            return 1;
        }
        let operations = runs.flat_map(|run| &lowered.operations[run as usize]);
        let (mut cost, mut walls) = (0, 0);
        for operation in operations {
            cost += usize::from(operation.unit != Unit::Free);
            walls +=
                usize::from(matches!(operation.unit, Unit::Sync | Unit::Fence | Unit::Wgmma(_)));
        }
        if cost <= SMALL_BODY && walls == 0 { 4 } else { 1 }
    };
    blocks.map(factor).collect()
}

/// Whether the counter of a loop of these runs, which its last branch compares, grows by a constant.
fn counts_by_constant(trace: &KernelTrace, runs: std::ops::Range<u32>) -> bool {
    let kernel = &trace.kernel;
    let (first, last) = (runs.start as usize, runs.end as usize - 1);
    let body =
        &kernel.insts[trace.runs.all[first].start as usize..trace.runs.all[last].end as usize];
    let writer =
        |register: Reg| body.iter().rev().find(|inst| inst.writes().any(|r| r == register));
    let guard = body.last().and_then(|branch| branch.guard);
    let Some(compares) = guard.and_then(|(guard, _)| writer(guard)) else { return false };
    let counts = |register: Reg| {
        let mut at = writer(register);
        // A copy at the end of the body moves the new value to the counter.
        if let Some(inst) = at
            && matches!(inst.opcode, Opcode::Alu(Alu::Move(MoveOp::Copy(_))))
        {
            at = inst.src.first().and_then(|operand| operand.register()).and_then(writer);
        }
        at.is_some_and(|inst| {
            matches!(inst.opcode, Opcode::Alu(Alu::Integer(IntegerOp::Add(_) | IntegerOp::Sub(_))))
                && inst.src.iter().any(|operand| matches!(operand, Operand::Const(_)))
        })
    };
    compares.src.iter().filter_map(|operand| operand.register()).any(counts)
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
