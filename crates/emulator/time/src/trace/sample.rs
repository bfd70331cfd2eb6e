//! Chooses the blocks to trace, and runs them.
//!
//! The chosen blocks are those that one multiprocessor would hold together, their neighbors along each axis (which share
//! data), and the first and the last block (which have edges). Each runs in its own launch, up to a limit.

use crate::machine::GpuModel;
use crate::sass::Assembling;
use crate::trace::census::{BlockWork, Census, WarpCensus};
use crate::trace::chain::WaitChain;
use crate::trace::recorder::{BlockRecorder, Bounds, Recorder};
use crate::trace::recurrence;
use crate::trace::work::{GridWork, HeavyBlocks};
use crate::trace::{BlockTrace, GlobalRange, KernelTrace, Recurrence, Residence, Runs};
use lanework_engine::device::Device;
use lanework_engine::fault::{Fault, FaultKind};
use lanework_engine::launch::{Blocks, LaunchConfig};
use lanework_engine::memory::allocation::{Allocation, MANAGED, PAGE_LOCKED};
use lanework_engine::program::Program;
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::kernel::Kernel;
use std::sync::Arc;

/// Limits on tracing. They are numbers of instructions, not times, so that a prediction is repeatable.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Total number of recorded steps.
    pub steps: usize,
    /// Total work, as of [`Bounds`].
    pub work: u64,
    /// Multiprocessors of the modeled GPU; blocks on one multiprocessor are this many apart.
    pub multiprocessors: u64,
    /// Compute capability for which ptxas assembles, where it is installed: 90 for sm_90.
    pub capability: u32,
}

impl Effort {
    /// The effort for a prediction on a GPU.
    pub fn for_model(model: &GpuModel) -> Effort {
        let multiprocessors = model.gpu.multiprocessors.into();
        Effort { multiprocessors, capability: model.capability(), ..Effort::default() }
    }
}

impl Default for Effort {
    fn default() -> Self {
        Effort { steps: 1_200_000, work: 3_000_000, multiprocessors: 132, capability: 90 }
    }
}

/// Maximum work in counting the instructions of a block that is too long for a trace.
const LONGEST: u64 = 40_000_000;

/// Registers that ptxas allocates, relative to the maximum of live registers in our analysis. Of 236 kernels of the ladders and
/// of stored programs on sm_90, the estimates then differ from ptxas by 11 % in the median and 33 % at the 90th percentile; from
/// 0.85 to 0.9, the mean difference stays at its minimum of 14.6 %.
const ESTIMATED_REGISTERS: f64 = 0.87;

/// Maximum index of the first traced block if blocks wait for earlier blocks, because these then run as well.
const EARLY: u64 = 40;

/// Number of blocks, spread over the grid, whose instructions are counted if the traced blocks differ.
const SAMPLED: usize = 192;

/// Maximum number of instructions of a grid in which every block is counted.
const COUNTED: f64 = 2e7;

/// Maximum work in counting the instructions of all blocks, or of sampled ones.
const COUNTING: u64 = 30_000_000;
const SAMPLING: u64 = 6_000_000;

/// Counting stops if, after this many blocks, the standard error of the mean is this fraction of it: far less than the model's
/// error.
const FEWEST: usize = 24;
const PRECISE: f64 = 0.02;

/// A block that does not end may wait for others if one in this many instructions reads what others write.
const OBSERVING: u64 = 50;

/// If fewer blocks could be traced, others are counted, whether the traced ones differ or not.
const ENOUGH: usize = 3;

/// Maximum work if blocks are traced together with the blocks that they wait for.
const TOGETHER_WORK: u64 = 30_000_000;

/// Maximum number of blocks per multiprocessor of a grid that is presumed to run all at once.
const PERSISTENT: u64 = 4;

/// Limits on the trace of the block that takes longest: recorded steps and work.
const LONGEST_STEPS: usize = 500_000;
const LONGEST_WORK: u64 = 2_000_000;

/// A block is also traced if it executes this many times as many instructions as any traced block.
const FAR_LONGER: f64 = 1.5;

/// Maximum number of traced blocks that share a multiprocessor.
const TOGETHER: u64 = 4;

