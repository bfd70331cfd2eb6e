//! Climbing a ladder: every rung is verified, then counted or timed. A sweep climbs the same ladder on several cases.
//!
//! The occupancy of a rung is the number of its blocks that are resident on a multiprocessor, with the limiting
//! resource, by the rules of `Multiprocessor::resident_blocks` and the table of architectures.

use crate::Progress;
use crate::families::Family;
use crate::problem::{Case, Request};
use crate::record::{
    ClimbRecord, PredictedRecord, RungRecord, SkippedRecord, SweepRecord, TimeRecord,
};
use crate::runs::measure::{RungOf, Timing, launch, time_trial};
use crate::runs::reason::{reason, story};
use lanework::emulator::Blocks;
use lanework::report::{Machine, ResourcesRecord, SampleRecord};
use lanework::time::machine::GpuModel;
use lanework::time::predict::{Protocol, predict};
use lanework::time::trace::sample::Effort;
use lanework::{Backend, Device, Error, Job, Prepared, Result};
use lanework_bench::{
    Architecture, Cache, DeviceRecord, Rejection, TimedRecord, Work, multiprocessor, specs,
};
use lanework_ladders::RungInfo;
use lanework_verify::host::ElementType;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// The options of a climb.
#[derive(Clone, Debug)]
pub struct ClimbSettings {
    /// The rungs to run, by name; empty for all.
    pub rungs: Vec<String>,
    /// Seed of the random elements, for the record.
    pub seed: u64,
    /// Longest time of sampling one rung.
    pub time_limit: Duration,
}

/// Largest work (words moved, or multiply-adds) for which the emulator counts every block. Above, it counts a sample
/// of blocks, after a verified run of all blocks.
const COUNT_ALL: u64 = 1 << 29;

/// The most words that a problem may move if every block is counted.
const COUNT_ALL_WORDS: u64 = 1 << 25;

/// Approximate number of blocks in a sample.
const SAMPLED_BLOCKS: u64 = 2048;

/// Climbs a ladder on one case.
///
/// # Errors
/// If the case does not fit the device, or the device fails. A wrong result is not an error: the rung's record says
/// so.
pub fn climb(
    family: &Family,
    case: &dyn Case,
    device: &Device,
    settings: &ClimbSettings,
    progress: Progress<'_>,
) -> Result<ClimbRecord> {
    case.check_fits(device)?;
    let ladder = family.with_peer();
    progress("on the host");
    let (extents, size) = case.extents().into_iter().unzip();
    let mut record = ClimbRecord {
        ladder: ladder.name,
        device: DeviceRecord::of(device),
        extents,
        size,
        settings: case.settings().into_iter().collect(),
        element: case.element(),
        work: case.work(),
        seed: settings.seed,
        host: case.host(),
        analysis: case.analysis(),
        skipped_peers: BTreeMap::new(),
        rungs: Vec::new(),
    };
    let edge_cases = case.edge_cases();
    let chosen = |rung: &RungInfo| {
        settings.rungs.is_empty() || settings.rungs.iter().any(|name| name == rung.name)
    };
    for info in ladder.rungs.into_iter().filter(chosen) {
        progress(info.name);
        let mut found = RungRecord::of(&info);
        if let Some(why) = case.skips(info.name, device) {
            if family.peer.is_some_and(|peer| peer.name == info.name) {
                record.skipped_peers.insert(info.name, why);
            } else {
                record.rungs.push(RungRecord { skipped: Some(why), ..found });
            }
            continue;
        }
        let of = RungOf { family, rung: info.name, case };
        match climb_rung(of, &edge_cases, device, settings, &mut found) {
            Ok(()) => found.verified = true,
            Err(why) => found = RungRecord::rejected(&info, &why),
        }
        let same = |rung: &&RungRecord| rung.identity.is_some() && rung.identity == found.identity;
        found.same_as = record.rungs.iter().find(same).map(|rung| rung.name);
        if let Some(before) = record.rungs.iter().rev().find(|rung| rung.verified) {
            let median = |rung: &RungRecord| rung.time.as_ref().map(|time| time.median_ns);
            found.speedup = median(before).zip(median(&found)).map(|(before, now)| before / now);
            found.since = Some((before.name, story(before, &found)));
            match found.same_as.filter(|_| found.time.is_none()) {
                // Its counts are those of the other rung, and say nothing about its own idea.
                Some(same) => {
                    found.since = Some((before.name, Vec::new()));
                    found.reason = Some(format!("runs the kernel of {same} at this size"));
                }
                None => {
                    if let Some((step, why)) = reason(before, &found) {
                        (found.step, found.reason) = (Some(step), Some(why));
                    }
                }
            }
        }
        record.rungs.push(found);
    }
    Ok(record)
}

