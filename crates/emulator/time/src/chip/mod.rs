//! The chip around the simulated multiprocessor: the placement of blocks, shares of bandwidth, waves and tail, and the
//! traffic to device memory.
//!
//! The traffic consists of the requests that miss the L2. If the footprint of the whole grid fits the L2, each unit is
//! fetched once. Otherwise, blocks that run at the same time share the units that they fetch, and the L2 keeps as much
//! data from one wave to the next as it can hold.

pub mod footprint;
pub mod swaps;

use crate::chip::footprint::{Footprints, UNIT};
use crate::lower::Lowered;
use crate::machine::{GpuModel, Timings};
use crate::sm::memory::Environment;
use crate::sm::pipes::Resource;
use crate::sm::{SmResult, SmWork, simulate};
use crate::trace::{KernelTrace, Residence};
use lanework_engine::launch::Multiprocessor;

/// Maximum number of operations that a simulation issues.
const OPERATIONS: u64 = 800_000;
/// How often blocks copy the bytes of the allocations if they share them.
const SHARED: f64 = 2.0;
/// Maximum number of simulated waves of blocks.
const WAVES: usize = 3;

/// Predicted cycles of a kernel, and their causes.
pub struct ChipResult {
    /// Cycles from the first instruction to the last.
    pub cycles: f64,
    /// The simulated part of `cycles`; the rest is extrapolated.
    pub simulated: f64,
    /// The part of the chip that determines `cycles`.
    pub bound: Bound,
    /// Whether blocks swap a word that others swap, too.
    pub contends: bool,
    /// Whether a block reads what others write in the same launch.
    pub races: bool,
    /// Fraction of the kernel's largest working set that the traced parts of its blocks touch.
    pub coverage: f64,
    /// Whether they return to a part of this working set, or may do so.
    pub walks_again: bool,
    /// Placement of the blocks.
    pub placement: Placement,
    /// Traffic to device memory.
    pub traffic: MemoryTraffic,
    /// Result of the last simulation.
    pub sm: SmResult,
}

/// The part of the chip that determines the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A multiprocessor with its shares of the caches and of device memory, or a slice of the L2.
    Multiprocessor,
    /// The link to the memory of the host.
    Host,
    /// A word that many lanes swap.
    Swaps,
    /// A chain of blocks that wait for each other.
    Chain,
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
            // The first pass only determines the hit rates of the L1.
            operations: if passes == 0 { OPERATIONS / 4 } else { OPERATIONS },
        };
        let sm = simulate(&work);
        passes += 1;
        if passes == 1 {
            let blocks = sm.steps as f64 / mean_executed(trace, &queue).max(1.0);
            // A run that the pass did not reach keeps its sector count without caches.
            for (request, &n) in requests.iter_mut().zip(&sm.l2_sectors) {
                if n > 0 {
                    *request = n as f64 / blocks.max(1e-9);
                }
            }
            continue;
        }
        let heavy = trace.heavy.map_or(0.0, |heavy| {
            let at = heavy.traced;
            let alone = placement.of_blocks(heavy.count, model);
            let blocks = (alone.blocks as usize).min(alone.resident as usize * WAVES);
            let (queue, operations) = (vec![at; blocks], OPERATIONS / 4);
            let environment =
                environment(lowered, model, alone, &traffic, &footprints, trace, caches);
            let resident = alone.resident as usize;
            let work = SmWork { resident, queue, environment, operations, ..work };
            let per_block = trace.blocks[at].executed() as f64;
            extrapolate_blocks(trace, alone, &work.queue, &simulate(&work), per_block)
        });
        // Heavy blocks leave room for the others unless they fill the chip.
        let room = f64::from(placement.resident) * f64::from(model.gpu.multiprocessors);
        let heavy_fill = trace.heavy.is_some_and(|heavy| heavy.count > room);
        let blocks = trace.total_blocks() as f64;
        let resident = f64::from(placement.resident) * placement.active as f64;
        let swaps = footprints.swaps.cycles(&model.timings, blocks, resident);
        let host = traffic.host_cycles(model);
        let usual = extrapolate(trace, placement, &queue, &sm);
        let simulated = if heavy_fill { usual + heavy } else { usual.max(heavy) };
        let simulated = simulated.max(traffic.memory_cycles(model));
        let chain = chain_cycles(trace, model);
        let slice = footprints.busiest_slice(&model.timings, blocks);
        let cycles = simulated.max(slice).max(swaps).max(host).max(chain);
        let bound = match cycles {
            most if most <= simulated => Bound::Multiprocessor,
            most if most <= host => Bound::Host,
            most if most <= swaps => Bound::Swaps,
            most if most <= chain => Bound::Chain,
            _ => Bound::Multiprocessor,
        };
        return ChipResult {
            cycles,
            simulated: sm.cycles,
            bound,
            contends: footprints.swaps.contend(),
            races: footprints.races,
            coverage: footprints.coverage(blocks),
            walks_again: footprints.walks_again(blocks),
            placement,
            traffic,
            sm,
        };
    }
}

