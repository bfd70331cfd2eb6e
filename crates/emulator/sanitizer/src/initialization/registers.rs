//! Uninitialized registers: reported when their value reaches an address, a branch or memory.
//!
//! *Algorithm.* A dataflow analysis before the run finds the registers that may be uninitialized:
//! those that are read before they are written on some path, and the values computed from them.
//! Only these are tracked at run time, with a definedness bit per register bit and lane
//! ([`super::bits`]); kernels without such registers pay nothing. A shuffle takes the bits of the
//! source lane, so a lane that receives the leader's value does not need one of its own.
//!
//! *Limit.* A selection, and a predicate `and` or `or`, is uninitialized only if both choices are:
//! misses a use of one uninitialized choice, but reports no false positives.

use crate::access::position::{LaneAt, Position};
use crate::access::reference::lanes_of;
use crate::findings::kinds::ReportKind;
use crate::findings::suppressions::SuppressionRule;
use crate::findings::{Finding, Reports};
use crate::initialization::bits::{self, BitFlow};
use crate::member_masks::shuffle_source;
use lanework_engine::machine::Warp;
use lanework_engine::slot::Lanes;
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::analysis::dataflow::{Direction, Facts, VariableAnalysis, solve_variables};
use lanework_ptx_ir::kernel::{Inst, Kernel, MemoryKind, MemorySpace, Opcode, Operand, Reg, Width};
use lanework_ptx_ir::opcode::matrix::MatrixOp;
use lanework_ptx_ir::opcode::memory::{ShuffleMode, WarpOp};

/// The tracked registers of a cluster's warps.
pub struct Registers {
    followed: Followed,
    /// Uninitialized bits, by warp, tracked register and lane.
    unwritten: Vec<[u64; 32]>,
    /// The next shuffle of a warp: the source lane of each lane.
    shuffle: Option<(u32, [u8; 32])>,
    /// The next product of a warpgroup: the warp, and its registers.
    group: Option<(u32, ProductRegisters)>,
}

impl Registers {
    /// For this many warps.
    pub fn new(followed: Followed, warps: usize) -> Registers {
        let unwritten = vec![[0; 32]; warps * followed.count];
        Registers { unwritten, followed, shuffle: None, group: None }
    }

    /// Whether any registers are tracked.
    pub fn follows(&self) -> bool {
        self.followed.count != 0
    }

    /// A warp's next instruction is a shuffle with these operands `b` and `c`.
    pub fn shuffle(&mut self, warp: &Warp, mode: ShuffleMode, [b, c]: [&Lanes<u32>; 2]) {
        let from = |lane: usize| {
            shuffle_source(mode, lane as u32, b.0[lane], c.0[lane]).map_or(lane as u8, |l| l as u8)
        };
        self.shuffle = Some((warp.index, std::array::from_fn(from)));
    }

    /// A warp executes the product of its warpgroup; `accumulates` says whether it reads its accumulators.
    pub fn group_product(&mut self, position: &Position, warp: &Warp, accumulates: bool) {
        let Some((_, product)) = self.group.take_if(|(of, _)| *of == warp.index) else { return };
        let first = position.slot(warp.index) * self.followed.count;
        let registers = &mut self.unwritten[first..first + self.followed.count];
        product.step(registers, warp.mask, &self.followed.bits, accumulates);
    }

    /// Starts a cluster.
    pub fn start(&mut self) {
        self.group = None;
        if self.followed.count == 0 {
            return;
        }
        let Followed { count, unwritten, bits, .. } = &self.followed;
        for registers in self.unwritten.chunks_mut(*count) {
            registers.fill([0; 32]);
            unwritten.iter().for_each(|r| registers[*r as usize].fill(bits[*r as usize]));
        }
    }

    /// Tracks an instruction before it executes.
    pub fn step(
        &mut self,
        position: &Position,
        reports: &mut Reports,
        warp: &Warp,
        instruction: u32,
        step: &RegisterStep,
    ) {
        let first = position.slot(warp.index) * self.followed.count;
        let registers = &mut self.unwritten[first..first + self.followed.count];
        for (r, bits, what) in &step.ends {
            let of_lane = &registers[*r as usize];
            let bad = lanes_of(warp.mask).find(|lane| of_lane[*lane] & bits != 0);
            let Some(lane) =
                bad.filter(|_| !reports.suppresses(SuppressionRule::Unused, instruction))
            else {
                continue;
            };
            let at = LaneAt { warp: warp.index, lane: lane as u32, instruction };
            reports.add(ReportKind::Uninitialized, position.thread_at(at), None, |_| Finding {
                message: format!(
                    "uninitialized register: a register that was never written reaches {what}"
                ),
                help: "give the variable a value on every path before it is used; the result of CUB's block reductions is defined in thread 0 only: pass it on through shared memory".into(),
                ..Finding::default()
            });
        }
        if let Some(product) = &step.product {
            // Whether a product of a warpgroup accumulates is known when it executes.
            match step.of_group {
                true => self.group = Some((warp.index, product.clone())),
                false => product.step(registers, warp.mask, &self.followed.bits, true),
            }
            return;
        }
        // Lanes on another path may be further ahead, so only the active ones count.
        let shuffled = step.shuffled.zip(self.shuffle.take_if(|(of, _)| *of == warp.index));
        let shuffled = shuffled.map(|(value, (_, from))| {
            let there = |from: u8| match warp.mask >> from & 1 {
                0 => 0,
                _ => registers[value as usize][from as usize],
            };
            from.map(there)
        });
        for lane in lanes_of(warp.mask) {
            let bits = step.flow.bits(|r| registers[r as usize][lane]);
            let bits = bits | shuffled.map_or(0, |shuffled| shuffled[lane]);
            step.written.iter().for_each(|r| registers[*r as usize][lane] = 0);
            for r in &step.to {
                registers[*r as usize][lane] = bits & self.followed.bits[*r as usize];
            }
        }
    }
}

