//! A CUDA C++ program from its source, without a compiler of NVIDIA's: its device code becomes PTX, its host code is
//! interpreted in this process, and both meet in the emulated driver.

use crate::kernel_file::source::{device_code, host_code};
use lanework_host::{External, Process, Stop, word};
use lanework_libcuda as _;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::note;
use std::collections::HashMap;
use std::ffi::{CString, OsString, c_char, c_void};
use std::io::Write;
use std::path::Path;

/// The environment variable by which a tool makes this command run a program's source.
pub const VARIABLE: &str = "LANEWORK_HOST_PROGRAM";

/// The status of a copy whose direction contradicts its addresses.
const CUDA_ERROR_INVALID_VALUE: u64 = 1;

/// Without its kernels a program would print results that look valid.
const NOT_LOADED: &str = "the message above names the instruction: correct it if an `asm` statement contains it; \
     otherwise the compiler of this command is wrong: please report it";

/// Data of the program for the driver's functions.
struct Loaded {
    ptx: CString,
    /// The module of each device.
    modules: HashMap<u32, u64>,
    /// The device that is current.
    device: u32,
    kernels: HashMap<u64, u64>,
}

/// Whether a file is the source of a program, with a `main`.
pub fn is_source(file: &Path) -> bool {
    file.extension().is_some_and(|kind| kind == "cu")
        && std::fs::read_to_string(file).is_ok_and(|text| text.contains("main("))
}

/// Runs the program that the command line names.
///
/// # Errors
/// As [`run`].
pub fn worker(line: &[OsString]) -> Outcome {
    let text = |argument: &OsString| argument.to_string_lossy().into_owned();
    match line.get(1) {
        Some(file) => run(Path::new(file), &line[2..].iter().map(text).collect::<Vec<_>>()),
        None => Err(Failure::input("there is no program", "give it after `--`")),
    }
}

/// Compiles and runs a program; ends with its exit code.
///
/// # Errors
/// If it does not compile, or its host code faults.
pub fn run(path: &Path, arguments: &[String]) -> Outcome {
    // The interpreted C library writes to Rust's standard output, and kernels as well.
    lanework::print_by(|text| {
        let _ = std::io::stdout().write_all(text.as_bytes());
    });
    let host = host_code(path)?;
    let ptx = device_code(path)?;
    let ptx = CString::new(ptx).map_err(|_| Failure::input("the PTX contains a zero byte", ""))?;
    let loaded = Loaded { ptx, modules: HashMap::new(), device: 0, kernels: HashMap::new() };
    let loaded = Process::load(&host, DRIVER, Box::new(loaded));
    let mut process = loaded.map_err(|why| Failure::input(why, "free memory of this machine"))?;
    let mut all = vec![path.display().to_string()];
    all.extend_from_slice(arguments);
    match process.main(&all) {
        Ok(0) => Ok(()),
        Ok(code) => Err(Failure::Program(code as u8)),
        Err(fault) => {
            note(&format!("error: host code: {}", fault.message));
            for (function, file, line) in &fault.places {
                if *line > 0 {
                    let function = lanework::ptx::cpp_names::readable(function);
                    note(&format!("  --> {file}:{line} in `{function}`"));
                }
            }
            if !fault.help.is_empty() {
                note(&format!("  = help: {}", fault.help));
            }
            Err(Failure::Program(134))
        }
    }
}

macro_rules! kind {
    (w) => { u64 };
    (i) => { u32 };
    ($bytes:literal) => { *mut c_void };
}

macro_rules! argument {
    ($process:ident, $value:expr, w) => {
        $value
    };
    ($process:ident, $value:expr, i) => {
        $value as u32
    };
    ($process:ident, $value:expr, $bytes:literal) => {
        $process.accessed($process.memory.check_range($value, $bytes), "write")?.cast::<c_void>()
    };
}

/// Driver functions by the kinds of their arguments: a word, an `int`, or a checked pointer to a number of bytes.
macro_rules! functions {
    ($($name:ident($($kind:tt),*);)*) => {
        mod driver {
            use std::ffi::c_void;
            unsafe extern "C" {
                $(pub fn $name($(_: kind!($kind)),*) -> i32;)*
            }
        }

        const PLAIN: &[(&str, External)] = &[$((stringify!($name), |_process, _arguments| {
            let mut _words = _arguments.iter().copied();
            // SAFETY: the driver defines the function with these types, integers and pointers being passed alike, and
            // pointers were checked to lead to as many bytes as the function accesses.
            Ok(status(unsafe {
                driver::$name($(argument!(_process, _words.next().unwrap_or(0), $kind)),*)
            }))
        })),*];
    };
}

