//! Contraction: fuses products and sums into multiply-adds exactly where ptxas does.
//!
//! PTX leaves the rounding of float `mul`, `add` and `sub` without a rounding modifier open, and allows a product and a sum to
//! become one `fma` (PTX manual, "Floating-Point Instructions: add, mul"). ptxas fuses wherever its rules permit, so results match
//! a GPU's bits only if this pass makes the same choices. The rules were derived by compiling generated modules with ptxas 13.0
//! (`sm_90a`) and reading its machine code; `crates/runtime/lanework/tests/contraction` repeats the comparison where ptxas is installed:
//!
//! - A product is fused into all the sums that use it, or into none. Any other use prevents fusion: a store, a product, a
//!   comparison, a sum with a rounding modifier or different modifiers, or a sum of the product with itself. Moves and negations
//!   are transparent. Dead instructions do not count as uses.
//! - Product and sums must be in one ptxas basic block, unless a factor is a constant or a kernel parameter. ptxas blocks are
//!   smaller than PTX blocks: some instructions expand to several blocks (`rules::begins_block`), and a guarded memory access
//!   becomes a branch around the access.
//! - If both operands of a sum are such products, the one with fewer uses is fused, else the left one. A product of several uses is
//!   not fused at all if one of its sums would rather fuse its other operand, a product of one use.
//! - The last product inside `div.full` and `div.approx` counts as a product. A product by 1 or -1 does not.
//! - An approximate quotient by a constant becomes a product with the constant's reciprocal, rounded to nearest.
//! - Debug code (`.target ..., debug`) is compiled as written.
//!
//! Not modeled, because other ptxas passes cause it: fusing a product of one loop iteration into a sum of the next when ptxas
//! unrolls the loop; computing two equal products once.
//!
//! Invariants: a removed instruction has no reader. A fused instruction reads registers that hold the product's operands, copied
//! before the product if they would be overwritten.

mod terms;
mod values;

pub use terms::OpenRounding;

use crate::analysis::bitset::BitSet;
use crate::kernel::{Inst, Kernel, Opcode, Operand, Reg, Register};
use crate::opcode::float::Negated;
use crate::opcode::{Alu, TermKind};
use std::collections::HashMap;
use terms::OpenTerm;
use values::{Use, Values, View};

/// Fuses products and sums of a kernel, given the instructions whose rounding is open.
pub fn contract(kernel: &mut Kernel, open: &OpenRounding) {
    let mut terms = terms::open_terms(kernel, open);
    terms::fold_divisors(kernel, &mut terms);
    let has = |wanted: &[TermKind]| terms.iter().any(|term| wanted.contains(&term.function));
    if !has(&[TermKind::Product, TermKind::Quotient])
        || !has(&[TermKind::Sum, TermKind::Difference])
    {
        return;
    }
    let mut values = Values::analyze(kernel, &terms, &open.breaks);
    fuse(kernel, &terms, &mut values);
}

/// A sum that becomes a fused operation.
struct Fusion {
    /// The term of the sum.
    sum: usize,
    /// Which of its operands is the product.
    side: usize,
    /// The value that is the product.
    product: View,
    /// The operation that adds the product to the other operand.
    op: Alu,
}

