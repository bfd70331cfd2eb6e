//! Operands of matrix products in shared memory, in chunks of 16 bytes, and the reads of `tcgen05`.
//!
//! *Rules* (PTX ISA, "Memory Consistency Model for 5th generation of TensorCore operations"): the
//! asynchronous proxy reads the operands of `tcgen05` from issue until the issuing thread's commit
//! arrives at its mbarrier. Writes to operands need `fence.proxy.async` before the instruction;
//! only threads that have waited for the commit's phase may change them.
//!
//! *Limits.* Accesses to tensor memory itself are not checked; a load without a wait reads the old
//! value. Reads that are committed to several mbarriers count as complete at the commit.

use crate::access::AccessCheck;
use crate::access::cells::RunStart;
use crate::access::position::LaneAt;
use crate::async_proxy::mbarrier::{CopySource, Mbarriers, PendingCopy};
use crate::async_proxy::{ByteRun, site};
use crate::findings::kinds::ReportKind;
use crate::findings::{Finding, outside_of};
use crate::races::epoch::{self, LINE, PackedEpoch};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::relation::{Relation, RelationCache};
use crate::races::shadow_memory::{ShadowMemory, lines_of};
use lanework_engine::event::AccessKind;
use lanework_engine::machine::Warp;
use lanework_ptx_ir::kernel::MemorySpace;

/// Bytes that are read together.
const CHUNK: u64 = 16;

/// Merges chunks inside one variable into runs of bytes, and reports chunks outside of variables.
pub fn operand_runs(access: &mut AccessCheck, at: LaneAt, chunks: &[u64]) -> Vec<(u64, u64)> {
    let (mut inside, mut hint) = (Vec::with_capacity(chunks.len()), 0);
    for chunk in chunks {
        match access.bounds.shared.holds(*chunk, CHUNK, &mut hint) {
            true => inside.push(*chunk),
            false => outside(access, at, *chunk),
        }
    }
    runs(inside, |start, bytes| access.bounds.shared.holds(start, bytes, &mut hint))
}

#[cold]
fn outside(access: &mut AccessCheck, at: LaneAt, offset: u64) {
    let (who, bounds) = (access.position.thread_at(at), &access.bounds);
    access.reports.add(ReportKind::OutOfBounds, who, None, |_| {
        let near = bounds.shared.nearest(offset, CHUNK);
        let what = outside_of(near.as_ref(), offset);
        Finding {
            message: format!(
                "out-of-bounds shared read: {CHUNK} bytes of a product's operand {what}"
            ),
            help:
                "check that the descriptor's start, leading and stride offsets stay inside the tile"
                    .into(),
            address: Some(offset),
            size: CHUNK,
            allocation: near,
            race: None,
        }
    });
}

impl AccessCheck {
    /// Checks and records that a product in flight reads a run of initialized shared memory. Returns `false`, and changes
    /// nothing, if there may be a finding: then the general path must check the run, which passes over its cells four times.
    pub fn start_reads(&mut self, at: LaneAt, run: ByteRun) -> bool {
        self.races.order.narrow_lanes(at.warp, 1 << at.lane);
        let read = self.packed_now(at) | epoch::ASYNC;
        let written = self.initial.written(run.memory);
        if !self.reports.tracks_accesses()
            || written.is_some_and(|written| !written.has(run.offset, run.bytes))
        {
            return false;
        }
        let base = self.races.base(run.memory);
        let (shadow, order) = self.races.parts(run.memory);
        start_reads(shadow, order, (run.offset, run.bytes), base, (at.warp, read))
    }
}

