//! The time of an empty kernel, taken as a kernel's was: what a figure near it consists of.

use crate::gpu::GpuTarget;
use crate::record::{Reset, Timer};
use crate::stats::Summary;
use crate::target::Target;
use lanework::{Device, PtxArg, PtxShape, Result};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Launches in a graph of empty kernels.
const LAUNCHES: usize = 200;
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

/// Nanoseconds of an empty kernel, timed in the same way; measured once per process, device and way.
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
    if graph {
        target.record(LAUNCHES)?;
    }
    let mut times = Vec::new();
    for batch in 0..BATCHES.0 {
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