/// The blocks to trace, the most useful first: `first` and others around it.
fn choose(grid: [u32; 3], multiprocessors: u64, first: u64) -> Vec<u64> {
    let [x, y, z] = grid.map(u64::from);
    let total = x * y * z;
    let mut wanted = vec![first, first + 1];
    if y > 1 {
        wanted.push(first + x);
    }
    if z > 1 {
        wanted.push(first + x * y);
    }
    wanted.extend((1..TOGETHER).map(|i| first + i * multiprocessors));
    wanted.extend([0, total - 1, total / 4, total * 3 / 4]);
    let mut chosen: Vec<u64> = Vec::new();
    for block in wanted {
        if block < total && !chosen.contains(&block) {
            chosen.push(block);
        }
    }
    chosen
}

/// The block in the middle of each axis: it has all its neighbors, and is not at an edge.
fn middle(grid: [u32; 3]) -> u64 {
    let [x, y, z] = grid.map(|extent| (u64::from(extent) - 1) / 2);
    x + u64::from(grid[0]) * (y + u64::from(grid[1]) * z)
}

/// The blocks to trace if blocks wait for others: the chosen ones and block 0, which waits for no earlier block.
fn polling(chosen: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut wanted: Vec<u64> = chosen.filter(|&block| block > 0).collect();
    wanted.push(0);
    wanted
}

/// How the run of some blocks ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Complete,
    /// At a limit.
    Stopped,
    /// At a limit, while a warp waited for another block.
    Waiting,
}

/// The limit that stopped a run, or the block that it waited for; `None` for a complete run.
///
/// # Errors
/// Any other fault: the kernel itself is wrong, and has no time.
fn stopped(fault: Option<Fault>) -> Result<Option<FaultKind>, Fault> {
    use FaultKind::{Deadlock, InstructionLimit, TimeLimit, Unsupported};
    match fault {
        Some(fault)
            if matches!(fault.kind, InstructionLimit | TimeLimit | Unsupported | Deadlock) =>
        {
            Ok(Some(fault.kind))
        }
        Some(fault) => Err(fault),
        None => Ok(None),
    }
}

/// Traces some blocks of a launch.
struct Tracing<'a> {
    device: &'a Device,
    program: &'a Program,
    launch: &'a LaunchConfig<'a>,
    arguments: &'a [&'a [u8]],
    runs: Arc<Runs>,
    /// Blocks in the grid.
    total: u64,
    warps: usize,
    /// The longest chain of blocks that wait for each other.
    chain: WaitChain,
    /// The remaining effort.
    effort: Effort,
    blocks: Vec<BlockTrace>,
}

