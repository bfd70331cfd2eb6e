//! The sums, products, quotients and negations whose rounding PTX leaves open, as lowering recorded them, and dead code.

use crate::kernel::{Kernel, Opcode, Operand, Reg};
use crate::opcode::logic::MoveOp;
use crate::opcode::{Alu, TermKind};
use std::ops::Range;

/// The recorded terms and block boundaries of one kernel.
#[derive(Clone, Debug, Default)]
pub struct OpenRounding {
    /// The instructions that each sum, product or negation without a rounding modifier became, and whether it
    /// flushes subnormal numbers.
    pub terms: Vec<(Range<usize>, bool)>,
    /// Instructions before which ptxas begins a block, ascending.
    pub breaks: Vec<usize>,
}

/// A sum, product, quotient or negation of PTX.
#[derive(Clone, Debug)]
pub(super) struct OpenTerm {
    pub function: TermKind,
    pub ftz: bool,
    /// The instructions that it became.
    pub insts: Range<usize>,
    /// The one among them that computes the result.
    pub core: usize,
    /// Its operation.
    pub op: Alu,
    /// The operands as PTX has them.
    pub src: Vec<Operand>,
    pub dst: Reg,
}

/// The noted terms, in the order of the text.
pub(super) fn open_terms(kernel: &Kernel, open: &OpenRounding) -> Vec<OpenTerm> {
    let term = |(insts, ftz): &(Range<usize>, bool)| {
        let kind = |i: usize| match kernel.insts[i].opcode {
            Opcode::Alu(op) => op.term().map(|function| (i, op, function)),
            _ => None,
        };
        let (core, op, function) = insts.clone().find_map(kind)?;
        // If an operand is flushed first, this is the operand of the flush.
        let written = |operand: Operand| {
            let mut before = kernel.insts[insts.start..core].iter();
            let flush = before.find(|inst| inst.writes().any(|r| operand.register() == Some(r)));
            flush.and_then(|inst| inst.src.first().copied()).unwrap_or(operand)
        };
        let src = kernel.insts[core].src.iter().map(|operand| written(*operand)).collect();
        let dst = kernel.insts[insts.end - 1].dst.first().copied().flatten()?;
        Some(OpenTerm { function, ftz: *ftz, insts: insts.clone(), core, op, src, dst })
    };
    open.terms.iter().filter_map(term).collect()
}

/// Turns approximate quotients by constants into products with the constant's reciprocal, as ptxas does. That
/// reciprocal is rounded to nearest, not the approximate one.
pub(super) fn fold_divisors(kernel: &mut Kernel, terms: &mut [OpenTerm]) {
    if terms.iter().all(|term| term.function != TermKind::Quotient) {
        return;
    }
    let mut writes = vec![0u32; kernel.registers.len()];
    let mut constants = vec![None; kernel.registers.len()];
    for inst in &kernel.insts {
        inst.writes().for_each(|r| writes[r as usize] += 1);
        if let (Opcode::Alu(Alu::Move(MoveOp::Copy(_))), [Some(to)], [Operand::Const(bits)], None) =
            (inst.opcode, &inst.dst[..], &inst.src[..], inst.guard)
        {
            constants[*to as usize] = Some(*bits);
        }
    }
    for term in terms.iter_mut().filter(|term| term.function == TermKind::Quotient) {
        let divisor = match term.src[1] {
            Operand::Const(bits) => Some(bits),
            Operand::Reg(r) if writes[r as usize] == 1 => constants[r as usize],
            _ => None,
        };
        let folded = divisor.and_then(|divisor| term.op.product_by_reciprocal(divisor));
        let Some((product, reciprocal)) = folded else { continue };
        (term.op, term.function) = (product, TermKind::Product);
        term.src[1] = Operand::Const(reciprocal);
        let core = &mut kernel.insts[term.core];
        core.opcode = Opcode::Alu(product);
        core.src[1] = Operand::Const(reciprocal);
    }
}

/// By instruction: whether it only computes results that nothing reads; `writes` counts the writers of each register.
pub(super) fn dead(kernel: &Kernel, writes: &[u32]) -> Vec<bool> {
    let mut reads = vec![0u32; kernel.registers.len()];
    let mut writer = vec![None; kernel.registers.len()];
    for (i, inst) in kernel.insts.iter().enumerate() {
        inst.reads().for_each(|r| reads[r as usize] += 1);
        inst.writes().for_each(|r| writer[r as usize] = Some(i));
    }
    let mut dead = vec![false; kernel.insts.len()];
    let unread = |reads: &[u32], r: usize| reads[r] == 0 && writes[r] == 1;
    let mut pending: Vec<usize> =
        (0..reads.len()).filter(|r| unread(&reads, *r)).filter_map(|r| writer[r]).collect();
    while let Some(i) = pending.pop() {
        let inst = &kernel.insts[i];
        if dead[i] || !inst.is_alu() {
            continue;
        }
        dead[i] = true;
        for r in inst.reads().map(|r| r as usize) {
            reads[r] -= 1;
            if unread(&reads, r) {
                pending.extend(writer[r]);
            }
        }
    }
    dead
}
