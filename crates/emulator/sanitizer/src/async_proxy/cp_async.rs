//! `cp.async`: copied bytes may be used only after the thread has waited for the copy's group.

use crate::access::AccessCheck;
use crate::access::position::LaneAt;
use crate::async_proxy::mbarrier::{CopySource, PendingCopy};
use crate::async_proxy::{ByteRun, GlobalSource};
use crate::races::epoch::{self, PackedEpoch};
use lanework_engine::machine::Warp;

/// A copy in flight.
struct CpAsyncCopy {
    lane: u32,
    /// Groups that the thread had committed before.
    group: u32,
    offset: u64,
    bytes: u64,
    write: PackedEpoch,
    from: GlobalSource,
}

/// `cp.async` copies of a cluster's warps.
pub struct CpAsync {
    pending: Vec<Vec<CpAsyncCopy>>,
    committed: Vec<[u32; 32]>,
}

impl CpAsync {
    /// For this many warps.
    pub fn new(warps: usize) -> CpAsync {
        let pending = (0..warps).map(|_| Vec::new()).collect();
        CpAsync { pending, committed: vec![[0; 32]; warps] }
    }

    /// Starts a cluster.
    pub fn start(&mut self) {
        self.pending.iter_mut().for_each(Vec::clear);
        self.committed.fill([0; 32]);
    }

    /// A warp has started copies of `bytes` bytes to these offsets of shared memory. The writes
    /// have already been checked as accesses.
    pub fn started(
        &mut self,
        access: &mut AccessCheck,
        warp: &Warp,
        instruction: u32,
        bytes: u32,
        [to, from]: [&[u64; 32]; 2],
        have: &[u32; 32],
    ) {
        let slot = access.position.slot(warp.index);
        let write = epoch::pack(access.races.order.epoch_of(warp.index), instruction);
        let (size, rank) = (access.bounds.shared_bytes(), access.position.rank);
        for lane in (0..32u32).filter(|lane| warp.mask >> lane & 1 != 0) {
            let (offset, bytes) = (to[lane as usize], u64::from(bytes));
            if offset >= size || bytes > size - offset {
                continue;
            }
            let write = epoch::with_lane(write, lane) | epoch::ASYNC;
            access.start_writes(ByteRun::shared(rank, offset, bytes), write);
            let group = self.committed[slot][lane as usize];
            let address = from[lane as usize];
            let read = u64::from(have[lane as usize]).min(bytes);
            let by = access.position.thread_at(LaneAt { warp: warp.index, lane, instruction });
            let from = GlobalSource { address, bytes: read, by };
            self.pending[slot].push(CpAsyncCopy { lane, group, offset, bytes, write, from });
        }
    }

    /// Takes the copies in flight of a thread, which an mbarrier completes from now on.
    pub fn take(&mut self, access: &AccessCheck, warp: u32, lane: u32) -> Vec<PendingCopy> {
        let pending = &mut self.pending[access.position.slot(warp)];
        let mine = pending.extract_if(.., |copy| copy.lane == lane);
        let (rank, by) = (access.position.rank, (access.position.block, warp));
        let landing = |c: CpAsyncCopy| {
            let to = ByteRun::shared(rank, c.offset, c.bytes);
            PendingCopy {
                targets: vec![(to, c.write)],
                sources: vec![CopySource::Global(c.from)],
                by,
            }
        };
        mine.map(landing).collect()
    }

    /// Global memory that copies in flight read.
    pub fn sources(&self) -> impl Iterator<Item = GlobalSource> {
        self.pending.iter().flatten().map(|copy| copy.from)
    }

    /// `cp.async.commit_group`.
    pub fn commit(&mut self, access: &AccessCheck, warp: &Warp) {
        let committed = &mut self.committed[access.position.slot(warp.index)];
        for (lane, groups) in committed.iter_mut().enumerate() {
            *groups += warp.mask >> lane & 1;
        }
    }

    /// `cp.async.wait_group`: waits for all but the latest `keep` groups; `u32::MAX` is
    /// `cp.async.wait_all`.
    pub fn wait(&mut self, access: &mut AccessCheck, warp: &Warp, keep: u32) {
        let slot = access.position.slot(warp.index);
        let committed = self.committed[slot];
        let pending = std::mem::take(&mut self.pending[slot]);
        let (done, rest): (Vec<_>, Vec<_>) = pending.into_iter().partition(|copy| {
            let groups = committed[copy.lane as usize];
            let finished = keep == u32::MAX || copy.group + keep < groups;
            warp.mask >> copy.lane & 1 != 0 && finished
        });
        self.pending[slot] = rest;
        let number = access.races.order.epoch_of(warp.index);
        let rank = access.position.rank;
        for copy in done {
            let waited = epoch::pack(number, epoch::instruction(copy.write));
            let waited = epoch::with_lane(waited, copy.lane);
            let run = ByteRun::shared(rank, copy.offset, copy.bytes);
            access.replace_writes(run, copy.write, waited);
        }
    }
}
