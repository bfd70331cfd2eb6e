//! The sanitizer as an instrument: the checker of accesses and of what orders them, beside the livelock
//! probe.

use super::checker::{self, Checker};
use super::findings::named;
use super::judge::Judge;
use super::livelock::LivelockProbe;
use super::plan;
use super::report::{Checks, Report, add};
use super::stillness::Reads;
use crate::engine::context::{Located, RawFault, Site};
use crate::engine::event::{Moved, Place};
use crate::engine::fault::FaultKind;
use crate::engine::instrument::{
    ClusterFault, ClusterView, HeapEvent, Instrument, Launch, Plan, Wants,
};
use crate::engine::lanes::Lanes;
use crate::engine::op::{Tiers, Warp};
use lanework_ptx_ir::analyses::Analyses;
use lanework_ptx_ir::kernel::{Kernel, Note};
use lanework_ptx_ir::opcode::asynchrony::MbarrierOp;
use std::any::Any;
use std::sync::Arc;

/// A block that waits for what may be done by one that runs later: its place, the fault, and what it
/// reads.
type Held = ([u32; 3], Located, Reads);

/// Checks a launch. One worker runs it, for the shadow memory of global memory is one for all blocks.
pub struct Sanitizer {
    checks: Checks,
    /// Checks accesses, from the start of the launch to its end.
    pub checker: Option<Checker>,
    /// Looks for spins that never end.
    pub probe: LivelockProbe,
    held: Vec<Held>,
    /// What was found.
    pub reports: Vec<Report>,
}

// SAFETY: the pointers inside go to global memory, whose lock the launch holds, and to the shared memory
// of the blocks that its worker runs.
unsafe impl Send for Sanitizer {}

impl Sanitizer {
    /// For one launch.
    pub fn new(checks: Checks) -> Sanitizer {
        let (checker, probe) = (None, LivelockProbe::default());
        Sanitizer { checks, checker, probe, held: Vec::new(), reports: Vec::new() }
    }

    /// Keeps a fault as a report; gives it back if it is no finding.
    fn keep(&mut self, block: [u32; 3], located: Located) -> Option<Located> {
        let fault = located.clone();
        self.checker.as_mut()?.fault_of(block, located).map(|_| fault)
    }
}

impl Instrument for Sanitizer {
    fn wants(&self) -> Wants {
        self.probe.wants() | Wants::INITIALISED
    }

    fn fork(&self) -> Self {
        Sanitizer::new(self.checks)
    }

    fn merge(&mut self, other: Self) {
        add(&mut self.reports, other.reports);
    }

    fn access_operation() -> Tiers {
        Tiers::of::<Judge>()
    }

    fn plan(kernel: &Kernel, analyses: &Analyses) -> Option<Arc<dyn Plan>> {
        Some(Arc::new(plan::Checks::of(kernel, analyses)))
    }

    fn launch(&mut self, launch: &Launch<'_>) {
        let plan = launch.plan.and_then(|plan| (plan as &dyn Any).downcast_ref::<plan::Checks>());
        let (followed, accumulators) =
            plan.map(|plan| (plan.followed.clone(), plan.accumulators.count)).unwrap_or_default();
        self.checker = Some(Checker::new(checker::Launch {
            checks: self.checks,
            kernel: Arc::clone(launch.kernel),
            memory: launch.memory,
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared.clone(),
            local_bytes: launch.local_bytes,
            followed,
            accumulators,
        }));
    }

    fn memory(&mut self, warp: &Warp, site: &Site, place: Place, addresses: &[u64; 32]) {
        if let Some(checker) = &mut self.checker {
            checker.access(warp, place.instruction, site, addresses);
        }
        self.probe.follow(warp, place.instruction, site, addresses);
    }

    fn invalid_access(
        &mut self,
        warp: u32,
        instruction: u32,
        fault: RawFault,
    ) -> Result<*mut u8, RawFault> {
        match &mut self.checker {
            Some(checker) => Ok(checker.excuse(warp, instruction, fault)),
            None => Err(fault),
        }
    }

    fn barrier_arrive(&mut self, warp: usize, number: usize, waits: bool) {
        if let Some(checker) = &mut self.checker {
            checker.order.arrive(warp, number);
        }
        self.probe.barrier_arrive(warp, number, waits);
    }

    fn barrier_open(&mut self, number: usize, released: &[usize], all: bool) {
        if let Some(checker) = &mut self.checker {
            checker.order.complete(number, released, all);
        }
    }

    fn synchronisation(
        &mut self,
        warp: &Warp,
        instruction: u32,
        note: Note,
        operand: &dyn Fn(usize) -> Lanes<u32>,
    ) {
        if let Some(checker) = &mut self.checker {
            checker.noted(warp, instruction, note, operand);
        }
    }

    fn lanes_missing(&mut self, warp: u32, instruction: u32, lanes: u32) {
        if let Some(checker) = &mut self.checker {
            checker.missing(warp, instruction, lanes);
        }
    }