/// Cycles of the longest chain of blocks that wait for each other. A value takes half of a load's latency to the L2. There,
/// a waiting warp's next poll finds it after half a round trip on average, because one poll is in flight at a time; the
/// answer takes the other half. The instructions of a link depend on each other.
fn chain_cycles(trace: &KernelTrace, model: &GpuModel) -> f64 {
    let (chain, timings) = (trace.chain, &model.timings);
    if chain.links == 0.0 {
        return 0.0;
    }
    let barrier = timings.barrier_latency + 0.75 * timings.barrier_per_warp * trace.warps() as f64;
    let poll = timings.l2_latency + timings.predicate_latency + timings.branch_penalty;
    let link = timings.l2_latency + poll / 2.0;
    chain.links * link
        + chain.instructions * timings.alu_latency
        + chain.fences * timings.fence_latency
        + chain.barriers * barrier
        + chain.branches * (timings.predicate_latency + timings.branch_penalty)
}

/// Mean number of instructions per block of a queue.
fn mean_executed(trace: &KernelTrace, queue: &[usize]) -> f64 {
    let executed = queue.iter().map(|&at| trace.blocks[at].executed() as f64);
    executed.sum::<f64>() / queue.len().max(1) as f64
}

/// The traced blocks that one multiprocessor runs, in order.
fn queue(trace: &KernelTrace, placement: Placement) -> Vec<usize> {
    let total = trace.total_blocks();
    let edge = |block: u64| block == 0 || block == total - 1;
    let keep = |at: &usize| total <= 64 || !edge(trace.blocks[*at].block);
    let usual: Vec<usize> = (0..trace.blocks.len()).filter(|&at| !trace.is_heavy(at)).collect();
    let mut pool: Vec<usize> = usual.iter().copied().filter(keep).collect();
    if pool.is_empty() {
        pool = usual;
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
        shared_copies_per_clock: (timings.l2_shared_copies * all / active).min(port),
        read_bytes_per_clock: (dram * timings.dram_read_efficiency).min(port),
        write_bytes_per_clock: (dram * traffic.write_efficiency(timings)).min(port),
        queue: timings.dram_queue * traffic.alternation(),
        usable: (port / dram).min(1.0),
        read_bytes: traffic.read_bytes.clone(),
        written_bytes: traffic.written_bytes.clone(),
        kept_bytes: traffic.kept_bytes.clone(),
        private: footprints.private.clone(),
        shares_copies: traffic.shares_copies.clone(),
        lines: footprints
            .of_run
            .iter()
            .map(|region| region.map(|at| footprints.regions[at].lines))
            .collect(),
        cached: cached(lowered, timings),
        cold_code: !caches.warm_code,
        local_lost: traffic.local_lost,
        block_interval: timings.block_interval * active,
        resident: u64::from(placement.resident),
    }
}

/// By run: whether its loads may hit the L1.
fn cached(lowered: &Lowered, timings: &Timings) -> Vec<bool> {
    let each = lowered.cached.iter().zip(&lowered.read_only);
    each.map(|(cached, read_only)| *cached && (*read_only || timings.l1_holds_global > 0.0))
        .collect()
}

/// The cycles of the multiprocessor with the most blocks, extrapolated from its simulated blocks.
fn extrapolate(trace: &KernelTrace, placement: Placement, queue: &[usize], sm: &SmResult) -> f64 {
    let executed = |at: &usize| trace.blocks[*at].executed() as f64;
    let per_block = queue.iter().map(executed).sum::<f64>() / queue.len().max(1) as f64;
    // The traced blocks may differ from the mean of the grid.
    let scale = trace.usual_work().map_or(1.0, |usual| usual / per_block.max(1.0));
    scale * extrapolate_blocks(trace, placement, queue, sm, per_block)
}

