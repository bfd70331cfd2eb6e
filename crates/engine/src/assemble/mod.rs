//! From a flat kernel and its uniformity to operations: registers placed, handlers chosen.

mod memory;
mod place;
pub mod verify;

use crate::alu;
use crate::alu_operation::{AluOperation, Materialize};
use crate::asynchrony;
use crate::asynchrony::handler::Async;
use crate::atomic::{AsyncCopy, OBSERVED};
use crate::attached::Instrumentation;
use crate::barrier::{Barrier, BarrierForm};
use crate::control;
use crate::fuse::fma::FmaSequence;
use crate::fuse::fusion::Fusion;
use crate::fuse::overlay::fuse;
use crate::fuse::pair::Mark;
use crate::handler::Tiers;
use crate::hook::Wants;
use crate::insertion::{Inserted, Plan as Insertions};
use crate::machine::{ENDS, Handler, NO_RECONVERGENCE, Op};
use crate::matrix::plan::Plan;
use crate::meeting;
use crate::shape::{
    Flow, Form, Immediate, MAYBE_TRUTH, MAYBE_VALUE, MAYBE_VARYING, OperandKind, Registers,
    SCALAR_FORM, Shape, TEST, TRUTH, VALUE, WIDE_WORDS, WORDS,
};
use crate::site::Site;
use crate::slot::{NO_SLOT, OFFSET, Slot};
use crate::texture;
use crate::texture::handlers::Texture;
use crate::warp_table;
use lanework_ptx_ir::analyses::Analyses;
use lanework_ptx_ir::classify::AccessClassifier;
use lanework_ptx_ir::kernel::*;
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::warp::WarpOp;
use lanework_ptx_ir::types::Class;
use lanework_ptx_ir::uniformity::Uniformity;
use std::collections::HashMap;
use std::sync::Arc;

/// Something that is written into the register file before a kernel runs.
#[derive(Clone, Copy, Debug)]
pub enum Prefill {
    /// A special register.
    Special(Special),
    /// A constant in scalar form.
    Constant(u64),
    /// A constant predicate.
    Truth(bool),
}

/// An assembled kernel.
pub struct Code {
    /// Operations; the last never falls through.
    pub ops: Vec<Op>,
    /// The origin of each operation.
    pub origin_of: Vec<u32>,
    /// What the operands of each operation are.
    pub shapes: Vec<Shape>,
    /// Bytes of one warp's register file.
    pub register_bytes: usize,
    /// The registers in it, each with its form.
    pub reserved: Vec<(Slot, Form)>,
    /// What the register file starts with.
    pub prefill: Vec<(Slot, Prefill)>,
    /// Memory instructions, as they start.
    pub sites: Vec<Site>,
    /// Where each register lies; [`NO_SLOT`] for one that nothing uses.
    pub slots: Vec<Slot>,
    /// Fused multiply-add sequences that one operation runs (superinstructions).
    pub chains: Vec<Box<FmaSequence>>,
    /// Where handlers run several operations, in order.
    pub fusions: Vec<Fusion>,
    /// The instructions of each basic block as pairs of both, in the order of blocks, when counting.
    pub runs: Vec<(u32, u32)>,
    /// The operation that each basic block starts with and the one that counts it, when counting.
    pub visits: Vec<(u32, u32)>,
    /// Matrix instructions; operations hold their addresses.
    pub plans: Vec<Arc<Plan>>,
    /// What the instrument has inserted; operations hold addresses in it.
    pub plan: Option<Arc<dyn Insertions>>,
    /// Asynchronous instructions, likewise.
    pub async_plans: Vec<Arc<asynchrony::plan::Plan>>,
    /// Texture instructions; likewise.
    pub texture_plans: Vec<Arc<texture::plan::Plan>>,
}

// SAFETY: the only pointers inside are the empty regions of sites, which workers replace in copies.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

/// Who wants to know of `cp.async`.
const COPIED: Wants = Wants::ACCESSES.with(Wants::COUNTS).with(Wants::COPIES);

/// Lowered instructions between two breaths of a block.
const CHAIN: usize = 128;

/// The operands of operations of control flow, and of others that are alike.
const JOIN: Shape =
    Shape::new(OperandKind::Own, OperandKind::Number, OperandKind::Number, OperandKind::Number);
const VISIT: Shape =
    Shape::new(OperandKind::Block, OperandKind::Number, OperandKind::Number, OperandKind::Number);
