//! The description of a GPU for the time model: sizes and rates from the table of GPU specifications, and latencies and
//! intervals by compute capability from `data/machines.json`, each with a source and a basis: `measured` (by this project),
//! `document`, or `estimate`.

use lanework_gpu_specs::{Architecture, Gpu, specs};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The table of parameters.
#[derive(Debug, Deserialize)]
pub struct ParameterTable {
    /// One row per parameter.
    pub parameters: Vec<ModelParameter>,
}

/// A parameter of the model.
#[derive(Debug, Deserialize)]
pub struct ModelParameter {
    /// Its name, as in [`Timings`].
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its meaning.
    pub what: String,
    /// By compute capability; `*` for all that are not named.
    pub values: BTreeMap<String, SourcedValue>,
}

/// A value with its source.
#[derive(Debug, Deserialize)]
pub struct SourcedValue {
    /// The value.
    pub value: f64,
    /// `measured`, `document` or `estimate`.
    pub basis: String,
    /// Where it comes from.
    pub source: String,
}

/// The parameters of one architecture.
#[derive(Clone, Debug, PartialEq)]
pub struct Timings {
    /// Issue interval of an FP32 warp instruction on one scheduler, in cycles.
    pub fma_interval: f64,
    /// Issue interval of integer additions, logic, comparisons, in cycles.
    pub alu_interval: f64,
    /// Issue interval of 32-bit integer multiply-adds, in cycles.
    pub imad_interval: f64,
    /// Issue interval of packed half arithmetic, in cycles.
    pub half_interval: f64,
    /// Issue interval of the special-function unit, in cycles.
    pub xu_interval: f64,
    /// Issue interval of conversions of 32-bit numbers, in cycles.
    pub convert_interval: f64,
    /// Dependent issue of such a conversion, in cycles.
    pub convert_latency: f64,
    /// Dependent issue of FP32 arithmetic, in cycles.
    pub fma_latency: f64,
    /// Dependent issue of integer arithmetic, in cycles.
    pub alu_latency: f64,
    /// Dependent issue of integer multiply-adds, in cycles.
    pub imad_latency: f64,
    /// From a comparison to the instruction that its predicate guards, in cycles.
    pub predicate_latency: f64,
    /// Dependent issue of half arithmetic, in cycles.
    pub half_latency: f64,
    /// Dependent issue of FP64 arithmetic, in cycles.
    pub double_latency: f64,
    /// Dependent issue on the special-function unit, in cycles.
    pub xu_latency: f64,
    /// Shuffles, in cycles.
    pub shuffle_latency: f64,
    /// Cycles of the memory pipe per shuffle of a warp, in cycles.
    pub shuffle_interval: f64,
    /// Load from shared memory, in cycles.
    pub shared_latency: f64,
    /// Load that hits the L1, in cycles.
    pub l1_latency: f64,
    /// Load from constant memory by a register, in cycles.
    pub constant_latency: f64,
    /// Load that hits the L2, mean of the two partitions, in cycles.
    pub l2_latency: f64,
    /// Load that misses the L2, in cycles.
    pub dram_latency: f64,
    /// L1 and shared memory, per multiprocessor, in bytes per cycle.
    pub l1_bytes_per_clock: f64,
    /// One multiprocessor's port to the L2, in bytes per cycle.
    pub l2_port_bytes: f64,
    /// Share of a multiprocessor in the L2's read bandwidth when all load it, in bytes per cycle.
    pub l2_bytes_per_sm: f64,
    /// Of the nominal bandwidth, reads only, in fraction.
    pub dram_read_efficiency: f64,
    /// Of the nominal bandwidth, writes, in fraction.
    pub dram_write_efficiency: f64,
    /// Cost of reads of 128 bytes per warp, relative to 512, in factor.
    pub dram_short_reads: f64,
    /// Cost of writes of 128 bytes per warp, relative to 512, in factor.
    pub dram_short_writes: f64,
    /// Cost of writing a part of a sector in the L2, relative to all of it, in factor.
    pub l2_partial_write: f64,
    /// Of the L2 that data of one kernel can keep, in fraction.
    pub l2_capacity_fraction: f64,
    /// Barrier of a block with one warp, in cycles.
    pub barrier_latency: f64,
    /// Further cycles of a barrier per warp, in cycles.
    pub barrier_per_warp: f64,
    /// Taken branch until the next instruction of the warp, in cycles.
    pub branch_penalty: f64,
    /// Fence of global memory, in cycles.
    pub fence_latency: f64,
    /// Atomic on global memory that returns, in cycles.
    pub atomic_latency: f64,
    /// Atomics on one address in the L2, in cycles.
    pub atomic_address_interval: f64,
    /// Bulk copy beyond the latency of a load, in cycles.
    pub tma_latency: f64,
    /// Mma.m16n8k16 of 16-bit floats on one scheduler, in cycles.
    pub mma_interval: f64,
    /// Mma.m16n8k16, in cycles.
    pub mma_latency: f64,
    /// 16-bit floats on one multiprocessor, in operations per cycle.
    pub wgmma_flops: f64,
    /// From the start of a kernel until its warps run and its first loads are under way, and until its last stores are done, in ns.
    pub ramp_ns: f64,
    /// From the start of a kernel to its first instruction, and from its last one to its end, caches warm, in ns.
    pub launch_ns: f64,
    /// The same in a replayed graph, in ns.
    pub graph_launch_ns: f64,
    /// The same between two events, in ns.
    pub event_launch_ns: f64,
    /// Instructions that are fetched for the first time after a flush, in bytes per cycle.
    pub code_bytes_per_clock: f64,
    /// From the end of a block to the first instruction of the next one in its place, in cycles.
    pub block_start: f64,
}

