//! Functions of CUDA's driver for interpreted host code. Each checks the memory that the driver will access.

use lanework::emulator::SourceLocation;
use lanework::emulator::sanitize::{Report, ReportKind};
use lanework_host::{External, HostFault, Process, Stop, word};
use std::ffi::{CString, c_char, c_void};

mod checks;
mod graphs;
mod modules;
mod opened;
mod plain;
mod state;

pub use graphs::object_at;
pub use state::Loaded;

use checks::{check_arguments, host_side, on_device};
use graphs::{GRAPHS, LISTS, while_describing, while_waiting};
use modules::MODULES;
use opened::cuCtxSynchronize;
use plain::{PLAIN, driver, status};
use state::{loaded, put};

/// The status of a copy whose direction contradicts its addresses.
const CUDA_ERROR_INVALID_VALUE: u64 = 1;

/// `CUDA_ERROR_NOT_FOUND`.
const NOT_FOUND: i32 = 500;

/// Without its kernels a program would print results that look valid.
const NOT_LOADED: &str = "the message above names the instruction: correct it if an `asm` statement contains it; \
     otherwise the compiler of this command is wrong: please report it";

unsafe extern "C" {
    fn cuStreamSynchronize(stream: u64) -> i32;
    fn cuEventSynchronize(event: u64) -> i32;
    fn cuCtxSetCurrent(context: u64) -> i32;
    fn cuDeviceGetPCIBusId(text: *mut c_char, room: i32, device: i32) -> i32;
    fn cuMemcpy3DAsync_v2(copy: *const c_void, stream: u64) -> i32;
    fn cuMemHostRegister_v2(start: u64, bytes: u64, flags: u32) -> i32;
    fn cuModuleLoadData(module: *mut u64, image: *const c_char) -> i32;
    fn cuModuleGetFunction(function: *mut u64, module: u64, name: *const c_char) -> i32;
    fn cuModuleGetGlobal_v2(at: *mut u64, bytes: *mut u64, module: u64, name: *const c_char)
    -> i32;
    fn cuDeviceGetName(name: *mut c_void, room: i32, device: i32) -> i32;
    fn cuMemFree_v2(memory: u64) -> i32;
    fn cuMemFreeHost(memory: u64) -> i32;
    fn cuMemAllocManaged(to: *mut u64, bytes: u64, flags: u32) -> i32;
    fn cuMemHostAlloc(to: *mut u64, bytes: u64, flags: u32) -> i32;
    fn cuMemcpyHtoDAsync_v2(to: u64, from: u64, bytes: u64, stream: u64) -> i32;
    fn cuMemcpyDtoHAsync_v2(to: u64, from: u64, bytes: u64, stream: u64) -> i32;
    #[rustfmt::skip]
    fn cuLaunchKernel(
        function: u64,
        gx: u32,
        gy: u32,
        gz: u32,
        bx: u32,
        by: u32,
        bz: u32,
        shared: u32,
        stream: u64,
        each: *const c_void,
        extra: *const c_void,
    ) -> i32;
    #[rustfmt::skip]
    fn cuLaunchCooperativeKernel(
        function: u64,
        gx: u32,
        gy: u32,
        gz: u32,
        bx: u32,
        by: u32,
        bz: u32,
        shared: u32,
        stream: u64,
        each: *const c_void,
    ) -> i32;
}

/// The module of the current device, and the symbol at an address.
fn symbol(process: &mut Process, address: u64) -> Result<Option<(u64, CString)>, Stop> {
    let name = process.symbol_at(address).and_then(|name| CString::new(name).ok());
    let loaded = loaded(process)?;
    Ok(loaded.modules.get(&loaded.device).copied().zip(name))
}

/// The code of the runtime for a symbol that was not found: `unknown`, or the fault of an earlier kernel, after which every call of
/// the driver fails.
fn not_found(code: i32, unknown: u64) -> u64 {
    match code {
        0 | NOT_FOUND => unknown,
        code => status(code),
    }
}

