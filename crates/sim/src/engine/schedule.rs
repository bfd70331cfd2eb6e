//! Blocks over workers: handed out by a counter, so that every worker stays busy to the end.

use crate::engine::allowance::Allowance;
use crate::engine::block::{Shape, Team};
use crate::engine::context::{Events, Located, RawFault};
use crate::engine::event::Observer;
use crate::engine::fault::{Fault, FaultKind};
use crate::engine::launch::{Blocks, LaunchConfig, Outcome};
use crate::engine::limits::{Options, Schedule};
use crate::engine::memory::Memory;
use crate::engine::program::Assembled;
use crate::engine::report::{Scene, report};
use crate::sanitizer::{self, Checked, Checker, Checks};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// One launch.
pub struct Job<'a> {
    assembled: &'a Assembled,
    memory: &'a Memory,
    parameters: &'a [u8],
    shape: Shape,
    /// Clusters of the grid; most have one block.
    total: u64,
    /// Clusters to run.
    count: u64,
    /// The first of the clusters that run one after the other, where they do.
    run_from: Option<u64>,
    next: AtomicU64,
    /// No cluster after this one needs to run: it faulted.
    last: AtomicU64,
}

/// What one worker brings home.
struct Share<O> {
    observer: O,
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
        launch: &LaunchConfig<'_>,
        parameters: &'a [u8],
        options: &Options,
    ) -> Job<'a> {
        let kernel = &assembled.kernel;
        let explicit = launch.cluster.or(kernel.required_cluster);
        let cluster = explicit.unwrap_or([1; 3]);
        let per_cluster: u64 = cluster.iter().map(|blocks| u64::from(*blocks)).product();
        let blocks: u64 = launch.grid.iter().map(|g| u64::from(*g)).product();
        let total = blocks / per_cluster;
        let count = match launch.blocks {
            Blocks::All => total,
            Blocks::Sample { count } => count.div_ceil(per_cluster).clamp(1, total),
            Blocks::Range { first, count } => {
                let left = total.saturating_sub(first / per_cluster).max(1);
                count.div_ceil(per_cluster).clamp(1, left)
            }
        };
        let run_from = match launch.blocks {
            Blocks::Range { first, .. } => Some((first / per_cluster).min(total.saturating_sub(1))),
            _ => None,
        };
        let shape = Shape {
            grid: launch.grid,
            block: launch.block,
            cluster,
            explicit_cluster: explicit.is_some(),
            dynamic_shared: launch.dynamic_shared,
            multiprocessors: options.limits.multiprocessors,
            max_instructions: options.max_instructions,
            allowance: Allowance::of(options),
            seed: match options.schedule {
                Schedule::InOrder => None,
                Schedule::Seeded(seed) => Some(seed),
            },
        };
        let (next, last) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
        Job { assembled, memory, parameters, shape, total, count, run_from, next, last }
    }

    /// The linear index of the `i`-th cluster to run.
    fn cluster(&self, i: u64) -> u64 {
        let i = match self.shape.seed {
            // A step that shares no factor with the count visits each block once.
            Some(seed) => {
                let mut step = (seed | 1) % self.count;
                while gcd(step, self.count) != 1 {
                    step += 1;
                }
                ((u128::from(i) * u128::from(step) + u128::from(seed)) % u128::from(self.count))
                    as u64
            }
            None => i,
        };
        if let Some(first) = self.run_from {
            return first + i;
        }
        (u128::from(i) * u128::from(self.total) / u128::from(self.count)) as u64
    }

    /// Runs the launch on up to `workers` workers.
    ///
    /// # Errors
    /// The fault of the lowest block that faulted.
    pub fn run<'p, O: Observer>(
        &self,
        observer: &mut O,
        workers: usize,
        pool: impl FnOnce() -> Option<&'p rayon::ThreadPool>,
    ) -> Result<Outcome, Fault> {
        let alone = self.assembled.kernel.ordered_blocks || self.shape.seed.is_some();
        let helpers = if alone { 0 } else { (workers as u64 - 1).min(self.count - 1) };
        let mut shares = Vec::new();
        let pool = if helpers > 0 { pool() } else { None };
        match pool {
            None => shares.push(self.work(observer.fork())),
            Some(pool) => {
                let others = Mutex::new(Vec::new());
                let forks: Vec<O> = (0..helpers).map(|_| observer.fork()).collect();
                let own = observer.fork();
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
        self.finish(observer, shares)
    }

    fn finish<O: Observer>(
        &self,
        observer: &mut O,
        shares: Vec<Share<O>>,
    ) -> Result<Outcome, Fault> {
        let per_cluster: u64 = self.shape.cluster.iter().map(|blocks| u64::from(*blocks)).product();
        let mut outcome = Outcome { blocks_total: self.total * per_cluster, ..Outcome::default() };
        let mut printed = Vec::new();
        let mut fault: Option<(u64, [u32; 3], Located)> = None;
        for share in shares {
            observer.merge(share.observer);
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
        if let Some((_, block, located)) = fault {
            return Err(report(&self.scene(block), located));
        }
        printed.sort_by_key(|(i, _)| *i);
        outcome.printed = printed.into_iter().map(|(_, text)| text).collect();
        Ok(outcome)
    }

    /// Runs the launch on this thread alone, with every access judged.
    pub fn check(&self, checks: Checks) -> Checked {
        let mut checked = Checked::default();
        let mut team = Team::new(self.assembled, &self.shape, self.memory, self.parameters, None);
        let context = &team.blocks[0].context;
        team.checks = Some(Box::new(Checker::new(sanitizer::Launch {
            checks,
            kernel: Arc::clone(&self.assembled.kernel),
            memory: self.memory,
            grid: self.shape.grid,
            block: self.shape.block,
            shared: team.blocks.iter().map(|block| block.context.shared).collect(),
            local_bytes: context.local_bytes,
            followed: self.assembled.code.followed.clone(),
            accumulators: self.assembled.code.accumulators.count,
        })));
        let mut held = Vec::new();
        for i in 0..self.count {
            let result = team.run(self.cluster(i));
            for block in &mut team.blocks {
                checked.outcome.blocks_run += 1;
                checked.outcome.printed.push_str(&std::mem::take(&mut block.context.printed));
            }
            let Err((index, located)) = result else { continue };
            let spin = team.take_spin().filter(|reads| !reads.is_empty());
            if let Some(reads) = spin.filter(|_| i + 1 < self.total) {
                // A block that runs later may be what it waits for.
                held.push((index, located, reads));
                continue;
            }
            let checks = team.checks.as_mut();
            if let Some(fault) = checks.and_then(|checks| checks.fault_of(index, located)) {
                checked.fault = Some(fault);
                break;
            }
        }
        for (index, located, reads) in held {
            // SAFETY: the launch holds the memory's lock.
            let vain = self.count == self.total && unsafe { reads.unchanged() };
            match &mut team.checks {
                Some(checks) if vain => drop(checks.fault_of(index, located)),
                _ if checked.fault.is_some() => {}
                _ => checked.fault = Some(self.waits_for_later(index, located)),
            }
        }
        checked.outcome.blocks_total = self.total * team.blocks.len() as u64;
        for block in &mut team.blocks {
            checked.outcome.warp_instructions += block.instructions;
            checked.outcome.lane_instructions += block.lane_instructions;
        }
        let found = team.checks.take().map_or(Vec::new(), |checks| checks.finish());
        sanitizer::add(&mut checked.reports, found);
        checked
    }

    /// The fault of a block that waits for what a later one writes.
    fn waits_for_later(&self, block: [u32; 3], located: Located) -> Fault {
        let located = Located {
            raw: RawFault {
                kind: FaultKind::Unsupported,
                note: "the block waits for one that runs later: the emulator runs blocks one after another, and a GPU may, too, when it has no room for all"
                    .to_owned(),
                ..located.raw
            },
            ..located
        };
        report(&self.scene(block), located)
    }

    /// What a report of a block's fault needs to know.
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

    /// Runs blocks until there are no more.
    fn work<O: Observer>(&self, mut observer: O) -> Share<O> {
        let counting = O::ON && observer.counters().is_some();
        let events: Option<*mut dyn Events> = if O::ON && !counting {
            let events: &mut dyn Events = &mut observer;
            // SAFETY: only the lifetime is forgotten: the pointer lives in the worker, which is gone
            // before `observer` is used again.
            Some(unsafe {
                std::mem::transmute::<&mut dyn Events, *mut (dyn Events + 'static)>(events)
            })
        } else {
            None
        };
        let mut team = Team::new(self.assembled, &self.shape, self.memory, self.parameters, events);
        let mut printed = Vec::new();
        let (mut blocks, mut fault) = (0, None);
        loop {
            let i = self.next.fetch_add(1, Ordering::Relaxed);
            if i >= self.count || i > self.last.load(Ordering::Relaxed) {
                break;
            }
            let result = team.run(self.cluster(i));
            blocks += team.blocks.len() as u64;
            for block in &mut team.blocks {
                if !block.context.printed.is_empty() {
                    printed.push((i, std::mem::take(&mut block.context.printed)));
                }
            }
            if let Err((block, located)) = result {
                self.last.fetch_min(i, Ordering::Relaxed);
                fault = Some((i, block, located));
                break;
            }
        }
        let (mut instructions, mut lane_instructions) = (0, 0);
        let mut counts = Vec::new();
        for block in &mut team.blocks {
            instructions += block.instructions;
            lane_instructions += block.lane_instructions;
            crate::mem::counters::add_each(
                &mut counts,
                &block.context.settle(&self.assembled.code.runs),
            );
        }
        drop(team);
        if let Some(to) = observer.counters() {
            crate::mem::counters::add_each(to, &counts);
        }
        Share { observer, printed, blocks, instructions, lane_instructions, fault }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