impl Tracing<'_> {
    /// Runs blocks and records the wanted ones.
    fn run(&mut self, which: Blocks, wanted: Vec<u64>, bounds: Bounds) -> Result<End, Fault> {
        let mut recorder = Recorder::new(self.runs.clone(), bounds, wanted);
        if which == Blocks::All {
            recorder = recorder.with_chains(self.total);
        }
        let config = LaunchConfig { blocks: which, ..*self.launch };
        let ran = self.device.run_with(self.program, &config, self.arguments, &mut recorder)?;
        // The recorder also stops a run whose blocks have all ended. A faulting block has ended, too, but its fault counts.
        let stopped = stopped(ran.fault)?.filter(|_| !recorder.saw_all());
        let complete = stopped.is_none();
        let waits = recorder.blocks.iter().any(BlockRecorder::waits);
        let end = match stopped {
            None => End::Complete,
            Some(kind) if waits || kind == FaultKind::Deadlock => End::Waiting,
            Some(_) => End::Stopped,
        };
        if let Some((total, clocks)) = &recorder.clocks {
            self.chain = clocks.longest(*total);
        }
        self.effort.work = self.effort.work.saturating_sub(recorder.work());
        for recorded in recorder.blocks {
            let block = BlockTrace { complete, ..recorded.finish() };
            self.effort.steps = self.effort.steps.saturating_sub(block.recorded() as usize);
            self.blocks.push(block);
        }
        Ok(end)
    }

    fn is_over(&self) -> bool {
        self.effort.work == 0
    }

    /// Traces blocks one by one. Returns false if the first one waits for another block.
    fn alone(&mut self, chosen: &[u64], may_wait: bool) -> Result<bool, Fault> {
        for (at, &first) in chosen.iter().enumerate() {
            let steps = self.effort.steps;
            if at > 0 && (self.is_over() || steps < 64 * self.warps) {
                break;
            }
            let share = if at == 0 { 2 } else { 3 };
            let bounds = Bounds {
                steps: (steps / share / self.warps).max(32),
                sectors: 8 * steps / share,
                work: self.effort.work / share as u64,
            };
            let which = Blocks::Range { first, count: 1 };
            match self.run(which, vec![first], bounds)? {
                End::Complete => {}
                End::Waiting if may_wait && at == 0 => return Ok(false),
                End::Stopped if at == 0 && self.mostly_observes() => return Ok(false),
                _ => {
                    self.count_rest(which, may_wait)?;
                    break;
                }
            }
        }
        Ok(true)
    }

    /// Whether the first traced block often reads memory that others write, as one that waits for several others does.
    fn mostly_observes(&self) -> bool {
        let Some(block) = self.blocks.first() else { return false };
        let steps = block.warps.iter().flat_map(|warp| &warp.steps);
        let observing = steps.filter(|step| self.runs.observes[step.run as usize]).count() as u64;
        observing * OBSERVING > block.recorded()
    }

    /// Runs the last traced block once more, further, to count the instructions of its warps. If the block does not end and
    /// may wait for another one, most of them may be polls, so they do not count.
    fn count_rest(&mut self, which: Blocks, may_wait: bool) -> Result<(), Fault> {
        let Some(block) = self.blocks.last_mut() else { return Ok(()) };
        let config = LaunchConfig { blocks: which, ..*self.launch };
        let mut census = WarpCensus::new(self.runs.clone(), block.block, LONGEST);
        let ran = self.device.run_with(self.program, &config, self.arguments, &mut census)?;
        block.complete = stopped(ran.fault)?.is_none();
        if block.complete || !may_wait {
            for (warp, &counted) in block.warps.iter_mut().zip(&census.warps) {
                warp.instructions = warp.instructions.max(counted);
            }
        }
        Ok(())
    }

    /// Traces some blocks while all blocks of the grid run, because they wait for each other.
    fn together(&mut self, chosen: &[u64], first: u64) -> Result<End, Fault> {
        let steps = self.effort.steps;
        let bounds = Bounds {
            steps: (steps / 3 / self.warps).max(32),
            sectors: 8 * steps / 3,
            work: TOGETHER_WORK,
        };
        let wanted = polling(chosen.iter().take(3).copied());
        let end = self.run(Blocks::All, wanted, bounds)?;
        // The chosen block first, as for other kernels.
        self.blocks.sort_by_key(|block| (block.block != first, block.block));
        Ok(end)
    }

    /// Counts the instructions of all blocks if they are few. Otherwise, if the traced blocks differ, counts the instructions of
    /// sampled blocks.
    fn sample(&self, total: u64) -> Result<GridWork, Fault> {
        let work: Vec<u64> = self.blocks.iter().map(BlockTrace::executed).collect();
        let (least, most) = (work.iter().min(), work.iter().max());
        let unequal =
            most.zip(least).is_some_and(|(most, least)| *most as f64 > 1.03 * *least as f64);
        let differ = unequal || work.len() < ENOUGH;
        let complete = self.blocks.iter().all(|block| block.complete);
        if !complete || total <= self.blocks.len() as u64 {
            return Ok(GridWork::default());
        }
        let count = |blocks: Blocks, limit: u64| {
            let mut census = Census::new(self.runs.clone(), limit);
            let config = LaunchConfig { blocks, ..*self.launch };
            self.device.run_with(self.program, &config, self.arguments, &mut census)?;
            Ok::<_, Fault>(census)
        };
        // Ignore blocks whose counting was stopped, except one that is far longer than the traced ones.
        let known = most.copied().unwrap_or(0);
        let counts =
            |of: &&BlockWork| of.ended || of.instructions as f64 > FAR_LONGER * known as f64;
        let mean = work.iter().sum::<u64>() as f64 / work.len().max(1) as f64;
        if mean * total as f64 <= COUNTED {
            let all = count(Blocks::All, COUNTING)?.blocks;
            let counted = all.iter().filter(|of| counts(of)).map(|of| (of.block, of.instructions));
            return Ok(GridWork::new(total, counted.collect()));
        }
        if !differ {
            return Ok(GridWork::default());
        }
        let known = self.blocks.iter().map(|block| (block.block, block.executed()));
        let mut found = GridWork::new(total, known.collect());
        let (mut last, mut left) = (0.5f64, SAMPLING);
        for number in 0..SAMPLED {
            if left == 0 || number >= FEWEST && found.spread() < PRECISE {
                break;
            }
            // Every other block is from a sequence of low discrepancy, which also finds differences between equal neighbors.
            last = (last + 0.618_033_988_749_895).fract();
            let spread = ((last * total as f64) as u64).min(total - 1);
            let first = if number % 2 == 0 { spread } else { found.next().unwrap_or(spread) };
            let census = count(Blocks::Range { first, count: 1 }, left)?;
            left = left.saturating_sub(census.work.max(1));
            for of in census.blocks.iter().filter(|of| counts(of)) {
                found.add(of.block, of.instructions);
            }
        }
        Ok(found)
    }

    /// Finds blocks with far more instructions than the usual ones, and traces one of them.
    fn heavy(&mut self, sampled: &GridWork) -> Result<Option<HeavyBlocks>, Fault> {
        let total = sampled.total;
        let is_edge = |block: u64| total > 64 && (block == 0 || block + 1 == total);
        let usual = self.blocks.iter().filter(|block| !is_edge(block.block));
        let mut usual: Vec<u64> = usual.map(BlockTrace::executed).collect();
        usual.sort_unstable();
        let usual = usual.get(usual.len() / 2).copied().unwrap_or(0).max(1);
        let most = sampled.counted.iter().max_by_key(|(_, instructions)| *instructions);
        let Some(&(block, most)) =
            most.filter(|(_, most)| *most as f64 > FAR_LONGER * usual as f64)
        else {
            return Ok(None);
        };
        let instructions = (most as f64 * usual as f64).sqrt() as u64;
        let count = sampled.blocks_from(instructions).max(1.0);
        // Heavy blocks that are most of the grid are its usual blocks.
        if count > 0.5 * total as f64 {
            return Ok(None);
        }
        if let Some(traced) = self.blocks.iter().position(|known| known.block == block) {
            return Ok(Some(HeavyBlocks { traced, instructions, count }));
        }
        let bounds = Bounds {
            steps: LONGEST_STEPS / self.warps,
            sectors: 8 * LONGEST_STEPS,
            work: LONGEST_WORK,
        };
        let which = Blocks::Range { first: block, count: 1 };
        if self.run(which, vec![block], bounds)? != End::Complete {
            self.count_rest(which, false)?;
        }
        Ok(Some(HeavyBlocks { traced: self.blocks.len() - 1, instructions, count }))
    }
}

