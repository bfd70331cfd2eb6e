//! Arguments that C passes by pointer: results ([`Out`]), values and arrays ([`In`]), and strings ([`Text`]).
//!
//! These types are `repr(transparent)` pointers without a safe constructor except for null. So each one comes from the
//! caller of an exported function. By CUDA's documentation, the caller passes null, or memory for the value that stays
//! allocated during the call. By that contract their methods are safe: they check for null and assume no alignment,
//! and the lifetime confines the pointer to the call.

use crate::memory::{Access, is_mapped};
use crate::status::{ArgumentText, Result, Status};
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;

/// Types that C may pass by pointer.
///
/// # Safety
/// Every bit pattern must be valid for the type.
pub unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty)*) => {
        // SAFETY: numbers have no invalid bit pattern.
        $(unsafe impl Plain for $type {})*
    };
}
plain!(u8 i8 u16 i16 u32 i32 u64 i64 usize isize f32 f64);

// SAFETY: raw pointers may hold any address; copying them does not read the memory that they point to.
unsafe impl<T> Plain for *const T {}
// SAFETY: as for `*const T`: any address is valid.
unsafe impl<T> Plain for *mut T {}
// SAFETY: an array consists of its elements, which are `Plain`.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Checks at compile time that a `repr(C)` struct has the layout of its counterpart in CUDA's headers: size, alignment, and the offset of
/// every field. The figures are `sizeof`, `_Alignof` and `offsetof` of the headers of CUDA 13.5 (`cuda.h`, `nvml.h`) under GCC on x86-64.
macro_rules! abi {
    ($type:ident = $size:literal, $align:literal { $($field:ident: $offset:literal),* $(,)? }) => {
        const _: () = {
            assert!(size_of::<$type>() == $size, "another size than in C");
            assert!(align_of::<$type>() == $align, "another alignment than in C");
            $(assert!(std::mem::offset_of!($type, $field) == $offset, concat!("another offset than in C: ", stringify!($field)));)*
        };
        // The pattern names every field, and each must be `Plain`.
        const _: fn(&$type) = |value| {
            fn plain<T: $crate::pointers::Plain>(_: &T) {}
            let $type { $($field),* } = value;
            $(plain($field);)*
        };
        // SAFETY: `repr(C)`, every field is `Plain`, as checked above, and padding has no invalid bytes.
        unsafe impl $crate::pointers::Plain for $type {}
    };
}
pub(crate) use abi;

/// Where a function stores a result: null, or memory for a `T`.
#[repr(transparent)]
pub struct Out<'call, T>(*mut T, PhantomData<&'call mut T>);

/// A value, or the first element of an array: null, or memory that holds it.
#[repr(transparent)]
pub struct In<'call, T>(*const T, PhantomData<&'call T>);

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

impl<T> Clone for Out<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<'_, T> {}

impl<T> Clone for In<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<'_, T> {}

impl<'call, T> Out<'call, T> {
    pub const NULL: Self = Out(std::ptr::null_mut(), PhantomData);

    /// # Safety
    /// `to` is null, or valid during `'call` as the caller of an exported function promised.
    pub unsafe fn new(to: *mut T) -> Self {
        Out(to, PhantomData)
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub fn as_ptr(self) -> *mut T {
        self.0
    }

    /// Stores a result. Null is refused.
    pub fn store(self, value: T) -> Result {
        if self.0.is_null() {
            return Err(Status::InvalidValue);
        }
        self.store_optional(value);
        Ok(())
    }

    /// Stores an optional result: the caller passes null if it does not want the result.
    pub fn store_optional(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: not null, so by the type's contract memory for a `T`; `write_unaligned` needs no alignment.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// Reads a parameter that C passes in both directions. Null is refused.
    pub fn get(self) -> Result<T>
    where
        T: Plain,
    {
        In::<T>(self.0, PhantomData).get()
    }

    /// The same location, read-only.
    pub fn as_input(self) -> In<'call, T> {
        In(self.0, PhantomData)
    }

    /// The same location for another type.
    ///
    /// # Safety
    /// The caller of the exported function promised memory for a `U`.
    pub unsafe fn cast<U>(self) -> Out<'call, U> {
        Out(self.0.cast(), PhantomData)
    }

    /// Element `index` of an array; null stays null.
    ///
    /// # Safety
    /// The array that the caller promised has more than `index` elements.
    pub unsafe fn at(self, index: usize) -> Self {
        if self.0.is_null() {
            return self;
        }
        // SAFETY: `index` is inside the array, by this function's contract.
        Out(unsafe { self.0.add(index) }, PhantomData)
    }
}

impl<'call, T: Plain> In<'call, T> {
    pub const NULL: Self = In(std::ptr::null(), PhantomData);

    /// # Safety
    /// `from` is null, or valid during `'call` as the caller of an exported function promised.
    pub unsafe fn new(from: *const T) -> Self {
        In(from, PhantomData)
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub fn as_ptr(self) -> *const T {
        self.0
    }

    /// The value. Null is refused.
    pub fn get(self) -> Result<T> {
        self.find().ok_or(Status::InvalidValue)
    }

    /// The value, or `None` for null.
    pub fn find(self) -> Option<T> {
        // SAFETY: not null, so by the type's contract memory that holds a `T`, for which any bits are valid; `read_unaligned`
        // needs no alignment.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// Element `index` of an array; null stays null.
    ///
    /// # Safety
    /// The array that the caller promised has more than `index` elements.
    pub unsafe fn at(self, index: usize) -> Self {
        if self.0.is_null() {
            return self;
        }
        // SAFETY: `index` is inside the array, by this function's contract.
        In(unsafe { self.0.add(index) }, PhantomData)
    }

    /// Copies `length` elements; empty if the pointer is null. Unmapped memory is refused.
    pub fn list(self, length: usize) -> Result<Vec<T>> {
        if self.0.is_null() || length == 0 {
            return Ok(Vec::new());
        }
        let bytes = length.checked_mul(size_of::<T>()).ok_or(Status::InvalidValue)?;
        if !is_mapped(self.0 as u64, bytes, Access::Read) {
            return Err(Status::InvalidValue);
        }
        // SAFETY: all bytes are mapped and readable, and any bytes are a valid `T`; `read_unaligned` needs no alignment.
        Ok((0..length).map(|index| unsafe { self.0.add(index).read_unaligned() }).collect())
    }

    /// Borrows `length` elements; empty if the pointer is null. Unaligned pointers and unmapped memory are refused.
    ///
    /// # Safety
    /// `length` is the length that the caller passed with this array.
    pub unsafe fn slice(self, length: usize) -> Result<&'call [T]> {
        if self.0.is_null() || length == 0 {
            return Ok(&[]);
        }
        let bytes =
            length.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
        let bytes = bytes.ok_or(Status::InvalidValue)?;
        if !self.0.is_aligned() || !is_mapped(self.0 as u64, bytes, Access::Read) {
            return Err(Status::InvalidValue);
        }
        // SAFETY: aligned, mapped, at most `isize::MAX` bytes; the caller promised `length` elements that stay valid
        // during the call.
        Ok(unsafe { std::slice::from_raw_parts(self.0, length) })
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
