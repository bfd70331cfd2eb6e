//! The checks of one launch: routes each event to those that need it.
//!
//! Each check owns its state. Every access passes [`AccessCheck`]. Uninitialized registers,
//! asynchronous copies, `wgmma` and member masks have their own events. Findings go to [`Reports`].

use crate::access::position::{LaneAt, LaunchShape, Position};
use crate::access::{AccessCheck, SuspendedAccess, element_bytes};
use crate::async_proxy::bulk::{BulkCopies, CpAsync};
use crate::async_proxy::mbarrier::Mbarriers;
use crate::async_proxy::operands::TensorReads;
use crate::async_proxy::wgmma::Products;
use crate::async_proxy::{check_store, site};
use crate::bounds::Bounds;
use crate::findings::kinds::{Checks, ReportKind};
use crate::findings::report::Report;
use crate::findings::{Finding, Reports};
use crate::footprint::{AllocationShadow, LaunchShadow};
use crate::initialization::registers::{Followed, Registers};
use crate::member_masks::{MemberMasks, check_shuffle};
use crate::races::shadow_memory::ShadowMemory;
use crate::races::{self, FinishedLaunches, FinishedOrder, PeerAccesses};
use lanework_engine::event::{AccessKind, Moved};
use lanework_engine::fault::{Fault, FaultKind, Located, RawFault};
use lanework_engine::instrument::{Launch, ScratchBytes};
use lanework_engine::machine::Warp;
use lanework_engine::site::{AccessSite, Region};
use lanework_engine::slot::Lanes;
use lanework_ptx_ir::kernel::{MemorySpace, SyncAnnotation};
use lanework_ptx_ir::opcode::asynchrony::MbarrierOp;
use std::sync::Arc;

/// State of the checks for a suspended cluster.
pub struct SuspendedCheckers {
    access: SuspendedAccess,
    registers: Registers,
    cp_async: CpAsync,
    bulk: BulkCopies,
    mbarriers: Mbarriers,
    products: Products,
    tensor_reads: TensorReads,
    members: MemberMasks,
}

/// The checks of a launch.
pub struct Checkers {
    /// Bounds, initialization, races, and the findings.
    pub access: AccessCheck,
    /// Uninitialized registers.
    pub registers: Registers,
    cp_async: CpAsync,
    bulk: BulkCopies,
    mbarriers: Mbarriers,
    /// Warpgroup products.
    pub products: Products,
    tensor_reads: TensorReads,
    members: MemberMasks,
    shape: LaunchShape,
    /// Whether copies may be reading global memory.
    pub in_flight: bool,
    /// The instruction of the barrier at which a warp arrives.
    pub barrier_at: u32,
    /// By instruction: the last address of lane 0, for load groups.
    pub last_addresses: Vec<u64>,
    /// Scratch bytes that invalid accesses read and write.
    nowhere: Box<[u64; 8]>,
    /// The tracked registers, and the number of registers used by products, for the state of other
    /// clusters.
    followed: (Followed, usize),
}

impl Checkers {
    /// For one launch: the enabled checks, the tracked registers, and the number of registers used
    /// by products.
    pub fn new(
        checks: Checks,
        launch: &Launch<'_>,
        followed: Followed,
        accumulators: usize,
    ) -> Checkers {
        let Launch { kernel, memory, grid, block, shared, local_bytes, .. } = launch;
        let shape = LaunchShape { grid: *grid, block: *block };
        let (warps, all) = (shape.warps(), shared.len() * shape.warps());
        let mut access = AccessCheck::new(
            kernel,
            Position::new(warps, shared.len()),
            Reports::new(checks, Arc::clone(kernel), shape),
            Bounds::new(kernel, *memory, shared, *local_bytes),
        );
        access.races.order.lanes_of_last(shape.last_lanes());
        access.races.order.set_element_bytes(element_bytes(kernel));
        Checkers {
            access,
            followed: (followed.clone(), accumulators),
            registers: Registers::new(followed, all),
            cp_async: CpAsync::new(all),
            bulk: BulkCopies::new(all),
            mbarriers: Mbarriers::default(),
            products: Products::new(all, accumulators),
            tensor_reads: TensorReads::new(all),
            members: MemberMasks::default(),
            shape,
            in_flight: false,
            barrier_at: 0,
            last_addresses: vec![0; kernel.origins.len() + 1],
            nowhere: Box::new([0; 8]),
        }
    }

