//! Topology of an emulated GPU: board, bus, CPU affinity and distances. All GPUs are in one NUMA node, equally close
//! to all its CPUs.

use crate::devices::gpus::model;
use crate::nvml::values::{
    Code, DRIVER, Device, Result, check_version, find, find_by_uuid, give, give_list, give_text,
    gpu, gpus, nvml, pci,
};
use crate::pointers::*;
use std::ffi::{c_char, c_ulong};

/// `NVML_BRAND_GEFORCE` and `NVML_BRAND_NVIDIA`.
const GEFORCE: i32 = 5;
const NVIDIA: i32 = 14;
/// `NVML_BUS_TYPE_PCIE`.
const PCIE: i32 = 2;
/// BAR1 size: GeForce's, or the smallest power of 2 that covers the memory, as `nvidia-smi -q` reports for an H200 (256 GiB).
fn bar1_bytes() -> u64 {
    match model().gpu {
        gpu if gpu.geforce => 256 << 20,
        gpu => u64::from(gpu.memory_gb).next_power_of_two() << 30,
    }
}
/// `NVML_TOPOLOGY_INTERNAL` and `NVML_TOPOLOGY_NODE`.
const SAME_BOARD: i32 = 0;
const SAME_NODE: i32 = 40;
/// Bits per word of a CPU mask.
const BITS: usize = c_ulong::BITS as usize;

/// `nvmlPciInfoExt_v1_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PciInfoExt {
    version: u32,
    domain: u32,
    bus: u32,
    device: u32,
    id: u32,
    subsystem: u32,
    class: [u32; 2],
    text: [u8; 32],
}

abi!(PciInfoExt = 64, 4 { version: 0, domain: 4, bus: 8, device: 12, id: 16, subsystem: 20, class: 24, text: 32 });

/// `nvmlUUID_v1_t`: ASCII (1) or binary (2).
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Uuid {
    version: u32,
    kind: u32,
    value: [u8; 41],
}

abi!(Uuid = 52, 4 { version: 0, kind: 4, value: 8 });

/// `nvmlSystemDriverBranchInfo_v1_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct DriverBranch {
    version: u32,
    text: [c_char; 80],
}

abi!(DriverBranch = 84, 4 { version: 0, text: 4 });

/// `nvmlPdi_v1_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct DeviceIdentifier {
    version: u32,
    value: u64,
}

abi!(DeviceIdentifier = 16, 8 { version: 0, value: 8 });

/// Numbers of the online CPUs.
fn processors() -> Vec<usize> {
    let listed = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let ranges = listed.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse::<usize>().ok()?..=last.parse().ok()?)
    });
    let found: Vec<usize> = ranges.flatten().collect();
    if found.is_empty() {
        (0..std::thread::available_parallelism().map_or(1, usize::from)).collect()
    } else {
        found
    }
}

/// Stores a bit mask. Drops bits past the end.
///
/// # Safety
/// `to` is null or valid for `words` words.
unsafe fn give_mask(to: Out<'_, c_ulong>, words: u32, numbers: &[usize]) -> Result {
    if to.is_null() || words == 0 {
        return Err(Code::InvalidArgument);
    }
    // SAFETY: not null, and `words` words long (contract of this function); words have no invalid bits.
    let mask = unsafe { std::slice::from_raw_parts_mut(to.as_ptr(), words as usize) };
    mask.fill(0);
    for &number in numbers {
        if let Some(word) = mask.get_mut(number / BITS) {
            *word |= 1 << (number % BITS);
        }
    }
    Ok(())
}

/// Topology level between two GPUs.
fn distance(one: Device, other: Device) -> i32 {
    if one == other { SAME_BOARD } else { SAME_NODE }
}

