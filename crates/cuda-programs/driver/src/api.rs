//! How a Rust function becomes one of the driver's: C's calling convention, a status code, no unwinding into the caller, and a line for
//! `LANEWORK_TRACE`. Each use of [`api!`] lists its functions for [`crate::interface::procedures`].

use crate::status::Result;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// A function by its name.
pub type ExportedFunction = (&'static str, *const ());

/// Functions of the driver, as C sees them; `TABLE` lists them.
macro_rules! api {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            #[unsafe(no_mangle)]
            #[doc = concat!("CUDA's `", stringify!($name), "`.")]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
                $crate::api::call(stringify!($name), || -> $crate::status::Result { $body })
            }
        )*

        /// The functions of this file.
        pub const TABLE: &[$crate::api::ExportedFunction] = &[$((stringify!($name), $name as *const ())),*];
    };
}
pub(crate) use api;

/// Runs a function of the driver.
pub fn call(name: &'static str, body: impl FnOnce() -> Result) -> i32 {
    ended(name, catch_unwind(AssertUnwindSafe(body)))
}

/// The status of a function that ended so; apart from [`call`], which is compiled for each function.
fn ended(name: &str, result: std::thread::Result<Result>) -> i32 {
    // A panic is an error of this library; whatever it held is not used again without its lock.
    let code = match result {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => status as i32,
        Err(_) => crate::status::Status::Unknown as i32,
    };
    if traces() {
        line(&format_args!("{name} = {code}"));
    }
    code
}

/// Whether `LANEWORK_TRACE` asks for a line for each call.
pub fn traces() -> bool {
    static TRACES: OnceLock<bool> = OnceLock::new();
    *TRACES.get_or_init(|| {
        std::env::var_os("LANEWORK_TRACE").is_some_and(|value| !value.is_empty() && value != "0")
    })
}

/// Says why something was refused, where the program's output is: a status alone tells nobody what to do.
pub fn warn(what: &str, why: &dyn std::fmt::Display) {
    line(&format_args!("{what}: {why}"));
}

/// Writes a line where the program's errors go. Where it cannot be written, the program goes on.
pub fn line(text: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "lanework: {text}");
}
