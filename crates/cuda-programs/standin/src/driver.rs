//! The emulator's driver in this process, its devices, and their contexts. Any other driver is an error.

use crate::call::{Failure, FailureKind, Result, fail, line, traces};
use libloading::{Library, Symbol};
use std::ffi::c_void;
use std::sync::{Once, OnceLock};

/// `CUhostFn`.
pub type HostFunction = unsafe extern "C" fn(*mut c_void);

/// One side of a 2D copy (`CUDA_MEMCPY2D`).
#[derive(Default)]
#[repr(C)]
pub struct Side {
    pub x_bytes: usize,
    pub y: usize,
    pub memory: u32,
    pub host: u64,
    pub device: u64,
    pub array: usize,
    pub pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
pub struct Rows {
    pub from: Side,
    pub to: Side,
    pub width: usize,
    pub height: usize,
}

// `sizeof`, `_Alignof` and `offsetof` of `CUDA_MEMCPY2D` in `cuda.h` of CUDA 13.5.
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<Side>() == 56 && size_of::<Rows>() == 128 && align_of::<Rows>() == 8);
    assert!(
        offset_of!(Side, y) == 8 && offset_of!(Side, memory) == 16 && offset_of!(Side, host) == 24
    );
    assert!(
        offset_of!(Side, device) == 32
            && offset_of!(Side, array) == 40
            && offset_of!(Side, pitch) == 48
    );
    assert!(
        offset_of!(Rows, to) == 56
            && offset_of!(Rows, width) == 112
            && offset_of!(Rows, height) == 120
    );
};

/// Declares the driver functions that are used, with the types of CUDA's header.
macro_rules! functions {
    ($($field:ident: $name:literal ($($argument:ty),*);)*) => {
        pub struct Driver {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> i32,)*
        }

        impl Driver {
            /// # Safety
            /// The library is CUDA's driver.
            unsafe fn find(library: &'static Library) -> std::result::Result<Driver, libloading::Error> {
                Ok(Driver {
                    $($field: *{
                        // SAFETY: the library is CUDA's driver, whose function of this name has this type.
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
    read: b"cuMemcpyDtoHAsync_v2" (*mut c_void, u64, usize, usize);
    write: b"cuMemcpyHtoDAsync_v2" (u64, *const c_void, usize, usize);
    write_rows: b"cuMemcpy2DAsync_v2" (*const Rows, usize);
    allocate: b"cuMemAlloc_v2" (*mut u64, usize);
    free: b"cuMemFree_v2" (u64);
    capturing: b"cuStreamIsCapturing" (usize, *mut i32);
    launch_host: b"cuLaunchHostFunc" (usize, HostFunction, *mut c_void);
    set_in_host_function: b"lanework_set_in_host_function" (i32);
}

fn load() -> std::result::Result<Driver, String> {
    let told = |error: libloading::Error| format!("CUDA's driver cannot be loaded: {error}");
    // SAFETY: loading the driver runs no code with preconditions; it is leaked, so its functions stay valid.
    let driver = unsafe {
        let library = Library::new("libcuda.so.1").map_err(told)?;
        Driver::find(Box::leak(Box::new(library))).map_err(told)?
    };
    let mut bytes = [0; 16];
    // SAFETY: `cuInit` takes no pointer, and `bytes` has the 16 bytes that `cuDeviceGetUuid` stores.
    let answers = unsafe { (driver.init)(0) == 0 && (driver.uuid)(&mut bytes, 0) == 0 };
    match answers && bytes.starts_with(b"lanework") {
        true => Ok(driver),
        false => Err("the driver of this process is not Lanework's emulator; run the program under `lanework exec`, or without this library".to_owned()),
    }
}

/// The emulator's driver.
///
/// # Errors
/// If there is no driver, or it is not the emulator's.
pub fn driver() -> Result<&'static Driver> {
    static DRIVER: OnceLock<std::result::Result<Driver, String>> = OnceLock::new();
    match DRIVER.get_or_init(load) {
        Ok(driver) => Ok(driver),
        Err(why) => fail(FailureKind::NoEmulator, why),
    }
}

/// Checks that the driver is the emulator's. With `LANEWORK_TRACE`, prints one line about the library.
///
/// # Errors
/// If it is not.
pub fn begin(library: &str) -> Result {
    driver()?;
    static SAID: Once = Once::new();
    if traces() {
        SAID.call_once(|| {
            line(&format_args!("{library} is a stand-in that computes on the host: tools neither check nor count its work"));
        });
    }
    Ok(())
}

/// A device with one of its contexts.
#[derive(Clone, Copy, Debug)]
pub struct DeviceContext {
    /// Handle of the context.
    context: u64,
    /// Ordinal of the device.
    pub device: i32,
}

/// Pops a context when dropped.
struct Entered(&'static Driver);

impl Drop for Entered {
    fn drop(&mut self) {
        let mut popped = 0;
        // SAFETY: `popped` is valid for the handle that the driver stores.
        unsafe { (self.0.pop)(&mut popped) };
    }
}

impl DeviceContext {
    /// The device of the calling thread. Without a context it is the first device, as in NVIDIA's runtime.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn current() -> Result<DeviceContext> {
        let driver = driver()?;
        let (mut context, mut device) = (0, 0);
        // SAFETY: `context` and `device` are valid for the results that the driver stores.
        unsafe {
            if (driver.current)(&mut context) != 0 || context == 0 {
                return DeviceContext::primary(0);
            }
            match (driver.device)(&mut device) {
                0 => Ok(DeviceContext { context, device }),
                code => fail(
                    FailureKind::Driver,
                    format!("the thread's context is invalid: error {code}"),
                ),
            }
        }
    }

    /// The primary context of a device.
    ///
    /// # Errors
    /// If the device does not exist.
    pub fn primary(device: i32) -> Result<DeviceContext> {
        let mut context = 0;
        // SAFETY: `context` is valid for the handle that the driver stores.
        match unsafe { (driver()?.retain)(&mut context, device) } {
            0 => Ok(DeviceContext { context, device }),
            _ => fail(
                FailureKind::Device,
                format!(
                    "there is no device {device}; `lanework exec --gpus N` (or LANEWORK_GPUS) sets the number of devices"
                ),
            ),
        }
    }

    /// Runs `work` with the context current on this thread.
    ///
    /// # Errors
    /// If the context was destroyed, and the errors of `work`.
    pub fn enter<T, E: From<Failure>>(
        &self,
        work: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let driver = driver()?;
        // SAFETY: the driver looks the handle up, so a stale one is an error.
        if unsafe { (driver.push)(self.context) } != 0 {
            let why = format!("the context of device {} has ended", self.device);
            return Err(Failure::new(FailureKind::Driver, why).into());
        }
        let _entered = Entered(driver);
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::begin;
    use crate::call::FailureKind;
    use crate::memory::{Memory, allocate};

    #[test]
    fn every_call_reports_a_missing_emulator() {
        let memory = Memory { at: 4096, bytes: 1 };
        let failures = [begin("cuBLAS").err(), memory.check("a scalar").err(), allocate(1).err()];
        for failure in failures.map(|failure| failure.expect("tests of this crate have no driver"))
        {
            assert_eq!(failure.kind, FailureKind::NoEmulator);
            assert!(failure.why.contains("driver"), "{}", failure.why);
        }
    }
}
