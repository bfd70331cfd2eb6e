//! GPU specifications: multiprocessor limits per compute capability, and rates per product.
//!
//! The table is `data/gpus.json`; limits come from the compute-capability table in the CUDA C++ Programming Guide, and
//! each product cites the source of its rates. A file in the same format can extend it.

mod attributes;

pub use attributes::device_attribute;

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Limits of the multiprocessors of one compute capability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// As `major.minor`.
    pub compute_capability: String,
    /// FP32 multiply-adds per clock and multiprocessor.
    pub fp32_per_sm: u32,
    /// FP64 multiply-adds per clock and multiprocessor; 0 if unknown.
    #[serde(default)]
    pub fp64_per_sm: u32,
    /// Maximum resident threads.
    pub threads_per_sm: u32,
    /// Maximum resident blocks.
    pub blocks_per_sm: u32,
    /// 32-bit registers.
    pub registers_per_sm: u32,
    /// Bytes of shared memory.
    pub shared_per_sm: u32,
    /// Bytes of L1 cache and shared memory combined.
    #[serde(default)]
    pub l1_per_sm: u32,
    /// Bytes of shared memory available to one block.
    pub shared_per_block: u32,
}

/// One GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// Product name without `NVIDIA` and `GeForce`.
    pub name: String,
    /// Whether it is a GeForce product: no ECC, and the driver's name for it includes `GeForce`.
    #[serde(default)]
    pub geforce: bool,
    /// As `major.minor`.
    pub compute_capability: String,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Boost clock in MHz.
    pub clock_mhz: u32,
    /// Nominal memory in units of 2^30 bytes. The driver reserves about 1 % of it.
    pub memory_gb: u32,
    /// Memory bandwidth in 10^9 bytes per second.
    pub bandwidth_gb_s: f64,
    /// Width of the memory bus in bits; 0 if unknown.
    #[serde(default)]
    pub memory_bus_bits: u32,
    /// L2 cache in MiB.
    pub l2_mb: u32,
    /// FP32 rate in 10^12 operations per second.
    pub fp32_tflops: f64,
    /// Dense TF32 tensor rate; `None` if its tensor cores do not support TF32.
    pub tf32_tflops: Option<f64>,
    /// Dense BF16 tensor rate with FP32 accumulation.
    pub bf16_tflops: Option<f64>,
    /// PCI device id, four hexadecimal digits; empty if unknown.
    #[serde(default)]
    pub pci_device: String,
    /// Source of the figures.
    pub source: String,
}

impl Gpu {
    /// The name that NVIDIA's driver reports.
    pub fn full_name(&self) -> String {
        format!("NVIDIA {}{}", if self.geforce { "GeForce " } else { "" }, self.name)
    }

    /// The memory clock in kHz that the driver reports: two transfers per clock over the bus give the bandwidth. 0 if
    /// the bus width is unknown.
    pub fn memory_clock_khz(&self) -> u32 {
        match self.memory_bus_bits {
            0 => 0,
            bits => (self.bandwidth_gb_s * 1e6 / (2.0 * f64::from(bits) / 8.0)) as u32,
        }
    }

    /// The compute capability as numbers.
    pub fn capability(&self) -> (u32, u32) {
        let (major, minor) = self.compute_capability.split_once('.').unwrap_or(("0", "0"));
        (major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
    }
}

/// The table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Specs {
    /// Limits by compute capability.
    #[serde(default)]
    pub architectures: Vec<Architecture>,
    /// Products.
    #[serde(default)]
    pub gpus: Vec<Gpu>,
}

/// The built-in table.
///
/// # Panics
/// Never: a test parses the table.
pub fn specs() -> &'static Specs {
    static TABLE: OnceLock<Specs> = OnceLock::new();
    TABLE.get_or_init(|| {
        serde_json::from_str(include_str!("../data/gpus.json")).expect("tested: the table parses")
    })
}

impl Specs {
    /// A table with the entries of `json`, a table in the same format, followed by the entries of this one.
    ///
    /// # Errors
    /// A message with line and column if `json` does not parse as such a table.
    pub fn extended(&self, json: &str) -> Result<Specs, String> {
        let mut specs: Specs = serde_json::from_str(json).map_err(|error| error.to_string())?;
        specs.architectures.extend(self.architectures.iter().cloned());
        specs.gpus.extend(self.gpus.iter().cloned());
        Ok(specs)
    }

