//! Classifies memory accesses by how ptxas and the load/store unit treat them, which determines
//! their cost. Only counters use this; results do not change.
//!
//! - [`AccessClass`]: native atomics, compare-and-swap loops, vectorized loads, matrix rows.
//! - [`AccessClassifier`] chooses the class. Warp-aggregated atomics follow ptxas 13.0 for sm_90: one lane acts for all lanes of
//!   a warp if ptxas can prove that the address is uniform, the operation is on 32-bit integers and the result is unused. If the
//!   result of a sum is used, aggregation also needs a uniform addend, or else all lanes active. An unused shared-memory sum of 1
//!   becomes an increment. ptxas does not know the block shape, so "uniform" means uniform in any block.
//! - [`LoadVectorization`]: neighboring shared-memory loads that ptxas 13.0 merges for sm_90, modeled
//!   by comparison with its output. Candidates share a base and a basic block; between them are only
//!   by comparison with its output. Candidates share a base and a basic block, and only arithmetic,
//!   loads, and accesses of other memory spaces lie between them. Loads that cover an aligned 8
//!   is complete and the other half is touched. Alignment comes from
//!   [`crate::analysis::known_bits`]. Global and local loads are not changed.

use crate::analysis::Analyses;
use crate::analysis::cfg::ControlFlowGraph;
use crate::analysis::known_bits::{ALIGNMENT_BITS, KnownBits, RegisterBits};
use crate::analysis::uniformity::Uniformity;
use crate::kernel::{
    AccessPart, Inst, Kernel, MemoryKind, MemoryOp, MemorySpace, Opcode, Operand, Reg,
};
use crate::opcode::Alu;
use crate::opcode::logic::MoveOp;
use crate::opcode::memory::AtomicOp;
use crate::types::UniformityClass;
use std::cell::OnceCell;
use std::collections::HashMap;

/// How the load/store unit treats a shared-memory access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessClass {
    /// A load.
    #[default]
    Load,
    /// A store.
    Store,
    /// 16-byte matrix rows (`ldmatrix`, `stmatrix`).
    Rows,
    /// A native atomic: on 32-bit integers, and exchanges.
    Atomic,
    /// Compare-and-swap: twice the passes.
    CompareAndSwap,
    /// Any other atomic: a loop of a load and a compare-and-swap.
    Loop,
    /// A 16-bit compare-and-swap: a load of the enclosing word, and a compare-and-swap of that word.
    SwapOfHalf,
    /// Any other 16-bit atomic: the same in a loop until every lane succeeds.
    LoopOfHalf,
    /// A warp-aggregated atomic on 32-bit integers: one lane acts for all lanes.
    OneLane,
    /// Warp-aggregated if all lanes are active; otherwise one access per lane.
    OneOfAll,
    /// An addition of 1 with an unused result: lanes that address one word share a pass.
    Increment,
    /// The first of the atomics on a vector of this many elements; counted for all of them.
    First(u8),
    /// Counted with another access.
    Rest,
    /// A load by a generic address.
    Generic,
    /// The first of the loads that are merged into one of this many bytes; the others are [`AccessClass::Rest`].
    Vectorized(u8),
    /// An asynchronous copy's write.
    Copy,
}

impl AccessClass {
    /// The class of an atomic on an element of this many bytes.
    pub fn for_atomic(op: AtomicOp, bytes: u32) -> AccessClass {
        match op {
            AtomicOp::CompareAndSwap(_) if bytes == 2 => AccessClass::SwapOfHalf,
            AtomicOp::CompareAndSwap(_) => AccessClass::CompareAndSwap,
            _ if bytes == 2 => AccessClass::LoopOfHalf,
            AtomicOp::Exchange => AccessClass::Atomic,
            _ if bytes == 4 && !op.is_float() => AccessClass::Atomic,
            _ => AccessClass::Loop,
        }
    }
}

/// A block shape in which every axis varies within a warp.
const ANY_BLOCK: [u32; 3] = [7, 3, 2];

/// Classifies the accesses of a kernel.
pub struct AccessClassifier<'a> {
    kernel: &'a Kernel,
    analyses: &'a Analyses,
    /// Whether to model ptxas optimizations.
    optimized: bool,
    vectorized: LoadVectorization,
    any_block: OnceCell<Uniformity>,
}

impl<'a> AccessClassifier<'a> {
    /// A classifier. If not `optimized`, loads are not vectorized and atomics not aggregated; this needs no analysis.
    pub fn new(kernel: &'a Kernel, analyses: &'a Analyses, optimized: bool) -> Self {
        let vectorized = match optimized {
            true => LoadVectorization::analyze(kernel, &analyses.cfg),
            false => LoadVectorization::default(),
        };
        AccessClassifier { kernel, analyses, optimized, vectorized, any_block: OnceCell::new() }
    }

    /// The class of the access that instruction `at` makes.
    pub fn class(&self, at: usize, op: &MemoryOp) -> AccessClass {
        match op.kind {
            MemoryKind::Load if op.space == MemorySpace::Generic => AccessClass::Generic,
            MemoryKind::Load => match self.vectorized.at(at) {
                Some(Vectorized::First(bytes)) => AccessClass::Vectorized(bytes),
                Some(Vectorized::Rest) => AccessClass::Rest,
                None => AccessClass::Load,
            },
            MemoryKind::Store => AccessClass::Store,
            MemoryKind::Atomic(atomic) => self.atomic(&self.kernel.insts[at], op, atomic),
        }
    }

