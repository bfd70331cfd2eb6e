//! The emulator's driver: contexts, what memory there is, and the order of streams.

use crate::status::{Result, Status, failure, refuse};
use libloading::{Library, Symbol};
use std::ffi::c_void;
use std::sync::OnceLock;

type HostFunction = unsafe extern "C" fn(*mut c_void);

/// Makes the table of what is used of the driver, with each function's type as in CUDA's header.
macro_rules! functions {
    ($($field:ident: $name:literal ($($argument:ty),*);)*) => {
        struct Driver {
            $($field: unsafe extern "C" fn($($argument),*) -> i32,)*
        }

        impl Driver {
            /// # Safety
            /// The library is CUDA's driver, and stays loaded.
            unsafe fn of(library: &'static Library) -> std::result::Result<Driver, libloading::Error> {
                Ok(Driver {
                    $($field: *{
                        // SAFETY: by the caller, and the table.
                        let found: Symbol<unsafe extern "C" fn($($argument),*) -> i32> = unsafe { library.get($name) }?;
                        found
                    },)*
                })
            }
        }
    };
}

functions! {
    init: b"cuInit" (u32);
    uuid: b"cuDeviceGetUuid" (*mut [u8; 16], i32);
    retain: b"cuDevicePrimaryCtxRetain" (*mut u64, i32);
    current: b"cuCtxGetCurrent" (*mut u64);
    push: b"cuCtxPushCurrent_v2" (u64);
    pop: b"cuCtxPopCurrent_v2" (*mut u64);
    device: b"cuCtxGetDevice" (*mut i32);
    range: b"cuMemGetAddressRange_v2" (*mut u64, *mut usize, u64);
    read: b"cuMemcpyDtoH_v2" (*mut c_void, u64, usize);
    write: b"cuMemcpyHtoD_v2" (u64, *const c_void, usize);
    alloc: b"cuMemAlloc_v2" (*mut u64, usize);
    free: b"cuMemFree_v2" (u64);
    capturing: b"cuStreamIsCapturing" (usize, *mut i32);
    launch_host: b"cuLaunchHostFunc" (usize, HostFunction, *mut c_void);
}

fn load() -> std::result::Result<Driver, String> {
    let told = |error: libloading::Error| format!("CUDA's driver cannot be loaded: {error}");
    // SAFETY: the library is CUDA's driver; it stays loaded.
    let driver = unsafe {
        let library = Library::new("libcuda.so.1").map_err(told)?;
        Driver::of(Box::leak(Box::new(library))).map_err(told)?
    };
    let mut bytes = [0; 16];
    // SAFETY: the result is stored in the bytes.
    if unsafe { (driver.init)(0) != 0 || (driver.uuid)(&mut bytes, 0) != 0 }
        || !bytes.starts_with(b"lanework")
    {
        return Err("the driver of this process is not Lanework's emulator; run the program under `lanework exec`, or without this library".to_owned());
    }
    Ok(driver)
}

fn driver() -> Result<&'static Driver> {
    static DRIVER: OnceLock<std::result::Result<Driver, String>> = OnceLock::new();
    match DRIVER.get_or_init(load) {
        Ok(driver) => Ok(driver),
        Err(why) => refuse(Status::System, why),
    }
}

/// Whether the driver is the emulator's.
///
/// # Errors
/// When it is not.
pub fn check() -> Result {
    driver().map(drop)
}

/// A device with a context of it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub context: u64,
    pub device: i32,
}

/// The calling thread's device; where it has no context, the first device, as for NVIDIA's runtime.
///
/// # Errors
/// Those of the driver.
pub fn current() -> Result<Place> {
    let driver = driver()?;
    let (mut context, mut device) = (0, 0);
    // SAFETY: both store their results.
    unsafe {
        if (driver.current)(&mut context) != 0 || context == 0 {
            return primary(0);
        }
        match (driver.device)(&mut device) {
            0 => Ok(Place { context, device }),
            code => {
                refuse(Status::Cuda, format!("the thread's context is of no use: error {code}"))
            }
        }
    }
}

/// A device with its primary context.
///
/// # Errors
/// When there is no such device.
pub fn primary(device: i32) -> Result<Place> {
    let mut context = 0;
    // SAFETY: stores a handle.
    match unsafe { (driver()?.retain)(&mut context, device) } {
        0 => Ok(Place { context, device }),
        _ => refuse(
            Status::InvalidArgument,
            format!(
                "there is no device {device}; `lanework exec --gpus N` (or LANEWORK_GPUS) says how many there are"
            ),
        ),
    }
}

