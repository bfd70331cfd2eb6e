//! Kernels under the roofline: rungs by their times on a GPU, or by their counters on the emulator.

use super::record::{PointRecord, gpu_of};
use crate::Progress;
use crate::families::Family;
use crate::problem::case::Case;
use crate::runs::climb::{ClimbSettings, climb};
use crate::runs::profile::profile;
use crate::runs::timed::launch;
use lanework::emulator::Blocks;
use lanework::report::By;
use lanework::{Device, Job, Result};
use lanework_bench::{Arithmetic, Gpu, Rejection, Work};

/// Approximate number of counted blocks, if there are more.
const COUNTED: u64 = 2048;

/// The least time of some work by nominal ceilings: nanoseconds, and the limiting ceiling.
fn bound(work: Work, with: Arithmetic, gpu: &Gpu) -> (f64, &'static str) {
    let tensor = gpu.bf16_tflops.unwrap_or(gpu.fp32_tflops);
    let rate = 1e3
        * match with {
            Arithmetic::Lanes => gpu.fp32_tflops,
            Arithmetic::Tensor => tensor,
            Arithmetic::TensorBytes | Arithmetic::Unknown => 2.0 * tensor,
        };
    let (memory, arithmetic) = (work.bytes as f64 / gpu.bandwidth_gb_s, work.flops as f64 / rate);
    if memory >= arithmetic { (memory, "memory") } else { (arithmetic, "arithmetic") }
}

/// Operations per byte.
fn intensity(flops: u64, bytes: u64) -> f64 {
    if bytes == 0 { 0.0 } else { flops as f64 / bytes as f64 }
}

/// The rungs of a ladder by their times on a GPU.
///
/// # Errors
/// If the case does not fit the device, or the device fails.
pub fn timed_points(
    family: &Family,
    case: &dyn Case,
    device: &Device,
    settings: &ClimbSettings,
    progress: Progress<'_>,
) -> Result<Vec<PointRecord>> {
    let record = climb(family, case, device, settings, progress)?;
    let (work, gpu) = (case.work(), gpu_of(&device.info()));
    let peer = family.peer.map(|peer| peer.name);
    let point = |rung: &crate::RungRecord| {
        let time = rung.time.as_ref()?;
        let vendor = peer == Some(rung.name);
        // A rung computes on the lanes; the execution units of a library are unknown.
        let with = if vendor { Arithmetic::Unknown } else { Arithmetic::Lanes };
        let (bound_ns, bound_by) = bound(work, with, &gpu);
        let valid = time.invalid.is_none();
        Some(PointRecord {
            name: rung.name.to_owned(),
            vendor,
            intensity: intensity(work.flops, work.bytes),
            bound_ns,
            bound_by: bound_by.to_owned(),
            median_ns: Some(time.median_ns),
            gigaflops_per_second: Some(time.gigaflops_per_second),
            gigabytes_per_second: Some(time.gigabytes_per_second),
            of_bound: valid.then_some(bound_ns / time.median_ns),
            sector_bytes: None,
            flops: None,
            uncached_ns: None,
        })
    };
    Ok(record.rungs.iter().filter_map(point).collect())
}

/// The rungs of a ladder by their counts on the emulator, under the nominal ceilings of `gpu`. Each is verified first.
///
/// # Errors
/// If the case does not fit, or a result is wrong.
pub fn counted_points(
    family: &Family,
    case: &dyn Case,
    device: &Device,
    gpu: &Gpu,
    progress: Progress<'_>,
) -> std::result::Result<Vec<PointRecord>, Rejection> {
    case.check_fits(device)?;
    let mut points = Vec::new();
    for info in (family.ladder)().rungs {
        if case.skips(info.name, device).is_some() {
            continue;
        }
        progress(info.name);
        let mut trial = case.trial(info.name, device)?;
        launch(trial.as_mut(), device)?;
        trial.check().map_err(|why| why.at(info.name))?;
        let job = trial.job()?;
        let ptx = job.ptx();
        let Job::Kernel(mut kernel) = job else { continue };
        let blocks = match kernel.blocks_may_wait() {
            true => Blocks::All,
            false => Blocks::Sample { count: COUNTED },
        };
        let counted = profile(&mut kernel, blocks, By::Ptx, gpu)?;
        let part = counted
            .sampled
            .map_or(1.0, |sample| sample.blocks_counted as f64 / sample.blocks.max(1) as f64);
        let whole = |count: u64| (count as f64 / part).round() as u64;
        let (flops, sector_bytes) = (whole(counted.flops), whole(counted.sector_bytes));
        let work = Work { bytes: case.work().bytes, flops: flops.max(case.work().flops) };
        let with = Arithmetic::of(ptx.as_deref(), Some(2));
        let (bound_ns, bound_by) = bound(work, with, gpu);
        points.push(PointRecord {
            name: info.name.to_owned(),
            vendor: false,
            intensity: intensity(flops, sector_bytes),
            bound_ns,
            bound_by: bound_by.to_owned(),
            median_ns: None,
            gigaflops_per_second: None,
            gigabytes_per_second: None,
            of_bound: None,
            sector_bytes: Some(sector_bytes),
            flops: Some(flops),
            uncached_ns: Some(sector_bytes as f64 / gpu.bandwidth_gb_s),
        });
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework_bench::specs;

    #[test]
    fn the_bound_is_the_larger_of_two_times() {
        let h200 = specs().gpu("H200").expect("known");
        let of = |bytes, flops, with| bound(Work { bytes, flops }, with, h200);
        assert_eq!(of(4_800_000, 0, Arithmetic::Lanes), (1000.0, "memory"));
        assert_eq!(of(4800, 66_900_000, Arithmetic::Lanes), (1000.0, "arithmetic"));
        assert_eq!(of(4_800_000, 66_900_000, Arithmetic::Tensor), (1000.0, "memory"));
    }

    #[test]
    fn rungs_that_move_more_have_lower_intensity() {
        let family = crate::family("transpose").expect("known");
        let request = crate::Request::new(lanework::Backend::Emulator).with("size", 64);
        let case = family.case(&request).expect("a case");
        let gpu = specs().gpu("H200").expect("known");
        let device = Device::emulator();
        let points =
            counted_points(&family, case.as_ref(), &device, gpu, &mut |_| {}).expect("points");
        assert!(points.len() >= 5);
        for point in &points {
            // Reading and writing 64 x 64 floats moves at least their bytes; no rung can move fewer.
            assert!(point.sector_bytes >= Some(2 * 64 * 64 * 4), "{point:?}");
            assert_eq!(point.bound_by, "memory");
            assert!(point.uncached_ns.is_some_and(|ns| ns >= point.bound_ns - 1e-9), "{point:?}");
            assert!(point.median_ns.is_none() && point.of_bound.is_none());
        }
    }
}
