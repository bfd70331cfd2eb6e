//! Chooses the blocks to trace, and runs them.
//!
//! The chosen blocks are those that one multiprocessor would hold together, their neighbors along each axis (which share
//! data), and the first and the last block (which have edges). Each runs in its own launch, up to a limit.

use crate::trace::recorder::{Bounds, Recorder, TimedRun};
use crate::trace::{BlockTrace, KernelTrace, Runs};
use lanework_engine::device::Device;
use lanework_engine::fault::{Fault, FaultKind};
use lanework_engine::launch::{Blocks, LaunchConfig};
use lanework_engine::program::Program;
use lanework_ptx_ir::analysis::Analyses;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Limits on tracing.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Total number of recorded steps.
    pub steps: usize,
    /// Total number of executed instructions.
    pub instructions: u64,
    /// Multiprocessors of the modeled GPU; blocks on one multiprocessor are this many apart.
    pub multiprocessors: u64,
    /// Wall-clock time after which no further block starts.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Self {
        Effort {
            steps: 2_000_000,
            instructions: 12_000_000,
            multiprocessors: 132,
            time: Duration::from_millis(700),
        }
    }
}

/// Time limit for counting the instructions of a block that is too long for a trace.
const LONGEST: Duration = Duration::from_millis(800);

/// Registers that ptxas allocates, relative to the maximum of live registers in our analysis: the median of the ladders'
/// rungs on sm_90.
const ESTIMATED_REGISTERS: f64 = 0.87;

/// Maximum number of traced blocks that share a multiprocessor.
const TOGETHER: u64 = 4;

/// The blocks to trace, the most useful first.
fn choose(grid: [u32; 3], multiprocessors: u64) -> Vec<u64> {
    let [x, y, z] = grid.map(u64::from);
    let total = x * y * z;
    // The middle of each axis: its neighbors exist, and it is not an edge.
    let middle = (x - 1) / 2 + x * ((y - 1) / 2 + y * ((z - 1) / 2));
    let mut wanted = vec![middle, middle + 1];
    if y > 1 {
        wanted.push(middle + x);
    }
    if z > 1 {
        wanted.push(middle + x * y);
    }
    wanted.extend((1..TOGETHER).map(|i| middle + i * multiprocessors));
    wanted.extend([0, total - 1, total / 4, total * 3 / 4]);
    let mut chosen: Vec<u64> = Vec::new();
    for block in wanted {
        if block < total && !chosen.contains(&block) {
            chosen.push(block);
        }
    }
    chosen
}

/// The blocks to trace if blocks wait for others; includes the first one, which never waits for long.
fn polling(chosen: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut wanted: Vec<u64> = chosen.filter(|&block| block > 0).collect();
    wanted.push(0);
    wanted
}

