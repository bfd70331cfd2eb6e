//! Superinstructions: common sequences of operations that one handler runs.
//!
//! A fused handler overlays the first operation of its sequence and leaves the others in place, so
//! branch targets stay valid, and a fused handler that meets an uncommon case falls back to the first
//! operation alone.

pub(crate) mod fma;
pub(crate) mod run;

use crate::assemble::fuse::fma::{FmaOverlay, FmaSequence};
use crate::instructions::control::BranchUniform;
use crate::machine::context::{Body, Tiers};
use crate::machine::slot::Scalar;
use crate::machine::{Op, Warp};
use std::marker::PhantomData;

/// A fused handler and the operations that it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fusion {
    /// The operation that it overlays.
    pub at: u32,
    /// Its kind.
    pub kind: FusionKind,
}

/// The operations that a fused handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FusionKind {
    /// Two additions in scalar form.
    Sums,
    /// A comparison and the branch on it.
    CompareBranch,
    /// Two loads and their `fma`.
    Step,
    /// An addition in scalar form, then two loads and their `fma`, which are overlaid as well.
    SumAndStep,
    /// The steps of the chain of this index.
    Chain(u32),
}

/// Overlays sequences with fused handlers. `read_once` holds the slots of registers that only one instruction reads.
/// Returns the chains that the handlers refer to, and the fusions.
pub fn fuse(
    ops: &mut [Op],
    marks: &[Mark],
    tier: usize,
    count: bool,
    read_once: &dyn Fn(u32) -> bool,
) -> (Vec<Box<FmaSequence>>, Vec<Fusion>) {
    let (mut chains, mut fusions) = (Vec::new(), Vec::new());
    let mut at = 0;
    // Whether the previous operation is the second of a fused pair of sums.
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
                ops[at].handler = Tiers::cold::<FusedPair<Sum, Sum>>().at(tier);
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

/// A mark of an operation, which the assembler uses to find sequences.
#[derive(Clone, Copy)]
pub enum Mark {
    /// Not part of any sequence.
    Plain,
    /// A direct 32-bit load in scalar form, by whether its address is 64 bits wide.
    LoadScalar(bool),
    /// A direct 32-bit load of adjacent lanes, by whether its address is 64 bits wide.
    LoadRun(bool),
    /// A direct `fma.f32` of one scalar and one varying factor and a varying sum.
    Fma,
    /// A sum of scalar forms.
    Sum,
    /// A uniform comparison; holds the handler that fuses it with a branch.
    Compare(Tiers),
    /// A branch on a uniform predicate.
    BranchUniform,
}

/// A body that can be followed by another in the same handler.
pub trait Step {
    /// Does the operation's work.
    ///
    /// # Errors
    /// The operation to continue with instead of the next one.
    ///
    /// # Safety
    /// As for [`crate::machine::Handler`].
    unsafe fn step(op: &Op, warp: &mut Warp) -> Result<(), *const Op>;
}

/// Two operations in one handler.
pub struct FusedPair<A, B>(PhantomData<(A, B)>);

// SAFETY: `run` returns what the second body returns, or what the first one returned when it stopped the warp.
unsafe impl<A: Step, B: Body> Body for FusedPair<A, B> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the assembler puts a fused handler only on an operation that falls through to one of `B`, and both
        // were assembled for this warp's register file (`Body::run`).
        unsafe {
            match A::step(op, warp) {
                Ok(()) => B::run(&*std::ptr::from_ref(op).add(1), warp),
                Err(to) => to,
            }
        }
    }
}

/// The sum of two scalar forms.
pub struct Sum;

impl Step for Sum {
    #[inline(always)]
    unsafe fn step(op: &Op, warp: &mut Warp) -> Result<(), *const Op> {
        // SAFETY: the assembler picks `Sum` for three registers in scalar form and stores their bare offsets; they are
        // in this warp's register file (`Body::run`).
        unsafe {
            let at = |slot: u32| warp.regs.add(slot as usize).cast::<Scalar>();
            Scalar::add(at(op.b), at(op.c), at(op.a));
        }
        Ok(())
    }
}

// SAFETY: `run` returns what the second body returns, or what the first one returned when it stopped the warp.
unsafe impl Body for Sum {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `step` needs what `Body::run` requires of `op` and `warp`. A sum never stops the
        // warp, so the operation falls through.
        unsafe {
            let _ = Sum::step(op, warp);
            op.next(warp)
        }
    }
}

/// A comparison and the branch on its result.
pub type CompareBranch<C> = FusedPair<C, BranchUniform>;
