//! Several devices: the ladder of all-reduces, and products and sums divided among devices, compared with one
//! device. Results are verified; GPUs are also timed.
//!
//! A time is the longest time of a batch of runs between two events on any GPU, divided by the runs: it includes
//! waiting for other GPUs. Vectors hold small integers: sums in any order have the same bits, so results are compared
//! exactly.

use crate::Progress;
use lanework::{Backend, Buffer, Device, Result};
use lanework_bench::{DeviceRecord, Summary, SummaryRecord};
use lanework_dist::{Communicator, Reduction, product, share, total};
use lanework_ladders::multi_gpu::{AllReduce, Ranks, SeveralRung, rungs};
use lanework_ops::{GemmElement, Plan, Tensor, TensorMut, gemm, reduce};
use serde::Serialize;
use std::time::{Duration, Instant};

/// The ladder climbed on several devices.
#[derive(Clone, Debug, Serialize)]
pub struct SeveralRecord {
    /// `multi-gpu`.
    pub ladder: &'static str,
    /// In the order of ranks.
    pub devices: Vec<DeviceRecord>,
    /// Elements of a vector.
    pub size: u64,
    /// In the order of the ladder.
    pub rungs: Vec<SeveralRungRecord>,
}

/// One rung on several devices.
#[derive(Clone, Debug, Serialize)]
pub struct SeveralRungRecord {
    /// Its name.
    pub name: &'static str,
    /// Whether every device had the right sum, before and after timing.
    pub verified: bool,
    /// The error.
    pub error: Option<String>,
    /// Why it was skipped.
    pub skipped: Option<String>,
    /// Time of one all-reduce; `None` on emulated devices.
    pub time: Option<SummaryRecord>,
    /// Bytes per second of a vector: its bytes by the time.
    pub vector_bandwidth: Option<f64>,
    /// Least bytes per second that each device receives: 2 (n - 1) / n of `vector_bandwidth`.
    pub link_bandwidth: Option<f64>,
    /// Speedup over the previous rung.
    pub speedup: Option<f64>,
}

/// Climbs the ladder with vectors of `length` elements; `chosen` lists rungs, all if it is empty.
///
/// # Errors
/// If the devices have no memory for two vectors each, or fail. A wrong sum is not an error: the rung's record says
/// so.
pub fn climb_several(
    devices: &[Device],
    length: usize,
    chosen: &[String],
    limit: Duration,
    progress: Progress<'_>,
) -> Result<SeveralRecord> {
    progress("on the host");
    let mut ranks = Ranks::new(devices, length, element)?;
    let sum = |index: usize| (0..devices.len()).map(|rank| element(rank, index)).sum::<f32>();
    let wanted: Vec<f32> = (0..length).map(sum).collect();
    let mut record = SeveralRecord {
        ladder: "multi-gpu",
        devices: devices.iter().map(DeviceRecord::of).collect(),
        size: length as u64,
        rungs: Vec::new(),
    };
    let named =
        |rung: &SeveralRung| chosen.is_empty() || chosen.iter().any(|name| name == rung.info.name);
    for rung in rungs().into_iter().filter(named) {
        progress(rung.info.name);
        let mut found = SeveralRungRecord {
            name: rung.info.name,
            verified: false,
            error: None,
            skipped: (rung.missing)(devices),
            time: None,
            vector_bandwidth: None,
            link_bandwidth: None,
            speedup: None,
        };
        if found.skipped.is_none() {
            match climb_rung(&rung, &mut ranks, &wanted, limit) {
                Ok((time, error)) => {
                    let bytes = 4.0 * length as f64;
                    let size = devices.len() as f64;
                    found.vector_bandwidth = time.as_ref().map(|time| bytes / time.median_ns * 1e9);
                    found.link_bandwidth =
                        found.vector_bandwidth.map(|vector| vector * 2.0 * (size - 1.0) / size);
                    (found.verified, found.error, found.time) = (error.is_none(), error, time);
                }
                Err(error) => found.error = Some(error.to_string()),
            }
        }
        let median = |rung: &SeveralRungRecord| rung.time.as_ref().map(|time| time.median_ns);
        let before = record.rungs.iter().rev().find_map(median);
        found.speedup = before.zip(median(&found)).map(|(before, now)| before / now);
        record.rungs.push(found);
    }
    Ok(record)
}

/// Small integers.
fn element(rank: usize, index: usize) -> f32 {
    let mixed = (index as u32).wrapping_mul(2_654_435_761).wrapping_add(rank as u32 * 40_503) >> 20;
    mixed as f32 - 2048.0
}

