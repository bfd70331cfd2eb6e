//! Exports Rust functions to C: with C's calling convention, a status code, no unwinding into the caller, and a line
//! for `LANEWORK_TRACE`. Each use of [`api!`] lists its functions for [`crate::interface::procedures`].

use crate::status::{Result, Status};
use lanework::emulator::sanitize::ReportKind;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// A function's name and address.
pub type ExportedFunction = (&'static str, *const ());

/// Exports functions with C's calling convention, and lists them in `TABLE`.
macro_rules! api {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            #[unsafe(no_mangle)]
            #[doc = concat!("CUDA's `", stringify!($name), "`.")]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
                let arguments = || vec![$((stringify!($argument), $crate::status::ArgumentText::shown(&$argument))),*];
                $crate::api::call(stringify!($name), &arguments, || -> $crate::status::Result { $body })
            }
        )*

        /// The functions of this file.
        pub const TABLE: &[$crate::api::ExportedFunction] = &[$((stringify!($name), $name as *const ())),*];
    };
}
pub(crate) use api;

/// Names and values of a call's arguments, for messages.
pub type CallArguments<'a> = &'a dyn Fn() -> Vec<(&'static str, String)>;

/// Functions that run around each call after the driver has started.
pub struct Hooks {
    /// Refuses a call, given its name.
    pub check: fn(&str) -> Result,
    /// Called when a thread enters a call, and when it leaves it.
    pub around: Option<[fn(); 2]>,
    /// Called when a call has failed.
    pub failed: fn(&str, Status, CallArguments<'_>),
    /// Called when an operation faults outside of a kernel, with the kind of finding, the reason and a remedy.
    pub fault: fn(ReportKind, &str, &str),
}

/// The hooks, which the driver sets when it starts.
pub static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Runs the body of an exported function, unless a capture forbids the call.
pub fn call(
    name: &'static str,
    arguments: CallArguments<'_>,
    body: impl FnOnce() -> Result,
) -> i32 {
    let around = HOOKS.get().and_then(|hooks| hooks.around);
    around.inspect(|[enter, _]| enter());
    let checked = HOOKS.get().map_or(Ok(()), |hooks| (hooks.check)(name));
    let result = match checked {
        Ok(()) => catch_unwind(AssertUnwindSafe(body)),
        Err(status) => Ok(Err(status)),
    };
    let code = ended(name, arguments, result);
    around.inspect(|[_, leave]| leave());
    code
}

/// Converts a function's result to a code. Separate from [`call`], which is compiled once per function.
fn ended(name: &str, arguments: CallArguments<'_>, result: std::thread::Result<Result>) -> i32 {
    if let (Ok(Err(status)), Some(hooks)) = (&result, HOOKS.get()) {
        (hooks.failed)(name, *status, arguments);
    }
    // A panic is a bug of this crate. The state is behind locks, which remain usable.
    let code = match result {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => status as i32,
        Err(_) => Status::Unknown as i32,
    };
    if traces() {
        line(&format_args!("{name} = {code}"));
    }
    code
}

/// Whether `LANEWORK_TRACE` requests one line per call.
pub fn traces() -> bool {
    static TRACES: OnceLock<bool> = OnceLock::new();
    *TRACES.get_or_init(|| {
        std::env::var_os("LANEWORK_TRACE").is_some_and(|value| !value.is_empty() && value != "0")
    })
}

/// Reports why a call is refused, because users cannot see the reason in a status.
pub fn warn(what: &str, why: &dyn std::fmt::Display) {
    line(&format_args!("{what}: {why}"));
}

/// Reports an operation of the program that faults outside of a kernel.
pub fn fault(why: &str, help: &str) {
    warn(why, &help);
    find(ReportKind::UseAfterFree, why, help);
}

/// Records a finding about an operation, without the warning of [`fault`]: on a GPU the operation
/// does no harm.
pub fn find(kind: ReportKind, why: &str, help: &str) {
    if let Some(hooks) = HOOKS.get() {
        (hooks.fault)(kind, why, help);
    }
}

/// Writes a line to standard error. Ignores errors such as a closed pipe.
pub fn line(text: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "lanework: {text}");
}
