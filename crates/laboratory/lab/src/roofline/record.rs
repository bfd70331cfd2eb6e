//! A roofline as plain data.

use lanework::DeviceInfo;
use lanework_bench::{DeviceRecord, Gpu, TimedRecord, specs};
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
    /// All of them.
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
