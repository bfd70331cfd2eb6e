//! Settings for core dumps (`CUcoredumpSettings`). Programs can set them and read them back, but no dump is written:
//! faults are reported with their source line when they happen, and a program that requests a dump gets an error.

use crate::api::{api, warn};
use crate::pointers::*;
use crate::state::{driver, lock};
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;

/// Dump when a kernel fails.
const ON_EXCEPTION: i32 = 1;
/// Numbers of settings: strings, and a word of flags. The others are booleans.
const FILE: i32 = 5;
const PIPE: i32 = 6;
const FLAGS: i32 = 7;
/// Maximum length of a string, in bytes.
const LONGEST: usize = 1024;

/// Settings changed by the program, as bytes.
static SET: Mutex<BTreeMap<i32, Vec<u8>>> = Mutex::new(BTreeMap::new());

/// Value of a setting. By default only setting 2 is on: the process dumps together with the device.
fn value(setting: i32) -> Result<Vec<u8>> {
    let fresh = match setting {
        1 | 3 | 4 => vec![0],
        2 => vec![1],
        FILE | PIPE => Vec::new(),
        FLAGS => vec![0; 4],
        _ => return Err(Status::InvalidValue),
    };
    Ok(lock(&SET).get(&setting).cloned().unwrap_or(fresh))
}

/// Stores a setting and its size.
///
/// # Safety
/// `to` is null or has at least `size` bytes.
unsafe fn get(setting: i32, to: *mut c_void, size: Out<'_, usize>) -> Result {
    driver()?;
    let value = value(setting)?;
    let room = size.get()?;
    if !to.is_null() {
        let count = value.len().min(room);
        // SAFETY: `to` is not null and has `room` bytes; `count <= room` are written.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(value.as_ptr(), count) };
        if matches!(setting, FILE | PIPE) && count < room {
            // SAFETY: `count` is less than `room`.
            unsafe { to.cast::<u8>().add(count).write(0) };
        }
    }
    size.store(value.len())
}

/// Changes a setting.
///
/// # Safety
/// `from` is null or has at least `size` bytes.
unsafe fn set(setting: i32, from: *const c_void, size: In<'_, usize>) -> Result {
    driver()?;
    let least = value(setting)?.len();
    let bytes = size.get()?;
    if from.is_null() || bytes < least.min(4) || bytes > LONGEST {
        return Err(Status::InvalidValue);
    }
    let wanted = if matches!(setting, FILE | PIPE) { bytes } else { least };
    // SAFETY: `from` is not null and has `bytes` bytes (contract of this function). `wanted` is not
    // larger: settings of a fixed size have 1 or 4 bytes, which `bytes` was compared with.
    let mut given = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), wanted) }.to_vec();
    if matches!(setting, FILE | PIPE) {
        given.truncate(given.iter().position(|&byte| byte == 0).unwrap_or(given.len()));
    }
    if setting == ON_EXCEPTION && given != [0] {
        warn(
            "no core dump is written",
            &"a fault of a kernel is reported with its source line; run with `lanework exec --check` for more",
        );
        return Err(Status::NotSupported);
    }
    lock(&SET).insert(setting, given);
    Ok(())
}

api! {
    fn cuCoredumpGetAttribute(setting: i32, to: *mut c_void, size: Out<'_, usize>) {
        // SAFETY: the caller passed `to` with room for as many bytes as `size` says.
        unsafe { get(setting, to, size) }
    }

    fn cuCoredumpGetAttributeGlobal(setting: i32, to: *mut c_void, size: Out<'_, usize>) {
        // SAFETY: the caller passed `to` with room for as many bytes as `size` says.
        unsafe { get(setting, to, size) }
    }

    fn cuCoredumpSetAttribute(setting: i32, from: *const c_void, size: In<'_, usize>) {
        // SAFETY: the caller passed `from` with as many bytes as `size` says.
        unsafe { set(setting, from, size) }
    }

    fn cuCoredumpSetAttributeGlobal(setting: i32, from: *const c_void, size: In<'_, usize>) {
        // SAFETY: the caller passed `from` with as many bytes as `size` says.
        unsafe { set(setting, from, size) }
    }
}