/// Verifies one rung on the edge cases and the requested one, then counts or times it.
///
/// # Errors
/// If a result differs or a step failed.
fn climb_rung(
    RungOf { family, rung, case }: RungOf<'_>,
    edge_cases: &[Box<dyn Case>],
    device: &Device,
    settings: &ClimbSettings,
    found: &mut RungRecord,
) -> Result<(), Rejection> {
    for small in edge_cases.iter().filter(|small| small.skips(rung, device).is_none()) {
        let mut trial = small.trial(rung, device)?;
        launch(trial.as_mut(), device)?;
        trial.check()?;
    }
    let mut trial = case.trial(rung, device)?;
    let job = trial.job()?;
    if let Job::Kernel(kernel) = &job {
        let (grid, block, _) = kernel.shape();
        found.warps = Some(grid.count() * block.count().div_ceil(32));
        found.resources = Some(resources(kernel, device)?);
    }
    found.identity = identity(&job);
    drop(job);
    match device.backend() {
        Backend::Emulator if counts_all(case.work()) => {
            let profile = trial.job().and_then(|mut job| job.profile(Blocks::All))?;
            found.accuracy = Some(trial.check()?);
            found.counters = Some(profile.counters);
            found.figures = trial.figures().into_iter().collect();
        }
        Backend::Emulator => {
            launch(trial.as_mut(), device)?;
            found.accuracy = Some(trial.check()?);
            found.figures = trial.figures().into_iter().collect();
            let sample = Blocks::Sample { count: SAMPLED_BLOCKS };
            let profile = trial.job().and_then(|mut job| job.profile(sample))?;
            found.counters = Some(profile.counters);
            found.sampled = (profile.blocks_run < profile.blocks).then_some(SampleRecord {
                blocks_counted: profile.blocks_run,
                blocks: profile.blocks,
            });
        }
        Backend::Cuda => {
            launch(trial.as_mut(), device)?;
            trial.check()?;
            trial.poison()?;
            let timing =
                Timing { cache: Cache::Cold, limit: settings.time_limit, seed: settings.seed };
            let of = RungOf { family, rung, case };
            // Each progress report is a step of the climb; a rung is one step.
            let timed = time_trial(of, trial.as_mut(), device, &timing, &mut |_| {})?;
            found.time = Some(TimeRecord::from(&timed));
            found.accuracy = Some(trial.check()?);
            found.timed = Some(TimedRecord { accuracy: found.accuracy, ..timed });
            found.figures = trial.figures().into_iter().collect();
        }
    }
    drop(trial);
    found.predicted = match device.backend() {
        // As `lanework predict` does.
        Backend::Emulator => {
            predicted(case, rung, device, (&GpuModel::named("H200"), Protocol::Flushed))
        }
        // Next to the measured time, the predicted one of the same GPU and protocol.
        Backend::Cuda => specs().gpu(&device.info().name).and_then(|gpu| {
            let events = found.time.as_ref().is_some_and(|time| time.timer == "events");
            let protocol = if events { Protocol::Events } else { Protocol::Rotated };
            predicted(case, rung, &Device::emulator(), (&GpuModel::new(gpu), protocol))
        }),
    };
    Ok(())
}

