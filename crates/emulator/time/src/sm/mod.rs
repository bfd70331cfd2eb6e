//! The simulation of one multiprocessor: its resident warps replay their traces through four schedulers.
//!
//! The simulation is event-driven. The scoreboard (are the operands ready?) and the pipe determine the earliest cycle of
//! each warp's next operation. The warp with the earliest cycle issues; on a tie, the warp that issued last goes first
//! (the greedy-then-oldest policy of Rogers et al., MICRO 2012, which Huerta et al., MICRO 2025, found close to NVIDIA's).
//! Each cycle between two issues of a warp counts as lost to the reason for its wait, under Nsight Compute's name.
//!
//! Not modeled: register bank conflicts beyond a mean, replays in the L1, and the limit of outstanding misses.

pub mod choice;
pub mod fetch;
pub mod memory;
pub mod pipes;
pub mod spin;
pub mod warp;

use crate::lower::schedule::Scheduled;
use crate::lower::{Lowered, Unit};
use crate::machine::GpuModel;
use crate::sm::choice::{Choices, NextIssue};
use crate::sm::fetch::CodeFetch;
use crate::sm::memory::{Environment, MemorySystem};
use crate::sm::pipes::Pipes;
use crate::sm::warp::{Regions, WarpState};
use crate::trace::{AccessTarget, KernelTrace, NONE};
use lanework_engine::event::AccessKind;
use pipes::{LostCycles, SCHEDULERS, Stall};
use std::collections::HashMap;
use warp::TokenState;

/// Work of a multiprocessor.
pub struct SmWork<'a> {
    /// The launch.
    pub trace: &'a KernelTrace,
    /// The kernel's machine operations.
    pub lowered: &'a Lowered,
    /// The GPU.
    pub model: &'a GpuModel,
    /// Maximum number of resident blocks.
    pub resident: usize,
    /// Blocks to run, as indices of traced blocks.
    pub queue: Vec<usize>,
    /// Caches and bandwidths.
    pub environment: Environment,
    /// Maximum effort: issued operations, and a further one for every `SECTORS` sectors.
    pub operations: u64,
}

/// Sectors that take as long to simulate as an operation.
const SECTORS: u64 = 8;

/// Cycles of the data path for the texture fetches of a warp: four lanes per cycle.
const TEXTURE_PASSES: f64 = 8.0;

/// Result of a simulation.
#[derive(Clone, Debug, Default)]
pub struct SmResult {
    /// Cycles until the last warp ended or the simulation stopped.
    pub cycles: f64,
    /// Cycles at which blocks ended, in ascending order.
    pub ends: Vec<f64>,
    /// Operations issued.
    pub issued: u64,
    /// PTX instructions replayed.
    pub steps: u64,
    /// Steps and cycle when half of the operations were issued.
    pub middle: (u64, f64),
    /// Whether the simulation stopped before all blocks ended.
    pub stopped: bool,
    /// Lost cycles by run.
    pub lost: LostCycles,
    /// Busy cycles of the resources, in the order of [`pipes::Resource`].
    pub busy: [f64; pipes::RESOURCES],
    /// Busy cycles of the tensor cores with products of warpgroups, summed over the schedulers.
    pub products: f64,
    /// By run: sectors requested from the L2.
    pub l2_sectors: Vec<u64>,
    /// Number of started blocks.
    pub started: usize,
}

/// A resident block.
struct Resident {
    traced: usize,
    instance: u64,
    tokens: Vec<TokenState>,
    left: usize,
}

/// State of the simulation.
struct Simulation<'a> {
    work: &'a SmWork<'a>,
    regions: Regions<'a>,
    warps: Vec<WarpState>,
    of_scheduler: Vec<Vec<usize>>,
    last_issued: Vec<usize>,
    choices: Choices,
    blocks: Vec<Resident>,
    next_block: usize,
    /// The earliest cycle at which a block can start: the chip starts its blocks one after another.
    next_start: f64,
    memory: MemorySystem,
    pipes: Pipes,
    code: CodeFetch,
    /// The last successful swap of each word, by block.
    swapped: HashMap<(usize, u32), f64>,
    /// Sectors simulated so far.
    sectors: u64,
    result: SmResult,
}

