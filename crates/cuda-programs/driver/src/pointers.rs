//! What C passes by pointer: results, texts and arrays.

use crate::memory::mapped::{Access, is_mapped};
use crate::status::{Result, Status};
use std::ffi::{CStr, c_char};

/// Stores a result.
///
/// # Safety
/// `to` is null, which is refused, or valid for a write.
pub unsafe fn store<T>(to: *mut T, value: T) -> Result {
    if to.is_null() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: by the caller.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// As [`store`], where null means that the caller does not want it.
///
/// # Safety
/// As [`store`].
pub unsafe fn offer<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: by the caller.
        unsafe { to.write_unaligned(value) };
    }
}

/// A text.
///
/// # Safety
/// `from` is null, which is refused, or ends with a zero byte.
pub unsafe fn text<'a>(from: *const c_char) -> Result<&'a str> {
    if from.is_null() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: by the caller.
    unsafe { CStr::from_ptr(from) }.to_str().map_err(|_| Status::InvalidValue)
}

/// An array of `length` elements; empty where the pointer is null. A length that memory does not have is refused.
///
/// # Safety
/// A pointer that is not null is valid for reads of as many elements as memory has there, up to `length`.
pub unsafe fn slice<'a, T>(from: *const T, length: usize) -> Result<&'a [T]> {
    if from.is_null() || length == 0 {
        return Ok(&[]);
    }
    let bytes = length.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
    let bytes = bytes.ok_or(Status::InvalidValue)?;
    if !from.is_aligned() || !is_mapped(from as u64, bytes, Access::Read) {
        return Err(Status::InvalidValue);
    }
    // SAFETY: by the caller.
    Ok(unsafe { std::slice::from_raw_parts(from, length) })
}

/// Writes a text and its zero byte to `length` bytes, cut where it is longer.
///
/// # Safety
/// `to` is null, which is refused, or valid for `length` writes.
pub unsafe fn write_text(to: *mut c_char, length: usize, text: &str) -> Result {
    if to.is_null() || length == 0 {
        return Err(Status::InvalidValue);
    }
    let bytes = &text.as_bytes()[..text.len().min(length - 1)];
    // SAFETY: by the caller; at most `length` bytes are written.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), to, bytes.len());
        to.add(bytes.len()).write(0);
    }
    Ok(())
}
