//! NVML initialization and devices: handles, names, memory, clocks.

use crate::devices::gpus::model;
use crate::interface::procedures::VERSION;
use crate::nvml::values::{
    Code, DRIVER, Device, MEMORY_BUS_WIDTH, MemoryInfo, MemoryInfoV2, PciInfo, USERS, attribute,
    clock, error_string, find, find_by_uuid, give, give_text, gpu, gpus, memory, nvml, pci, uuid,
};
use crate::pointers::*;
use crate::state::start;
use std::ffi::c_char;
use std::sync::atomic::Ordering;

/// PCI Express lanes.
const PCIE_LANES: u32 = 16;

/// `NVML_DEVICE_ARCH_*`, from Pascal to Blackwell.
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

/// PCI Express generation of the first products with a compute capability.
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
        // SAFETY: `length` is the size of the buffer that the caller passed.
        unsafe { give_text(to, length, DRIVER) }
    }

    fn nvmlSystemGetNVMLVersion => (to: *mut c_char, length: u32) {
        gpus()?;
        // SAFETY: `length` is the size of the buffer that the caller passed.
        unsafe { give_text(to, length, &format!("13.{DRIVER}")) }
    }

    fn nvmlSystemGetCudaDriverVersion | nvmlSystemGetCudaDriverVersion_v2 => (version: Out<'_, i32>) {
        give(version, VERSION)
    }

    fn nvmlDeviceGetCount_v2 | nvmlDeviceGetCount => (count: Out<'_, u32>) {
        give(count, gpus()?.len() as u32)
    }

    fn nvmlDeviceGetHandleByIndex_v2 | nvmlDeviceGetHandleByIndex => (index: u32, device: Out<'_, Device>) {
        let found = find(|gpu| gpu.ordinal as u32 == index).map_err(|_| Code::InvalidArgument)?;
        give(device, found)
    }

    fn nvmlDeviceGetHandleByUUID => (asked: Text<'_>, device: Out<'_, Device>) {
        let asked = asked.get().map_err(|_| Code::InvalidArgument)?;
        give(device, find_by_uuid(asked)?)
    }

    fn nvmlDeviceGetHandleByPciBusId_v2 | nvmlDeviceGetHandleByPciBusId => (asked: Text<'_>, device: Out<'_, Device>) {
        let asked = asked.get().map_err(|_| Code::InvalidArgument)?.to_uppercase();
        let short = asked.strip_prefix("0000").filter(|rest| rest.starts_with("0000:")).unwrap_or(&asked);
        give(device, find(|gpu| gpu.bus() == short)?)
    }

    fn nvmlDeviceGetIndex | nvmlDeviceGetMinorNumber => (device: Device, index: Out<'_, u32>) {
        give(index, gpu(device)?.ordinal as u32)
    }

    fn nvmlDeviceGetName => (device: Device, to: *mut c_char, length: u32) {
        gpu(device)?;
        // SAFETY: `length` is the size of the buffer that the caller passed.
        unsafe { give_text(to, length, &model().name()) }
    }

    fn nvmlDeviceGetUUID => (device: Device, to: *mut c_char, length: u32) {
        // SAFETY: `length` is the size of the buffer that the caller passed.
        unsafe { give_text(to, length, &uuid(gpu(device)?)) }
    }

    fn nvmlDeviceGetPciInfo_v3 | nvmlDeviceGetPciInfo_v2 | nvmlDeviceGetPciInfo => (device: Device, to: Out<'_, PciInfo>) {
        give(to, pci(gpu(device)?))
    }

    fn nvmlDeviceGetMemoryInfo => (device: Device, to: Out<'_, MemoryInfo>) {
        gpu(device)?;
        let (free, total) = memory()?;
        give(to, MemoryInfo { total, free, used: total - free })
    }

    fn nvmlDeviceGetMemoryInfo_v2 => (device: Device, to: Out<'_, MemoryInfoV2>) {
        gpu(device)?;
        let (free, total) = memory()?;
        let version = to.get().map_err(|_| Code::InvalidArgument)?.version;
        give(to, MemoryInfoV2 { version, total, reserved: 0, free, used: total - free })
    }

    fn nvmlDeviceGetUtilizationRates => (device: Device, to: Out<'_, [u32; 2]>) {
        gpu(device)?;
        give(to, [0, 0])
    }

    fn nvmlDeviceGetClockInfo | nvmlDeviceGetMaxClockInfo | nvmlDeviceGetApplicationsClock => (device: Device, kind: i32, megahertz: Out<'_, u32>) {
        give(megahertz, clock(gpu(device)?, kind)?)
    }

    fn nvmlDeviceGetClock => (device: Device, kind: i32, _which: i32, megahertz: Out<'_, u32>) {
        give(megahertz, clock(gpu(device)?, kind)?)
    }

    fn nvmlDeviceGetCudaComputeCapability => (device: Device, major: Out<'_, i32>, minor: Out<'_, i32>) {
        gpu(device)?;
        let (of_major, of_minor) = model().capability();
        give(major, of_major)?;
        give(minor, of_minor)
    }

    fn nvmlDeviceGetArchitecture => (device: Device, number: Out<'_, u32>) {
        gpu(device)?;
        give(number, architecture(model().capability()))
    }

    fn nvmlDeviceGetMemoryBusWidth => (device: Device, bits: Out<'_, u32>) {
        give(bits, attribute(gpu(device)?, MEMORY_BUS_WIDTH)?)
    }

    fn nvmlDeviceGetCurrPcieLinkGeneration | nvmlDeviceGetMaxPcieLinkGeneration => (device: Device, generation: Out<'_, u32>) {
        gpu(device)?;
        give(generation, pcie_generation(model().capability()))
    }

    fn nvmlDeviceGetCurrPcieLinkWidth | nvmlDeviceGetMaxPcieLinkWidth => (device: Device, lanes: Out<'_, u32>) {
        gpu(device)?;
        give(lanes, PCIE_LANES)
    }

    fn nvmlDeviceGetNumGpuCores => (device: Device, cores: Out<'_, u32>) {
        gpu(device)?;
        // CUDA cores: FP32 lanes.
        let all = model().limits.fp32_per_sm * model().gpu.multiprocessors;
        give(cores, all)
    }

    fn nvmlDeviceGetComputeMode | nvmlDeviceGetPersistenceMode | nvmlDeviceGetPerformanceState => (device: Device, mode: Out<'_, i32>) {
        gpu(device)?;
        give(mode, 0)
    }

    fn nvmlDeviceGetMigMode => (device: Device, now: Out<'_, u32>, later: Out<'_, u32>) {
        gpu(device)?;
        give(now, 0)?;
        give(later, 0)
    }

    fn nvmlDeviceGetComputeRunningProcesses_v3 | nvmlDeviceGetComputeRunningProcesses_v2 | nvmlDeviceGetComputeRunningProcesses
        | nvmlDeviceGetGraphicsRunningProcesses_v3 | nvmlDeviceGetGraphicsRunningProcesses_v2 | nvmlDeviceGetGraphicsRunningProcesses
        | nvmlDeviceGetMPSComputeRunningProcesses_v3 | nvmlDeviceGetMPSComputeRunningProcesses_v2 | nvmlDeviceGetMPSComputeRunningProcesses
        => (device: Device, count: Out<'_, u32>, _to: *mut u8) {
        gpu(device)?;
        give(count, 0)
    }

    fn nvmlDeviceGetP2PStatus => (device: Device, other: Device, _kind: i32, status: Out<'_, i32>) {
        gpu(device)?;
        gpu(other)?;
        give(status, 0)
    }

    fn nvmlDeviceGetNvLinkState => (device: Device, _link: u32, _on: Out<'_, i32>) {
        gpu(device)?;
        Err(Code::NotSupported)
    }

    fn nvmlDeviceGetNvLinkCapability => (device: Device, _link: u32, _which: i32, _has: Out<'_, u32>) {
        gpu(device)?;
        Err(Code::NotSupported)
    }

    fn nvmlDeviceGetGpuFabricInfoV => (device: Device, _to: Out<'_, u8>) {
        gpu(device)?;
        Err(Code::NotSupported)
    }

    fn nvmlDeviceGetTemperature => (device: Device, _sensor: i32, _degrees: Out<'_, u32>) {
        gpu(device)?;
        Err(Code::NotSupported)
    }

    fn nvmlDeviceGetPowerUsage | nvmlDeviceGetPowerManagementLimit | nvmlDeviceGetEnforcedPowerLimit | nvmlDeviceGetFanSpeed
        => (device: Device, _value: *mut u32) {
        gpu(device)?;
        Err(Code::NotSupported)
    }

    fn nvmlDeviceGetTotalEnergyConsumption => (device: Device, _millijoules: Out<'_, u64>) {
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
