//! Fused operations: each lies in sequence, and what it overlays agrees with it.

use super::operations::address_of;
use super::{Verifier, Violation};
use crate::fuse::fusion::{Fusion, FusionKind};
use crate::machine::Op;
use crate::shape::{Form, Immediate, OperandKind, Registers, SCALAR_WORD, Shape, WORDS};
use crate::slot::OFFSET;

impl Verifier<'_> {
    /// Fused operations lie in sequence, and the ones that they overlay agree with them.
    pub(super) fn fusions(&self) -> Result<(), Violation> {
        let mut free = 0;
        let mut before: Option<Fusion> = None;
        let mut chains = 0;
        for fusion in &self.code.fusions {
            let at = fusion.at as usize;
            let wrong = |what: &str| Err(self.wrong(Some(at), format!("fused: {what}")));
            let inner = before.is_some_and(|before| {
                before.kind == FusionKind::SumAndStep
                    && before.at + 1 == fusion.at
                    && fusion.kind == FusionKind::Step
            });
            if at < free && !inner {
                return wrong("it overlays an operation of the sequence before");
            }
            let length = match fusion.kind {
                FusionKind::Sums | FusionKind::CompareBranch => 2,
                FusionKind::Step => 3,
                FusionKind::SumAndStep => 4,
                FusionKind::Chain(index) => match self.code.chains.get(index as usize) {
                    Some(chain) => chain.operations(),
                    None => return wrong(&format!("chain {index} does not exist")),
                },
            };
            let Some(shapes) = self.code.shapes.get(at..at + length) else {
                return wrong("the sequence leaves the program");
            };
            let ops = &self.code.ops[at..at + length];
            let sum = |shape: &Shape| *shape == Shape::affine();
            let good = match fusion.kind {
                FusionKind::Sums => shapes.iter().all(sum),
                FusionKind::CompareBranch => {
                    shapes[0].imm == Immediate::Function
                        && shapes[1].operands[0] == OperandKind::Target
                }
                FusionKind::Step => is_step(ops, shapes),
                FusionKind::SumAndStep => sum(&shapes[0]) && is_step(&ops[1..], &shapes[1..]),
                FusionKind::Chain(index) => {
                    chains += 1;
                    let chain = &self.code.chains[index as usize];
                    let offset = |op: &Op| self.site(op.c).map_or(0, |site| site.offset);
                    ops[0].imm == address_of(&**chain)
                        && ops
                            .chunks(3)
                            .zip(shapes.chunks(3))
                            .all(|(ops, shapes)| is_step(ops, shapes))
                        && chain.agrees(ops, &offset)
                }
            };
            if !good {
                return wrong("the operations are not those of the sequence");
            }
            free = free.max(at + length);
            before = Some(*fusion);
        }
        if chains != self.code.chains.len() {
            return Err(self.wrong(None, "not one fused operation for each chain"));
        }
        Ok(())
    }
}

/// Whether these are a scalar load, a load of a run of lanes, and an `fma` of what both load.
fn is_step(ops: &[Op], shapes: &[Shape]) -> bool {
    let ([x, y, fma], [of_x, of_y, of_fma]) = (ops, shapes) else { return false };
    let loads = |shape: &Shape, form: Form| {
        shape.operands[0] == OperandKind::Register(Registers::of(form))
            && matches!(shape.operands[2], OperandKind::Site(lanes) if lanes > 0)
    };
    let (same, run) = if loads(of_x, SCALAR_WORD) && loads(of_y, WORDS) {
        (x, y)
    } else if loads(of_x, WORDS) && loads(of_y, SCALAR_WORD) {
        (y, x)
    } else {
        return false;
    };
    let words = OperandKind::Register(Registers::of(WORDS).bare());
    let factors = [fma.b, fma.c];
    let loaded = [same.a & OFFSET, run.a & OFFSET];
    of_fma.operands[0] == words
        && of_fma.operands[3] == words
        && (factors == loaded || factors == [loaded[1], loaded[0]])
        && of_x.operands[1] == of_y.operands[1]
}
