//! The boundary between C and a stand-in: failures and status codes, the common behavior of exported functions (no unwinding
//! into C, return codes, tracing with `LANEWORK_TRACE`), and arguments that C passes by pointer.
//!
//! A status code carries no message, so messages go to standard error.
//!
//! An argument is a place for results ([`Out`]), or a value or an array ([`In`]). Both are `repr(transparent)` pointers
//! without a safe constructor. So each one comes from the caller of an exported function. By the library's documentation,
//! the caller passes null, or memory for the value that stays allocated during the call. By that contract their methods are
//! safe: they check for null and assume no alignment, and the lifetime confines the pointer to the call.

use std::io::Write;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// There is no driver, or it is not the emulator's.
    NoEmulator,
    /// Null pointer for a result.
    Null,
    /// Memory that is not allocated on a device.
    Memory,
    /// Out of device memory.
    Allocation,
    /// No device with this number.
    Device,
    /// An error of the driver.
    Driver,
    /// A panic: a bug in the stand-in.
    Panic,
}

/// A failure.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Kind of the failure.
    pub kind: FailureKind,
    /// Description.
    pub why: String,
}

impl Failure {
    /// Creates a failure.
    pub(crate) fn new(kind: FailureKind, why: impl Into<String>) -> Failure {
        Failure { kind, why: why.into() }
    }
}

/// Result of functions in this crate.
pub(crate) type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// Returns a failure.
pub(crate) fn fail<T>(kind: FailureKind, why: impl Into<String>) -> Result<T> {
    Err(Failure::new(kind, why))
}

/// A library's status code.
pub trait Status: Sized {
    /// Name of the library.
    const LIBRARY: &'static str;
    /// Help text for accesses outside of allocations.
    const MEMORY_ADVICE: &'static str;

    /// The status for a common failure.
    fn of(kind: FailureKind) -> Self;
}

/// Returns a status and reports why.
///
/// # Errors
/// Always returns the status.
pub fn refuse<T, S: Status>(status: S, why: &str) -> Result<T, S> {
    line(&format_args!("{}'s stand-in: {why}", S::LIBRARY));
    Err(status)
}

/// Reports a failure, and returns its status.
pub fn said<S: Status>(failure: Failure) -> S {
    let (library, why) = (S::LIBRARY, failure.why);
    match failure.kind {
        FailureKind::Memory => {
            line(&format_args!("{library}'s stand-in: {why}; {}", S::MEMORY_ADVICE))
        }
        _ => line(&format_args!("{library}'s stand-in: {why}")),
    }
    S::of(failure.kind)
}

/// Declares `Status`, a library's status codes other than success, and `Result`: its name, the C type of its statuses, the
/// help text for accesses outside of allocations, the codes, and the status for each [`FailureKind`].
#[macro_export]
macro_rules! statuses {
    ($library:literal, $codes:literal, $advice:literal; $($status:ident = $code:literal)*; $($kind:ident)* => $($of:ident)*) => {
        #[doc = concat!("`", $codes, "`, other than success.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub(crate) enum Status {
            $($status = $code),*
        }

        /// Result of a call.
        pub(crate) type Result<T = ()> = std::result::Result<T, Status>;

        impl $crate::Status for Status {
            const LIBRARY: &'static str = $library;
            const MEMORY_ADVICE: &'static str = $advice;

            fn of(kind: $crate::FailureKind) -> Status {
                match kind {
                    $($crate::FailureKind::$kind => Status::$of),*
                }
            }
        }

        impl From<$crate::Failure> for Status {
            fn from(failure: $crate::Failure) -> Status {
                $crate::said(failure)
            }
        }

        impl $crate::Answer for Status {
            fn code(self, _name: &str) -> i32 {
                self as i32
            }
        }
    };
}

/// An error of a library call.
pub trait Answer: From<Failure> {
    /// Reports the error for the call `name`, and returns its code.
    fn code(self, name: &str) -> i32;
}

/// Runs the body of an exported function.
pub fn call<E: Answer>(name: &str, body: impl FnOnce() -> Result<(), E>) -> i32 {
    let code = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => error.code(name),
        Err(_) => {
            let why = format!("{name} panicked: a bug in the stand-in");
            E::from(Failure::new(FailureKind::Panic, why)).code(name)
        }
    };
    if traces() {
        line(&format_args!("{name} = {code}"));
    }
    code
}

