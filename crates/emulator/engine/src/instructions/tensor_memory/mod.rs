//! Tensor memory and the fifth generation of tensor cores (`tcgen05`; PTX manual, "TensorCore 5th Generation
//! Family Instructions"). Nothing here was compared with a GPU: sums follow an H200's tensor cores, and layouts
//! that the manual shows only in figures follow CuTe.
//!
//! Allocation, loads and stores are performed at issue. Products, copies, shifts and the arrivals of `commit` go
//! to a queue, and are performed in issue order at the end of the scheduler pass, like bulk copies. So a kernel
//! that reads a result without waiting sees the old contents.

pub(crate) mod access;
pub(crate) mod allocation;
pub(crate) mod descriptor;
pub(crate) mod element;
pub(crate) mod memory;
pub(crate) mod multiply;
pub(crate) mod product;
pub(crate) mod queue;

use crate::fault::{FaultKind, RawFault};
use crate::instructions::asynchrony::Plan;
use crate::instructions::asynchrony::cluster::Cluster;
use crate::instructions::asynchrony::shared::owner;
use crate::instructions::tensor_memory::access::{load, store, whole};
use crate::instructions::tensor_memory::allocation::{allocate, free, relinquish};
use crate::instructions::tensor_memory::memory::{LANES, Place, TensorMemory};
use crate::instructions::tensor_memory::multiply::SharedRows;
use crate::instructions::tensor_memory::product::start_products;
use crate::instructions::tensor_memory::queue::{QueuedOperation, QueuedTask, commit};
use crate::instrument::event::Wants;
use crate::machine::context::Context;
use crate::machine::{Op, Warp};
use allocation::{start_copies, start_shifts};
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::tensor_memory::TmemOp;
use std::ops::Range;

/// Runs an instruction; `false` when the warp waits.
///
/// # Errors
/// The misuse: an invalid use of tensor memory, or a use by part of a warp.
///
/// # Safety
/// The plan's slots are registers of the warp, whose context is live.
pub unsafe fn run(op: &Op, warp: &mut Warp, plan: &Plan, this: TmemOp) -> Result<bool, RawFault> {
    // SAFETY: the plan is of an operation of this warp's code, and its context and cluster are live, as this function
    // requires.
    unsafe {
        match this {
            TmemOp::Allocate { pair, to } => allocate(op, warp, plan, pair, to),
            TmemOp::Free { pair } => free(warp, plan, pair),
            TmemOp::Relinquish => relinquish(warp),
            TmemOp::Load(movement) => load(warp, plan, &movement),
            TmemOp::Store(movement) => store(warp, plan, &movement),
            // Loads and stores are performed at issue.
            TmemOp::Wait { .. } => whole(warp).map(|()| true),
            TmemOp::Commit { barrier, multicast } => commit(op, warp, plan, barrier, multicast),
            TmemOp::Copy(copy) => start_copies(op, warp, plan, copy),
            TmemOp::Shift { pair } => start_shifts(op, warp, plan, pair),
            TmemOp::Multiply(product) => start_products(op, warp, plan, product),
        }
    }
}

/// Describes the condition that a waiting warp waits for.
///
/// # Safety
/// As for [`run`].
pub unsafe fn describe(warp: &Warp, plan: &Plan, this: TmemOp) -> String {
    match this {
        TmemOp::Allocate { pair, .. } | TmemOp::Free { pair } => {
            // SAFETY: the plan is of an operation of this warp's code, and its context and cluster are live, as this
            // function requires.
            unsafe { crate::instructions::tensor_memory::allocation::describe(warp, plan, pair) }
        }
        _ => "tensor memory".to_owned(),
    }
}

/// The cluster of a warp.
///
/// # Safety
/// The warp's context and its cluster are live, and no other reference to the cluster exists.
pub unsafe fn cluster<'w>(warp: &Warp) -> &'w mut Cluster {
    // SAFETY: the context and its cluster are live and no other reference to the cluster exists, as this function
    // requires.
    unsafe { &mut *(*warp.context).cluster }
}

/// The ranks of a warp's block and of its pair's other block.
///
/// # Errors
/// If the pair's other block does not exist, or has ended.
///
/// # Safety
/// As for [`cluster`].
pub unsafe fn pair_of(warp: &Warp, lane: u32) -> Result<[usize; 2], RawFault> {
    // SAFETY: the context and its cluster outlive the warp's run, as this function requires; both are only read.
    let (context, cluster): (&Context, &Cluster) =
        unsafe { (&*warp.context, &*(*warp.context).cluster) };
    let own = context.rank as usize;
    let peer = own ^ 1;
    match cluster.running.get(peer) {
        None => Err(misuse(
            lane,
            "`.cta_group::2` needs a cluster of an even number of blocks: this block has no peer",
        )),
        Some(false) => {
            Err(misuse(lane, "`.cta_group::2`, but the other block of the pair has ended"))
        }
        Some(true) => Ok([own & !1, own | 1]),
    }
}

