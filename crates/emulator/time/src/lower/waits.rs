//! Loops that wait for the clock. On the emulator, the clock counts the warp's instructions, so such a loop runs one
//! instruction for each cycle that it waits. On a GPU it runs fewer iterations, but waits as many cycles.

use crate::lower::listed::simple;
use crate::lower::{MachineOperation, Unit};
use crate::trace::Runs;
use lanework_ptx_ir::kernel::{Kernel, Opcode};
use lanework_ptx_ir::opcode::memory::WarpOp;

/// Replaces the operations of loops of at most two basic blocks that read the clock and access no memory.
pub fn replace_clock_loops(kernel: &Kernel, runs: &Runs, operations: &mut [Vec<MachineOperation>]) {
    let insts = |block: usize| {
        let all = runs.of_block(block as u32).map(|run| &runs.all[run as usize]);
        all.flat_map(|run| &kernel.insts[run.start as usize..run.end as usize])
    };
    let reads_clock = |block: usize| {
        insts(block).any(|inst| matches!(inst.opcode, Opcode::Warp(WarpOp::Clock { .. })))
    };
    let is_plain = |block: usize| {
        let warp_or_alu = |opcode: &Opcode| {
            matches!(opcode, Opcode::Alu(_) | Opcode::Nothing | Opcode::Warp(WarpOp::Clock { .. }))
        };
        let last = insts(block).count().saturating_sub(1);
        // The last instruction may be the branch.
        insts(block).enumerate().all(|(at, inst)| at == last || warp_or_alu(&inst.opcode))
    };
    let follows = |block: usize, next: usize| runs.successors[block].contains(&(next as u32));
    for block in (0..runs.successors.len()).filter(|&block| reads_clock(block)) {
        let other = runs.successors[block].iter().map(|&next| next as usize);
        let back = other.filter(|&next| follows(next, block));
        for member in back.flat_map(|other| [block, other]) {
            if !is_plain(member) {
                continue;
            }
            let of = runs.of_block(member as u32);
            let cycles = of.len() as u32;
            for (at, run) in of.enumerate() {
                let unit = if at == 0 { Unit::Elapse(cycles) } else { Unit::Free };
                operations[run as usize] = vec![simple(unit, run)];
            }
        }
    }
}