/// Verifies a rung, times it on GPUs, and verifies it again; returns its time and the error.
fn climb_rung(
    rung: &SeveralRung,
    ranks: &mut Ranks,
    wanted: &[f32],
    limit: Duration,
) -> Result<(Option<SummaryRecord>, Option<String>)> {
    for rank in &mut ranks.ranks {
        rank.y.fill_bytes(0xFF)?;
    }
    let devices: Vec<Device> = ranks.ranks.iter().map(|rank| rank.device.clone()).collect();
    wait(&devices)?;
    let mut all_reduce = (rung.prepare)(ranks)?;
    all_reduce()?;
    wait(&devices)?;
    if let Some(wrong) = wrong(ranks, wanted)? {
        return Ok((None, Some(wrong)));
    }
    let gpus = devices.iter().all(|device| device.backend() == Backend::Cuda);
    let time = if gpus { Some(time(&devices, &mut all_reduce, limit)?) } else { None };
    wait(&devices)?;
    drop(all_reduce);
    Ok((time, wrong(ranks, wanted)?))
}

/// The first wrong element of any device.
fn wrong(ranks: &Ranks, wanted: &[f32]) -> Result<Option<String>> {
    for (rank, of) in ranks.ranks.iter().enumerate() {
        let got = of.y.download()?;
        let first =
            got.iter().zip(wanted).position(|(got, wanted)| got.to_bits() != wanted.to_bits());
        if let Some(index) = first {
            let (got, wanted) = (got[index], wanted[index]);
            return Ok(Some(format!("rank {rank}: [{index}] is {got}, should be {wanted}")));
        }
    }
    Ok(None)
}

/// A product divided among devices, compared with one device.
#[derive(Clone, Debug, Serialize)]
pub struct ScalingRecord {
    /// Name of the element type.
    pub element: &'static str,
    /// Rows, columns and inner extent.
    pub extents: [usize; 3],
    /// Number of devices.
    pub devices: usize,
    /// Whether the divided product equals the product on one device.
    pub verified: bool,
    /// Times of the product on one device and on all of them; `None` on emulated devices.
    pub times: Option<[SummaryRecord; 2]>,
    /// Speedup over one device.
    pub speedup: Option<f64>,
}

/// A square product of `extent` rows on one device, and divided by rows among all of them.
///
/// # Errors
/// If the devices have no memory, or fail.
pub fn scaling<T>(
    devices: &[Device],
    extent: usize,
    make: fn(f32) -> T,
    name: &'static str,
    limit: Duration,
) -> Result<ScalingRecord>
where
    T: GemmElement + lanework_dist::Number + Send + Sync,
{
    let n = extent;
    // Small enough for every sum of products to be exact in single precision.
    let number = |i: usize, seed: u32| {
        let mixed = (i as u32).wrapping_mul(2_654_435_761).wrapping_add(seed * 97) >> 24;
        make(((mixed % 7) as f32 - 3.0) * 0.25)
    };
    let a: Vec<T> = (0..n * n).map(|i| number(i, 1)).collect();
    let b: Vec<T> = (0..n * n).map(|i| number(i, 2)).collect();
    let gpus = devices.iter().all(|device| device.backend() == Backend::Cuda);

    let device = &devices[0];
    let (whole_a, whole_b) = (device.upload(&a)?, device.upload(&b)?);
    let mut whole = device.uninit::<f32>(n * n)?;
    let (one, one_time) = {
        let (a, b) = (Tensor::new(&whole_a, [n, n])?, Tensor::new(&whole_b, [n, n])?);
        let mut plan = gemm(a, b).prepare(TensorMut::new(&mut whole, [n, n])?)?;
        plan.launch()?;
        let time = if gpus { Some(time_alone(device, &mut plan, limit)?) } else { None };
        drop(plan);
        (whole.download()?, time)
    };
    drop((whole_a, whole_b, whole));

    let of_rank = |comm: &Communicator| -> Result<(Vec<f32>, Option<SummaryRecord>)> {
        let rows = share(n, comm.size(), comm.rank());
        let device = comm.device();
        let own = |whole: &[T]| device.upload(&whole[rows.start * n..rows.end * n]);
        let (own_a, own_b): (Buffer<T>, Buffer<T>) = (own(&a)?, own(&b)?);
        let mut own_c = device.uninit::<f32>(rows.len() * n)?;
        let shape = [rows.len(), n];
        let (own_a, own_b) = (Tensor::new(&own_a, shape)?, Tensor::new(&own_b, shape)?);
        let mut plan = product(comm, own_a, own_b).prepare(TensorMut::new(&mut own_c, shape)?)?;
        plan.run()?;
        comm.synchronize()?;
        let time = if gpus { Some(time_together(comm, || plan.run(), limit)?) } else { None };
        comm.synchronize()?;
        drop(plan);
        Ok((own_c.download()?, time))
    };
    let (rows, slowest) = on_all(devices, of_rank)?;
    let verified = one == rows.concat();
    Ok(compared(name, [n, n, n], devices.len(), verified, one_time, slowest))
}

