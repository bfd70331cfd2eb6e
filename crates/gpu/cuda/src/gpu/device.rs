//! The GPUs of this machine and their properties.

use std::fmt;

use crate::driver::sys::{self, CUdevice_attribute as Attribute};

use crate::{CudaError, driver};

/// The driver's description of one GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Position in the driver's list, from 0.
    pub index: usize,
    /// The product name.
    pub name: String,
    /// Compute capability: major, minor. (9, 0) is Hopper.
    pub compute_capability: (u32, u32),
    /// Global memory, bytes.
    pub memory_bytes: usize,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Maximum threads per block.
    pub max_threads_per_block: u32,
    /// Maximum resident threads per multiprocessor.
    pub max_threads_per_multiprocessor: u32,
    /// Maximum resident blocks per multiprocessor.
    pub max_blocks_per_multiprocessor: u32,
    /// Maximum block extent in x, y, z.
    pub max_block: [u32; 3],
    /// Maximum grid extent in x, y, z.
    pub max_grid: [u32; 3],
    /// Shared memory per block without opt-in, bytes.
    pub shared_per_block: u32,
    /// Shared memory per block with opt-in, bytes.
    pub shared_per_block_optin: u32,
    /// Shared memory of one multiprocessor, bytes.
    pub shared_per_multiprocessor: u32,
    /// 32-bit registers that a block can use.
    pub registers_per_block: u32,
    /// 32-bit registers of one multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// Lanes per warp.
    pub warp_size: u32,
    /// Highest multiprocessor clock, kHz.
    pub clock_khz: u32,
    /// Highest memory clock, kHz.
    pub memory_clock_khz: u32,
    /// Memory bus width, bits.
    pub bus_width_bits: u32,
    /// L2 cache, bytes.
    pub l2_bytes: u32,
    /// The newest CUDA version the driver supports: major, minor.
    pub driver_version: (u32, u32),
    /// The driver's release, such as 580.65.06, where the system reports it.
    pub driver_release: Option<String>,
    /// Address on the PCI bus.
    pub pci_bus_id: String,
}

impl DeviceInfo {
    /// Peak memory bandwidth in bytes per second: two transfers per memory clock and bus line.
    pub fn peak_memory_bandwidth(&self) -> f64 {
        2.0 * f64::from(self.memory_clock_khz) * 1e3 * f64::from(self.bus_width_bits) / 8.0
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.compute_capability;
        write!(
            f,
            "{}: {}, sm_{major}{minor}, {} SMs, {:.1} GiB, CUDA {}.{}",
            self.index,
            self.name,
            self.multiprocessors,
            self.memory_bytes as f64 / (1u64 << 30) as f64,
            self.driver_version.0,
            self.driver_version.1,
        )
    }
}

/// Lists the GPUs.
///
/// # Errors
/// [`CudaError::Unavailable`], with the reason in one line, when there is no usable driver.
pub fn devices() -> Result<Vec<DeviceInfo>, CudaError> {
    (0..count()?).map(describe).collect()
}

/// The number of GPUs that the driver lists.
pub(crate) fn count() -> Result<usize, CudaError> {
    driver::start()?;
    let mut count = 0;
    // SAFETY: stores one integer through the pointer.
    driver::check(unsafe { sys::cuDeviceGetCount(&mut count) }, "cuDeviceGetCount")?;
    Ok(count.max(0) as usize)
}

/// The driver's handle of the GPU at `index`.
pub(crate) fn handle(index: usize) -> Result<sys::CUdevice, CudaError> {
    let count = count()?;
    if index >= count {
        return Err(CudaError::NoSuchDevice { index, count });
    }
    let mut device = 0;
    // SAFETY: stores one handle through the pointer; the index is in range.
    driver::check(unsafe { sys::cuDeviceGet(&mut device, index as i32) }, "cuDeviceGet")?;
    Ok(device)
}

/// Reads everything about the GPU at `index`.
pub(crate) fn describe(index: usize) -> Result<DeviceInfo, CudaError> {
    let device = handle(index)?;
    let read = |attribute: Attribute| -> Result<u32, CudaError> {
        let mut value = 0;
        // SAFETY: stores one integer through the pointer.
        let result = unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, device) };
        driver::check(result, "cuDeviceGetAttribute")?;
        Ok(value.max(0) as u32)
    };
    let mut memory_bytes = 0;
    // SAFETY: stores one size through the pointer.
    let result = unsafe { sys::cuDeviceTotalMem_v2(&mut memory_bytes, device) };
    driver::check(result, "cuDeviceTotalMem")?;
    let mut version = 0;
    // SAFETY: stores one integer through the pointer.
    driver::check(unsafe { sys::cuDriverGetVersion(&mut version) }, "cuDriverGetVersion")?;

    use Attribute as A;
    Ok(DeviceInfo {
        index,
        // SAFETY: the closure hands the driver a writable buffer and its length.
        name: text("cuDeviceGetName", |buffer, length| unsafe {
            sys::cuDeviceGetName(buffer, length, device)
        })?,
        compute_capability: (
            read(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            read(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        memory_bytes,
        multiprocessors: read(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        max_threads_per_block: read(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        max_threads_per_multiprocessor: read(
            A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        )?,
        max_blocks_per_multiprocessor: read(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        max_block: [
            read(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            read(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            read(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        max_grid: [
            read(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            read(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            read(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        shared_per_block: read(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        shared_per_block_optin: read(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        shared_per_multiprocessor: read(
            A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        )?,
        registers_per_block: read(A::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
        registers_per_multiprocessor: read(
            A::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
        )?,
        warp_size: read(A::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
        clock_khz: read(A::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
        memory_clock_khz: read(A::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?,
        bus_width_bits: read(A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?,
        l2_bytes: read(A::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
        driver_version: split_version(version),
        driver_release: driver_release(),
        // SAFETY: the closure hands the driver a writable buffer and its length.
        pci_bus_id: text("cuDeviceGetPCIBusId", |buffer, length| unsafe {
            sys::cuDeviceGetPCIBusId(buffer, length, device)
        })?,
    })
}

/// Reads a short string that the driver writes into a buffer.
fn text(
    call: &'static str,
    read: impl FnOnce(*mut std::ffi::c_char, i32) -> sys::CUresult,
) -> Result<String, CudaError> {
    let mut buffer = [0u8; 256];
    driver::check(read(buffer.as_mut_ptr().cast(), buffer.len() as i32), call)?;
    let end = buffer.iter().position(|&byte| byte == 0).unwrap_or(buffer.len());
    Ok(String::from_utf8_lossy(&buffer[..end]).into_owned())
}

/// 12080 is CUDA 12.8.
fn split_version(version: i32) -> (u32, u32) {
    let version = version.max(0) as u32;
    (version / 1000, version % 1000 / 10)
}

/// The kernel module's release, on Linux.
fn driver_release() -> Option<String> {
    let text = std::fs::read_to_string("/sys/module/nvidia/version").ok()?;
    Some(text.trim().to_string()).filter(|release| !release.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_split_into_major_and_minor() {
        assert_eq!(split_version(12080), (12, 8));
        assert_eq!(split_version(13000), (13, 0));
        assert_eq!(split_version(-1), (0, 0));
    }
}