/// Decides for each sum in text order. The uses of the products are counted once, beforehand.
fn choose(terms: &[OpenTerm], values: &mut Values) -> Vec<Fusion> {
    let count: Vec<usize> = values.all.iter().map(|value| value.uses.len()).collect();
    let mut fusions = Vec::new();
    let mut sums: Vec<usize> = values.sides.keys().copied().collect();
    sums.sort_unstable();
    for sum in sums {
        let sides = values.sides[&sum];
        let fused = sides.map(|view| fusible(terms, values, &count, sum, view?));
        let uses = |side: usize| sides[side].map_or(0, |view: View| count[view.value]);
        let side = match fused {
            [None, None] => continue,
            [Some(_), None] => 0,
            [None, Some(_)] => 1,
            [Some(_), Some(_)] => usize::from(uses(1) < uses(0)),
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

/// The operation that fuses a value into a sum, if the value is a product that may be fused.
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

/// The operation that fuses a value into a sum, considering only these two: the value is a product with the sum's type and
/// modifiers, in the same block or with a constant factor.
fn fits(terms: &[OpenTerm], values: &Values, sum: usize, view: View) -> Option<Alu> {
    let value = &values.all[view.value];
    let (sum, product) = (&terms[sum], &terms[value.product?]);
    let together = values.block[sum.core] == values.block[product.core];
    if !together && !value.constant_factor {
        return None;
    }
    sum.op.fused(sum.ftz, product.op)
}

/// Changes to apply when the list of instructions is rebuilt.
struct Changes {
    removed: BitSet,
    before: HashMap<usize, Vec<Inst>>,
}

/// Rewrites the kernel.
fn fuse(kernel: &mut Kernel, terms: &[OpenTerm], values: &mut Values) {
    let fusions = choose(terms, values);
    let mut changes = Changes { removed: BitSet::new(kernel.insts.len()), before: HashMap::new() };
    let mut factors: HashMap<usize, [Operand; 2]> = HashMap::new();
    for fusion in &fusions {
        let value = &values.all[fusion.product.value];
        let Some(product) = value.product.map(|at| &terms[at]) else { continue };
        let stays = !value.uses.is_empty();
        let [a, b] = *factors
            .entry(fusion.product.value)
            .or_insert_with(|| kept_factors(kernel, values, product, &mut changes));
        if !stays {
            (product.core..product.insts.end).for_each(|i| changes.removed.insert(i));
            value.copies.iter().flat_map(Clone::clone).for_each(|i| changes.removed.insert(i));
        }
        fuse_sum(kernel, terms, fusion, [a, b], &mut changes);
    }
    rebuild(kernel, changes);
}

/// The factors of a product, in operands that no instruction writes again.
fn kept_factors(
    kernel: &mut Kernel,
    values: &Values,
    product: &OpenTerm,
    changes: &mut Changes,
) -> [Operand; 2] {
    let core = kernel.insts[product.core].clone();
    let mut before = |op: Alu, src: Vec<Operand>, like: Reg| {
        let result = computed(kernel, op, src, like, core.origin);
        let operand = Operand::Reg(result.0);
        changes.before.entry(product.core).or_default().push(result.1);
        operand
    };
    if let (TermKind::Quotient, Some([numerator, reciprocal])) =
        (product.function, product.op.factors())
    {
        let reciprocal = before(reciprocal, vec![core.src[1]], product.dst);
        return [before(numerator, core.src.clone(), product.dst), reciprocal];
    }
    [core.src[0], core.src[1]].map(|factor| match factor.register() {
        Some(register) if values.writes[register as usize] > 1 => {
            before(Alu::copy(product.op.float_width()), vec![factor], register)
        }
        _ => factor,
    })
}

/// An instruction that writes a new register as wide as another, and that register.
fn computed(
    kernel: &mut Kernel,
    op: Alu,
    src: Vec<Operand>,
    like: Reg,
    origin: u32,
) -> (Reg, Inst) {
    let width = kernel.registers[like as usize].width;
    kernel.registers.push(Register { width, special: None });
    let register = kernel.registers.len() as Reg - 1;
    let (opcode, dst) = (Opcode::Alu(op), vec![Some(register)]);
    (register, Inst { opcode, dst, src, guard: None, origin })
}

/// Puts the fused operation in place of the sum.
fn fuse_sum(
    kernel: &mut Kernel,
    terms: &[OpenTerm],
    fusion: &Fusion,
    factors: [Operand; 2],
    changes: &mut Changes,
) {
    let sum = &terms[fusion.sum];
    let inst = kernel.insts[sum.core].clone();
    let difference = sum.function == TermKind::Difference;
    let negated = Negated {
        product: fusion.product.negated != (difference && fusion.side == 1),
        addend: difference && fusion.side == 0,
    };
    let [mut a, b] = factors;
    let mut addend = inst.src[1 - fusion.side];
    let op = fusion.op.negating(negated).unwrap_or_else(|| {
        // 16-bit floats have no fused operation that negates.
        let mut opposite = |operand: Operand| {
            let Some(op) = fusion.op.operand_negation() else { return operand };
            let (register, negation) = computed(kernel, op, vec![operand], sum.dst, inst.origin);
            changes.before.entry(sum.core).or_default().push(negation);
            Operand::Reg(register)
        };
        a = if negated.product { opposite(a) } else { a };
        addend = if negated.addend { opposite(addend) } else { addend };
        fusion.op
    });
    // Instructions that only prepared the product as an operand.
    let prepared = inst.src[fusion.side].register();
    for i in sum.insts.start..sum.core {
        if kernel.insts[i].writes().any(|r| Some(r) == prepared) {
            changes.removed.insert(i);
        }
    }
    let core = &mut kernel.insts[sum.core];
    core.opcode = Opcode::Alu(op);
    core.src = vec![a, b, addend];
}

/// The list of instructions with its changes.
fn rebuild(kernel: &mut Kernel, mut changes: Changes) {
    let (mut insts, mut moved) = (Vec::with_capacity(kernel.insts.len()), Vec::new());
    for (i, inst) in std::mem::take(&mut kernel.insts).into_iter().enumerate() {
        moved.push(insts.len());
        insts.extend(changes.before.remove(&i).into_iter().flatten());
        if !changes.removed.contains(i) {
            insts.push(inst);
        }
    }
    moved.push(insts.len());
    for label in &mut kernel.labels {
        *label = moved[(*label).min(moved.len() - 1)];
    }
    kernel.insts = insts;
}
