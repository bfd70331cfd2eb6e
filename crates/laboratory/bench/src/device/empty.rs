//! The time of an empty kernel, measured like the kernel's: a time close to it is mostly launch overhead.

use crate::device::gpu::GpuTarget;
use crate::record::{Reset, Timer};
use crate::sampling::stats::Summary;
use crate::sampling::target::Target;
use lanework_runtime::{Device, PtxArg, PtxShape, Result};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Launches in a graph of empty kernels.
const LAUNCHES: usize = 200;
/// Bytes and number of memory fills before a batch timed by events: half a millisecond in which the host queues the
/// whole batch. An empty kernel ends before the next launch, so without the fills the events would measure the host's
/// launch rate.
const BUSY: (usize, usize) = (1 << 28, 8);
/// Batches, and samples of each; the first batch warms up and is not counted.
const BATCHES: (usize, usize) = (6, 12);

const EMPTY: &str = "\
.version 7.0
.target sm_70
.address_size 64
.visible .entry empty()
{
    ret;
}
";

/// Nanoseconds of an empty kernel, timed the same way; measured once per process, device and timer.
///
/// # Errors
/// When the device fails.
pub(crate) fn empty_ns(device: &Device, timer: Timer, reset: Reset) -> Result<f64> {
    type Known = BTreeMap<(String, bool, bool), f64>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let graph = matches!(timer, Timer::Graph(_));
    let key = (device.info().id, graph, matches!(reset, Reset::Flush { .. }));
    let known = || KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let found = known().get(&key).copied();
    if let Some(ns) = found {
        return Ok(ns);
    }
    let module = device.load_ptx(EMPTY)?;
    let arguments: [PtxArg<'_>; 0] = [];
    // SAFETY: the kernel accesses nothing.
    let job = unsafe { module.prepare("empty", PtxShape::new(1, 32), &arguments) };
    let mut target = GpuTarget::new(device, vec![job.into()], reset)?;
    let mut busy = None;
    if graph {
        target.record(LAUNCHES)?;
    } else if !matches!(reset, Reset::Flush { .. }) {
        busy = Some(device.uninit::<u8>(BUSY.0.min((device.info().memory_bytes / 8) as usize))?);
    }
    let mut times = Vec::new();
    for batch in 0..BATCHES.0 {
        if let Some(busy) = &mut busy {
            (0..BUSY.1).try_for_each(|_| busy.fill_bytes(0))?;
        }
        let taken = match graph {
            true => target.replays(BATCHES.1)?,
            false => target.launches(BATCHES.1)?,
        };
        if batch > 0 {
            times.extend(taken.times);
        }
    }
    let per = if graph { LAUNCHES as f64 } else { 1.0 };
    let ns = Summary::of(&times).map_or(0.0, |summary| summary.median) / per;
    known().insert(key, ns);
    Ok(ns)
}