    /// State for another resident cluster that has not run yet; `shared` are the shared memories of
    /// its blocks.
    pub fn another(&self, shared: &[Region]) -> SuspendedCheckers {
        let all = shared.len() * self.shape.warps();
        let (followed, accumulators) = &self.followed;
        SuspendedCheckers {
            access: self.access.another(shared),
            registers: Registers::new(followed.clone(), all),
            cp_async: CpAsync::new(all),
            bulk: BulkCopies::new(all),
            mbarriers: Mbarriers::default(),
            products: Products::new(all, *accumulators),
            tensor_reads: TensorReads::new(all),
            members: MemberMasks::default(),
        }
    }

    /// The worker switches to another cluster: swaps the state of the two. Global state stays.
    pub fn exchange(&mut self, other: &mut SuspendedCheckers) {
        self.access.exchange(&mut other.access);
        self.in_flight = true;
        std::mem::swap(&mut self.registers, &mut other.registers);
        std::mem::swap(&mut self.cp_async, &mut other.cp_async);
        std::mem::swap(&mut self.bulk, &mut other.bulk);
        std::mem::swap(&mut self.mbarriers, &mut other.mbarriers);
        std::mem::swap(&mut self.products, &mut other.products);
        std::mem::swap(&mut self.tensor_reads, &mut other.tensor_reads);
        std::mem::swap(&mut self.members, &mut other.members);
    }

    /// Starts a cluster of these blocks.
    pub fn start(&mut self, blocks: &[u64]) {
        self.access.start(blocks);
        self.registers.start();
        self.cp_async.start();
        self.bulk.start();
        self.in_flight = false;
        self.mbarriers.start();
        self.products.start();
        self.tensor_reads.start();
        self.members.start();
    }

    /// A warp executes `setmaxnreg`.
    pub fn changes_registers(&mut self, warp: u32, instruction: u32) {
        self.members.changes_registers(&self.access.position, warp, instruction);
    }

    /// The cluster ends.
    pub fn end(&mut self) {
        _ = self.mbarriers.end_all(&mut self.access);
        let AccessCheck { position, reports, .. } = &mut self.access;
        self.members.end(position, reports);
        self.access.disable_fast_paths(false);
    }

    /// The block of a rank ends. Reports accesses by others to its shared memory that are not
    /// ordered before.
    pub fn block_end(&mut self, rank: u32) {
        _ = self.mbarriers.end_block(&mut self.access, rank);
        let AccessCheck { peers, races, reports, .. } = &mut self.access;
        for access in peers.left(&races.order, rank) {
            let who = races.thread_at(access);
            reports.add(ReportKind::UseAfterFree, who, None, |_| PeerAccesses::finding(rank));
        }
    }

    /// Takes the shadow of global memory at the end of the launch.
    pub fn take_shadow(&mut self) -> LaunchShadow {
        let AccessCheck { bounds, races, reports, launches, .. } = &mut self.access;
        let list = std::mem::take(&mut launches.list);
        let launched = launches
            .counter
            .filter(|_| !list.is_empty())
            .map(|at| FinishedLaunches { queue: at - races::COUNTER, list });
        let (epochs, host_knows) = (races.order.take_epochs(), races.order.host_knows().clone());
        let order = FinishedOrder { epochs, host_knows };
        let global = bounds.global().map(|(id, extent)| {
            let shadow = std::mem::replace(races.shadow(id), ShadowMemory::new(0, 0));
            AllocationShadow { start: extent.start, bytes: extent.bytes, shadow }
        });
        LaunchShadow::new(reports.kernel(), global.collect(), launched, order)
    }

    /// The findings.
    pub fn finish(self) -> Vec<Report> {
        self.access.reports.finish()
    }

