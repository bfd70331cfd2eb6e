//! Distribution of blocks to workers by a counter, so that every worker stays busy to the end. If a kernel's blocks
//! may wait for each other, one worker runs them all, with as many resident as the device holds.

use crate::assemble::code::Assembled;
use crate::block::executor::Slice;
use crate::block::worker::Shape;
use crate::block::{ResidentCluster, Residents, SlotInputs};
use crate::device::launch::{
    Blocks, Fuel, LaunchConfig, Limits, Options, Outcome, Residency, Schedule, residency,
};
use crate::device::stall::Stall;
use crate::device::{stall, workspace};
use crate::fault::report::{Scene, report};
use crate::fault::{ClusterFault, Fault, FaultKind, Located, RawFault};
use crate::instrument::Instrument;
use crate::instrument::counter::Totals;
use crate::instrument::event::Wants;
use crate::instrument::observer::Attached;
use crate::memory::Memory;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Instructions of all warps after which a launch counts as stuck, if no warp has reached a barrier or its end
/// meanwhile. Many spinning blocks would take long to reach the limit of a single warp.
const STALLED: u64 = 40_000_000_000;

/// One launch.
pub struct Job<'a> {
    assembled: &'a Assembled,
    memory: &'a Memory,
    parameters: &'a [u8],
    shape: Shape,
    /// The clusters to run.
    order: Order,
    /// The launch, from which `residency` is computed.
    launch: &'a LaunchConfig<'a>,
    limits: &'a Limits,
    residency: OnceLock<Residency>,
}

/// The result of a launch.
pub struct LaunchResult {
    /// Its outcome.
    pub outcome: Outcome,
    /// The fault of the first cluster, in the order of the launch, that faulted.
    pub fault: Option<Fault>,
}

/// The results of one worker.
struct WorkerResult<I> {
    instrument: I,
    printed: Vec<(u64, String)>,
    blocks: u64,
    instructions: u64,
    lane_instructions: u64,
    fault: Option<(u64, [u32; 3], Located)>,
}

impl<'a> Job<'a> {
    /// A launch ready to run.
    pub fn new(
        assembled: &'a Assembled,
        memory: &'a Memory,
        launch: &'a LaunchConfig<'a>,
        (parameters, workspace): (&'a [u8], u64),
        options: &'a Options,
    ) -> Job<'a> {
        let kernel = &assembled.kernel;
        let explicit = launch.cluster.or(kernel.required_cluster);
        let cluster = explicit.unwrap_or([1; 3]);
        let per_cluster: u64 = cluster.iter().map(|blocks| u64::from(*blocks)).product();
        let shape = Shape {
            grid: launch.grid,
            block: launch.block,
            cluster,
            explicit_cluster: explicit.is_some(),
            dynamic_shared: launch.dynamic_shared,
            shared_unit: if options.gaps { 1 } else { options.limits.shared_unit.max(1) },
            multiprocessors: options.limits.multiprocessors,
            stack_bytes: workspace::bytes(),
            workspace,
            polls: assembled.polls(),
            delays: false,
            max_instructions: options.max_instructions,
            fuel: Fuel::new(options),
            schedule: options.schedule,
        };
        let order = Order::new(launch, per_cluster, options.schedule);
        let (limits, residency) = (&options.limits, OnceLock::new());
        Job { assembled, memory, parameters, shape, order, launch, limits, residency }
    }

    /// The number of blocks that the device holds; computed on first use.
    fn residency(&self) -> Residency {
        *self.residency.get_or_init(|| residency(self.assembled, self.launch, self.limits))
    }

    /// Blocks of a cluster.
    fn per_cluster(&self) -> u64 {
        self.shape.cluster.iter().map(|blocks| u64::from(*blocks)).product()
    }

