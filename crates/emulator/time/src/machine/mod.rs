//! Descriptions of GPUs for the time model. Sizes and rates come from the table of GPU specifications; latencies and
//! intervals by compute capability come from `data/machines.json`, each with a source and a basis: `measured` (by this
//! project), `document`, or `estimate`.

pub mod operation;

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
    /// Values by compute capability; `*` covers those that are not named.
    pub values: BTreeMap<String, SourcedValue>,
}

/// A value with its source.
#[derive(Debug, Deserialize)]
pub struct SourcedValue {
    /// The value.
    pub value: f64,
    /// `measured`, `document` or `estimate`.
    pub basis: String,
    /// Source of the value.
    pub source: String,
}

/// The parameters of one architecture.
#[derive(Clone, Debug, PartialEq)]
pub struct Timings {
    /// Issue interval of an FP32 warp instruction on one scheduler, in cycles.
    pub fma_interval: f64,
    /// Issue interval of integer additions, logic and comparisons, in cycles.
    pub alu_interval: f64,
    /// Issue interval of 32-bit integer multiply-adds, in cycles.
    pub imad_interval: f64,
    /// Issue interval of packed half-precision arithmetic, in cycles.
    pub half_interval: f64,
    /// Issue interval of the special-function unit, in cycles.
    pub xu_interval: f64,
    /// Issue interval of conversions of 32-bit numbers, in cycles.
    pub convert_interval: f64,
    /// Latency of a conversion of 32-bit numbers, in cycles.
    pub convert_latency: f64,
    /// Latency of FP32 arithmetic, in cycles.
    pub fma_latency: f64,
    /// Latency of integer arithmetic, in cycles.
    pub alu_latency: f64,
    /// Latency of integer multiply-adds, in cycles.
    pub imad_latency: f64,
    /// Latency from a comparison to an instruction that its predicate guards, in cycles.
    pub predicate_latency: f64,
    /// Latency of half-precision arithmetic, in cycles.
    pub half_latency: f64,
    /// Latency of FP64 arithmetic, in cycles.
    pub double_latency: f64,
    /// Latency of the special-function unit, in cycles.
    pub xu_latency: f64,
    /// Latency of a shuffle, in cycles.
    pub shuffle_latency: f64,
    /// Time that a shuffle of a warp occupies the memory pipe, in cycles.
    pub shuffle_interval: f64,
    /// Latency of a load from shared memory, in cycles.
    pub shared_latency: f64,
    /// Atomics of a warp on one address of shared memory, in cycles per lane.
    pub shared_atomic_interval: f64,
    /// Latency of a load that hits the L1, in cycles.
    pub l1_latency: f64,
    /// Whether the L1 caches loads of global memory: 1 or 0.
    pub l1_holds_global: f64,
    /// Latency of a load from constant memory at an address in a register, in cycles.
    pub constant_latency: f64,
    /// Latency of a load that hits the L2, the mean of its two partitions, in cycles.
    pub l2_latency: f64,
    /// Latency of a load that misses the L2, in cycles.
    pub dram_latency: f64,
    /// Bandwidth of a multiprocessor's L1 and shared memory, in bytes per cycle.
    pub l1_bytes_per_clock: f64,
    /// Bandwidth of a multiprocessor's port to the L2, in bytes per cycle.
    pub l2_port_bytes: f64,
    /// A multiprocessor's share of the L2's read bandwidth when all multiprocessors read, in bytes per cycle.
    pub l2_bytes_per_sm: f64,
    /// The same for bulk copies of lines that other multiprocessors copy at about the same time.
    pub l2_shared_copies: f64,
    /// Bandwidth of the bulk copies of a multiprocessor, in bytes per cycle.
    pub copy_bytes: f64,
    /// Cost of reading one sector of a line from the L2, relative to a sector of a whole line.
    pub l2_single_sector: f64,
    /// Time that a store occupies the data path of the L1 for each line that it touches, in cycles.
    pub l1_store_line: f64,
    /// The same if lanes store less than 4 bytes.
    pub l1_store_part: f64,
    /// Bandwidth of device memory for reads, as a fraction of the nominal one.
    pub dram_read_efficiency: f64,
    /// Bandwidth of device memory for writes, as a fraction of the nominal one.
    pub dram_write_efficiency: f64,
    /// Wait of a read in the queues of device memory at half of its bandwidth, in cycles.
    pub dram_queue: f64,
    /// Cost per byte of reads of at most 64 contiguous bytes, relative to 512-byte reads.
    pub dram_half_lines: f64,
    /// Cost of writing part of a sector in the L2, relative to the whole sector.
    pub l2_partial_write: f64,
    /// Cost of a part of each further sector of the same line.
    pub l2_partial_sector: f64,
    /// Cost of writing one whole sector of a line, relative to a sector of a whole line.
    pub l2_short_write: f64,
    /// Time of a compare-and-swap in shared memory for each lane that contends for the same word, in cycles.
    pub shared_swap_interval: f64,
    /// Fraction of the L2 that one kernel's data can occupy.
    pub l2_capacity_fraction: f64,
    /// Latency of a barrier of a block with one warp, in cycles.
    pub barrier_latency: f64,
    /// Additional latency of a barrier per warp, in cycles.
    pub barrier_per_warp: f64,
    /// Time from a taken branch to the warp's next instruction, in cycles.
    pub branch_penalty: f64,
    /// Latency of a fence of global memory, in cycles.
    pub fence_latency: f64,
    /// Latency of an atomic on global memory that returns a value, in cycles.
    pub atomic_latency: f64,
    /// Slices of the L2.
    pub l2_slices: f64,
    /// Interval between atomics on one address in the L2, in cycles.
    pub atomic_address_interval: f64,
    /// Interval between float atomics of a warp's lanes on one address in the L2, in cycles.
    pub atomic_float_interval: f64,
    /// Interval between compare-and-swaps of lanes on one address in the L2, in cycles.
    pub swap_interval: f64,
    /// Time from one successful compare-and-swap of a word to the next in a loop without contention, in cycles.
    pub swap_round: f64,
    /// Additional time for each lane that contends for the word, in cycles.
    pub swap_contender: f64,
    /// Bandwidth of page-locked memory of the host in one direction, in bytes per ns.
    pub host_gb_s: f64,
    /// Same as `host_gb_s` for reads and writes together.
    pub host_both_gb_s: f64,
    /// Latency of a load from the memory of the host, in ns.
    pub host_latency_ns: f64,
    /// Latency of the compare-and-swap in the loop of a float atomic on shared memory, in cycles.
    pub shared_swap_latency: f64,
    /// Additional latency of a bulk copy, compared with a load, in cycles.
    pub tma_latency: f64,
    /// Issue interval of an `mma` of m16n8k16 and 16-bit floats on one scheduler, in cycles.
    pub mma_interval: f64,
    /// Latency of an `mma` of m16n8k16, in cycles.
    pub mma_latency: f64,
    /// Throughput of `wgmma` with 16-bit floats per multiprocessor, in operations per cycle.
    pub wgmma_flops: f64,
    /// Fraction of that rate that launches back to back reach at the power limit.
    pub wgmma_sustained: f64,
    /// Time until all warps run and their first loads are in flight, plus the time until the last stores are done, in ns.
    pub ramp_ns: f64,
    /// Time from the start of a kernel to its first instruction, plus from its last instruction to its end, with warm caches,
    /// in ns.
    pub launch_ns: f64,
    /// Same as `launch_ns` in a replayed graph, in ns.
    pub graph_launch_ns: f64,
    /// Same as `launch_ns` between two events, in ns.
    pub event_launch_ns: f64,
    /// Rate of the first fetch of instructions after a flush, in bytes per cycle.
    pub code_bytes_per_clock: f64,
    /// Interval between the starts of two blocks on the whole chip, in cycles.
    pub block_interval: f64,
    /// Time from the end of a block to the first instruction of the block that takes its place, in cycles.
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

/// Returns the built-in table.
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
    /// Returns the parameters of a compute capability, such as `9.0`.
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
            shared_atomic_interval: of("shared_atomic_interval"),
            l1_latency: of("l1_latency"),
            l1_holds_global: of("l1_holds_global"),
            constant_latency: of("constant_latency"),
            l2_latency: of("l2_latency"),
            dram_latency: of("dram_latency"),
            l1_bytes_per_clock: of("l1_bytes_per_clock"),
            l2_port_bytes: of("l2_port_bytes"),
            l2_bytes_per_sm: of("l2_bytes_per_sm"),
            l2_shared_copies: of("l2_shared_copies"),
            copy_bytes: of("copy_bytes"),
            l2_single_sector: of("l2_single_sector"),
            l1_store_line: of("l1_store_line"),
            l1_store_part: of("l1_store_part"),
            dram_read_efficiency: of("dram_read_efficiency"),
            dram_write_efficiency: of("dram_write_efficiency"),
            dram_queue: of("dram_queue"),
            dram_half_lines: of("dram_half_lines"),
            l2_partial_write: of("l2_partial_write"),
            l2_partial_sector: of("l2_partial_sector"),
            l2_short_write: of("l2_short_write"),
            shared_swap_interval: of("shared_swap_interval"),
            l2_capacity_fraction: of("l2_capacity_fraction"),
            barrier_latency: of("barrier_latency"),
            barrier_per_warp: of("barrier_per_warp"),
            branch_penalty: of("branch_penalty"),
            fence_latency: of("fence_latency"),
            atomic_latency: of("atomic_latency"),
            l2_slices: of("l2_slices"),
            atomic_address_interval: of("atomic_address_interval"),
            atomic_float_interval: of("atomic_float_interval"),
            swap_interval: of("swap_interval"),
            swap_round: of("swap_round"),
            swap_contender: of("swap_contender"),
            host_gb_s: of("host_gb_s"),
            host_both_gb_s: of("host_both_gb_s"),
            host_latency_ns: of("host_latency_ns"),
            shared_swap_latency: of("shared_swap_latency"),
            tma_latency: of("tma_latency"),
            mma_interval: of("mma_interval"),
            mma_latency: of("mma_latency"),
            wgmma_flops: of("wgmma_flops"),
            wgmma_sustained: of("wgmma_sustained"),
            ramp_ns: of("ramp_ns"),
            launch_ns: of("launch_ns"),
            graph_launch_ns: of("graph_launch_ns"),
            event_launch_ns: of("event_launch_ns"),
            code_bytes_per_clock: of("code_bytes_per_clock"),
            block_interval: of("block_interval"),
            block_start: of("block_start"),
        }
    }
}

