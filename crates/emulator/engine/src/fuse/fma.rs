//! Fused multiply-add sequences (superinstructions): the inner steps of matrix products, two loads and an
//! `fma`, one after the other.

mod find;
mod run;
mod sequence;

use super::fusion::{Fusion, FusionKind};
use super::pair::Mark;
use crate::handler::WideTiers;
use crate::machine::Op;
use run::{RUN_DEAD, SAME_DEAD};
use sequence::DEAD;

pub use sequence::FmaSequence;

/// Where product steps are overlaid.
pub struct FmaOverlay<'a> {
    /// The operations.
    pub ops: &'a mut [Op],
    /// Their marks.
    pub marks: &'a [Mark],
    /// The SIMD level.
    pub tier: usize,
    /// Whether accesses are counted.
    pub count: bool,
    /// Whether the operation before is the second of a fused pair of sums.
    pub after_sum: bool,
    /// The chains so far.
    pub chains: &'a mut Vec<Box<FmaSequence>>,
    /// What was fused so far, in the order of operations.
    pub fusions: &'a mut Vec<Fusion>,
}

impl FmaOverlay<'_> {
    /// Overlays the longest chain at `at`; gives the operations dealt with.
    pub fn overlay(&mut self, at: usize, read_once: &dyn Fn(u32) -> bool) -> usize {
        let (marks, count) = (self.marks, self.count);
        let Some((chain, wide)) = find::longest(&self.ops[at..], &marks[at..], read_once) else {
            return 1;
        };
        let length = chain.length as usize;
        if let [link] = chain.links[..] {
            let first = matches!(marks[at], Mark::LoadScalar(_));
            let dead = |to, flag| if to == DEAD { flag } else { 0 };
            self.ops[at].d = dead(link.same_to, SAME_DEAD) | dead(link.run_to, RUN_DEAD);
            if at > 0 && !self.after_sum && matches!(marks[at - 1], Mark::Sum) {
                self.set(at - 1, run::sum_and_one(wide, first, count), FusionKind::SumAndStep);
            }
            self.set(at, run::one(wide, first, count), FusionKind::Step);
            return length;
        }
        // The general handler of the first load, which a chain falls back to, needs no immediate.
        let chain = Box::new(FmaSequence { index: self.chains.len() as u32, ..chain });
        self.ops[at].imm = std::ptr::from_ref(&*chain).expose_provenance() as u64;
        let index = self.chains.len() as u32;
        self.chains.push(chain);
        let tiers = run::sequence(wide, count);
        self.set(at, tiers, FusionKind::Chain(index));
        length
    }

    /// Overlays an operation, where the SIMD level has the handler.
    fn set(&mut self, at: usize, tiers: WideTiers, kind: FusionKind) {
        if let Some(handler) = tiers.at(self.tier) {
            self.ops[at].handler = handler;
            self.fusions.push(Fusion { at: at as u32, kind });
        }
    }
}
