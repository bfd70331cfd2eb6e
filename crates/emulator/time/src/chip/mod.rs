//! The chip around the simulated multiprocessor: occupancy, shares of bandwidth, traffic to device memory, waves and tail.

pub mod footprint;
pub mod placement;
pub mod traffic;

use crate::chip::footprint::Footprints;
use crate::chip::traffic::{MemoryTraffic, traffic};
use crate::lower::Lowered;
use crate::machine::GpuModel;
use crate::sm::memory::Environment;
use crate::sm::{SmResult, SmWork, simulate};
use crate::trace::KernelTrace;

pub use placement::{Caches, Placement, placement};

/// Operations that a simulation issues at most.
const OPERATIONS: u64 = 1_200_000;
/// Waves of blocks that are simulated at most.
const WAVES: usize = 3;

/// The cycles of a kernel, and where they went.
pub struct ChipResult {
    /// Cycles from the first instruction to the last.
    pub cycles: f64,
    /// The same without the part that was extrapolated.
    pub simulated: f64,
    /// Placement.
    pub placement: Placement,
    /// Traffic of device memory.
    pub traffic: MemoryTraffic,
    /// The last simulation.
    pub sm: SmResult,
}

/// Predicts the cycles of a launch.
pub fn run(trace: &KernelTrace, lowered: &Lowered, model: &GpuModel, caches: Caches) -> ChipResult {
    let placement = placement(trace, model);
    let footprints = Footprints::new(trace);
    let queue = queue(trace, placement);
    let mut requests: Vec<f64> = footprints.sectors_per_block();
    let mut passes = 0;
    loop {
        let traffic = traffic(trace, model, placement, &footprints, &requests, caches);
        let work = SmWork {
            trace,
            lowered,
            model,
            resident: placement.resident as usize,
            queue: queue.clone(),
            environment: environment(
                lowered,
                model,
                placement,
                &traffic,
                &footprints,
                trace,
                caches,
            ),
            // The first pass finds the hit rates of the L1 only.
            operations: if passes == 0 { OPERATIONS / 4 } else { OPERATIONS },
        };
        let sm = simulate(&work);
        passes += 1;
        if passes == 1 {
            let blocks = sm.steps as f64 / mean_steps(trace, &queue).max(1.0);
            // A run that the pass did not reach keeps its sectors before any cache.
            for (request, &n) in requests.iter_mut().zip(&sm.l2_sectors) {
                if n > 0 {
                    *request = n as f64 / blocks.max(1e-9);
                }
            }
            continue;
        }
        let cycles = extrapolate(trace, placement, &queue, &sm);
        return ChipResult { cycles, simulated: sm.cycles, placement, traffic, sm };
    }
}

/// Mean of the recorded steps of the blocks of a queue.
fn mean_steps(trace: &KernelTrace, queue: &[usize]) -> f64 {
    let steps = queue.iter().map(|&at| trace.blocks[at].recorded() as f64);
    steps.sum::<f64>() / queue.len().max(1) as f64
}

/// The traced blocks that one multiprocessor runs, in order.
fn queue(trace: &KernelTrace, placement: Placement) -> Vec<usize> {
    let total = trace.total_blocks();
    let edge = |block: u64| block == 0 || block == total - 1;
    let keep = |at: &usize| total <= 64 || !edge(trace.blocks[*at].block);
    let mut pool: Vec<usize> = (0..trace.blocks.len()).filter(keep).collect();
    if pool.is_empty() {
        pool = (0..trace.blocks.len()).collect();
    }
    let most = placement.resident as usize * WAVES;
    let count = (placement.blocks as usize).min(most);
    (0..count).map(|at| pool[at % pool.len()]).collect()
}

fn environment(
    lowered: &Lowered,
    model: &GpuModel,
    placement: Placement,
    traffic: &MemoryTraffic,
    footprints: &Footprints,
    trace: &KernelTrace,
    caches: Caches,
) -> Environment {
    let timings = &model.timings;
    let active = placement.active as f64;
    let all = f64::from(model.gpu.multiprocessors);
    let port = timings.l2_port_bytes;
    let dram = model.dram_bytes_per_clock() / active;
    let resident = placement.resident.min(placement.blocks as u32);
    Environment {
        l1_bytes: model.l1_bytes(resident, trace.shared_bytes),
        l2_bytes_per_clock: (timings.l2_bytes_per_sm * all / active).min(port),
        read_bytes_per_clock: (dram * timings.dram_read_efficiency).min(port),
        write_bytes_per_clock: (dram * timings.dram_write_efficiency).min(port),
        read_bytes: traffic.read_bytes.clone(),
        written_bytes: traffic.written_bytes.clone(),
        private: footprints.private.clone(),
        cached: lowered.cached.clone(),
        cold_code: !caches.warm_code,
    }
}

/// The cycles of the multiprocessor with the most blocks, extrapolated from its simulated blocks.
fn extrapolate(trace: &KernelTrace, placement: Placement, queue: &[usize], sm: &SmResult) -> f64 {
    let executed = |at: &usize| trace.blocks[*at].executed() as f64;
    let per_block = queue.iter().map(executed).sum::<f64>() / queue.len().max(1) as f64;
    let all = per_block * placement.blocks as f64;
    let replayed = sm.steps as f64;
    let left = (all - replayed).max(0.0);
    if left <= 0.5 {
        return sm.cycles;
    }
    let truncated = queue.iter().any(|at| {
        trace.blocks[*at].warps.iter().any(|warp| warp.instructions > warp.steps.len() as u64)
    });
    let resident = placement.resident as usize;
    if !sm.stopped && !truncated && sm.ends.len() > resident {
        // Whole waves: the later ones show the steady state.
        let first = sm.ends[resident - 1];
        let later = (sm.ends.len() - resident) as f64;
        let per_block = (sm.cycles - first).max(1.0) / later;
        return sm.cycles + (placement.blocks as f64 - sm.ends.len() as f64) * per_block;
    }
    let (steps, time) = sm.middle;
    let rate = match sm.cycles > time && sm.steps > steps {
        true => (replayed - steps as f64) / (sm.cycles - time),
        false => replayed / sm.cycles.max(1.0),
    };
    sm.cycles + left / rate.max(1e-6)
}
