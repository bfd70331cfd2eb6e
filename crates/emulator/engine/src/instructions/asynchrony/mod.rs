//! Asynchronous operations: mbarriers, bulk copies, clusters.
//!
//! A bulk copy is checked at its start and performed later: at the end of the scheduler pass in which it was
//! started, or when its thread waits for its group. So a kernel that reads the target without waiting sees the
//! old contents, as it may on a GPU. A wait for an mbarrier suspends the warp until the phase has ended;
//! `test_wait` and `try_wait` return `false` only if no other warp in the cluster can continue, as if the time
//! limit had passed.

pub(crate) mod bulk;
pub(crate) mod cluster;
pub(crate) mod copies;
pub mod mbarrier;
pub(crate) mod registers;
pub(crate) mod shared;
pub(crate) mod sync;
pub(crate) mod tensor;
pub(crate) mod tile;

pub use crate::instructions::asynchrony::cluster::split;
pub use crate::instructions::asynchrony::mbarrier::Mbarrier;
use crate::instructions::tensor_memory;
use crate::machine::context::{Body, fault};
use crate::machine::slot::Slot;
use crate::machine::{Op, Stop, Warp};
use lanework_ptx_ir::opcode::asynchrony::AsyncOp;
use lanework_ptx_ir::opcode::tensor_memory::TmemOp;

/// An instruction with its registers; operations point to it with their immediate.
pub struct Plan {
    /// The operation.
    pub op: AsyncOp,
    /// Destinations.
    pub dst: Vec<Slot>,
    /// Sources.
    pub src: Vec<Slot>,
}

/// The handler of all asynchronous instructions.
pub struct Async;

// SAFETY: `run` returns the next operation, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Async {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the address of a plan that lives as long as the code; the assembler gave it slots of this
        // warp's register file (`Body::run`).
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
                    Err(crate::instructions::matrix::incomplete(warp))
                }
                AsyncOp::ProductWait => crate::instructions::matrix::group::wait(warp),
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

/// Describes the condition that a warp waits for at an operation where it stopped with [`Stop::Wait`].
///
/// # Safety
/// The warp stopped at `op` in this way, and its context is live.
pub unsafe fn waits_for(op: *const Op, warp: &Warp) -> String {
    // SAFETY: only operations of [`Async`] stop a warp like this, and their immediate is the address of a plan.
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
