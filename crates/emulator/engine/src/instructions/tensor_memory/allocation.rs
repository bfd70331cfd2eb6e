//! Tensor memory: `tcgen05.alloc`, `dealloc` and `relinquish_alloc_permit`, and the copies `tcgen05.cp` and `tcgen05.shift`.
//!
//! On the emulator each block has its own tensor memory, as if it were alone on its multiprocessor. With `.cta_group::2` a warp
//! of each block of the pair takes part: the first one waits for the other.

use crate::fault::RawFault;
use crate::instructions::access::site::{AccessSite, Region};
use crate::instructions::asynchrony::Plan;
use crate::instructions::asynchrony::shared::{lanes, shared, shared_addresses, words};
use crate::instructions::tensor_memory::access::{RowCopy, RowShift, whole};
use crate::instructions::tensor_memory::memory::{Allocation, Place, TensorMemory};
use crate::instructions::tensor_memory::multiply::SharedRows;
use crate::instructions::tensor_memory::queue::QueuedOperation;
use crate::instructions::tensor_memory::{
    check_columns, cluster, descriptor, issue, misuse, pair_of, ranks, same, tell_reads,
};
use crate::instrument::event::{AccessKind, Wants};
use crate::machine::lanes::fetch_cold;
use crate::machine::slot::Lanes;
use crate::machine::{Op, Warp};
use crate::memory::guest;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::asynchrony::AddressOperand;
use lanework_ptx_ir::opcode::tensor_memory::{CopyLanes, TmemCopy};

/// Whether the warps of both blocks of a pair have arrived at a collective instruction. Each then
/// does the work for its own block.
enum Meeting {
    /// The other has arrived, or has already done its part.
    Met,
    /// This one was the first.
    Waits,
}

/// `tcgen05.alloc`; `false` when the warp waits.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
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

/// Synchronizes two warps of a pair at an allocation or release of `columns` columns.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
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
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
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
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
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

/// `tcgen05.cp`.
///
/// # Safety
/// The plan's slots are registers of the warp, whose context is live.
pub unsafe fn start_copies(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    this: TmemCopy,
) -> Result<bool, RawFault> {
    // SAFETY: the plan's slots are registers of this warp, and its context and cluster are live, as this function
    // requires. The copy reads memory only when it is performed.
    unsafe {
        let addresses = words(warp, plan, 0);
        let descriptors: Lanes<u64> = fetch_cold(warp, plan.src[1]);
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let ranks = ranks(warp, lane, this.pair)?;
            let to = Place::from_address(addresses.0[i]);
            let descriptor =
                descriptor::read(descriptors.0[i], false).map_err(|why| misuse(lane, why))?;
            let columns = this.bits / 32;
            let reach = match this.to {
                CopyLanes::Apart => 97,
                _ => 128,
            };
            for rank in &ranks {
                let memory = &cluster(warp).tensor_memory[*rank];
                check_columns(memory, lane, to, (reach, columns), "a copy from shared memory")?;
            }
            let from =
                SharedRows { descriptor, across: false, bytes: this.bits as usize / 8, element: 1 };
            tell_reads(op, warp, lane, &ranks, &[(from, 0..this.rows as usize)]);
            let uses = Vec::from_iter(std::iter::once(to.column..to.column + columns));
            let what = QueuedOperation::Copy(RowCopy { this, to, from, ranks });
            issue(op, warp, lane, what, uses);
        }
        Ok(true)
    }
}

/// `tcgen05.shift`.
///
/// # Safety
/// The plan's slots are registers of the warp, whose context is live.
pub unsafe fn start_shifts(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    pair: bool,
) -> Result<bool, RawFault> {
    // SAFETY: the plan's slots are registers of this warp, and its context and cluster are live, as this function
    // requires. The shift accesses tensor memory only when it is performed.
    unsafe {
        let addresses = words(warp, plan, 0);
        for lane in lanes(warp.mask) {
            let at = Place::from_address(addresses.0[lane as usize]);
            if !at.lane.is_multiple_of(32) {
                let note = format!(
                    "lane {} of tensor memory: a shift starts at a multiple of 32",
                    at.lane
                );
                return Err(misuse(lane, note));
            }
            let ranks = ranks(warp, lane, pair)?;
            for rank in &ranks {
                let memory = &cluster(warp).tensor_memory[*rank];
                check_columns(memory, lane, at, (32, SHIFTED), "a shift")?;
            }
            let uses = Vec::from_iter(std::iter::once(at.column..at.column + SHIFTED));
            issue(op, warp, lane, QueuedOperation::Shift(RowShift { at, ranks }), uses);
        }
        Ok(true)
    }
}