const JUMP: Shape = Shape::new(
    OperandKind::Target,
    OperandKind::Number,
    OperandKind::MaybeTarget,
    OperandKind::Number,
)
.going(Flow::Leaves);
const BRANCH: Shape =
    Shape::new(OperandKind::Target, TRUTH, OperandKind::MaybeTarget, OperandKind::Number);
const GUARD: Shape =
    Shape::new(OperandKind::GuardEnd, TRUTH, OperandKind::Number, OperandKind::Number);
const THREE_VALUES: Shape = Shape::new(OperandKind::Number, VALUE, VALUE, VALUE);

/// What to assemble for.
#[derive(Clone)]
pub struct Want {
    /// Index of the SIMD level.
    pub tier: usize,
    /// The run's instrument.
    pub instrumentation: Instrumentation,
    /// What it inserts into the kernel besides.
    pub plan: Option<Arc<dyn Insertions>>,
    /// The index of its first site among those of all forms.
    pub first_site: u32,
}

impl Want {
    /// Whether the instrument wants any of this.
    fn any(&self, what: Wants) -> bool {
        self.instrumentation.wants.any(what)
    }
}

/// Assembles a kernel. `divergence` decides at which branches lanes may diverge, the
/// same for every form of one kernel so that their operations correspond.
pub fn assemble(
    kernel: &Kernel,
    analyses: &Analyses,
    uniformity: &Uniformity,
    divergence: &Uniformity,
    want: Want,
) -> Code {
    let mut assembler = Assembler {
        kernel,
        analyses,
        uniformity,
        divergence,
        code: Code {
            ops: Vec::new(),
            origin_of: Vec::new(),
            shapes: Vec::new(),
            register_bytes: 0,
            reserved: Vec::new(),
            prefill: Vec::new(),
            sites: Vec::new(),
            slots: Vec::new(),
            chains: Vec::new(),
            fusions: Vec::new(),
            runs: Vec::new(),
            visits: Vec::new(),
            plans: Vec::new(),
            plan: want.plan.clone(),
            async_plans: Vec::new(),
            texture_plans: Vec::new(),
        },
        constants: HashMap::new(),
        truths: [None; 2],
        marks: Vec::new(),
        temporaries: [[None; 2]; 3],
        at: 0,
        classifier: AccessClassifier::new(kernel, analyses, want.any(Wants::COUNTS)),
        want,
    };
    assembler.place_registers();
    assembler.emit_blocks();
    let reads = assembler.reads();
    let read_once = |slot: Slot| reads.get(&slot).is_none_or(|reads| *reads <= 1);
    let (tier, count) = (assembler.want.tier, assembler.want.any(Wants::COUNTS));
    (assembler.code.chains, assembler.code.fusions) =
        fuse(&mut assembler.code.ops, &assembler.marks, tier, count, &read_once);
    assembler.code
}

struct Assembler<'a> {
    kernel: &'a Kernel,
    analyses: &'a Analyses,
    uniformity: &'a Uniformity,
    divergence: &'a Uniformity,
    want: Want,
    code: Code,
    constants: HashMap<u64, Slot>,
    truths: [Option<Slot>; 2],
    marks: Vec<Mark>,
    /// Registers that affine operands are materialised in, by operand and whether they are 64 bits wide.
    temporaries: [[Option<Slot>; 2]; 3],
    /// The current instruction.
    at: usize,
    /// What ptxas makes of accesses, for counters.
    classifier: AccessClassifier<'a>,
}

