//! Bulk and tensor copies: the bytes that they read and write through the asynchronous proxy.
//!
//! The target of a copy is in flight until its mbarrier's phase completes, or until its thread has
//! waited for its bulk group. So is the source, but a thread may wait for a group's reads alone
//! (`.read`). Sources in shared memory are marked in shadow memory; sources in global memory are in
//! a list, which every store is compared with ([`check_store`](super::check_store)). Bytes copied by
//! `cp.async` may be used only after the thread has waited for the copy's group ([`CpAsync`]).

use crate::access::AccessCheck;
use crate::access::cells::RunStart;
use crate::access::position::LaneAt;
use crate::async_proxy::mbarrier::{CopySource, Mbarriers, PendingCopy};
use crate::async_proxy::{ByteRun, GlobalSource, site};
use crate::races::epoch::{self, PackedEpoch};
use lanework_engine::event::{AccessKind, Moved};
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_ptx_ir::kernel::{MemoryOrder, MemorySpace, Scope};

/// A run that a copy of a bulk group reads or writes.
struct GroupedCopy {
    lane: u32,
    group: u32,
    run: ByteRun,
    /// The packed access in the run's shadow cells.
    access: PackedEpoch,
}

/// Bulk copies of a cluster's warps.
pub struct BulkCopies {
    reading: Vec<Vec<GroupedCopy>>,
    writing: Vec<Vec<GroupedCopy>>,
    committed: Vec<[u32; 32]>,
}

/// The site of a copy's writes. The PTX manual specifies reductions by bulk copies as relaxed
/// atomics of device scope.
fn target(space: MemorySpace, combines: bool) -> AccessSite {
    if !combines {
        return site(space, AccessKind::Store, 1);
    }
    let order = MemoryOrder { strong: Some(Scope::Device), ..MemoryOrder::default() };
    AccessSite { order, ..site(space, AccessKind::Atomic, 1) }
}

impl BulkCopies {
    /// For this many warps.
    pub fn new(warps: usize) -> BulkCopies {
        let none = || (0..warps).map(|_| Vec::new()).collect();
        BulkCopies { reading: none(), writing: none(), committed: vec![[0; 32]; warps] }
    }

    /// Starts a cluster.
    pub fn start(&mut self) {
        self.reading.iter_mut().chain(&mut self.writing).for_each(Vec::clear);
        self.committed.fill([0; 32]);
    }

    /// A lane starts a copy. It completes at `mbarrier` (rank of the block, offset in its shared
    /// memory), or with the thread's bulk group.
    pub fn start_copy(
        &mut self,
        access: &mut AccessCheck,
        mbarriers: &mut Mbarriers,
        warp: &Warp,
        at: LaneAt,
        moved: Moved,
        mbarrier: Option<(u32, u64)>,
    ) {
        let (mut sources, mut targets) = (Vec::new(), Vec::new());
        let from = moved.reads.and_then(|(from, bytes)| {
            let start = match access.bounds.shared_place(from, bytes) {
                // Copies read shared memory of their own block only.
                Some((_, offset)) => RunStart::Shared(access.position.rank, offset),
                None => RunStart::Global(access.bounds.global_address(from)?),
            };
            Some((start, bytes))
        });
        let to = moved.writes.and_then(|(to, bytes)| {
            let start = match access.bounds.shared_place(to, bytes) {
                Some((rank, offset)) => RunStart::Shared(rank, offset),
                None => RunStart::Global(access.bounds.global_address(to)?),
            };
            Some((start, bytes))
        });
        // `st.async` and `red.async` store registers, by the generic proxy.
        let bulk = from.is_some() || !moved.global.is_empty();
        let tile = moved.global.into_iter().map(|(at, bytes)| (RunStart::Global(at), bytes));
        let (read, written): (Vec<_>, Vec<_>) = match from.is_none() {
            true => (tile.collect(), to.into_iter().collect()),
            false => (from.into_iter().collect(), to.into_iter().chain(tile).collect()),
        };
        for part in read {
            sources.extend(self.read(access, warp, at, part, mbarrier.is_some()));
        }
        for part in written {
            if let (true, RunStart::Shared(rank, offset)) = (bulk, part.0) {
                access.check_overwrite(at, ByteRun::shared(rank, offset, part.1));
            }
            targets.extend(self.write(access, warp, at, part, moved.combines, mbarrier.is_some()));
        }
        if let Some(of) = mbarrier {
            mbarriers.copy_started(of, moved.completes, access.position.thread_at(at));
            let by = (access.position.block, warp.index);
            mbarriers.completes(of, [PendingCopy { targets, sources, by }]);
        }
    }

