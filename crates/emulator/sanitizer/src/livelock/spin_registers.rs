//! The registers that decide how a spin continues.
//!
//! *Algorithm.* The code of a spin is the strongly connected component of the control-flow graph that the
//! warp is in: a warp that leaves it does not come back. A backward slice (Weiser, "Program Slicing", 1981)
//! within that code finds the registers that reach a guard, an address, a stored value, or any other
//! operation with an effect. Others, such as a counter of tries that is read after the loop, do not decide
//! anything while the spin lasts.
//!
//! A forward slice from reads of the clock finds the registers that change with time alone. The probe leaves
//! them out, too, and instead moves the clock ahead, so a wait with a timeout ends.

use lanework_ptx_ir::analysis::cfg::ControlFlowGraph;
use lanework_ptx_ir::kernel::{Inst, Kernel, Opcode};
use lanework_ptx_ir::opcode::sync::WarpOp;

/// The registers that decide how the spinning warps of a cluster continue.
#[derive(Clone, Default)]
pub struct SpinRegisters {
    /// Whether each register decides and does not depend on the clock.
    pub deciding: Vec<bool>,
    /// Whether a register that decides depends on the clock.
    pub timed: bool,
}

impl SpinRegisters {
    /// For warps at these instructions.
    pub fn at(kernel: &Kernel, cfg: &ControlFlowGraph, instructions: &[u32]) -> SpinRegisters {
        let at = |inst: &&Inst| instructions.contains(&inst.origin);
        let blocks = kernel.insts.iter().enumerate().filter(|(_, inst)| at(inst));
        let mut starts: Vec<usize> = blocks.map(|(i, _)| cfg.block_of(i)).collect();
        starts.dedup();
        let mut within = vec![false; cfg.blocks.len()];
        for start in starts {
            if !within[start] {
                component(cfg, start, &mut within);
            }
        }
        let code = || {
            let blocks = cfg.blocks.iter().zip(&within).filter(|(_, within)| **within);
            blocks.flat_map(|(block, _)| &kernel.insts[block.start..block.end])
        };
        let mut decides = vec![false; kernel.registers.len()];
        for inst in code() {
            let effects = inst.src.iter().filter_map(|src| src.register());
            let effects = effects.filter(|_| inst.opcode.has_effect());
            effects.chain(inst.guard.map(|(r, _)| r)).for_each(|r| decides[r as usize] = true);
        }
        slice(code, &mut decides, |inst, decides| {
            let wanted = inst.is_alu() && inst.writes().any(|r| decides[r as usize]);
            wanted.then(|| inst.src.iter().filter_map(|src| src.register()).collect())
        });
        let mut timed = vec![false; kernel.registers.len()];
        slice(code, &mut timed, |inst, timed| {
            let reads = || inst.reads().any(|r| timed[r as usize]);
            let changes = is_clock(inst) || !matches!(inst.opcode, Opcode::Memory(_)) && reads();
            changes.then(|| inst.writes().collect())
        });
        let both = |(decides, timed): (&bool, &bool)| *decides && *timed;
        let depends = decides.iter().zip(&timed).any(both);
        let deciding = decides.iter().zip(&timed).map(|(decides, timed)| *decides && !timed);
        SpinRegisters { deciding: deciding.collect(), timed: depends }
    }
}

fn is_clock(inst: &Inst) -> bool {
    matches!(inst.opcode, Opcode::Warp(WarpOp::Clock { .. }))
}

/// Adds registers until none is missing; `more` gives those that an instruction adds.
fn slice<'a, I: Iterator<Item = &'a Inst>>(
    code: impl Fn() -> I,
    found: &mut [bool],
    more: impl Fn(&Inst, &[bool]) -> Option<Vec<u32>>,
) {
    loop {
        let mut changed = false;
        for inst in code() {
            for r in more(inst, found).unwrap_or_default() {
                changed |= !std::mem::replace(&mut found[r as usize], true);
            }
        }
        if !changed {
            return;
        }
    }
}

/// Marks the blocks that a block reaches and that reach it.
fn component(cfg: &ControlFlowGraph, start: usize, within: &mut [bool]) {
    let reached = |next: &dyn Fn(usize) -> Vec<usize>| {
        let mut seen = vec![false; cfg.blocks.len()];
        let mut open = vec![start];
        seen[start] = true;
        while let Some(block) = open.pop() {
            for other in next(block) {
                if !std::mem::replace(&mut seen[other], true) {
                    open.push(other);
                }
            }
        }
        seen
    };
    let forward = reached(&|block| cfg.successors(block).to_vec());
    let backward = reached(&|block| cfg.predecessors(block).to_vec());
    for (within, (a, b)) in within.iter_mut().zip(forward.iter().zip(&backward)) {
        *within |= a & b;
    }
}
