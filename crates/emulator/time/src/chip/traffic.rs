//! Traffic of device memory: which part of the requests misses the L2.
//!
//! If the footprint of the whole grid fits the L2, each unit is fetched once. Otherwise the blocks that run at the same time
//! still share what they fetch, and data survives from one wave to the next as far as the L2 holds it.

use crate::chip::footprint::{Footprints, UNIT};
use crate::chip::{Caches, Placement};
use crate::machine::GpuModel;
use crate::trace::KernelTrace;

/// Traffic of device memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryTraffic {
    /// Bytes read by the whole kernel.
    pub read: f64,
    /// Bytes written.
    pub written: f64,
    /// Bytes that the kernel touches.
    pub footprint: f64,
    /// By run: bytes read per sector that the L2 is asked for.
    pub read_bytes: Vec<f64>,
    /// By run: bytes written per sector.
    pub written_bytes: Vec<f64>,
}

/// The traffic of a launch, where a block requests `requests` sectors from the L2, by run.
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
    let at_once: f64 = read_wave.iter().zip(&written_wave).map(|(r, w)| r.max(*w)).sum();
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
    let reads: Vec<f64> = reads.collect();
    // Lines that earlier kernels wrote have to leave the L2, unless it was flushed.
    let kept = if caches.clean { lost(footprint) } else { 1.0 };
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
        footprint,
        read_bytes: vec![0.0; requests.len()],
        written_bytes: vec![0.0; requests.len()],
    };
    for (run, region) in footprints.of_run.iter().enumerate() {
        let Some(region) = *region else { continue };
        let [loads, stores] = sectors[region];
        if is_store(run) {
            found.written_bytes[run] = (writes[region] / stores.max(1.0)).min(UNIT);
        } else {
            found.read_bytes[run] = (reads[region] / loads.max(1.0)).min(UNIT);
        }
    }
    bulk(trace, footprints, requests, &mut found);
    found
}

/// Tiles of tensor maps come without addresses: their first bytes of each allocation are taken to be fetched once.
fn bulk(trace: &KernelTrace, footprints: &Footprints, requests: &[f64], found: &mut MemoryTraffic) {
    let known: f64 = footprints.regions.iter().map(|region| region.units * UNIT).sum();
    let all: f64 = trace.allocations.iter().map(|(_, bytes)| *bytes as f64).sum();
    let rest = (all - known).max(0.0);
    let unknown: Vec<usize> = (0..requests.len())
        .filter(|&run| requests[run] > 0.0 && footprints.of_run[run].is_none())
        .filter(|&run| {
            let run = &trace.runs.all[run];
            trace.kernel.insts[run.start as usize..run.end as usize]
                .iter()
                .any(|inst| matches!(inst.opcode, lanework_ptx_ir::kernel::Opcode::Async(_)))
        })
        .collect();
    let sectors: f64 =
        unknown.iter().map(|&run| requests[run]).sum::<f64>() * trace.total_blocks() as f64;
    for run in unknown {
        found.read_bytes[run] = (rest / sectors.max(1.0)).min(32.0);
    }
}
