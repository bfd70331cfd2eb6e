//! What `tcgen05` reads of shared memory: by the asynchronous proxy, from when it is issued until a commit of its
//! thread has arrived at its mbarrier.
//!
//! *Rules* (PTX ISA, "Memory Consistency Model for 5th generation of TensorCore operations"): operands must have
//! been fenced by `fence.proxy.async`; they may be changed by whoever has waited for the phase that a commit
//! completes, and by nobody before.
//!
//! *Limit.* Accesses to tensor memory itself are not followed: the emulator does products in the order in which they
//! are issued, after the scheduler pass, so that a load that does not wait finds what was there before. What a
//! commit to several mbarriers covers counts as done at once.

use super::super::access::cells::Start;
use super::super::access::check::AccessCheck;
use super::super::kinds::ReportKind;
use super::super::position::LaneAt;
use super::super::races::epoch;
use super::super::reports::Finding;
use super::chunks::operand_runs;
use super::mbarrier::{Landing, Mbarriers, Source};
use super::shadow::{Run, site};
use lanework_engine::event::AccessKind;
use lanework_engine::machine::Warp;
use lanework_ptx_ir::kernel::MemorySpace;

/// Memory that a thread's instructions read, not committed yet.
struct Reading {
    lane: u32,
    source: Source,
}

/// What a cluster's warps have issued and not committed.
pub struct TensorReads {
    by_warp: Vec<Vec<Reading>>,
}

impl TensorReads {
    /// For this many warps.
    pub fn new(warps: usize) -> TensorReads {
        TensorReads { by_warp: (0..warps).map(|_| Vec::new()).collect() }
    }

    /// A cluster starts.
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
            access.check_proxy_fence(at, Run::shared(rank, offset, bytes));
            let load = site(MemorySpace::Shared, AccessKind::Load, 1);
            let start = (Start::Shared(rank, offset), bytes);
            let place = (at.lane, at.instruction);
            let Some(run) = access.run_of_bytes(warp, place, &load, start, 0) else { continue };
            let read = access.packed_now(at) | epoch::ASYNC;
            access.set_reads(run, None, read);
            let source = Source::Shared { run, read };
            self.by_warp[slot].push(Reading { lane: at.lane, source });
        }
    }

    /// A lane commits to these mbarriers what it has issued.
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
            mbarriers.completes(*of, [Landing { targets: Vec::new(), sources, by }]);
            return;
        }
        // Each of several mbarriers says that the reads are done: which comes first is not known.
        for Reading { source, .. } in mine {
            if let Source::Shared { run, read } = source {
                access.set_reads(run, Some(read), 0);
            }
        }
    }
}

/// A lane's product adds to columns of tensor memory of which nothing was ever written.
pub fn unwritten_columns(access: &mut AccessCheck, at: LaneAt, (first, columns): (u32, u32)) {
    let who = access.position.actor(at);
    access.reports.add(ReportKind::Uninitialized, who, None, |_| Finding {
        message: format!(
            "uninitialised tensor memory: a product adds to columns {first} to {} that nothing has written",
            first + columns - 1
        ),
        help: "let the first product of a sum have a false `enable-input-d`, or store zeros first",
        ..Finding::default()
    });
}
