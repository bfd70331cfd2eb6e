//! Devices and their memory.

use crate::call::{self, Failure, OpenDevice, default_options, guard, host_device, out, text};
use lanework_runtime::emulator::{Limits, Options};
use lanework_runtime::{Buffer, Device};
use std::ffi::{c_char, c_int, c_void};
use std::sync::PoisonError;
use std::time::Duration;

/// `lanework_options`: options of an emulator. Zero in a field selects the default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaneworkOptions {
    /// Size of this structure in bytes.
    pub size: usize,
    /// Number of instructions after which a warp is stopped as stuck.
    pub max_instructions: u64,
    /// Total number of warp instructions after which a launch is stopped.
    pub total_instructions: u64,
    /// Milliseconds after which a launch is stopped.
    pub time_limit_ms: u64,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Number of host threads that run blocks.
    pub workers: u32,
    /// Must be 0.
    pub reserved: u32,
}

/// `lanework_info`: a device's name and limits.
#[repr(C)]
pub struct LaneworkInfo {
    /// Size of this structure in bytes.
    pub size: usize,
    /// Product name.
    pub name: [c_char; 128],
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Compute capability, major and minor.
    pub compute_capability: [u32; 2],
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Maximum number of threads per block.
    pub max_threads_per_block: u32,
    /// Maximum number of threads per block by axis.
    pub max_block: [u32; 3],
    /// Maximum number of blocks per grid by axis.
    pub max_grid: [u32; 3],
    /// Maximum bytes of shared memory per block: static, and in total.
    pub shared_per_block: [u32; 2],
}

// The layouts must match lanework.h.
#[cfg(target_pointer_width = "64")]
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<LaneworkOptions>() == 48 && align_of::<LaneworkOptions>() == 8);
    assert!(offset_of!(LaneworkOptions, max_instructions) == 8);
    assert!(offset_of!(LaneworkOptions, total_instructions) == 16);
    assert!(offset_of!(LaneworkOptions, time_limit_ms) == 24);
    assert!(offset_of!(LaneworkOptions, memory_bytes) == 32);
    assert!(offset_of!(LaneworkOptions, workers) == 40);
    assert!(offset_of!(LaneworkOptions, reserved) == 44);
    assert!(size_of::<LaneworkInfo>() == 192 && align_of::<LaneworkInfo>() == 8);
    assert!(offset_of!(LaneworkInfo, name) == 8);
    assert!(offset_of!(LaneworkInfo, memory_bytes) == 136);
    assert!(offset_of!(LaneworkInfo, compute_capability) == 144);
    assert!(offset_of!(LaneworkInfo, multiprocessors) == 152);
    assert!(offset_of!(LaneworkInfo, max_threads_per_block) == 156);
    assert!(offset_of!(LaneworkInfo, max_block) == 160);
    assert!(offset_of!(LaneworkInfo, max_grid) == 172);
    assert!(offset_of!(LaneworkInfo, shared_per_block) == 184);
};

fn emulator_options(given: &LaneworkOptions) -> Result<Options, Failure> {
    if given.size != size_of::<LaneworkOptions>() || given.reserved != 0 {
        return Err(Failure::argument(
            "the options' size is not sizeof(lanework_options), or its reserved field is not 0: \
             set them as LANEWORK_OPTIONS_INIT does",
        ));
    }
    let mut options = default_options();
    if given.max_instructions > 0 {
        options.max_instructions = Some(given.max_instructions);
    }
    options.total_instructions = (given.total_instructions > 0).then_some(given.total_instructions);
    options.time_limit =
        (given.time_limit_ms > 0).then(|| Duration::from_millis(given.time_limit_ms));
    if given.memory_bytes > 0 {
        options.limits = Limits { memory: given.memory_bytes, ..options.limits };
    }
    if given.workers > 0 {
        options.workers = Some(given.workers as usize);
    }
    Ok(options)
}

/// Opens a device; the header lists the valid names.
///
/// # Safety
/// Pointers are null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_device_open(
    name: *const c_char,
    options: *const LaneworkOptions,
    device: *mut u64,
) -> c_int {
    guard(|| {
        // SAFETY: the header requires `name` to be null or a C string, and `device` to be null or
        // writable.
        let (name, to) = unsafe { (text(name, "the device's name")?, out(device, "`device`")?) };
        *to = 0;
        // SAFETY: the header requires `options` to be null or valid.
        let given = unsafe { options.as_ref() }.map(emulator_options).transpose()?;
        let opened = match (name.as_str(), given) {
            ("emulator", given) => Device::emulator_within(given.unwrap_or_else(default_options)),
            ("host", given) => host_device(given.unwrap_or_else(default_options)),
            (_, Some(_)) => {
                return Err(Failure::argument(format!(
                    "options are for `emulator` and `host`, not for `{name}`: give NULL"
                )));
            }
            (name, None) => Device::open(name)?,
        };
        *to = call::insert_device(OpenDevice::new(opened));
        Ok(())
    })
}

/// Closes a device, its modules and its buffers.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_device_close(device: u64) -> c_int {
    guard(|| call::close_device(device))
}

