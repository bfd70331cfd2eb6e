//! The GPU that occupancy and caches are modelled for.

use crate::counted::Resources;
use crate::record::ResourcesRecord;
use lanework_emulator::Multiprocessor;

/// Threads of a warp.
const WARP: u32 = 32;

/// What a model of occupancy and caches needs to know of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// What each of them holds.
    pub holds: Multiprocessor,
    /// Bytes of L1 cache and shared memory together, of each.
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

    /// What a kernel of `threads` threads per block, with `dynamic` bytes of dynamic shared memory, takes of a
    /// multiprocessor.
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
