//! Turns a flat kernel and its uniformity into operations: places registers and chooses handlers.

pub(crate) mod code;
pub(crate) mod compute;
pub(crate) mod fuse;
pub(crate) mod instruction;
pub(crate) mod memory;
pub(crate) mod place;
pub(crate) mod shape;
pub(crate) mod verify;

pub use crate::assemble::code::{Code, Prefill};
use crate::assemble::fuse::{Mark, fuse};
use crate::assemble::shape::{OperandKind, OperationFlow, Shape, TRUTH, VALUE};
use crate::instructions::control;
use crate::instrument::event::Wants;
use crate::instrument::insertion;
use crate::instrument::insertion::Plan as Insertions;
use crate::instrument::observer::Instrumentation;
use crate::machine::context::Tiers;
use crate::machine::slot::Slot;
use crate::machine::{ENDS, Handler, NO_RECONVERGENCE, Op};
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::analysis::access::AccessClassifier;
use lanework_ptx_ir::analysis::uniformity::Uniformity;
use lanework_ptx_ir::kernel::*;
use lanework_ptx_ir::types::UniformityClass;
use std::collections::HashMap;
use std::sync::Arc;

/// Number of lowered instructions between two [`Breath`](crate::instructions::control::Breath)
/// operations of a basic block.
const CHAIN: usize = 128;

/// Operand shapes of control flow and similar operations.
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
.going(OperationFlow::Leaves);
const BRANCH: Shape =
    Shape::new(OperandKind::Target, TRUTH, OperandKind::MaybeTarget, OperandKind::Number);
const GUARD: Shape =
    Shape::new(OperandKind::GuardEnd, TRUTH, OperandKind::Number, OperandKind::Number);
const THREE_VALUES: Shape = Shape::new(OperandKind::Number, VALUE, VALUE, VALUE);

/// Options of assembly.
#[derive(Clone)]
pub struct AssemblyOptions {
    /// Index of the SIMD level.
    pub tier: usize,
    /// The run's instrument.
    pub instrumentation: Instrumentation,
    /// The operations that the instrument inserts.
    pub plan: Option<Arc<dyn Insertions>>,
    /// The index of its first site among the sites of all forms.
    pub first_site: u32,
}

impl AssemblyOptions {
    /// Whether the instrument wants any of these events.
    fn any(&self, what: Wants) -> bool {
        self.instrumentation.wants.any(what)
    }
}

/// Assembles a kernel. `divergence` determines the branches at which lanes may diverge; every form of one
/// kernel must use the same, so that their operations correspond.
pub fn assemble(
    kernel: &Kernel,
    analyses: &Analyses,
    uniformity: &Uniformity,
    divergence: &Uniformity,
    want: AssemblyOptions,
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
    want: AssemblyOptions,
    code: Code,
    constants: HashMap<u64, Slot>,
    truths: [Option<Slot>; 2],
    marks: Vec<Mark>,
    /// Registers that affine operands are materialized in, by operand and whether they are 64 bits wide.
    temporaries: [[Option<Slot>; 2]; 3],
    /// The current instruction.
    at: usize,
    /// Classifies accesses as ptxas compiles them, for counters.
    classifier: AccessClassifier<'a>,
}

impl Assembler<'_> {
    fn handler(&self, tiers: Tiers) -> Handler {
        tiers.at(self.want.tier)
    }

    fn push(&mut self, tiers: Tiers, slots: [u32; 4], imm: u64, origin: u32, shape: Shape) {
        self.push_handler(self.handler(tiers), slots, imm, origin, shape);
    }

    /// Pushes an operation; `shape` describes the operands that its handler expects.
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
            let splits = inst
                .guard
                .is_some_and(|(g, _)| self.divergence.class(g) > UniformityClass::Uniform);
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
                        let tiers = Tiers::cold::<insertion::Event>();
                        self.push(tiers, [0; 4], 0, inst.origin, Shape::NONE);
                    }
                    if self.want.any(Wants::STEPS) {
                        let tiers = Tiers::cold::<insertion::StepCall>();
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
        let end_shape = Shape::NONE.going(OperationFlow::Ends);
        self.push(Tiers::cold::<control::Exit>(), [0; 4], 0, origin, end_shape);
        for (at, target, reconverge) in patches {
            self.code.ops[at].a = target.map_or(end, |b| starts[b]);
            self.code.ops[at].c = reconverge.map_or(NO_RECONVERGENCE, |b| starts[b]);
        }
    }

    /// Marks the operation pushed last.
    fn mark(&mut self, mark: Mark) {
        if let Some(last) = self.marks.last_mut() {
            *last = mark;
        }
    }
}