/// Traces blocks of a launch. The traced blocks really run and modify memory.
///
/// # Errors
/// If the launch does not fit the device or the kernel, or a traced block faults.
pub fn record(
    device: &Device,
    program: &Program,
    launch: &LaunchConfig<'_>,
    arguments: &[&[u8]],
    effort: Effort,
) -> Result<KernelTrace, Fault> {
    let started = Instant::now();
    let unknown = || {
        let what = format!("there is no kernel `{}`", launch.entry);
        Fault::before_launch(FaultKind::LimitExceeded, launch.entry, what, "name one of the file")
    };
    let kernel = program.kernel(launch.entry).ok_or_else(unknown)?.clone();
    let runs = Arc::new(Runs::new(&kernel, &Analyses::new(&kernel)));
    let polls = launch.cooperative || program.polls(launch.entry);
    let cluster = launch.cluster.or(kernel.required_cluster).unwrap_or([1; 3]);
    let cluster: u64 = cluster.iter().map(|&blocks| u64::from(blocks)).product();
    let threads: u32 = launch.block.iter().product();
    let warps = threads.div_ceil(32) as usize;
    let mut blocks: Vec<BlockTrace> = Vec::new();
    let chosen = choose(launch.grid, effort.multiprocessors);
    let (mut steps, mut instructions) = (effort.steps, effort.instructions);
    // Blocks that may wait for others run in one launch with them; independent blocks run in separate launches.
    let launches: Vec<(Blocks, Vec<u64>)> = match polls {
        true => vec![(Blocks::All, polling(chosen.into_iter().take(3)))],
        false => {
            let own = chosen.into_iter();
            own.map(|first| (Blocks::Range { first, count: 1 }, vec![first])).collect()
        }
    };
    for (at, (which, wanted)) in launches.into_iter().enumerate() {
        if at > 0 && (started.elapsed() > effort.time || steps < 64 * warps) {
            break;
        }
        let share = if at == 0 && !polls { 2 } else { 3 };
        let bounds = Bounds {
            steps: (steps / share / warps).max(32),
            sectors: 8 * steps / share,
            instructions: if polls { 3 * instructions } else { instructions / share as u64 },
        };
        let mut recorder = Recorder::new(runs.clone(), bounds, wanted);
        let config = LaunchConfig { blocks: which, ..*launch };
        let ran = device.run_with(program, &config, arguments, &mut recorder)?;
        let mut complete = true;
        if let Some(fault) = ran.fault {
            let bounded = matches!(
                fault.kind,
                FaultKind::InstructionLimit | FaultKind::TimeLimit | FaultKind::Unsupported
            );
            if !bounded {
                return Err(fault);
            }
            complete = false;
        }
        for recorded in recorder.blocks {
            let mut block = recorded.trace;
            steps = steps.saturating_sub(block.recorded() as usize);
            instructions = instructions.saturating_sub(block.executed());
            block.complete = complete;
            if !complete && !polls {
                let mut timed = TimedRun::new(LONGEST);
                let ran = device.run_with(program, &config, arguments, &mut timed)?;
                let executed = block.executed();
                let factor = ran.outcome.warp_instructions as f64 / executed.max(1) as f64;
                if ran.fault.is_none() && factor > 1.0 {
                    for warp in &mut block.warps {
                        warp.instructions = (warp.instructions as f64 * factor) as u64;
                    }
                    block.complete = true;
                }
            }
            blocks.push(block);
        }
        if !complete {
            break;
        }
    }
    if polls {
        // The middle block first, as for other kernels.
        let middle = choose(launch.grid, effort.multiprocessors).first().copied().unwrap_or(0);
        blocks.sort_by_key(|block| (block.block != middle, block.block));
    }
    if blocks.is_empty() {
        let what = "no block could be traced".to_owned();
        let help = "predict a smaller grid";
        return Err(Fault::before_launch(FaultKind::Unsupported, launch.entry, what, help));
    }
    let estimate = program.register_pressure(launch.entry).map_or(32, |found| found.registers);
    let most = (65_536 / threads.next_multiple_of(32).max(1)).min(255);
    let registers = kernel.entry_registers.unwrap_or_else(|| {
        ((f64::from(estimate) * ESTIMATED_REGISTERS) as u32).clamp(16, most.max(16))
    });
    let shared = kernel.declared_shared.next_multiple_of(16) + launch.dynamic_shared;
    let memory = device.memory();
    let allocations = memory.live().map(|(at, found)| (at, found.bytes)).collect();
    Ok(KernelTrace {
        runs: Runs::new(&kernel, &Analyses::new(&kernel)),
        kernel,
        grid: launch.grid,
        threads,
        cluster,
        shared_bytes: shared,
        registers,
        allocations,
        blocks,
        polls,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_grids_are_traced_whole_and_large_ones_in_places() {
        assert_eq!(choose([3, 1, 1], 132), [1, 2, 0]);
        let large = choose([64, 64, 1], 132);
        assert_eq!(large[..4], [31 + 64 * 31, 32 + 64 * 31, 31 + 64 * 32, 31 + 64 * 31 + 132]);
        assert!(large.contains(&0) && large.contains(&4095));
    }
}
