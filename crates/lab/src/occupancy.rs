//! Occupancy: how many blocks of a kernel are resident on a multiprocessor, and the limiting resource, by the rules of
//! [`Multiprocessor::resident_blocks`] and the table of architectures.

use crate::record::ResourcesRecord;
use crate::specs::{Architecture, specs};
use lanework::sim::Multiprocessor;
use lanework::{Device, Prepared, Resources, Result};

/// Threads of a warp.
const WARP: u32 = 32;

/// What a prepared kernel takes of a multiprocessor of `device`; for the emulator, of its compute
/// capability, with registers estimated from the PTX.
///
/// # Errors
/// When the driver says that not even one block fits.
pub(crate) fn of(kernel: &Prepared<'_>, device: &Device) -> Result<ResourcesRecord> {
    let (_, block, dynamic) = kernel.shape();
    let arch = specs().architecture(device.info().compute_capability);
    let mut record = on(arch, kernel.resources(), block.count() as u32, dynamic);
    if let Some(told) = kernel.resident_blocks()? {
        let warps = told * record.threads.div_ceil(WARP);
        record.resident_blocks = told;
        record.occupancy = f64::from(warps) / f64::from(arch.threads_per_sm / WARP);
    }
    Ok(record)
}

/// What a kernel takes of a multiprocessor of `arch`.
pub(crate) fn on(
    arch: &Architecture,
    resources: Resources,
    threads: u32,
    dynamic: u32,
) -> ResourcesRecord {
    let shared = resources.static_shared + dynamic;
    let (blocks, limiter) = resident_blocks(arch, threads, resources.registers, shared);
    let warps = blocks * threads.div_ceil(WARP);
    ResourcesRecord {
        registers: resources.registers,
        spill_bytes: resources.local_bytes,
        shared_bytes: shared,
        threads,
        resident_blocks: blocks,
        occupancy: f64::from(warps) / f64::from(arch.threads_per_sm / WARP),
        limiter,
        estimated: resources.estimated,
    }
}

/// Resident blocks of `threads` threads with `registers` registers each and `shared` bytes of
/// shared memory, and what limits them: `threads`, `blocks`, `registers` or `shared memory`.
pub fn resident_blocks(
    arch: &Architecture,
    threads: u32,
    registers: u32,
    shared: u32,
) -> (u32, &'static str) {
    let holds = Multiprocessor {
        threads: arch.threads_per_sm,
        blocks: arch.blocks_per_sm,
        registers: arch.registers_per_sm,
        shared: arch.shared_per_sm,
    };
    holds.resident_blocks(threads, registers, shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emulator_holds_what_its_compute_capability_holds() {
        let arch = specs().architecture((9, 0));
        let emulator = Multiprocessor::HOPPER;
        assert_eq!(arch.threads_per_sm, emulator.threads);
        assert_eq!(arch.blocks_per_sm, emulator.blocks);
        assert_eq!(arch.registers_per_sm, emulator.registers);
        assert_eq!(arch.shared_per_sm, emulator.shared);
    }
}
