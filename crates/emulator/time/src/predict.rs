//! The prediction: the time of a launch with an interval, the limiting resource, and the lost cycles of each line.

use crate::chip::{self, Bound, Caches, ChipResult};
use crate::limits::Limit;
use crate::lower::Lowered;
use crate::machine::GpuModel;
use crate::sm::pipes::{RESOURCES, Resource, SCHEDULERS, STALLS, Stall};
use crate::trace::{AccessTarget, KernelTrace};
use lanework_ptx_ir::kernel::Opcode;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

/// The measurement protocol that a prediction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// All caches are flushed before the kernel, and only the kernel itself is timed (Nsight Compute's
    /// `gpu__time_duration`).
    Flushed,
    /// Back to back in a graph, on the same data; caches keep what fits.
    Warm,
    /// Back to back in a graph, on different data each time.
    Rotated,
    /// One launch between two events, on data that is not cached.
    Events,
}

impl Protocol {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Flushed => "cold",
            Protocol::Warm => "warm",
            Protocol::Rotated => "rotated",
            Protocol::Events => "events",
        }
    }

    fn caches(self) -> Caches {
        Caches {
            warm_data: self == Protocol::Warm,
            warm_code: self != Protocol::Flushed,
            clean: matches!(self, Protocol::Flushed | Protocol::Warm),
        }
    }

    /// Nanoseconds that a launch adds to the time of its instructions.
    fn launch_ns(self, model: &GpuModel) -> f64 {
        match self {
            Protocol::Flushed => model.timings.launch_ns,
            Protocol::Warm | Protocol::Rotated => model.timings.graph_launch_ns,
            Protocol::Events => model.timings.event_launch_ns - model.timings.ramp_ns / 2.0,
        }
    }
}

/// The lost cycles of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct LineLoss {
    /// The PTX instruction with the most of them.
    pub origin: u32,
    /// Line of the source, or of the PTX if there is no line information.
    pub line: u32,
    /// The file, if known.
    pub file: Option<String>,
    /// Issued operations.
    pub issued: u64,
    /// Lost warp cycles by reason, in the order of [`Stall::ALL`].
    pub lost: [f64; STALLS],
}

impl LineLoss {
    /// All warp cycles of the line.
    pub fn cycles(&self) -> f64 {
        self.issued as f64 + self.lost.iter().sum::<f64>()
    }

    /// The reason with the most lost cycles.
    pub fn reason(&self) -> Stall {
        let largest =
            |a: &&Stall, b: &&Stall| self.lost[**a as usize].total_cmp(&self.lost[**b as usize]);
        Stall::ALL.iter().max_by(largest).copied().unwrap_or(Stall::Wait)
    }
}

/// Whether two predicted times with the upper ends of their intervals show which of two kernels is faster, if their errors are
/// independent. 9 of 10 measured ratios of consecutive rungs are in this interval of the predicted ratio, and 92 % of the steps
/// that it decides have the measured direction.
pub fn decides(times: [(f64, f64); 2]) -> bool {
    let error = times.map(|(time, high)| (high / time).ln());
    (times[0].0 / times[1].0).ln().abs() > error[0].hypot(error[1])
}

