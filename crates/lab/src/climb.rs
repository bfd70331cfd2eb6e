//! Climbing the transpose ladder: every rung proved, then counted or timed.

use crate::Progress;
use crate::element::{ElementType, with_bits};
use crate::inputs::random_elements;
use crate::measure::{Cache, Measurement, Stop, Timer, measure};
use crate::reason::reason;
use crate::record::{ClimbRecord, DeviceRecord, HostRecord, RungRecord, SampleRecord, TimeRecord};
use crate::stats::Summary;
use crate::transpose::{
    Matrix, TransposeRung, check_transpose_fits, count, place, poison, prove_transpose,
};
use crate::verify::compare_transpose;
use lanework::sim::Blocks;
use lanework::{Backend, Device, Element, Prepared, Result};
use lanework_kernels::transpose;
use std::time::{Duration, Instant};

/// What to climb and how.
#[derive(Clone, Debug)]
pub struct ClimbRequest {
    /// Shape and block.
    pub matrix: Matrix,
    /// Type of the elements.
    pub element: ElementType,
    /// Seed of the random elements.
    pub seed: u64,
    /// The rungs to run, by name; empty for all.
    pub rungs: Vec<String>,
    /// Longest time to spend on sampling one rung's time.
    pub time_limit: Duration,
}

/// Elements up to which the emulator counts every block; above, it counts a sample of blocks, after
/// a run of all of them has proved the result.
const COUNT_ALL: usize = 1 << 24;
/// Blocks counted in a sample, about.
const SAMPLED_BLOCKS: u64 = 2048;

/// Climbs the transpose ladder.
///
/// # Errors
/// When the shape does not fit the device, or the device fails. A rung that computes the wrong
/// thing is not an error: its record says so.
pub fn climb_transpose(
    device: &Device,
    request: &ClimbRequest,
    progress: Progress<'_>,
) -> Result<ClimbRecord> {
    check_transpose_fits(device, request.matrix, request.element.bytes)?;
    with_bits!(request.element.bytes, E => climb::<E>(device, request, progress))
}

fn climb<E: Element>(
    device: &Device,
    request: &ClimbRequest,
    progress: Progress<'_>,
) -> Result<ClimbRecord> {
    let matrix = request.matrix;
    progress("drawing random elements");
    let src: Vec<E> = random_elements(matrix.elements(), request.seed);
    let mut record = ClimbRecord {
        ladder: "transpose",
        device: DeviceRecord::of(device),
        size: [matrix.rows, matrix.cols],
        block: matrix.block,
        element: request.element.name,
        bytes: 2 * (matrix.elements() * size_of::<E>()) as u64,
        seed: request.seed,
        host: host_time(&src, matrix),
        rungs: Vec::new(),
    };
    let chosen = |rung: &TransposeRung<E>| {
        request.rungs.is_empty() || request.rungs.iter().any(|name| name == rung.info.name)
    };
    for rung in transpose::rungs::<E>().into_iter().filter(chosen) {
        progress(rung.info.name);
        let mut found = RungRecord {
            name: rung.info.name,
            experiment: rung.info.experiment,
            verified: false,
            error: None,
            counters: None,
            sampled: None,
            time: None,
            speedup: None,
            reason: None,
        };
        match climb_rung(&rung, device, &src, request, &mut found) {
            Ok(()) => found.verified = true,
            Err(why) => {
                found = RungRecord { error: Some(why), counters: None, time: None, ..found };
            }
        }
        let median = |rung: &RungRecord| rung.time.as_ref().map(|time| time.median_ns);
        found.speedup = (record.rungs.last().and_then(median).zip(median(&found)))
            .map(|(before, now)| before / now);
        found.reason = record.rungs.last().and_then(|before| reason(before, &found));
        record.rungs.push(found);
    }
    Ok(record)
}

