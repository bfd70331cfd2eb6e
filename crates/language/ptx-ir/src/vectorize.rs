//! Load vectorisation: the loads of neighbouring words from shared memory that ptxas joins into one, for
//! counts.
//!
//! A model of what ptxas 13.0 does for sm_90, found by comparing with its output: of loads from one base in
//! one basic block, between which nothing else goes to shared memory, those of the words of an aligned
//! 8 bytes become one load of 8 bytes, and those of an aligned 16 bytes one of 16 if one half is whole and
//! anything of the other is loaded. Alignment comes from [`super::known_bits`]. Loads of global and local
//! memory are left alone. Only the counters ask: results do not change.

use crate::cfg::ControlFlowGraph;
use crate::kernel::{Inst, Kernel, MemoryKind, MemoryOp, MemorySpace, Opcode, Operand, Reg};
use crate::known_bits::{ALIGNMENT_BITS, KnownBits, RegisterBits};
use std::collections::HashMap;

/// What becomes of a load that is joined with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectorized {
    /// It stands for loads of so many bytes in all.
    First(u8),
    /// Another one stands for it.
    Rest,
}

/// The loads of a kernel that are joined, by instruction.
#[derive(Default)]
pub struct LoadVectorization(HashMap<usize, Vectorized>);

/// A load that may be joined with others: its instruction, what it is relative to, where its words lie
/// from there, and what is known of the base.
struct Candidate {
    instruction: usize,
    base: (Operand, Option<(Reg, bool)>),
    offset: i64,
    words: u32,
    known: KnownBits,
}

/// 16 bytes from a base on, and the loads of them, each with its words of the four.
struct Chunk<'a> {
    first: &'a Candidate,
    number: i64,
    members: Vec<(&'a Candidate, u32)>,
}

impl LoadVectorization {
    /// Finds the loads of a kernel that are joined.
    pub fn of(kernel: &Kernel, cfg: &ControlFlowGraph) -> LoadVectorization {
        let mut joined = LoadVectorization::default();
        if !kernel.insts.iter().any(|inst| candidate_of(inst).is_some()) {
            return joined;
        }
        let known = RegisterBits::of(kernel);
        for block in &cfg.blocks {
            let mut open: Vec<Candidate> = Vec::new();
            for (i, inst) in kernel.insts.iter().enumerate().take(block.end).skip(block.start) {
                if ends_runs(inst) {
                    joined.close(std::mem::take(&mut open));
                }
                if let Some((op, words)) = candidate_of(inst) {
                    let base = (inst.src[0], inst.guard);
                    let known = known.operand(inst.src[0]);
                    open.push(Candidate { instruction: i, base, offset: op.offset, words, known });
                }
                let written = |r: Reg| inst.dst.contains(&Some(r));
                let stale = |one: &Candidate| {
                    one.base.0.register().is_some_and(written)
                        || one.base.1.is_some_and(|(guard, _)| written(guard))
                };
                let (closed, rest) = open.into_iter().partition(stale);
                joined.close(closed);
                open = rest;
            }
            joined.close(open);
        }
        joined
    }

    /// What becomes of the load at this place; `None` if it stays as it is.
    pub fn at(&self, instruction: usize) -> Option<Vectorized> {
        self.0.get(&instruction).copied()
    }

    /// Joins loads that nothing separates.
    fn close(&mut self, loads: Vec<Candidate>) {
        let mut chunks: Vec<Chunk<'_>> = Vec::new();
        for load in &loads {
            if load.known.count < 3 {
                continue;
            }
            let at = load.offset.wrapping_add(load.known.value as i64);
            let chunk = at.div_euclid(16);
            let mask = ((1u32 << load.words) - 1) << (at.rem_euclid(16) / 4);
            let same =
                |other: &&mut Chunk<'_>| other.first.base == load.base && other.number == chunk;
            match chunks.iter_mut().find(same) {
                Some(chunk) => chunk.members.push((load, mask)),
                None => {
                    chunks.push(Chunk { first: load, number: chunk, members: vec![(load, mask)] });
                }
            }
        }
        for Chunk { first, members, .. } in chunks {
            let all = members.iter().fold(0, |all, (_, mask)| all | mask);
            let whole = |half: u32| all & half == half;
            let sixteen = (whole(3) && all & 12 != 0) || (whole(12) && all & 3 != 0);
            if sixteen && first.known.count >= ALIGNMENT_BITS {
                self.join(members.iter().map(|(load, _)| load.instruction), 16);
                continue;
            }
            for half in [3, 12].into_iter().filter(|half| whole(*half)) {
                let of_half = members.iter().filter(|(_, mask)| mask & half != 0);
                self.join(of_half.map(|(load, _)| load.instruction), 8);
            }
        }
    }

    fn join(&mut self, loads: impl Iterator<Item = usize>, bytes: u8) {
        let loads: Vec<usize> = loads.collect();
        if let [first, rest @ ..] = loads.as_slice()
            && !rest.is_empty()
        {
            self.0.insert(*first, Vectorized::First(bytes));
            self.0.extend(rest.iter().map(|load| (*load, Vectorized::Rest)));
        }
    }
}

/// A load that may be joined, and how many words it is of.
fn candidate_of(inst: &Inst) -> Option<(&MemoryOp, u32)> {
    let Opcode::Memory(op) = &inst.opcode else { return None };
    let load = matches!(op.kind, MemoryKind::Load) && op.space == MemorySpace::Shared;
    let one = op.count == 1 && matches!(op.ty.size(), 4 | 8);
    (load && one && !op.volatile).then(|| (op, op.ty.size() / 4))
}

/// Whether loads before and after it are never joined.
fn ends_runs(inst: &Inst) -> bool {
    match &inst.opcode {
        Opcode::Memory(op) => {
            let shared = matches!(op.space, MemorySpace::Shared | MemorySpace::Generic);
            shared && !matches!(op.kind, MemoryKind::Load)
        }
        _ => !inst.is_alu(),
    }
}
