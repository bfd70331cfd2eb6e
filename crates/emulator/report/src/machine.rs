//! The GPU that occupancy and caches are modeled for; the feature `gpu-specs` derives models from the table of GPU
//! specifications.

use crate::profile::Resources;
use crate::record::ResourcesRecord;
use lanework_emulator::Multiprocessor;
#[cfg(feature = "gpu-specs")]
use lanework_gpu_specs::{Architecture, Gpu, specs};

/// Threads per warp.
const WARP: u32 = 32;

/// The parameters of a GPU for the models of occupancy and caches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Resources of each multiprocessor.
    pub holds: Multiprocessor,
    /// Bytes of L1 cache and shared memory together, per multiprocessor.
    pub l1_bytes: u64,
    /// Bytes of L2 cache.
    pub l2_bytes: u64,
}

impl Machine {
    /// An H200, the GPU that the emulator is compared with.
    pub fn h200() -> Machine {
        Machine {
            name: "H200".to_owned(),
            multiprocessors: 132,
            holds: Multiprocessor::HOPPER,
            l1_bytes: 256 << 10,
            l2_bytes: 60 << 20,
        }
    }

    /// Resource usage of a kernel with `threads` threads and `dynamic` bytes of dynamic shared
    /// memory per block.
    pub fn resources(&self, resources: Resources, threads: u32, dynamic: u32) -> ResourcesRecord {
        let shared = resources.static_shared + dynamic;
        let (blocks, limiter) = self.holds.resident_blocks(threads, resources.registers, shared);
        let warps = blocks * threads.div_ceil(WARP);
        ResourcesRecord {
            registers: resources.registers,
            spill_bytes: resources.local_bytes,
            shared_bytes: shared,
            threads,
            resident_blocks: blocks,
            occupancy: f64::from(warps) / f64::from(self.holds.threads / WARP),
            limiter,
            estimated: resources.estimated,
        }
    }
}

/// The limits of one multiprocessor of a compute capability.
#[cfg(feature = "gpu-specs")]
pub fn multiprocessor(architecture: &Architecture) -> Multiprocessor {
    Multiprocessor {
        threads: architecture.threads_per_sm,
        blocks: architecture.blocks_per_sm,
        registers: architecture.registers_per_sm,
        shared: architecture.shared_per_sm,
    }
}

/// The occupancy and cache model of a GPU of the table.
#[cfg(feature = "gpu-specs")]
pub fn machine(gpu: &Gpu) -> Machine {
    let architecture = specs().architecture(gpu.capability());
    Machine {
        name: gpu.name.clone(),
        multiprocessors: gpu.multiprocessors,
        holds: multiprocessor(architecture),
        l1_bytes: architecture.l1_per_sm.into(),
        l2_bytes: u64::from(gpu.l2_mb) << 20,
    }
}

#[cfg(all(test, feature = "gpu-specs"))]
mod tests {
    use super::*;

    #[test]
    fn the_default_models_are_those_of_the_table() {
        assert_eq!(machine(specs().gpu("H200").expect("known")), Machine::h200());
        assert_eq!(multiprocessor(specs().architecture((9, 0))), Multiprocessor::HOPPER);
    }
}