/// The tracked registers of a kernel.
#[derive(Clone, Default)]
pub struct Followed {
    /// By register: its number among the tracked ones.
    index: Vec<Option<u32>>,
    /// Number of tracked registers.
    pub count: usize,
    /// Tracked registers that are uninitialized at the start.
    pub unwritten: Vec<u32>,
    /// By tracked register: mask of all its bits.
    pub bits: Vec<u64>,
}

/// The tracked registers of a matrix product `D = A B + C`.
///
/// The product carries the uninitialized bits of each register of C to its register of D; a product of
/// a warpgroup does so only if its predicate adds C. A register of A or B counts only if no lane has
/// written it: partial tiles leave lanes unwritten, and never use the products of these lanes.
#[derive(Clone, Default)]
pub struct ProductRegisters {
    /// The registers of A and B.
    factors: Vec<u32>,
    /// The registers of D, each with the register of C that is added to it, if that one is tracked.
    results: Vec<(Option<u32>, u32)>,
}

impl ProductRegisters {
    /// The registers of an instruction; `None` if it is not a product, or if none is tracked.
    fn of(inst: &Inst, of: impl Fn(Reg) -> Option<u32>) -> Option<ProductRegisters> {
        let (factors, [first, count]) = match &inst.opcode {
            Opcode::Matrix(MatrixOp::Multiply(product)) => {
                let [a, b, c] = product.registers;
                (0..a + b, [a + b, c])
            }
            // Descriptors and predicate, A if it is in registers, and the accumulators.
            Opcode::Matrix(MatrixOp::Group(product)) => {
                let factors = if product.registers { 2..6 } else { 0..0 };
                let first = if product.registers { 6 } else { 3 };
                (factors, [first, product.accumulators()])
            }
            _ => return None,
        };
        let tracked = |src: &Operand| src.register().and_then(&of);
        let factors = inst.src[factors].iter().filter_map(tracked).collect();
        let sums: Vec<Option<u32>> = inst.src.iter().skip(first).take(count).map(tracked).collect();
        let added = |i: usize| match sums.len() == inst.dst.len() {
            true => sums[i],
            // C and D have different sizes, such as f16 and f32: use any register of C.
            false => sums.iter().flatten().next().copied(),
        };
        let results = inst.dst.iter().enumerate();
        let results = results.filter_map(|(i, d)| Some((added(i), d.and_then(&of)?))).collect();
        Some(ProductRegisters { factors, results })
    }

    fn step(&self, registers: &mut [[u64; 32]], active: u32, all: &[u64], accumulates: bool) {
        let unwritten = |r: &u32| lanes_of(active).all(|lane| registers[*r as usize][lane] != 0);
        let spoiled = active != 0 && self.factors.iter().any(unwritten);
        let sums: Vec<[u64; 32]> = self
            .results
            .iter()
            .map(|(c, _)| match c {
                Some(c) if accumulates => registers[*c as usize],
                _ => [0; 32],
            })
            .collect();
        for ((_, d), sum) in self.results.iter().zip(sums) {
            for lane in lanes_of(active) {
                let bits = if spoiled { u64::MAX } else { sum[lane] };
                registers[*d as usize][lane] = bits & all[*d as usize];
            }
        }
    }
}

