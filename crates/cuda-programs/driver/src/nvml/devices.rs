//! NVML's start and end, and which GPUs there are: handles, names, memory, clocks. Their sensors are refused here.

use crate::devices::model::model;
use crate::interface::start::VERSION;
use crate::nvml::values::{
    Code, DRIVER, Device, MEMORY_BUS_WIDTH, Memory, Memory2, Pci, USERS, attribute, clock,
    error_string, find, find_by_uuid, give, give_text, gpu, gpus, memory, nvml, pci, uuid,
};
use crate::pointers::text;
use crate::state::start;
use std::ffi::c_char;
use std::sync::atomic::Ordering;

/// Lanes of the PCI Express link.
const PCIE_LANES: u32 = 16;

/// The number of an architecture (`NVML_DEVICE_ARCH_*`), from Pascal to Blackwell.
fn architecture((major, minor): (i32, i32)) -> u32 {
    match (major, minor) {
        (..=6, _) => 4,
        (7, ..=4) => 5,
        (7, _) => 6,
        (8, ..=8) => 7,
        (8, _) => 8,
        (9, _) => 9,
        _ => 10,
    }
}

/// The generation of the PCI Express link: that of the first products of a compute capability.
fn pcie_generation((major, _): (i32, i32)) -> u32 {
    match major {
        ..=7 => 3,
        8 => 4,
        _ => 5,
    }
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
        unsafe { give(device, find_by_uuid(asked)?) }
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
        unsafe { give_text(to, length, &model().name()) }
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
        let (of_major, of_minor) = model().capability();
        // SAFETY: by the caller.
        unsafe {
            give(major, of_major)?;
            give(minor, of_minor)
        }
    }

    fn nvmlDeviceGetArchitecture => (device: Device, number: *mut u32) {
        gpu(device)?;
        // SAFETY: by the caller.
        unsafe { give(number, architecture(model().capability())) }
    }

    fn nvmlDeviceGetMemoryBusWidth => (device: Device, bits: *mut u32) {
        // SAFETY: by the caller.
        unsafe { give(bits, attribute(gpu(device)?, MEMORY_BUS_WIDTH)?) }
    }

    fn nvmlDeviceGetCurrPcieLinkGeneration | nvmlDeviceGetMaxPcieLinkGeneration => (device: Device, generation: *mut u32) {
        gpu(device)?;
        // SAFETY: by the caller.
        unsafe { give(generation, pcie_generation(model().capability())) }
    }

    fn nvmlDeviceGetCurrPcieLinkWidth | nvmlDeviceGetMaxPcieLinkWidth => (device: Device, lanes: *mut u32) {
        gpu(device)?;
        // SAFETY: by the caller.
        unsafe { give(lanes, PCIE_LANES) }
    }

    fn nvmlDeviceGetNumGpuCores => (device: Device, cores: *mut u32) {
        gpu(device)?;
        // FP32 lanes.
        let all = model().limits.fp32_per_sm * model().gpu.multiprocessors;
        // SAFETY: by the caller.
        unsafe { give(cores, all) }
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

    fn nvmlDeviceGetComputeRunningProcesses_v3 | nvmlDeviceGetComputeRunningProcesses_v2 | nvmlDeviceGetComputeRunningProcesses
        | nvmlDeviceGetGraphicsRunningProcesses_v3 | nvmlDeviceGetGraphicsRunningProcesses_v2 | nvmlDeviceGetGraphicsRunningProcesses
        | nvmlDeviceGetMPSComputeRunningProcesses_v3 | nvmlDeviceGetMPSComputeRunningProcesses_v2 | nvmlDeviceGetMPSComputeRunningProcesses
        => (device: Device, count: *mut u32, _to: *mut u8) {
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
    error_string(code).as_ptr()
}
