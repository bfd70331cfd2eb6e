//! Occupancy: how many blocks of a kernel are resident on a multiprocessor, and the limiting resource.
//!
//! The rules are those of NVIDIA's occupancy calculator: registers are given to a warp in units of
//! 256, shared memory to a block in units of 128 bytes (1 KB of it is the system's from compute
//! capability 8.0 on), and a block stays whole.

use crate::record::ResourcesRecord;
use crate::specs::{Architecture, specs};
use lanework::{Device, Prepared, Resources, Result};

/// Threads of a warp.
const WARP: u32 = 32;
/// Registers of a warp are allocated in this many.
const REGISTER_UNIT: u32 = 256;
/// Shared memory of a block is allocated in this many bytes.
const SHARED_UNIT: u32 = 128;
/// Shared memory that the system keeps of every block.
const SHARED_RESERVED: u32 = 1024;

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
    let warps = threads.div_ceil(WARP).max(1);
    let by_threads = arch.threads_per_sm / WARP / warps;
    let per_warp = (registers.max(1) * WARP).next_multiple_of(REGISTER_UNIT);
    let by_registers = arch.registers_per_sm / per_warp / warps;
    let reserved = if arch.shared_per_sm > 98_304 { SHARED_RESERVED } else { 0 };
    let per_block = (shared + reserved).next_multiple_of(SHARED_UNIT);
    let by_shared = arch.shared_per_sm.checked_div(per_block).unwrap_or(u32::MAX);
    let limits = [
        (by_threads, "threads"),
        (by_registers, "registers"),
        (by_shared, "shared memory"),
        (arch.blocks_per_sm, "blocks"),
    ];
    limits.into_iter().min_by_key(|(blocks, _)| *blocks).expect("four limits")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hopper(threads: u32, registers: u32, shared: u32) -> (u32, &'static str) {
        resident_blocks(specs().architecture((9, 0)), threads, registers, shared)
    }

    #[test]
    fn each_limit_limits() {
        assert_eq!(hopper(1024, 32, 0), (2, "threads"));
        assert_eq!(hopper(32, 32, 0), (32, "blocks"));
        assert_eq!(hopper(256, 128, 0), (2, "registers"));
        assert_eq!(hopper(256, 255, 0), (1, "registers"));
        assert_eq!(hopper(128, 32, 100_000), (2, "shared memory"));
    }
}