    /// Runs the launch on up to `workers` workers.
    pub fn run<'p, I: Instrument>(
        &self,
        instrument: &mut I,
        workers: usize,
        pool: impl FnOnce() -> Option<&'p rayon_core::ThreadPool>,
    ) -> LaunchResult {
        let alone = self.assembled.kernel.ordered_blocks
            || self.shape.polls
            || self.shape.schedule.seed().is_some()
            || self.assembled.wants().any(Wants::ONE_WORKER);
        stall::begin(self.order.count);
        let helpers = if alone { 0 } else { (workers as u64 - 1).min(self.order.count - 1) };
        let mut shares = Vec::new();
        let pool = if helpers > 0 { pool() } else { None };
        match pool {
            None => shares.push(self.work(instrument.fork())),
            Some(pool) => {
                let others = Mutex::new(Vec::new());
                let forks: Vec<I> = (0..helpers).map(|_| instrument.fork()).collect();
                let own = instrument.fork();
                pool.in_place_scope(|scope| {
                    for (i, fork) in forks.into_iter().enumerate() {
                        let others = &others;
                        scope.spawn(move |_| {
                            let share = self.work(fork);
                            others.lock().unwrap_or_else(PoisonError::into_inner).push((i, share));
                        });
                    }
                    shares.push(self.work(own));
                });
                let mut others = others.into_inner().unwrap_or_else(PoisonError::into_inner);
                others.sort_by_key(|(i, _)| *i);
                shares.extend(others.into_iter().map(|(_, share)| share));
            }
        }
        self.finish(instrument, shares)
    }

    fn finish<I: Instrument>(
        &self,
        instrument: &mut I,
        shares: Vec<WorkerResult<I>>,
    ) -> LaunchResult {
        let blocks_total = self.order.total * self.per_cluster();
        let mut outcome = Outcome { blocks_total, ..Outcome::default() };
        let mut printed = Vec::new();
        let mut fault: Option<(u64, [u32; 3], Located)> = None;
        for share in shares {
            instrument.merge(share.instrument);
            printed.extend(share.printed);
            outcome.blocks_run += share.blocks;
            outcome.warp_instructions += share.instructions;
            outcome.lane_instructions += share.lane_instructions;
            if let Some(found) = share.fault
                && fault.as_ref().is_none_or(|(i, ..)| found.0 < *i)
            {
                fault = Some(found);
            }
        }
        printed.sort_by_key(|(i, _)| *i);
        outcome.printed = printed.into_iter().map(|(_, text)| text).collect();
        let fault = fault.map(|(_, block, located)| report(&self.scene(block), located));
        LaunchResult { outcome, fault }
    }

    /// The facts that a report of a block's fault needs.
    fn scene(&self, block: [u32; 3]) -> Scene<'_> {
        let kernel = &self.assembled.kernel;
        Scene {
            kernel,
            memory: self.memory,
            block,
            shape: self.shape.block,
            shared: u64::from(kernel.static_shared) + u64::from(self.shape.dynamic_shared),
        }
    }

    /// The next cluster to start; `None` if all have been started or the waiting ones take up all slots.
    fn next_order(&self, waiting: usize) -> Option<u64> {
        let fits = || {
            let most = self.residency().blocks / self.per_cluster();
            (waiting as u64) < most.max(1)
        };
        if waiting > 0 && !fits() {
            return None;
        }
        self.order.take()
    }

    /// Runs clusters until there are no more.
    fn work<I: Instrument>(&self, mut instrument: I) -> WorkerResult<I> {
        let attached = Attached::new(&mut instrument, self.assembled.wants());
        let hook = attached.hook();
        let shape = Shape { delays: self.per_cluster() == 1, ..self.shape.clone() };
        let mut residents = Residents::new(SlotInputs {
            assembled: self.assembled,
            shape: &shape,
            memory: self.memory,
            parameters: self.parameters,
            hook,
        });
        let mut printed = Vec::new();
        let (mut blocks, mut fault, mut stopped, mut stalled) = (0, None, false, 0);
        let mut idle_turns = 0;
        loop {
            let started = self.next_order(residents.waiting());
            let seated = match started {
                Some(order) => residents.start(order, self.order.cluster(order)),
                None => match residents.next_ready() {
                    Some(seated) => seated,
                    None if residents.waiting() > 0 && stall::goes_on(Stall::Certain) => continue,
                    None => break,
                },
            };
            let others =
                residents.waiting() > 0 || self.order.unstarted() > 0 || stall::has_handler();
            let may_leave = self.shape.polls && others;
            let before = residents.executed(&seated);
            let mut turn = residents.run(&seated, may_leave);
            let waiting = residents.waiting();
            let executor = &mut residents.seats[seated.seat];
            if matches!(turn, Ok(Slice::Expired)) && started.is_none() && !executor.stepped {
                stalled += executor.executed() - before;
                idle_turns += 1;
                let all_idle = idle_turns > waiting;
                if stalled > STALLED && self.shape.max_instructions.is_some() {
                    let note = format!(
                        "the warps executed {STALLED} instructions, and none reached a barrier or its end"
                    );
                    turn = Err(executor.stalled(note));
                } else if all_idle && stall::has_handler() && !stall::goes_on(Stall::Suspected) {
                    turn = Err(executor.stalled("the launch was ended while it ran".to_owned()));
                }
                idle_turns = if all_idle { 0 } else { idle_turns };
            } else {
                (stalled, idle_turns) = (0, 0);
            }
            match turn {
                Ok(Slice::Expired) => {
                    residents.wait(seated);
                    continue;
                }
                Ok(Slice::Waits(found)) => {
                    residents.wait(ResidentCluster { waits: Some(found), ..seated });
                    continue;
                }
                Ok(Slice::Ended) | Err(_) => residents.leave(&seated),
            }
            stall::ended();
            let executor = &mut residents.seats[seated.seat];
            blocks += executor.blocks.len() as u64;
            for block in &mut executor.blocks {
                if !block.context.printed.is_empty() {
                    printed.push((seated.order, std::mem::take(&mut block.context.printed)));
                }
            }
            let Err((block, located)) = turn else { continue };
            stopped = true;
            // SAFETY: this worker alone uses its instrument, and handlers, which borrow it, do not run now.
            let instrument = unsafe { hook.any() };
            let stopped = ClusterFault { block, located: self.explained(located) };
            if let Some(located) = instrument.fault(stopped) {
                self.order.end_at(seated.order);
                fault = Some((seated.order, block, located));
                break;
            }
        }
        if fault.is_none() {
            let unstarted = self.order.unstarted();
            for (seated, block, located) in residents.abandon() {
                // A block that waits for one that a fault has stopped is not a separate finding.
                if stopped {
                    continue;
                }
                let located = self.deadlock(located, unstarted);
                // SAFETY: this worker alone uses its instrument, and handlers, which borrow it, do not run now.
                let found = unsafe { hook.any() }.fault(ClusterFault { block, located });
                if let (Some(located), None) = (found, &fault) {
                    fault = Some((seated.order, block, located));
                }
            }
        }
        let (mut instructions, mut lane_instructions) = (0, 0);
        for block in residents.seats.iter_mut().flat_map(|seat| &mut seat.blocks) {
            block.context.publish();
            instructions += block.instructions;
            lane_instructions += block.lane_instructions;
            if hook.wants(Wants::COUNTS) {
                let code = &self.assembled.code;
                for chain in &code.chains {
                    // SAFETY: `chains` are those of the code that the block's context was made for (`Worker::new`),
                    // with an entry in `deferred` for each.
                    unsafe { chain.count_deferred(&raw mut *block.context) };
                }
                let (sites, runs) = (block.context.take_totals(), &code.runs);
                let totals = Totals { sites: &sites, runs, visits: &block.context.visits };
                // SAFETY: this worker alone uses its instrument, and no other reference to it exists between two
                // steps of a cluster.
                unsafe { hook.any() }.flush(&totals);
            }
        }
        // SAFETY: this worker alone uses its instrument, and no other reference to it exists between two steps of a
        // cluster.
        let late =
            unsafe { hook.any() }.finish(self.order.count == self.order.total, fault.is_some());
        if let Some((block, located)) = late {
            fault = Some((self.order.count, block, located));
        }
        drop(residents);
        WorkerResult { instrument, printed, blocks, instructions, lane_instructions, fault }
    }
}