/// Runs a simulation.
pub fn simulate(work: &SmWork<'_>) -> SmResult {
    let runs = work.trace.runs.all.len();
    let mut simulation = Simulation {
        work,
        regions: Regions::new(work.trace, work.lowered),
        warps: Vec::new(),
        of_scheduler: vec![Vec::new(); SCHEDULERS],
        last_issued: vec![usize::MAX; SCHEDULERS],
        choices: Choices::default(),
        blocks: Vec::new(),
        next_block: 0,
        next_start: 0.0,
        memory: MemorySystem::new(work.model, &work.environment, runs),
        pipes: Pipes::new(work.model, SCHEDULERS),
        code: CodeFetch::new(work.lowered, work.environment.cold_code),
        swapped: HashMap::new(),
        sectors: 0,
        result: SmResult { lost: LostCycles::new(runs), ..SmResult::default() },
    };
    for _ in 0..work.resident.min(work.queue.len()) {
        simulation.start_block(0.0);
    }
    simulation.run();
    let mut result = simulation.result;
    result.steps = simulation.regions.steps;
    result.busy = simulation.pipes.busy;
    result.products = simulation.pipes.products;
    simulation.memory.add_busy(&mut result.busy);
    result.cycles = result.cycles.max(simulation.memory.drained());
    result.l2_sectors = simulation.memory.l2_sectors;
    result.started = simulation.next_block;
    result
}