/// A predicted time.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// The GPU.
    pub gpu: String,
    /// The measurement protocol.
    pub protocol: Protocol,
    /// Predicted time in nanoseconds.
    pub time_ns: f64,
    /// Interval that should contain 80 % of measurements, in nanoseconds.
    pub interval_ns: [f64; 2],
    /// Launch overhead in nanoseconds, part of `time_ns`.
    pub launch_ns: f64,
    /// Cycles of the instructions.
    pub cycles: f64,
    /// The limiting resource, or `latency`, `barriers`, `launch` or `wave tail`.
    pub limiter: &'static str,
    /// Utilization of the limiting resource, as a fraction; if the limiter is not a resource, its fraction of the time.
    pub use_of_limiter: f64,
    /// Utilization of each resource by its name, as a fraction: issue slots, pipes, caches, memory.
    pub utilization: [(&'static str, f64); RESOURCES],
    /// Registers per thread, and whether they are estimated.
    pub registers: (u32, bool),
    /// Resident blocks per multiprocessor, and the resource that limits them.
    pub resident: (u32, &'static str),
    /// Number of waves of blocks.
    pub waves: f64,
    /// Bytes read from and written to device memory.
    pub memory_bytes: [f64; 2],
    /// Machine instructions of all warps.
    pub warp_instructions: f64,
    /// Sectors that are requested from the L2.
    pub l2_sectors: f64,
    /// Number of traced blocks.
    pub traced: usize,
    /// Number of blocks in the grid.
    pub blocks: u64,
    /// Whether a traced block did not end, so that the rest of the kernel is an extrapolation.
    pub cut: bool,
    /// Lines in descending order of lost cycles.
    pub lines: Vec<LineLoss>,
    /// Reasons for a wider interval.
    pub notes: Vec<&'static str>,
}

impl Prediction {
    /// Whether the intervals show which of two kernels is faster.
    pub fn differs_from(&self, other: &Prediction) -> bool {
        decides([self, other].map(|one| (one.time_ns, one.interval_ns[1])))
    }

    /// For tests: asserts that the model predicts this launch to be faster by more than its uncertainty.
    ///
    /// # Panics
    /// If the launch is predicted to be slower, or the difference is within the uncertainty.
    #[track_caller]
    pub fn assert_predicted_faster(&self, than: &Prediction) {
        assert!(
            self.time_ns < than.time_ns && self.differs_from(than),
            "not predicted to be faster on {}: {:.2} us, limited by {}; the other: {:.2} us, limited by {}\
             \n  = help: `lanework predict` shows the lines that lose the most cycles",
            self.gpu,
            self.time_ns / 1e3,
            self.limiter,
            than.time_ns / 1e3,
            than.limiter,
        );
    }

    /// Formats the prediction as JSON, with the lines that lose the most cycles.
    pub fn json(&self) -> String {
        self.value().to_string()
    }

    /// Returns the prediction as a JSON value.
    pub fn value(&self) -> Value {
        let line = |line: &LineLoss| {
            let reasons = Stall::ALL.iter().filter(|stall| line.lost[**stall as usize] >= 1.0);
            let lost: serde_json::Map<String, Value> = reasons
                .map(|stall| (stall.name().to_owned(), line.lost[*stall as usize].round().into()))
                .collect();
            json!({ "file": line.file, "line": line.line, "issued": line.issued, "lost": lost })
        };
        json!({
            "gpu": self.gpu,
            "protocol": self.protocol.name(),
            "predicted_ns": self.time_ns,
            "interval_ns": self.interval_ns,
            "launch_ns": self.launch_ns,
            "cycles": self.cycles,
            "limiter": self.limiter,
            "use": self.use_of_limiter,
            "utilization": self.utilization.iter().copied().collect::<BTreeMap<_, _>>(),
            "registers": self.registers.0,
            "registers_estimated": self.registers.1,
            "resident_blocks": self.resident.0,
            "resident_limit": self.resident.1,
            "waves": self.waves,
            "memory_bytes": self.memory_bytes,
            "warp_instructions": self.warp_instructions,
            "l2_sectors": self.l2_sectors,
            "traced_blocks": self.traced,
            "blocks": self.blocks,
            "cut": self.cut,
            "notes": self.notes,
            "lines": self.lines.iter().take(LINES).map(line).collect::<Vec<_>>(),
        })
    }
}

/// Maximum number of lines in the JSON.
const LINES: usize = 20;

/// Standard deviations of the logarithm of measured over predicted time, by cause. With them, the intervals contain 81 % of 31
/// launches in stored traces of the tuning half, 84 % of 94 launches of later programs, and 92 % of the ladders' rungs.
const MODEL_ERROR: f64 = 0.16;
const LATENCY_ERROR: f64 = 0.12;
const EXTRAPOLATION_ERROR: f64 = 0.15;
const ATOMICS_ERROR: f64 = 0.35;
const WAITING_ERROR: f64 = 0.5;
const UNLISTED_ERROR: f64 = 0.1;
/// Of accesses to local memory that ptxas may keep in registers or merge.
const LOCAL_ERROR: f64 = 0.7;
/// Minimum fraction of accesses to local memory for which it counts.
const MUCH_LOCAL: f64 = 0.1;
/// Of the traffic of textures: the trace lacks their addresses.
const TEXTURE_ERROR: f64 = 0.5;
/// Of the number of swaps of a contended word, whose retries depend on the order.
const SWAPS_ERROR: f64 = 1.0;
/// Time of a kernel divided by the time of its traced part if a traced block did not end: the median, and the ends of an 80 %
/// interval. Assumes that tracing stops at a random point of the kernel (Gott, Nature 363, 1993).
const UNSEEN: f64 = 2.0;
const UNSEEN_ENDS: [f64; 2] = [1.1, 10.0];
/// Fraction of an allocation above which a loop that has returned to parts of it may walk through it any number of times.
const MOSTLY: f64 = 0.9;
/// Minimum fraction that tells how much is left.
const LEAST: f64 = 1e-3;
/// Variation of the launch overhead in nanoseconds.
const LAUNCH_ERROR_NS: f64 = 200.0;
/// Half width of an interval that contains 80 %, in standard deviations.
const WIDTH: f64 = 1.28;

/// Predicts the time of a traced launch.
pub fn predict(trace: &KernelTrace, model: &GpuModel, protocol: Protocol) -> Prediction {
    let lowered = Lowered::new(trace);
    let found = chip::run(trace, &lowered, model, protocol.caches());
    let launch_ns = protocol.launch_ns(model) + model.timings.ramp_ns;
    let (unseen, ends) = unseen(trace, &found);
    let whole = trace.mean_work() * trace.total_blocks() as f64 / found.sm.steps.max(1) as f64;
    let products = whole * product_cycles(&found, model, protocol);
    let cycles = unseen * found.cycles.max(products);
    let time_ns = launch_ns + cycles / model.clock_ghz();
    let (limiter, use_of_limiter) = match products > found.cycles {
        true => (Limit::Busy(Resource::Tensor), 1.0 - launch_ns / time_ns),
        false => limiter(&found, launch_ns / time_ns),
    };
    let (deviation, notes) = deviation(trace, &found, limiter);
    let relative = ((WIDTH * deviation).powi(2) + (LAUNCH_ERROR_NS / time_ns).powi(2)).sqrt();
    let [low, high] = [(-relative).exp(), relative.exp()];
    // Pages of managed memory may have to move to the device first.
    let moving = found.traffic.managed / model.timings.host_gb_s;
    let placement = found.placement;
    let sectors: u64 = found.sm.l2_sectors.iter().sum();
    let wave = f64::from(placement.resident) * f64::from(model.gpu.multiprocessors);
    Prediction {
        gpu: model.gpu.name.clone(),
        protocol,
        time_ns,
        interval_ns: [time_ns * low * ends[0] / unseen, time_ns * high * ends[1] / unseen + moving],
        launch_ns,
        cycles,
        limiter: limiter.name(),
        use_of_limiter,
        utilization: utilization(&found).map(|(of, share)| (Limit::Busy(of).name(), share)),
        registers: (trace.registers, !trace.exact_registers),
        resident: (placement.resident, placement.limiter),
        waves: trace.total_blocks() as f64 / wave,
        memory_bytes: [found.traffic.read, found.traffic.written],
        warp_instructions: found.sm.busy[Resource::Issue as usize] * whole,
        l2_sectors: sectors as f64 * whole,
        traced: trace.blocks.len(),
        blocks: trace.total_blocks(),
        cut: trace.is_cut(),
        lines: lines(trace, &found),
        notes,
    }
}

/// Least cycles for the simulated products of warpgroups if all multiprocessors share the work of the simulated one: the power
/// limit lowers the clock of tensor cores that are busy in launches back to back.
fn product_cycles(found: &ChipResult, model: &GpuModel, protocol: Protocol) -> f64 {
    let sustained = match protocol {
        Protocol::Flushed => 1.0,
        Protocol::Warm | Protocol::Rotated | Protocol::Events => model.timings.wgmma_sustained,
    };
    let multiprocessors = f64::from(model.gpu.multiprocessors);
    found.sm.products / SCHEDULERS as f64 / multiprocessors / sustained
}

/// The time of the kernel divided by the time of its traced part, and the ends of an interval of it.
fn unseen(trace: &KernelTrace, found: &ChipResult) -> (f64, [f64; 2]) {
    match !trace.is_cut() {
        true => (1.0, [1.0, 1.0]),
        // A block that reads what others write may run far longer alone: at least each of its instructions runs once.
        false if found.races && !trace.polls => {
            let warps = trace.blocks.iter().flat_map(|block| &block.warps);
            let once = warps.clone().map(|warp| {
                let runs: HashSet<u32> = warp.steps.iter().map(|step| step.run).collect();
                runs.len() as f64
            });
            let all: f64 = warps.clone().map(|warp| warp.instructions as f64).sum();
            let least = (once.sum::<f64>() / all.max(1.0)).min(1.0);
            (least.sqrt(), [least, 1.0])
        }
        // All blocks are resident, so they do all the work in loops, which mostly walk through the allocations once.
        false
            if found.placement.blocks <= u64::from(found.placement.resident)
                && (found.coverage < MOSTLY || !found.walks_again) =>
        {
            let left = 1.0 / found.coverage.max(LEAST);
            (left, [left / UNSEEN, left * UNSEEN])
        }
        false => (UNSEEN, UNSEEN_ENDS),
    }
}

/// Utilization of each resource.
fn utilization(found: &ChipResult) -> [(Resource, f64); RESOURCES] {
    Resource::ALL.map(|resource| {
        let busy = found.sm.busy[resource as usize] / resource.units();
        (resource, busy / found.sm.cycles.max(1.0))
    })
}

/// The limiter and its fraction: the launch if it takes most of the time, else the busiest resource if it is busy enough,
/// else the tail of the last wave or the warps' waits.
fn limiter(found: &ChipResult, launch: f64) -> (Limit, f64) {
    if launch > 0.6 {
        return (Limit::Launch, launch);
    }
    match found.bound {
        Bound::Host => return (Limit::HostMemory, 1.0 - launch),
        Bound::Swaps => return (Limit::ContendedAtomics, 1.0 - launch),
        Bound::Chain => return (Limit::OtherBlocks, 1.0 - launch),
        Bound::Multiprocessor => {}
    }
    let shares = utilization(found).into_iter();
    let start = (Resource::Issue, 0.0);
    let (busiest, most) = shares.fold(start, |best, one| if one.1 > best.1 { one } else { best });
    if most > 0.6 {
        return (Limit::Busy(busiest), most);
    }
    let placement = found.placement;
    let waves = placement.blocks as f64 / f64::from(placement.resident);
    let tail = (waves.ceil() - waves) / waves.ceil();
    if waves > 1.0 && tail > 0.3 {
        return (Limit::WaveTail, tail);
    }
    let mut sums = [0.0; STALLS];
    for one in &found.sm.lost.by_run {
        sums.iter_mut().zip(one).for_each(|(sum, lost)| *sum += lost);
    }
    let all: f64 = sums.iter().sum::<f64>().max(1.0);
    match sums[Stall::Barrier as usize] / all {
        part if part > 0.5 => (Limit::Barriers, part),
        _ => (Limit::Latency, 1.0 - most),
    }
}

/// Standard deviation of the logarithm of measured over predicted time, and its causes.
fn deviation(trace: &KernelTrace, found: &ChipResult, limiter: Limit) -> (f64, Vec<&'static str>) {
    let mut sum = MODEL_ERROR * MODEL_ERROR;
    let mut notes = Vec::new();
    let mut add = |error: f64, note| {
        sum += error * error;
        notes.push(note);
    };
    if matches!(limiter, Limit::Latency | Limit::Barriers) {
        add(LATENCY_ERROR, "latencies are the limit, and they depend on the clock and on the load");
    }
    if trace.listing.is_none() {
        add(UNLISTED_ERROR, "ptxas and nvdisasm were not found, so a model replaces them");
        if local_part(trace) > MUCH_LOCAL {
            add(LOCAL_ERROR, "ptxas may keep local memory in registers");
        }
    }
    let spread = trace.spread();
    if spread > 0.02 {
        add(spread, "blocks differ, and only some were traced");
    }
    let cut = trace.is_cut();
    if cut && found.races && !trace.polls {
        add(
            2.0 * EXTRAPOLATION_ERROR,
            "the traced block reads what other blocks write, and may run far longer alone than with them",
        );
    } else if cut {
        add(
            2.0 * EXTRAPOLATION_ERROR,
            "the traced block did not end within the limit of its trace, so the kernel may take much longer",
        );
    } else if trace.blocks.iter().any(|block| block.executed() > block.recorded()) {
        add(EXTRAPOLATION_ERROR, "long warps were traced only in part");
    }
    let collisions = trace
        .blocks
        .iter()
        .flat_map(|block| &block.warps)
        .any(|warp| warp.traffic.iter().any(|record| record.collisions > 0));
    if found.contends && (trace.polls || found.bound == Bound::Swaps) {
        add(
            SWAPS_ERROR,
            "blocks contend for a word, and the number of their attempts depends on the order",
        );
    } else if collisions {
        add(ATOMICS_ERROR, "contention on atomics depends on the data and the order");
    }
    if trace.kernel.insts.iter().any(|inst| matches!(inst.opcode, Opcode::Texture(_))) {
        add(TEXTURE_ERROR, "the trace does not have the addresses of texture fetches");
    }
    if found.traffic.managed > 0.0 {
        add(
            0.0,
            "pages of managed memory may have to move to the device, which the upper end includes",
        );
    }
    if trace.polls {
        add(WAITING_ERROR, "blocks wait for other blocks");
    }
    (sum.sqrt(), notes)
}

/// The fraction of accesses of the first block that are to local memory.
fn local_part(trace: &KernelTrace) -> f64 {
    let warps = trace.blocks.iter().take(1).flat_map(|block| &block.warps);
    let accesses = warps.flat_map(|warp| &warp.traffic);
    let (local, all) = accesses.fold((0u64, 0u64), |(local, all), record| {
        (local + u64::from(record.target == AccessTarget::Local), all + 1)
    });
    local as f64 / all.max(1) as f64
}

/// Lost cycles by source line, largest first.
fn lines(trace: &KernelTrace, found: &ChipResult) -> Vec<LineLoss> {
    let mut lines: Vec<LineLoss> = Vec::new();
    for (run, lost) in found.sm.lost.by_run.iter().enumerate() {
        let issued = found.sm.lost.issues[run];
        let total: f64 = lost.iter().sum();
        if issued == 0 && total == 0.0 {
            continue;
        }
        let number = trace.runs.all[run].origin;
        let origin = &trace.kernel.origins[number as usize];
        let (file, line) = match &origin.location {
            Some(location) => (Some(location.file.clone()), location.line),
            None => (None, origin.text_line),
        };
        match lines.iter_mut().find(|one| one.line == line && one.file == file) {
            Some(known) => {
                if total > known.lost.iter().sum::<f64>() {
                    known.origin = number;
                }
                known.issued += issued;
                known.lost.iter_mut().zip(lost).for_each(|(sum, one)| *sum += one);
            }
            None => lines.push(LineLoss { origin: number, line, file, issued, lost: *lost }),
        }
    }
    lines.sort_by(|a, b| b.cycles().total_cmp(&a.cycles()));
    lines
}