    fn atomic(&self, inst: &Inst, op: &MemoryOp, atomic: AtomicOp) -> AccessClass {
        match op.part {
            AccessPart::Whole => {}
            AccessPart::First(elements) => return AccessClass::First(elements),
            AccessPart::Rest => return AccessClass::Rest,
        }
        let class = AccessClass::for_atomic(atomic, op.ty.size());
        if !self.optimized || class != AccessClass::Atomic || op.ty.size() != 4 {
            return class;
        }
        let used = inst.dst[0].is_some_and(|result| self.is_read(result));
        let (sum, value) = (atomic == AtomicOp::Add, inst.src.get(1).copied());
        if sum && !used && op.space == MemorySpace::Shared && self.constant(value) == Some(1) {
            return AccessClass::Increment;
        }
        let combines =
            !matches!(atomic, AtomicOp::Exchange | AtomicOp::Increment | AtomicOp::Decrement);
        if !combines || used && !sum || !self.is_uniform(inst.src[0]) {
            return class;
        }
        match used && !value.is_some_and(|value| self.is_uniform(value)) {
            true => AccessClass::OneOfAll,
            false => AccessClass::OneLane,
        }
    }

    /// Whether an operand is uniform in blocks of any shape.
    fn is_uniform(&self, src: Operand) -> bool {
        let analyze = || Uniformity::analyze(self.kernel, self.analyses, ANY_BLOCK);
        self.any_block.get_or_init(analyze).operand(src) <= UniformityClass::Uniform
    }

    /// Whether any instruction reads a register.
    fn is_read(&self, register: Reg) -> bool {
        self.kernel.insts.iter().any(|inst| inst.reads().any(|r| r == register))
    }

    /// The constant value of an operand: a literal, or a register whose only write moves a literal.
    fn constant(&self, operand: Option<Operand>) -> Option<u32> {
        match operand? {
            Operand::Const(constant) => Some(constant as u32),
            Operand::Reg(register) => {
                let writes = |inst: &&Inst| inst.dst.contains(&Some(register));
                let mut writers = self.kernel.insts.iter().filter(writes);
                let (Some(writer), None) = (writers.next(), writers.next()) else { return None };
                match (&writer.opcode, writer.src.as_slice()) {
                    (Opcode::Alu(Alu::Move(MoveOp::Copy(_))), [Operand::Const(constant)]) => {
                        Some(*constant as u32)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// How a load is merged with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectorized {
    /// It becomes one load of this many bytes.
    First(u8),
    /// It is part of an earlier load.
    Rest,
}

/// The vectorized loads of a kernel, by instruction.
#[derive(Default)]
pub struct LoadVectorization(HashMap<usize, Vectorized>);

/// A load that may be merged with others: its instruction, its base and guard, its offset and words, and the known bits
/// of the base.
struct Candidate {
    instruction: usize,
    base: (Operand, Option<(Reg, bool)>),
    offset: i64,
    words: u32,
    known: KnownBits,
}

/// An aligned 16 bytes relative to a base, and its loads, each with the mask of its words.
struct Chunk<'a> {
    first: &'a Candidate,
    number: i64,
    members: Vec<(&'a Candidate, u32)>,
}

impl LoadVectorization {
    /// Finds the loads of a kernel that ptxas vectorizes.
    pub fn analyze(kernel: &Kernel, cfg: &ControlFlowGraph) -> LoadVectorization {
        let mut joined = LoadVectorization::default();
        if !kernel.insts.iter().any(|inst| candidate_of(inst).is_some()) {
            return joined;
        }
        let known = RegisterBits::analyze(kernel);
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

    /// How the load at this instruction is vectorized; `None` if it is not.
    pub fn at(&self, instruction: usize) -> Option<Vectorized> {
        self.0.get(&instruction).copied()
    }

    /// Merges candidates, if no instruction between them prevents it.
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

/// A load that may be merged, and its number of words.
fn candidate_of(inst: &Inst) -> Option<(&MemoryOp, u32)> {
    let Opcode::Memory(op) = &inst.opcode else { return None };
    let load = matches!(op.kind, MemoryKind::Load) && op.space == MemorySpace::Shared;
    let one = op.count == 1 && matches!(op.ty.size(), 4 | 8);
    (load && one && !op.volatile).then(|| (op, op.ty.size() / 4))
}

/// Whether loads before and after this instruction are never merged.
fn ends_runs(inst: &Inst) -> bool {
    match &inst.opcode {
        Opcode::Memory(op) => {
            let shared = matches!(op.space, MemorySpace::Shared | MemorySpace::Generic);
            shared && !matches!(op.kind, MemoryKind::Load)
        }
        _ => !inst.is_alu(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opcode::memory::AtomicKind::{self, Add, CompareAndSwap, Exchange, Max};
    use lanework_ptx::ScalarType::{self, B64, Bf16x2, F32, U32, U64};

    fn class(kind: AtomicKind, ty: ScalarType) -> AccessClass {
        let op = AtomicOp::new(kind, ty, true).expect("PTX has it");
        AccessClass::for_atomic(op, ty.size())
    }

    #[test]
    fn operation_and_type_decide_the_class_of_an_atomic() {
        assert_eq!(class(Add, U32), AccessClass::Atomic);
        assert_eq!(class(Add, F32), AccessClass::Loop);
        assert_eq!(class(CompareAndSwap, B64), AccessClass::CompareAndSwap);
        assert_eq!(class(Exchange, B64), AccessClass::Atomic);
        assert_eq!(class(Add, Bf16x2), AccessClass::Loop);
        assert_eq!(class(Max, U64), AccessClass::Loop);
    }
}