/// A fault of one lane's use of tensor memory.
#[cold]
pub fn misuse(lane: u32, note: impl Into<String>) -> RawFault {
    RawFault {
        kind: FaultKind::TensorMemory,
        lane,
        address: None,
        bytes: 0,
        space: MemorySpace::Generic,
        access: None,
        note: note.into(),
    }
}

/// Checks that columns are allocated and lanes exist.
///
/// # Errors
/// If they are not; `what` names their purpose in the message.
pub fn check_columns(
    memory: &TensorMemory,
    lane: u32,
    at: Place,
    (lanes, columns): (u32, u32),
    what: &str,
) -> Result<(), RawFault> {
    if at.lane + lanes > LANES {
        let note = format!(
            "{what}: lanes {} to {} of tensor memory, which has {LANES}",
            at.lane,
            at.lane + lanes - 1
        );
        return Err(misuse(lane, note));
    }
    if memory.holds(i64::from(at.column), columns) {
        return Ok(());
    }
    let given: Vec<String> = memory
        .allocations()
        .iter()
        .map(|a| format!("{} to {}", a.start, a.start + a.columns - 1))
        .collect();
    let given = match given.is_empty() {
        true => "none".to_owned(),
        false => given.join(", "),
    };
    let last = at.column + columns.max(1) - 1;
    let note = format!(
        "{what}: columns {} to {last} of tensor memory are not all allocated (allocated: {given})",
        at.column
    );
    Err(misuse(lane, note))
}

/// An operand that must be equal in all lanes of a warp.
///
/// # Errors
/// If the lanes' values differ.
pub fn same(warp: &Warp, lanes: &[u32; 32], what: &str) -> Result<u32, RawFault> {
    let first = warp.mask.trailing_zeros() & 31;
    let value = lanes[first as usize];
    let other = (0..32).find(|lane| warp.mask >> lane & 1 != 0 && lanes[*lane] != value);
    match other {
        None => Ok(value),
        Some(lane) => Err(misuse(
            lane as u32,
            format!(
                "the threads of a warp give different {what}: {value:#x} and {:#x}",
                lanes[lane]
            ),
        )),
    }
}

/// The blocks that one thread's instruction applies to.
///
/// # Safety
/// The warp's context is live.
pub unsafe fn ranks(warp: &Warp, lane: u32, pair: bool) -> Result<Vec<usize>, RawFault> {
    // SAFETY: the context and its cluster outlive the warp's run, as this function requires.
    unsafe {
        match pair {
            true => pair_of(warp, lane).map(Vec::from),
            false => Ok(vec![(*warp.context).rank as usize]),
        }
    }
}

/// Queues an operation.
///
/// # Safety
/// The warp's context is live.
pub unsafe fn issue(
    op: &Op,
    warp: &Warp,
    lane: u32,
    what: QueuedOperation,
    columns: Vec<Range<u32>>,
) {
    // SAFETY: the context and its cluster outlive the warp's run, as this function requires.
    unsafe {
        let place = (*warp.context).place(warp, op);
        let cluster = cluster(warp);
        cluster.changes += 1;
        cluster.tensor_work.push(QueuedTask { what, columns, owner: owner(warp, lane), place });
    }
}

/// Reports to the instrument which chunks of its block's shared memory a thread's instruction reads through the
/// asynchronous proxy.
///
/// # Safety
/// The warp's context is live.
pub unsafe fn tell_reads(
    op: &Op,
    warp: &Warp,
    lane: u32,
    ranks: &[usize],
    rows: &[(SharedRows, Range<usize>)],
) {
    // SAFETY: the context and its cluster outlive the warp's run, as this function requires.
    unsafe {
        let instruction = (*warp.context).place(warp, op).instruction;
        let regions = &cluster(warp).shared;
        let Some(instrument) = (*warp.context).instrument(Wants::COPIES) else { return };
        for rank in ranks {
            let chunks: Vec<u64> =
                rows.iter().flat_map(|(of, rows)| of.chunks(rows.clone())).collect();
            // Chunks outside of shared memory are a fault of the instruction itself.
            let inside = chunks.iter().all(|at| at + 16 <= regions[*rank].bytes);
            if inside {
                instrument.tensor_reads(warp, (lane, instruction), *rank as u32, &chunks);
            }
        }
    }
}