/// Describes a device.
///
/// # Safety
/// `info` is null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_device_info(device: u64, info: *mut LaneworkInfo) -> c_int {
    guard(|| {
        // SAFETY: the header requires `info` to be null or valid for writes.
        let to = unsafe { out(info, "`info`")? };
        if to.size != size_of::<LaneworkInfo>() {
            return Err(Failure::argument("the field `size` is not sizeof(lanework_info)"));
        }
        let info = call::device(device)?.device.info();
        to.name.fill(0);
        let room = to.name.len() - 1;
        for (to, from) in to.name[..room].iter_mut().zip(info.name.bytes()) {
            *to = from as c_char;
        }
        to.memory_bytes = info.memory_bytes;
        to.compute_capability = info.compute_capability.into();
        to.multiprocessors = info.multiprocessors;
        to.max_threads_per_block = info.max_threads_per_block;
        (to.max_block, to.max_grid) = (info.max_block, info.max_grid);
        to.shared_per_block = info.shared_per_block.into();
        Ok(())
    })
}

/// Allocates device memory.
///
/// # Safety
/// `address` is null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_alloc(device: u64, bytes: usize, address: *mut u64) -> c_int {
    guard(|| {
        // SAFETY: the header requires `address` to be null or writable.
        let to = unsafe { out(address, "`address`")? };
        *to = 0;
        if bytes == 0 {
            return Err(Failure::argument("0 bytes cannot be allocated"));
        }
        let open = call::device(device)?;
        let buffer = open.device.uninit_named::<u8>(bytes, "lanework_alloc")?;
        let mut buffers = open.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        *to = buffer.address();
        buffers.insert(buffer.address(), buffer);
        Ok(())
    })
}

/// Frees an allocation of [`lanework_alloc`].
#[unsafe(no_mangle)]
pub extern "C" fn lanework_free(device: u64, address: u64) -> c_int {
    guard(|| {
        let open = call::device(device)?;
        let mut buffers = open.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = buffers.remove(&address);
        drop(buffers);
        match gone {
            Some(_) => Ok(()),
            None => Err(Failure::argument(format!(
                "{address:#x} was not returned by lanework_alloc, or was freed already"
            ))),
        }
    })
}

/// The buffer that contains `bytes` bytes at an address, and their offset in it.
pub(crate) fn part(
    buffers: &mut std::collections::BTreeMap<u64, Buffer<u8>>,
    address: u64,
    bytes: usize,
) -> Result<(&mut Buffer<u8>, usize), Failure> {
    let found = buffers.range_mut(..=address).next_back().and_then(|(start, buffer)| {
        let first = usize::try_from(address - start).ok()?;
        let room = buffer.len().checked_sub(first)?;
        (bytes <= room).then_some((buffer, first))
    });
    found.ok_or_else(|| {
        Failure::argument(format!("{bytes} bytes at {address:#x} are not in one buffer"))
    })
}

/// Copies host memory to a buffer.
///
/// # Safety
/// `from` is null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_copy_to_device(
    device: u64,
    to: u64,
    from: *const c_void,
    bytes: usize,
) -> c_int {
    guard(|| {
        let open = call::device(device)?;
        let mut buffers = open.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let (buffer, first) = part(&mut buffers, to, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        if from.is_null() {
            return Err(Failure::argument("`from` is NULL"));
        }
        // SAFETY: not null, and the header requires `bytes` readable bytes there.
        let host = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) };
        Ok(buffer.upload_part(first, host)?)
    })
}

/// Copies a buffer to host memory.
///
/// # Safety
/// `to` is null or valid as documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_copy_to_host(
    device: u64,
    to: *mut c_void,
    from: u64,
    bytes: usize,
) -> c_int {
    guard(|| {
        let open = call::device(device)?;
        let mut buffers = open.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let (buffer, first) = part(&mut buffers, from, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        if to.is_null() {
            return Err(Failure::argument("`to` is NULL"));
        }
        // SAFETY: not null, and the header requires `bytes` writable bytes there that no other
        // thread uses.
        let host = unsafe { std::slice::from_raw_parts_mut(to.cast::<u8>(), bytes) };
        Ok(buffer.download_part(first, host)?)
    })
}

/// Registers host memory that kernels may access; the device must be on host memory.
///
/// # Safety
/// The bytes stay valid for reads and writes until [`lanework_unregister`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanework_register(device: u64, start: *mut c_void, bytes: usize) -> c_int {
    guard(|| {
        let open = call::device(device)?;
        // SAFETY: the header requires the bytes to stay valid until `lanework_unregister`.
        Ok(unsafe { open.device.register_host(start.cast(), bytes as u64, "lanework_register") }?)
    })
}

/// Unregisters memory that was registered with [`lanework_register`].
#[unsafe(no_mangle)]
pub extern "C" fn lanework_unregister(device: u64, start: *mut c_void) -> c_int {
    guard(|| Ok(call::device(device)?.device.unregister_host(start.cast())?))
}

/// Waits for the work queued on a device.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_synchronize(device: u64) -> c_int {
    guard(|| Ok(call::device(device)?.device.synchronize()?))
}
