//! The sanitizer as an instrument: forwards each event of the engine to the checks and the livelock
//! probe.

use crate::access::position::LaneAt;
use crate::async_proxy::operands::unwritten_columns;
use crate::bounds::matrices::check_alignment;
use crate::findings::place;
use crate::findings::report::merge;
use crate::handlers::CheckAccess;
use crate::livelock::{self, LivelockProbe};
use crate::parts::Parts;
use crate::plan::Inserts;
use crate::sanitizer::{Away, Sanitizer};
use lanework_engine::cluster_view::{ClusterView, Verdict};
use lanework_engine::event::{HeapEvent, MatrixTile, Moved, Place};
use lanework_engine::fault::{ClusterFault, Located, RawFault};
use lanework_engine::handler::Tiers;
use lanework_engine::hook::Wants;
use lanework_engine::insertion::Plan;
use lanework_engine::instrument::{Instrument, Launch, ScratchBytes};
use lanework_engine::machine::Warp;
use lanework_engine::region::Region;
use lanework_engine::site::Site;
use lanework_engine::slot::Lanes;
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::kernel::{Kernel, SyncAnnotation};
use lanework_ptx_ir::opcode::asynchrony::MbarrierOp;
use std::any::Any;
use std::sync::Arc;

// SAFETY: `CheckAccess` takes the operands of a general access operation; `Inserts` keeps the contract of `Plan`, and its handlers
// use the instrument as a `Sanitizer`; `copy` leaves the warp as it is; `finish` drops the parts, which hold the pointers to memory.
unsafe impl Instrument for Sanitizer {
    fn wants(&self) -> Wants {
        Wants::ACCESSES
            | Wants::SYNCHRONISATION
            | Wants::COPIES
            | Wants::HEAP
            | Wants::EDGES
            | Wants::PASSES
            | Wants::INITIALISED
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
        Tiers::cold::<CheckAccess>()
    }

    fn plan(kernel: &Kernel, analyses: &Analyses) -> Option<Arc<dyn Plan>> {
        Some(Arc::new(Inserts::of(kernel, analyses)))
    }

    fn launch(&mut self, launch: &Launch<'_>) {
        let plan = launch.plan.and_then(|plan| (plan as &dyn Any).downcast_ref::<Inserts>());
        let (followed, accumulators) =
            plan.map(|plan| (plan.followed.clone(), plan.accumulators.count)).unwrap_or_default();
        self.parts = Some(Parts::new(self.checks, launch, followed, accumulators));
    }

