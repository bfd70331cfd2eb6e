//! NVML (`libnvidia-ml.so.1`) on the emulated GPUs: the same library under another name. What a GPU measures and the emulator does not have
//! (temperature, power, fans, counters of errors) is not supported; utilisation is 0, since work is done within the call that asks for it.

use crate::attributes;
use crate::devices::memory_bytes;
use crate::gpu::Gpu;
use crate::pointers::{store, text, write_text};
use crate::start::VERSION;
use crate::state::{driver, start};
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering};

/// How often NVML was initialised and not shut down.
static USERS: AtomicI32 = AtomicI32::new(0);

/// `nvmlReturn_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
enum Code {
    Uninitialized = 1,
    InvalidArgument = 2,
    NotSupported = 3,
    NotFound = 6,
    InsufficientSize = 7,
    Unknown = 999,
}

type Result<T = ()> = std::result::Result<T, Code>;

/// What messages say of a code.
fn words(code: i32) -> &'static std::ffi::CStr {
    match code {
        0 => c"Success",
        1 => c"Uninitialized",
        2 => c"Invalid Argument",
        3 => c"Not Supported",
        6 => c"Not Found",
        7 => c"Insufficient Size",
        _ => c"Unknown Error",
    }
}

/// A function of NVML, as C sees it.
fn call(name: &str, body: impl FnOnce() -> Result) -> i32 {
    let code = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(code)) => code as i32,
        Err(_) => Code::Unknown as i32,
    };
    if crate::api::traces() {
        crate::api::line(&format_args!("{name} = {code}"));
    }
    code
}

/// A device, as C passes it: its ordinal and 1.
type Device = usize;

/// The GPU of a handle.
fn gpu(device: Device) -> Result<&'static Gpu> {
    if USERS.load(Ordering::Acquire) <= 0 {
        return Err(Code::Uninitialized);
    }
    let driver = driver().map_err(|_| Code::Uninitialized)?;
    driver.gpus.get(device.wrapping_sub(1)).ok_or(Code::InvalidArgument)
}

fn gpus() -> Result<&'static [Gpu]> {
    if USERS.load(Ordering::Acquire) <= 0 {
        return Err(Code::Uninitialized);
    }
    Ok(&driver().map_err(|_| Code::Uninitialized)?.gpus)
}

/// Stores a number or a struct.
///
/// # Safety
/// As [`store`].
unsafe fn give<T>(to: *mut T, value: T) -> Result {
    // SAFETY: by the caller.
    unsafe { store(to, value) }.map_err(|_| Code::InvalidArgument)
}

/// Stores a text in a buffer, which must hold it.
///
/// # Safety
/// As [`write_text`].
unsafe fn give_text(to: *mut c_char, length: u32, value: &str) -> Result {
    if (length as usize) <= value.len() {
        return Err(Code::InsufficientSize);
    }
    // SAFETY: by the caller.
    unsafe { write_text(to, length as usize, value) }.map_err(|_| Code::InvalidArgument)
}

/// The identifier of a GPU as text.
fn uuid(gpu: &Gpu) -> String {
    let digits: String = gpu.uuid().iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    format!("GPU-{}", parts.join("-"))
}

/// The handle of the first GPU that is meant.
fn find(is: impl Fn(&Gpu) -> bool) -> Result<Device> {
    gpus()?.iter().position(is).map(|found| found + 1).ok_or(Code::NotFound)
}

/// `nvmlMemory_t`.
#[repr(C)]
pub struct Memory {
    total: u64,
    free: u64,
    used: u64,
}

/// `nvmlMemory_v2_t`.
#[repr(C)]
pub struct Memory2 {
    version: u32,
    total: u64,
    reserved: u64,
    free: u64,
    used: u64,
}

/// `nvmlPciInfo_t`.
#[repr(C)]
pub struct Pci {
    short: [u8; 16],
    domain: u32,
    bus: u32,
    device: u32,
    id: u32,
    subsystem: u32,
    text: [u8; 32],
}

/// An H200's device and vendor on the PCI bus.
const PCI_ID: u32 = 0x2335_10de;

fn pci(gpu: &Gpu) -> Pci {
    let text = gpu.bus();
    let (mut short, mut long) = ([0; 16], [0; 32]);
    short[..text.len()].copy_from_slice(text.as_bytes());
    // The long form has eight digits of the domain.
    long[..text.len() + 4].copy_from_slice(format!("0000{text}").as_bytes());
    Pci {
        short,
        domain: 0,
        bus: gpu.ordinal as u32 + 1,
        device: 0,
        id: PCI_ID,
        subsystem: 0,
        text: long,
    }
}

/// An attribute of the emulated GPU.
fn attribute(gpu: &Gpu, number: i32) -> Result<u32> {
    attributes::of(number, gpu).map(|value| value as u32).ok_or(Code::NotSupported)
}