/// The device's address and the bytes of the variable at an address of the program; else the driver's code.
fn global(process: &mut Process, address: u64) -> Result<Result<(u64, u64), i32>, Stop> {
    let Some((module, name)) = symbol(process, address)? else { return Ok(Err(0)) };
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: the results are words, and the name ends with a zero byte.
    let code =
        unsafe { cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, module, name.as_ptr()) };
    Ok(if code == 0 { Ok((address, bytes)) } else { Err(code) })
}

/// Allocates memory that host and device use.
fn lend(
    process: &mut Process,
    arguments: &[u64],
    allocate: unsafe extern "C" fn(*mut u64, u64, u32) -> i32,
) -> Result<u64, Stop> {
    let (mut address, bytes) = (0, word(arguments, 1));
    // SAFETY: `address` is a word for the result.
    let code = unsafe { allocate(&raw mut address, bytes, word(arguments, 2) as u32) };
    if code == 0 {
        // SAFETY: the driver keeps the bytes until they are freed, when `take_back` is called first. Kernels, which use
        // them by atomic accesses, run while the program waits, or when the program lets them.
        unsafe { process.memory.lend(address, bytes) };
        put(process, word(arguments, 0), address)?;
    }
    Ok(status(code))
}

/// A copy whose host side is on the device. If its device side is on the host, the driver refuses the call, and its check
/// reports it.
fn wrong_direction(
    process: &Process,
    a: &[u64],
    device_side: usize,
    copy: unsafe extern "C" fn(u64, u64, u64, u64) -> i32,
) -> Result<u64, Stop> {
    if on_device(process, word(a, device_side)) {
        return Ok(CUDA_ERROR_INVALID_VALUE);
    }
    // SAFETY: the driver checks that the device side is memory that it allocated, and the other side is on the device.
    Ok(status(unsafe { copy(word(a, 0), word(a, 1), word(a, 2), word(a, 3)) }))
}

/// Launches a kernel after checking the blocks of its arguments.
fn launch(process: &mut Process, a: &[u64], cooperative: bool) -> Result<u64, Stop> {
    let each = check_arguments(process, word(a, 0), word(a, 9))?;
    process.flush();
    let [gx, gy, gz, bx, by, bz, shared] = std::array::from_fn(|at| word(a, at + 1) as u32);
    let (function, stream) = (word(a, 0), word(a, 8));
    // SAFETY: the arguments were checked to have the bytes of the kernel's parameters.
    Ok(while_describing(process, || unsafe {
        if cooperative {
            cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, shared, stream, each)
        } else {
            let extra = std::ptr::null();
            cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, each, extra)
        }
    }))
}

/// Reports a call that the runtime's headers refuse, with the program's line.
fn report_refusal(process: &Process, a: &[u64]) -> Result<(), Stop> {
    let text =
        |at| process.text(word(a, at)).map(|text| String::from_utf8_lossy(&text).into_owned());
    let (why, help) = (text(0)?, text(1)?);
    let Stop::Fault(HostFault { places, .. }) = process.fault("", "") else { return Ok(()) };
    // Functions of built-in headers have no line.
    let of_program =
        places.into_iter().filter(|(_, file, line)| *line > 0 && !file.starts_with("lanework/"));
    let mut lines = of_program.map(|(_, file, line)| SourceLocation { file, line, column: 0 });
    let found = Report {
        message: format!("{why} (error {})", word(a, 2)),
        location: lines.next(),
        callers: lines.collect(),
        help,
        ..Report::new(ReportKind::FailedCall)
    };
    lanework::tool::keep_findings("", &[found]);
    Ok(())
}

/// The kernel and the status of a failed launch about which the program never asked.
pub fn unseen_failure(process: &mut Process) -> Option<(String, u64)> {
    loaded(process).ok()?.unseen.take()
}