/// Assumes that all blocks of the multiprocessor are like the simulated ones.
fn extrapolate_blocks(
    trace: &KernelTrace,
    placement: Placement,
    queue: &[usize],
    sm: &SmResult,
    per_block: f64,
) -> f64 {
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
        let later = placement.blocks as f64 - sm.ends.len() as f64;
        return sm.cycles + later * steady_block(sm, resident);
    }
    let (steps, time) = sm.middle;
    let rate = match sm.cycles > time && sm.steps > steps {
        true => (replayed - steps as f64) / (sm.cycles - time),
        false => replayed / sm.cycles.max(1.0),
    };
    sm.cycles + (left / rate.max(1e-6)).max(left * busiest(sm) / replayed.max(1.0))
}

/// Cycles per block after the first wave, if whole waves ran. While the first blocks of a wave end, others of it still run, so
/// the distance of their ends can be too small: blocks take at least as long as they occupy the busiest resource.
fn steady_block(sm: &SmResult, resident: usize) -> f64 {
    let count = sm.ends.len();
    let later = (count - resident) as f64;
    let distance = (sm.ends[count - 1] - sm.ends[resident - 1]).max(1.0) / later;
    distance.max(busiest(sm) / count as f64)
}

/// Busy cycles of the busiest resource.
fn busiest(sm: &SmResult) -> f64 {
    let busy = Resource::ALL.map(|resource| sm.busy[resource as usize] / resource.units());
    busy.into_iter().fold(0.0, f64::max)
}

/// Traffic to device memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryTraffic {
    /// Bytes that the whole kernel reads.
    pub read: f64,
    /// Bytes that it writes.
    pub written: f64,
    /// Bytes that it reads from and writes to the memory of the host.
    pub host: [f64; 2],
    /// Bytes of managed memory that it touches.
    pub managed: f64,
    /// Bytes that the kernel touches.
    pub footprint: f64,
    /// Bytes of one kernel's data that the L2 holds.
    pub capacity: f64,
    /// Fraction of the sectors of local memory that the L2 loses before they are read or written again.
    pub local_lost: f64,
    /// By run: bytes read per sector requested from the L2.
    pub read_bytes: Vec<f64>,
    /// By run: bytes written per sector requested from the L2.
    pub written_bytes: Vec<f64>,
    /// By run: bytes written per sector that the L2 keeps, if it was flushed before.
    pub kept_bytes: Vec<f64>,
    /// By run: whether several blocks copy the same lines in bulk.
    pub shares_copies: Vec<bool>,
}

impl MemoryTraffic {
    /// How much reads and writes of device memory alternate: 0 if there are only writes, 1 if at least half are reads.
    fn mixed(&self) -> f64 {
        if self.local_lost > 0.0 {
            return 1.0;
        }
        (2.0 * self.read / (self.read + self.written).max(1.0)).min(1.0)
    }

    /// How often device memory changes between reads and writes: 1 if at least a third of the bytes is of either kind, 0 if all are
    /// of one kind.
    fn alternation(&self) -> f64 {
        (3.0 * self.read.min(self.written) / (self.read + self.written).max(1.0)).min(1.0)
    }

    /// Cycles that the link to the host takes. The L2 keeps none of the host's data.
    fn host_cycles(&self, model: &GpuModel) -> f64 {
        let timings = &model.timings;
        let [read, written] = self.host;
        if read + written == 0.0 {
            return 0.0;
        }
        let way = read.max(written) / timings.host_gb_s;
        let both = (read + written) / timings.host_both_gb_s;
        (way.max(both) + timings.host_latency_ns) * model.clock_ghz()
    }

    /// Least cycles in which device memory moves the bytes.
    fn memory_cycles(&self, model: &GpuModel) -> f64 {
        let timings = &model.timings;
        let nominal = self.read / timings.dram_read_efficiency
            + self.written / self.write_efficiency(timings);
        nominal / model.dram_bytes_per_clock()
    }

    /// Fraction of the nominal bandwidth that writes reach; they reach the fraction of reads if they do not alternate with reads.
    fn write_efficiency(&self, timings: &Timings) -> f64 {
        let [alone, mixed] = [timings.dram_read_efficiency, timings.dram_write_efficiency];
        alone + (mixed - alone) * self.mixed()
    }
}