/// The same for a memory's shadow; `read` is the packed access of a lane of the warp.
fn start_reads(
    shadow: &mut ShadowMemory,
    order: &mut HappensBefore,
    (offset, bytes): (u64, u64),
    base: u32,
    (warp, read): (u32, PackedEpoch),
) -> bool {
    let (mut writers, mut readers) = (RelationCache::EMPTY, RelationCache::EMPTY);
    let recent = |access: PackedEpoch| epoch::number(access) >= base;
    let mut fenced = 0;
    for record in [false, true] {
        for (cell, inside) in lines_of(shadow.cells(offset, bytes)) {
            let mut room = [0; LINE];
            let line = shadow.read_line(cell, base, &mut room);
            let Some((writes, [first, last])) = line else { return false };
            for i in inside {
                let write = writes.map_or(0, |writes| writes[i]);
                if !record && write != fenced && recent(write) {
                    let before = writers.relation(order, write, base, warp);
                    let seen = epoch::is_copied(write) || order.proxy_fenced(write, warp);
                    if write & epoch::ASYNC != 0 || before != Relation::HappensBefore || !seen {
                        return false;
                    }
                    fenced = write;
                }
                let prior = first[i];
                let stands = match readers.relation(order, prior, base, warp) {
                    _ if prior & epoch::ASYNC != 0 && recent(prior) => false,
                    Relation::HappensBefore => true,
                    Relation::ProgramOrder => epoch::lane(prior) == epoch::lane(read),
                    Relation::Concurrent => false,
                    Relation::ByLane => return false,
                };
                if record && stands {
                    first[i] = read;
                } else if record {
                    last[i] = read;
                }
            }
        }
    }
    true
}

/// Merges adjacent chunks into runs of bytes, as long as the run satisfies `whole`.
fn runs(mut chunks: Vec<u64>, mut whole: impl FnMut(u64, u64) -> bool) -> Vec<(u64, u64)> {
    chunks.sort_unstable();
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for chunk in chunks {
        match runs.last_mut() {
            Some((start, bytes))
                if *start + *bytes >= chunk && whole(*start, chunk + CHUNK - *start) =>
            {
                *bytes = chunk + CHUNK - *start;
            }
            _ => runs.push((chunk, CHUNK)),
        }
    }
    runs
}

/// A read of an instruction that is not committed yet.
struct OperandRead {
    lane: u32,
    source: CopySource,
}

/// Uncommitted reads of a cluster's warps.
pub struct TensorReads {
    by_warp: Vec<Vec<OperandRead>>,
}

impl TensorReads {
    /// For this many warps.
    pub fn new(warps: usize) -> TensorReads {
        TensorReads { by_warp: (0..warps).map(|_| Vec::new()).collect() }
    }

    /// Starts a cluster.
    pub fn start(&mut self) {
        self.by_warp.iter_mut().for_each(Vec::clear);
    }

    /// A lane's instruction reads these chunks of the shared memory of the block of a rank.
    pub fn read(
        &mut self,
        access: &mut AccessCheck,
        warp: &Warp,
        at: LaneAt,
        rank: u32,
        chunks: &[u64],
    ) {
        let slot = access.position.slot(warp.index);
        for (offset, bytes) in operand_runs(access, at, chunks) {
            access.check_proxy_fence(at, ByteRun::shared(rank, offset, bytes));
            let load = site(MemorySpace::Shared, AccessKind::Load, 1);
            let start = (RunStart::Shared(rank, offset), bytes);
            let place = (at.lane, at.instruction);
            let Some(run) = access.run_of_bytes(warp, place, &load, start, epoch::COPIED) else {
                continue;
            };
            let read = access.packed_now(at) | epoch::ASYNC;
            access.set_reads(run, None, read);
            let source = CopySource::Shared { run, read };
            self.by_warp[slot].push(OperandRead { lane: at.lane, source });
        }
    }

    /// `tcgen05.commit`: a lane commits its instructions to these mbarriers.
    pub fn commit(
        &mut self,
        access: &mut AccessCheck,
        mbarriers: &mut Mbarriers,
        at: LaneAt,
        targets: &[(u32, u64)],
    ) {
        let slot = access.position.slot(at.warp);
        for of in targets {
            mbarriers.used(access, at, *of);
        }
        let mine = self.by_warp[slot].extract_if(.., |reading| reading.lane == at.lane);
        if let [of] = targets {
            let sources = mine.map(|reading| reading.source).collect();
            let by = (access.position.block, at.warp);
            mbarriers.completes(*of, [PendingCopy { targets: Vec::new(), sources, by }]);
            return;
        }
        // Any of the mbarriers may complete first, so the reads are dropped.
        for OperandRead { source, .. } in mine {
            if let CopySource::Shared { run, read } = source {
                access.set_reads(run, Some(read), 0);
            }
        }
    }
}

