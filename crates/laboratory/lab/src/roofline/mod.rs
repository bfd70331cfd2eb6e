//! The roofline: ceilings of a GPU's memory and arithmetic, nominal and measured, and the distance of kernels from
//! them (Williams, Waterman and Patterson, "Roofline: an insightful visual performance model", CACM 2009).
//!
//! On a GPU, single-purpose kernels measure the ceilings, and rungs are placed by their times. The emulator does not
//! model time: it places rungs by their counters under the nominal ceilings of a chosen GPU. The result is a bound:
//! the rung cannot be faster on that GPU.

mod measured;

pub use measured::measure_ceilings;

use crate::Progress;
use crate::families::Family;
use crate::problem::Case;
use crate::runs::climb::{ClimbSettings, climb};
use crate::runs::measure::{launch, profile};
use lanework::emulator::Blocks;
use lanework::report::By;
use lanework::{Device, DeviceInfo, Job, Result};
use lanework_bench::{Arithmetic, DeviceRecord, Gpu, Rejection, TimedRecord, Work, specs};
use serde::{Deserialize, Serialize};

/// The ceilings, from the slowest memory to the fastest arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ceiling {
    /// Memory, half of the bytes read and half written.
    Copy,
    /// Memory, read.
    Read,
    /// The L2 cache, read.
    L2,
    /// Multiply-adds of f32 on the lanes.
    Fp32,
    /// bf16 products on tensor cores by `mma`.
    Mma,
    /// bf16 products on tensor cores by `wgmma`.
    Wgmma,
}

impl Ceiling {
    /// Every ceiling.
    pub const ALL: [Ceiling; 6] =
        [Ceiling::Copy, Ceiling::Read, Ceiling::L2, Ceiling::Fp32, Ceiling::Mma, Ceiling::Wgmma];

    /// Its description.
    pub fn words(self) -> &'static str {
        match self {
            Ceiling::Copy => "memory, copy",
            Ceiling::Read => "memory, read",
            Ceiling::L2 => "L2 cache, read",
            Ceiling::Fp32 => "f32 multiply-adds",
            Ceiling::Mma => "bf16 products, mma",
            Ceiling::Wgmma => "bf16 products, wgmma",
        }
    }

    /// `GB/s` or `GFLOP/s`: 10^9 per second.
    pub fn unit(self) -> &'static str {
        match self {
            Ceiling::Copy | Ceiling::Read | Ceiling::L2 => "GB/s",
            Ceiling::Fp32 | Ceiling::Mma | Ceiling::Wgmma => "GFLOP/s",
        }
    }
}

/// One ceiling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CeilingRecord {
    /// Which.
    pub ceiling: Ceiling,
    /// `GB/s` or `GFLOP/s`.
    pub unit: String,
    /// By the vendor's figures; `None` without figures.
    pub nominal: Option<f64>,
    /// By a kernel, at its median; `None` on the emulator.
    pub measured: Option<f64>,
    /// Why it was not measured.
    pub skipped: Option<String>,
    /// The measurement with every sample.
    pub timed: Option<TimedRecord>,
}

/// One kernel under the roofline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointRecord {
    /// Its name.
    pub name: String,
    /// Whether it is a vendor's library.
    pub vendor: bool,
    /// Operations per byte: of the least work on a GPU, of the counted work on the emulator; 0 without operations.
    pub intensity: f64,
    /// Least time by the nominal ceilings, nanoseconds.
    pub bound_ns: f64,
    /// The limiting ceiling: `memory` or `arithmetic`.
    pub bound_by: String,
    /// Its time, nanoseconds; `None` on the emulator.
    pub median_ns: Option<f64>,
    /// 10^9 operations per second; `None` on the emulator.
    pub gigaflops_per_second: Option<f64>,
    /// 10^9 bytes of the least work per second; `None` on the emulator.
    pub gigabytes_per_second: Option<f64>,
    /// The bound over the time: 1 is the roof. `None` on the emulator, and if the time is invalid.
    pub of_bound: Option<f64>,
    /// Bytes of all moved sectors, counted by the emulator.
    pub sector_bytes: Option<u64>,
    /// Operations, counted by the emulator.
    pub flops: Option<u64>,
    /// Time if every sector came from memory, nanoseconds; caches make it less. `None` on a GPU.
    pub uncached_ns: Option<f64>,
}

/// A roofline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RooflineRecord {
    /// `measured` on a GPU; `bound` on the emulator, which compares counters with nominal ceilings.
    pub kind: String,
    /// The GPU that the ceilings are of.
    pub gpu: String,
    /// The device.
    pub device: DeviceRecord,
    /// Source of the nominal figures.
    pub source: String,
    /// The ceilings.
    pub ceilings: Vec<CeilingRecord>,
    /// The ladder of the points, if any.
    pub ladder: Option<String>,
    /// The problem of the points by name.
    pub problem: std::collections::BTreeMap<String, String>,
    /// Kernels under it.
    pub points: Vec<PointRecord>,
}

impl RooflineRecord {
    /// A ceiling: measured if available, else nominal.
    pub fn ceiling(&self, which: Ceiling) -> Option<f64> {
        let found = self.ceilings.iter().find(|record| record.ceiling == which)?;
        found.measured.or(found.nominal)
    }
}

/// The nominal figure of a ceiling of a GPU of the table.
pub fn nominal(ceiling: Ceiling, gpu: &Gpu) -> Option<f64> {
    match ceiling {
        Ceiling::Copy | Ceiling::Read => Some(gpu.bandwidth_gb_s),
        Ceiling::L2 => None,
        Ceiling::Fp32 => Some(1e3 * gpu.fp32_tflops),
        Ceiling::Mma => gpu.bf16_tflops.map(|rate| 1e3 * rate),
        Ceiling::Wgmma => {
            gpu.bf16_tflops.map(|rate| 1e3 * rate).filter(|_| gpu.capability().0 == 9)
        }
    }
}

/// The table's entry for a device; if the table lacks it, a description from its driver.
pub(crate) fn gpu_of(info: &DeviceInfo) -> Gpu {
    if let Some(gpu) = specs().gpu(&info.name) {
        return gpu.clone();
    }
    let arch = specs().architecture(info.compute_capability);
    let lanes = f64::from(arch.fp32_per_sm) * f64::from(info.multiprocessors);
    let (major, minor) = info.compute_capability;
    Gpu {
        name: info.name.clone(),
        geforce: false, // the name says it
        compute_capability: format!("{major}.{minor}"),
        multiprocessors: info.multiprocessors,
        clock_mhz: info.clock_khz / 1000,
        memory_gb: (info.memory_bytes >> 30) as u32,
        bandwidth_gb_s: info.memory_bandwidth as f64 / 1e9,
        memory_bus_bits: 0,
        l2_mb: (info.l2_bytes >> 20) as u32,
        fp32_tflops: 2.0 * lanes * f64::from(info.clock_khz) / 1e9,
        tf32_tflops: None,
        bf16_tflops: None,
        pci_device: String::new(),
        source: "the driver's figures: clocks, bus width, multiprocessors".to_owned(),
    }
}

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