    /// Checks and marks the source of a copy.
    fn read(
        &mut self,
        access: &mut AccessCheck,
        warp: &Warp,
        at: LaneAt,
        (start, bytes): (RunStart, u64),
        by_mbarrier: bool,
    ) -> Option<CopySource> {
        let place = (at.lane, at.instruction);
        if let RunStart::Global(address) = start {
            let load = site(MemorySpace::Global, AccessKind::Load, 1);
            let run = access.run_of_bytes(warp, place, &load, (start, bytes), 0)?;
            access.check_proxy_fence(at, run);
            let by = access.position.thread_at(at);
            return Some(CopySource::Global(GlobalSource { address, bytes, by }));
        }
        let RunStart::Shared(rank, offset) = start else { return None };
        access.check_proxy_fence(at, ByteRun::shared(rank, offset, bytes));
        let load = site(MemorySpace::Shared, AccessKind::Load, 1);
        let run = access.run_of_bytes(warp, place, &load, (start, bytes), epoch::COPIED)?;
        let read = access.packed_now(at) | epoch::ASYNC;
        access.set_reads(run, None, read);
        if by_mbarrier {
            return Some(CopySource::Shared { run, read });
        }
        self.hold(access, warp.index, (at.lane, run, read), true);
        None
    }

    /// Checks and marks the target of a copy.
    fn write(
        &mut self,
        access: &mut AccessCheck,
        warp: &Warp,
        at: LaneAt,
        (start, bytes): (RunStart, u64),
        combines: bool,
        by_mbarrier: bool,
    ) -> Option<(ByteRun, PackedEpoch)> {
        let space = match start {
            RunStart::Global(_) => MemorySpace::Global,
            RunStart::Shared(..) => MemorySpace::Shared,
        };
        let strong = if combines { epoch::STRONG_OF_DEVICE | epoch::ASYNC } else { 0 };
        let site = target(space, combines);
        let place = (at.lane, at.instruction);
        let run = access.run_of_bytes(warp, place, &site, (start, bytes), strong)?;
        let write = access.packed_now(at) | epoch::ASYNC | strong;
        if !combines {
            access.start_writes(run, write);
        }
        if !by_mbarrier {
            self.hold(access, warp.index, (at.lane, run, write), false);
        }
        Some((run, write))
    }

    /// Adds a run to the thread's open bulk group.
    fn hold(
        &mut self,
        access: &AccessCheck,
        warp: u32,
        (lane, run, packed): (u32, ByteRun, PackedEpoch),
        reads: bool,
    ) {
        let slot = access.position.slot(warp);
        let group = self.committed[slot][lane as usize];
        let list = if reads { &mut self.reading } else { &mut self.writing };
        list[slot].push(GroupedCopy { lane, group, run, access: packed });
    }

    /// `cp.async.bulk.commit_group` by a thread.
    pub fn commit(&mut self, access: &AccessCheck, warp: u32, lane: u32) {
        self.committed[access.position.slot(warp)][lane as usize] += 1;
    }

    /// `cp.async.bulk.wait_group` by a thread: waits for all but the latest `keep` groups; with
    /// `read`, only for their reads.
    pub fn wait(
        &mut self,
        access: &mut AccessCheck,
        (warp, lane): (u32, u32),
        keep: u32,
        read: bool,
    ) {
        let slot = access.position.slot(warp);
        let committed = self.committed[slot][lane as usize];
        let done = |copy: &mut GroupedCopy| {
            copy.lane == lane && copy.group.saturating_add(keep) < committed
        };
        let number = access.races.order.epoch_of(warp);
        let now = |copy: &GroupedCopy| {
            epoch::with_lane(epoch::pack(number, epoch::instruction(copy.access)), lane)
        };
        for copy in self.reading[slot].extract_if(.., done) {
            access.set_reads(copy.run, Some(copy.access), now(&copy) | epoch::COPIED);
        }
        if read {
            return;
        }
        for copy in self.writing[slot].extract_if(.., done) {
            let flags = copy.access & (epoch::STRONG_OF_DEVICE) | epoch::COPIED;
            access.replace_writes(copy.run, copy.access, now(&copy) | flags);
        }
    }
}

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

    /// Takes a thread's copies in flight, because an mbarrier will complete them.
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
