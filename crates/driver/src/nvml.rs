//! NVML (`libnvidia-ml.so.1`) on the emulated GPUs: the same library under another name. What a GPU measures and the emulator does not have
//! (temperature, power, fans, counters of errors) is not supported; utilisation is 0, since work is done within the call that asks for it.

use crate::attributes;
use crate::nvml_values::{
    Code, DRIVER, Device, Memory, Memory2, Pci, Result, USERS, attribute, call, clock, find, give,
    give_text, gpu, gpus, memory, pci, uuid, words,
};
use crate::pointers::text;
use crate::start::VERSION;
use crate::state::start;
use std::ffi::c_char;
use std::sync::atomic::Ordering;

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

    fn nvmlDeviceGetCurrPcieLinkGeneration | nvmlDeviceGetMaxPcieLinkGeneration => (device: Device, generation: *mut u32) {
        gpu(device)?;
        // An H200's.
        // SAFETY: by the caller.
        unsafe { give(generation, 5) }
    }

    fn nvmlDeviceGetCurrPcieLinkWidth | nvmlDeviceGetMaxPcieLinkWidth => (device: Device, lanes: *mut u32) {
        gpu(device)?;
        // SAFETY: by the caller.
        unsafe { give(lanes, 16) }
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

    fn nvmlDeviceGetNvLinkState => (device: Device, _link: u32, _on: *mut i32) {
        gpu(device)?;
        Err(Code::NotSupported)
    }

    fn nvmlDeviceGetNvLinkCapability => (device: Device, _link: u32, _which: i32, _has: *mut u32) {
        gpu(device)?;
        Err(Code::NotSupported)
    }

    fn nvmlDeviceGetGpuFabricInfoV => (device: Device, _to: *mut u8) {
        gpu(device)?;
        Err(Code::NotSupported)
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

/// NVML's `nvmlErrorString`.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlErrorString(code: i32) -> *const c_char {
    words(code).as_ptr()
}
