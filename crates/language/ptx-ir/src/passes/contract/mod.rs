//! Contraction: products and sums that a GPU's driver rounds once.
//!
//! PTX leaves open how `mul`, `add` and `sub` of floats without a rounding modifier are rounded, and allows a
//! product and a sum to become one `fma` (PTX manual, "Floating-Point Instructions: add, mul"). ptxas does so
//! wherever its rules let it, so that the bits of such code are those of the fused operations. This pass makes
//! the same choices. The rules were found by giving ptxas 13.0 generated modules (`sm_90a`) and reading its
//! machine code; `crates/runtime/lanework/tests/contraction` repeats the comparison where ptxas is installed:
//!
//! - A product is fused into all sums that it is an operand of, or into none: any other use keeps it as it is
//!   (a store, a product, a comparison, a sum with a rounding modifier or other modifiers, itself as both
//!   operands). Moves and negations are seen through. Unused instructions do not count.
//! - Product and sums lie in one of ptxas's basic blocks, unless a factor is a constant or a parameter of the
//!   kernel. Its blocks are smaller than PTX's: some instructions become several with branches among them
//!   (`rules::blocks`), and memory is accessed under a guard by branching around the access.
//! - Where both operands of a sum are such products, the one with fewer uses is fused, else the left one;
//!   a product that another sum would have lost to a product of one use is not fused there either.
//! - The last product inside `div.full` and `div.approx` is a product like others. One by 1 or -1 is none.
//! - An approximate quotient by a constant is a product with the constant's reciprocal, rounded to the nearest.
//! - Code for debugging (`.target ..., debug`) is compiled as it is written.
//!
//! What is not mirrored, since it follows from other passes of ptxas: a product of one turn of a loop that is
//! added in the next, where ptxas unrolls the loop; two equal products that ptxas computes once.
//!
//! Invariants: an instruction that is left out has no reader; a fused one reads registers that hold what the
//! product read, copied before the product where they would be overwritten.
//! What lowering notes for contraction: instructions whose rounding PTX leaves open, and where ptxas begins
//! basic blocks that PTX does not show.
//! Which sums take which of their operands: ptxas's rules, as far as its machine code tells them.
//! Instructions that only compute what nothing reads.

mod rewrite;
mod values;

use crate::kernel::{Kernel, Opcode, Operand, Reg};
use crate::opcode::Alu;
use crate::opcode::contraction::Term;
use crate::opcode::logic::MoveOp;
use crate::passes::contract::values::{Use, Values, View};
use std::ops::Range;

/// Fuses products and sums of a kernel, given the instructions whose rounding is open.
pub fn contract(kernel: &mut Kernel, open: &OpenRounding) {
    let mut terms = open_terms(kernel, open);
    fold_divisors(kernel, &mut terms);
    let has = |wanted: &[Term]| terms.iter().any(|term| wanted.contains(&term.function));
    if !has(&[Term::Product, Term::Quotient]) || !has(&[Term::Sum, Term::Difference]) {
        return;
    }
    let mut values = Values::of(kernel, &terms, &open.breaks);
    let fusions = choose(&terms, &mut values);
    rewrite::fuse_all(kernel, &terms, &values, &fusions);
}

/// The notes of one kernel.
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
    pub function: Term,
    pub ftz: bool,
    /// The instructions that it became.
    pub insts: Range<usize>,
    /// The one that computes, among them.
    pub core: usize,
    /// Its operation.
    pub op: Alu,
    /// The operands as PTX has them.
    pub src: Vec<Operand>,
    pub dst: Reg,
}

