//! Places in a program that call the driver or access memory: on the stack of compiled code, or in interpreted host code,
//! which has no stack of its own.

use crate::interface::caller::Caller;
use lanework::emulator::SourceLocation;
use lanework::ptx::cpp_names::CppName;
use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::sync::Arc;

/// The place of a call, which is looked up only for a finding.
#[derive(Clone, Debug)]
pub enum CallSite {
    /// In compiled code.
    Stack(Arc<Backtrace>),
    /// In interpreted host code.
    Interpreted(Arc<[HostCall]>),
}

impl CallSite {
    /// The place of the current call.
    pub fn here() -> CallSite {
        let calls = host_calls();
        match calls.is_empty() {
            true => CallSite::Stack(Arc::new(Backtrace::force_capture())),
            false => CallSite::Interpreted(calls.into()),
        }
    }

    /// The program's function and line.
    pub fn caller(&self) -> Caller {
        match self {
            CallSite::Stack(stack) => Caller::of_call(&stack.to_string()),
            CallSite::Interpreted(calls) => place(calls),
        }
    }
}

/// An active call of interpreted host code: function, file and line.
pub type HostCall = (String, String, u32);

thread_local! {
    static HOST_CALLS: RefCell<Vec<HostCall>> = const { RefCell::new(Vec::new()) };
}

/// Sets the active calls of interpreted host code in this thread, innermost first, before it calls the driver.
pub fn set_host_calls(calls: Vec<HostCall>) {
    let _ = HOST_CALLS.try_with(|active| active.replace(calls));
}

/// The active calls of interpreted host code in this thread; empty if it interprets none.
pub fn host_calls() -> Vec<HostCall> {
    let calls = |active: &RefCell<Vec<HostCall>>| Some(active.try_borrow().ok()?.clone());
    HOST_CALLS.try_with(calls).ok().flatten().unwrap_or_default()
}

/// The function of the runtime's headers that launches a kernel.
pub const LAUNCH: &str = "__lw_launch";

/// The place in interpreted host code that called the driver; `None` if this thread interprets none.
pub fn caller() -> Option<Caller> {
    let calls = host_calls();
    (!calls.is_empty()).then(|| place(&calls))
}

/// The place of active calls.
pub fn place(calls: &[HostCall]) -> Caller {
    // Functions of built-in headers have no line. The outermost is the one that the program calls.
    let own = calls.iter().position(|(_, _, line)| *line > 0).unwrap_or(calls.len());
    let (of_headers, of_program) = calls.split_at(own);
    let mut runtime = of_headers.iter().rev().map(|(function, ..)| path(function));
    let known = of_program.iter().filter(|(_, _, line)| *line > 0);
    let mut lines =
        known.map(|(_, file, line)| SourceLocation { file: file.clone(), line: *line, column: 0 });
    Caller {
        runtime: runtime.find(|name| name.starts_with("cuda") || name == LAUNCH),
        function: of_program.first().map_or(String::new(), |(function, ..)| path(function)),
        location: lines.next(),
        callers: lines.collect(),
    }
}

/// The name of a function without its template arguments.
fn path(symbol: &str) -> String {
    CppName::of(symbol).map_or_else(|| symbol.to_owned(), |name| name.path)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_call_is_the_outermost_of_the_runtime() {
        let place = |function: &str, line| (function.to_owned(), "a.cu".to_owned(), line);
        let calls = vec![
            place("_Z15cudaMemcpyAsyncPvPKvm14cudaMemcpyKindP11CUstream_st", 0),
            place("_Z10cudaMemcpyPvPKvm14cudaMemcpyKind", 0),
            place("_Z4loadPf", 7),
            place("main", 12),
        ];
        let found = super::place(&calls);
        assert_eq!(found.runtime.as_deref(), Some("cudaMemcpy"));
        let lines: Vec<u32> =
            found.location.iter().chain(&found.callers).map(|at| at.line).collect();
        assert_eq!((found.function.as_str(), lines), ("load", vec![7, 12]));
        let of_driver = super::place(&[place("main", 3)]);
        assert_eq!((of_driver.runtime, of_driver.location.map(|at| at.line)), (None, Some(3)));
    }
}
