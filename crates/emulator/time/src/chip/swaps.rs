//! Compare-and-swap operations on global memory: loops that repeat until the word has not changed in between, and locks.
//!
//! A block that is traced alone sees no other block's swaps, so its loops end early. The cost of contention follows from
//! the number of swaps of the most frequent word and from the number of lanes that run at the same time.

use crate::machine::Timings;
use crate::numbers::NumberMap;
use crate::trace::{AccessTarget, BlockTrace, KernelTrace};
use lanework_engine::event::AccessKind;
use lanework_ptx_ir::kernel::{Kernel, MemoryKind, Opcode, Reg};
use lanework_ptx_ir::opcode::memory::AtomicOp;
use std::collections::{HashMap, HashSet};

/// Purpose of a swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapUse {
    /// Each swap changes the word, for example a sum.
    Update,
    /// It writes a constant, as a lock does.
    Lock,
    /// It may leave the word unchanged, for example a minimum.
    Other,
}

/// Swaps of a block on the word that has the most of them among the words that blocks share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Swaps {
    /// Successful swaps of a block that runs alone, if they must follow each other.
    pub in_turn: f64,
    /// Whether they acquire a lock.
    pub locks: bool,
    /// Lanes of a block that swap the word or may have to.
    pub lanes: f64,
}

/// Instructions before a swap that are searched for the definition of its operand.
const REACH: usize = 64;

impl Swaps {
    /// Finds the swaps of a trace.
    pub fn new(trace: &KernelTrace) -> Swaps {
        let uses: HashMap<u32, SwapUse> = (0..trace.runs.all.len() as u32)
            .filter_map(|run| {
                let at = swap(trace, run)?;
                let purpose = match retries(trace, run) {
                    true => use_of(&trace.kernel, at),
                    false => SwapUse::Other,
                };
                Some((run, purpose))
            })
            .collect();
        if uses.is_empty() {
            return Swaps::default();
        }
        let of_blocks: Vec<NumberMap<Word>> =
            trace.blocks.iter().map(|block| words(block, &uses)).collect();
        let blocks = of_blocks.len();
        let mut swapped: Vec<u64> = of_blocks.iter().flat_map(swapped_words).collect();
        swapped.sort_unstable();
        swapped.dedup();
        let mean = |sector: u64| {
            let of = || of_blocks.iter().filter_map(move |words| words.get(&sector));
            let count = |value: &dyn Fn(&Word) -> f64| of().map(value).sum::<f64>() / blocks as f64;
            let swaps = Swaps {
                in_turn: count(&|word| word.in_turn),
                locks: of().any(|word| word.locks),
                // A lane that loads the word swaps it unless another one was faster. A lane counts once, however often it repeats.
                lanes: count(&|word| match word.loading > 0.0 {
                    true => word.loading,
                    false => word.swapping.min(f64::from(trace.threads)),
                }),
            };
            // Words that only few blocks access are not contended.
            (2 * of().count() >= blocks).then_some(swaps)
        };
        let scale = trace
            .blocks
            .first()
            .map_or(1.0, |block| block.executed() as f64 / block.recorded().max(1) as f64);
        let size = |of: &Swaps| of.in_turn + of.lanes;
        let most = swapped.into_iter().filter_map(mean).max_by(|a, b| size(a).total_cmp(&size(b)));
        most.map_or_else(Swaps::default, |of| Swaps {
            in_turn: of.in_turn * scale,
            lanes: of.lanes * scale,
            ..of
        })
    }

    /// Cycles that the swaps of all blocks take at least if `resident` lanes of them run at a time.
    pub fn cycles(&self, timings: &Timings, blocks: f64, resident_blocks: f64) -> f64 {
        let all = self.lanes * blocks;
        let resident = (self.lanes * resident_blocks).min(all);
        // While fewer lanes are left than can run at a time, fewer contend.
        let contending = resident * (1.0 - 0.5 * resident / all.max(1.0));
        // A lock is taken and returned, and each lane that waits for it swaps all the time.
        let round = match self.locks {
            true => 2.0 * timings.swap_round + timings.swap_interval * contending,
            false => timings.swap_round + timings.swap_contender * contending,
        };
        let passes = all * timings.swap_interval;
        passes.max(self.in_turn * blocks * round)
    }

    /// Whether the swaps of blocks contend for a word, so that their number depends on the order.
    pub fn contend(&self) -> bool {
        self.lanes > 0.0
    }
}

/// The swap of a run.
fn swap(trace: &KernelTrace, run: u32) -> Option<usize> {
    let run = &trace.runs.all[run as usize];
    (run.start as usize..run.end as usize).find(|&at| {
        matches!(trace.kernel.insts[at].opcode, Opcode::Memory(op)
            if matches!(op.kind, MemoryKind::Atomic(AtomicOp::CompareAndSwap(_))))
    })
}

