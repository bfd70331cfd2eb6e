//! Allocations: device, managed, page-locked and registered memory.

use super::state::{
    AllocationKind, Cuda, cuda, failed_call, put, put_int, put_word, status, sticky,
};
use lanework_emulator::MemoryError;
use lanework_engine::memory::allocation::{MANAGED, PAGE_LOCKED};
use lanework_host::{External, Process, Stop, word};

/// Row pitch granularity in bytes.
const PITCH: u64 = 512;

fn out_of_memory(process: &mut Process, why: &MemoryError) -> Result<u64, Stop> {
    failed_call(
        process,
        status::OUT_OF_MEMORY,
        why.to_string(),
        "allocate less; the settings of the page have a limit of device memory",
    )
}

/// Allocates memory and stores its address.
fn allocate(process: &mut Process, to: u64, bytes: u64, kind: AllocationKind) -> Result<u64, Stop> {
    if let Some(code) = sticky(process)? {
        return Ok(code);
    }
    if bytes == 0 {
        return Ok(status::INVALID_VALUE);
    }
    let state = cuda(process)?;
    let name = match kind {
        AllocationKind::Managed => MANAGED.to_owned(),
        AllocationKind::PageLocked => PAGE_LOCKED.to_owned(),
        _ => format!("cudaMalloc #{}", state.allocations.len() + 1),
    };
    let address = match state.emulator.allocate(bytes, &name) {
        Ok(address) => address,
        Err(why) => return out_of_memory(process, &why),
    };
    state.allocations.insert(address, (bytes, kind));
    if matches!(kind, AllocationKind::Managed | AllocationKind::PageLocked) {
        // Host writes are not tracked, so a check treats the whole allocation as initialized.
        let _ = state.emulator.fill(address, 0, bytes);
        // SAFETY: the emulator keeps the bytes until they are freed, and `release` takes them back before that. Kernels
        // run only while the program waits in a call.
        unsafe { process.memory.lend(address, bytes) };
    }
    put_word(process, to, address)
}

/// Frees memory.
fn release(process: &mut Process, address: u64, wanted: &[AllocationKind]) -> Result<u64, Stop> {
    if let Some(code) = sticky(process)? {
        return Ok(code);
    }
    let known = cuda(process)?.allocations.get(&address).copied();
    if !known.is_some_and(|(_, kind)| wanted.contains(&kind)) {
        let why = match cuda(process)?.allocation(address) {
            Some((start, ..)) if start != address => {
                format!("{address:#x} is {} bytes inside an allocation", address - start)
            }
            _ => format!("{address:#x} is not an allocation, or it has already been freed"),
        };
        return failed_call(
            process,
            status::INVALID_VALUE,
            why,
            "free each allocation once, by the pointer that its allocation returned and by the function that belongs to it",
        );
    }
    process.memory.take_back(address);
    let state = cuda(process)?;
    state.allocations.remove(&address);
    // The emulator knows every allocation in the table.
    let _ = state.emulator.free(address);
    Ok(status::SUCCESS)
}

/// Whether an address is in device memory that host code must not access.
pub(super) fn on_device(process: &mut Process, address: u64) -> Result<bool, Stop> {
    if process.memory.check_range(address, 1).is_ok() {
        return Ok(false);
    }
    let state: &Cuda = cuda(process)?;
    Ok(state.emulator.memory().find(address).is_some())
}

/// Opens device memory to host code, or closes it again. Thrust and CUB need this because they compute on the host.
fn open(process: &mut Process, opens: bool) -> Result<u64, Stop> {
    let state = cuda(process)?;
    state.depth = if opens { state.depth + 1 } else { state.depth.saturating_sub(1) };
    if (opens && state.depth > 1) || (!opens && state.depth > 0) {
        return Ok(status::SUCCESS);
    }
    if opens {
        let memory = state.emulator.memory();
        let ranges: Vec<(u64, u64)> = memory.live().map(|(at, found)| (at, found.bytes)).collect();
        drop(memory);
        let closed = |(at, _): &(u64, u64)| process.memory.check_range(*at, 1).is_err();
        let ranges: Vec<(u64, u64)> = ranges.into_iter().filter(closed).collect();
        for (address, bytes) in &ranges {
            // SAFETY: the emulator keeps the bytes until they are freed, and `release` takes them back before that. No
            // kernel runs while host code runs.
            unsafe { process.memory.lend(*address, *bytes) };
        }
        cuda(process)?.opened = ranges.into_iter().map(|(address, _)| address).collect();
    } else {
        let opened = std::mem::take(&mut state.opened);
        // Host writes are not tracked.
        state.emulator.memory().take_as_written();
        for address in opened {
            process.memory.take_back(address);
        }
    }
    Ok(status::SUCCESS)
}

