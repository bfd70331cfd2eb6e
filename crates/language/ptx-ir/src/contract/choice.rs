//! Which sums take which of their operands: ptxas's rules, as far as its machine code tells them.

use super::open::OpenTerm;
use super::values::{Use, Values, View};
use crate::opcode::Alu;

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
pub(super) fn choose(terms: &[OpenTerm], values: &mut Values) -> Vec<Fusion> {
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