impl Simulation<'_> {
    /// Starts the next block of the queue.
    fn start_block(&mut self, time: f64) {
        let Some(&traced) = self.work.queue.get(self.next_block) else { return };
        let instance = self.next_block as u64;
        let time = time.max(self.next_start);
        self.next_start = time + self.work.environment.block_interval;
        self.next_block += 1;
        let block = &self.work.trace.blocks[traced];
        let tokens = block.tokens.iter().map(|&needed| TokenState::new(needed)).collect();
        let number = self.blocks.len();
        self.blocks.push(Resident { traced, instance, tokens, left: block.warps.len() });
        for warp in 0..block.warps.len() {
            let at = self.warps.len();
            let slots = self.work.trace.kernel.registers.len();
            // The block scheduler starts a warp every other cycle.
            let start = time + 2.0 * warp as f64;
            self.warps.push(WarpState::new(number, warp, slots, start));
            self.of_scheduler[at % SCHEDULERS].push(at);
            self.choices.wake(at % SCHEDULERS);
            self.advance(at);
        }
    }

    /// Moves a warp to its next operation that is not free.
    fn advance(&mut self, at: usize) {
        let traced = self.blocks[self.warps[at].block].traced;
        let trace = &self.work.trace.blocks[traced].warps[self.warps[at].warp];
        let ended = self.regions.advance(&mut self.warps[at], trace);
        if !ended {
            self.fetch(at);
            return;
        }
        self.end_warp(at);
    }

    fn end_warp(&mut self, at: usize) {
        let warp = &mut self.warps[at];
        warp.done = true;
        let time = warp.next.max(warp.drained());
        warp.release();
        let block = warp.block;
        self.result.cycles = self.result.cycles.max(time);
        for list in &mut self.of_scheduler {
            list.retain(|&other| other != at);
        }
        self.blocks[block].left -= 1;
        if self.blocks[block].left == 0 {
            self.result.ends.push(time);
            self.blocks[block].tokens = Vec::new();
            self.start_block(time + self.work.model.timings.block_start);
        }
    }

    /// Delays a warp for the first fetch of an instruction-cache line after a flush.
    fn fetch(&mut self, at: usize) {
        let warp = &mut self.warps[at];
        let timings = &self.work.model.timings;
        let Some(arrival) = self.code.arrival(warp.operation.run, warp.next, timings) else {
            return;
        };
        if arrival > warp.eligible {
            warp.eligible = arrival;
            warp.reason = Stall::NoInstruction;
        }
        warp.next = warp.next.max(arrival);
    }

    /// The earliest cycle at which a warp can issue, and the reason for waiting until then.
    fn earliest(&self, scheduler: usize, at: usize) -> (f64, Stall) {
        let warp = &self.warps[at];
        if warp.blocked {
            return (f64::INFINITY, Stall::Barrier);
        }
        let mut found = (warp.eligible, warp.reason);
        let mut later = |time: f64, reason| {
            if time > found.0 {
                found = (time, reason);
            }
        };
        let (time, reason) = self.pipes.free(scheduler, warp.operation.unit);
        later(time, reason);
        if matches!(warp.operation.unit, Unit::Memory | Unit::Shuffle) {
            later(self.memory.queue_free(), Stall::MioThrottle);
            if warp.stores {
                later(self.memory.store_free(), Stall::LgThrottle);
            }
        }
        let slot = self.pipes.slot(scheduler);
        if slot > found.0 {
            found = (slot, Stall::NotSelected);
        }
        found
    }

    fn run(&mut self) {
        loop {
            let mut choices = std::mem::take(&mut self.choices);
            let next = choices.next(|scheduler| self.search(scheduler));
            self.choices = choices;
            let Some((scheduler, NextIssue { time, at, reason, .. })) = next else {
                if !self.break_deadlock() {
                    break;
                }
                continue;
            };
            self.choices.issued();
            self.issue(time, scheduler, at, reason);
            let effort = self.result.issued + self.sectors / SECTORS;
            if self.result.middle.0 == 0 && effort >= self.work.operations / 2 {
                self.result.middle = (self.regions.steps, time);
            }
            if effort >= self.work.operations {
                self.result.stopped = true;
                self.result.cycles = self.result.cycles.max(time);
                break;
            }
        }
    }

    /// The warp of a scheduler that can issue first.
    fn search(&self, scheduler: usize) -> NextIssue {
        self.of_scheduler[scheduler].iter().fold(NextIssue::NONE, |best, &at| {
            // Most warps wait for operands; the rest of the search costs more than this test.
            if self.warps[at].blocked || self.warps[at].eligible > best.time {
                return best;
            }
            let (time, reason) = self.earliest(scheduler, at);
            let other = self.last_issued[scheduler] != at;
            let one = NextIssue { time, other, at, reason };
            if one.precedes(&best) { one } else { best }
        })
    }

    /// Releases warps that wait for events missing from the trace; returns whether there were any.
    fn break_deadlock(&mut self) -> bool {
        let mut any = false;
        for warp in self.warps.iter_mut().filter(|warp| warp.blocked) {
            warp.blocked = false;
            any = true;
        }
        self.choices = Choices::default();
        any
    }

    fn issue(&mut self, time: f64, scheduler: usize, at: usize, reason: Stall) {
        let operation = self.warps[at].operation;
        let warp = &mut self.warps[at];
        let lost = time - warp.last_issue - 1.0;
        if lost > 0.0 {
            // The warp waits for its operands or a barrier, and only then for a pipe, a queue or the issue slot.
            let own = (warp.eligible - warp.last_issue - 1.0).clamp(0.0, lost);
            self.result.lost.add(operation.run, warp.reason, own);
            self.result.lost.add(operation.run, reason, lost - own);
        }
        self.result.lost.issue(operation.run);
        self.result.issued += 1;
        warp.last_issue = time;
        warp.next = time + 1.0;
        self.last_issued[scheduler] = at;
        let latency = self.pipes.issue(scheduler, operation.unit, time);
        if !self.spin(time, scheduler, at) {
            self.execute(time, scheduler, at, operation, latency);
            self.advance(at);
        }
    }

    /// Applies an operation to the state of its warp.
    fn execute(
        &mut self,
        time: f64,
        scheduler: usize,
        at: usize,
        operation: Scheduled,
        latency: f64,
    ) {
        let timings = &self.work.model.timings;
        let mut ready = time + latency;
        let mut producer = Stall::Wait;
        match operation.unit {
            Unit::Memory => (ready, producer) = self.access(time, at, operation),
            Unit::Shuffle => {
                ready = self.memory.shuffle(time, timings);
                producer = Stall::ShortScoreboard;
            }
            Unit::Special | Unit::Convert => producer = Stall::ShortScoreboard,
            Unit::Branch => {
                let taken = self.warps[at].taken;
                let penalty = if taken { timings.branch_penalty } else { 4.0 };
                self.warps[at].next = time + penalty;
                self.warps[at].next_reason = Stall::BranchResolving;
            }
            Unit::Fence => {
                self.warps[at].next = time + timings.fence_latency;
                self.warps[at].next_reason = Stall::Membar;
            }
            Unit::Elapse(cycles) => self.warps[at].next = time + f64::from(cycles),
            Unit::Wgmma(_) => {
                let done = self.pipes.product_end(scheduler) + 60.0;
                self.warps[at].start_asynchronous(crate::lower::Queue::Products, done);
            }
            Unit::Commit(queue) => self.warps[at].commit(queue),
            Unit::Wait(queue, pending) => {
                let done = self.warps[at].wait_for(queue, pending);
                if done > self.warps[at].next {
                    self.warps[at].next = done;
                    self.warps[at].next_reason = match queue {
                        crate::lower::Queue::Products => Stall::Gmma,
                        _ => Stall::LongScoreboard,
                    };
                }
            }
            Unit::Sync => self.synchronize(time, at, operation),
            _ => {}
        }
        self.regions.write(&mut self.warps[at], operation, ready, producer);
    }

    /// Executes a memory access; returns the cycle of its result, and the stall reason of a warp that waits for it.
    fn access(&mut self, time: f64, at: usize, operation: Scheduled) -> (f64, Stall) {
        let warp = &self.warps[at];
        let resident = &self.blocks[warp.block];
        let block = &self.work.trace.blocks[resident.traced];
        let step = warp.first_step + operation.step;
        let records = &block.warps[warp.warp].traffic;
        let first = records.partition_point(|record| record.step < step);
        let (mut ready, mut producer) = (time + 4.0, Stall::Wait);
        if self.work.lowered.textures[operation.run as usize] {
            // Assumes that the L2 has the texels.
            let timings = &self.work.model.timings;
            ready = self.memory.pass(time, TEXTURE_PASSES) + timings.l2_latency;
            producer = Stall::LongScoreboard;
        }
        let mut asynchronous: Vec<(f64, u32)> = Vec::new();
        for record in records[first..].iter().take_while(|record| record.step == step) {
            let sectors = match record.first as usize + record.sectors as usize {
                end if end <= block.sectors.len() => &block.sectors[record.first as usize..end],
                _ => &[],
            };
            let done =
                self.memory.access(time, operation.run, record, sectors, (resident.instance, at));
            if operation.queue.is_some() {
                asynchronous.push((done, record.token));
            } else if done > ready {
                ready = done;
                producer = match record.target {
                    AccessTarget::Shared | AccessTarget::Constant => Stall::ShortScoreboard,
                    _ => Stall::LongScoreboard,
                };
            }
            if record.kind == AccessKind::Store && operation.queue.is_none() {
                ready = time + 4.0;
            }
        }
        if let Some(queue) = operation.queue {
            for (done, token) in asynchronous {
                if token == NONE {
                    self.warps[at].start_asynchronous(queue, done);
                } else {
                    let block = self.warps[at].block;
                    self.arrive(block, token, done);
                }
            }
            ready = time + 4.0;
        }
        (ready, producer)
    }

    /// Counts an arrival at a token; the last one wakes the waiting warps.
    fn arrive(&mut self, block: usize, token: u32, time: f64) {
        let Some(state) = self.blocks[block].tokens.get_mut(token as usize) else { return };
        let Some((done, waiting)) = state.arrive(time) else { return };
        for at in waiting {
            self.choices.wake(at % SCHEDULERS);
            let warp = &mut self.warps[at];
            warp.blocked = false;
            warp.wake(done);
        }
    }

    fn synchronize(&mut self, time: f64, at: usize, operation: Scheduled) {
        let timings = &self.work.model.timings;
        let warp = &self.warps[at];
        let (block, step) = (warp.block, warp.first_step + operation.step);
        let traced = self.blocks[block].traced;
        let records = &self.work.trace.blocks[traced].warps[warp.warp].waits;
        let first = records.partition_point(|record| record.step < step);
        let records: Vec<_> =
            records[first..].iter().take_while(|record| record.step == step).copied().collect();
        for record in records {
            let barrier = record.arrives && record.waits;
            let warps = self.work.trace.warps() as f64;
            let cost = match barrier {
                // The warps spend a quarter of the time per warp in issuing the barrier.
                true => timings.barrier_latency + 0.75 * timings.barrier_per_warp * warps.min(32.0),
                false => timings.barrier_latency,
            };
            if record.arrives {
                self.arrive(block, record.token, time + cost);
            }
            if !record.waits {
                continue;
            }
            let Some(state) = self.blocks[block].tokens.get_mut(record.token as usize) else {
                continue;
            };
            self.warps[at].next_reason = Stall::Barrier;
            match state.done() {
                Some(done) => self.warps[at].wake(done),
                None => {
                    state.waiting.push(at);
                    self.warps[at].blocked = true;
                }
            }
        }
    }
}
