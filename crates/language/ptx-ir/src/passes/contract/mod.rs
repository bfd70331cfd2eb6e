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
