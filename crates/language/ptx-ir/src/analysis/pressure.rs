//! Register pressure: the maximum number of live 32-bit registers of a kernel.
//!
//! The estimate is the maximum number of live words at any instruction ("MaxLive" in register allocation), from liveness.
//! The driver's compiler also schedules, folds and rematerializes, so its count differs; but it cannot need fewer registers than
//! are live at once, as in register tiles.

use crate::analysis::Analyses;
use crate::kernel::{Kernel, Reg, Width};

/// An estimate of a kernel's register use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterPressure {
    /// 32-bit registers per thread, at most [`MOST_REGISTERS`].
    pub registers: u32,
    /// Bytes per thread that would spill to local memory, plus the kernel's own local variables.
    pub spill_bytes: u32,
}

/// The maximum number of registers per thread.
pub const MOST_REGISTERS: u32 = 255;
/// Registers that every kernel needs for the stack pointer, addresses and temporaries.
const OVERHEAD: u32 = 6;
/// Allocation granularity.
const UNIT: u32 = 8;

/// The estimate for a kernel.
pub fn pressure(kernel: &Kernel, analyses: &Analyses) -> RegisterPressure {
    let blocks = 0..analyses.cfg.blocks.len();
    let most = blocks.map(|block| most_alive(kernel, analyses, block)).max();
    let wanted = (most.unwrap_or(0) + OVERHEAD).next_multiple_of(UNIT);
    RegisterPressure {
        registers: wanted.min(MOST_REGISTERS),
        spill_bytes: 4 * wanted.saturating_sub(MOST_REGISTERS + 1) + kernel.local_bytes,
    }
}

/// The maximum number of live 32-bit words in a basic block, computed backward from its end.
fn most_alive(kernel: &Kernel, analyses: &Analyses, block: usize) -> u32 {
    let words = |register: Reg| match kernel.registers[register as usize] {
        register if register.special.is_some() => 0,
        register => match register.width {
            Width::Predicate => 0,
            Width::Word => 1,
            Width::Wide => 2,
        },
    };
    let cfg = &analyses.cfg;
    let mut live = analyses.liveness.live_out(cfg, block);
    let mut alive: u32 = live.iter().map(|register| words(register as Reg)).sum();
    let mut most = alive;
    let block = &cfg.blocks[block];
    for inst in kernel.insts[block.start..block.end].iter().rev() {
        for dst in inst.writes().filter(|_| inst.guard.is_none()) {
            if live.contains(dst as usize) {
                live.remove(dst as usize);
                alive -= words(dst);
            }
        }
        for register in inst.reads() {
            if !live.contains(register as usize) {
                live.insert(register as usize);
                alive += words(register);
            }
        }
        most = most.max(alive);
    }
    most
}
