//! Finds sequences of operations that have a fused handler, and overlays them.

use super::fma::{FmaOverlay, FmaSequence};
use super::pair::{Mark, Sum, Two};
use crate::handler::Tiers;
use crate::machine::Op;

/// Overlays sequences with fused handlers. `read_once` tells the slots of registers that a single
/// instruction reads. Gives the chains that the handlers refer to.
pub fn fuse(
    ops: &mut [Op],
    marks: &[Mark],
    tier: usize,
    count: bool,
    read_once: &dyn Fn(u32) -> bool,
) -> Vec<Box<FmaSequence>> {
    let mut chains = Vec::new();
    let mut at = 0;
    // Whether the operation before is the second of a fused pair of sums.
    let mut after_sum = false;
    while at < ops.len() {
        let start = at;
        at += match marks[at..] {
            [Mark::LoadScalar(_) | Mark::LoadRun(_), ..] => {
                let mut product =
                    FmaOverlay { ops, marks, tier, count, after_sum, chains: &mut chains };
                product.overlay(at, read_once)
            }
            [Mark::Compare(tiers), Mark::BranchUniform, ..] => {
                ops[at].handler = tiers.0[tier];
                2
            }
            [Mark::Sum, Mark::Sum, ..] => {
                ops[at].handler = Tiers::cold::<Two<Sum, Sum>>().0[tier];
                2
            }
            [Mark::Sum, ..] => {
                ops[at].handler = Tiers::cold::<Sum>().0[tier];
                1
            }
            _ => 1,
        };
        after_sum = at == start + 2 && matches!(marks[start], Mark::Sum);
    }
    chains
}
