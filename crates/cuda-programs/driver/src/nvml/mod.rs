//! NVML (`libnvidia-ml.so.1`) for the emulated GPUs: the driver's library under another name. `lanework exec` preloads
//! it.
//!
//! | file | holds |
//! | --- | --- |
//! | `mod` | modes, supported clocks, fields by number |
//! | `values` | return codes, struct layouts, handles, storing results; functions that always fail |
//! | `devices` | initialization, devices, names, memory and clocks |
//! | `topology` | bus, CPU affinity, distances between GPUs |
//!
//! A program cannot change a GPU's modes: ECC is on (except on GeForce), MIG and display are off, and clocks are at
//! their maximum. Utilization is always 0, because all work is done during the call that requests it. Sensors
//! (temperature, power, fans, error counts) are not supported.

pub mod devices;
pub mod topology;
pub mod values;

use crate::pointers::*;
use std::time::{SystemTime, UNIX_EPOCH};
use values::{
    Code, Device, ECC, Result, attribute, check_version, clock, give, give_list, gpu, gpus, nvml,
};

/// Lowest graphics clock of an H200 and the step between clocks, in MHz.
const LOWEST_CLOCK: u32 = 345;

const CLOCK_STEP: u32 = 15;

/// `NVML_PSTATE_UNKNOWN`, the terminator of a list.
const NO_STATE: i32 = 32;

/// Fields by number (`NVML_FI_DEV_*`).
const ECC_NOW: u32 = 1;

const ECC_LATER: u32 = 2;

const PCIE_REPLAYS: u32 = 94;

/// `NVML_VALUE_TYPE_UNSIGNED_INT`.
const NUMBER: i32 = 1;

/// `nvmlFieldValue_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct FieldValue {
    field: u32,
    scope: u32,
    microseconds: i64,
    latency: i64,
    kind: i32,
    code: i32,
    value: u64,
}

abi!(FieldValue = 40, 8 { field: 0, scope: 4, microseconds: 8, latency: 16, kind: 24, code: 28, value: 32 });

/// `nvmlGpuDynamicPstatesInfo_t`: flags, then for each of eight domains: present, utilization, two thresholds.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct UtilizationDomains {
    flags: u32,
    domains: [[u32; 4]; 8],
}

abi!(UtilizationDomains = 132, 4 { flags: 0, domains: 4 });

/// `nvmlGridLicensableFeatures_t` as words: whether licenses are supported, their count, and the licenses.
type Licences = [u32; 2 + 3 * 71];