/// Whether `LANEWORK_TRACE` requests one line per call.
pub fn traces() -> bool {
    std::env::var_os("LANEWORK_TRACE").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Writes a line to standard error. Ignores errors such as a closed pipe.
pub fn line(text: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "lanework: {text}");
}

/// Exports functions of a library: `calls! { "cuBLAS", Status; fn cublasDestroy(handle: usize) { .. } .. }`.
#[macro_export]
macro_rules! calls {
    ($library:literal, $error:ty; $(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        #[doc = concat!($library, "'s `", stringify!($name), "`.")]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            $crate::call(stringify!($name), || -> std::result::Result<(), $error> { $body })
        }
    )*};
}

/// Exports functions that the stand-in does not implement. Each reports why and returns an error. Takes the library's
/// name, how the library fails with a status, then the functions grouped by reason.
#[macro_export]
macro_rules! unsupported {
    ($library:literal, $refuse:path, $status:expr; $($why:literal: $($name:ident)*;)*) => {$($(
        #[unsafe(no_mangle)]
        #[doc = concat!($library, "'s `", stringify!($name), "`, which is not implemented.")]
        pub extern "C" fn $name() -> i32 {
            $crate::call(stringify!($name), || $refuse($status, concat!(stringify!($name), " is not implemented: ", $why)))
        }
    )*)*};
}

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

// SAFETY: null is `None`, and any other address is a valid bit pattern of a function pointer; calling it is unsafe.
unsafe impl Plain for Option<unsafe extern "C" fn(*mut std::ffi::c_void)> {}
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

impl<'call, T> Out<'call, T> {
    /// A null pointer.
    pub const NULL: Self = Out(std::ptr::null_mut(), PhantomData);

    /// # Safety
    /// `to` is null, or valid for writes of a `T` as long as the result is used.
    pub unsafe fn new(to: *mut T) -> Self {
        Out(to, PhantomData)
    }

    /// The pointer.
    pub fn as_ptr(self) -> *mut T {
        self.0
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
    pub fn find(self) -> Option<T>
    where
        T: Plain,
    {
        self.as_input().find()
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

    /// # Safety
    /// `from` is null, or valid for reads of a `T` as long as it is used.
    pub unsafe fn new(from: *const T) -> Self {
        In(from, PhantomData)
    }

    /// The pointer.
    pub fn as_ptr(self) -> *const T {
        self.0
    }

    /// Whether the pointer is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address, for arguments that may be device memory.
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// The value, or `None` for null.
    pub fn find(self) -> Option<T> {
        // SAFETY: not null, so by the type's contract it points to a `T`, for which any bits are valid;
        // `read_unaligned` needs no alignment.
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
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
        In(unsafe { self.0.add(index) }, PhantomData)
    }

    /// Copies `length` elements; `None` for null.
    ///
    /// # Safety
    /// The array of the caller has at least `length` elements.
    pub unsafe fn array(self, length: usize) -> Option<Vec<T>> {
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

#[cfg(test)]
mod tests {
    use super::{Answer, Failure, FailureKind, Out, Result, call, store};

    #[derive(Debug)]
    struct Error(FailureKind);

    impl From<Failure> for Error {
        fn from(failure: Failure) -> Error {
            Error(failure.kind)
        }
    }

    impl Answer for Error {
        fn code(self, name: &str) -> i32 {
            assert_eq!(name, "it");
            self.0 as i32 + 100
        }
    }

    fn code(body: impl FnOnce() -> Result<(), Error>) -> i32 {
        call("it", body)
    }

    #[test]
    fn a_call_returns_zero_or_the_code_of_its_error() {
        let mut place = 0;
        // SAFETY: `place` outlives both, and null is allowed.
        let (valid, null) = unsafe { (Out::new(&mut place), Out::new(std::ptr::null_mut())) };
        assert_eq!(code(|| store(valid, 7)), 0);
        assert_eq!(code(|| store(null, 7)), FailureKind::Null as i32 + 100);
        assert_eq!(place, 7);
    }

    #[test]
    fn a_panic_becomes_a_code() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        let code = code(|| panic!("planted"));
        std::panic::set_hook(hook);
        assert_eq!(code, FailureKind::Panic as i32 + 100);
    }
}
