//! Arguments that C passes by pointer: places for results ([`Out`]), and values and arrays ([`In`]).
//!
//! Both are `repr(transparent)` pointers without a safe constructor. So each one comes from the caller of an exported
//! function. By the library's documentation, the caller passes null, or memory for the value that stays allocated
//! during the call. By that contract their methods are safe: they check for null and assume no alignment, and the
//! lifetime confines the pointer to the call.

use crate::failure::{Failure, FailureKind};
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
plain!(u8 i8 u32 i32 u64 i64 usize f32 f64);

// SAFETY: an array consists of its elements, which are `Plain`.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Checks at compile time that a `repr(C)` struct has the layout of its counterpart in NVIDIA's headers: size, alignment, and the offset of
/// every field. Implements [`Plain`] for it: `abi!(Config = 16, 8 { size: 0, magic: 8 });`.
#[macro_export]
macro_rules! abi {
    ($type:ident = $size:literal, $align:literal { $($field:ident: $offset:literal),* $(,)? }) => {
        const _: () = {
            assert!(size_of::<$type>() == $size, "another size than in C");
            assert!(align_of::<$type>() == $align, "another alignment than in C");
            $(assert!(std::mem::offset_of!($type, $field) == $offset, concat!("another offset than in C: ", stringify!($field)));)*
        };
        // The pattern names every field, and each must be `Plain`.
        const _: fn(&$type) = |value| {
            fn plain<T: $crate::Plain>(_: &T) {}
            let $type { $($field),* } = value;
            $(plain($field);)*
        };
        // SAFETY: `repr(C)`, every field is `Plain`, as checked above, and padding has no invalid bytes.
        unsafe impl $crate::Plain for $type {}
    };
}

/// Where a function stores a result: null, or memory for a `T`.
#[repr(transparent)]
pub struct Out<'call, T>(*mut T, PhantomData<&'call mut T>);

/// A value, or the first element of an array: null, or memory that holds it.
#[repr(transparent)]
pub struct In<'call, T>(*const T, PhantomData<&'call T>);

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

// SAFETY: like `&mut T`, this is a place for a `T`, which any thread may write.
unsafe impl<T: Send> Send for Out<'_, T> {}

impl<T> Out<'_, T> {
    /// # Safety
    /// `to` is null, or valid for writes of a `T` as long as the result is used.
    pub unsafe fn new(to: *mut T) -> Self {
        Out(to, PhantomData)
    }

    /// Whether the pointer is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address, for arguments that may be device memory.
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// Stores an optional result: the caller passes null if it does not want the result.
    pub fn store_optional(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: not null, so by the type's contract memory for a `T`; `write_unaligned` needs no alignment.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// The value of an object that the caller keeps in its own memory, or `None` for null.
    pub fn get(self) -> Option<T>
    where
        T: Plain,
    {
        In::<T>(self.0, PhantomData).get()
    }

    /// The same place for a function that stores its result after the call.
    ///
    /// # Safety
    /// The library's documentation obliges the program to keep the place until the result is stored.
    pub unsafe fn keep(self) -> Out<'static, T> {
        Out(self.0, PhantomData)
    }

    /// Element `index` of an array; null stays null.
    ///
    /// # Safety
    /// The array of the caller has more than `index` elements.
    pub unsafe fn at(self, index: usize) -> Self {
        if self.0.is_null() {
            return self;
        }
        // SAFETY: `index` is inside the array, by this function's contract.
        Out(unsafe { self.0.add(index) }, PhantomData)
    }
}

impl Out<'_, u8> {
    /// Writes bytes; null discards them.
    ///
    /// # Safety
    /// The buffer of the caller has at least as many bytes.
    pub unsafe fn write_bytes(self, bytes: &[u8]) {
        if !self.0.is_null() {
            // SAFETY: not null, so by this function's contract a buffer of the program with room for `bytes`, which are the stand-in's own.
            unsafe { self.0.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
    }
}

impl<'call, T: Plain> In<'call, T> {
    /// A null pointer.
    pub const NULL: Self = In(std::ptr::null(), PhantomData);

    /// Whether the pointer is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address, for arguments that may be device memory.
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// The value, or `None` for null.
    pub fn get(self) -> Option<T> {
        // SAFETY: not null, so by the type's contract it points to a `T`, for which any bits are valid;
        // `read_unaligned` needs no alignment.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// Copies `length` elements; `None` for null.
    ///
    /// # Safety
    /// The array of the caller has at least `length` elements.
    pub unsafe fn list(self, length: usize) -> Option<Vec<T>> {
        // SAFETY: not null, so by this function's contract an array of `length` elements; `read_unaligned` needs no alignment.
        let element = |index| unsafe { self.0.add(index).read_unaligned() };
        (!self.0.is_null()).then(|| (0..length).map(element).collect())
    }
}

impl<'call> In<'call, u8> {
    /// The byte `offset` bytes further; null stays null.
    ///
    /// # Safety
    /// The buffer of the caller has at least `offset` bytes.
    pub unsafe fn skip(self, offset: usize) -> Self {
        if self.0.is_null() {
            return self;
        }
        // SAFETY: at most one past the end of the buffer, by this function's contract.
        In(unsafe { self.0.add(offset) }, PhantomData)
    }

    /// Borrows `length` bytes; empty if the pointer is null.
    ///
    /// # Safety
    /// The buffer of the caller has at least `length` bytes, which do not change during the call.
    pub unsafe fn bytes(self, length: usize) -> &'call [u8] {
        match self.0.is_null() {
            true => &[],
            // SAFETY: not null, so by this function's contract `length` bytes that stay during `'call`; bytes need no alignment.
            false => unsafe { std::slice::from_raw_parts(self.0, length) },
        }
    }
}

/// Stores a result.
///
/// # Errors
/// If the pointer is null.
pub fn store<T, E: From<Failure>>(to: Out<'_, T>, value: T) -> Result<(), E> {
    if to.is_null() {
        return Err(Failure::new(FailureKind::Null, "a pointer for a result is null").into());
    }
    to.store_optional(value);
    Ok(())
}