    fn mbarrier(
        &mut self,
        warp: &Warp,
        at: (u32, u32),
        operation: MbarrierOp,
        mbarrier: (u32, u64),
    ) {
        if let Some(checker) = &mut self.checker {
            checker.mbarrier(warp, at, operation, mbarrier);
        }
    }

    fn mbarrier_waited(&mut self, warp: &Warp, at: (u32, u32), mbarrier: (u32, u64)) {
        if let Some(checker) = &mut self.checker {
            checker.mbarrier_waited(warp, at, mbarrier);
        }
    }

    fn cluster_arrive(&mut self, warp: usize, generation: u32) {
        if let Some(checker) = &mut self.checker {
            checker.order.cluster_arrive(warp, generation);
        }
    }

    fn cluster_open(&mut self, generation: u32) {
        if let Some(checker) = &mut self.checker {
            checker.order.cluster_met(generation);
        }
    }

    fn cluster_waited(&mut self, warp: usize, generation: u32) {
        if let Some(checker) = &mut self.checker {
            checker.order.cluster_go(warp, generation);
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
        if let Some(checker) = &mut self.checker {
            checker.copy(warp, place.instruction, bytes, addresses, have);
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
        if let Some(checker) = &mut self.checker {
            checker.bulk(warp, at, moved, mbarrier);
        }
    }

    fn bulk_commit(&mut self, warp: u32, lane: u32) {
        if let Some(checker) = &mut self.checker {
            checker.bulk_commit(warp, lane);
        }
    }

    fn bulk_wait(&mut self, warp: u32, lane: u32, pending: u32) {
        if let Some(checker) = &mut self.checker {
            checker.bulk_wait(warp, lane, pending);
        }
    }

    fn product_reads(&mut self, warp: &Warp, instruction: u32, chunks: &[u64]) {
        if let Some(checker) = &mut self.checker {
            checker.product_reads(warp, instruction, chunks);
        }
    }

    fn heap(&mut self, event: HeapEvent) {
        if let Some(checker) = &mut self.checker {
            match event {
                HeapEvent::Called => {}
                HeapEvent::Allocated { address, bytes } => checker.heap_gave(address, bytes),
                HeapEvent::Freed { address } => checker.heap_took(address),
            }
        }
        self.probe.heap(event);
    }

    fn cluster_start(&mut self, blocks: &[u64]) {
        if let Some(checker) = &mut self.checker {
            checker.start(blocks);
        }
    }

    fn cluster_end(&mut self) {
        self.probe.cluster_end();
        if let Some(checker) = &mut self.checker {
            checker.follow_all(false);
        }
    }

    fn block_slice(&mut self, rank: u32) {
        if let Some(checker) = &mut self.checker {
            checker.enter(rank);
        }
        self.probe.block_slice(rank);
    }

    fn block_end(&mut self, rank: u32) {
        if let Some(checker) = &mut self.checker {
            checker.left(rank);
        }
    }

    fn warp_end(&mut self, warp: usize) {
        if let Some(checker) = &mut self.checker {
            checker.order.end(warp);
        }
    }

    fn time_slice(&self) -> u64 {
        self.probe.time_slice()
    }

    fn scheduler_pass(&mut self, cluster: &mut dyn ClusterView) -> Result<(), (usize, Located)> {
        let Some(checker) = &mut self.checker else { return Ok(()) };
        let name = |space, address| {
            let near = checker.place(space, address);
            near.as_ref().map_or(format!("{address:#x}"), named)
        };
        let result = self.probe.pass(cluster, &name);
        checker.follow_all(self.probe.tries());
        result
    }

    fn stopped(&mut self, fault: &mut RawFault, cluster: &dyn ClusterView) {
        self.probe.stopped(fault, cluster);
    }

    fn fault(&mut self, fault: ClusterFault) -> Option<Located> {
        let ClusterFault { block, located, last } = fault;
        let spin = self.probe.take_spin().filter(|reads| !reads.is_empty());
        if let Some(reads) = spin.filter(|_| !last) {
            // A block that runs later may be what it waits for.
            self.held.push((block, located, reads));
            return None;
        }
        self.keep(block, located)
    }

    fn finish(&mut self, all: bool, faulted: bool) -> Option<([u32; 3], Located)> {
        let mut fault = None;
        for (block, located, reads) in std::mem::take(&mut self.held) {
            // SAFETY: the launch holds the memory's lock.
            if all && unsafe { reads.unchanged() } {
                self.keep(block, located);
            } else if !faulted && fault.is_none() {
                fault = Some((block, waits_for_later(located)));
            }
        }
        let found = self.checker.take().map_or(Vec::new(), Checker::finish);
        add(&mut self.reports, found);
        fault
    }
}

/// The fault of a block that waits for what a later one writes.
fn waits_for_later(located: Located) -> Located {
    let raw = RawFault {
        kind: FaultKind::Unsupported,
        note: "the block waits for one that runs later: the emulator runs blocks one after another, and a GPU may, too, when it has no room for all"
            .to_owned(),
        ..located.raw
    };
    Located { raw, ..located }
}
