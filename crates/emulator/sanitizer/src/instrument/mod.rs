//! The sanitizer as an instrument of the engine: forwards each event to the checks and the livelock
//! probe, and holds both for the running cluster and the suspended ones.
//!
//! [`checkers`] routes the events to the checks; [`handlers`] has the operations that are inserted into a
//! kernel.

mod checkers;
mod handlers;

use crate::access::position::LaneAt;
use crate::async_proxy::operands::unwritten_columns;
use crate::bounds::matrices::check_alignment;
use crate::findings::kinds::Checks;
use crate::findings::place;
use crate::findings::report::{Report, merge};
use crate::footprint::LaunchShadow;
use crate::instrument::checkers::{Checkers, SuspendedCheckers};
use crate::instrument::handlers::CheckAccess;
use crate::livelock::signals::Signals;
use crate::livelock::{self, LivelockProbe};
use handlers::InsertedOperations;
use lanework_engine::cluster_view::{ClusterView, Verdict};
use lanework_engine::context::Tiers;
use lanework_engine::event::{HeapEvent, MatrixTile, Moved, Place, Wants};
use lanework_engine::fault::{ClusterFault, Located, RawFault};
use lanework_engine::insertion::Plan;
use lanework_engine::instrument::{Instrument, Launch, ScratchBytes};
use lanework_engine::machine::Warp;
use lanework_engine::site::{AccessSite, Region};
use lanework_engine::slot::Lanes;
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::kernel::{Kernel, SyncAnnotation};
use lanework_ptx_ir::opcode::asynchrony::MbarrierOp;
use std::any::Any;
use std::sync::Arc;

/// If fewer clusters than this are suspended, a cluster that has signaled others yields to clusters that have not started,
/// because these may be the ones that wait for the signal.
const FEW_CLUSTERS: usize = 16;

/// State of a suspended cluster.
pub struct SuspendedCluster {
    /// Its checks.
    pub checkers: SuspendedCheckers,
    /// Its livelock probe: how long it has been spinning, and the bytes it waits for.
    pub probe: LivelockProbe,
}

/// Checks a launch. One worker runs it, because all blocks share the shadow of global memory.
pub struct Sanitizer {
    /// The enabled checks.
    pub(crate) checks: Checks,
    /// The checks' state, from the start to the end of the launch.
    pub(crate) checkers: Option<Checkers>,
    /// Livelock probe of the running cluster.
    pub(crate) probe: LivelockProbe,
    /// The signals of the running cluster's warps.
    pub(crate) signals: Signals,
    /// Residency slot of the running cluster.
    pub(crate) seat: usize,
    /// The clusters in the other slots.
    pub(crate) seats: Vec<Option<Box<SuspendedCluster>>>,
    /// The findings.
    pub reports: Vec<Report>,
    /// The shadow of global memory after the launch, if requested.
    pub shadow: Option<LaunchShadow>,
}

// SAFETY: the pointers refer to global memory, whose lock the launch holds, and to shared memory of
// blocks that this sanitizer's worker runs; only `Instrument::launch` stores them, which is unsafe to
// call. The engine moves an instrument between threads only while no worker runs.
unsafe impl Send for Sanitizer {}

impl Sanitizer {
    /// For one launch.
    pub fn new(checks: Checks) -> Sanitizer {
        let (checkers, probe) = (None, LivelockProbe::default());
        Sanitizer {
            checks,
            checkers,
            probe,
            signals: Signals::default(),
            seat: 0,
            seats: Vec::new(),
            reports: Vec::new(),
            shadow: None,
        }
    }

    /// Whether a suspended cluster that waited for memory can continue.
    pub(crate) fn others_can_resume(&self) -> bool {
        let others = self.seats.iter().enumerate().filter(|(seat, _)| *seat != self.seat);
        others.filter_map(|(_, away)| away.as_ref()).any(|away| away.probe.woken())
    }

    /// Whether no cluster in another slot can continue.
    fn others_are_stuck(&self, seat: usize) -> bool {
        let others = self.seats.iter().enumerate();
        let mut others = others.filter(|(other, _)| *other != seat && *other != self.seat);
        let away = others.all(|(_, away)| away.as_ref().is_none_or(|away| away.probe.is_stuck()));
        away && (seat == self.seat || self.probe.is_stuck())
    }

