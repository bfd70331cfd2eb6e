//! Several devices: the ladder of all-reduces, and products divided among devices. Results are verified; GPUs are
//! also timed.
//!
//! A time is the longest time of a batch of runs between two events on any GPU, divided by the runs: it includes
//! waiting for other GPUs. Vectors hold small integers: sums in any order have the same bits, so results are compared
//! exactly.

mod all_reduce;
mod scaling;

pub use all_reduce::{SeveralRecord, SeveralRungRecord, climb_several};
pub use scaling::{ScalingRecord, scaling, scaling_of_sum};

use lanework::{Device, Result};
use lanework_bench::{Summary, SummaryRecord};
use lanework_dist::Communicator;
use lanework_ladders::multi_gpu::AllReduce;
use lanework_ops::Plan;
use std::time::{Duration, Instant};

/// The fewest samples, and the GPU time of one.
const SAMPLES: usize = 12;

const BATCH_NS: f64 = 4e6;

/// Waits for all devices.
fn wait(devices: &[Device]) -> Result<()> {
    devices.iter().try_for_each(Device::synchronize)
}

/// Times of batches of runs on the slowest device.
fn time(devices: &[Device], run: &mut AllReduce<'_>, limit: Duration) -> Result<SummaryRecord> {
    let mut batch = |runs: usize| -> Result<f64> {
        wait(devices)?;
        let starts = devices.iter().map(Device::event).collect::<Result<Vec<_>>>()?;
        (0..runs).try_for_each(|_| run())?;
        let ends = devices.iter().map(Device::event).collect::<Result<Vec<_>>>()?;
        let mut longest = 0.0f64;
        for (start, end) in starts.iter().zip(&ends) {
            longest = longest.max(end.nanoseconds_since(start)?);
        }
        Ok(longest / runs as f64)
    };
    batch(1)?;
    let runs = (BATCH_NS / batch(1)?).clamp(1.0, 200.0) as usize;
    if runs > 1 {
        batch(runs)?;
    }
    let (begin, mut samples) = (Instant::now(), Vec::new());
    while samples.len() < SAMPLES || (begin.elapsed() < limit && samples.len() < 200) {
        samples.push(batch(runs)?);
        if begin.elapsed() > limit * 4 {
            break;
        }
    }
    Ok(SummaryRecord::from(&summary(&samples)))
}

fn summary(samples: &[f64]) -> Summary {
    match Summary::of(samples) {
        Some(summary) => summary,
        None => unreachable!("a batch was timed"),
    }
}

/// Runs of a product between two events.
const RUNS: usize = 4;

/// The time of a product on one device.
fn time_alone(device: &Device, plan: &mut Plan<'_>, limit: Duration) -> Result<SummaryRecord> {
    let (begin, mut samples) = (Instant::now(), Vec::new());
    while samples.len() < SAMPLES || begin.elapsed() < limit {
        let start = device.event()?;
        (0..RUNS).try_for_each(|_| plan.launch())?;
        let end = device.event()?;
        samples.push(end.nanoseconds_since(&start)? / RUNS as f64);
    }
    // The first batch raises the clock.
    Ok(SummaryRecord::from(&summary(&samples[2..])))
}

/// The same on every rank; all start each batch together.
fn time_together(
    comm: &Communicator,
    mut run: impl FnMut() -> Result<()>,
    limit: Duration,
) -> Result<SummaryRecord> {
    // Every rank runs the same number of batches.
    let count = SAMPLES.max((limit.as_millis() / 60) as usize);
    let mut samples = Vec::new();
    for _ in 0..count {
        comm.synchronize()?;
        comm.barrier()?;
        let start = comm.device().event()?;
        (0..RUNS).try_for_each(|_| run())?;
        let end = comm.device().event()?;
        samples.push(end.nanoseconds_since(&start)? / RUNS as f64);
    }
    Ok(SummaryRecord::from(&summary(&samples[2..])))
}
