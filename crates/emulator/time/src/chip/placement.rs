//! The placement of blocks on multiprocessors, and the caches before the kernel.

use crate::machine::GpuModel;
use crate::trace::KernelTrace;
use lanework_engine::occupancy::Multiprocessor;

/// The state of caches before the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// Whether its data is in the L2, as far as it fits.
    pub warm_data: bool,
    /// Whether its instructions are cached.
    pub warm_code: bool,
    /// Whether the L2 holds nothing that must be written back.
    pub clean: bool,
}

/// The placement of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Blocks that a multiprocessor holds.
    pub resident: u32,
    /// The limiting resource.
    pub limiter: &'static str,
    /// Multiprocessors with work.
    pub active: u64,
    /// Blocks of the multiprocessor with the most.
    pub blocks: u64,
}

/// Where the blocks of a launch go.
pub fn placement(trace: &KernelTrace, model: &GpuModel) -> Placement {
    let arch = &model.architecture;
    let holds = Multiprocessor {
        threads: arch.threads_per_sm,
        blocks: arch.blocks_per_sm,
        registers: arch.registers_per_sm,
        shared: arch.shared_per_sm,
    };
    let (resident, limiter) =
        holds.resident_blocks(trace.threads, trace.registers, trace.shared_bytes);
    let total = trace.total_blocks();
    let multiprocessors = u64::from(model.gpu.multiprocessors);
    Placement {
        resident: resident.max(1),
        limiter,
        active: total.min(multiprocessors),
        blocks: total.div_ceil(multiprocessors),
    }
}
