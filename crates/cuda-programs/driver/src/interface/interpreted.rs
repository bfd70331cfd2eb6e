//! Failing calls of interpreted host code, which has no stack of its own: the call and its place as in the source.

use crate::interface::caller::Caller;
use crate::modules::function::Function;
use crate::state::{Handle, table};
use lanework::emulator::SourceLocation;
use lanework::ptx::cpp_names::CppName;
use std::cell::RefCell;

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
fn host_calls() -> Vec<HostCall> {
    HOST_CALLS.try_with(|active| active.borrow().clone()).unwrap_or_default()
}

/// The function of the runtime's headers that launches a kernel.
const LAUNCH: &str = "__lw_launch";

/// The place in interpreted host code that called the driver; `None` if this thread interprets none.
pub fn caller() -> Option<Caller> {
    let calls = host_calls();
    (!calls.is_empty()).then(|| place(&calls))
}

/// The place of the active calls.
fn place(calls: &[HostCall]) -> Caller {
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

/// The documented name of a function of the runtime's headers.
pub fn name_of(function: &str) -> &str {
    if function == LAUNCH { "cudaLaunchKernel" } else { function }
}

/// A call of the runtime as the source writes it; `given` has names and values of the driver's call.
pub fn call(runtime: &str, given: &[(&str, String)]) -> String {
    let value = |name: &str| {
        let found = given.iter().find(|(known, _)| *known == name);
        found.map_or("0", |(_, value)| value.as_str())
    };
    if runtime != LAUNCH {
        let list =
            given.iter().map(|(name, value)| format!("{}={value}", name.trim_start_matches('_')));
        return format!("{runtime}({})", list.collect::<Vec<_>>().join(", "));
    }
    let extents = |of: &str| {
        let [x, y, z] = ["x", "y", "z"].map(|axis| value(&format!("{of}_{axis}")));
        if (y, z) == ("1", "1") { x.to_owned() } else { format!("({x}, {y}, {z})") }
    };
    let (grid, block) = (extents("grid"), extents("block"));
    let more = match (value("dynamic_shared"), value("stream")) {
        ("0", "0") => String::new(),
        (shared, "0") => format!(", {shared}"),
        (shared, stream) => format!(", {shared}, {stream}"),
    };
    format!("{}<<<{grid}, {block}{more}>>>", kernel(value("function")))
}

/// The name of the kernel with a handle.
fn kernel(handle: &str) -> String {
    let number = Handle::from_str_radix(handle.trim_start_matches("0x"), 16).ok();
    let found = number.and_then(|number| table::<Function>().get(number).ok());
    let name = found.and_then(|function| {
        CppName::of(function.name())
            .map(|name| name.to_string())
            .or_else(|| Some(function.name().to_owned()))
    });
    name.unwrap_or_else(|| "kernel".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn calls_read_as_in_the_source() {
        let given = [("_address", "0x10".to_owned())];
        assert_eq!(call("cudaFree", &given), "cudaFree(address=0x10)");
        let given = [
            ("function", "0x1"),
            ("grid_x", "4"),
            ("grid_y", "2"),
            ("grid_z", "1"),
            ("block_x", "2048"),
            ("block_y", "1"),
            ("block_z", "1"),
            ("dynamic_shared", "16"),
            ("stream", "0"),
        ];
        let given = given.map(|(name, value)| (name, value.to_owned()));
        assert_eq!(call(LAUNCH, &given), "kernel<<<(4, 2, 1), 2048, 16>>>");
    }
}