/// Maximum number of threads of a multiprocessor, and of its blocks.
const MULTIPROCESSOR: [u64; 2] = [2048, 32];

impl Tracing<'_> {
    /// Finds blocks further along x that return to the memory of the first traced one, among those that run at the same time.
    fn recurrences(&mut self, kernel: &Kernel, allocations: &[GlobalRange]) -> Vec<Recurrence> {
        let traced = std::mem::take(&mut self.blocks);
        let (x, first) = (u64::from(self.launch.grid[0]), traced.first().map_or(0, |of| of.block));
        let [threads, blocks] = MULTIPROCESSOR;
        let resident = (threads / (32 * self.warps as u64)).clamp(1, blocks);
        let most = (resident * self.effort.multiprocessors).min(x - 1 - first % x);
        let bounds = Bounds {
            steps: LONGEST_STEPS / self.warps,
            sectors: 8 * LONGEST_STEPS,
            work: LONGEST_WORK,
        };
        let runs = self.runs.clone();
        let mut trace = |block: u64| {
            let which = Blocks::Range { first: block, count: 1 };
            // A block with an error is not one that the prediction needs.
            let enough = !self.is_over() && self.effort.steps > 0;
            let end = enough.then(|| self.run(which, vec![block], bounds))?.ok()?;
            self.blocks.pop().filter(|_| end == End::Complete)
        };
        let found = recurrence::find(&traced, (kernel, &runs), allocations, most, &mut trace);
        self.blocks = traced;
        found
    }
}