impl Place {
    /// Does something with the context current on this thread.
    ///
    /// # Errors
    /// When the context has ended; those of the work.
    pub fn enter<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        struct Leave(&'static Driver);
        impl Drop for Leave {
            fn drop(&mut self) {
                let mut popped = 0;
                // SAFETY: stores a handle.
                unsafe { (self.0.pop)(&mut popped) };
            }
        }
        let driver = driver()?;
        // SAFETY: a handle that is looked up.
        if unsafe { (driver.push)(self.context) } != 0 {
            return refuse(
                Status::Cuda,
                format!(
                    "the context of device {}, with which the communicator was made, has ended",
                    self.device
                ),
            );
        }
        let _leave = Leave(driver);
        work()
    }
}

/// Memory of a device as a call names it.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pub at: usize,
    pub bytes: usize,
}

impl Memory {
    /// Whether it lies in one allocation of a device.
    ///
    /// # Errors
    /// When it does not; `what` names it.
    pub fn check(&self, what: &str) -> Result {
        if self.bytes == 0 {
            return Ok(());
        }
        let (mut base, mut size) = (0u64, 0usize);
        let at = self.at as u64;
        // SAFETY: stores two numbers.
        let place = match unsafe { (driver()?.range)(&mut base, &mut size, at) } {
            0 => {
                let left = base.saturating_add(size as u64).saturating_sub(at);
                if left >= self.bytes as u64 {
                    return Ok(());
                }
                format!("the allocation there has {left} bytes from it on")
            }
            1 | 500 => "nothing is allocated there".to_owned(),
            code => {
                format!("the device answers error {code}, which an earlier kernel may have left")
            }
        };
        let status = if place.contains("error") { Status::Cuda } else { Status::InvalidArgument };
        refuse(
            status,
            format!(
                "{what} takes {} bytes at {at:#x}, and {place}; check the pointer, the count and the type",
                self.bytes
            ),
        )
    }

    /// Its bytes.
    ///
    /// # Errors
    /// As [`Memory::check`].
    pub fn read(&self, what: &str) -> Result<Vec<u8>> {
        self.check(what)?;
        let mut bytes = vec![0; self.bytes];
        if self.bytes == 0 {
            return Ok(bytes);
        }
        // SAFETY: the driver checks the range again, and writes as many bytes as there are.
        match unsafe { (driver()?.read)(bytes.as_mut_ptr().cast(), self.at as u64, self.bytes) } {
            0 => Ok(bytes),
            code => refuse(Status::Cuda, format!("{what} cannot be read: error {code}")),
        }
    }

    /// Writes bytes at a place of it, which count as written then.
    ///
    /// # Errors
    /// When the driver does not take them.
    pub fn write(&self, offset: usize, from: &[u8], what: &str) -> Result {
        if from.is_empty() {
            return Ok(());
        }
        let at = (self.at + offset) as u64;
        // SAFETY: the driver checks the range.
        match unsafe { (driver()?.write)(at, from.as_ptr().cast(), from.len()) } {
            0 => Ok(()),
            code => refuse(Status::Cuda, format!("{what} cannot be written: error {code}")),
        }
    }
}

/// Allocates memory of the current device.
///
/// # Errors
/// When there is not enough.
pub fn allocate(bytes: usize) -> Result<u64> {
    let mut at = 0;
    // SAFETY: stores an address.
    match unsafe { (driver()?.alloc)(&mut at, bytes) } {
        0 => Ok(at),
        code => refuse(Status::Cuda, format!("{bytes} bytes cannot be allocated: error {code}")),
    }
}

/// Frees it.
///
/// # Errors
/// When it was not allocated.
pub fn free(at: u64) -> Result {
    // SAFETY: the driver looks the address up.
    match unsafe { (driver()?.free)(at) } {
        0 => Ok(()),
        code => refuse(Status::Cuda, format!("{at:#x} cannot be freed: error {code}")),
    }
}

/// Whether a stream is being captured.
///
/// # Errors
/// When there is no such stream, or a kernel left an error.
pub fn is_captured(stream: usize) -> Result<bool> {
    let mut state = 0;
    // SAFETY: stores a number.
    match unsafe { (driver()?.capturing)(stream, &mut state) } {
        0 => Ok(state != 0),
        code => refuse(
            Status::Cuda,
            format!(
                "the stream is not there any more, or an earlier kernel left an error: error {code}"
            ),
        ),
    }
}

/// What a node of a graph does.
pub type Work = Box<dyn Fn() + Send + Sync>;

unsafe extern "C" fn run(work: *mut c_void) {
    // SAFETY: made by `capture`, and never freed, since a graph runs it as often as it is launched.
    let work = unsafe { &*work.cast::<Work>() };
    work();
}

/// Makes some work a node of the graph that a stream is captured to.
///
/// # Errors
/// Those of the stream.
pub fn capture(stream: usize, work: Work) -> Result {
    let work = Box::into_raw(Box::new(work));
    // SAFETY: the work lives for ever.
    match unsafe { (driver()?.launch_host)(stream, run, work.cast()) } {
        0 => Ok(()),
        code => Err(failure(
            Status::Cuda,
            format!("the captured stream takes no host function: error {code}"),
        )),
    }
}