nvml! {
    fn nvmlSystemGetDriverBranch => (to: Out<'_, DriverBranch>, length: u32) {
        gpus()?;
        // SAFETY: `check_version` refused null; `text` is a buffer of 80 bytes in the caller's struct.
        unsafe {
            check_version(to, 1)?;
            let branch = format!("r{}_00", DRIVER.split('.').next().unwrap_or(DRIVER));
            give_text((&raw mut (*to.as_ptr()).text).cast(), length.min(80), &branch)
        }
    }

    fn nvmlSystemGetProcessName => (process: u32, to: *mut c_char, length: u32) {
        gpus()?;
        let line = std::fs::read(format!("/proc/{process}/cmdline")).map_err(|_| Code::NotFound)?;
        let name = line.split(|&byte| byte == 0).next().unwrap_or_default();
        // Truncate to the buffer.
        let name = String::from_utf8_lossy(&name[..name.len().min((length as usize).saturating_sub(1))]);
        // SAFETY: `length` is the size of the buffer that the caller passed.
        unsafe { give_text(to, length, &name) }
    }

    fn nvmlSystemGetTopologyGpuSet => (processor: u32, count: Out<'_, u32>, to: Out<'_, Device>) {
        let near = if processors().contains(&(processor as usize)) { gpus()?.len() } else { 0 };
        // SAFETY: the caller passed `to` with room for as many elements as `count` says.
        unsafe { give_list(count, to, &(1..=near).collect::<Vec<Device>>()) }
    }

    fn nvmlUnitGetCount => (count: Out<'_, u32>) {
        gpus()?;
        give(count, 0)
    }

    fn nvmlDeviceGetHandleByUUIDV => (asked: In<'_, Uuid>, device: Out<'_, Device>) {
        let asked = asked.find().ok_or(Code::InvalidArgument)?;
        let end = asked.value.iter().position(|&byte| byte == 0).unwrap_or(asked.value.len());
        let found = match asked.kind {
            1 => find_by_uuid(&String::from_utf8_lossy(&asked.value[..end]))?,
            2 => find(|gpu| gpu.uuid() == asked.value[..16])?,
            _ => return Err(Code::InvalidArgument),
        };
        give(device, found)
    }

    fn nvmlDeviceGetHandleBySerial => (asked: Text<'_>, _device: Out<'_, Device>) {
        gpus()?;
        // An emulated GPU has no serial number.
        asked.get().map_err(|_| Code::InvalidArgument)?;
        Err(Code::NotFound)
    }

    fn nvmlDeviceGetBrand => (device: Device, brand: Out<'_, i32>) {
        gpu(device)?;
        give(brand, if model().gpu.geforce { GEFORCE } else { NVIDIA })
    }

    fn nvmlDeviceGetBusType => (device: Device, kind: Out<'_, i32>) {
        gpu(device)?;
        give(kind, PCIE)
    }

    fn nvmlDeviceGetBoardId => (device: Device, board: Out<'_, u32>) {
        give(board, pci(gpu(device)?).bus << 8)
    }

    fn nvmlDeviceGetMultiGpuBoard => (device: Device, several: Out<'_, u32>) {
        gpu(device)?;
        give(several, 0)
    }

    fn nvmlDeviceOnSameBoard => (device: Device, other: Device, same: Out<'_, i32>) {
        gpu(device)?;
        gpu(other)?;
        give(same, i32::from(device == other))
    }

    fn nvmlDeviceGetBAR1MemoryInfo => (device: Device, to: Out<'_, [u64; 3]>) {
        gpu(device)?;
        // Total, free, used.
        give(to, [bar1_bytes(), bar1_bytes(), 0])
    }

    fn nvmlDeviceGetPciInfoExt => (device: Device, to: Out<'_, PciInfoExt>) {
        let place = pci(gpu(device)?);
        let version = check_version(to, 1)?;
        // Class: 3D controller.
        let class = [3, 2];
        let (domain, bus, at) = (place.domain, place.bus, place.device);
        give(to, PciInfoExt { version, domain, bus, device: at, id: place.id, subsystem: place.subsystem, class, text: place.text })
    }

    fn nvmlDeviceGetPdi => (device: Device, to: Out<'_, DeviceIdentifier>) {
        let gpu = gpu(device)?;
        let version = check_version(to, 1)?;
        let identifier = gpu.uuid()[8..].iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
        give(to, DeviceIdentifier { version, value: identifier })
    }

    fn nvmlDeviceGetCpuAffinity => (device: Device, words: u32, to: Out<'_, c_ulong>) {
        gpu(device)?;
        // SAFETY: `words` is the length of the array that the caller passed.
        unsafe { give_mask(to, words, &processors()) }
    }

    fn nvmlDeviceGetCpuAffinityWithinScope => (device: Device, words: u32, to: Out<'_, c_ulong>, _scope: u32) {
        gpu(device)?;
        // SAFETY: `words` is the length of the array that the caller passed.
        unsafe { give_mask(to, words, &processors()) }
    }

    fn nvmlDeviceGetMemoryAffinity => (device: Device, words: u32, to: Out<'_, c_ulong>, _scope: u32) {
        gpu(device)?;
        // SAFETY: `words` is the length of the array that the caller passed.
        unsafe { give_mask(to, words, &[0]) }
    }

    fn nvmlDeviceGetTopologyCommonAncestor => (device: Device, other: Device, level: Out<'_, i32>) {
        gpu(device)?;
        gpu(other)?;
        give(level, distance(device, other))
    }

    fn nvmlDeviceGetTopologyNearestGpus => (device: Device, level: i32, count: Out<'_, u32>, to: Out<'_, Device>) {
        gpu(device)?;
        let near = (1..=gpus()?.len()).filter(|&other| other != device && distance(device, other) == level);
        // SAFETY: the caller passed `to` with room for as many elements as `count` says.
        unsafe { give_list(count, to, &near.collect::<Vec<Device>>()) }
    }
}
