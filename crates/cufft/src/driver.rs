//! The emulator's driver: what memory there is, and the order of streams.

use crate::status::{Result, Status, refuse};
use libloading::{Library, Symbol};
use std::ffi::c_void;
use std::sync::OnceLock;

type Range = unsafe extern "C" fn(*mut u64, *mut usize, u64) -> i32;
type Copy = unsafe extern "C" fn(u64, *const c_void, usize) -> i32;
type CopyRows = unsafe extern "C" fn(*const Rows) -> i32;
type Capturing = unsafe extern "C" fn(usize, *mut i32) -> i32;
type HostFunction = unsafe extern "C" fn(*mut c_void);
type LaunchHost = unsafe extern "C" fn(usize, HostFunction, *mut c_void) -> i32;
type Uuid = unsafe extern "C" fn(*mut [u8; 16], i32) -> i32;
type Init = unsafe extern "C" fn(u32) -> i32;

/// One side of a copy of rows (`CUDA_MEMCPY2D`).
#[derive(Default)]
#[repr(C)]
struct Side {
    x_bytes: usize,
    y: usize,
    memory: u32,
    host: u64,
    device: u64,
    array: usize,
    pitch: usize,
}

/// A copy of rows.
#[repr(C)]
struct Rows {
    from: Side,
    to: Side,
    width: usize,
    height: usize,
}

/// What is used of the driver.
struct Driver {
    range: Range,
    copy: Copy,
    copy_rows: CopyRows,
    capturing: Capturing,
    launch_host: LaunchHost,
}

fn load() -> std::result::Result<Driver, String> {
    let told = |error: libloading::Error| format!("CUDA's driver cannot be loaded: {error}");
    // SAFETY: the types are those of the functions in CUDA's header; the library stays loaded.
    unsafe {
        let library: &'static Library =
            Box::leak(Box::new(Library::new("libcuda.so.1").map_err(told)?));
        let init: Symbol<Init> = library.get(b"cuInit").map_err(told)?;
        let uuid: Symbol<Uuid> = library.get(b"cuDeviceGetUuid").map_err(told)?;
        let mut bytes = [0; 16];
        if init(0) != 0 || uuid(&mut bytes, 0) != 0 || !bytes.starts_with(b"lanework") {
            return Err("the driver of this process is not Lanework's emulator; run the program under `lanework exec`, or without this library".to_owned());
        }
        Ok(Driver {
            range: *library.get(b"cuMemGetAddressRange_v2").map_err(told)?,
            copy: *library.get(b"cuMemcpyHtoD_v2").map_err(told)?,
            copy_rows: *library.get(b"cuMemcpy2DUnaligned_v2").map_err(told)?,
            capturing: *library.get(b"cuStreamIsCapturing").map_err(told)?,
            launch_host: *library.get(b"cuLaunchHostFunc").map_err(told)?,
        })
    }
}

fn driver() -> Result<&'static Driver> {
    static DRIVER: OnceLock<std::result::Result<Driver, String>> = OnceLock::new();
    match DRIVER.get_or_init(load) {
        Ok(driver) => Ok(driver),
        Err(why) => refuse(Status::SetupFailed, why),
    }
}

/// Whether the driver is the emulator's.
///
/// # Errors
/// When it is not.
pub fn check() -> Result {
    driver().map(drop)
}

/// The bytes at an address of a device.
///
/// # Errors
/// When they are not in one allocation.
pub fn bytes(address: usize, length: usize, what: &str) -> Result<&'static [u8]> {
    let (mut base, mut size) = (0u64, 0usize);
    // SAFETY: stores two numbers.
    let known = unsafe { (driver()?.range)(&mut base, &mut size, address as u64) } == 0;
    let end = (address as u64).checked_add(length as u64);
    if !known || end.is_none_or(|end| end > base + size as u64) {
        let place = match known {
            true => format!(
                "the allocation there has {} bytes from it on",
                base + size as u64 - address as u64
            ),
            false => "nothing is allocated there".to_owned(),
        };
        let why = format!(
            "{what} takes {length} bytes at {address:#x}, and {place}; check the pointer, and the plan's sizes, strides and batch"
        );
        return refuse(Status::ExecutionFailed, &why);
    }
    // SAFETY: the driver says that the bytes are allocated; they are read before this call ends.
    Ok(unsafe { std::slice::from_raw_parts(address as *const u8, length) })
}

/// Writes elements to addresses of a device that are `pitch` bytes apart, which count as written then. The range was looked up.
///
/// # Errors
/// When the driver refuses it.
pub fn write(address: usize, from: &[u8], size: usize, pitch: usize) -> Result {
    let driver = driver()?;
    let code = if size == pitch {
        // SAFETY: the driver checks the range.
        unsafe { (driver.copy)(address as u64, from.as_ptr().cast(), from.len()) }
    } else {
        let host = Side { memory: 1, host: from.as_ptr() as u64, pitch: size, ..Side::default() };
        let device = Side { memory: 2, device: address as u64, pitch, ..Side::default() };
        let rows = Rows { from: host, to: device, width: size, height: from.len() / size };
        // SAFETY: the bytes are there, and the driver checks the range.
        unsafe { (driver.copy_rows)(&rows) }
    };
    match code {
        0 => Ok(()),
        _ => refuse(Status::ExecutionFailed, "the output cannot be written"),
    }
}

type Work = Box<dyn Fn() -> Result + Send + Sync>;

unsafe extern "C" fn run(work: *mut c_void) {
    // SAFETY: made by `submit`, and never freed, since a graph runs it as often as it is launched.
    let work = unsafe { &*work.cast::<Work>() };
    let _ = crate::call::call("a node of a graph", work);
}

/// Does some work in the order of a stream: now, since all before it is done, or as a node of the graph that the stream is captured to.
///
/// # Errors
/// Those of the work, or of the stream.
pub fn submit(stream: usize, work: impl Fn() -> Result + Send + Sync + 'static) -> Result {
    let driver = driver()?;
    let mut state = 0;
    // SAFETY: stores a number.
    if unsafe { (driver.capturing)(stream, &mut state) } != 0 {
        return refuse(Status::ExecutionFailed, "the plan's stream is not there any more");
    }
    if state == 0 {
        return work();
    }
    let work: Box<Work> = Box::new(Box::new(work));
    // SAFETY: the work lives for ever.
    match unsafe { (driver.launch_host)(stream, run, Box::into_raw(work).cast()) } {
        0 => Ok(()),
        _ => refuse(Status::ExecutionFailed, "the captured stream takes no host function"),
    }
}
