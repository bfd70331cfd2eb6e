//! Arguments that C passes by pointer: results ([`Out`]), values and arrays ([`In`]), and strings ([`Text`]).
//!
//! The structs that cross the API are checked against `sizeof`, `_Alignof` and `offsetof` of the headers of CUDA 13.5 (`cuda.h`,
//! `nvml.h`) under GCC on x86-64.

use crate::memory::{Access, is_mapped};
use crate::status::{ArgumentText, Result, Status};
pub use lanework_standin::{In, Out, Plain, abi};
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;

/// An address of device memory or program memory, passed to a stream operation such as a copy. CUDA requires the
/// program to keep the memory allocated until the operation is done. Has no safe constructor except for null; inside a
/// struct, it comes from the caller's struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Address(u64);

// SAFETY: `repr(transparent)` around a number.
unsafe impl Plain for Address {}

impl Address {
    pub const NULL: Self = Address(0);

    pub fn get(self) -> u64 {
        self.0
    }
}

/// A zero-terminated string, or null.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Text<'call>(*const c_char, PhantomData<&'call c_char>);

/// Access to results, with errors of the driver.
pub trait ResultAccess<T> {
    /// Stores a result. Null is refused.
    fn store(self, value: T) -> Result;

    /// Reads a parameter that C passes in both directions. Null is refused.
    fn get(self) -> Result<T>
    where
        T: Plain;
}

impl<T> ResultAccess<T> for Out<'_, T> {
    fn store(self, value: T) -> Result {
        if self.is_null() {
            return Err(Status::InvalidValue);
        }
        self.store_optional(value);
        Ok(())
    }

    fn get(self) -> Result<T>
    where
        T: Plain,
    {
        self.as_input().get()
    }
}

/// Access to values and arrays, with errors of the driver.
pub trait Inputs<'call, T>: Sized {
    /// The value. Null is refused.
    fn get(self) -> Result<T>;

    /// Copies `length` elements; empty if the pointer is null. Unmapped memory is refused.
    fn list(self, length: usize) -> Result<Vec<T>>;

    /// Borrows `length` elements; empty if the pointer is null. Unaligned pointers and unmapped memory are refused.
    ///
    /// # Safety
    /// `length` is the length that the caller passed with this array.
    unsafe fn slice(self, length: usize) -> Result<&'call [T]>;
}

impl<'call, T: Plain> Inputs<'call, T> for In<'call, T> {
    fn get(self) -> Result<T> {
        self.find().ok_or(Status::InvalidValue)
    }

    fn list(self, length: usize) -> Result<Vec<T>> {
        if self.is_null() || length == 0 {
            return Ok(Vec::new());
        }
        let bytes = length.checked_mul(size_of::<T>()).ok_or(Status::InvalidValue)?;
        if !is_mapped(self.as_ptr() as u64, bytes, Access::Read) {
            return Err(Status::InvalidValue);
        }
        // SAFETY: all bytes are mapped and readable.
        Ok(unsafe { self.array(length) }.unwrap_or_default())
    }

    unsafe fn slice(self, length: usize) -> Result<&'call [T]> {
        if self.is_null() || length == 0 {
            return Ok(&[]);
        }
        let bytes =
            length.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
        let bytes = bytes.ok_or(Status::InvalidValue)?;
        let at = self.as_ptr();
        if !at.is_aligned() || !is_mapped(at as u64, bytes, Access::Read) {
            return Err(Status::InvalidValue);
        }
        // SAFETY: aligned, mapped, at most `isize::MAX` bytes; the caller promised `length` elements that stay valid
        // during the call.
        Ok(unsafe { std::slice::from_raw_parts(at, length) })
    }
}

impl<'call> Text<'call> {
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The string. Null and invalid UTF-8 are refused.
    pub fn get(self) -> Result<&'call str> {
        if self.0.is_null() {
            return Err(Status::InvalidValue);
        }
        // SAFETY: not null, so by the type's contract it ends with a zero byte and stays valid during the call.
        unsafe { CStr::from_ptr(self.0) }.to_str().map_err(|_| Status::InvalidValue)
    }
}

/// Writes a zero-terminated string, truncated to `length` bytes. Null and a length of 0 are refused.
///
/// # Safety
/// `to` is null, or valid for `length` writes.
pub unsafe fn write_text(to: *mut c_char, length: usize, text: &str) -> Result {
    if to.is_null() || length == 0 {
        return Err(Status::InvalidValue);
    }
    let bytes = &text.as_bytes()[..text.len().min(length - 1)];
    // SAFETY: `to` is not null, and `bytes.len() + 1 <= length` bytes are written, for which it is valid.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), to, bytes.len());
        to.add(bytes.len()).write(0);
    }
    Ok(())
}

/// Handles and addresses in hexadecimal, sizes in decimal.
fn word(value: u64) -> String {
    if value < 0x1000_0000 { value.to_string() } else { format!("{value:#x}") }
}

impl ArgumentText for u64 {
    fn shown(&self) -> String {
        word(*self)
    }
}

impl ArgumentText for usize {
    fn shown(&self) -> String {
        self.to_string()
    }
}

impl ArgumentText for Address {
    fn shown(&self) -> String {
        word(self.get())
    }
}

impl<T> ArgumentText for *const T {
    fn shown(&self) -> String {
        word(*self as u64)
    }
}

impl<T> ArgumentText for *mut T {
    fn shown(&self) -> String {
        word(*self as u64)
    }
}

impl<T> ArgumentText for Option<T> {
    fn shown(&self) -> String {
        if self.is_some() { "a function".to_owned() } else { "0".to_owned() }
    }
}

impl<T> ArgumentText for Out<'_, T> {
    fn shown(&self) -> String {
        word(self.as_ptr() as u64)
    }
}

impl<T: Plain> ArgumentText for In<'_, T> {
    fn shown(&self) -> String {
        word(self.as_ptr() as u64)
    }
}

impl ArgumentText for Text<'_> {
    fn shown(&self) -> String {
        self.get().map_or_else(|_| "0".to_owned(), |text| format!("{text:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_shown_as_numbers_and_addresses() {
        assert_eq!(1024usize.shown(), "1024");
        assert_eq!(0x7f00_0000_0000u64.shown(), "0x7f0000000000");
        assert_eq!(None::<fn()>.shown(), "0");
    }
}