/// A pointer's attributes: context, memory type, addresses, device, and whether the memory is managed.
fn pointer_attribute(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    let (to, attribute, address) = (word(a, 0), word(a, 1), word(a, 2));
    let Some((_, _, kind)) = cuda(process)?.allocation(address) else {
        return Ok(status::INVALID_VALUE);
    };
    match attribute {
        2 => {
            let is_host = matches!(kind, AllocationKind::PageLocked | AllocationKind::Registered);
            put_int(process, to, if is_host { 1 } else { 2 })
        }
        8 => {
            put(process, to, &[u8::from(kind == AllocationKind::Managed)]).map(|()| status::SUCCESS)
        }
        9 => put_int(process, to, 0),
        3 | 4 => put_word(process, to, address),
        _ => put_word(process, to, 1),
    }
}

const OWN: &[AllocationKind] = &[AllocationKind::Device, AllocationKind::Managed];

pub const FUNCTIONS: &[(&str, External)] = &[
    ("cuMemAlloc_v2", |process, a| {
        allocate(process, word(a, 0), word(a, 1), AllocationKind::Device)
    }),
    ("cuMemAllocAsync", |process, a| {
        allocate(process, word(a, 0), word(a, 1), AllocationKind::Device)
    }),
    ("cuMemAllocFromPoolAsync", |process, a| {
        allocate(process, word(a, 0), word(a, 1), AllocationKind::Device)
    }),
    ("cuMemAllocManaged", |process, a| {
        allocate(process, word(a, 0), word(a, 1), AllocationKind::Managed)
    }),
    ("cuMemHostAlloc", |process, a| {
        allocate(process, word(a, 0), word(a, 1), AllocationKind::PageLocked)
    }),
    ("cuMemAllocPitch_v2", |process, a| {
        let (width, height) = (word(a, 2), word(a, 3));
        let sizes = width
            .checked_next_multiple_of(PITCH)
            .and_then(|pitch| Some((pitch, pitch.checked_mul(height)?)));
        let Some((pitch, bytes)) = sizes else { return Ok(status::INVALID_VALUE) };
        put_word(process, word(a, 1), pitch)?;
        allocate(process, word(a, 0), bytes, AllocationKind::Device)
    }),
    ("cuMemFree_v2", |process, a| release(process, word(a, 0), OWN)),
    ("cuMemFreeAsync", |process, a| release(process, word(a, 0), OWN)),
    ("cuMemFreeHost", |process, a| release(process, word(a, 0), &[AllocationKind::PageLocked])),
    ("cuMemGetInfo_v2", |process, a| {
        let state = cuda(process)?;
        let (used, total) = (state.emulator.memory_used(), state.emulator.memory_total());
        put_word(process, word(a, 0), total - used)?;
        put_word(process, word(a, 1), total)
    }),
    ("cuMemHostRegister_v2", |process, a| {
        let (start, bytes) = (word(a, 0), word(a, 1));
        let place = process.accessed(process.memory.check_range(start, bytes), "write")?;
        let state = cuda(process)?;
        // SAFETY: the range was checked and belongs to the program, whose memory lives as long as the process. Kernels
        // run only while the program waits in a call.
        let done = unsafe { state.emulator.register_host_memory(place, bytes, "host memory") };
        match done {
            Ok(()) => {
                state.allocations.insert(start, (bytes, AllocationKind::Registered));
                Ok(status::SUCCESS)
            }
            Err(why) => failed_call(process, 712, why.to_string(), "register each range once"),
        }
    }),
    ("cuMemHostUnregister", |process, a| {
        let start = word(a, 0);
        let state = cuda(process)?;
        let known = state
            .allocations
            .get(&start)
            .is_some_and(|(_, kind)| *kind == AllocationKind::Registered);
        if !known {
            return failed_call(
                process,
                713,
                "this memory is not registered",
                "unregister it once",
            );
        }
        state.allocations.remove(&start);
        let place = std::ptr::with_exposed_provenance(start as usize);
        // The table says that the range is registered.
        let _ = state.emulator.unregister_host_memory(place);
        Ok(status::SUCCESS)
    }),
    ("__lw_is_device", |process, a| on_device(process, word(a, 0)).map(u64::from)),
    ("__lw_open_device", |process, _| open(process, true)),
    ("__lw_close_device", |process, _| open(process, false)),
    ("cuPointerGetAttribute", pointer_attribute),
    ("cuMemAdvise", |_, _| Ok(status::SUCCESS)),
    ("cuStreamAttachMemAsync", |_, _| Ok(status::SUCCESS)),
    ("cuDeviceGetDefaultMemPool", |process, a| put_word(process, word(a, 0), 0x100)),
    ("cuDeviceGetMemPool", |process, a| put_word(process, word(a, 0), 0x100)),
    ("cuDeviceSetMemPool", |_, _| Ok(status::SUCCESS)),
    ("cuMemPoolCreate", |process, a| {
        let handle = cuda(process)?.handle();
        put_word(process, word(a, 0), handle)
    }),
    ("cuMemPoolDestroy", |_, _| Ok(status::SUCCESS)),
    ("cuMemPoolTrimTo", |_, _| Ok(status::SUCCESS)),
    ("cuMemPoolSetAttribute", |_, _| Ok(status::SUCCESS)),
    ("cuMemPoolGetAttribute", |process, a| put_int(process, word(a, 2), 0)),
    ("cuMemPoolSetAccess", |_, _| Ok(status::SUCCESS)),
];