/// A hash of what a job runs: its PTX, and the shape of its kernel. A rung that does not suit a size may prepare the kernel of
/// another one.
fn identity(job: &Job<'_>) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    job.ptx()?.hash(&mut hasher);
    if let Job::Kernel(kernel) = job {
        let (grid, block, dynamic) = kernel.shape();
        (grid.count(), block.count(), dynamic).hash(&mut hasher);
    }
    Some(hasher.finish())
}

/// The predicted time of a rung whose result and counts are known; `None` if it cannot be predicted. The problem is set up
/// again, because the kernel may depend on what earlier launches left in memory.
fn predicted(
    case: &dyn Case,
    rung: &str,
    device: &Device,
    (model, first): (&GpuModel, Protocol),
) -> Option<PredictedRecord> {
    let mut trial = case.trial(rung, device).ok()?;
    let effort = Effort::for_model(model);
    let traces = trial.job().and_then(|mut job| job.time_traces(effort)).ok()?;
    let mut found: Option<PredictedRecord> = None;
    for (at, trace) in traces.iter().enumerate() {
        // Only the first of several kernels waits for the launch between two events.
        let later = first == Protocol::Events && at > 0;
        let one = predict(trace, model, if later { Protocol::Rotated } else { first });
        let sum = found.get_or_insert_with(|| PredictedRecord {
            gpu: one.gpu.clone(),
            protocol: one.protocol.name(),
            limiter: one.limiter,
            ..PredictedRecord::default()
        });
        sum.predicted_ns += one.time_ns;
        sum.interval_ns[0] += one.interval_ns[0];
        sum.interval_ns[1] += one.interval_ns[1];
    }
    found
}

fn counts_all(work: Work) -> bool {
    work.bytes / 8 <= COUNT_ALL_WORDS && work.flops / 2 <= COUNT_ALL
}

