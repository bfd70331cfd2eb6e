//! What every call does: no unwinding into the caller, a sentence for what fails, and a line for `LANEWORK_TRACE`.

use crate::status::{Failure, Result, Status, refuse};
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// The last failure of this thread, for `ncclGetLastError`.
    static LAST: RefCell<CString> = RefCell::default();
}

/// Runs a call.
pub fn call(name: &str, body: impl FnOnce() -> Result) -> i32 {
    let code = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => tell(name, &failure),
        Err(_) => Status::Internal as i32,
    };
    if traces() {
        line(&format_args!("{name} = {code}"));
    }
    code
}

/// Says why a call failed, where the program's output is, and keeps it for `ncclGetLastError`.
pub fn tell(name: &str, failure: &Failure) -> i32 {
    line(&format_args!("NCCL's stand-in: {name}: {}", failure.why));
    // Not kept where the thread is about to end.
    let _ = LAST.try_with(|last| {
        *last.borrow_mut() = CString::new(failure.why.replace('\0', " ")).unwrap_or_default();
    });
    failure.status as i32
}

/// Writes a line where the program's errors go. Where it cannot be written, the program goes on.
pub fn line(text: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "lanework: {text}");
}

/// The last failure of this thread; it stays until the next one.
pub fn last() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Whether `LANEWORK_TRACE` asks for a line for each call.
pub fn traces() -> bool {
    std::env::var_os("LANEWORK_TRACE").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Functions of NCCL as C sees them.
macro_rules! calls {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        #[doc = concat!("NCCL's `", stringify!($name), "`.")]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            $crate::call::call(stringify!($name), || -> $crate::status::Result { $body })
        }
    )*};
}
pub(crate) use calls;

/// Stores a value where C wants it.
///
/// # Errors
/// When the pointer is null.
///
/// # Safety
/// The pointer is null or valid.
pub unsafe fn store<T>(to: *mut T, value: T) -> Result {
    if to.is_null() {
        return refuse(Status::InvalidArgument, "a pointer for a result is null");
    }
    // SAFETY: by the caller.
    unsafe { to.write_unaligned(value) };
    Ok(())
}
