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

mod fuse;
mod terms;
mod values;

use crate::kernel::Kernel;
use crate::opcode::contraction::TermKind;
use values::Values;

pub use terms::OpenRounding;

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
    fuse::fuse(kernel, &terms, &mut values);
}