    /// `cp.async` by a warp: each lane copies `bytes` bytes from global to shared memory, but reads at
    /// most as many as `have` says.
    pub fn copy(
        &mut self,
        warp: &mut Warp,
        instruction: u32,
        bytes: u32,
        [to, from]: [&[u64; 32]; 2],
        have: &[u32; 32],
    ) {
        let copying = warp.mask;
        let read = have.map(|have| have.min(bytes));
        // A lane may read any number of bytes: split it into powers of two, the largest first.
        for piece in [16, 8, 4, 2, 1] {
            let has = |lane: &u32| read[*lane as usize] & piece != 0;
            warp.mask = copying & (0..32).filter(has).fold(0, |mask, lane| mask | 1u32 << lane);
            if warp.mask != 0 {
                let before = |lane: usize| u64::from(read[lane] & !(2 * piece - 1));
                let from = std::array::from_fn(|lane| from[lane] + before(lane));
                let source = site(MemorySpace::Global, AccessKind::Load, piece);
                self.access.access(warp, instruction, &source, &from);
            }
        }
        warp.mask = copying;
        let target = site(MemorySpace::Shared, AccessKind::Store, bytes);
        self.access.access(warp, instruction, &target, to);
        self.cp_async.started(&mut self.access, warp, instruction, bytes, [to, from], have);
        self.in_flight = true;
    }

    /// A lane starts a bulk copy that completes at an mbarrier, or with the thread's bulk group.
    pub fn bulk_copy(
        &mut self,
        warp: &Warp,
        at: LaneAt,
        moved: Moved,
        mbarrier: Option<(u32, u64)>,
    ) {
        self.in_flight = true;
        self.bulk.start_copy(&mut self.access, &mut self.mbarriers, warp, at, moved, mbarrier);
    }

    /// Checks whether a warp's access changes the source of a copy in flight. [`AccessCheck::access`] checks the rest.
    #[inline(always)]
    pub fn before_access(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &AccessSite,
        at: &[u64; 32],
    ) {
        if self.in_flight && site.kind != AccessKind::Load {
            self.check_sources(warp, instruction, site, at);
        }
    }

    /// Reports stores to the source of a copy in flight.
    #[cold]
    fn check_sources(&mut self, warp: &Warp, instruction: u32, site: &AccessSite, at: &[u64; 32]) {
        let sources = self.cp_async.sources().chain(self.mbarriers.sources());
        check_store(&mut self.access, warp, instruction, site, at, sources);
        self.in_flight = self.cp_async.sources().chain(self.mbarriers.sources()).next().is_some();
    }

    /// `cp.async.bulk.commit_group`.
    pub fn bulk_commit(&mut self, warp: u32, lane: u32) {
        self.bulk.commit(&self.access, warp, lane);
    }

    /// `cp.async.bulk.wait_group`: waits for all but the latest `keep` groups; with `read`, only
    /// for their reads.
    pub fn bulk_wait(&mut self, warp: u32, lane: u32, keep: u32, read: bool) {
        self.bulk.wait(&mut self.access, (warp, lane), keep, read);
    }

    /// A lane's operation on an mbarrier of a block, before it executes, and the bytes that it
    /// announces.
    pub fn mbarrier(
        &mut self,
        at: LaneAt,
        (operation, announced): (MbarrierOp, i64),
        of: (u32, u64),
    ) {
        let access = &mut self.access;
        if operation != MbarrierOp::Init {
            self.mbarriers.used(access, at, of);
            if of.0 != access.position.rank {
                let now = access.packed_now(at);
                access.touch_peer(of.0, now);
            }
        }
        match operation {
            MbarrierOp::Init => {
                self.mbarriers.check_reset(access, at, of);
                let now = access.packed_now(at);
                self.mbarriers.init(access, of, now);
            }
            MbarrierOp::Arrive { relaxed, .. } => self.mbarriers.arrive(access, at, of, relaxed),
            MbarrierOp::CopyArrive { .. } => {
                self.mbarriers.arrive(access, at, of, false);
                let copies = self.cp_async.take(access, at.warp, at.lane);
                self.mbarriers.completes(of, copies);
            }
            MbarrierOp::Invalidate => {
                self.mbarriers.check_reset(access, at, of);
                _ = self.mbarriers.end(access, of);
            }
            _ => self.mbarriers.look(access, of),
        }
        self.mbarriers.announced(of, announced);
    }

