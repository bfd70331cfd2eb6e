//! `tcgen05.alloc`, `dealloc` and `relinquish_alloc_permit`.
//!
//! On the emulator each block has its own tensor memory, as if it were alone on its multiprocessor. With
//! `.cta_group::2` a warp of each block of the pair takes part: the first one waits for the other.

use crate::fault::RawFault;
use crate::instructions::access::site::AccessSite;
use crate::instructions::asynchrony::Plan;
use crate::instructions::asynchrony::shared::{shared, shared_addresses, words};
use crate::instructions::tensor_memory::access::whole;
use crate::instructions::tensor_memory::memory::{Allocation, TensorMemory};
use crate::instructions::tensor_memory::{cluster, misuse, pair_of, same};
use crate::instrument::event::AccessKind;
use crate::instrument::hook::Wants;
use crate::machine::{Op, Warp};
use crate::memory::guest;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::asynchrony::AddressOperand;

/// State of a pair's collective: whether both blocks' warps have arrived. The second to arrive does the work.
enum Meeting {
    /// The other has arrived, or the work is done.
    Met,
    /// This one was the first.
    Waits,
}

/// `tcgen05.alloc`; `false` when the warp waits.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::handler::Body::run) requires), so that the plan's
/// slots are in its register file.
pub unsafe fn allocate(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    pair: bool,
    to: AddressOperand,
) -> Result<bool, RawFault> {
    whole(warp)?;
    // SAFETY: the plan's slots are in this warp's register file, as this function requires; `shared` checks the target
    // before it is written.
    unsafe {
        let columns = same(warp, &words(warp, plan, 1).0, "numbers of columns")?;
        let address = shared_addresses(warp, plan.src[0], to).0[0];
        let target = shared(warp, 0, address, 4, 4, "address of tensor memory")?;
        let rank = (*warp.context).rank as usize;
        let instruction = (*warp.context).place(warp, op).instruction;
        let index = warp.index;
        let given = |start| Allocation { start, columns, warp: index, instruction };
        let cluster = cluster(warp);
        cluster.tensor_memory[rank].check_wish(columns).map_err(|why| misuse(0, why))?;
        if target.rank as usize != rank {
            return Err(misuse(
                0,
                "the address of tensor memory must go to the shared memory of the block itself",
            ));
        }
        if pair {
            pair_of(warp, 0)?;
        }
        let Some(start) = cluster.tensor_memory[rank].free_run(columns) else { return Ok(false) };
        if pair && matches!(meet(warp, &mut cluster.tensor_memory, rank, columns)?, Meeting::Waits)
        {
            return Ok(false);
        }
        let memory = &mut cluster.tensor_memory[rank];
        memory.give(given(start));
        cluster.changes += 1;
        if let Some(instrument) = (*warp.context).instrument(COPIED) {
            let store =
                AccessSite::aside(MemorySpace::Shared, AccessKind::Store, 4, AccessClass::Store);
            let place = (*warp.context).place(warp, op);
            let all = std::mem::replace(&mut warp.mask, 1);
            instrument.memory(warp, &store, place, &[address; 32]);
            warp.mask = all;
        }
        guest::write_bytes(target.host, &start.to_le_bytes());
        Ok(true)
    }
}

/// The events for which the store of the address is reported.
const COPIED: Wants = Wants::ACCESSES.with(Wants::COUNTS).with(Wants::COPIES);

/// Synchronizes two warps of a pair at a collective instruction; `columns` is 0 for a release.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::handler::Body::run).
unsafe fn meet(
    warp: &Warp,
    memories: &mut [TensorMemory],
    rank: usize,
    columns: u32,
) -> Result<Meeting, RawFault> {
    let peer = rank ^ 1;
    // The peer has done its part since this warp asked.
    if memories[rank].asked.is_some() && memories[peer].rounds > memories[rank].rounds {
        memories[rank].asked = None;
        memories[rank].rounds += 1;
        return Ok(Meeting::Met);
    }
    match memories[peer].asked {
        Some(other) if memories[peer].rounds == memories[rank].rounds => {
            if other != columns {
                let lane = warp.mask.trailing_zeros() & 31;
                return Err(misuse(
                    lane,
                    format!(
                        "the blocks of a pair allocate or free different numbers of columns of tensor memory together: {columns} and {other}"
                    ),
                ));
            }
            memories[rank].rounds += 1;
            Ok(Meeting::Met)
        }
        _ => {
            memories[rank].asked = Some(columns);
            Ok(Meeting::Waits)
        }
    }
}

/// `tcgen05.dealloc`; `false` when the warp waits.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::handler::Body::run) requires), so that the plan's
/// slots are in its register file.
pub unsafe fn free(warp: &mut Warp, plan: &Plan, pair: bool) -> Result<bool, RawFault> {
    whole(warp)?;
    // SAFETY: the plan's slots are in this warp's register file, as this function requires.
    unsafe {
        let address = same(warp, &words(warp, plan, 0).0, "addresses of tensor memory")?;
        let columns = same(warp, &words(warp, plan, 1).0, "numbers of columns")?;
        let rank = (*warp.context).rank as usize;
        let cluster = cluster(warp);
        if pair {
            let [even, odd] = [rank & !1, rank | 1];
            if odd >= cluster.tensor_memory.len() {
                pair_of(warp, 0)?;
            }
            let waits = !cluster.running[even] || !cluster.running[odd];
            // A block that has done its part may have ended.
            if !waits
                && matches!(meet(warp, &mut cluster.tensor_memory, rank, columns)?, Meeting::Waits)
            {
                return Ok(false);
            }
        }
        let end = address.saturating_add(columns);
        if let Some(work) = cluster.tensor_work.of(rank, address..end) {
            return Err(misuse(
                0,
                format!(
                    "columns {address} to {} of tensor memory are freed while {work} may still use them",
                    end - 1
                ),
            ));
        }
        cluster.tensor_memory[rank].take(address, columns).map_err(|why| misuse(0, why))?;
        cluster.changes += 1;
        Ok(true)
    }
}

/// `tcgen05.relinquish_alloc_permit`.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::handler::Body::run).
pub unsafe fn relinquish(warp: &mut Warp) -> Result<bool, RawFault> {
    whole(warp)?;
    // SAFETY: the worker owns the context, and the executor the cluster, for as long as their warps run
    // (`Body::run`).
    unsafe {
        let rank = (*warp.context).rank as usize;
        cluster(warp).tensor_memory[rank].relinquish();
    }
    Ok(true)
}

/// Describes the condition that a warp waits for in an allocation or release.
///
/// # Safety
/// As for [`cluster`].
pub unsafe fn describe(warp: &Warp, plan: &Plan, pair: bool) -> String {
    // SAFETY: the warp waits at an operation with this plan, so the plan's slots are in its register file.
    unsafe {
        let rank = (*warp.context).rank as usize;
        let memory = &cluster(warp).tensor_memory[rank];
        if pair && memory.asked.is_some() {
            return "a warp of the other block of the pair at the same instruction".to_owned();
        }
        let wanted = words(warp, plan, 1).0[0];
        let given: u32 = memory.allocations().iter().map(|a| a.columns).sum();
        format!("{wanted} columns of tensor memory, of which {given} of 512 are allocated")
    }
}