impl GpuModel {
    /// Models a GPU.
    pub fn new(gpu: &Gpu) -> GpuModel {
        GpuModel {
            gpu: gpu.clone(),
            architecture: specs().architecture(gpu.capability()).clone(),
            timings: Timings::of(&gpu.compute_capability),
        }
    }

    /// Models the GPU with this name, or an H200 if the table lacks this GPU.
    ///
    /// # Panics
    /// Never: the table has an H200.
    pub fn named(name: &str) -> GpuModel {
        let gpu = specs().gpu(name).or_else(|| specs().gpu("H200"));
        GpuModel::new(gpu.expect("tested: the table has an H200"))
    }

    /// Its compute capability as a number: 90 for sm_90.
    pub fn capability(&self) -> u32 {
        let (major, minor) = self.gpu.capability();
        10 * major + minor
    }

    /// Cycles per nanosecond.
    pub fn clock_ghz(&self) -> f64 {
        f64::from(self.gpu.clock_mhz) / 1e3
    }

    /// Nominal bandwidth of device memory in bytes per multiprocessor cycle.
    pub fn dram_bytes_per_clock(&self) -> f64 {
        self.gpu.bandwidth_gb_s / self.clock_ghz()
    }

    /// Bytes of the L2.
    pub fn l2_bytes(&self) -> f64 {
        f64::from(self.gpu.l2_mb) * f64::from(1 << 20)
    }

    /// Bytes of the L1 if a multiprocessor holds `resident` blocks with `shared` bytes of shared memory each. Shared memory
    /// takes the smallest sufficient one of the sizes that the driver can set.
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
