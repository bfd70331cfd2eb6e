//! Instructions on tensor memory: which function runs each.

use super::super::plan::Plan;
use super::access::{load, store, whole};
use super::allocation::{allocate, free, relinquish};
use super::commit::commit;
use super::start_move::{start_copies, start_shifts};
use super::start_product::start_products;
use crate::fault::RawFault;
use crate::machine::{Op, Warp};
use lanework_ptx_ir::opcode::tensor_memory::TmemOp;

/// Runs an instruction; `false` when the warp waits.
///
/// # Errors
/// What the instruction does wrong: a use of tensor memory that is invalid, or not by whole warps.
///
/// # Safety
/// The plan's slots are registers of the warp, whose context is live.
pub unsafe fn run(op: &Op, warp: &mut Warp, plan: &Plan, this: TmemOp) -> Result<bool, RawFault> {
    // SAFETY: each of these requires of warp and plan what this function does.
    unsafe {
        match this {
            TmemOp::Allocate { pair, to } => allocate(op, warp, plan, pair, to),
            TmemOp::Free { pair } => free(warp, plan, pair),
            TmemOp::Relinquish => relinquish(warp),
            TmemOp::Load(movement) => load(warp, plan, &movement),
            TmemOp::Store(movement) => store(warp, plan, &movement),
            // Loads and stores are done when they are issued.
            TmemOp::Wait { .. } => whole(warp).map(|()| true),
            TmemOp::Commit { barrier, multicast } => commit(op, warp, plan, barrier, multicast),
            TmemOp::Copy(copy) => start_copies(op, warp, plan, copy),
            TmemOp::Shift { pair } => start_shifts(op, warp, plan, pair),
            TmemOp::Multiply(product) => start_products(op, warp, plan, product),
        }
    }
}

/// What a warp that waits waits for, in words.
///
/// # Safety
/// As for [`run`].
pub unsafe fn describe(warp: &Warp, plan: &Plan, this: TmemOp) -> String {
    match this {
        TmemOp::Allocate { pair, .. } | TmemOp::Free { pair } => {
            // SAFETY: it requires of warp and plan what this function does.
            unsafe { super::allocation::describe(warp, plan, pair) }
        }
        _ => "tensor memory".to_owned(),
    }
}