/// Computes the traffic of a launch; `requests` has, by run, the sectors that a block requests from the L2.
pub fn traffic(
    trace: &KernelTrace,
    model: &GpuModel,
    placement: Placement,
    footprints: &Footprints,
    requests: &[f64],
    caches: Caches,
) -> MemoryTraffic {
    let blocks = trace.total_blocks() as f64;
    let multiprocessors = f64::from(model.gpu.multiprocessors);
    let wave = (f64::from(placement.resident) * multiprocessors).min(blocks);
    let waves = blocks / wave;
    let capacity = model.l2_bytes() * model.timings.l2_capacity_fraction;
    let of = |units: &dyn Fn(&crate::chip::footprint::Region) -> f64, count: f64| -> Vec<f64> {
        let each = footprints.regions.iter();
        each.map(|region| UNIT * footprints.of_blocks(region, units(region), count)).collect()
    };
    let read_all = of(&|region| region.read, blocks);
    let read_wave = of(&|region| region.read, wave);
    let written_all = of(&|region| region.written, blocks);
    let written_wave = of(&|region| region.written, wave);
    let footprint: f64 = read_all.iter().zip(&written_all).map(|(r, w)| r.max(*w)).sum();
    let local = 32.0 * footprints.local_sectors * wave;
    let at_once: f64 =
        local + read_wave.iter().zip(&written_wave).map(|(r, w)| r.max(*w)).sum::<f64>();
    let lost = |bytes: f64| (1.0 - capacity / bytes.max(1.0)).max(0.0);
    let fits = footprint <= capacity;
    let reads = footprints.regions.iter().enumerate().map(|(at, region)| {
        if fits && caches.warm_data {
            return 0.0;
        }
        let again = (waves * read_wave[at] - read_all[at]).max(0.0) * lost(footprint);
        let returns = region.returns * 32.0 * blocks * lost(at_once);
        read_all[at] + again + returns
    });
    let of_host = |at: usize| footprints.regions[at].residence == Residence::Host;
    let reads: Vec<f64> =
        reads.enumerate().map(|(at, bytes)| if of_host(at) { 0.0 } else { bytes }).collect();
    // Unless the L2 was flushed, it must first write back lines of earlier kernels.
    let kept = if caches.clean { lost(footprint) } else { 1.0 };
    let written_all: Vec<f64> = written_all
        .into_iter()
        .enumerate()
        .map(|(at, bytes)| if of_host(at) { 0.0 } else { bytes })
        .collect();
    let writes: Vec<f64> = written_all.iter().map(|bytes| bytes * kept).collect();
    let mut sectors = vec![[0.0f64; 2]; footprints.regions.len()];
    let is_store = |run: usize| {
        let run = &trace.runs.all[run];
        trace.kernel.insts[run.start as usize..run.end as usize].iter().any(|inst| {
            matches!(
                inst.opcode,
                lanework_ptx_ir::kernel::Opcode::Memory(op)
                    if op.kind == lanework_ptx_ir::kernel::MemoryKind::Store
            )
        })
    };
    for (run, region) in footprints.of_run.iter().enumerate() {
        if let Some(region) = region {
            sectors[*region][usize::from(is_store(run))] += requests[run] * blocks;
        }
    }
    let mut found = MemoryTraffic {
        read: reads.iter().sum(),
        written: writes.iter().sum(),
        host: [0, 1].map(|way| {
            let of = (0..sectors.len()).filter(|&at| of_host(at));
            32.0 * of.map(|at| sectors[at][way]).sum::<f64>()
        }),
        managed: (0..sectors.len())
            .filter(|&at| footprints.regions[at].residence == Residence::Managed)
            .map(|at| reads[at].max(writes[at]))
            .sum(),
        footprint,
        capacity,
        local_lost: lost(at_once),
        read_bytes: vec![0.0; requests.len()],
        written_bytes: vec![0.0; requests.len()],
        kept_bytes: vec![0.0; requests.len()],
        shares_copies: footprints.private.iter().map(|private| !private).collect(),
    };
    for (run, region) in footprints.of_run.iter().enumerate() {
        let Some(region) = *region else { continue };
        let [loads, stores] = sectors[region];
        if is_store(run) {
            let per_sector = |bytes: f64| (bytes / stores.max(1.0)).min(UNIT);
            found.written_bytes[run] = per_sector(writes[region]);
            if caches.clean && !caches.warm_data {
                found.kept_bytes[run] = per_sector(written_all[region] - writes[region]);
            }
        } else {
            found.read_bytes[run] = (reads[region] / loads.max(1.0)).min(UNIT);
        }
    }
    tiles(trace, footprints, requests, (kept, caches), &mut found);
    found
}

