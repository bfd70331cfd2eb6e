//! The operations of one instruction, with its guard.

use crate::assemble::fuse::Mark;
use crate::assemble::shape::{
    Immediate, MAYBE_TRUTH, MAYBE_VALUE, MAYBE_VARYING, OperandKind, OperationFlow, Shape, TEST,
    VALUE,
};
use crate::assemble::{Assembler, BRANCH, GUARD, JUMP, THREE_VALUES};
use crate::block::barriers::{BarrierForm, BarrierOperation};
use crate::instructions::access::atomic::{AsyncCopy, OBSERVED};
use crate::instructions::asynchrony::Async;
use crate::instructions::matrix::Plan;
use crate::instructions::texture::Texture;
use crate::instructions::{asynchrony, control, cross, texture};
use crate::instrument::event::Wants;
use crate::instrument::insertion;
use crate::instrument::insertion::Inserted;
use crate::machine::context::Tiers;
use crate::machine::slot::NO_SLOT;
use crate::machine::{ENDS, divergence};
use lanework_ptx_ir::kernel::*;
use lanework_ptx_ir::opcode::memory::WarpOp;
use lanework_ptx_ir::types::UniformityClass;
use std::sync::Arc;

/// The events that an instrument may observe of `cp.async`.
const COPIED: Wants = Wants::ACCESSES.with(Wants::COUNTS).with(Wants::COPIES);

impl Assembler<'_> {
    /// The operations that the instrument inserts before the current instruction.
    pub(crate) fn insert(&mut self, inst: &Inst) {
        let inserted = self.code.plan.as_ref().map(|plan| plan.before(self.at));
        for Inserted { tiers, imm } in inserted.unwrap_or_default() {
            let shape = Shape::NONE.with(Immediate::Inserted);
            self.push(tiers, [0; 4], imm, inst.origin, shape);
        }
    }

    pub(crate) fn branch(&mut self, inst: &Inst, count: u64) {
        let Some((guard, negated)) = inst.guard else {
            return self.push(Tiers::cold::<control::Jump>(), [0; 4], count, inst.origin, JUMP);
        };
        let predicate = self.code.slots[guard as usize];
        let uniform = self.uniformity.class(guard) <= UniformityClass::Uniform;
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

    pub(crate) fn instruction(&mut self, inst: &Inst, count: u64) {
        if matches!(inst.opcode, Opcode::Annotation(_)) && !self.want.any(Wants::SYNCHRONIZATION) {
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
                let (handler, mode) = cross::handler(*op);
                let sources = [0, 1, 2].map(|i| self.source(inst.src.get(i)));
                let (first, second) =
                    (self.destination(inst.dst.first()), self.destination(inst.dst.get(1)));
                let clock = if inst.src.is_empty() { count as u32 } else { sources[2] };
                let imm = u64::from(second) | u64::from(mode) << 32;
                let slots = [first, sources[0], sources[1], clock];
                self.push(handler, slots, imm, origin, cross::shape(*op));
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
                let handler = plan.handler(!self.want.any(Wants::NO_PRODUCTS));
                let address = Arc::as_ptr(&plan).expose_provenance() as u64;
                self.code.plans.push(plan);
                let shape = Shape::NONE.with(Immediate::MatrixPlan);
                self.push(handler, [0; 4], address, origin, shape);
            }
            Opcode::Async(op) => {
                let dst = inst.dst.iter().map(|dst| self.destination(Some(dst))).collect();
                let src = inst.src.iter().map(|src| self.source(Some(src))).collect();
                let plan = Arc::new(asynchrony::Plan { op: *op, dst, src });
                let address = Arc::as_ptr(&plan).expose_provenance() as u64;
                self.code.async_plans.push(plan);
                let shape = Shape::NONE.with(Immediate::AsyncPlan);
                self.push(Tiers::cold::<Async>(), [0; 4], address, origin, shape);
            }
            Opcode::Texture(op) => {
                let dst = inst.dst.iter().map(|dst| self.destination(Some(dst))).collect();
                let src = inst.src.iter().map(|src| self.source(Some(src))).collect();
                let plan = Arc::new(texture::Plan { op: *op, dst, src });
                let address = Arc::as_ptr(&plan).expose_provenance() as u64;
                self.code.texture_plans.push(plan);
                let shape = Shape::NONE.with(Immediate::TexturePlan);
                self.push(Tiers::cold::<Texture>(), [0; 4], address, origin, shape);
            }
            Opcode::Exit | Opcode::Return => {
                let slots = [0, ENDS, ENDS, ENDS];
                let shape = Shape::NONE.going(OperationFlow::Leaves);
                self.push(Tiers::cold::<control::Exit>(), slots, count, origin, shape);
            }
            Opcode::Trap => {
                let shape = Shape::NONE.going(OperationFlow::Leaves);
                self.push(Tiers::cold::<control::Trap>(), [0; 4], count, origin, shape);
            }
            Opcode::AssertFail => {
                let s = [0, 1, 2].map(|i| self.source(inst.src.get(i)));
                let shape = THREE_VALUES.going(OperationFlow::Leaves);
                let slots = [0, s[0], s[1], s[2]];
                self.push(Tiers::cold::<control::AssertFail>(), slots, count, origin, shape);
            }
            Opcode::StackOverflow => {
                let shape = Shape::NONE.going(OperationFlow::Leaves);
                self.push(Tiers::cold::<control::StackOverflow>(), [0; 4], count, origin, shape);
            }
            Opcode::Barrier { kind, aligned } => self.barrier(inst, *kind, *aligned),
            Opcode::Converge(op) => {
                let [named, value] = [0, 1].map(|i| self.source(inst.src.get(i)));
                let brings = if matches!(op, Some(WarpOp::Vote { .. })) { TEST } else { VALUE };
                let shape = Shape::new(OperandKind::Number, VALUE, brings, OperandKind::Number);
                let slots = [0, named, value, divergence::number(*op)];
                self.push(Tiers::cold::<control::Converge>(), slots, 0, origin, shape);
            }
            Opcode::Annotation(note) => {
                let s = [0, 1, 2].map(|i| self.source(inst.src.get(i)));
                let (tiers, imm) =
                    (Tiers::cold::<insertion::Annotation>(), insertion::packed(*note));
                self.push(tiers, [0, s[0], s[1], s[2]], imm, origin, THREE_VALUES);
            }
            Opcode::Nothing | Opcode::Branch(_) => {
                self.push(Tiers::cold::<control::Nothing>(), [0; 4], 0, origin, Shape::NONE);
            }
        }
        if let Some(at) = guard_at {
            let shape = Shape::NONE.going(OperationFlow::Unguards);
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
        self.push(Tiers::cold::<BarrierOperation>(), slots, imm, inst.origin, shape);
    }
}