    /// Whether a suspended cluster may continue.
    fn may_resume(&self, seat: usize, probe: &LivelockProbe) -> bool {
        probe.can_resume() || probe.waits_for_time() && self.others_are_stuck(seat)
    }

    /// Records a fault as a finding; returns it if it is not one.
    pub(crate) fn keep(&mut self, block: [u32; 3], located: Located) -> Option<Located> {
        let fault = located.clone();
        self.checkers.as_mut()?.fault_of(block, located).map(|_| fault)
    }
}

// SAFETY: `CheckAccess` takes the operands of a general access operation; `InsertedOperations` keeps the contract of `Plan`, and its handlers
// use the instrument as a `Sanitizer`; `copy` does not change the warp; `finish` drops the checkers, which hold the pointers to memory.
unsafe impl Instrument for Sanitizer {
    fn wants(&self) -> Wants {
        Wants::ACCESSES
            | Wants::SYNCHRONIZATION
            | Wants::BARRIERS
            | Wants::COPIES
            | Wants::HEAP
            | Wants::EDGES
            | Wants::PASSES
            | Wants::INITIALIZED
            | Wants::ONE_WORKER
    }

    fn fork(&self) -> Self {
        Sanitizer::new(self.checks)
    }

    fn merge(&mut self, other: Self) {
        merge(&mut self.reports, other.reports);
        self.shadow = self.shadow.take().or(other.shadow);
    }

    fn access_operation() -> Tiers {
        Tiers::large::<CheckAccess<true>, CheckAccess<false>>()
    }

    fn plan(kernel: &Kernel, analyses: &Analyses) -> Option<Arc<dyn Plan>> {
        Some(Arc::new(InsertedOperations::for_kernel(kernel, analyses)))
    }

    unsafe fn launch(&mut self, launch: &Launch<'_>) {
        let plan =
            launch.plan.and_then(|plan| (plan as &dyn Any).downcast_ref::<InsertedOperations>());
        let (followed, accumulators) =
            plan.map(|plan| (plan.followed.clone(), plan.accumulators.count)).unwrap_or_default();
        self.signals = Signals::new(plan.is_some_and(|plan| plan.waits));
        self.checkers = Some(Checkers::new(self.checks, launch, followed, accumulators));
    }

    fn memory(&mut self, warp: &Warp, site: &AccessSite, place: Place, addresses: &[u64; 32]) {
        if let Some(checkers) = &mut self.checkers {
            checkers.before_access(warp, place.instruction, site, addresses);
            checkers.access.access(warp, place.instruction, site, addresses);
        }
        self.probe.follow(warp, place.instruction, site, addresses);
        self.probe.note(site);
    }

    fn invalid_access(
        &mut self,
        warp: u32,
        instruction: u32,
        fault: RawFault,
    ) -> Result<ScratchBytes, RawFault> {
        match &mut self.checkers {
            Some(checkers) => Ok(checkers.recover(warp, instruction, fault)),
            None => Err(fault),
        }
    }

    fn barrier(&mut self, place: Place, _mask: u32) {
        if let Some(checkers) = &mut self.checkers {
            checkers.barrier_at = place.instruction;
        }
    }

    fn barrier_arrive(&mut self, warp: usize, number: usize, waits: bool) {
        if let Some(checkers) = &mut self.checkers {
            checkers.barrier_arrive(warp, number, waits);
        }
        if !waits {
            self.probe.note_change();
        }
    }

    fn barrier_open(&mut self, number: usize, released: &[usize], all: bool) {
        if let Some(checkers) = &mut self.checkers {
            checkers.access.races.order.complete(number, released, all);
        }
        self.probe.note_sync();
    }

    fn synchronization(
        &mut self,
        warp: &Warp,
        instruction: u32,
        note: SyncAnnotation,
        operand: &dyn Fn(usize) -> Lanes<u32>,
    ) {
        if let Some(checkers) = &mut self.checkers {
            checkers.synchronize(warp, instruction, note, operand);
        }
        match note {
            SyncAnnotation::WarpSync => self.probe.note_sync(),
            SyncAnnotation::Fence(_) => self.signals.fence(warp.index),
            _ => {}
        }
    }

