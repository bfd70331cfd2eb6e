//! Shared parts of NVML: return codes, struct layouts, handles, and storing results. Also the functions that always fail.

use crate::devices;
use crate::devices::gpus::{Gpu, memory_bytes};
use crate::pointers::*;
use crate::state::driver;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering};

/// Number of `nvmlInit` calls without `nvmlShutdown`.
pub static USERS: AtomicI32 = AtomicI32::new(0);

/// `nvmlReturn_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    Uninitialized = 1,
    InvalidArgument = 2,
    NotSupported = 3,
    NoPermission = 4,
    NotFound = 6,
    InsufficientSize = 7,
    VersionMismatch = 25,
    Unknown = 999,
}

/// Result of an NVML function.
pub type Result<T = ()> = std::result::Result<T, Code>;

/// Text of a return code.
pub fn error_string(code: i32) -> &'static std::ffi::CStr {
    match code {
        0 => c"Success",
        1 => c"Uninitialized",
        2 => c"Invalid Argument",
        3 => c"Not Supported",
        4 => c"Insufficient Permissions",
        6 => c"Not Found",
        7 => c"Insufficient Size",
        25 => c"Argument Version Mismatch",
        _ => c"Unknown Error",
    }
}

/// Exports NVML functions, some under several names.
macro_rules! nvml {
    ($(fn $name:ident $(| $other:ident)* => $arguments:tt $body:block)*) => {
        $($crate::nvml::values::nvml!(@one $name $arguments $body); $($crate::nvml::values::nvml!(@one $other $arguments $body);)*)*
    };
    (@one $name:ident ($($argument:ident: $type:ty),* $(,)?) $body:block) => {
        #[unsafe(no_mangle)]
        #[doc = concat!("NVML's `", stringify!($name), "`.")]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            $crate::nvml::values::call(stringify!($name), || -> $crate::nvml::values::Result { $body })
        }
    };
}
pub(crate) use nvml;

/// Runs the body of an NVML function.
pub fn call(name: &str, body: impl FnOnce() -> Result) -> i32 {
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

/// A device handle: the ordinal plus 1.
pub type Device = usize;

/// The GPU of a handle.
pub fn gpu(device: Device) -> Result<&'static Gpu> {
    if USERS.load(Ordering::Acquire) <= 0 {
        return Err(Code::Uninitialized);
    }
    let driver = driver().map_err(|_| Code::Uninitialized)?;
    driver.gpus.get(device.wrapping_sub(1)).ok_or(Code::InvalidArgument)
}

/// All GPUs.
pub fn gpus() -> Result<&'static [Gpu]> {
    if USERS.load(Ordering::Acquire) <= 0 {
        return Err(Code::Uninitialized);
    }
    Ok(&driver().map_err(|_| Code::Uninitialized)?.gpus)
}

/// Stores a result.
pub fn give<T>(to: Out<'_, T>, value: T) -> Result {
    to.store(value).map_err(|_| Code::InvalidArgument)
}

/// Stores a string in a buffer, or fails if the buffer is too small.
///
/// # Safety
/// `to` is null or has `length` bytes.
pub unsafe fn give_text(to: *mut c_char, length: u32, value: &str) -> Result {
    if (length as usize) <= value.len() {
        return Err(Code::InsufficientSize);
    }
    // SAFETY: `length` is the size of the buffer (contract of this function).
    unsafe { write_text(to, length as usize, value) }.map_err(|_| Code::InvalidArgument)
}

/// Stores a list if it fits, and its length in any case.
///
/// # Safety
/// `count` is null or valid; `to` is null or valid for as many elements as `count` says.
pub unsafe fn give_list<T: Copy>(count: Out<'_, u32>, to: Out<'_, T>, list: &[T]) -> Result {
    let room = count.get().map_err(|_| Code::InvalidArgument)?;
    let fits = room as usize >= list.len();
    count.store_optional(list.len() as u32);
    match (list.is_empty(), fits, to.is_null()) {
        (true, ..) => Ok(()),
        // A query of the length passes no buffer.
        (_, false, _) => Err(Code::InsufficientSize),
        (_, _, true) => Err(Code::InvalidArgument),
        _ => {
            // SAFETY: `to` is not null, and `fits` is true only if it has room for the whole list.
            unsafe { std::ptr::copy_nonoverlapping(list.as_ptr(), to.as_ptr(), list.len()) };
            Ok(())
        }
    }
}

