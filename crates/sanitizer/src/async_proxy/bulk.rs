//! Bulk and tensor copies: what they read and write, by the asynchronous proxy.
//!
//! What a copy writes is in flight until its mbarrier's phase has ended; what it reads of shared memory,
//! until the thread has waited for its bulk group.

use super::super::access::cells::Start;
use super::super::access::check::AccessCheck;
use super::super::position::LaneAt;
use super::super::races::epoch;
use super::mbarrier::{Landing, Mbarriers};
use super::shadow::{SharedRun, site};
use lanework_engine::event::{AccessKind, Moved};
use lanework_engine::machine::Warp;
use lanework_engine::site::Site;
use lanework_ptx_ir::kernel::{MemorySpace, Order, Scope};

/// Shared memory that a copy is reading.
struct Source {
    lane: u32,
    group: u32,
    run: SharedRun,
    instruction: u32,
}

/// The bulk copies of a cluster's warps.
pub struct BulkCopies {
    reading: Vec<Vec<Source>>,
    committed: Vec<[u32; 32]>,
}

/// The site of what a copy writes. The copy engine combines as relaxed atomics of the whole device do.
fn target(space: MemorySpace, combines: bool) -> Site {
    if !combines {
        return site(space, AccessKind::Store, 1);
    }
    let order = Order { strong: Some(Scope::Device), ..Order::default() };
    Site { order, ..site(space, AccessKind::Atomic, 1) }
}

impl BulkCopies {
    /// For this many warps.
    pub fn new(warps: usize) -> BulkCopies {
        let reading = (0..warps).map(|_| Vec::new()).collect();
        BulkCopies { reading, committed: vec![[0; 32]; warps] }
    }

    /// A cluster starts.
    pub fn start(&mut self) {
        self.reading.iter_mut().for_each(Vec::clear);
        self.committed.fill([0; 32]);
    }

    /// A lane starts a copy; an mbarrier of a block at an offset of its shared memory completes it, or
    /// the thread's group.
    pub fn start_copy(
        &mut self,
        access: &mut AccessCheck,
        mbarriers: &mut Mbarriers,
        warp: &Warp,
        at: LaneAt,
        moved: Moved,
        mbarrier: Option<(u32, u64)>,
    ) {
        let place = (at.lane, at.instruction);
        let of_global = match moved.reads {
            None => site(MemorySpace::Global, AccessKind::Load, 1),
            Some(_) => target(MemorySpace::Global, moved.combines),
        };
        for (address, bytes) in moved.global {
            access.run_of_bytes(warp, place, &of_global, Start::Global(address), bytes);
        }
        if let Some(from) = moved.reads {
            self.read(access, warp, at, from);
        }
        let Some((to, bytes)) = moved.writes else { return };
        let Some((rank, offset)) = access.bounds.shared_place(to, bytes) else {
            if let Some(address) = access.bounds.global_address(to) {
                let site = target(MemorySpace::Global, moved.combines);
                access.run_of_bytes(warp, place, &site, Start::Global(address), bytes);
            }
            return;
        };
        let site = target(MemorySpace::Shared, moved.combines);
        access.run_of_bytes(warp, place, &site, Start::Shared(rank, offset), bytes);
        let strong = if moved.combines { epoch::STRONG | epoch::WIDE_SCOPE } else { 0 };
        let write = access.packed_now(at) | epoch::ASYNC | strong;
        let to = SharedRun { rank, offset, bytes };
        access.set_writes(to, None, write);
        if let Some(of) = mbarrier {
            let by = (access.position.block, warp.index);
            mbarriers.completes(of, [Landing { to, write, by }]);
        }
    }

    /// A copy reads some bytes.
    fn read(
        &mut self,
        access: &mut AccessCheck,
        warp: &Warp,
        at: LaneAt,
        (from, bytes): (*const u8, u64),
    ) {
        let place = (at.lane, at.instruction);
        let Some((_, offset)) = access.bounds.shared_place(from, bytes) else {
            if let Some(address) = access.bounds.global_address(from) {
                let load = site(MemorySpace::Global, AccessKind::Load, 1);
                access.run_of_bytes(warp, place, &load, Start::Global(address), bytes);
            }
            return;
        };
        // Copies read shared memory of their own block only.
        let rank = access.position.rank;
        let run = SharedRun { rank, offset, bytes };
        access.check_proxy_fence(at, run);
        let load = site(MemorySpace::Shared, AccessKind::Load, 1);
        access.run_of_bytes(warp, place, &load, Start::Shared(rank, offset), bytes);
        let read = access.packed_now(at) | epoch::ASYNC;
        access.set_reads(run, None, read);
        let slot = access.position.slot(warp.index);
        let group = self.committed[slot][at.lane as usize];
        let source = Source { lane: at.lane, group, run, instruction: at.instruction };
        self.reading[slot].push(source);
    }

    /// A thread makes a bulk group.
    pub fn commit(&mut self, access: &AccessCheck, warp: u32, lane: u32) {
        self.committed[access.position.slot(warp)][lane as usize] += 1;
    }

    /// A thread waits for its bulk groups but for the latest `keep`.
    pub fn wait(&mut self, access: &mut AccessCheck, warp: u32, lane: u32, keep: u32) {
        let slot = access.position.slot(warp);
        let committed = self.committed[slot][lane as usize];
        let reading = std::mem::take(&mut self.reading[slot]);
        let (done, rest): (Vec<_>, Vec<_>) = reading
            .into_iter()
            .partition(|copy| copy.lane == lane && copy.group.saturating_add(keep) < committed);
        self.reading[slot] = rest;
        let number = access.races.order.epoch_of(warp);
        for copy in done {
            let read = epoch::with_lane(epoch::pack(number, copy.instruction), lane);
            access.set_reads(copy.run, None, read);
        }
    }
}
