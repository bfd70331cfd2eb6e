//! Classifies accesses: what ptxas makes of each memory instruction, as far as its cost depends on it.
//!
//! Loads: see `vectorize`. Atomics, as ptxas 13.0 was found to compile them for sm_90 (warp-aggregated
//! atomics, made by the compiler): one lane does what all lanes of a warp ask of one address if ptxas can
//! tell that the address is uniform, the operation is one on 32-bit integers, and the result is not used.
//! If the result of a sum is used, it does so, too, where what is added is uniform, or else where all lanes
//! are active. An unused sum of 1 in shared memory becomes an increment of its own.
//!
//! ptxas does not know the block's shape, so uniform means uniform in any block. Only the counters ask:
//! results do not change.

use crate::access_class::AccessClass;
use crate::analyses::Analyses;
use crate::kernel::{Inst, Kernel, MemoryKind, MemoryOp, MemorySpace, Opcode, Operand, Part, Reg};
use crate::opcode::Alu;
use crate::opcode::atomic::AtomicOp;
use crate::opcode::moves::MoveOp;
use crate::types::Class;
use crate::uniformity::Uniformity;
use crate::vectorize::{LoadVectorization, Vectorized};
use std::cell::OnceCell;

/// A block in which no axis is the same for all lanes of a warp.
const ANY_BLOCK: [u32; 3] = [7, 3, 2];

/// Classifies the accesses of a kernel.
pub struct AccessClassifier<'a> {
    kernel: &'a Kernel,
    analyses: &'a Analyses,
    /// Whether to ask for what ptxas does beyond choosing the instruction.
    optimized: bool,
    vectorized: LoadVectorization,
    any_block: OnceCell<Uniformity>,
}

impl<'a> AccessClassifier<'a> {
    /// A classifier. If not `optimized`, loads are not joined and atomics not aggregated, which takes no
    /// analysis.
    pub fn new(kernel: &'a Kernel, analyses: &'a Analyses, optimized: bool) -> Self {
        let vectorized = match optimized {
            true => LoadVectorization::of(kernel, &analyses.cfg),
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
            Part::Whole => {}
            Part::First(elements) => return AccessClass::First(elements),
            Part::Rest => return AccessClass::Rest,
        }
        let class = AccessClass::of_atomic(atomic, op.ty.size());
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
        let analyse = || Uniformity::of(self.kernel, self.analyses, ANY_BLOCK);
        self.any_block.get_or_init(analyse).operand(src) <= Class::Uniform
    }

    /// Whether any instruction reads a register.
    fn is_read(&self, register: Reg) -> bool {
        self.kernel.insts.iter().any(|inst| inst.reads().any(|r| r == register))
    }

    /// The constant that an operand is, also where one instruction alone writes it by a move.
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
