//! The barrier instructions of a block: how they are encoded, and how a warp comes to one.

use crate::context::fault;
use crate::fault::{FaultKind, RawFault};
use crate::handler::Body;
use crate::machine::{Op, Stop, Warp};
use lanework_ptx_ir::kernel::{BarrierKind, MemorySpace, Reduction};

/// What a barrier instruction is beside its operands: the immediate of its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierForm {
    /// What it does.
    pub kind: BarrierKind,
    /// Whether it combines the negation of its predicate.
    pub negated: bool,
    /// Whether all threads of a warp must be at this very instruction.
    pub aligned: bool,
    /// The barrier's number, if it is constant and the barrier waits for all threads: the usual `bar.sync`.
    pub plain: Option<usize>,
}

const KINDS: [BarrierKind; 5] = [
    BarrierKind::Sync,
    BarrierKind::Arrive,
    BarrierKind::Reduce(Reduction::Count),
    BarrierKind::Reduce(Reduction::All),
    BarrierKind::Reduce(Reduction::Any),
];

impl BarrierForm {
    /// As an immediate.
    pub fn packed(self) -> u64 {
        let kind = KINDS.iter().position(|kind| *kind == self.kind).unwrap_or(0) as u64;
        let plain = self.plain.map_or(0, |number| 1 << 16 | (number as u64) << 24);
        kind | u64::from(self.negated) << 8 | u64::from(self.aligned) << 9 | plain
    }

    /// Of the immediate of a barrier's operation.
    pub fn unpacked(imm: u64) -> BarrierForm {
        BarrierForm {
            kind: KINDS[(imm & 0xff) as usize % KINDS.len()],
            negated: imm >> 8 & 1 != 0,
            aligned: imm >> 9 & 1 != 0,
            plain: (imm >> 16 & 1 != 0).then_some((imm >> 24) as usize & 15),
        }
    }
}

/// A barrier: the scheduler reads the operands, so the warp only stops here.
pub struct Barrier;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Barrier {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        if warp.mask != warp.live {
            warp.retire();
        }
        // Lanes that are scheduled independently reconverge first; at a barrier that is not aligned
        // the others of the warp may also come to another one.
        let apart = warp.mask != warp.live && !warp.independent;
        if apart && BarrierForm::unpacked(op.imm).aligned {
            let note = not_all_here(warp.index as usize, warp.mask, warp.live);
            let (kind, space) = (FaultKind::BarrierDivergence, MemorySpace::Shared);
            return fault(warp, op, RawFault::of_lanes(kind, space, warp.mask, note));
        }
        warp.stop_at(op, Stop::Barrier)
    }
}

/// What to say of lanes at a barrier that the others of their warp do not come to.
pub fn not_all_here(warp: usize, here: u32, live: u32) -> String {
    let (here, missing) = (here.count_ones(), (live & !here).count_ones());
    format!(
        "{here} threads of warp {warp} reached the barrier while {missing} others of the warp are on another path"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_packed_and_read_again() {
        for kind in KINDS {
            for plain in [None, Some(0), Some(15)] {
                for (negated, aligned) in
                    [(false, false), (false, true), (true, false), (true, true)]
                {
                    let form = BarrierForm { kind, negated, aligned, plain };
                    assert_eq!(BarrierForm::unpacked(form.packed()), form);
                }
            }
        }
    }
}