functions! {
    cuInit(i);
    cuDeviceGetCount(4);
    cuDeviceTotalMem_v2(8, i);
    cuDeviceGetAttribute(4, i, i);
    cuMemAlloc_v2(8, w);
    cuMemGetInfo_v2(8, 8);
    cuMemcpyDtoDAsync_v2(w, w, w, w);
    cuMemsetD8Async(w, i, w, w);
    cuStreamCreate(8, i);
    cuStreamDestroy_v2(w);
    cuStreamQuery(w);
    cuStreamWaitEvent(w, w, i);
    cuEventCreate(8, i);
    cuEventDestroy_v2(w);
    cuEventRecord(w, w);
    cuEventQuery(w);
    cuEventElapsedTime(4, w, w);
    cuFuncSetAttribute(w, i, i);
    cuFuncGetAttribute(4, i, w);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(4, w, i, w);
}

unsafe extern "C" {
    fn cuCtxSynchronize() -> i32;
    fn cuStreamSynchronize(stream: u64) -> i32;
    fn cuEventSynchronize(event: u64) -> i32;
    fn cuDevicePrimaryCtxRetain(context: *mut u64, device: i32) -> i32;
    fn cuCtxSetCurrent(context: u64) -> i32;
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
    fn cuPointerGetAttribute(data: *mut c_void, attribute: i32, address: u64) -> i32;
    fn cuFuncGetParamInfo(function: u64, index: u64, offset: *mut u64, bytes: *mut u64) -> i32;
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

fn status(code: i32) -> u64 {
    u64::from(code as u32)
}

fn loaded(process: &mut Process) -> Result<&mut Loaded, Stop> {
    let stop = Stop::Exit(1);
    process.environment.downcast_mut().ok_or(stop)
}

/// The module of the current device, and the symbol at an address.
fn symbol(process: &mut Process, address: u64) -> Result<Option<(u64, CString)>, Stop> {
    let name = process.symbol_at(address).and_then(|name| CString::new(name).ok());
    let loaded = loaded(process)?;
    Ok(loaded.modules.get(&loaded.device).copied().zip(name))
}

/// The device's address and the bytes of the variable at an address of the program.
fn global(process: &mut Process, address: u64) -> Result<Option<(u64, u64)>, Stop> {
    let Some((module, name)) = symbol(process, address)? else { return Ok(None) };
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: the results are words, and the name ends with a zero byte.
    let code =
        unsafe { cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, module, name.as_ptr()) };
    Ok((code == 0).then_some((address, bytes)))
}

/// Stores a word that the program asked for.
fn put(process: &mut Process, at: u64, value: u64) -> Result<(), Stop> {
    let written = process.memory.write(at, &value.to_le_bytes());
    process.accessed(written, "write")
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

/// Whether an address is the device's, and the program must not access it.
fn on_device(process: &Process, address: u64) -> bool {
    if process.memory.check_range(address, 1).is_ok() {
        return false;
    }
    let mut kind = 0u32;
    // SAFETY: the attribute (the memory's type) has four bytes.
    let code = unsafe { cuPointerGetAttribute((&raw mut kind).cast(), 2, address) };
    code == 0 && kind == 2
}

/// Checks the blocks of a kernel's arguments.
fn check_arguments(process: &Process, function: u64, list: u64) -> Result<*const c_void, Stop> {
    for index in 0.. {
        let (mut offset, mut bytes) = (0, 0);
        // SAFETY: both results are words.
        let code = unsafe { cuFuncGetParamInfo(function, index, &raw mut offset, &raw mut bytes) };
        if code != 0 {
            break;
        }
        let place =
            process.accessed(process.memory.read(list.wrapping_add(8 * index), 8), "read")?;
        let place = u64::from_le_bytes(place.try_into().unwrap_or_default());
        process.accessed(process.memory.check_range(place, bytes), "read")?;
    }
    Ok(std::ptr::with_exposed_provenance(list as usize))
}

/// Launches a kernel after checking the blocks of its arguments.
fn launch(process: &mut Process, a: &[u64], cooperative: bool) -> Result<u64, Stop> {
    let each = check_arguments(process, word(a, 0), word(a, 9))?;
    process.flush();
    let [gx, gy, gz, bx, by, bz, shared] = std::array::from_fn(|at| word(a, at + 1) as u32);
    let (function, stream) = (word(a, 0), word(a, 8));
    // SAFETY: the arguments were checked to have the bytes of the kernel's parameters.
    Ok(status(unsafe {
        if cooperative {
            cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, shared, stream, each)
        } else {
            let extra = std::ptr::null();
            cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, each, extra)
        }
    }))
}