/// Checks and returns the version word at the start of a struct: its size, with the version in the top byte.
pub fn check_version<T: Plain>(from: Out<'_, T>, version: u32) -> Result<u32> {
    // SAFETY: null, or a `T`, which begins with its version word.
    let found =
        unsafe { In::<u32>::new(from.as_ptr().cast()) }.get().map_err(|_| Code::InvalidArgument)?;
    if found == size_of::<T>() as u32 | version << 24 {
        Ok(found)
    } else {
        Err(Code::VersionMismatch)
    }
}

/// UUID of a GPU as text.
pub fn uuid(gpu: &Gpu) -> String {
    let digits: String = gpu.uuid().iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    format!("GPU-{}", parts.join("-"))
}

/// The first GPU that satisfies a predicate.
pub fn find(is: impl Fn(&Gpu) -> bool) -> Result<Device> {
    gpus()?.iter().position(is).map(|found| found + 1).ok_or(Code::NotFound)
}

/// The GPU with a UUID, with or without the prefix `GPU-`.
pub fn find_by_uuid(asked: &str) -> Result<Device> {
    let bare = asked.strip_prefix("GPU-").unwrap_or(asked);
    find(|gpu| uuid(gpu).strip_prefix("GPU-") == Some(bare))
}

/// `nvmlMemory_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct MemoryInfo {
    pub total: u64,
    pub free: u64,
    pub used: u64,
}

abi!(MemoryInfo = 24, 8 { total: 0, free: 8, used: 16 });

/// `nvmlMemory_v2_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct MemoryInfoV2 {
    pub version: u32,
    pub total: u64,
    pub reserved: u64,
    pub free: u64,
    pub used: u64,
}

abi!(MemoryInfoV2 = 40, 8 { version: 0, total: 8, reserved: 16, free: 24, used: 32 });

/// `nvmlPciInfo_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PciInfo {
    short: [u8; 16],
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
    pub id: u32,
    pub subsystem: u32,
    pub text: [u8; 32],
}

abi!(PciInfo = 68, 4 { short: 0, domain: 16, bus: 20, device: 24, id: 28, subsystem: 32, text: 36 });

/// PCI address of a GPU.
pub fn pci(gpu: &Gpu) -> PciInfo {
    let text = gpu.bus();
    let (mut short, mut long) = ([0; 16], [0; 32]);
    short[..text.len()].copy_from_slice(text.as_bytes());
    // The long form has an eight-digit domain.
    long[..text.len() + 4].copy_from_slice(format!("0000{text}").as_bytes());
    PciInfo {
        short,
        domain: 0,
        bus: gpu.ordinal as u32 + 1,
        device: 0,
        id: attribute(gpu, PCI_DEVICE).unwrap_or(0),
        subsystem: 0,
        text: long,
    }
}

/// Attribute numbers (`CU_DEVICE_ATTRIBUTE_*`).
const CLOCK_RATE: i32 = 13;

pub const ECC: i32 = 32;

const MEMORY_CLOCK_RATE: i32 = 36;

pub const MEMORY_BUS_WIDTH: i32 = 37;

/// PCI device and vendor ID.
const PCI_DEVICE: i32 = 139;

/// An attribute of the emulated GPU.
pub fn attribute(gpu: &Gpu, number: i32) -> Result<u32> {
    devices::device_attribute(number, gpu).map(|value| value as u32).ok_or(Code::NotSupported)
}