/// The effect of an instruction on tracked registers.
#[derive(Clone, Default)]
pub struct RegisterStep {
    /// Sinks: register, the bits that matter, and the kind of sink (an address, a branch, memory).
    pub ends: Vec<(u32, u64, &'static str)>,
    /// Definedness of the results.
    pub flow: BitFlow,
    /// The source whose value lanes read from each other.
    pub shuffled: Option<u32>,
    /// The tracked registers of a matrix product.
    pub product: Option<ProductRegisters>,
    /// Whether it is a product of a warpgroup.
    pub of_group: bool,
    /// Results.
    pub to: Vec<u32>,
    /// Results that are always initialized.
    pub written: Vec<u32>,
}

impl Followed {
    /// Finds the registers to track.
    pub fn find(kernel: &Kernel, analyses: &Analyses) -> Followed {
        let start: Vec<usize> = analyses.read_unwritten(kernel).collect();
        if start.is_empty() {
            return Followed::default();
        }
        let mut unwritten = vec![false; kernel.registers.len()];
        start.iter().for_each(|r| unwritten[*r] = true);
        let maybe = solve_variables(kernel, &mut MayBeUnwritten, unwritten);
        let mut count = 0;
        let number = |maybe: bool| {
            maybe.then(|| {
                count += 1;
                count - 1
            })
        };
        let index: Vec<Option<u32>> = maybe.into_iter().map(number).collect();
        let unwritten = start.iter().filter_map(|r| index[*r]).collect();
        let followed = kernel.registers.iter().zip(&index).filter(|(_, index)| index.is_some());
        let bits = followed.map(|(register, _)| bits_of(register.width)).collect();
        Followed { index, count: count as usize, unwritten, bits }
    }

    /// The effect of an instruction on tracked registers, if any.
    pub fn step(&self, inst: &Inst) -> Option<RegisterStep> {
        if self.count == 0 {
            return None;
        }
        let of = |r: Reg| self.index[r as usize];
        let followed = |src: &[Operand]| -> Vec<u32> {
            src.iter().filter_map(|src| src.register()).filter_map(of).collect()
        };
        let mut step = RegisterStep::default();
        let end = |list: Vec<u32>, bits, what| list.into_iter().map(move |r| (r, bits, what));
        step.ends.extend(inst.guard.and_then(|(r, _)| of(r)).map(|r| (r, u64::MAX, "a branch")));
        match &inst.opcode {
            Opcode::Memory(op) => {
                step.ends.extend(end(followed(&inst.src[..1]), u64::MAX, "an address"));
                // Memory that is private to a thread or block may hold uninitialized values: in a
                // partial tile, threads store values that are never used.
                let private = matches!(op.space, MemorySpace::Local | MemorySpace::Shared);
                let kept = private && matches!(op.kind, MemoryKind::Store);
                if !matches!(op.kind, MemoryKind::Load) && !kept {
                    let bits = bits::low(8 * op.ty.size());
                    step.ends.extend(end(followed(&inst.src[1..]), bits, "memory"));
                }
            }
            Opcode::AsyncCopy { .. } => {
                step.ends.extend(end(followed(&inst.src), u64::MAX, "an address"));
            }
            Opcode::Barrier { .. } => {
                step.ends.extend(end(followed(&inst.src), u64::MAX, "a barrier"));
            }
            Opcode::Warp(WarpOp::Shuffle(_)) => {
                step.shuffled = inst.src[0].register().and_then(of);
                step.flow.whole = followed(&inst.src[1..]);
            }
            Opcode::Matrix(_) => {
                let product = ProductRegisters::of(inst, of);
                step.product = product.filter(|product| !product.results.is_empty());
                step.of_group = matches!(inst.opcode, Opcode::Matrix(MatrixOp::Group(_)));
            }
            _ if makes(inst) => step.flow = BitFlow::of_instruction(inst, &of),
            _ => {}
        }
        step.to = inst.dst.iter().flatten().filter_map(|r| of(*r)).collect();
        if let Opcode::Warp(WarpOp::Shuffle(_)) = inst.opcode {
            // The predicate says whether the source lane is in range, which is always defined.
            let in_range = inst.dst.get(1).copied().flatten().and_then(of);
            step.to.retain(|r| Some(*r) != in_range);
            step.written.extend(in_range);
        }
        let sources = step.flow != BitFlow::default() || step.shuffled.is_some();
        let none =
            step.ends.is_empty() && !sources && step.to.is_empty() && step.written.is_empty();
        let none = none && step.product.is_none();
        (!none).then_some(step)
    }
}

/// Registers that may hold an uninitialized value, or one computed from it: the forward slice
/// through registers.
struct MayBeUnwritten;

impl VariableAnalysis for MayBeUnwritten {
    type Fact = bool;
    const DIRECTION: Direction = Direction::Forward;

    fn transfer(&mut self, _: usize, inst: &Inst, facts: &mut Facts<bool>) {
        let of_unwritten = |src: &Operand| src.register().is_some_and(|r| *facts.get(r as usize));
        if makes(inst) && inst.src.iter().any(of_unwritten) {
            inst.writes().for_each(|r| facts.meet(r as usize, &true));
        }
    }
}

/// Mask of all bits of a register.
fn bits_of(width: Width) -> u64 {
    match width {
        Width::Predicate => 1,
        Width::Word => bits::low(32),
        Width::Wide => u64::MAX,
    }
}

/// Whether an instruction computes its results from source registers.
fn makes(inst: &Inst) -> bool {
    let product = matches!(inst.opcode, Opcode::Matrix(MatrixOp::Multiply(_) | MatrixOp::Group(_)));
    inst.is_alu() || matches!(inst.opcode, Opcode::Warp(_)) || product
}