/// Reports a product that accumulates into columns of tensor memory that were never written.
pub fn unwritten_columns(access: &mut AccessCheck, at: LaneAt, (first, columns): (u32, u32)) {
    let who = access.position.thread_at(at);
    access.reports.add(ReportKind::Uninitialized, who, None, |_| Finding {
        message: format!(
            "uninitialized tensor memory: a product accumulates into columns {first} to {}, which were never written",
            first + columns - 1
        ),
        help: "let the first product of a sum have a false `enable-input-d`, or store zeros first".into(),
        ..Finding::default()
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::races::shadow_cell::LaneAccess;

    #[test]
    fn chunks_side_by_side_are_one_run() {
        let all = |chunks| runs(chunks, |_, _| true);
        assert_eq!(all(vec![64, 32, 48, 128, 32]), [(32, 48), (128, 16)]);
        assert_eq!(all(Vec::new()), []);
    }

    #[test]
    fn runs_end_at_variable_borders() {
        let border = |start: u64, bytes: u64| start >= 64 || start + bytes <= 64;
        assert_eq!(runs(vec![32, 48, 64, 80], border), [(32, 32), (64, 32)]);
    }

    /// On random histories, reading a run records the same as reading its cells one by one, and no read that races or lacks a
    /// fence is accepted.
    #[test]
    fn reading_a_run_equals_reading_its_cells() {
        const CELLS: u64 = 64;
        let (mut seed, mut accepted) = (1u64, 0);
        let mut roll = |sides: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % sides
        };
        for history in 0..400 {
            let mut order = HappensBefore::new(3, 1);
            order.start(0);
            let (mut fast, mut slow) = (ShadowMemory::new(256, 2), ShadowMemory::new(256, 2));
            for step in 0..40 {
                let warp = roll(3) as u32;
                match roll(6) {
                    0 => {
                        (0..3).for_each(|warp| order.arrive(warp, 0));
                        order.complete(0, &[0, 1, 2], true);
                    }
                    1 => order.proxy_fence(warp as usize, (u32::MAX, u32::MAX)),
                    2 => order.warp_sync(warp as usize, u32::MAX, u32::MAX),
                    _ => {}
                }
                let base = order.base();
                let first = roll(CELLS);
                let run = (4 * first, 4 * (1 + roll(CELLS - first)));
                let (of_thread, writes) = (roll(2) == 0, roll(2) == 0);
                let lane = if of_thread { roll(3) as u32 } else { 0 };
                let packed = order.packed_now(warp, lane, step);
                let now = LaneAccess { packed, warp, lane, base, observes: false };
                let mut wrong = false;
                let mut by_cell = |shadow: &mut ShadowMemory, order: &mut HappensBefore| {
                    shadow.change_run(run.0, run.1, |cell| {
                        let write = cell.writes()[0];
                        let plain = epoch::number(write) >= base && !of_thread;
                        wrong |= plain && !order.proxy_fenced(write, warp);
                        let found = match of_thread && writes {
                            true => cell.write(order, &now, |_| true),
                            false => cell.read(order, &now),
                        };
                        wrong |= found.is_some();
                    });
                    if !of_thread {
                        shadow.replace_reads(run, packed, packed | epoch::ASYNC);
                    }
                };
                by_cell(&mut slow, &mut order);
                let read = (warp, packed | epoch::ASYNC);
                if !of_thread && start_reads(&mut fast, &mut order, run, base, read) {
                    accepted += 1;
                    assert!(!wrong, "history {history}, step {step}: a finding is missed");
                } else {
                    by_cell(&mut fast, &mut order);
                }
                for cell in 0..CELLS {
                    let [fast, slow] = [&fast, &slow].map(|shadow| shadow.at(4 * cell));
                    assert_eq!(fast, slow, "history {history}, step {step}, cell {cell}");
                }
            }
        }
        assert!(accepted > 1000, "{accepted}");
    }
}
