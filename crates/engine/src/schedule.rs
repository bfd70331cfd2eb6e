//! Blocks over workers: handed out by a counter, so that every worker stays busy to the end.

use crate::block::executor::ClusterExecutor;
use crate::block::worker::Shape;
use crate::counter::Totals;
use crate::fault::{Fault, Located};
use crate::fuel::Fuel;
use crate::hook::Wants;
use crate::instrument::{Attached, ClusterFault, Instrument};
use crate::launch::{Blocks, LaunchConfig, Outcome};
use crate::limits::{Options, Schedule};
use crate::memory::Memory;
use crate::program::Assembled;
use crate::report::{Scene, report};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

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

/// What came of a launch.
pub struct Ran {
    /// What it did.
    pub outcome: Outcome,
    /// The fault of the lowest cluster that faulted.
    pub fault: Option<Fault>,
}

/// What one worker brings home.
struct Share<I> {
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
            fuel: Fuel::of(options),
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
    pub fn run<'p, I: Instrument>(
        &self,
        instrument: &mut I,
        workers: usize,
        pool: impl FnOnce() -> Option<&'p rayon::ThreadPool>,
    ) -> Ran {
        let alone = self.assembled.kernel.ordered_blocks
            || self.shape.seed.is_some()
            || instrument.wants().any(Wants::ONE_WORKER);
        let helpers = if alone { 0 } else { (workers as u64 - 1).min(self.count - 1) };
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

    fn finish<I: Instrument>(&self, instrument: &mut I, shares: Vec<Share<I>>) -> Ran {
        let per_cluster: u64 = self.shape.cluster.iter().map(|blocks| u64::from(*blocks)).product();
        let mut outcome = Outcome { blocks_total: self.total * per_cluster, ..Outcome::default() };
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
        Ran { outcome, fault }
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

    /// Runs clusters until there are no more.
    fn work<I: Instrument>(&self, mut instrument: I) -> Share<I> {
        let attached = Attached::new(&mut instrument);
        let hook = attached.hook();
        let mut executor =
            ClusterExecutor::new(self.assembled, &self.shape, self.memory, self.parameters, hook);
        let mut printed = Vec::new();
        let (mut blocks, mut fault) = (0, None);
        loop {
            let i = self.next.fetch_add(1, Ordering::Relaxed);
            if i >= self.count || i > self.last.load(Ordering::Relaxed) {
                break;
            }
            let result = executor.run(self.cluster(i));
            blocks += executor.blocks.len() as u64;
            for block in &mut executor.blocks {
                if !block.context.printed.is_empty() {
                    printed.push((i, std::mem::take(&mut block.context.printed)));
                }
            }
            let Err((block, located)) = result else { continue };
            // SAFETY: this worker alone uses its instrument.
            let instrument = unsafe { hook.any() };
            let stopped = ClusterFault { block, located, last: i + 1 == self.total };
            if let Some(located) = instrument.fault(stopped) {
                self.last.fetch_min(i, Ordering::Relaxed);
                fault = Some((i, block, located));
                break;
            }
        }
        let (mut instructions, mut lane_instructions) = (0, 0);
        for block in &mut executor.blocks {
            instructions += block.instructions;
            lane_instructions += block.lane_instructions;
            if hook.wants(Wants::COUNTS) {
                let code = &self.assembled.code;
                for chain in &code.chains {
                    // SAFETY: the sequence is of the code that the worker runs.
                    unsafe { chain.count_deferred(&raw mut *block.context) };
                }
                let (sites, runs) = (block.context.take_totals(), &code.runs);
                let totals = Totals { sites: &sites, runs, visits: &block.context.visits };
                // SAFETY: as above.
                unsafe { hook.any() }.flush(&totals);
            }
        }
        // SAFETY: as above.
        let late = unsafe { hook.any() }.finish(self.count == self.total, fault.is_some());
        if let Some((block, located)) = late {
            fault = Some((self.count, block, located));
        }
        drop(executor);
        Share { instrument, printed, blocks, instructions, lane_instructions, fault }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
