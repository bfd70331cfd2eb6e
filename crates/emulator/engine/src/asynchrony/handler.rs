//! The handler of all asynchronous instructions: lane after lane, as their operands differ.

use super::plan::Plan;
use super::tensor_memory::handler as tensor_memory;
use super::{bulk, sync, tensor};
use crate::context::fault;
use crate::handler::Body;
use crate::machine::{Op, Stop, Warp};
use lanework_ptx_ir::opcode::asynchrony::AsyncOp;
use lanework_ptx_ir::opcode::tensor_memory::TmemOp;

/// Any instruction of this family.
pub struct Async;

// SAFETY: `run` returns the next operation, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Async {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the address of a plan that lives as long as the code; its slots are
        // valid by the assembler.
        unsafe {
            let plan = &*std::ptr::with_exposed_provenance::<Plan>(op.imm as usize);
            let together = matches!(
                plan.op,
                AsyncOp::ClusterArrive { aligned: true, .. }
                    | AsyncOp::ClusterWait { aligned: true }
                    | AsyncOp::ProductWait
                    | AsyncOp::Tmem(
                        TmemOp::Allocate { .. }
                            | TmemOp::Free { .. }
                            | TmemOp::Relinquish
                            | TmemOp::Load(_)
                            | TmemOp::Store(_)
                            | TmemOp::Wait { .. }
                    )
            );
            if together && warp.may_align() {
                return warp.stop_at(op, Stop::Align);
            }
            let done = match plan.op {
                AsyncOp::Mbarrier(what, at) => sync::mbarrier(op, warp, plan, what, at),
                AsyncOp::ClusterArrive { aligned, relaxed } => sync::arrive(warp, aligned, relaxed),
                AsyncOp::ClusterWait { aligned } => sync::wait(warp, aligned),
                AsyncOp::Registers { count, more } => sync::registers(warp, count, more),
                AsyncOp::Copy(copy) => bulk::start(op, warp, plan, copy),
                AsyncOp::Tensor(tensor) => tensor::start(op, warp, plan, tensor),
                AsyncOp::Store { bytes, reduction, to, barrier, everywhere } => {
                    let form = (bytes, reduction, everywhere);
                    bulk::store(op, warp, plan, form, to, barrier)
                }
                AsyncOp::ProductCommit => Ok(true),
                AsyncOp::ProductWait if warp.mask != u32::MAX => {
                    Err(crate::matrix::handlers::incomplete(warp))
                }
                AsyncOp::ProductWait => crate::matrix::group::wait(warp),
                AsyncOp::Commit => bulk::commit(op, warp),
                AsyncOp::WaitGroup { pending, read } => bulk::wait_group(op, warp, pending, read),
                AsyncOp::Tmem(this) => tensor_memory::run(op, warp, plan, this),
            };
            match done {
                Ok(true) => op.leave(),
                Ok(false) => warp.stop_at(op, Stop::Wait),
                Err(raw) => fault(warp, op, raw),
            }
        }
    }
}

/// What a warp waits for at an operation where it stopped with [`Stop::Wait`], in words.
///
/// # Safety
/// The warp stopped at `op` in this way, and its context is live.
pub unsafe fn waits_for(op: *const Op, warp: &Warp) -> String {
    // SAFETY: such operations are those of [`Async`], with the address of a plan.
    unsafe {
        let plan = &*std::ptr::with_exposed_provenance::<Plan>((*op).imm as usize);
        match plan.op {
            AsyncOp::Mbarrier(_, at) => sync::describe(warp, plan, at),
            AsyncOp::Tmem(this) => tensor_memory::describe(warp, plan, this),
            AsyncOp::Registers { count, .. } => sync::describe_registers(warp, count),
            AsyncOp::ProductWait => "the other warps of its warpgroup".to_owned(),
            _ => "every thread of the cluster to arrive at the cluster's barrier".to_owned(),
        }
    }
}