/// A GPU as the model sees it.
#[derive(Clone, Debug)]
pub struct GpuModel {
    /// Sizes and rates of the product.
    pub gpu: Gpu,
    /// Limits of its multiprocessors.
    pub architecture: Architecture,
    /// Latencies and intervals.
    pub timings: Timings,
}

/// The table that comes with the program.
///
/// # Panics
/// Never: a test parses the table.
pub fn parameters() -> &'static ParameterTable {
    static TABLE: OnceLock<ParameterTable> = OnceLock::new();
    TABLE.get_or_init(|| {
        serde_json::from_str(include_str!("../../data/machines.json"))
            .expect("tested: the table parses")
    })
}

impl Timings {
    /// The parameters of a compute capability, as `major.minor`.
    ///
    /// # Panics
    /// Never: a test finds every parameter.
    pub fn of(capability: &str) -> Timings {
        let of = |name: &str| {
            let row = parameters().parameters.iter().find(|row| row.name == name);
            let row = row.expect("tested: every parameter has a row");
            let value = row.values.get(capability).or_else(|| row.values.get("*"));
            value.expect("tested: every row has a default").value
        };
        Timings {
            fma_interval: of("fma_interval"),
            alu_interval: of("alu_interval"),
            imad_interval: of("imad_interval"),
            half_interval: of("half_interval"),
            xu_interval: of("xu_interval"),
            convert_interval: of("convert_interval"),
            convert_latency: of("convert_latency"),
            fma_latency: of("fma_latency"),
            alu_latency: of("alu_latency"),
            imad_latency: of("imad_latency"),
            predicate_latency: of("predicate_latency"),
            half_latency: of("half_latency"),
            double_latency: of("double_latency"),
            xu_latency: of("xu_latency"),
            shuffle_latency: of("shuffle_latency"),
            shuffle_interval: of("shuffle_interval"),
            shared_latency: of("shared_latency"),
            l1_latency: of("l1_latency"),
            constant_latency: of("constant_latency"),
            l2_latency: of("l2_latency"),
            dram_latency: of("dram_latency"),
            l1_bytes_per_clock: of("l1_bytes_per_clock"),
            l2_port_bytes: of("l2_port_bytes"),
            l2_bytes_per_sm: of("l2_bytes_per_sm"),
            dram_read_efficiency: of("dram_read_efficiency"),
            dram_write_efficiency: of("dram_write_efficiency"),
            dram_short_reads: of("dram_short_reads"),
            dram_short_writes: of("dram_short_writes"),
            l2_partial_write: of("l2_partial_write"),
            l2_capacity_fraction: of("l2_capacity_fraction"),
            barrier_latency: of("barrier_latency"),
            barrier_per_warp: of("barrier_per_warp"),
            branch_penalty: of("branch_penalty"),
            fence_latency: of("fence_latency"),
            atomic_latency: of("atomic_latency"),
            atomic_address_interval: of("atomic_address_interval"),
            tma_latency: of("tma_latency"),
            mma_interval: of("mma_interval"),
            mma_latency: of("mma_latency"),
            wgmma_flops: of("wgmma_flops"),
            ramp_ns: of("ramp_ns"),
            launch_ns: of("launch_ns"),
            graph_launch_ns: of("graph_launch_ns"),
            event_launch_ns: of("event_launch_ns"),
            code_bytes_per_clock: of("code_bytes_per_clock"),
            block_start: of("block_start"),
        }
    }
}