/// Whether a run is in a loop of at most two basic blocks, as a swap that is retried at once.
fn retries(trace: &KernelTrace, run: u32) -> bool {
    let runs = &trace.runs;
    let block = runs.all[run as usize].block;
    let next = &runs.successors[block as usize];
    next.contains(&block) || next.iter().any(|&at| runs.successors[at as usize].contains(&block))
}

/// The purpose of the swap at an instruction, from the definition of the value that it writes.
fn use_of(kernel: &Kernel, at: usize) -> SwapUse {
    let [_, expected, value] = kernel.insts[at].src.as_slice() else { return SwapUse::Other };
    let Some(register) = value.register() else { return SwapUse::Lock };
    let mut wanted: HashSet<Reg> = HashSet::from([register]);
    let (mut sums, mut constant) = (false, true);
    for inst in kernel.insts[at.saturating_sub(REACH)..at].iter().rev() {
        if expected.register().is_some_and(|expected| wanted.contains(&expected)) {
            // The value depends on the word.
            return if sums { SwapUse::Update } else { SwapUse::Other };
        }
        let Some(written) = inst.writes().find(|register| wanted.contains(register)) else {
            continue;
        };
        let origin = kernel.origins.get(inst.origin as usize);
        match origin.map_or("", |origin| origin.name.as_str()).split('.').next() {
            Some("mov" | "cvt") => {}
            Some("add" | "sub" | "mul" | "mad" | "fma") => (sums, constant) = (true, false),
            _ => return SwapUse::Other,
        }
        wanted.remove(&written);
        wanted.extend(inst.reads());
    }
    if constant && wanted.is_empty() { SwapUse::Lock } else { SwapUse::Other }
}

/// The accesses of a traced block to a sector.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    in_turn: f64,
    locks: bool,
    swapping: f64,
    loading: f64,
}

fn swapped_words(words: &NumberMap<Word>) -> impl Iterator<Item = u64> {
    words.iter().filter(|(_, word)| word.swapping > 0.0).map(|(sector, _)| *sector)
}

/// The swaps and the loads of single sectors of a traced block, by sector.
fn words(block: &BlockTrace, uses: &HashMap<u32, SwapUse>) -> NumberMap<Word> {
    let mut found: NumberMap<Word> = NumberMap::default();
    for warp in &block.warps {
        for record in warp.traffic.iter().filter(|record| record.target == AccessTarget::Global) {
            let step = warp.steps[record.step as usize];
            let range = record.first as usize..record.first as usize + record.sectors as usize;
            let sectors = block.sectors.get(range).unwrap_or_default();
            let lanes = f64::from(step.mask.count_ones()) / sectors.len().max(1) as f64;
            match uses.get(&step.run) {
                Some(purpose) => {
                    for &sector in sectors {
                        let word = found.entry(sector).or_default();
                        word.swapping += lanes;
                        word.locks = *purpose == SwapUse::Lock;
                        word.in_turn += f64::from(u8::from(*purpose != SwapUse::Other));
                    }
                }
                None if record.kind == AccessKind::Load && sectors.len() == 1 => {
                    found.entry(sectors[0]).or_default().loading += lanes;
                }
                None => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::GpuModel;

    /// The predicted time in microseconds, divided by the measured one.
    fn ratio(swaps: Swaps, blocks: f64, measured_us: f64) -> f64 {
        let h200 = GpuModel::named("H200");
        swaps.cycles(&h200.timings, blocks, 1056.0) / h200.clock_ghz() / 1e3 / measured_us
    }

    /// The measured times are from docs/results/time/probe.jsonl.
    #[test]
    fn loops_and_locks_take_as_long_as_measured() {
        let sums = |threads: f64| Swaps { in_turn: threads, lanes: threads, locks: false };
        let once = |threads: f64| Swaps { in_turn: 0.0, lanes: threads, locks: false };
        let lock = Swaps { in_turn: 1.0, lanes: 1.0, locks: true };
        for (swaps, blocks, measured_us) in [
            (sums(1.0), 1024.0, 350.2),
            (sums(32.0), 132.0, 3_536.4),
            (sums(32.0), 1024.0, 106_210.2),
            (sums(256.0), 132.0, 115_956.2),
            (sums(256.0), 1024.0, 4_366_790.5),
            (once(256.0), 1024.0, 199.3),
            (lock, 132.0, 96.5),
            (lock, 1024.0, 1_266.3),
        ] {
            let found = ratio(swaps, blocks, measured_us);
            assert!((0.7..1.3).contains(&found), "{swaps:?} {blocks}: {found}");
        }
    }
}