/// Every combination of `axes`, the last varying fastest, each set in `request`.
pub fn points(request: &Request, axes: &[(&'static str, Vec<u64>)]) -> Vec<Request> {
    axes.iter().fold(vec![request.clone()], |points, (name, values)| {
        let set = |point: &Request, &value: &u64| point.clone().with(name, value);
        points.iter().flat_map(|point| values.iter().map(move |value| set(point, value))).collect()
    })
}

/// The points with each of these element types, which vary slowest; the unchanged points if there are no types.
pub fn with_elements(points: Vec<Request>, elements: &[ElementType]) -> Vec<Request> {
    if elements.is_empty() {
        return points;
    }
    let set = |point: &Request, element| Request { element: Some(element), ..point.clone() };
    let all = |element: &ElementType| points.iter().map(|point| set(point, *element)).collect();
    elements.iter().flat_map(|element| -> Vec<Request> { all(element) }).collect()
}

/// Outcome of a point.
#[derive(Debug)]
pub enum Attempt {
    /// It was climbed.
    Done(Box<ClimbRecord>),
    /// The problem is invalid, or the device cannot run it.
    Impossible(Error),
    /// The device failed.
    Failed(Error),
}

/// Why a point has no valid case, or none that fits the device.
pub fn impossible(family: &Family, point: &Request, device: &Device) -> Option<Error> {
    family.case(point).and_then(|case| case.check_fits(device)).err()
}

/// Climbs the ladder of `family` at one point of a sweep.
pub fn attempt(
    family: &Family,
    point: &Request,
    device: &Device,
    settings: &ClimbSettings,
    progress: Progress<'_>,
) -> Attempt {
    let case = match family.case(point).and_then(|case| case.check_fits(device).map(|()| case)) {
        Ok(case) => case,
        Err(why) => return Attempt::Impossible(why),
    };
    let at = describe(case.as_ref());
    let mut report = |what: &str| progress(&format!("{at}: {what}"));
    match climb(family, case.as_ref(), device, settings, &mut report) {
        Ok(record) => Attempt::Done(Box::new(record)),
        Err(why) => Attempt::Failed(why),
    }
}

/// Climbs the ladder of `family` at every possible point.
///
/// # Errors
/// If no point is possible, or the device fails.
pub fn sweep(
    family: &Family,
    points: &[Request],
    device: &Device,
    settings: &ClimbSettings,
    progress: Progress<'_>,
) -> Result<SweepRecord> {
    let ladder = (family.ladder)().name;
    let device_record = DeviceRecord::of(device);
    let mut record =
        SweepRecord { ladder, device: device_record, points: Vec::new(), skipped: Vec::new() };
    let mut first = None;
    for point in points {
        match attempt(family, point, device, settings, progress) {
            Attempt::Done(climb) => record.points.push(*climb),
            Attempt::Failed(why) => return Err(why),
            Attempt::Impossible(why) => {
                let problem = point.in_words();
                record.skipped.push(SkippedRecord { problem, why: why.to_string() });
                first.get_or_insert(why);
            }
        }
    }
    match first {
        Some(why) if record.points.is_empty() => Err(why),
        _ => Ok(record),
    }
}

/// The extents and settings of a case in a few words.
fn describe(case: &dyn Case) -> String {
    let extents: Vec<String> =
        case.extents().iter().map(|(_, extent)| extent.to_string()).collect();
    let settings: Vec<String> =
        case.settings().iter().map(|(name, value)| format!(", {name} {value}")).collect();
    format!("{} {}{}", extents.join("x"), case.element(), settings.concat())
}

/// Threads of a warp.
const WARP: u32 = 32;

/// A prepared kernel's use of a multiprocessor of `device`. For the emulator, the table of its compute capability
/// gives the limits, and registers are estimated from the PTX.
///
/// # Errors
/// If not even one block fits, according to the driver.
pub(crate) fn resources(kernel: &Prepared<'_>, device: &Device) -> Result<ResourcesRecord> {
    let (_, block, dynamic) = kernel.shape();
    let arch = specs().architecture(device.info().compute_capability);
    let machine = Machine { holds: multiprocessor(arch), ..Machine::h200() };
    let mut record = machine.resources(kernel.resources(), block.count() as u32, dynamic);
    if let Some(told) = kernel.resident_blocks()? {
        let warps = told * record.threads.div_ceil(WARP);
        record.resident_blocks = told;
        record.occupancy = f64::from(warps) / f64::from(arch.threads_per_sm / WARP);
    }
    Ok(record)
}

/// Resident blocks of `threads` threads with `registers` registers each and `shared` bytes of shared memory, and the
/// limit: `threads`, `blocks`, `registers` or `shared memory`.
pub fn resident_blocks(
    arch: &Architecture,
    threads: u32,
    registers: u32,
    shared: u32,
) -> (u32, &'static str) {
    multiprocessor(arch).resident_blocks(threads, registers, shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework_verify::host::ELEMENT_TYPES;

    #[test]
    fn points_are_all_combinations_with_the_last_axis_innermost() {
        let request = Request::new(Backend::Emulator);
        let points = points(&request, &[("block", vec![8, 16]), ("size", vec![1, 2, 3])]);
        let seen: Vec<_> = points.iter().map(|p| (p.get("block"), p.get("size"))).collect();
        assert_eq!(seen.len(), 6);
        assert_eq!(seen[1], (Some(8), Some(2)));
        assert_eq!(seen[3], (Some(16), Some(1)));
        let typed = with_elements(points.clone(), &ELEMENT_TYPES[..2]);
        assert_eq!(typed.len(), 12);
        assert_eq!(typed[6].element, Some(ELEMENT_TYPES[1]));
        assert_eq!(with_elements(points, &[])[0].element, None);
    }
}