impl Assembler<'_> {
    fn handler(&self, tiers: Tiers) -> Handler {
        tiers.0[self.want.tier]
    }

    fn push(&mut self, tiers: Tiers, slots: [u32; 4], imm: u64, origin: u32, shape: Shape) {
        self.push_handler(self.handler(tiers), slots, imm, origin, shape);
    }

    /// Pushes an operation; `shape` says what its handler takes its operands to be.
    fn push_handler(
        &mut self,
        handler: Handler,
        slots: [u32; 4],
        imm: u64,
        origin: u32,
        shape: Shape,
    ) {
        let [a, b, c, d] = slots;
        self.code.shapes.push(shape);
        self.code.ops.push(Op { handler, a, b, c, d, imm });
        self.code.origin_of.push(origin);
        self.marks.push(Mark::Plain);
    }

    fn emit_blocks(&mut self) {
        let analyses = self.analyses;
        let mut reconverges = vec![false; analyses.cfg.blocks.len()];
        for (b, block) in analyses.cfg.blocks.iter().enumerate() {
            let inst = &self.kernel.insts[block.end - 1];
            let splits = inst.guard.is_some_and(|(g, _)| self.divergence.class(g) > Class::Uniform);
            if let (Opcode::Branch(_), true, Some(reconverge)) =
                (&inst.opcode, splits, analyses.ipdom[b])
            {
                reconverges[reconverge] = true;
            }
        }
        let mut starts = Vec::new();
        let mut patches = Vec::new();
        for (b, block) in analyses.cfg.blocks.iter().enumerate() {
            starts.push(self.code.ops.len() as u32);
            let first_origin = self.kernel.insts[block.start].origin;
            if reconverges[b] {
                let here = self.code.ops.len() as u32;
                let ends =
                    matches!(self.kernel.insts[block.start].opcode, Opcode::Exit | Opcode::Return);
                let mark = if ends { ENDS } else { 0 };
                let slots = [here, mark, mark, mark];
                self.push(Tiers::cold::<control::Join>(), slots, 0, first_origin, JOIN);
            }
            if self.want.any(Wants::COUNTS) {
                self.code.visits.push((starts[b], self.code.ops.len() as u32));
                let slots = [b as u32, 0, 0, 0];
                self.push(Tiers::cold::<control::Visit>(), slots, 0, first_origin, VISIT);
            }
            let mut count = 0u64;
            let mut last_origin = None;
            for i in block.start..block.end {
                let inst = &self.kernel.insts[i];
                self.at = i;
                if last_origin != Some(inst.origin) {
                    count += 1;
                    last_origin = Some(inst.origin);
                    if self.want.any(Wants::COUNTS) {
                        self.code.runs.push((b as u32, inst.origin));
                    }
                    if self.want.any(Wants::INSTRUCTIONS) {
                        let tiers = Tiers::cold::<control::Event>();
                        self.push(tiers, [0; 4], 0, inst.origin, Shape::NONE);
                    }
                }
                if (i - block.start + 1).is_multiple_of(CHAIN) {
                    let tiers = Tiers::cold::<control::Breath>();
                    self.push(tiers, [0; 4], 0, inst.origin, Shape::NONE);
                }
                if let Opcode::Branch(_) = inst.opcode {
                    self.insert(inst);
                    patches.push((self.code.ops.len(), block.target, analyses.ipdom[b]));
                    self.branch(inst, count);
                } else {
                    self.instruction(inst, count);
                }
            }
            if block.fall_through.is_some() && block.target.is_none() {
                let origin = last_origin.unwrap_or(first_origin);
                self.push(Tiers::cold::<control::Count>(), [0; 4], count, origin, Shape::NONE);
            }
        }
        let end = self.code.ops.len() as u32;
        let origin = self.kernel.insts.last().map_or(0, |inst| inst.origin);
        let end_shape = Shape::NONE.going(Flow::Ends);
        self.push(Tiers::cold::<control::Exit>(), [0; 4], 0, origin, end_shape);
        for (at, target, reconverge) in patches {
            self.code.ops[at].a = target.map_or(end, |b| starts[b]);
            self.code.ops[at].c = reconverge.map_or(NO_RECONVERGENCE, |b| starts[b]);
        }
    }

    /// What the instrument inserts before the current instruction.
    fn insert(&mut self, inst: &Inst) {
        let inserted = self.code.plan.as_ref().map(|plan| plan.before(self.at));
        for Inserted { tiers, imm } in inserted.unwrap_or_default() {
            let shape = Shape::NONE.with(Immediate::Inserted);
            self.push(tiers, [0; 4], imm, inst.origin, shape);
        }
    }

    fn branch(&mut self, inst: &Inst, count: u64) {
        let Some((guard, negated)) = inst.guard else {
            return self.push(Tiers::cold::<control::Jump>(), [0; 4], count, inst.origin, JUMP);
        };
        let predicate = self.code.slots[guard as usize];
        let uniform = self.uniformity.class(guard) <= Class::Uniform;
        let tiers = if uniform {
            Tiers::cold::<control::BranchUniform>()
        } else {
            Tiers::cold::<control::Branch>()
        };
        let slots = [0, predicate, 0, if negated { u32::MAX } else { 0 }];
        self.push(tiers, slots, count, inst.origin, BRANCH);
        if uniform {
            self.mark(Mark::BranchUniform);
        }
    }

    fn instruction(&mut self, inst: &Inst, count: u64) {
        if matches!(inst.opcode, Opcode::Annotation(_)) && !self.want.any(Wants::SYNCHRONISATION) {
            return;
        }
        let guard_at = inst.guard.map(|(guard, negated)| {
            let predicate = self.code.slots[guard as usize];
            let at = self.code.ops.len();
            let negation = if negated { u32::MAX } else { 0 };
            let slots = [0, predicate, 0, negation];
            self.push(Tiers::cold::<control::Guard>(), slots, 0, inst.origin, GUARD);
            at
        });
        self.insert(inst);
        let origin = inst.origin;
        match &inst.opcode {
            Opcode::Alu(op) => self.compute(inst, *op),
            Opcode::Warp(op) => {
                let (handler, mode) = warp_table::handler(*op);
                let sources = [0, 1, 2].map(|i| self.source(inst.src.get(i)));
                let (first, second) =
                    (self.destination(inst.dst.first()), self.destination(inst.dst.get(1)));
                let clock = if inst.src.is_empty() { count as u32 } else { sources[2] };
                let imm = u64::from(second) | u64::from(mode) << 32;
                let slots = [first, sources[0], sources[1], clock];
                self.push(handler, slots, imm, origin, warp_table::shape(*op));
            }
            Opcode::Memory(op) => self.memory(inst, *op),
            Opcode::AsyncCopy { bytes } => {
                let s = [0, 1, 2].map(|i| self.source(inst.src.get(i)));
                let observed = match self.want.any(COPIED) {
                    true => OBSERVED,
                    false => 0,
                };
                let imm = u64::from(*bytes) | observed;
                let slots = [0, s[0], s[1], s[2]];
                self.push(Tiers::cold::<AsyncCopy>(), slots, imm, origin, THREE_VALUES);
            }
            Opcode::Matrix(op) => {
                let dst = inst.dst.iter().map(|dst| self.destination(Some(dst))).collect();
                let src = inst.src.iter().map(|src| self.source(Some(src))).collect();
                let observed = self.want.any(Wants::ACCESSES | Wants::COUNTS);
                let plan = Arc::new(Plan::new(*op, dst, src, observed));
                let handler = plan.handler();
                let address = Arc::as_ptr(&plan).expose_provenance() as u64;
                self.code.plans.push(plan);
                let shape = Shape::NONE.with(Immediate::MatrixPlan);
                self.push(handler, [0; 4], address, origin, shape);
            }
            Opcode::Async(op) => {
                let dst = inst.dst.iter().map(|dst| self.destination(Some(dst))).collect();
                let src = inst.src.iter().map(|src| self.source(Some(src))).collect();
                let plan = Arc::new(asynchrony::plan::Plan { op: *op, dst, src });
                let address = Arc::as_ptr(&plan).expose_provenance() as u64;
                self.code.async_plans.push(plan);
                let shape = Shape::NONE.with(Immediate::AsyncPlan);
                self.push(Tiers::cold::<Async>(), [0; 4], address, origin, shape);
            }
            Opcode::Texture(op) => {
                let dst = inst.dst.iter().map(|dst| self.destination(Some(dst))).collect();
                let src = inst.src.iter().map(|src| self.source(Some(src))).collect();
                let plan = Arc::new(texture::plan::Plan { op: *op, dst, src });
                let address = Arc::as_ptr(&plan).expose_provenance() as u64;
                self.code.texture_plans.push(plan);
                let shape = Shape::NONE.with(Immediate::TexturePlan);
                self.push(Tiers::cold::<Texture>(), [0; 4], address, origin, shape);
            }
            Opcode::Exit | Opcode::Return => {
                let slots = [0, ENDS, ENDS, ENDS];
                let shape = Shape::NONE.going(Flow::Leaves);
                self.push(Tiers::cold::<control::Exit>(), slots, count, origin, shape);
            }
            Opcode::Trap => {
                let shape = Shape::NONE.going(Flow::Leaves);
                self.push(Tiers::cold::<control::Trap>(), [0; 4], count, origin, shape);
            }
            Opcode::AssertFail => {
                let shape = Shape::NONE.going(Flow::Leaves);
                self.push(Tiers::cold::<control::AssertFail>(), [0; 4], count, origin, shape);
            }
            Opcode::StackOverflow => {
                let shape = Shape::NONE.going(Flow::Leaves);
                self.push(Tiers::cold::<control::StackOverflow>(), [0; 4], count, origin, shape);
            }
            Opcode::Barrier { kind, aligned } => self.barrier(inst, *kind, *aligned),
            Opcode::Converge(op) => {
                let [named, value] = [0, 1].map(|i| self.source(inst.src.get(i)));
                let brings = if matches!(op, Some(WarpOp::Vote { .. })) { TEST } else { VALUE };
                let shape = Shape::new(OperandKind::Number, VALUE, brings, OperandKind::Number);
                let slots = [0, named, value, meeting::number(*op)];
                self.push(Tiers::cold::<control::Converge>(), slots, 0, origin, shape);
            }
            Opcode::Annotation(note) => {
                let s = [0, 1, 2].map(|i| self.source(inst.src.get(i)));
                let (tiers, imm) = (Tiers::cold::<control::Annotation>(), control::packed(*note));
                self.push(tiers, [0, s[0], s[1], s[2]], imm, origin, THREE_VALUES);
            }
            Opcode::Nothing | Opcode::Branch(_) => {
                self.push(Tiers::cold::<control::Nothing>(), [0; 4], 0, origin, Shape::NONE);
            }
        }
        if let Some(at) = guard_at {
            let shape = Shape::NONE.going(Flow::Unguards);
            self.push(Tiers::cold::<control::Unguard>(), [0; 4], 0, origin, shape);
            self.code.ops[at].a = self.code.ops.len() as u32;
        }
    }

    fn barrier(&mut self, inst: &Inst, kind: BarrierKind, aligned: bool) {
        let operands = match kind {
            BarrierKind::Reduce(_) => &inst.src[2..],
            _ => &inst.src[..],
        };
        let number = self.source(operands.first());
        let threads = match operands.get(1) {
            Some(src) => self.source(Some(src)),
            None => NO_SLOT,
        };
        let predicate = self.source(inst.src.first());
        let reduces = matches!(kind, BarrierKind::Reduce(_));
        let negated = reduces && matches!(inst.src.get(1), Some(Operand::Const(1)));
        let dst = self.destination(inst.dst.first());
        let plain = match operands.first() {
            Some(Operand::Const(number @ 0..16))
                if kind == BarrierKind::Sync && threads == NO_SLOT =>
            {
                Some(*number as usize)
            }
            _ => None,
        };
        let imm = BarrierForm { kind, negated, aligned, plain }.packed();
        let (to, test) = match kind {
            BarrierKind::Reduce(Reduction::Count) => (MAYBE_VARYING, TEST),
            BarrierKind::Reduce(_) => (MAYBE_TRUTH, TEST),
            _ => (MAYBE_VALUE, VALUE),
        };
        let shape = Shape::new(to, VALUE, MAYBE_VALUE, test);
        let slots = [dst, number, threads, predicate];
        self.push(Tiers::cold::<Barrier>(), slots, imm, inst.origin, shape);
    }

    /// Whether operands that vary by `uniformity` and the result have the widths of the instruction's
    /// own types.
    fn own_widths(&self, inst: &Inst, operation: &AluOperation, uniformity: &Uniformity) -> bool {
        let varying = |src: &Operand| match src {
            Operand::Reg(r) if uniformity.class(*r) >= Class::Affine => Some(*r),
            _ => None,
        };
        let width = |r: Reg| self.kernel.registers[r as usize].width;
        let fits = |(src, own): (&Operand, &Width)| varying(src).is_none_or(|r| width(r) == *own);
        inst.src.iter().zip(operation.widths).all(fits)
            && inst.dst[0].is_none_or(|r| Some(&width(r)) == operation.widths.last())
    }

    /// The handler for the mix of scalar and varying operands that `uniformity` tells, if the instruction
    /// has one, and its number; affine operands go as varying.
    fn direct(
        &self,
        inst: &Inst,
        operation: &AluOperation,
        uniformity: &Uniformity,
    ) -> Option<(Handler, usize)> {
        let dst = inst.dst[0].map_or(Class::Varying, |r| uniformity.class(r));
        if dst < Class::Varying || !self.own_widths(inst, operation, uniformity) {
            return None;
        }
        let scalar = |src: &Operand| usize::from(uniformity.operand(*src) <= Class::Halves);
        let kinds = inst.src.iter().enumerate().fold(0, |bits, (i, src)| bits | scalar(src) << i);
        Some((operation.direct.get(kinds)?.at(self.want.tier)?, kinds))
    }

    /// A computing instruction; `keeps_affine` says whether operands of some classes have an affine
    /// result.
    fn compute(&mut self, inst: &Inst, op: Alu) {
        let operation = alu::handlers(op);
        let classes: Vec<Class> = inst.src.iter().map(|s| self.uniformity.operand(*s)).collect();
        let dst = inst.dst[0].map_or(Class::Varying, |r| self.uniformity.class(r));
        let predicate = inst.dst[0]
            .is_some_and(|r| self.kernel.registers[r as usize].width == Width::Predicate);
        let affine = operation
            .affine
            .filter(|_| dst < Class::Varying && !predicate && op.keeps_affine(&classes));
        if let Some(affine) = affine {
            let slots = self.slots(inst).map(|slot| slot & OFFSET);
            self.push(affine.handler, slots, 0, inst.origin, Shape::affine());
            if affine.sum {
                self.mark(Mark::Sum);
            }
            return;
        }
        let materialized = self.materialize(inst, operation);
        if let Some((handler, kinds)) = self.direct(inst, operation, self.uniformity) {
            let [to, mut from @ ..] = self.slots(inst);
            for (slot, own) in from.iter_mut().zip(materialized) {
                *slot = own.unwrap_or(*slot);
            }
            let slots = [to, from[0], from[1], from[2]].map(|slot| slot & OFFSET);
            let shape = Shape::direct(operation.widths, kinds);
            self.push_handler(handler, slots, operation.lane.bits(), inst.origin, shape);
            if operation.fma && (kinds == 1 || kinds == 2) {
                self.mark(Mark::Fma);
            }
            return;
        }
        let scalar = dst < Class::Varying;
        let tiers = if scalar { operation.scalar } else { operation.vector };
        let shape = Shape::compute(operation.widths, scalar);
        let slots = self.slots(inst);
        self.push(tiers, slots, operation.lane.bits(), inst.origin, shape);
        if let (Some(compare), true, true) = (operation.compare, predicate, dst == Class::Uniform) {
            self.mark(Mark::Compare(compare));
        }
    }

    /// Materialises the affine operands of an instruction with a handler for varying ones in registers
    /// of their own; gives their slots. Code in which all is varying does nothing in the same places.
    fn materialize(&mut self, inst: &Inst, operation: &AluOperation) -> [Option<Slot>; 3] {
        let mut materialized = [None; 3];
        if self.direct(inst, operation, self.divergence).is_none() {
            return materialized;
        }
        for (i, src) in inst.src.iter().enumerate().take(3) {
            let Operand::Reg(r) = src else { continue };
            if self.divergence.class(*r) != Class::Affine {
                continue;
            }
            if self.uniformity.class(*r) != Class::Affine {
                let tiers = Tiers::cold::<control::Nothing>();
                self.push(tiers, [0; 4], 0, inst.origin, Shape::NONE);
                continue;
            }
            let wide = self.kernel.registers[*r as usize].width == Width::Wide;
            let to = self.temporary(i, wide);
            let from = self.code.slots[*r as usize];
            let tiers = if wide {
                Tiers::of::<Materialize<u64>>()
            } else {
                Tiers::of::<Materialize<u32>>()
            };
            let own = OperandKind::Register(Registers::of(if wide { WIDE_WORDS } else { WORDS }));
            let shape = Shape::new(own, SCALAR_FORM, OperandKind::Number, OperandKind::Number);
            self.push(tiers, [to, from, 0, 0], 0, inst.origin, shape);
            materialized[i] = Some(to);
        }
        materialized
    }

    /// The slots of an instruction's destination and sources.
    fn slots(&mut self, inst: &Inst) -> [Slot; 4] {
        let [b, c, d] = [0, 1, 2].map(|i| self.source(inst.src.get(i)));
        [self.destination(inst.dst.first()), b, c, d]
    }

    /// Marks the operation pushed last.
    fn mark(&mut self, mark: Mark) {
        if let Some(last) = self.marks.last_mut() {
            *last = mark;
        }
    }
}