nvml! {
    fn nvmlDeviceGetEccMode => (device: Device, now: Out<'_, u32>, later: Out<'_, u32>) {
        let on = attribute(gpu(device)?, ECC)?;
        give(now, on)?;
        give(later, on)
    }

    fn nvmlDeviceGetDefaultEccMode => (device: Device, on: Out<'_, u32>) {
        give(on, attribute(gpu(device)?, ECC)?)
    }

    fn nvmlDeviceGetDisplayMode | nvmlDeviceGetDisplayActive | nvmlDeviceGetAccountingMode | nvmlDeviceGetVirtualizationMode
        | nvmlDeviceGetNumFans | nvmlDeviceGetMaxMigDeviceCount | nvmlDeviceIsMigDeviceHandle | nvmlDeviceGetPcieReplayCounter
        => (device: Device, value: Out<'_, u32>) {
        gpu(device)?;
        give(value, 0)
    }

    fn nvmlDeviceGetC2cModeInfoV => (device: Device, on: Out<'_, u32>) {
        gpu(device)?;
        give(on, 0)
    }

    fn nvmlDeviceGetCapabilities | nvmlDeviceGetAddressingMode => (device: Device, to: Out<'_, [u32; 2]>) {
        gpu(device)?;
        // No optional capability, and no host address ranges.
        give(to, [check_version(to, 1)?, 0])
    }

    fn nvmlDeviceGetMigDeviceHandleByIndex => (device: Device, _index: u32, _part: Out<'_, Device>) {
        gpu(device)?;
        Err(Code::NotFound)
    }

    fn nvmlDeviceGetDeviceHandleFromMigDeviceHandle => (part: Device, _device: Out<'_, Device>) {
        gpu(part)?;
        Err(Code::InvalidArgument)
    }

    fn nvmlSystemGetConfComputeState => (to: Out<'_, [u32; 3]>) {
        gpus()?;
        // Environment, feature, and tools: none.
        give(to, [0; 3])
    }

    fn nvmlDeviceGetGridLicensableFeatures_v4 => (device: Device, to: Out<'_, Licences>) {
        gpu(device)?;
        give(to, [0; 2 + 3 * 71])
    }

    fn nvmlDeviceGetCurrentClocksEventReasons | nvmlDeviceGetCurrentClocksThrottleReasons
        | nvmlDeviceGetSupportedClocksEventReasons | nvmlDeviceGetSupportedClocksThrottleReasons
        | nvmlDeviceGetSupportedEventTypes => (device: Device, reasons: Out<'_, u64>) {
        gpu(device)?;
        give(reasons, 0)
    }

    fn nvmlDeviceGetMinMaxClockOfPState => (device: Device, kind: i32, state: i32, lowest: Out<'_, u32>, highest: Out<'_, u32>) {
        let most = clock(gpu(device)?, kind)?;
        if state != 0 {
            return Err(Code::InvalidArgument);
        }
        // The memory clock is constant.
        let least = if kind == 2 { most } else { LOWEST_CLOCK };
        give(lowest, least)?;
        give(highest, most)
    }

    fn nvmlDeviceGetMaxCustomerBoostClock => (device: Device, kind: i32, megahertz: Out<'_, u32>) {
        give(megahertz, clock(gpu(device)?, kind)?)
    }

    fn nvmlDeviceGetSupportedMemoryClocks => (device: Device, count: Out<'_, u32>, to: Out<'_, u32>) {
        let only = clock(gpu(device)?, 2)?;
        // SAFETY: the caller passed `to` with room for as many elements as `count` says.
        unsafe { give_list(count, to, &[only]) }
    }

    fn nvmlDeviceGetSupportedGraphicsClocks => (device: Device, memory: u32, count: Out<'_, u32>, to: Out<'_, u32>) {
        let gpu = gpu(device)?;
        if memory != clock(gpu, 2)? {
            return Err(Code::NotFound);
        }
        let most = clock(gpu, 0)?;
        let clocks: Vec<u32> = (LOWEST_CLOCK..=most).rev().step_by(CLOCK_STEP as usize).collect();
        // SAFETY: the caller passed `to` with room for as many elements as `count` says.
        unsafe { give_list(count, to, &clocks) }
    }

    fn nvmlDeviceGetSupportedPerformanceStates => (device: Device, to: Out<'_, i32>, bytes: u32) {
        gpu(device)?;
        let count = bytes as usize / size_of::<i32>();
        if to.is_null() || count == 0 {
            return Err(Code::InvalidArgument);
        }
        // SAFETY: not null, and the caller promises `count` elements.
        let states = unsafe { std::slice::from_raw_parts_mut(to.as_ptr(), count) };
        states.fill(NO_STATE);
        states[0] = 0;
        Ok(())
    }

    fn nvmlDeviceGetDynamicPstatesInfo => (device: Device, to: Out<'_, UtilizationDomains>) {
        gpu(device)?;
        // The GPU and memory domains exist and are idle.
        let mut domains = [[0; 4]; 8];
        domains[..2].fill([1, 0, 0, 0]);
        give(to, UtilizationDomains { flags: 0, domains })
    }

    fn nvmlDeviceGetGpuMaxPcieLinkGeneration | nvmlDeviceGetPcieLinkMaxSpeed => (device: Device, speed: Out<'_, u32>) {
        gpu(device)?;
        // Generation 5; the enum value for its speed (32 GT/s) is the same number.
        give(speed, 5)
    }

    fn nvmlDeviceGetPcieSpeed => (device: Device, megabits: Out<'_, u32>) {
        gpu(device)?;
        give(megabits, 32_000)
    }

    fn nvmlDeviceGetFieldValues => (device: Device, count: i32, to: Out<'_, FieldValue>) {
        let gpu = gpu(device)?;
        // SAFETY: `count` is the length of the array that the caller passed.
        let fields = unsafe { fields(count, to)? };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64);
        for field in fields {
            let value = match field.field {
                ECC_NOW | ECC_LATER => attribute(gpu, ECC),
                PCIE_REPLAYS => Ok(0),
                _ => Err(Code::NotSupported),
            };
            field.microseconds = now;
            field.latency = 0;
            field.kind = NUMBER;
            field.code = value.err().map_or(0, |code| code as i32);
            field.value = value.unwrap_or(0).into();
        }
        Ok(())
    }

    fn nvmlDeviceClearFieldValues => (device: Device, count: i32, to: Out<'_, FieldValue>) {
        gpu(device)?;
        // SAFETY: `count` is the length of the array that the caller passed.
        for field in unsafe { fields(count, to)? } {
            field.code = if field.field == PCIE_REPLAYS { 0 } else { Code::NotSupported as i32 };
        }
        Ok(())
    }
}

/// The fields that the caller queries.
///
/// # Safety
/// `to` is null or has `count` fields.
unsafe fn fields<'a>(count: i32, to: Out<'_, FieldValue>) -> Result<&'a mut [FieldValue]> {
    let count = usize::try_from(count).map_err(|_| Code::InvalidArgument)?;
    if to.is_null() || count == 0 {
        return Err(Code::InvalidArgument);
    }
    // SAFETY: not null, and the caller promises `count` elements.
    Ok(unsafe { std::slice::from_raw_parts_mut(to.as_ptr(), count) })
}
