//! Common behavior of all exported functions: no unwinding into C, return codes, and tracing with `LANEWORK_TRACE`.

use crate::failure::{Failure, FailureKind};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

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

#[cfg(test)]
mod tests {
    use super::{Answer, call};
    use crate::failure::{Failure, FailureKind};
    use crate::pointers::{Out, store};

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
