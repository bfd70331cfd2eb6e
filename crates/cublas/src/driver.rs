//! The emulator's driver: what memory there is, and the order of streams.

use crate::status::{Result, Status, refuse};
use libloading::{Library, Symbol};
use std::ffi::c_void;
use std::sync::OnceLock;

type Range = unsafe extern "C" fn(*mut u64, *mut usize, u64) -> i32;
type Copy = unsafe extern "C" fn(u64, *const c_void, usize) -> i32;
type Capturing = unsafe extern "C" fn(usize, *mut i32) -> i32;
type HostFunction = unsafe extern "C" fn(*mut c_void);
type LaunchHost = unsafe extern "C" fn(usize, HostFunction, *mut c_void) -> i32;
type Uuid = unsafe extern "C" fn(*mut [u8; 16], i32) -> i32;
type Init = unsafe extern "C" fn(u32) -> i32;

/// What is used of the driver.
struct Driver {
    range: Range,
    copy: Copy,
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
            capturing: *library.get(b"cuStreamIsCapturing").map_err(told)?,
            launch_host: *library.get(b"cuLaunchHostFunc").map_err(told)?,
        })
    }
}

fn driver() -> Result<&'static Driver> {
    static DRIVER: OnceLock<std::result::Result<Driver, String>> = OnceLock::new();
    match DRIVER.get_or_init(load) {
        Ok(driver) => Ok(driver),
        Err(why) => refuse(Status::NotInitialized, why),
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
    if length == 0 {
        return Ok(&[]);
    }
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
        return refuse(
            Status::ExecutionFailed,
            &format!(
                "{what} takes {length} bytes at {address:#x}, and {place}; check the pointer, the extents and the leading dimension"
            ),
        );
    }
    // SAFETY: the driver says that the bytes are allocated; they are read before this call ends.
    Ok(unsafe { std::slice::from_raw_parts(address as *const u8, length) })
}

/// Writes bytes to an address of a device, which counts as written then.
///
/// # Errors
/// When they are not in one allocation.
pub fn write(address: usize, from: &[u8], what: &str) -> Result {
    bytes(address, from.len(), what)?;
    if from.is_empty() {
        return Ok(());
    }
    // SAFETY: the driver checks the range.
    match unsafe { (driver()?.copy)(address as u64, from.as_ptr().cast(), from.len()) } {
        0 => Ok(()),
        _ => refuse(Status::ExecutionFailed, &format!("{what} cannot be written")),
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
        return refuse(Status::ExecutionFailed, "the handle's stream is not there any more");
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

/// Writes bytes where they belong to a device; whether they do.
///
/// # Errors
/// When the driver is not the emulator's, or the bytes leave their allocation.
pub fn write_if_known(address: usize, from: &[u8]) -> Result<bool> {
    let (mut base, mut size) = (0u64, 0usize);
    // SAFETY: stores two numbers.
    match unsafe { (driver()?.range)(&mut base, &mut size, address as u64) } {
        0 => write(address, from, "a copy").map(|()| true),
        _ => Ok(false),
    }
}