    /// The GPU called `name`. Ignores case, blanks, dashes, and a leading `NVIDIA`.
    pub fn gpu(&self, name: &str) -> Option<&Gpu> {
        let plain = |name: &str| {
            let letters = name.chars().filter(char::is_ascii_alphanumeric);
            letters.collect::<String>().to_lowercase().replace("nvidia", "").replace("geforce", "")
        };
        self.gpus.iter().find(|gpu| plain(&gpu.name) == plain(name))
    }

    /// The limits of a compute capability. If the table lacks it, the limits of the newest older one.
    pub fn architecture(&self, (major, minor): (u32, u32)) -> &Architecture {
        let known = |arch: &&Architecture| {
            let (a, b) = arch.compute_capability.split_once('.').unwrap_or(("0", "0"));
            (a.parse().unwrap_or(0), b.parse().unwrap_or(0)) <= (major, minor)
        };
        let mut candidates = self.architectures.iter().filter(known);
        let exact = format!("{major}.{minor}");
        candidates
            .clone()
            .find(|arch| arch.compute_capability == exact)
            .or_else(|| candidates.next_back())
            .unwrap_or(&self.architectures[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_parses_and_every_gpu_has_an_architecture_and_its_rate() {
        for gpu in &specs().gpus {
            let arch = specs()
                .architectures
                .iter()
                .find(|arch| arch.compute_capability == gpu.compute_capability)
                .expect(&gpu.name);
            let rate =
                2.0 * f64::from(arch.fp32_per_sm * gpu.multiprocessors * gpu.clock_mhz) / 1e6;
            assert!((rate / gpu.fp32_tflops - 1.0).abs() < 0.02, "{}: {rate}", gpu.name);
            assert!(gpu.source.len() > 20);
            assert!(arch.fp64_per_sm > 0 && gpu.memory_bus_bits > 0, "{}", gpu.name);
            assert!(u32::from_str_radix(&gpu.pci_device, 16).is_ok(), "{}", gpu.name);
        }
    }

    #[test]
    fn names_are_found_as_people_write_them() {
        assert_eq!(
            specs().gpu("NVIDIA GeForce RTX 4090").map(|gpu| gpu.multiprocessors),
            Some(128)
        );
        assert_eq!(specs().gpu("gtx-1080").map(|gpu| gpu.multiprocessors), Some(20));
        assert!(specs().gpu("no such").is_none());
    }

    #[test]
    fn names_and_memory_clocks_match_drivers() {
        let gpu = |name| specs().gpu(name).expect("known");
        assert_eq!(gpu("rtx4090").full_name(), "NVIDIA GeForce RTX 4090");
        assert_eq!(gpu("l20").full_name(), "NVIDIA L20");
        // The clocks that `deviceQuery` prints, in MHz.
        for (name, mhz) in
            [("A100", 1593), ("H100", 2619), ("RTX 4090", 10_501), ("GTX 1080", 5005)]
        {
            let error = f64::from(gpu(name).memory_clock_khz()) / f64::from(mhz * 1000) - 1.0;
            assert!(error.abs() < 2e-3, "{name}: {}", gpu(name).memory_clock_khz());
        }
    }

    #[test]
    fn an_unknown_capability_has_the_limits_of_the_newest_older_one() {
        assert_eq!(specs().architecture((8, 7)).compute_capability, "8.6");
        assert_eq!(specs().architecture((9, 0)).shared_per_sm, 233_472);
    }

    #[test]
    fn a_user_file_extends_the_table_and_an_invalid_one_reports_the_position() {
        let gpu =
            serde_json::to_string(&specs().gpus[0]).expect("JSON").replace("GTX 1080", "Mine");
        let extended = specs().extended(&format!("{{\"gpus\": [{gpu}]}}")).expect("a table");
        assert!(extended.gpu("mine").is_some() && extended.gpu("H200").is_some());
        assert!(specs().extended("{\"gpus\": [{}]}").expect_err("empty").contains("line 1"));
    }
}