/// Maximum clock in MHz: 0 graphics, 1 SM, 2 memory, 3 video.
pub fn clock(gpu: &Gpu, kind: i32) -> Result<u32> {
    match kind {
        0 | 1 => Ok(attribute(gpu, CLOCK_RATE)? / 1000),
        2 => Ok(attribute(gpu, MEMORY_CLOCK_RATE)? / 1000),
        3 => Err(Code::NotSupported),
        _ => Err(Code::InvalidArgument),
    }
}

/// Free and total memory in bytes.
pub fn memory() -> Result<(u64, u64)> {
    memory_bytes().map_err(|_| Code::Unknown)
}

/// The NVIDIA driver version that the emulated GPUs report.
pub const DRIVER: &str = "580.159.04";

/// Exports functions that always fail. Queries of missing hardware (sensors, error counts, MIG and virtual GPUs, NVLink, events)
/// return `NVML_ERROR_NOT_SUPPORTED`; requests to change modes return `NVML_ERROR_NO_PERMISSION`, as for a user who is not root.
macro_rules! refused {
    ($code:ident: $($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            #[doc = concat!("NVML's `", stringify!($name), "`, which is not implemented.")]
            pub extern "C" fn $name() -> i32 {
                call(stringify!($name), || gpus().and(Err(Code::$code)))
            }
        )*
    };
}