impl GpuModel {
    /// The model of a GPU of the table.
    pub fn new(gpu: &Gpu) -> GpuModel {
        GpuModel {
            gpu: gpu.clone(),
            architecture: specs().architecture(gpu.capability()).clone(),
            timings: Timings::of(&gpu.compute_capability),
        }
    }

    /// The model of the GPU of a name; of an H200 if the table does not have it.
    ///
    /// # Panics
    /// Never: the table has an H200.
    pub fn named(name: &str) -> GpuModel {
        let gpu = specs().gpu(name).or_else(|| specs().gpu("H200"));
        GpuModel::new(gpu.expect("tested: the table has an H200"))
    }

    /// Cycles per nanosecond.
    pub fn clock_ghz(&self) -> f64 {
        f64::from(self.gpu.clock_mhz) / 1e3
    }

    /// Bytes of device memory per cycle of the multiprocessors' clock, nominal.
    pub fn dram_bytes_per_clock(&self) -> f64 {
        self.gpu.bandwidth_gb_s / self.clock_ghz()
    }

    /// Bytes of the L2.
    pub fn l2_bytes(&self) -> f64 {
        f64::from(self.gpu.l2_mb) * f64::from(1 << 20)
    }

    /// Bytes of the L1 when `resident` blocks with `shared` bytes of shared memory each are on a multiprocessor. The driver
    /// gives shared memory one of a few sizes.
    pub fn l1_bytes(&self, resident: u32, shared: u32) -> u64 {
        let all = u64::from(self.architecture.l1_per_sm);
        let most = u64::from(self.architecture.shared_per_sm);
        if all <= 98_304 {
            return all / 2;
        }
        let wanted = match shared {
            0 => 0,
            shared => u64::from(resident) * (u64::from(shared) + 1024),
        };
        let sizes = [0, 8, 16, 32, 64, 100, 132, 164, 196, 228].map(|kib: u64| kib << 10);
        let carved = sizes.into_iter().find(|&size| size >= wanted).unwrap_or(most).min(most);
        (all - carved.min(all)).max(16 << 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gpu_has_every_parameter_with_a_source() {
        for gpu in &specs().gpus {
            let model = GpuModel::new(gpu);
            assert!(model.timings.fma_latency >= 4.0 && model.clock_ghz() > 1.0);
        }
        for row in &parameters().parameters {
            assert!(row.values.contains_key("*"), "{}", row.name);
            for value in row.values.values() {
                assert!(["measured", "document", "estimate"].contains(&value.basis.as_str()));
                assert!(value.source.len() > 3 && !row.what.is_empty() && !row.unit.is_empty());
            }
        }
    }

    #[test]
    fn shared_memory_takes_its_size_from_the_l1() {
        let h200 = GpuModel::new(specs().gpu("H200").expect("known"));
        assert_eq!(h200.l1_bytes(2, 0), 256 << 10);
        assert_eq!(h200.l1_bytes(2, 4096), 240 << 10);
        assert_eq!(h200.l1_bytes(1, 227 << 10), 28 << 10);
    }
}