    fn memory(&mut self, warp: &Warp, site: &Site, place: Place, addresses: &[u64; 32]) {
        if let Some(parts) = &mut self.parts {
            parts.checked_access(warp, place.instruction, site, addresses);
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
        match &mut self.parts {
            Some(parts) => Ok(parts.recover(warp, instruction, fault)),
            None => Err(fault),
        }
    }

    fn barrier_arrive(&mut self, warp: usize, number: usize, waits: bool) {
        if let Some(parts) = &mut self.parts {
            parts.access.races.order.arrive(warp, number);
        }
        if !waits {
            self.probe.disturb();
        }
    }

    fn barrier_open(&mut self, number: usize, released: &[usize], all: bool) {
        if let Some(parts) = &mut self.parts {
            parts.access.races.order.complete(number, released, all);
        }
        self.probe.synchronised();
    }

    fn synchronisation(
        &mut self,
        warp: &Warp,
        instruction: u32,
        note: SyncAnnotation,
        operand: &dyn Fn(usize) -> Lanes<u32>,
    ) {
        if let Some(parts) = &mut self.parts {
            parts.synchronise(warp, instruction, note, operand);
        }
        if note == SyncAnnotation::WarpSync {
            self.probe.synchronised();
        }
    }

    fn lanes_missing(&mut self, warp: u32, instruction: u32, lanes: u32) {
        if let Some(parts) = &mut self.parts {
            parts.lanes_missing(warp, instruction, lanes);
        }
    }

    fn mbarrier(
        &mut self,
        warp: &Warp,
        at: (u32, u32),
        operation: MbarrierOp,
        mbarrier: (u32, u64),
    ) {
        if let Some(parts) = &mut self.parts {
            parts.mbarrier(lane_at(warp, at), operation, mbarrier);
        }
    }

    fn mbarrier_waited(&mut self, warp: &Warp, at: (u32, u32), mbarrier: (u32, u64)) {
        if let Some(parts) = &mut self.parts {
            parts.mbarrier_waited(lane_at(warp, at), warp.live, mbarrier);
        }
    }

    fn cluster_arrive(&mut self, warp: usize, generation: u32, relaxed: bool) {
        if let Some(parts) = &mut self.parts {
            parts.cluster_arrive(warp, generation, relaxed);
        }
    }

    fn cluster_open(&mut self, generation: u32) {
        if let Some(parts) = &mut self.parts {
            parts.cluster_open(generation);
        }
    }

    fn cluster_waited(&mut self, warp: usize, generation: u32) {
        if let Some(parts) = &mut self.parts {
            parts.access.races.order.cluster_leave(warp, generation);
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
        if let Some(parts) = &mut self.parts {
            parts.copy(warp, place.instruction, bytes, addresses, have);
        }
        self.probe.disturb();
    }

    fn bulk_copy(
        &mut self,
        warp: &Warp,
        at: (u32, u32),
        moved: Moved,
        mbarrier: Option<(u32, u64)>,
    ) {
        if let Some(parts) = &mut self.parts {
            parts.bulk_copy(warp, lane_at(warp, at), moved, mbarrier);
        }
    }

    fn bulk_commit(&mut self, warp: u32, lane: u32) {
        if let Some(parts) = &mut self.parts {
            parts.bulk_commit(warp, lane);
        }
    }

    fn bulk_wait(&mut self, warp: u32, lane: u32, pending: u32, read: bool) {
        if let Some(parts) = &mut self.parts {
            parts.bulk_wait(warp, lane, pending, read);
        }
    }

    fn matrix_tile(&mut self, warp: &Warp, instruction: u32, tile: &MatrixTile<'_>) {
        if let Some(parts) = &mut self.parts {
            check_alignment(&mut parts.access, warp, instruction, tile);
        }
    }

    fn product_reads(&mut self, warp: &Warp, instruction: u32, chunks: &[u64]) {
        if let Some(parts) = &mut self.parts {
            parts.product_reads(warp, instruction, chunks);
        }
    }

    fn tensor_reads(&mut self, warp: &Warp, at: (u32, u32), rank: u32, chunks: &[u64]) {
        if let Some(parts) = &mut self.parts {
            parts.tensor_reads(warp, lane_at(warp, at), rank, chunks);
        }
    }

    fn tensor_unwritten(&mut self, warp: &Warp, at: (u32, u32), columns: (u32, u32)) {
        if let Some(parts) = &mut self.parts {
            unwritten_columns(&mut parts.access, lane_at(warp, at), columns);
        }
    }

    fn tensor_commit(&mut self, warp: &Warp, at: (u32, u32), mbarriers: &[(u32, u64)]) {
        if let Some(parts) = &mut self.parts {
            parts.tensor_commit(lane_at(warp, at), mbarriers);
        }
    }

    fn heap(&mut self, event: HeapEvent) {
        if let Some(parts) = &mut self.parts {
            let heap = &mut parts.access.bounds.heap;
            match event {
                HeapEvent::Called => {}
                HeapEvent::Allocated { address, bytes } => heap.allocated(address, bytes),
                HeapEvent::Freed { address } => heap.freed(address),
            }
        }
        if event == HeapEvent::Called {
            self.probe.disturb();
        }
    }

    fn cluster_start(&mut self, blocks: &[u64]) {
        if let Some(parts) = &mut self.parts {
            parts.start(blocks);
        }
    }

    fn cluster_end(&mut self) {
        self.probe = LivelockProbe::default();
        if let Some(parts) = &mut self.parts {
            parts.access.without_word_cells(false);
        }
    }

    fn block_slice(&mut self, rank: u32) {
        if let Some(parts) = &mut self.parts {
            parts.access.enter(rank);
        }
        self.probe.enter(rank);
    }

    fn block_end(&mut self, rank: u32) {
        if let Some(parts) = &mut self.parts {
            parts.block_end(rank);
        }
    }

    fn warp_end(&mut self, warp: usize) {
        if let Some(parts) = &mut self.parts {
            parts.access.races.order.end(warp);
        }
    }

    fn time_slice(&self) -> u64 {
        livelock::TIME_SLICE
    }

    fn scheduler_pass(
        &mut self,
        cluster: &mut dyn ClusterView,
    ) -> Result<Verdict, (usize, Located)> {
        let Some(parts) = &mut self.parts else { return Ok(Verdict::GoesOn) };
        let name = |space, address| {
            let near = parts.access.bounds.nearest(space, address);
            place(near.as_ref(), address)
        };
        let result = self.probe.pass(cluster, &name);
        parts.access.without_word_cells(self.probe.tries());
        match result {
            Ok(Verdict::GoesOn) if self.probe.goes_past() && self.others_may_go_on() => {
                self.probe.leave();
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

    fn seat(&mut self, seat: usize, shared: &[Region]) {
        let Some(parts) = &mut self.parts else { return };
        if self.seats.len() <= seat.max(self.seat) {
            self.seats.resize_with(seat.max(self.seat) + 1, || None);
        }
        let mut other = self.seats[seat].take().unwrap_or_else(|| {
            let probe = LivelockProbe::default();
            Box::new(Away { parts: parts.another(shared), probe })
        });
        parts.exchange(&mut other.parts);
        std::mem::swap(&mut self.probe, &mut other.probe);
        self.seats[self.seat] = Some(other);
        self.seat = seat;
    }

    fn may_go_on(&self, seat: usize) -> bool {
        match self.seats.get(seat).and_then(Option::as_ref) {
            Some(away) if seat != self.seat => away.probe.may_go_on(),
            _ => self.probe.may_go_on(),
        }
    }

    fn finish(&mut self, _: bool, _: bool) -> Option<([u32; 3], Located)> {
        if self.checks.keeps_shadow() {
            self.shadow = self.parts.as_mut().map(Parts::take_shadow);
        }
        let found = self.parts.take().map_or(Vec::new(), Parts::finish);
        merge(&mut self.reports, found);
        None
    }
}

fn lane_at(warp: &Warp, (lane, instruction): (u32, u32)) -> LaneAt {
    LaneAt { warp: warp.index, lane, instruction }
}