/// Proves one rung at an odd shape and at the asked one, then counts or times it.
///
/// # Errors
/// In words, what differs or failed.
fn climb_rung<E: Element>(
    rung: &TransposeRung<E>,
    device: &Device,
    src: &[E],
    request: &ClimbRequest,
    found: &mut RungRecord,
) -> Result<(), String> {
    let matrix = request.matrix;
    let odd = Matrix { rows: 2 * matrix.block + 5, cols: 3 * matrix.block + 1, ..matrix };
    prove_transpose(rung, device, odd, request.seed + 1)?;
    let failed = |error: lanework::Error| error.to_string();
    let mut matrices = place(device, src, matrix).map_err(failed)?;
    let check = |matrices: &transpose::Matrices<E>| {
        let dst = matrices.dst.download().map_err(failed)?;
        compare_transpose(src, &dst, matrix.rows as usize, matrix.cols as usize)
            .map_err(|mismatch| mismatch.to_string())
    };
    match device.backend() {
        Backend::Emulator if src.len() <= COUNT_ALL => {
            let profile = count(rung, device, &mut matrices, Blocks::All).map_err(failed)?;
            check(&matrices)?;
            found.counters = Some((&profile.counters).into());
        }
        Backend::Emulator => {
            run(rung, device, &mut matrices).map_err(failed)?;
            check(&matrices)?;
            let sample = Blocks::Sample { count: SAMPLED_BLOCKS };
            let profile = count(rung, device, &mut matrices, sample).map_err(failed)?;
            found.counters = Some((&profile.counters).into());
            found.sampled =
                Some(SampleRecord { blocks_counted: profile.blocks_run, blocks: profile.blocks });
        }
        Backend::Cuda => {
            run(rung, device, &mut matrices).map_err(failed)?;
            check(&matrices)?;
            poison(&mut matrices).map_err(failed)?;
            found.time = Some(time(rung, device, src, &mut matrices, request).map_err(failed)?);
            check(&matrices)?;
        }
    }
    Ok(())
}

fn run<E: Element>(
    rung: &TransposeRung<E>,
    device: &Device,
    matrices: &mut transpose::Matrices<E>,
) -> Result<()> {
    (rung.prepare)(matrices, device)?.launch()?;
    device.synchronize()
}

/// Times a rung with a cold cache: on as many copies of the matrices as exceed it twice over.
fn time<E: Element>(
    rung: &TransposeRung<E>,
    device: &Device,
    src: &[E],
    matrices: &mut transpose::Matrices<E>,
    request: &ClimbRequest,
) -> Result<TimeRecord> {
    let info = device.info();
    let bytes = matrices.bytes();
    let copies = (2 * info.l2_bytes).div_ceil(bytes).max(1);
    let mut others = Vec::new();
    for _ in 1..copies {
        others.push(place(device, src, request.matrix)?);
    }
    let mut jobs: Vec<Prepared<'_>> = std::iter::once(matrices)
        .chain(&mut others)
        .map(|matrices| (rung.prepare)(matrices, device))
        .collect::<Result<_>>()?;
    let measured = measure(device, &mut jobs, Cache::Cold, request.time_limit)?;
    Ok(time_record(&measured, bytes, info.memory_bandwidth))
}

fn time_record(measured: &Measurement, bytes: u64, bandwidth: u64) -> TimeRecord {
    let Summary { min, lower_quartile, median, upper_quartile, interval, count } = measured.summary;
    let floor = bytes as f64 / bandwidth as f64 * 1e9;
    TimeRecord {
        median_ns: median,
        samples: count,
        interval_ns: [interval.0, interval.1],
        min_ns: min,
        quartiles_ns: [lower_quartile, upper_quartile],
        gigabytes_per_second: bytes as f64 / median,
        cache: match measured.cache {
            Cache::Cold => "cold",
            Cache::Hot => "hot",
        },
        timer: match measured.timer {
            Timer::Events => "events".to_owned(),
            Timer::Graph(launches) => format!("graph of {launches}"),
        },
        stop: match measured.stop {
            Stop::Settled => "settled",
            Stop::TimeLimit => "time limit",
        },
        invalid: (bandwidth > 0 && median < floor).then(|| {
            format!(
                "{median:.0} ns is under the {floor:.0} ns that the memory needs: either the cache \
                 was not cold or the kernel did not do all its work"
            )
        }),
    }
}

/// Times the host's transpose (B7): at least once, for at most about half a second.
fn host_time<E: Element>(src: &[E], matrix: Matrix) -> HostRecord {
    let started = Instant::now();
    let mut samples = Vec::new();
    while samples.is_empty() || (samples.len() < 5 && started.elapsed().as_secs_f64() < 0.5) {
        let begun = Instant::now();
        let transposed = transpose::on_host(src, matrix.rows as usize, matrix.cols as usize);
        samples.push(begun.elapsed().as_nanos() as f64);
        std::hint::black_box(transposed);
    }
    let median_ns = Summary::of(&samples).map_or(0.0, |summary| summary.median);
    HostRecord { experiment: "B7", median_ns, samples: samples.len() }
}