impl Job<'_> {
    /// The fault of a cluster that waits forever.
    pub(crate) fn deadlock(&self, located: Located, unstarted: u64) -> Located {
        let raw = located.raw;
        let (kind, why) = match unstarted {
            0 if self.order.count < self.order.total => (
                FaultKind::Unsupported,
                format!(
                    "; only {} of {} blocks ran, and it may wait for one of the others",
                    self.order.count * self.per_cluster(),
                    self.order.total * self.per_cluster()
                ),
            ),
            0 => (raw.kind, "; no running code can change them".to_owned()),
            _ => (raw.kind, self.never_resident(unstarted)),
        };
        Located { raw: RawFault { kind, note: raw.note + &why, ..raw }, ..located }
    }

    /// The hint that the waiting blocks may wait for blocks that were not started.
    fn never_resident(&self, unstarted: u64) -> String {
        format!(
            "; {}, all of them wait, and {} of the grid's {} can start only when one of them ends",
            self.residency(),
            unstarted * self.per_cluster(),
            self.order.total * self.per_cluster()
        )
    }

    /// The fault of an exceeded limit, with a hint if blocks may be waiting for others that cannot start.
    pub(crate) fn explained(&self, mut located: Located) -> Located {
        let limit = matches!(located.raw.kind, FaultKind::InstructionLimit | FaultKind::TimeLimit);
        let unstarted = self.order.unstarted();
        if limit && self.shape.polls && unstarted > 0 {
            let why = format!(
                "; the kernel reads in a loop data that other blocks write, {}, and {} of the grid's {} have not started",
                self.residency(),
                unstarted * self.per_cluster(),
                self.order.total * self.per_cluster()
            );
            located.raw.note.push_str(&why);
        }
        located
    }
}

