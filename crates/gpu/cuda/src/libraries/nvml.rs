//! NVML, the driver's monitoring library, loaded at run time: clocks, power, temperature, and the reasons for a clock
//! below its maximum (NVML API reference). Values that the library or the GPU does not report are `None`.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::sync::OnceLock;

use crate::DeviceInfo;
use crate::driver::library;

/// File names of the library. It comes with the driver, not with the toolkit.
#[cfg(not(windows))]
const NAMES: [&str; 2] = ["libnvidia-ml.so.1", "libnvidia-ml.so"];
#[cfg(windows)]
const NAMES: [&str; 1] = ["nvml.dll"];

/// Reasons for a clock below its maximum, by the bit of the driver's mask; the first bit, idle, is not a reason.
const REASONS: [(u64, &str); 8] = [
    (0x2, "applications-clocks-setting"),
    (0x4, "software-power-cap"),
    (0x8, "hardware-slowdown"),
    (0x10, "sync-boost"),
    (0x20, "software-thermal-slowdown"),
    (0x40, "hardware-thermal-slowdown"),
    (0x80, "hardware-power-brake"),
    (0x100, "display-clocks-setting"),
];

const CLOCK_SM: c_int = 1;
const CLOCK_MEMORY: c_int = 2;
const TEMPERATURE_GPU: c_int = 0;
/// Buffer size in bytes that holds every UUID, according to the reference.
const UUID_BYTES: usize = 96;

type Status = c_int;
type Handle = *mut c_void;
type Start = unsafe extern "C" fn() -> Status;
type Find = unsafe extern "C" fn(*const c_char, *mut Handle) -> Status;
type Choose = unsafe extern "C" fn(Handle, c_int, *mut c_uint) -> Status;
type Number = unsafe extern "C" fn(Handle, *mut c_uint) -> Status;
type Mask = unsafe extern "C" fn(Handle, *mut u64) -> Status;
type Text = unsafe extern "C" fn(Handle, *mut c_char, c_uint) -> Status;

struct Functions {
    find: Find,
    clock: Choose,
    temperature: Choose,
    power: Number,
    reasons: Mask,
    uuid: Text,
}

/// Handle of the monitoring library for one GPU; valid until the process ends.
pub struct Monitor {
    functions: &'static Functions,
    device: Handle,
}

/// Clocks, power, temperature and load of a GPU at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Clock of the multiprocessors in MHz.
    pub sm_mhz: Option<u32>,
    /// Clock of the memory in MHz.
    pub memory_mhz: Option<u32>,
    /// Power of the board in watts.
    pub watts: Option<f64>,
    /// Temperature of the GPU in degrees Celsius.
    pub celsius: Option<u32>,
    /// Reasons why the clock is below its maximum; empty if it is at its maximum, or if the library reports none.
    pub throttle: Vec<&'static str>,
}

impl Monitor {
    /// The monitor of a GPU.
    ///
    /// # Errors
    /// One line, if the library is missing or does not know the GPU.
    pub fn of(info: &DeviceInfo) -> Result<Monitor, String> {
        let functions = functions()?;
        let id =
            CString::new(info.pci_bus_id.as_str()).map_err(|_| "the GPU has no bus address")?;
        let mut device = std::ptr::null_mut();
        // SAFETY: reads a NUL-terminated string, and stores one handle.
        match unsafe { (functions.find)(id.as_ptr(), &mut device) } {
            0 => Ok(Monitor { functions, device }),
            status => {
                Err(format!("NVML does not know the GPU at {} (code {status})", info.pci_bus_id))
            }
        }
    }

    /// Reads the current state of the GPU.
    pub fn read(&self) -> Reading {
        let of = |read: Choose, which: c_int| {
            let mut value = 0;
            // SAFETY: the handle is the library's; stores one number.
            (unsafe { read(self.device, which, &mut value) } == 0).then_some(value)
        };
        let (mut milliwatts, mut mask) = (0, 0);
        // SAFETY: the handle is the library's; stores one number.
        let power = unsafe { (self.functions.power)(self.device, &mut milliwatts) };
        // SAFETY: `device` is a handle of this library; the call stores one mask.
        let reasons = unsafe { (self.functions.reasons)(self.device, &mut mask) };
        Reading {
            sm_mhz: of(self.functions.clock, CLOCK_SM),
            memory_mhz: of(self.functions.clock, CLOCK_MEMORY),
            watts: (power == 0).then(|| f64::from(milliwatts) / 1e3),
            celsius: of(self.functions.temperature, TEMPERATURE_GPU),
            throttle: if reasons == 0 { names(mask) } else { Vec::new() },
        }
    }

    /// The GPU's own identifier, such as `GPU-8b6e...`.
    pub fn uuid(&self) -> Option<String> {
        let mut text = [0u8; UUID_BYTES];
        let (start, length) = (text.as_mut_ptr().cast(), UUID_BYTES as c_uint);
        // SAFETY: the buffer is a live array, and the length passed is its length.
        let status = unsafe { (self.functions.uuid)(self.device, start, length) };
        let text = CStr::from_bytes_until_nul(&text).ok()?;
        (status == 0).then(|| text.to_string_lossy().into_owned())
    }
}

/// The reasons in a mask, by name.
fn names(mask: u64) -> Vec<&'static str> {
    REASONS.into_iter().filter(|(bit, _)| mask & bit != 0).map(|(_, name)| name).collect()
}

/// The library, found and started once.
///
/// # Errors
/// Why it cannot be used, in one line.
fn functions() -> Result<&'static Functions, String> {
    static FOUND: OnceLock<Result<Functions, String>> = OnceLock::new();
    FOUND.get_or_init(load).as_ref().map_err(String::clone)
}

fn load() -> Result<Functions, String> {
    let library = library::find(NAMES.iter().map(Path::new)).ok_or("NVML was not found")?;
    // SAFETY: each type matches the declaration in NVML's header.
    let (start, functions) = unsafe {
        let start: Start = library::function(library, "NVML", "nvmlInit_v2")?;
        let functions = Functions {
            find: library::function(library, "NVML", "nvmlDeviceGetHandleByPciBusId_v2")?,
            clock: library::function(library, "NVML", "nvmlDeviceGetClockInfo")?,
            temperature: library::function(library, "NVML", "nvmlDeviceGetTemperature")?,
            power: library::function(library, "NVML", "nvmlDeviceGetPowerUsage")?,
            reasons: library::function(
                library,
                "NVML",
                "nvmlDeviceGetCurrentClocksThrottleReasons",
            )?,
            uuid: library::function(library, "NVML", "nvmlDeviceGetUUID")?,
        };
        (start, functions)
    };
    // SAFETY: takes nothing; the library stays loaded and started until the process ends.
    match unsafe { start() } {
        0 => Ok(functions),
        status => Err(format!("NVML does not start (code {status})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttle_reasons_are_named_and_idle_is_not_one() {
        assert!(names(0).is_empty() && names(1).is_empty());
        assert_eq!(names(0x4 | 0x40), ["software-power-cap", "hardware-thermal-slowdown"]);
    }
}
