//! The device: its attributes, and symbols of the program's module.

use super::state::{cuda, failed_call, put, put_int, put_word, status};
use lanework_gpu_specs::device_attribute;
use lanework_host::{External, Process, Stop, word};

/// Refuses every device but the first.
fn only(device: u64) -> u64 {
    if device as u32 == 0 { status::SUCCESS } else { status::INVALID_DEVICE }
}

/// Writes a zero-terminated text into `room` bytes.
fn put_text(process: &mut Process, at: u64, room: u64, text: &str) -> Result<u64, Stop> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.truncate(room.saturating_sub(1) as usize);
    bytes.push(0);
    put(process, at, &bytes).map(|()| status::SUCCESS)
}

/// The device address and the size of the variable that has this address in the program.
fn symbol(process: &mut Process, address: u64) -> Result<Option<(u64, u64)>, Stop> {
    let Some(name) = process.symbol_at(address).map(str::to_owned) else { return Ok(None) };
    Ok(cuda(process)?.program.as_ref().and_then(|program| program.variable(&name)))
}

pub const FUNCTIONS: &[(&str, External)] = &[
    ("cuInit", |_, _| Ok(status::SUCCESS)),
    ("__lw_context", |process, a| {
        if only(word(a, 0)) != status::SUCCESS {
            return Ok(status::INVALID_DEVICE);
        }
        let state = cuda(process)?;
        if state.program.is_none() {
            match state.emulator.load_on_demand(&state.module) {
                Ok(program) => state.program = Some(program),
                Err(why) => {
                    let why = format!("the device code cannot be loaded: {why}");
                    return Err(process.fault(&why, "change the code that the message names"));
                }
            }
        }
        Ok(status::SUCCESS)
    }),
    ("__lw_symbol", |process, a| {
        let Some((address, bytes)) = symbol(process, word(a, 0))? else {
            return failed_call(
                process,
                13,
                "this is not a variable of the device",
                "pass a `__device__` or `__constant__` variable itself, not its address or its name",
            );
        };
        put_word(process, word(a, 1), address)?;
        put_word(process, word(a, 2), bytes)
    }),
    ("__lw_lent_symbol", |process, a| {
        let Some((address, bytes)) = symbol(process, word(a, 0))? else { return Ok(0) };
        // SAFETY: the variable lives as long as its module, and the module as long as the process. Kernels run only
        // while the program waits in a call.
        unsafe { process.memory.lend(address, bytes) };
        Ok(address)
    }),
    ("__lw_refusal", |process, a| {
        let text = |process: &Process, at: usize| {
            process.text(word(a, at)).map(|text| String::from_utf8_lossy(&text).into_owned())
        };
        let (why, help) = (text(process, 0)?, text(process, 1)?);
        failed_call(process, word(a, 2), why, help)
    }),
    // The launch itself is reported.
    ("__lw_launch_failed", |_, _| Ok(0)),
    ("cuDeviceGetCount", |process, a| put_int(process, word(a, 0), 1)),
    ("cuDeviceGetName", |process, a| {
        let name = format!("NVIDIA {} (emulated by Lanework)", cuda(process)?.gpu.full_name());
        put_text(process, word(a, 0), word(a, 1), &name)
    }),
    ("cuDeviceGetPCIBusId", |process, a| put_text(process, word(a, 0), word(a, 1), "0000:01:00.0")),
    ("cuDeviceTotalMem_v2", |process, a| {
        let total = cuda(process)?.emulator.memory_total();
        put_word(process, word(a, 0), total)
    }),
    ("cuDeviceGetAttribute", |process, a| {
        let found = match word(a, 1) as i32 {
            33 => Some(1),
            number => device_attribute(number, cuda(process)?.gpu),
        };
        match found {
            Some(value) => put_int(process, word(a, 0), value as u32),
            None => Ok(status::INVALID_VALUE),
        }
    }),
    ("cuDevicePrimaryCtxRetain", |process, a| match only(word(a, 1)) {
        status::SUCCESS => put_word(process, word(a, 0), 1),
        code => Ok(code),
    }),
    ("cuDeviceCanAccessPeer", |process, a| put_int(process, word(a, 0), 0)),
    ("cuDeviceGetP2PAttribute", |_, _| Ok(status::INVALID_DEVICE)),
    ("cuCtxEnablePeerAccess", |_, _| Ok(status::PEER_ACCESS_UNSUPPORTED)),
    ("cuCtxDisablePeerAccess", |_, _| Ok(status::PEER_ACCESS_UNSUPPORTED)),
    ("cuCtxSetLimit", |_, _| Ok(status::SUCCESS)),
    ("cuCtxGetLimit", |process, a| {
        // The driver's defaults for stack, `printf` buffer and heap.
        let value = match word(a, 1) {
            0 => 1024,
            1 => 1 << 20,
            2 => 8 << 20,
            _ => 0,
        };
        put_word(process, word(a, 0), value)
    }),
    ("cuCtxResetPersistingL2Cache", |_, _| Ok(status::SUCCESS)),
];
