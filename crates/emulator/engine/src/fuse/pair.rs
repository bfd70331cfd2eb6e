//! Two operations in one handler.

use crate::control::BranchUniform;
use crate::handler::{Body, Tiers};
use crate::machine::{Op, Warp};
use crate::slot::Scalar;
use std::marker::PhantomData;

/// What the assembler remembers of an operation, to find sequences.
#[derive(Clone, Copy)]
pub enum Mark {
    /// Nothing of use.
    Plain,
    /// A direct 32-bit load in scalar form, by whether its address is 64 bits wide.
    LoadScalar(bool),
    /// A direct 32-bit load of runs of lanes, likewise.
    LoadRun(bool),
    /// A direct `fma.f32` of one scalar and one varying factor and a varying sum.
    Fma,
    /// A sum of scalar forms.
    Sum,
    /// A uniform comparison, with the handler of it and a branch.
    Compare(Tiers),
    /// A branch on a uniform predicate.
    BranchUniform,
}

/// A body that can be followed by another in the same handler.
pub trait Step {
    /// Does the operation's work.
    ///
    /// # Errors
    /// Where to go on instead of the next operation.
    ///
    /// # Safety
    /// As for [`crate::machine::Handler`].
    unsafe fn step(op: &Op, warp: &mut Warp) -> Result<(), *const Op>;
}

/// Two operations in one handler.
pub struct Two<A, B>(PhantomData<(A, B)>);

// SAFETY: `run` returns what the second body returns, or what the first one returned when it stopped the warp.
unsafe impl<A: Step, B: Body> Body for Two<A, B> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the assembler fused two operations in sequence.
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
        // SAFETY: slots are bare offsets of scalar forms by the assembler.
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
        // SAFETY: `step` needs what `Body::run` requires of `op` and `warp`; a sum never stops, so that the operation
        // falls through.
        unsafe {
            let _ = Sum::step(op, warp);
            op.next(warp)
        }
    }
}

/// A comparison and the branch on its result.
pub type CompareBranch<C> = Two<C, BranchUniform>;