    fn lanes_missing(&mut self, warp: u32, instruction: u32, lanes: u32) {
        if let Some(checkers) = &mut self.checkers {
            checkers.lanes_missing(warp, instruction, lanes);
        }
    }

    fn mbarrier(
        &mut self,
        warp: &Warp,
        at: (u32, u32),
        operation: (MbarrierOp, i64),
        mbarrier: (u32, u64),
    ) {
        if let Some(checkers) = &mut self.checkers {
            checkers.mbarrier(lane_at(warp, at), operation, mbarrier);
        }
    }

    fn mbarrier_waited(
        &mut self,
        warp: &Warp,
        at: (u32, u32),
        operation: MbarrierOp,
        mbarrier: (u32, u64),
    ) {
        if let Some(checkers) = &mut self.checkers {
            checkers.mbarrier_waited(lane_at(warp, at), warp.live, operation, mbarrier);
        }
    }

    fn cluster_arrive(&mut self, warp: usize, generation: u32, relaxed: bool) {
        if let Some(checkers) = &mut self.checkers {
            checkers.cluster_arrive(warp, generation, relaxed);
        }
    }

    fn cluster_open(&mut self, generation: u32) {
        if let Some(checkers) = &mut self.checkers {
            checkers.cluster_open(generation);
        }
    }

    fn cluster_waited(&mut self, warp: usize, generation: u32) {
        if let Some(checkers) = &mut self.checkers {
            checkers.access.races.order.cluster_leave(warp, generation);
        }
    }

    fn copy(
        &mut self,
        warp: &mut Warp,
        place: Place,
        bytes: u32,
        addresses: [&[u64; 32]; 2],
        have: &[u32; 32],
    ) {
        if let Some(checkers) = &mut self.checkers {
            checkers.copy(warp, place.instruction, bytes, addresses, have);
        }
        self.probe.note_change();
    }

    fn bulk_copy(
        &mut self,
        warp: &Warp,
        at: (u32, u32),
        moved: Moved,
        mbarrier: Option<(u32, u64)>,
    ) {
        if let Some(checkers) = &mut self.checkers {
            checkers.bulk_copy(warp, lane_at(warp, at), moved, mbarrier);
        }
    }

    fn bulk_commit(&mut self, warp: u32, lane: u32) {
        if let Some(checkers) = &mut self.checkers {
            checkers.bulk_commit(warp, lane);
        }
    }

    fn bulk_wait(&mut self, warp: u32, lane: u32, pending: u32, read: bool) {
        if let Some(checkers) = &mut self.checkers {
            checkers.bulk_wait(warp, lane, pending, read);
        }
    }

    fn matrix_tile(&mut self, warp: &Warp, instruction: u32, tile: &MatrixTile<'_>) {
        if let Some(checkers) = &mut self.checkers {
            check_alignment(&mut checkers.access, warp, instruction, tile);
        }
    }

    fn product_reads(&mut self, warp: &Warp, instruction: u32, chunks: &[u64], accumulates: bool) {
        if let Some(checkers) = &mut self.checkers {
            checkers.product_reads(warp, instruction, chunks);
            checkers.registers.group_product(&checkers.access.position, warp, accumulates);
        }
    }

    fn tensor_reads(&mut self, warp: &Warp, at: (u32, u32), rank: u32, chunks: &[u64]) {
        if let Some(checkers) = &mut self.checkers {
            checkers.tensor_reads(warp, lane_at(warp, at), rank, chunks);
        }
    }

    fn tensor_unwritten(&mut self, warp: &Warp, at: (u32, u32), columns: (u32, u32)) {
        if let Some(checkers) = &mut self.checkers {
            unwritten_columns(&mut checkers.access, lane_at(warp, at), columns);
        }
    }

    fn tensor_commit(&mut self, warp: &Warp, at: (u32, u32), mbarriers: &[(u32, u64)]) {
        if let Some(checkers) = &mut self.checkers {
            checkers.tensor_commit(lane_at(warp, at), mbarriers);
        }
    }