/// The sum of `length` numbers on one device, and divided among all of them.
///
/// # Errors
/// If the devices have no memory, or fail.
pub fn scaling_of_sum(devices: &[Device], length: usize, limit: Duration) -> Result<ScalingRecord> {
    // Hashed sequence of -1, 0 and 1: every partial sum is exact.
    let number = |i: usize| ((i as u32).wrapping_mul(2_654_435_761) >> 24) % 3;
    let x: Vec<f32> = (0..length).map(|i| number(i) as f32 - 1.0).collect();
    let gpus = devices.iter().all(|device| device.backend() == Backend::Cuda);
    let device = &devices[0];
    let (one, one_time) = {
        let whole = device.upload(&x)?;
        let mut out = device.uninit::<f32>(1)?;
        let mut plan = reduce::sum(&whole).prepare(&mut out)?;
        plan.launch()?;
        let time = if gpus { Some(time_alone(device, &mut plan, limit)?) } else { None };
        drop(plan);
        (out.download()?, time)
    };
    let of_rank = |comm: &Communicator| -> Result<(Vec<f32>, Option<SummaryRecord>)> {
        let own = comm.device().upload(&x[share(length, comm.size(), comm.rank())])?;
        let mut out = comm.device().uninit::<f32>(1)?;
        let mut plan = total(comm, Reduction::Sum, reduce::sum(&own)).prepare(&mut out)?;
        plan.run()?;
        comm.synchronize()?;
        let time = if gpus { Some(time_together(comm, || plan.run(), limit)?) } else { None };
        comm.synchronize()?;
        drop(plan);
        Ok((out.download()?, time))
    };
    let (sums, slowest) = on_all(devices, of_rank)?;
    let verified = sums.iter().all(|sum| *sum == one);
    Ok(compared("f32 sum", [length, 1, 1], devices.len(), verified, one_time, slowest))
}

/// Runs `work` for every rank, each in a thread; returns all results and the longest time.
fn on_all<V: Send>(
    devices: &[Device],
    work: impl Fn(&Communicator) -> Result<(V, Option<SummaryRecord>)> + Sync,
) -> Result<(Vec<V>, Option<SummaryRecord>)> {
    let ranks = Communicator::local(devices)?;
    let parts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = ranks.iter().map(|comm| scope.spawn(|| work(comm))).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let (mut values, mut slowest): (Vec<V>, Option<SummaryRecord>) = (Vec::new(), None);
    for part in parts {
        let (value, time) = part?;
        values.push(value);
        let later = |a: &SummaryRecord, b: &SummaryRecord| a.median_ns < b.median_ns;
        if slowest.as_ref().zip(time.as_ref()).is_none_or(|(known, new)| later(known, new)) {
            slowest = time.or(slowest);
        }
    }
    Ok((values, slowest))
}

fn compared(
    element: &'static str,
    extents: [usize; 3],
    devices: usize,
    verified: bool,
    one: Option<SummaryRecord>,
    all: Option<SummaryRecord>,
) -> ScalingRecord {
    let times = one.zip(all).map(|(one, all)| [one, all]);
    let speedup = times.as_ref().map(|[one, all]| one.median_ns / all.median_ns);
    ScalingRecord { element, extents, devices, verified, times, speedup }
}

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

/// The time of a product on all ranks, which start each batch together.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rung_is_verified_or_skipped_with_a_reason() -> Result<()> {
        for size in [1, 2, 3] {
            let devices = Device::emulators(size);
            let record = climb_several(&devices, 1000, &[], Duration::ZERO, &mut |_| ())?;
            for rung in &record.rungs {
                let nccl = rung.name == "nccl";
                assert_eq!((rung.verified, rung.skipped.is_some()), (!nccl, nccl), "{rung:?}");
                assert!(rung.time.is_none());
            }
            assert_eq!(record.rungs.len(), 7);
        }
        Ok(())
    }

    #[test]
    fn a_divided_product_equals_the_whole_one() -> Result<()> {
        let record = scaling(&Device::emulators(3), 20, |x| x, "f32", Duration::ZERO)?;
        assert!(record.verified && record.times.is_none());
        let record = scaling_of_sum(&Device::emulators(3), 1000, Duration::ZERO)?;
        assert!(record.verified);
        Ok(())
    }
}