impl RowCopy {
    /// Performs the copy.
    ///
    /// # Errors
    /// The rank of a block and the address in its shared memory that cannot be read.
    ///
    /// # Safety
    /// The blocks' shared memory is live.
    pub unsafe fn perform(
        &self,
        shared: &[Region],
        memories: &mut [TensorMemory],
    ) -> Result<(), (usize, u64)> {
        let columns = self.this.bits / 32;
        for rank in &self.ranks {
            // SAFETY: the region belongs to a block of the cluster, which is live, as this function requires.
            let rows = unsafe { self.from.read(&shared[*rank], 0..self.this.rows as usize) };
            for (row, bytes) in rows.map_err(|at| (*rank, at))?.iter().enumerate() {
                let mut bytes = *bytes;
                if let Some(bits) = self.this.widened {
                    for chunk in bytes.chunks_exact_mut(16) {
                        widen(chunk, usize::from(bits));
                    }
                }
                for lane in self.this.to.lanes(row as u32) {
                    for column in 0..columns {
                        let word = std::array::from_fn(|i| bytes[4 * column as usize + i]);
                        let (lane, column) = (self.to.lane + lane, self.to.column + column);
                        memories[*rank].put(lane, column, u32::from_le_bytes(word));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Expands sixteen elements of 4 or 6 bits, packed at the start of 16 bytes, to a byte each; 4-bit elements start at bit 2.
fn widen(chunk: &mut [u8], bits: usize) {
    let mut packed = [0; 16];
    packed.copy_from_slice(chunk);
    let packed = u128::from_le_bytes(packed);
    for (i, byte) in chunk.iter_mut().enumerate() {
        let element = (packed >> (i * bits)) as u8 & ((1 << bits) - 1) as u8;
        *byte = if bits == 4 { element << 2 } else { element };
    }
}

/// Columns that are shifted.
pub const SHIFTED: u32 = 8;

impl RowShift {
    /// Performs it: each lane except the last takes the next lane's words; the copy `.4x256b` fills the last lanes.
    pub fn perform(&self, memories: &mut [TensorMemory]) {
        for rank in &self.ranks {
            let memory = &mut memories[*rank];
            for lane in self.at.lane..self.at.lane + 31 {
                for column in self.at.column..self.at.column + SHIFTED {
                    let word = memory.word(lane + 1, column);
                    memory.put(lane, column, word);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::instructions::tensor_memory::allocation::*;
    use crate::instructions::tensor_memory::memory::Allocation;
    use crate::instructions::tensor_memory::memory::Place;

    #[test]
    fn small_elements_get_a_byte_each() {
        let mut fours: [u8; 16] = [0; 16];
        fours[..2].copy_from_slice(&[0x21, 0xf3]);
        widen(&mut fours, 4);
        assert_eq!(fours[..4], [1 << 2, 2 << 2, 3 << 2, 15 << 2]);
        let mut sixes: [u8; 16] = [0; 16];
        sixes[..3].copy_from_slice(&[0b1100_0001, 0b0011_1000, 0b1111_1100]);
        widen(&mut sixes, 6);
        assert_eq!(sixes[..4], [1, 0b10_0011, 0b00_0011, 0b11_1111]);
    }

    #[test]
    fn a_shift_moves_31_rows() {
        let mut memory = TensorMemory::default();
        memory.give(Allocation { start: 0, columns: 32, warp: 0, instruction: 0 });
        for lane in 32..64 {
            memory.put(lane, 9, lane);
        }
        let shift = RowShift { at: Place { lane: 32, column: 8 }, ranks: vec![0] };
        let mut memories = [memory];
        shift.perform(&mut memories);
        assert_eq!((memories[0].word(32, 9), memories[0].word(62, 9)), (33, 63));
        assert_eq!(memories[0].word(63, 9), 63, "the last stays");
    }
}