    /// A thread of a warp with these live lanes has found that an mbarrier's phase has ended.
    pub fn mbarrier_waited(
        &mut self,
        at: LaneAt,
        live: u32,
        operation: MbarrierOp,
        of: (u32, u64),
    ) {
        self.mbarriers.waited(&mut self.access, at, (live, operation), of);
    }

    /// A warp arrives at a barrier of its block. Reports two groups of warps that use one barrier at once.
    pub fn barrier_arrive(&mut self, warp: usize, number: usize, waits: bool) {
        let AccessCheck { position, races, reports, .. } = &mut self.access;
        let at = (warp, self.barrier_at);
        races.order.arrive(warp, number);
        let replaced = if waits { races.order.waits_at(at, number) } else { None };
        let Some(other) = replaced else { return };
        let thread = |(warp, instruction): (usize, u32)| {
            position.thread_at(LaneAt { warp: warp as u32, lane: 0, instruction })
        };
        let (who, prior) = (thread(at), thread((other.warp, other.instruction)));
        reports.add(ReportKind::BarrierDivergence, who, Some(prior), |_| Finding {
            message: format!(
                "two groups of warps use barrier {number} at once: it has released warp {} with others, and nothing orders warp {warp} after that, so the two groups may mix",
                other.warp
            ),
            help: "give each group of warps a barrier with its own number, or put a barrier of the block between the two uses".to_owned(),
            ..Finding::default()
        });
    }

    /// A warp arrives at the cluster's barrier.
    pub fn cluster_arrive(&mut self, warp: usize, generation: u32, relaxed: bool) {
        if relaxed {
            self.mbarriers.announce_inits(&self.access, warp as u32, generation);
        }
        self.access.races.order.cluster_arrive(warp, generation, relaxed);
    }

    /// All warps have arrived at the cluster's barrier, in this generation.
    pub fn cluster_open(&mut self, generation: u32) {
        self.mbarriers.complete_inits(generation);
        self.access.races.order.cluster_complete(generation);
    }

    /// A warp's product reads these chunks of its block's shared memory.
    pub fn product_reads(&mut self, warp: &Warp, instruction: u32, chunks: &[u64]) {
        self.products.reads(&mut self.access, warp, instruction, chunks);
    }

    /// A `tcgen05` instruction of a lane reads these chunks of a block's shared memory.
    pub fn tensor_reads(&mut self, warp: &Warp, at: LaneAt, rank: u32, chunks: &[u64]) {
        self.tensor_reads.read(&mut self.access, warp, at, rank, chunks);
    }

    /// `tcgen05.commit`: a lane commits its instructions to these mbarriers.
    pub fn tensor_commit(&mut self, at: LaneAt, targets: &[(u32, u64)]) {
        self.tensor_reads.commit(&mut self.access, &mut self.mbarriers, at, targets);
    }

    /// Records that an instruction waits for lanes that it names and that are on another path.
    pub fn lanes_missing(&mut self, warp: u32, instruction: u32, lanes: u32) {
        self.members.missing(&self.access.position, warp, instruction, lanes);
    }

