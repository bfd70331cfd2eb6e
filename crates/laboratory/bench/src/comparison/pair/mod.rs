//! Interleaved timing of two kernels: rounds of A B B A in one process, so that drift affects both.

use crate::comparison::compare::{Judged, invalid, judge_rounds};
use crate::device::gpu::GpuTarget;
use crate::device::measure::record;
use crate::record::about::About;
use crate::record::{ComparisonRecord, Stop, TimedRecord, Verdict};
use crate::sampling::plan::{Plan, RESOLUTION};
use crate::sampling::sampler::{Pace, Sampled, Sampler};
use crate::sampling::stats::Summary;
use crate::sampling::target::Target;
use lanework_runtime::{Device, Job, Result};
use std::time::Duration;

/// Interleaved samples of two kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// Samples of the first.
    pub a: Sampled,
    /// Samples of the second.
    pub b: Sampled,
    /// Time of the second divided by time of the first, for each round.
    pub ratios: Vec<f64>,
}

/// Samples two kernels in rounds of A B B A until the interval of their ratio is narrow enough or the time is over.
/// `progress` receives the relative width of that interval and the longest time left.
///
/// # Errors
/// When a launch fails.
pub fn interleave(
    a: &mut dyn Target,
    b: &mut dyn Target,
    plan: &Plan,
    progress: &mut dyn FnMut(f64, Duration),
) -> Result<Paired> {
    let (mut a, mut b) = (Sampler::warm(a)?, Sampler::warm(b)?);
    let started = a.elapsed();
    let (mut ratios, mut pace) = (Vec::new(), Pace::default());
    let stop = loop {
        let times = [a.step()?, b.step()?, b.step()?, a.step()?];
        ratios.push((times[1] + times[2]) / (times[0] + times[3]));
        let elapsed = a.elapsed().saturating_sub(started);
        let width = Summary::of(&ratios).map_or(1.0, |summary| summary.relative_width());
        let enough = ratios.len() >= plan.samples && elapsed >= 2 * plan.at_least;
        if enough && width < plan.narrow.min(RESOLUTION) {
            break Stop::Settled;
        }
        if elapsed >= plan.limit && ratios.len() >= plan.rounds {
            break Stop::TimeLimit;
        }
        if pace.progress_is_due(elapsed) {
            progress(width, plan.limit.saturating_sub(elapsed));
        }
    };
    Ok(Paired { a: a.finish(stop), b: b.finish(stop), ratios })
}

/// Times two interleaved kernels on a GPU; each comes with its jobs, one for each copy of its problem.
///
/// # Errors
/// When a launch fails, or on the emulator, which does not model time.
pub fn compare<'a>(
    device: &Device,
    a: (Vec<Job<'a>>, &About),
    b: (Vec<Job<'a>>, &About),
    plan: &Plan,
    progress: &mut dyn FnMut(f64, Duration),
) -> Result<ComparisonRecord> {
    let texts = [&a, &b].map(|(jobs, _)| jobs.first().and_then(Job::ptx));
    let [ptx_a, ptx_b] = texts;
    let mut targets =
        [GpuTarget::new(device, a.0, a.1.reset)?, GpuTarget::new(device, b.0, b.1.reset)?];
    let [first, second] = &mut targets;
    let paired = interleave(first, second, plan, progress)?;
    drop(targets);
    let a = record(device, a.1, ptx_a.as_deref(), paired.a)?;
    let b = record(device, b.1, ptx_b.as_deref(), paired.b)?;
    Ok(conclude(a, b, &paired.ratios))
}

/// The comparison of two records with interleaved samples, with these ratios.
fn conclude(a: TimedRecord, b: TimedRecord, ratios: &[f64]) -> ComparisonRecord {
    let Judged { ratio, interval, verdict, why } = judge_rounds(ratios);
    let (verdict, why) = match invalid(&a, &b) {
        Some(why) => (Verdict::Invalid, why),
        None => (verdict, why),
    };
    ComparisonRecord { a, b, interleaved: true, ratio, interval, verdict, why }
}

#[cfg(test)]
mod tests;
