//! The emulator's driver: what memory there is, and the order of streams.

use crate::status::{Result, Status, refuse};
use libloading::{Library, Symbol};
use std::ffi::c_void;
use std::sync::OnceLock;

type Range = unsafe extern "C" fn(*mut u64, *mut usize, u64) -> i32;
type Copy = unsafe extern "C" fn(u64, *const c_void, usize) -> i32;
type Allocate = unsafe extern "C" fn(*mut u64, usize) -> i32;
type Free = unsafe extern "C" fn(u64) -> i32;
type Capturing = unsafe extern "C" fn(usize, *mut i32) -> i32;
type HostFunction = unsafe extern "C" fn(*mut c_void);
type LaunchHost = unsafe extern "C" fn(usize, HostFunction, *mut c_void) -> i32;
type Uuid = unsafe extern "C" fn(*mut [u8; 16], i32) -> i32;
type Init = unsafe extern "C" fn(u32) -> i32;

/// What is used of the driver.
struct Driver {
    range: Range,
    copy: Copy,
    allocate: Allocate,
    free: Free,
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
            allocate: *library.get(b"cuMemAlloc_v2").map_err(told)?,
            free: *library.get(b"cuMemFree_v2").map_err(told)?,
            capturing: *library.get(b"cuStreamIsCapturing").map_err(told)?,
            launch_host: *library.get(b"cuLaunchHostFunc").map_err(told)?,
        })
    }
}

fn driver() -> Result<&'static Driver> {
    static DRIVER: OnceLock<std::result::Result<Driver, String>> = OnceLock::new();
    match DRIVER.get_or_init(load) {
        Ok(driver) => Ok(driver),
        Err(why) => refuse(Status::InitializationFailed, why),
    }
}

/// Whether the driver is the emulator's.
///
/// # Errors
/// When it is not.
pub fn check() -> Result {
    driver().map(drop)
}

/// Whether bytes at an address of a device may be written.
///
/// # Errors
/// When they are not in one allocation.
pub fn check_range(address: usize, length: usize) -> Result {
    let (mut base, mut size) = (0u64, 0usize);
    // SAFETY: stores two numbers.
    let known = unsafe { (driver()?.range)(&mut base, &mut size, address as u64) } == 0;
    let end = (address as u64).checked_add(length as u64);
    if known && end.is_some_and(|end| end <= base + size as u64) {
        return Ok(());
    }
    let place = match known {
        true => format!(
            "the allocation there has {} bytes from it on",
            base + size as u64 - address as u64
        ),
        false => "nothing is allocated there; memory of the host takes a generator of curandCreateGeneratorHost".to_owned(),
    };
    let why = format!(
        "the numbers take {length} bytes at {address:#x}, and {place}; check the pointer and the count"
    );
    refuse(Status::LaunchFailure, &why)
}

/// Writes bytes to an address of a device, which counts as written then.
///
/// # Errors
/// When they are not in one allocation.
pub fn write(address: usize, from: &[u8]) -> Result {
    check_range(address, from.len())?;
    // SAFETY: the driver checks the range.
    match unsafe { (driver()?.copy)(address as u64, from.as_ptr().cast(), from.len()) } {
        0 => Ok(()),
        _ => refuse(Status::LaunchFailure, "the numbers cannot be written"),
    }
}

/// Memory of the device.
///
/// # Errors
/// When there is none.
pub fn allocate(bytes: usize) -> Result<u64> {
    let mut at = 0;
    // SAFETY: stores a number.
    match unsafe { (driver()?.allocate)(&mut at, bytes) } {
        0 => Ok(at),
        _ => refuse(
            Status::AllocationFailed,
            &format!("{bytes} bytes of the device cannot be allocated"),
        ),
    }
}

/// Gives memory of the device back.
///
/// # Errors
/// When it is not an allocation.
pub fn free(address: usize) -> Result {
    // SAFETY: the driver checks the address.
    match unsafe { (driver()?.free)(address as u64) } {
        0 => Ok(()),
        _ => refuse(
            Status::NotInitialized,
            "a distribution was not made by curandCreatePoissonDistribution, or is destroyed",
        ),
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
        return refuse(Status::LaunchFailure, "the generator's stream is not there any more");
    }
    if state == 0 {
        return work();
    }
    let work: Box<Work> = Box::new(Box::new(work));
    // SAFETY: the work lives for ever.
    match unsafe { (driver.launch_host)(stream, run, Box::into_raw(work).cast()) } {
        0 => Ok(()),
        _ => refuse(Status::LaunchFailure, "the captured stream takes no host function"),
    }
}