/// The clusters of a launch, assigned to workers one by one.
pub struct Order {
    /// Clusters of the grid; most have one block.
    pub total: u64,
    /// Clusters to run.
    pub count: u64,
    /// The first cluster of a range that runs consecutively; `None` if clusters are spread over the grid.
    run_from: Option<u64>,
    /// The order.
    schedule: Schedule,
    next: AtomicU64,
    /// No cluster after this one needs to run: it faulted.
    last: AtomicU64,
}

impl Order {
    /// The clusters of a launch that are to run, with `per_cluster` blocks each.
    pub fn new(launch: &LaunchConfig<'_>, per_cluster: u64, schedule: Schedule) -> Order {
        let blocks: u64 = launch.grid.iter().map(|blocks| u64::from(*blocks)).product();
        let total = blocks / per_cluster;
        let (count, run_from) = match launch.blocks {
            Blocks::All => (total, None),
            Blocks::Sample { count } => (count.div_ceil(per_cluster).clamp(1, total), None),
            Blocks::Range { first, count } => {
                let first = first / per_cluster;
                let left = total.saturating_sub(first).max(1);
                let count = count.div_ceil(per_cluster).clamp(1, left);
                (count, Some(first.min(total.saturating_sub(1))))
            }
        };
        let (next, last) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
        Order { total, count, run_from, schedule, next, last }
    }

    /// The linear index of the `i`-th cluster to run.
    pub fn cluster(&self, i: u64) -> u64 {
        let i = match self.schedule.seed() {
            // A step that shares no factor with the count visits each block once.
            Some(seed) => {
                let mut step = (seed | 1) % self.count;
                while gcd(step, self.count) != 1 {
                    step += 1;
                }
                ((u128::from(i) * u128::from(step) + u128::from(seed)) % u128::from(self.count))
                    as u64
            }
            None if self.schedule == Schedule::Reversed => self.count - 1 - i,
            None => i,
        };
        if let Some(first) = self.run_from {
            return first + i;
        }
        (u128::from(i) * u128::from(self.total) / u128::from(self.count)) as u64
    }

    /// Takes the next cluster to start, by its place in the order.
    pub fn take(&self) -> Option<u64> {
        let order = self.next.fetch_add(1, Ordering::Relaxed);
        (order < self.count && order <= self.last.load(Ordering::Relaxed)).then_some(order)
    }

    /// Records that a cluster has faulted: no later one needs to run.
    pub fn end_at(&self, order: u64) {
        self.last.fetch_min(order, Ordering::Relaxed);
    }

    /// Clusters that were not started.
    pub fn unstarted(&self) -> u64 {
        self.count.saturating_sub(self.next.load(Ordering::Relaxed))
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