    /// An instruction that synchronizes a warp or requires certain lanes; `operand` reads its
    /// sources.
    pub fn synchronize(
        &mut self,
        warp: &Warp,
        instruction: u32,
        note: SyncAnnotation,
        operand: &dyn Fn(usize) -> Lanes<u32>,
    ) {
        let (w, access) = (warp.index as usize, &mut self.access);
        match note {
            SyncAnnotation::WarpSync => {
                let members = operand(0);
                self.check_members(warp, instruction, &members, true);
                let mut rest = if warp.tells_sync() { warp.mask } else { 0 };
                while rest != 0 {
                    let mask = members.0[rest.trailing_zeros() as usize];
                    self.access.races.order.warp_sync(w, mask, warp.live);
                    rest &= !mask & (rest - 1);
                }
            }
            SyncAnnotation::Members => {
                self.check_members(warp, instruction, &operand(0), false);
            }
            SyncAnnotation::Shuffle(mode) => {
                let members = operand(0);
                let right = self.check_members(warp, instruction, &members, false);
                let follows = self.registers.follows();
                if right || follows {
                    let (b, c) = (operand(1), operand(2));
                    if follows {
                        self.registers.shuffle(warp, mode, [&b, &c]);
                    }
                    if !right {
                        return;
                    }
                    let AccessCheck { position, reports, .. } = &mut self.access;
                    let place = (warp, instruction);
                    check_shuffle(position, reports, place, mode, &members, [&b, &c]);
                }
            }
            SyncAnnotation::Fence(scope) => {
                access.races.order.acquire_fence(w, (warp.mask, warp.live), scope);
                access.races.order.fence(w, warp.mask, scope);
            }
            SyncAnnotation::InitFence => self.mbarriers.fence_init(access, warp.index, warp.mask),
            SyncAnnotation::ProxyFence => {
                access.races.order.proxy_fence(w, (warp.mask, warp.live));
            }
            SyncAnnotation::Commit => self.cp_async.commit(access, warp),
            SyncAnnotation::Wait(keep) => self.cp_async.wait(access, warp, keep),
            SyncAnnotation::ProductFence => self.products.fence(access, warp.index),
            SyncAnnotation::ProductCommit => self.products.commit(access, warp.index),
            SyncAnnotation::ProductWait(keep) => self.products.wait(access, warp.index, keep),
        }
    }

    fn check_members(
        &mut self,
        warp: &Warp,
        instruction: u32,
        masks: &Lanes<u32>,
        apart: bool,
    ) -> bool {
        let AccessCheck { position, reports, .. } = &mut self.access;
        self.members.check(position, reports, warp, instruction, (masks, apart))
    }

    /// Reports an invalid access of one lane; returns scratch memory for its bytes.
    pub fn recover(&mut self, warp: u32, instruction: u32, raw: RawFault) -> ScratchBytes {
        self.fault(Located { raw, origin: instruction, warp });
        *self.nowhere = [0; ScratchBytes::BYTES / 8];
        // SAFETY: the box owns 64 bytes at a multiple of 8. It lives until the launch ends, and only the next invalid access
        // of this worker touches it.
        unsafe { ScratchBytes::new(self.nowhere.as_mut_ptr().cast()) }
    }

    /// Records a fault of a block as a finding; returns it if it is not one.
    pub fn fault_of(&mut self, block: [u32; 3], located: Located) -> Option<Fault> {
        self.access.position.block = self.shape.linear(block);
        self.fault(located)
    }

    fn fault(&mut self, located: Located) -> Option<Fault> {
        if located.raw.kind == FaultKind::Deadlock {
            let waits_for_phase = self.access.reports.waits_for_phase(located.origin);
            if !waits_for_phase {
                self.mbarriers.excuse_unannounced();
            }
            let excess = self.mbarriers.end_all(&mut self.access);
            // The wait is only a consequence of the excess bytes.
            if excess && waits_for_phase {
                return None;
            }
        }
        let AccessCheck { reports, bounds, position, .. } = &mut self.access;
        let (space, address) = (located.raw.space, located.raw.address);
        let of_block = (position.block, bounds.shared_bytes());
        let exchanges =
            located.raw.kind == FaultKind::BarrierDivergence && reports.names_lanes(located.origin);
        let branch = exchanges.then(|| reports.branch_before(located.origin));
        let amend = |report: &mut Report| {
            bounds.amend(report, space, address);
            if let Some(branch) = branch {
                report.kind = ReportKind::InactiveLane;
                report.help = format!(
                    "move the instruction out of {branch}, so that all lanes of its member mask execute it, or use the mask of the lanes that do (`__ballot_sync` of the condition before the branch)"
                );
            }
        };
        reports.add_fault(located, of_block, bounds.memory(), amend)
    }
}