const SPECIAL: &[(&str, External)] = &[
    ("__lw_context", |process, a| {
        let device = word(a, 0) as u32;
        let (mut context, mut module) = (0, 0);
        // SAFETY: results are words, and the text ends with a zero byte and outlives the call.
        let code = unsafe {
            let mut code = driver::cuInit(0);
            if code == 0 {
                code = cuDevicePrimaryCtxRetain(&raw mut context, device as i32);
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
            return Ok(98);
        }
        loaded(process)?.kernels.insert(word(a, 0), function);
        put(process, word(a, 1), function)?;
        Ok(0)
    }),
    ("__lw_symbol", |process, a| {
        let Some((address, bytes)) = global(process, word(a, 0))? else { return Ok(13) };
        put(process, word(a, 1), address)?;
        put(process, word(a, 2), bytes)?;
        Ok(0)
    }),
    ("__lw_is_device", |process, a| Ok(u64::from(on_device(process, word(a, 0))))),
    ("__lw_lent_symbol", |process, a| {
        let Some((address, bytes)) = global(process, word(a, 0))? else { return Ok(0) };
        // SAFETY: the variable stays as long as its module, which is never unloaded. Kernels, which use it by atomic
        // accesses, run while the program waits or by its own leave.
        unsafe { process.memory.lend(address, bytes) };
        Ok(address)
    }),
    ("cuDeviceGetName", |process, a| {
        let room = word(a, 1).min(1 << 16);
        let name = process.accessed(process.memory.check_range(word(a, 0), room), "write")?;
        // SAFETY: the range was checked to have `room` bytes.
        Ok(status(unsafe { cuDeviceGetName(name.cast(), room as i32, word(a, 2) as i32) }))
    }),
    ("cuMemAllocManaged", |process, a| lend(process, a, cuMemAllocManaged)),
    ("cuMemHostAlloc", |process, a| lend(process, a, cuMemHostAlloc)),
    ("cuMemFree_v2", |process, a| {
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
            return Ok(CUDA_ERROR_INVALID_VALUE);
        }
        process.accessed(process.memory.check_range(word(a, 1), word(a, 2)), "read")?;
        // SAFETY: the source was checked; the driver checks the target.
        Ok(status(unsafe { cuMemcpyHtoDAsync_v2(word(a, 0), word(a, 1), word(a, 2), word(a, 3)) }))
    }),
    ("cuMemcpyDtoHAsync_v2", |process, a| {
        if on_device(process, word(a, 0)) {
            return Ok(CUDA_ERROR_INVALID_VALUE);
        }
        process.accessed(process.memory.check_range(word(a, 0), word(a, 2)), "write")?;
        process.flush();
        // SAFETY: the target was checked; the driver checks the source.
        Ok(status(unsafe { cuMemcpyDtoHAsync_v2(word(a, 0), word(a, 1), word(a, 2), word(a, 3)) }))
    }),
    ("cuCtxSynchronize", |process, _| {
        process.flush();
        // SAFETY: the function takes nothing.
        Ok(status(unsafe { cuCtxSynchronize() }))
    }),
    ("cuStreamSynchronize", |process, a| {
        process.flush();
        // SAFETY: the driver refuses handles that it did not give.
        Ok(status(unsafe { cuStreamSynchronize(word(a, 0)) }))
    }),
    ("cuEventSynchronize", |process, a| {
        process.flush();
        // SAFETY: the driver refuses handles that it did not give.
        Ok(status(unsafe { cuEventSynchronize(word(a, 0)) }))
    }),
    ("cuLaunchKernel", |process, a| launch(process, a, false)),
    ("cuLaunchCooperativeKernel", |process, a| launch(process, a, true)),
];

/// The functions of CUDA that the program's headers declare.
const DRIVER: &[&[(&str, External)]] = &[PLAIN, SPECIAL];
