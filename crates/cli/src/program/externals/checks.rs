//! Checks of memory that the driver will access.

use super::plain::driver;
use lanework_host::{Process, Stop};
use std::ffi::c_void;

unsafe extern "C" {
    fn cuFuncGetParamInfo(function: u64, index: u64, offset: *mut u64, bytes: *mut u64) -> i32;
}

/// Whether an address is the device's, and the program must not access it.
pub fn on_device(process: &Process, address: u64) -> bool {
    if process.memory.check_range(address, 1).is_ok() {
        return false;
    }
    let mut kind = 0u32;
    // SAFETY: the attribute (the memory's type) has four bytes.
    let code = unsafe { driver::cuPointerGetAttribute((&raw mut kind).cast(), 2, address) };
    code == 0 && kind == 2
}

/// Checks the blocks of a kernel's arguments.
///
/// # Errors
/// If one of them is inaccessible.
pub fn check_arguments(process: &Process, function: u64, list: u64) -> Result<*const c_void, Stop> {
    for index in 0.. {
        let (mut offset, mut bytes) = (0, 0);
        // SAFETY: both results are words.
        let code = unsafe { cuFuncGetParamInfo(function, index, &raw mut offset, &raw mut bytes) };
        if code != 0 {
            break;
        }
        let place =
            process.accessed(process.memory.read(list.wrapping_add(8 * index), 8), "read")?;
        let place = u64::from_le_bytes(place.try_into().unwrap_or_default());
        process.accessed(process.memory.check_range(place, bytes), "read")?;
    }
    Ok(std::ptr::with_exposed_provenance(list as usize))
}

/// The bytes of one side of a three-dimensional copy that are the host's; `None` if it is no host memory.
pub fn host_side(copy: &[u8], side: usize) -> Option<(u64, u64)> {
    let at = |offset: usize| {
        let bytes = copy.get(offset..offset + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    };
    let [x, y, z] = [side, side + 8, side + 16].map(at);
    let [width, height, depth] = [176, 184, 192].map(at);
    // Memory types: 1 is host memory.
    if at(side + 32) as u32 != 1 || width == 0 || height == 0 || depth == 0 {
        return None;
    }
    let pitch = if at(side + 72) == 0 { width.saturating_add(x) } else { at(side + 72) };
    let rows = if at(side + 80) == 0 { height.saturating_add(y) } else { at(side + 80) };
    let place = |y: u64, z: u64| z.saturating_mul(rows).saturating_add(y).saturating_mul(pitch);
    let first = place(y, z).saturating_add(x);
    let last = place(y.saturating_add(height - 1), z.saturating_add(depth - 1)).saturating_add(x);
    let end = last.saturating_add(width);
    Some((at(side + 40).saturating_add(first), end.saturating_sub(first)))
}