refused! {
    NotSupported:
    nvmlComputeInstanceGetInfo nvmlComputeInstanceGetInfo_v2 nvmlDeviceDiscoverGpus
    nvmlDeviceGetAPIRestriction nvmlDeviceGetAccountingBufferSize nvmlDeviceGetAccountingPids
    nvmlDeviceGetAccountingStats nvmlDeviceGetActiveVgpus nvmlDeviceGetAdaptiveClockInfoStatus
    nvmlDeviceGetAttributes nvmlDeviceGetAttributes_v2 nvmlDeviceGetAutoBoostedClocksEnabled
    nvmlDeviceGetBoardPartNumber nvmlDeviceGetBridgeChipInfo nvmlDeviceGetClkMonStatus
    nvmlDeviceGetClockOffsets nvmlDeviceGetComputeInstanceId nvmlDeviceGetConfComputeGpuAttestationReport
    nvmlDeviceGetConfComputeGpuCertificate nvmlDeviceGetConfComputeMemSizeInfo
    nvmlDeviceGetConfComputeProtectedMemoryUsage nvmlDeviceGetCoolerInfo nvmlDeviceGetCreatableVgpus
    nvmlDeviceGetCurrentClockFreqs nvmlDeviceGetDecoderUtilization nvmlDeviceGetDefaultApplicationsClock
    nvmlDeviceGetDetailedEccErrors nvmlDeviceGetDramEncryptionMode nvmlDeviceGetDriverModel
    nvmlDeviceGetDriverModel_v2 nvmlDeviceGetEncoderCapacity nvmlDeviceGetEncoderSessions
    nvmlDeviceGetEncoderStats nvmlDeviceGetEncoderUtilization nvmlDeviceGetFBCSessions nvmlDeviceGetFBCStats
    nvmlDeviceGetFanControlPolicy_v2 nvmlDeviceGetFanSpeedRPM nvmlDeviceGetFanSpeed_v2
    nvmlDeviceGetGpcClkMinMaxVfOffset nvmlDeviceGetGpcClkVfOffset nvmlDeviceGetGpuFabricInfo
    nvmlDeviceGetGpuInstanceById nvmlDeviceGetGpuInstanceId nvmlDeviceGetGpuInstancePossiblePlacements
    nvmlDeviceGetGpuInstancePossiblePlacements_v2 nvmlDeviceGetGpuInstanceProfileInfo
    nvmlDeviceGetGpuInstanceProfileInfoByIdV nvmlDeviceGetGpuInstanceProfileInfoV
    nvmlDeviceGetGpuInstanceRemainingCapacity nvmlDeviceGetGpuInstances nvmlDeviceGetGpuOperationMode
    nvmlDeviceGetGridLicensableFeatures nvmlDeviceGetGridLicensableFeatures_v2
    nvmlDeviceGetGridLicensableFeatures_v3 nvmlDeviceGetGspFirmwareMode nvmlDeviceGetGspFirmwareVersion
    nvmlDeviceGetHostVgpuMode nvmlDeviceGetHostname_v1 nvmlDeviceGetInforomConfigurationChecksum
    nvmlDeviceGetInforomImageVersion nvmlDeviceGetInforomVersion nvmlDeviceGetIrqNum
    nvmlDeviceGetJpgUtilization nvmlDeviceGetLastBBXFlushTime nvmlDeviceGetMarginTemperature
    nvmlDeviceGetMemClkMinMaxVfOffset nvmlDeviceGetMemClkVfOffset nvmlDeviceGetMemoryErrorCounter
    nvmlDeviceGetMinMaxFanSpeed nvmlDeviceGetModuleId nvmlDeviceGetNumaNodeId nvmlDeviceGetNvLinkErrorCounter
    nvmlDeviceGetNvLinkInfo nvmlDeviceGetNvLinkRemoteDeviceType nvmlDeviceGetNvLinkRemotePciInfo
    nvmlDeviceGetNvLinkRemotePciInfo_v2 nvmlDeviceGetNvLinkUtilizationControl
    nvmlDeviceGetNvLinkUtilizationCounter nvmlDeviceGetNvLinkVersion nvmlDeviceGetNvlinkBwMode
    nvmlDeviceGetNvlinkSupportedBwModes nvmlDeviceGetOfaUtilization nvmlDeviceGetPcieThroughput
    nvmlDeviceGetPerformanceModes nvmlDeviceGetPgpuMetadataString nvmlDeviceGetPlatformInfo
    nvmlDeviceGetPowerManagementDefaultLimit nvmlDeviceGetPowerManagementLimitConstraints
    nvmlDeviceGetPowerMizerMode_v1 nvmlDeviceGetPowerSource nvmlDeviceGetPowerState
    nvmlDeviceGetProcessUtilization nvmlDeviceGetProcessesUtilizationInfo nvmlDeviceGetRemappedRows
    nvmlDeviceGetRepairStatus nvmlDeviceGetRetiredPages nvmlDeviceGetRetiredPagesPendingStatus
    nvmlDeviceGetRetiredPages_v2 nvmlDeviceGetRowRemapperHistogram nvmlDeviceGetRunningProcessDetailList
    nvmlDeviceGetSamples nvmlDeviceGetSramEccErrorStatus nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts
    nvmlDeviceGetSupportedVgpus nvmlDeviceGetTargetFanSpeed nvmlDeviceGetTemperatureThreshold
    nvmlDeviceGetTemperatureV nvmlDeviceGetThermalSettings nvmlDeviceGetTotalEccErrors
    nvmlDeviceGetUnrepairableMemoryFlag_v1 nvmlDeviceGetVgpuCapabilities nvmlDeviceGetVgpuHeterogeneousMode
    nvmlDeviceGetVgpuInstancesUtilizationInfo nvmlDeviceGetVgpuMetadata nvmlDeviceGetVgpuProcessUtilization
    nvmlDeviceGetVgpuProcessesUtilizationInfo nvmlDeviceGetVgpuSchedulerCapabilities
    nvmlDeviceGetVgpuSchedulerLog nvmlDeviceGetVgpuSchedulerLog_v2 nvmlDeviceGetVgpuSchedulerState
    nvmlDeviceGetVgpuSchedulerState_v2 nvmlDeviceGetVgpuTypeCreatablePlacements
    nvmlDeviceGetVgpuTypeSupportedPlacements nvmlDeviceGetVgpuUtilization nvmlDeviceQueryDrainState
    nvmlDeviceReadPRMCounters_v1 nvmlDeviceReadWritePRM_v1 nvmlDeviceRegisterEvents nvmlDeviceValidateInforom
    nvmlDeviceWorkloadPowerProfileGetCurrentProfiles nvmlDeviceWorkloadPowerProfileGetProfilesInfo
    nvmlEventSetCreate nvmlEventSetFree nvmlEventSetWait nvmlEventSetWait_v2 nvmlGetExcludedDeviceCount
    nvmlGetExcludedDeviceInfoByIndex nvmlGetVgpuCompatibility nvmlGetVgpuDriverCapabilities nvmlGetVgpuVersion
    nvmlGpmMetricsGet nvmlGpmMigSampleGet nvmlGpmQueryDeviceSupport nvmlGpmQueryIfStreamingEnabled
    nvmlGpmSampleAlloc nvmlGpmSampleFree nvmlGpmSampleGet nvmlGpuInstanceGetActiveVgpus
    nvmlGpuInstanceGetComputeInstanceById nvmlGpuInstanceGetComputeInstancePossiblePlacements
    nvmlGpuInstanceGetComputeInstanceProfileInfo nvmlGpuInstanceGetComputeInstanceProfileInfoV
    nvmlGpuInstanceGetComputeInstanceRemainingCapacity nvmlGpuInstanceGetComputeInstances
    nvmlGpuInstanceGetCreatableVgpus nvmlGpuInstanceGetInfo nvmlGpuInstanceGetVgpuHeterogeneousMode
    nvmlGpuInstanceGetVgpuSchedulerLog nvmlGpuInstanceGetVgpuSchedulerLog_v2
    nvmlGpuInstanceGetVgpuSchedulerState nvmlGpuInstanceGetVgpuSchedulerState_v2
    nvmlGpuInstanceGetVgpuTypeCreatablePlacements nvmlSystemEventSetCreate nvmlSystemEventSetFree
    nvmlSystemEventSetWait nvmlSystemGetConfComputeCapabilities nvmlSystemGetConfComputeGpusReadyState
    nvmlSystemGetConfComputeKeyRotationThresholdInfo nvmlSystemGetConfComputeSettings nvmlSystemGetHicVersion
    nvmlSystemGetNvlinkBwMode nvmlSystemRegisterEvents nvmlUnitGetDevices nvmlUnitGetFanSpeedInfo
    nvmlUnitGetHandleByIndex nvmlUnitGetLedState nvmlUnitGetPsuInfo nvmlUnitGetTemperature nvmlUnitGetUnitInfo
    nvmlVgpuInstanceGetAccountingMode nvmlVgpuInstanceGetAccountingPids nvmlVgpuInstanceGetAccountingStats
    nvmlVgpuInstanceGetEccMode nvmlVgpuInstanceGetEncoderCapacity nvmlVgpuInstanceGetEncoderSessions
    nvmlVgpuInstanceGetEncoderStats nvmlVgpuInstanceGetFBCSessions nvmlVgpuInstanceGetFBCStats
    nvmlVgpuInstanceGetFbUsage nvmlVgpuInstanceGetFrameRateLimit nvmlVgpuInstanceGetGpuInstanceId
    nvmlVgpuInstanceGetGpuPciId nvmlVgpuInstanceGetLicenseInfo nvmlVgpuInstanceGetLicenseInfo_v2
    nvmlVgpuInstanceGetLicenseStatus nvmlVgpuInstanceGetMdevUUID nvmlVgpuInstanceGetMetadata
    nvmlVgpuInstanceGetPlacementId nvmlVgpuInstanceGetRuntimeStateSize nvmlVgpuInstanceGetType
    nvmlVgpuInstanceGetUUID nvmlVgpuInstanceGetVmDriverVersion nvmlVgpuInstanceGetVmID nvmlVgpuTypeGetBAR1Info
    nvmlVgpuTypeGetCapabilities nvmlVgpuTypeGetClass nvmlVgpuTypeGetDeviceID nvmlVgpuTypeGetFbReservation
    nvmlVgpuTypeGetFrameRateLimit nvmlVgpuTypeGetFramebufferSize nvmlVgpuTypeGetGpuInstanceProfileId
    nvmlVgpuTypeGetGspHeapSize nvmlVgpuTypeGetLicense nvmlVgpuTypeGetMaxInstances
    nvmlVgpuTypeGetMaxInstancesPerGpuInstance nvmlVgpuTypeGetMaxInstancesPerVm nvmlVgpuTypeGetName
    nvmlVgpuTypeGetNumDisplayHeads nvmlVgpuTypeGetResolution
}