/// Traces blocks of a launch. The blocks that run have their usual effect on memory.
///
/// # Errors
/// If the launch does not fit the device or the kernel, or a traced block faults.
pub fn record(
    device: &Device,
    program: &Program,
    launch: &LaunchConfig<'_>,
    arguments: &[&[u8]],
    effort: Effort,
    code: Assembling,
) -> Result<KernelTrace, Fault> {
    let unknown = || {
        let what = format!("there is no kernel `{}`", launch.entry);
        Fault::before_launch(
            FaultKind::LimitExceeded,
            launch.entry,
            what,
            "name a kernel of the file",
        )
    };
    let kernel = program.kernel(launch.entry).ok_or_else(unknown)?.clone();
    let runs = Arc::new(Runs::new(&kernel, &Analyses::new(&kernel)));
    let cluster = launch.cluster.or(kernel.required_cluster).unwrap_or([1; 3]);
    let cluster: u64 = cluster.iter().map(|&blocks| u64::from(blocks)).product();
    let threads: u32 = launch.block.iter().product();
    let total: u64 = launch.grid.iter().map(|&blocks| u64::from(blocks)).product();
    let mut tracing = Tracing {
        device,
        program,
        launch,
        arguments,
        runs: runs.clone(),
        total,
        chain: WaitChain::default(),
        warps: threads.div_ceil(32) as usize,
        effort,
        blocks: Vec::new(),
    };
    let first = middle(launch.grid);
    let chosen = choose(launch.grid, effort.multiprocessors, first);
    let (mut sampled, mut heavy) = (GridWork::default(), None);
    // A block that waits for others does not end if it runs alone, or it gets the work of all blocks.
    let mut polls = launch.cooperative || program.polls(launch.entry);
    if polls {
        // Blocks that wait for earlier ones run from the first one on.
        let early = if launch.cooperative { first } else { first.min(EARLY) };
        let end = tracing.together(&choose(launch.grid, effort.multiprocessors, early), early)?;
        // Blocks that all run at the same time and passed values along share the work: alone, a block would do all of it.
        let share = total <= effort.multiprocessors * PERSISTENT && tracing.chain.links > 0.0;
        if end == End::Stopped && !launch.cooperative && !share {
            // The grid is too long to run from its start on, and perhaps no block waits for long.
            let together = std::mem::take(&mut tracing.blocks);
            tracing.effort = effort;
            polls = !tracing.alone(&chosen, true)?;
            if polls {
                tracing.blocks = together;
            }
        }
    } else {
        polls = !tracing.alone(&chosen, false)?;
        if polls {
            tracing.blocks.clear();
            tracing.effort = effort;
            let early = first.min(EARLY);
            tracing.together(&choose(launch.grid, effort.multiprocessors, early), early)?;
        }
    }
    if !polls {
        tracing.chain = WaitChain::default();
        sampled = tracing.sample(total)?;
        heavy = tracing.heavy(&sampled)?;
    }
    if tracing.blocks.is_empty() {
        let what = "no block could be traced".to_owned();
        let help = "predict a smaller grid";
        return Err(Fault::before_launch(FaultKind::Unsupported, launch.entry, what, help));
    }
    let code = code.finish();
    let exact = kernel.entry_registers.or_else(|| code.registers.map(|count| count.max(16)));
    let shared = kernel.declared_shared.next_multiple_of(16) + launch.dynamic_shared;
    let memory = device.memory();
    let range = |(start, found): (u64, &Allocation)| {
        let residence = match found.name.as_str() {
            PAGE_LOCKED => Residence::Host,
            MANAGED => Residence::Managed,
            _ if found.is_registered() => Residence::Host,
            _ => Residence::Device,
        };
        GlobalRange { start, bytes: found.bytes, residence }
    };
    let allocations: Vec<GlobalRange> = memory.live().map(range).collect();
    let recurrences = match polls {
        true => Vec::new(),
        false => tracing.recurrences(&kernel, &allocations),
    };
    let (blocks, chain) = (tracing.blocks, tracing.chain);
    Ok(KernelTrace {
        runs,
        kernel,
        grid: launch.grid,
        threads,
        cluster,
        shared_bytes: shared,
        registers: registers(program, launch.entry, (exact, code.register_limit), threads),
        exact_registers: exact.is_some(),
        listing: code.listing,
        allocations,
        blocks,
        recurrences,
        sampled,
        heavy,
        polls,
        chain,
    })
}

/// Registers per thread: the exact number if it is known, else an estimate within the limit of the kernel's directives.
pub fn registers(
    program: &Program,
    entry: &str,
    (exact, limit): (Option<u32>, Option<u32>),
    threads: u32,
) -> u32 {
    let estimate = program.register_pressure(entry).map_or(32, |found| found.registers);
    let most = (65_536 / threads.next_multiple_of(32).max(1)).min(limit.unwrap_or(255)).min(255);
    let estimated = ((f64::from(estimate) * ESTIMATED_REGISTERS) as u32).clamp(16, most.max(16));
    exact.unwrap_or(estimated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_grids_are_traced_completely_and_large_ones_are_sampled() {
        assert_eq!(choose([3, 1, 1], 132, middle([3, 1, 1])), [1, 2, 0]);
        let large = choose([64, 64, 1], 132, middle([64, 64, 1]));
        assert_eq!(large[..4], [31 + 64 * 31, 32 + 64 * 31, 31 + 64 * 32, 31 + 64 * 31 + 132]);
        assert!(large.contains(&0) && large.contains(&4095));
    }
}