    fn heap(&mut self, event: HeapEvent) {
        if let Some(checkers) = &mut self.checkers {
            let access = &mut checkers.access;
            match event {
                HeapEvent::Called => {}
                HeapEvent::Allocated { address, bytes } => access.heap_allocated(address, bytes),
                HeapEvent::Freed { address } => access.bounds.heap.freed(address),
            }
        }
        if event == HeapEvent::Called {
            self.probe.note_change();
        }
    }

    fn cluster_start(&mut self, blocks: &[u64]) {
        self.probe.restart(false);
        self.signals.restart();
        if let Some(checkers) = &mut self.checkers {
            checkers.start(blocks);
        }
    }

    fn cluster_end(&mut self) {
        self.probe.restart(true);
        if let Some(checkers) = &mut self.checkers {
            checkers.end();
        }
    }

    fn block_slice(&mut self, rank: u32) {
        if let Some(checkers) = &mut self.checkers {
            checkers.access.enter(rank);
        }
        self.probe.enter(rank);
        self.signals.enter(rank);
    }

    fn block_end(&mut self, rank: u32) {
        if let Some(checkers) = &mut self.checkers {
            checkers.block_end(rank);
        }
    }

    fn warp_end(&mut self, warp: usize) {
        if let Some(checkers) = &mut self.checkers {
            checkers.access.races.order.end(warp);
        }
    }

    fn time_slice(&self) -> u64 {
        livelock::TIME_SLICE
    }

    fn scheduler_pass(
        &mut self,
        cluster: &mut dyn ClusterView,
    ) -> Result<Verdict, (usize, Located)> {
        let alone = self.others_are_stuck(self.seat);
        let Some(checkers) = &mut self.checkers else { return Ok(Verdict::GoesOn) };
        let name = |space, address| {
            let near = checkers.access.bounds.nearest(space, address);
            place(near.as_ref(), address)
        };
        let result = self.probe.pass(cluster, &name, alone);
        checkers.access.disable_fast_paths(self.probe.in_trial());
        match result {
            Ok(Verdict::GoesOn)
                if self.probe.passed_sync()
                    && (self.seats.len() < FEW_CLUSTERS || self.others_can_resume()) =>
            {
                self.probe.yield_turn();
                Ok(Verdict::Leaves)
            }
            result => result,
        }
    }

    fn stopped(&mut self, fault: &mut RawFault, cluster: &dyn ClusterView) {
        self.probe.stopped(fault, cluster);
    }

    fn fault(&mut self, fault: ClusterFault) -> Option<Located> {
        self.keep(fault.block, fault.located)
    }

    fn enter_slot(&mut self, seat: usize, shared: &[Region]) {
        let Some(checkers) = &mut self.checkers else { return };
        if self.seats.len() <= seat.max(self.seat) {
            self.seats.resize_with(seat.max(self.seat) + 1, || None);
        }
        let mut other = self.seats[seat].take().unwrap_or_else(|| {
            let probe = LivelockProbe::default();
            Box::new(SuspendedCluster { checkers: checkers.another(shared), probe })
        });
        checkers.exchange(&mut other.checkers);
        std::mem::swap(&mut self.probe, &mut other.probe);
        self.signals.restart();
        self.seats[self.seat] = Some(other);
        self.seat = seat;
    }

    fn may_go_on(&self, seat: usize) -> bool {
        match self.seats.get(seat).and_then(Option::as_ref) {
            Some(away) if seat != self.seat => self.may_resume(seat, &away.probe),
            _ => self.may_resume(seat, &self.probe),
        }
    }

    fn finish(&mut self, _: bool, _: bool) -> Option<([u32; 3], Located)> {
        if self.checks.keeps_shadow() {
            self.shadow = self.checkers.as_mut().map(Checkers::take_shadow);
        }
        let found = self.checkers.take().map_or(Vec::new(), Checkers::finish);
        merge(&mut self.reports, found);
        None
    }
}

fn lane_at(warp: &Warp, (lane, instruction): (u32, u32)) -> LaneAt {
    LaneAt { warp: warp.index, lane, instruction }
}