refused! {
    NoPermission:
    nvmlComputeInstanceDestroy nvmlDeviceClearAccountingPids nvmlDeviceClearCpuAffinity
    nvmlDeviceClearEccErrorCounts nvmlDeviceCreateGpuInstance nvmlDeviceCreateGpuInstanceWithPlacement
    nvmlDeviceFreezeNvLinkUtilizationCounter nvmlDeviceModifyDrainState
    nvmlDevicePowerSmoothingActivatePresetProfile nvmlDevicePowerSmoothingSetState
    nvmlDevicePowerSmoothingUpdatePresetProfileParam nvmlDeviceRemoveGpu nvmlDeviceRemoveGpu_v2
    nvmlDeviceResetApplicationsClocks nvmlDeviceResetGpuLockedClocks nvmlDeviceResetMemoryLockedClocks
    nvmlDeviceResetNvLinkErrorCounters nvmlDeviceResetNvLinkUtilizationCounter nvmlDeviceSetAPIRestriction
    nvmlDeviceSetAccountingMode nvmlDeviceSetApplicationsClocks nvmlDeviceSetAutoBoostedClocksEnabled
    nvmlDeviceSetClockOffsets nvmlDeviceSetComputeMode nvmlDeviceSetConfComputeUnprotectedMemSize
    nvmlDeviceSetCpuAffinity nvmlDeviceSetDefaultAutoBoostedClocksEnabled nvmlDeviceSetDefaultFanSpeed_v2
    nvmlDeviceSetDramEncryptionMode nvmlDeviceSetDriverModel nvmlDeviceSetEccMode
    nvmlDeviceSetFanControlPolicy nvmlDeviceSetFanSpeed_v2 nvmlDeviceSetGpcClkVfOffset
    nvmlDeviceSetGpuLockedClocks nvmlDeviceSetGpuOperationMode nvmlDeviceSetHostname_v1
    nvmlDeviceSetMemClkVfOffset nvmlDeviceSetMemoryLockedClocks nvmlDeviceSetMigMode
    nvmlDeviceSetNvLinkDeviceLowPowerThreshold nvmlDeviceSetNvLinkUtilizationControl nvmlDeviceSetNvlinkBwMode
    nvmlDeviceSetPersistenceMode nvmlDeviceSetPowerManagementLimit nvmlDeviceSetPowerManagementLimit_v2
    nvmlDeviceSetPowerMizerMode_v1 nvmlDeviceSetRusdSettings_v1 nvmlDeviceSetTemperatureThreshold
    nvmlDeviceSetVgpuCapabilities nvmlDeviceSetVgpuHeterogeneousMode nvmlDeviceSetVgpuSchedulerState
    nvmlDeviceSetVgpuSchedulerState_v2 nvmlDeviceSetVirtualizationMode nvmlDeviceVgpuForceGspUnload
    nvmlDeviceWorkloadPowerProfileClearRequestedProfiles nvmlDeviceWorkloadPowerProfileSetRequestedProfiles
    nvmlGpmSetStreamingEnabled nvmlGpuInstanceCreateComputeInstance
    nvmlGpuInstanceCreateComputeInstanceWithPlacement nvmlGpuInstanceDestroy
    nvmlGpuInstanceSetVgpuHeterogeneousMode nvmlGpuInstanceSetVgpuSchedulerState
    nvmlGpuInstanceSetVgpuSchedulerState_v2 nvmlSetVgpuVersion nvmlSystemSetConfComputeGpusReadyState
    nvmlSystemSetConfComputeKeyRotationThresholdInfo nvmlSystemSetNvlinkBwMode nvmlUnitSetLedState
    nvmlVgpuInstanceClearAccountingPids nvmlVgpuInstanceSetEncoderCapacity
}
