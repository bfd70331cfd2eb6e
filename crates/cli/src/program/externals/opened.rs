//! Device memory that library functions of the host use directly: Thrust, CUB and other libraries compute on the host.
//!
//! While it is open, the program may access all memory of the device. Elsewhere such an access of host code is an error.

use super::plain::driver;
use super::state::loaded;
use lanework_host::{Process, Stop};

/// Bytes that are compared and copied as one, to find what the program wrote.
const GRAIN: usize = 8;

unsafe extern "C" {
    /// Waits for all queued work.
    pub fn cuCtxSynchronize() -> i32;
    /// Copies from the host to the device, and returns when the copy is complete.
    fn cuMemcpyHtoD_v2(to: u64, from: u64, bytes: u64) -> i32;
}

/// Lets the program access the device's memory, after all queued work.
///
/// # Errors
/// If the program has no data of this module.
pub fn open(process: &mut Process) -> Result<(), Stop> {
    let memory = &mut loaded(process)?.memory;
    memory.depth += 1;
    if memory.depth > 1 {
        return Ok(());
    }
    let mut ranges: Vec<(u64, u64)> =
        memory.ranges.iter().map(|(at, bytes)| (*at, *bytes)).collect();
    ranges.retain(|(address, _)| process.memory.check_range(*address, 1).is_err());
    process.flush();
    // SAFETY: the function takes nothing.
    unsafe { cuCtxSynchronize() };
    for (address, bytes) in &ranges {
        // SAFETY: the driver keeps the bytes until they are freed, when `cuMemFree_v2` takes them back first. No kernel
        // runs: the queues are empty, and `close` takes the bytes back before the program can launch.
        unsafe { process.memory.lend(*address, *bytes) };
    }
    loaded(process)?.memory.opened = ranges.iter().map(|(address, _)| *address).collect();
    if std::env::var_os("LANEWORK_TOOL").is_some_and(|tool| tool == "check") {
        let copies = ranges.iter().filter_map(|(address, bytes)| {
            process.memory.read(*address, *bytes).ok().map(|copy| (*address, copy))
        });
        let copies = copies.collect();
        loaded(process)?.memory.before = copies;
    }
    Ok(())
}

/// Ends the access. A check learns which bytes the program wrote.
///
/// # Errors
/// If the program has no data of this module.
pub fn close(process: &mut Process) -> Result<(), Stop> {
    let memory = &mut loaded(process)?.memory;
    memory.depth = memory.depth.saturating_sub(1);
    if memory.depth > 0 {
        return Ok(());
    }
    let (opened, before) = (std::mem::take(&mut memory.opened), std::mem::take(&mut memory.before));
    for (address, old) in before {
        let Ok(new) = process.memory.read(address, old.len() as u64) else { continue };
        let grains = old.chunks(GRAIN).zip(new.chunks(GRAIN));
        for (at, (_, new)) in grains.enumerate().filter(|(_, (old, new))| old != new) {
            let (to, from) = (address + (at * GRAIN) as u64, new.as_ptr().expose_provenance());
            // SAFETY: the source is a part of `new`, which outlives the copy; the driver checks the target.
            unsafe { cuMemcpyHtoD_v2(to, from as u64, new.len() as u64) };
        }
    }
    for address in opened {
        process.memory.take_back(address);
    }
    Ok(())
}

/// Allocates device memory; returns the driver's status and the address.
pub fn allocate(process: &mut Process, bytes: u64) -> Result<(i32, u64), Stop> {
    let mut address = 0u64;
    // SAFETY: the result is a word.
    let code = unsafe { driver::cuMemAlloc_v2((&raw mut address).cast(), bytes) };
    if code == 0 {
        loaded(process)?.memory.add(address, bytes);
    }
    Ok((code, address))
}
