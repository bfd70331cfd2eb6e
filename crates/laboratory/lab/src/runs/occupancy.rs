//! Occupancy: how many blocks of a kernel are resident on a multiprocessor, and the limiting resource, by the rules of
//! `Multiprocessor::resident_blocks` and the table of architectures.

use lanework::report::{Machine, ResourcesRecord};
use lanework::{Device, Prepared, Result};
use lanework_bench::{Architecture, multiprocessor, specs};

/// Threads of a warp.
const WARP: u32 = 32;

/// A prepared kernel's use of a multiprocessor of `device`. For the emulator, the table of its compute capability
/// gives the limits, and registers are estimated from the PTX.
///
/// # Errors
/// If not even one block fits, according to the driver.
pub(crate) fn of(kernel: &Prepared<'_>, device: &Device) -> Result<ResourcesRecord> {
    let (_, block, dynamic) = kernel.shape();
    let arch = specs().architecture(device.info().compute_capability);
    let machine = Machine { holds: multiprocessor(arch), ..Machine::h200() };
    let mut record = machine.resources(kernel.resources(), block.count() as u32, dynamic);
    if let Some(told) = kernel.resident_blocks()? {
        let warps = told * record.threads.div_ceil(WARP);
        record.resident_blocks = told;
        record.occupancy = f64::from(warps) / f64::from(arch.threads_per_sm / WARP);
    }
    Ok(record)
}

/// Resident blocks of `threads` threads with `registers` registers each and `shared` bytes of shared memory, and the
/// limit: `threads`, `blocks`, `registers` or `shared memory`.
pub fn resident_blocks(
    arch: &Architecture,
    threads: u32,
    registers: u32,
    shared: u32,
) -> (u32, &'static str) {
    multiprocessor(arch).resident_blocks(threads, registers, shared)
}
