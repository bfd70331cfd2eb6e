//! Finds sequences of operations that have a fused handler, and overlays them.

use super::fma::{FmaOverlay, FmaSequence};
use super::fusion::{Fusion, FusionKind};
use super::pair::{Mark, Sum, Two};
use crate::handler::Tiers;
use crate::machine::Op;

/// Overlays sequences with fused handlers. `read_once` tells the slots of registers that a single
/// instruction reads. Gives the chains that the handlers refer to, and what was fused.
pub fn fuse(
    ops: &mut [Op],
    marks: &[Mark],
    tier: usize,
    count: bool,
    read_once: &dyn Fn(u32) -> bool,
) -> (Vec<Box<FmaSequence>>, Vec<Fusion>) {
    let (mut chains, mut fusions) = (Vec::new(), Vec::new());
    let mut at = 0;
    // Whether the operation before is the second of a fused pair of sums.
    let mut after_sum = false;
    while at < ops.len() {
        let start = at;
        at += match marks[at..] {
            [Mark::LoadScalar(_) | Mark::LoadRun(_), ..] => {
                let (chains, fusions) = (&mut chains, &mut fusions);
                let mut product =
                    FmaOverlay { ops, marks, tier, count, after_sum, chains, fusions };
                product.overlay(at, read_once)
            }
            [Mark::Compare(tiers), Mark::BranchUniform, ..] => {
                ops[at].handler = tiers.at(tier);
                fusions.push(Fusion { at: at as u32, kind: FusionKind::CompareBranch });
                2
            }
            [Mark::Sum, Mark::Sum, ..] => {
                ops[at].handler = Tiers::cold::<Two<Sum, Sum>>().at(tier);
                fusions.push(Fusion { at: at as u32, kind: FusionKind::Sums });
                2
            }
            [Mark::Sum, ..] => {
                ops[at].handler = Tiers::cold::<Sum>().at(tier);
                1
            }
            _ => 1,
        };
        after_sum = at == start + 2 && matches!(marks[start], Mark::Sum);
    }
    (chains, fusions)
}