/// The noted terms, in the order of the text.
fn open_terms(kernel: &Kernel, open: &OpenRounding) -> Vec<OpenTerm> {
    let term = |(insts, ftz): &(Range<usize>, bool)| {
        let of = |i: usize| match kernel.insts[i].opcode {
            Opcode::Alu(op) => op.term().map(|function| (i, op, function)),
            _ => None,
        };
        let (core, op, function) = insts.clone().find_map(of)?;
        // An operand that is flushed first is what the flush reads.
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

/// Makes approximate quotients by constants products with their reciprocals, as ptxas does, whose reciprocal is
/// not the approximate one.
fn fold_divisors(kernel: &mut Kernel, terms: &mut [OpenTerm]) {
    if terms.iter().all(|term| term.function != Term::Quotient) {
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
    for term in terms.iter_mut().filter(|term| term.function == Term::Quotient) {
        let divisor = match term.src[1] {
            Operand::Const(bits) => Some(bits),
            Operand::Reg(r) if writes[r as usize] == 1 => constants[r as usize],
            _ => None,
        };
        let folded = divisor.and_then(|divisor| term.op.product_by_reciprocal(divisor));
        let Some((product, reciprocal)) = folded else { continue };
        (term.op, term.function) = (product, Term::Product);
        term.src[1] = Operand::Const(reciprocal);
        let core = &mut kernel.insts[term.core];
        core.opcode = Opcode::Alu(product);
        core.src[1] = Operand::Const(reciprocal);
    }
}

/// A sum that becomes a fused operation.
pub(super) struct Fusion {
    /// The term of the sum.
    pub sum: usize,
    /// Which of its operands is the product.
    pub side: usize,
    /// The value that is the product.
    pub product: View,
    /// The operation that adds the product to the other operand.
    pub op: Alu,
}

/// Decides for one sum after the other, in the order of the text. A product's uses are counted once, before.
fn choose(terms: &[OpenTerm], values: &mut Values) -> Vec<Fusion> {
    let count: Vec<usize> = values.all.iter().map(|value| value.uses.len()).collect();
    let mut fusions = Vec::new();
    let mut sums: Vec<usize> = values.sides.keys().copied().collect();
    sums.sort_unstable();
    for sum in sums {
        let sides = values.sides[&sum];
        let fused = sides.map(|view| fusible(terms, values, &count, sum, view?));
        let of = |side: usize| sides[side].map_or(0, |view: View| count[view.value]);
        let side = match fused {
            [None, None] => continue,
            [Some(_), None] => 0,
            [None, Some(_)] => 1,
            [Some(_), Some(_)] => usize::from(of(1) < of(0)),
        };
        let (Some(product), Some(op)) = (sides[side], fused[side]) else { continue };
        fusions.push(Fusion { sum, side, product, op });
        let uses = &mut values.all[product.value].uses;
        uses.retain(|by| *by != Use::Sum(sum, side));
        if let Some(addend) = sides[1 - side] {
            let uses = &mut values.all[addend.value].uses;
            let at = uses.iter().position(|by| *by == Use::Sum(sum, 1 - side));
            at.into_iter().for_each(|at| uses[at] = Use::Other);
        }
    }
    fusions
}

/// The operation that fuses a value into a sum, if it is a product that may be.
fn fusible(
    terms: &[OpenTerm],
    values: &Values,
    count: &[usize],
    sum: usize,
    view: View,
) -> Option<Alu> {
    let value = &values.all[view.value];
    let op = fits(terms, values, sum, view)?;
    for by in &value.uses {
        let Use::Sum(other, side) = *by else { return None };
        fits(terms, values, other, view)?;
        let alone =
            |view: View| count[view.value] == 1 && fits(terms, values, other, view).is_some();
        let lost = other != sum && values.sides[&other][1 - side].is_some_and(alone);
        if lost && count[view.value] > 1 {
            return None;
        }
    }
    Some(op)
}

/// The operation that fuses a value into a sum, as far as the two alone tell: the value is a product of the
/// sum's type and modifiers, in its block or by a constant.
fn fits(terms: &[OpenTerm], values: &Values, sum: usize, view: View) -> Option<Alu> {
    let value = &values.all[view.value];
    let (sum, product) = (&terms[sum], &terms[value.product?]);
    let together = values.block[sum.core] == values.block[product.core];
    if !together && !value.constant_factor {
        return None;
    }
    sum.op.fused(sum.ftz, product.op)
}

/// By instruction: whether it only computes what nothing reads; `writes` counts the writers of each register.
fn dead(kernel: &Kernel, writes: &[u32]) -> Vec<bool> {
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
