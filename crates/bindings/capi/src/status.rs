//! The result of a call: a status, a message, and never a panic.

use lanework_runtime::Error;
use lanework_runtime::emulator::FaultKind;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Incremented when the meaning of a function's arguments or a structure's fields changes.
const ABI_VERSION: u32 = 1;

/// Status of a call, numbered as `lanework_status` in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Status {
    BadArgument = 1,
    NoDevice = 2,
    BadPtx = 3,
    Unsupported = 4,
    NoMemory = 5,
    Refused = 6,
    Fault = 7,
    Driver = 8,
    Internal = 9,
}

/// The reason why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: Status,
    pub text: String,
}

impl Failure {
    /// The caller passed an invalid argument.
    pub fn argument(text: impl Into<String>) -> Failure {
        Failure { status: Status::BadArgument, text: text.into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        use lanework_runtime::emulator::MemoryError;
        let status = match &error {
            Error::Ptx(_) => Status::BadPtx,
            Error::Load(_) | Error::Unsupported { .. } => Status::Unsupported,
            Error::Fault(fault) if fault.kind == FaultKind::Unsupported => Status::Unsupported,
            Error::Memory(MemoryError::OutOfMemory { .. }) | Error::Size { .. } => Status::NoMemory,
            Error::Memory(_) => Status::BadArgument,
            Error::Device { .. } => Status::NoDevice,
            error if error.is_kernel_fault() => Status::Fault,
            Error::Cuda(_) => Status::Driver,
            _ => Status::Refused,
        };
        Failure { status, text: error.to_string() }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Stores the message of a failure for [`lanework_last_error`].
fn remember(text: String) {
    // A message has no zero bytes of its own, but may quote a string of the caller that has.
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // On a thread that is ending, the message cannot be read any more.
    let _ = LAST.try_with(|last| last.replace(text));
}

/// Runs the body of an exported function: a failure or a panic becomes a status and a message.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return 0,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let what = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let what = what.or_else(|| panic.downcast_ref::<String>().cloned());
            let what = what.unwrap_or_else(|| "no text".to_owned());
            Failure { status: Status::Internal, text: format!("a bug in Lanework: {what}") }
        }
    };
    remember(failure.text);
    failure.status as c_int
}

/// A C string as text; bytes that are not UTF-8 are replaced.
///
/// # Safety
/// `text` is null or points to a string that ends with a zero byte.
pub(crate) unsafe fn text(text: *const c_char, what: &str) -> Result<String, Failure> {
    if text.is_null() {
        return Err(Failure::argument(format!("{what} is NULL")));
    }
    // SAFETY: not null (checked above), so a string that ends with a zero byte, as this function requires.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// An output parameter.
///
/// # Safety
/// `out` is null or may be written until the call ends.
pub(crate) unsafe fn out<'a, T>(out: *mut T, what: &str) -> Result<&'a mut T, Failure> {
    if out.is_null() || !out.is_aligned() {
        return Err(Failure::argument(format!("{what} is NULL or not aligned")));
    }
    // SAFETY: not null and aligned (checked above), so writable until the call ends, as this function requires.
    Ok(unsafe { &mut *out })
}

/// The version of the library, such as `0.1.0`; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_version() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    TEXT.as_ptr().cast()
}

/// The version of the binary interface that the library has: `LANEWORK_ABI_VERSION` of its header.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_abi_version() -> u32 {
    ABI_VERSION
}

/// The message of this thread's last failed call; valid until the next failure.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        // SAFETY: the text ends with a zero byte and stays until the next failure.
        unsafe { CStr::from_ptr(lanework_last_error()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn panics_and_failures_become_statuses() {
        assert_eq!(guard(|| panic!("seven of {}", 9)), Status::Internal as c_int);
        assert_eq!(last(), "a bug in Lanework: seven of 9");
        assert_eq!(guard(|| Err(Failure::argument("a\0b"))), Status::BadArgument as c_int);
        assert_eq!(last(), "a b");
        assert_eq!(guard(|| Ok(())), 0);
        assert_eq!(last(), "a b", "a success keeps the message");
    }
}