const SPECIAL: &[(&str, External)] = &[
    ("__lw_context", |process, a| {
        let device = word(a, 0) as u32;
        let (mut context, mut module) = (0u64, 0);
        // SAFETY: results are words, and the text ends with a zero byte and outlives the call.
        let code = unsafe {
            let mut code = driver::cuInit(0);
            if code == 0 {
                code = driver::cuDevicePrimaryCtxRetain((&raw mut context).cast(), device);
            }
            if code == 0 {
                code = cuCtxSetCurrent(context);
            }
            let loaded = loaded(process)?;
            if code == 0 && !loaded.modules.contains_key(&device) {
                code = cuModuleLoadData(&raw mut module, loaded.ptx.as_ptr());
                if code != 0 {
                    return Err(process.fault("the device code cannot be loaded", NOT_LOADED));
                }
            }
            code
        };
        if code == 0 {
            let loaded = loaded(process)?;
            loaded.device = device;
            loaded.modules.entry(device).or_insert(module);
            loaded.kernels.clear();
        }
        Ok(status(code))
    }),
    ("__lw_kernel", |process, a| {
        if let Some(known) = loaded(process)?.kernels.get(&word(a, 0)).copied() {
            put(process, word(a, 1), known)?;
            return Ok(0);
        }
        let Some((module, name)) = symbol(process, word(a, 0))? else { return Ok(98) };
        let mut function = 0;
        // SAFETY: the result is a word, and the name ends with a zero byte.
        let code = unsafe { cuModuleGetFunction(&raw mut function, module, name.as_ptr()) };
        if code != 0 {
            return Ok(not_found(code, 98));
        }
        loaded(process)?.kernels.insert(word(a, 0), function);
        put(process, word(a, 1), function)?;
        Ok(0)
    }),
    ("__lw_symbol", |process, a| {
        let (address, bytes) = match global(process, word(a, 0))? {
            Ok(found) => found,
            Err(code) => return Ok(not_found(code, 13)),
        };
        loaded(process)?.memory.add(address, bytes);
        put(process, word(a, 1), address)?;
        put(process, word(a, 2), bytes)?;
        Ok(0)
    }),
    ("__lw_refusal", |process, a| report_refusal(process, a).map(|()| 0)),
    ("__lw_launch_failed", |process, a| {
        let (kernel, status) = (word(a, 0), word(a, 1));
        let name = process.symbol_at(kernel).map(str::to_owned);
        loaded(process)?.unseen = (status != 0).then(|| (name.unwrap_or_default(), status));
        Ok(0)
    }),
    ("__lw_is_device", |process, a| Ok(u64::from(on_device(process, word(a, 0))))),
    ("__lw_lent_symbol", |process, a| {
        let Ok((address, bytes)) = global(process, word(a, 0))? else { return Ok(0) };
        // SAFETY: the variable stays as long as its module, which is never unloaded. Kernels, which use it by atomic
        // accesses, run while the program waits, or when the program lets them.
        unsafe { process.memory.lend(address, bytes) };
        Ok(address)
    }),
    ("cuDeviceGetName", |process, a| {
        let room = word(a, 1).min(1 << 16);
        let name = process.accessed(process.memory.check_range(word(a, 0), room), "write")?;
        // SAFETY: the range was checked to have `room` bytes.
        Ok(status(unsafe { cuDeviceGetName(name.cast(), room as i32, word(a, 2) as i32) }))
    }),
    ("cuDeviceGetPCIBusId", |process, a| {
        let room = word(a, 1).min(1 << 16);
        let text = process.accessed(process.memory.check_range(word(a, 0), room), "write")?;
        // SAFETY: the range was checked to have `room` bytes.
        Ok(status(unsafe { cuDeviceGetPCIBusId(text.cast(), room as i32, word(a, 2) as i32) }))
    }),
    ("cuMemHostRegister_v2", |process, a| {
        process.accessed(process.memory.check_range(word(a, 0), word(a, 1)), "write")?;
        // SAFETY: the range was checked, and the memory of the program stays as long as the process.
        Ok(status(unsafe { cuMemHostRegister_v2(word(a, 0), word(a, 1), word(a, 2) as u32) }))
    }),
    ("cuMemcpy3DAsync_v2", |process, a| {
        let copy = process.accessed(process.memory.read(word(a, 0), 200), "read")?;
        for (side, verb) in [(0, "read"), (88, "write")] {
            if let Some((start, bytes)) = host_side(&copy, side) {
                // The driver checks the device's memory, and refuses a null pointer.
                if start == 0 || on_device(process, start) {
                    continue;
                }
                process.accessed(process.memory.check_range(start, bytes), verb)?;
            }
        }
        process.flush();
        // SAFETY: the description is a copy of its 200 bytes, and the ranges of host memory were checked.
        Ok(status(unsafe { cuMemcpy3DAsync_v2(copy.as_ptr().cast(), word(a, 1)) }))
    }),
    ("cuMemAllocManaged", |process, a| lend(process, a, cuMemAllocManaged)),
    ("cuMemHostAlloc", |process, a| lend(process, a, cuMemHostAlloc)),
    ("__lw_open_device", |process, _| opened::open(process).map(|()| 0)),
    ("__lw_close_device", |process, _| opened::close(process).map(|()| 0)),
    ("cuMemAlloc_v2", |process, a| {
        let (code, address) = opened::allocate(process, word(a, 1))?;
        if code == 0 {
            put(process, word(a, 0), address)?;
        }
        Ok(status(code))
    }),
    ("cuMemFree_v2", |process, a| {
        loaded(process)?.memory.remove(word(a, 0));
        process.memory.take_back(word(a, 0));
        // SAFETY: the driver refuses addresses that it did not allocate.
        Ok(status(unsafe { cuMemFree_v2(word(a, 0)) }))
    }),
    ("cuMemFreeHost", |process, a| {
        process.memory.take_back(word(a, 0));
        // SAFETY: the driver refuses addresses that it did not allocate.
        Ok(status(unsafe { cuMemFreeHost(word(a, 0)) }))
    }),
    ("cuMemcpyHtoDAsync_v2", |process, a| {
        if on_device(process, word(a, 1)) {
            return wrong_direction(process, a, 0, cuMemcpyHtoDAsync_v2);
        }
        // The driver refuses a null pointer.
        if word(a, 1) != 0 {
            process.accessed(process.memory.check_range(word(a, 1), word(a, 2)), "read")?;
        }
        // SAFETY: the source was checked or is null; the driver checks the target.
        Ok(status(unsafe { cuMemcpyHtoDAsync_v2(word(a, 0), word(a, 1), word(a, 2), word(a, 3)) }))
    }),
    ("cuMemcpyDtoHAsync_v2", |process, a| {
        if on_device(process, word(a, 0)) {
            return wrong_direction(process, a, 1, cuMemcpyDtoHAsync_v2);
        }
        // The driver refuses a null pointer.
        if word(a, 0) != 0 {
            process.accessed(process.memory.check_range(word(a, 0), word(a, 2)), "write")?;
        }
        process.flush();
        // SAFETY: the target was checked or is null; the driver checks the source.
        Ok(status(unsafe { cuMemcpyDtoHAsync_v2(word(a, 0), word(a, 1), word(a, 2), word(a, 3)) }))
    }),
    ("cuCtxSynchronize", |process, _| {
        // SAFETY: the function takes nothing.
        while_waiting(process, || unsafe { cuCtxSynchronize() })
    }),
    ("cuStreamSynchronize", |process, a| {
        // SAFETY: the driver refuses handles that it did not give.
        while_waiting(process, || unsafe { cuStreamSynchronize(word(a, 0)) })
    }),
    ("cuEventSynchronize", |process, a| {
        // SAFETY: the driver refuses handles that it did not give.
        while_waiting(process, || unsafe { cuEventSynchronize(word(a, 0)) })
    }),
    ("cuLaunchKernel", |process, a| launch(process, a, false)),
    ("cuLaunchCooperativeKernel", |process, a| launch(process, a, true)),
];

/// The functions of CUDA that the program's headers declare.
pub const DRIVER: &[&[(&str, External)]] = &[SPECIAL, GRAPHS, LISTS, MODULES, PLAIN];