/// The highest clock in MHz: 0 graphics, 1 multiprocessors, 2 memory, 3 video.
fn clock(gpu: &Gpu, kind: i32) -> Result<u32> {
    match kind {
        0 | 1 => Ok(attribute(gpu, 13)? / 1000),
        2 => Ok(attribute(gpu, 36)? / 1000),
        3 => Err(Code::NotSupported),
        _ => Err(Code::InvalidArgument),
    }
}

fn memory() -> Result<(u64, u64)> {
    memory_bytes().map_err(|_| Code::Unknown)
}

/// Functions of NVML, some of which have a second name.
macro_rules! nvml {
    ($(fn $name:ident $(| $other:ident)* => $arguments:tt $body:block)*) => {
        $(nvml!(@one $name $arguments $body); $(nvml!(@one $other $arguments $body);)*)*
    };
    (@one $name:ident ($($argument:ident: $type:ty),* $(,)?) $body:block) => {
        #[unsafe(no_mangle)]
        #[doc = concat!("NVML's `", stringify!($name), "`.")]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            call(stringify!($name), || -> Result { $body })
        }
    };
}

nvml! {
    fn nvmlInit_v2 | nvmlInit => () {
        start().map_err(|_| Code::Uninitialized)?;
        USERS.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    fn nvmlInitWithFlags => (_flags: u32) {
        start().map_err(|_| Code::Uninitialized)?;
        USERS.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    fn nvmlShutdown => () {
        gpus()?;
        USERS.fetch_sub(1, Ordering::AcqRel);
        Ok(())
    }

    fn nvmlSystemGetDriverVersion => (to: *mut c_char, length: u32) {
        gpus()?;
        // SAFETY: by the caller.
        unsafe { give_text(to, length, DRIVER) }
    }

    fn nvmlSystemGetNVMLVersion => (to: *mut c_char, length: u32) {
        gpus()?;
        // SAFETY: by the caller.
        unsafe { give_text(to, length, &format!("13.{DRIVER}")) }
    }

    fn nvmlSystemGetCudaDriverVersion | nvmlSystemGetCudaDriverVersion_v2 => (version: *mut i32) {
        // SAFETY: by the caller.
        unsafe { give(version, VERSION) }
    }

    fn nvmlDeviceGetCount_v2 | nvmlDeviceGetCount => (count: *mut u32) {
        // SAFETY: by the caller.
        unsafe { give(count, gpus()?.len() as u32) }
    }

    fn nvmlDeviceGetHandleByIndex_v2 | nvmlDeviceGetHandleByIndex => (index: u32, device: *mut Device) {
        let found = find(|gpu| gpu.ordinal as u32 == index).map_err(|_| Code::InvalidArgument)?;
        // SAFETY: by the caller.
        unsafe { give(device, found) }
    }

    fn nvmlDeviceGetHandleByUUID => (asked: *const c_char, device: *mut Device) {
        // SAFETY: by the caller.
        let asked = unsafe { text(asked) }.map_err(|_| Code::InvalidArgument)?;
        // SAFETY: by the caller.
        unsafe { give(device, find(|gpu| uuid(gpu) == asked)?) }
    }

    fn nvmlDeviceGetHandleByPciBusId_v2 | nvmlDeviceGetHandleByPciBusId => (asked: *const c_char, device: *mut Device) {
        // SAFETY: by the caller.
        let asked = unsafe { text(asked) }.map_err(|_| Code::InvalidArgument)?.to_uppercase();
        let short = asked.strip_prefix("0000").filter(|rest| rest.starts_with("0000:")).unwrap_or(&asked);
        // SAFETY: by the caller.
        unsafe { give(device, find(|gpu| gpu.bus() == short)?) }
    }

    fn nvmlDeviceGetIndex | nvmlDeviceGetMinorNumber => (device: Device, index: *mut u32) {
        // SAFETY: by the caller.
        unsafe { give(index, gpu(device)?.ordinal as u32) }
    }

    fn nvmlDeviceGetName => (device: Device, to: *mut c_char, length: u32) {
        gpu(device)?;
        // SAFETY: by the caller.
        unsafe { give_text(to, length, attributes::name()) }
    }

    fn nvmlDeviceGetUUID => (device: Device, to: *mut c_char, length: u32) {
        // SAFETY: by the caller.
        unsafe { give_text(to, length, &uuid(gpu(device)?)) }
    }

    fn nvmlDeviceGetPciInfo_v3 | nvmlDeviceGetPciInfo_v2 | nvmlDeviceGetPciInfo => (device: Device, to: *mut Pci) {
        // SAFETY: by the caller.
        unsafe { give(to, pci(gpu(device)?)) }
    }

    fn nvmlDeviceGetMemoryInfo => (device: Device, to: *mut Memory) {
        gpu(device)?;
        let (free, total) = memory()?;
        // SAFETY: by the caller.
        unsafe { give(to, Memory { total, free, used: total - free }) }
    }

    fn nvmlDeviceGetMemoryInfo_v2 => (device: Device, to: *mut Memory2) {
        gpu(device)?;
        let (free, total) = memory()?;
        // SAFETY: by the caller.
        let version = unsafe { to.as_ref() }.ok_or(Code::InvalidArgument)?.version;
        // SAFETY: by the caller.
        unsafe { give(to, Memory2 { version, total, reserved: 0, free, used: total - free }) }
    }

    fn nvmlDeviceGetUtilizationRates => (device: Device, to: *mut [u32; 2]) {
        gpu(device)?;
        // SAFETY: by the caller.
        unsafe { give(to, [0, 0]) }
    }

    fn nvmlDeviceGetClockInfo | nvmlDeviceGetMaxClockInfo | nvmlDeviceGetApplicationsClock => (device: Device, kind: i32, megahertz: *mut u32) {
        // SAFETY: by the caller.
        unsafe { give(megahertz, clock(gpu(device)?, kind)?) }
    }

    fn nvmlDeviceGetClock => (device: Device, kind: i32, _which: i32, megahertz: *mut u32) {
        // SAFETY: by the caller.
        unsafe { give(megahertz, clock(gpu(device)?, kind)?) }
    }

    fn nvmlDeviceGetCudaComputeCapability => (device: Device, major: *mut i32, minor: *mut i32) {
        gpu(device)?;
        // SAFETY: by the caller.
        unsafe {
            give(major, attributes::CAPABILITY.0)?;
            give(minor, attributes::CAPABILITY.1)
        }
    }

    fn nvmlDeviceGetArchitecture => (device: Device, architecture: *mut u32) {
        gpu(device)?;
        // Hopper.
        // SAFETY: by the caller.
        unsafe { give(architecture, 9) }
    }

    fn nvmlDeviceGetMemoryBusWidth => (device: Device, bits: *mut u32) {
        // SAFETY: by the caller.
        unsafe { give(bits, attribute(gpu(device)?, 37)?) }
    }

    fn nvmlDeviceGetNumGpuCores => (device: Device, cores: *mut u32) {
        // Of each multiprocessor 128.
        // SAFETY: by the caller.
        unsafe { give(cores, 128 * attribute(gpu(device)?, 16)?) }
    }

    fn nvmlDeviceGetComputeMode | nvmlDeviceGetPersistenceMode | nvmlDeviceGetPerformanceState => (device: Device, mode: *mut i32) {
        gpu(device)?;
        // SAFETY: by the caller.
        unsafe { give(mode, 0) }
    }

    fn nvmlDeviceGetMigMode => (device: Device, now: *mut u32, later: *mut u32) {
        gpu(device)?;
        // SAFETY: by the caller.
        unsafe {
            give(now, 0)?;
            give(later, 0)
        }
    }

    fn nvmlDeviceGetComputeRunningProcesses_v3 | nvmlDeviceGetGraphicsRunningProcesses_v3 => (device: Device, count: *mut u32, _to: *mut u8) {
        gpu(device)?;
        // SAFETY: by the caller.
        unsafe { give(count, 0) }
    }

    fn nvmlDeviceGetP2PStatus => (device: Device, other: Device, _kind: i32, status: *mut i32) {
        gpu(device)?;
        gpu(other)?;
        // SAFETY: by the caller.
        unsafe { give(status, 0) }
    }

    fn nvmlDeviceGetTemperature => (device: Device, _sensor: i32, _degrees: *mut u32) {
        gpu(device)?;
        Err(Code::NotSupported)
    }

    fn nvmlDeviceGetPowerUsage | nvmlDeviceGetPowerManagementLimit | nvmlDeviceGetEnforcedPowerLimit | nvmlDeviceGetFanSpeed
        => (device: Device, _value: *mut u32) {
        gpu(device)?;
        Err(Code::NotSupported)
    }

    fn nvmlDeviceGetTotalEnergyConsumption => (device: Device, _millijoules: *mut u64) {
        gpu(device)?;
        Err(Code::NotSupported)
    }

    fn nvmlDeviceGetSerial | nvmlDeviceGetVbiosVersion => (device: Device, _to: *mut c_char, _length: u32) {
        gpu(device)?;
        Err(Code::NotSupported)
    }
}

/// The version of NVIDIA's driver whose answers the emulated GPUs give.
const DRIVER: &str = "580.159.04";

/// NVML's `nvmlErrorString`.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlErrorString(code: i32) -> *const c_char {
    words(code).as_ptr()
}