/// Adds the tiles of tensor maps, for which the trace has no addresses. Each tile is stored once; of the rest of the
/// allocations, each byte is fetched once. `kept` is the fraction of written bytes that reach device memory.
fn tiles(
    trace: &KernelTrace,
    footprints: &Footprints,
    requests: &[f64],
    (kept, caches): (f64, Caches),
    found: &mut MemoryTraffic,
) {
    let known: f64 = footprints.regions.iter().map(|region| region.units * UNIT).sum();
    let of_device = trace.allocations.iter().filter(|range| range.residence != Residence::Host);
    let all: f64 = of_device.map(|range| range.bytes as f64).sum();
    let rest = (all - known).max(0.0);
    let unknown = (0..requests.len())
        .filter(|&run| requests[run] > 0.0 && footprints.of_run[run].is_none())
        .filter(|&run| {
            let run = &trace.runs.all[run];
            trace.kernel.insts[run.start as usize..run.end as usize]
                .iter()
                .any(|inst| matches!(inst.opcode, lanework_ptx_ir::kernel::Opcode::Async(_)))
        });
    let (stores, loads): (Vec<usize>, Vec<usize>) =
        unknown.partition(|&run| footprints.stores_tiles[run]);
    let bytes = |runs: &[usize]| {
        32.0 * runs.iter().map(|&run| requests[run]).sum::<f64>() * trace.total_blocks() as f64
    };
    let copied = bytes(&loads);
    for &run in &loads {
        found.shares_copies[run] = copied > SHARED * rest;
    }
    let written = bytes(&stores).min(rest);
    let left = rest - written;
    let once = left.min(bytes(&loads));
    let read = if caches.warm_data && all <= found.capacity { 0.0 } else { once };
    for &run in &loads {
        found.read_bytes[run] = 32.0 * read / bytes(&loads).max(1.0);
    }
    for &run in &stores {
        let per_sector = 32.0 * written / bytes(&stores).max(1.0);
        found.written_bytes[run] = per_sector * kept;
        if caches.clean && !caches.warm_data {
            found.kept_bytes[run] = per_sector * (1.0 - kept);
        }
    }
    found.read += read;
    found.written += written * kept;
}

/// State of the caches before the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// Whether the L2 holds the kernel's data, as much as fits.
    pub warm_data: bool,
    /// Whether the kernel's instructions are cached.
    pub warm_code: bool,
    /// Whether the L2 holds no dirty lines.
    pub clean: bool,
}

/// Placement of blocks on multiprocessors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Resident blocks per multiprocessor.
    pub resident: u32,
    /// The resource that limits `resident`.
    pub limiter: &'static str,
    /// Number of multiprocessors with work.
    pub active: u64,
    /// Maximum number of blocks that one multiprocessor runs.
    pub blocks: u64,
}

impl Placement {
    /// The placement if the grid had only `blocks` blocks.
    fn of_blocks(self, blocks: f64, model: &GpuModel) -> Placement {
        let blocks = blocks.max(1.0).ceil() as u64;
        let active = blocks.min(u64::from(model.gpu.multiprocessors));
        let most = blocks.div_ceil(active);
        let resident = u64::from(self.resident).min(most) as u32;
        Placement { active, blocks: most, resident, ..self }
    }
}

/// Places the blocks of a launch.
pub fn placement(trace: &KernelTrace, model: &GpuModel) -> Placement {
    let arch = &model.architecture;
    let holds = Multiprocessor {
        threads: arch.threads_per_sm,
        blocks: arch.blocks_per_sm,
        registers: arch.registers_per_sm,
        shared: arch.shared_per_sm,
    };
    let (resident, limiter) =
        holds.resident_blocks(trace.threads, trace.registers, trace.shared_bytes);
    let total = trace.total_blocks();
    let multiprocessors = u64::from(model.gpu.multiprocessors);
    Placement {
        resident: resident.max(1),
        limiter,
        active: total.min(multiprocessors),
        blocks: total.div_ceil(multiprocessors),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_blocks_occupy_the_busiest_resource_as_long_as_the_simulated_ones() {
        let mut sm = SmResult { ends: vec![90.0, 100.0, 150.0, 160.0], ..SmResult::default() };
        sm.busy[Resource::Issue as usize] = 400.0;
        assert_eq!(steady_block(&sm, 2), 30.0, "four schedulers issue");
        sm.busy[Resource::Dram as usize] = 200.0;
        assert_eq!(steady_block(&sm, 2), 50.0);
    }
}
