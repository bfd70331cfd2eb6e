//! What every C function of a stand-in does: no unwinding into the caller, the code of what failed, and a line for `LANEWORK_TRACE`.

use crate::failure::{Failure, Kind};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a call of a library failed.
pub trait Answer: From<Failure> {
    /// The code that C gets from the call of this name, once all was said that there is to say.
    fn code(self, name: &str) -> i32;
}

/// Runs a call.
pub fn call<E: Answer>(name: &str, body: impl FnOnce() -> Result<(), E>) -> i32 {
    let code = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => error.code(name),
        Err(_) => {
            let why = format!("{name} panicked, which is an error of the stand-in");
            E::from(Failure::new(Kind::Panic, why)).code(name)
        }
    };
    if traces() {
        line(&format_args!("{name} = {code}"));
    }
    code
}

/// Whether `LANEWORK_TRACE` asks for a line for each call.
pub fn traces() -> bool {
    std::env::var_os("LANEWORK_TRACE").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Writes a line where the program's errors go. Where it cannot be written, the program goes on.
pub fn line(text: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "lanework: {text}");
}

/// Stores a value where C wants it.
///
/// # Errors
/// When the pointer is null.
///
/// # Safety
/// The pointer is null or valid.
pub unsafe fn store<T, E: From<Failure>>(to: *mut T, value: T) -> Result<(), E> {
    if to.is_null() {
        return Err(Failure::new(Kind::Null, "a pointer for a result is null").into());
    }
    // SAFETY: by the caller.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Functions of a library as C sees them: `calls! { "cuBLAS", Status; fn cublasDestroy(handle: usize) { .. } .. }`.
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

/// Functions that a library has and its stand-in does not compute: each says so, with what to do instead, and answers a status. The library's
/// name, how it refuses with that status, then functions by the reason.
#[macro_export]
macro_rules! unsupported {
    ($library:literal, $refuse:path, $status:expr; $($why:literal: $($name:ident)*;)*) => {$($(
        #[unsafe(no_mangle)]
        #[doc = concat!($library, "'s `", stringify!($name), "`, which is not computed.")]
        pub extern "C" fn $name() -> i32 {
            $crate::call(stringify!($name), || $refuse($status, concat!(stringify!($name), " is not computed: ", $why)))
        }
    )*)*};
}

#[cfg(test)]
mod tests {
    use super::{Answer, call, store};
    use crate::failure::{Failure, Kind};

    #[derive(Debug)]
    struct Error(Kind);

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
    fn a_call_answers_zero_or_the_code_of_what_failed() {
        let mut place = 0;
        // SAFETY: a valid pointer, and none.
        unsafe {
            assert_eq!(code(|| store(&mut place, 7)), 0);
            assert_eq!(code(|| store(std::ptr::null_mut(), 7)), Kind::Null as i32 + 100);
        }
        assert_eq!(place, 7);
    }

    #[test]
    fn a_panic_is_a_code() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        let code = code(|| panic!("planted"));
        std::panic::set_hook(hook);
        assert_eq!(code, Kind::Panic as i32 + 100);
    }
}
