//! Failing calls as findings, if a tool checks: the call with its arguments, the status, the limit that it exceeds,
//! and the place in the program.

use crate::api::CallArguments;
use crate::interface::interpreted;
use crate::state::{Driver, driver, is_forked, lock};
use crate::status::{Status, take_reason, words};
use lanework::emulator::SourceLocation;
use lanework::emulator::sanitize::{Report, ReportKind, readable_name};
use std::backtrace::Backtrace;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Statuses that mean a mistake in the program. Other statuses are answers (`CUDA_ERROR_NOT_READY`), conditions that
/// programs handle (out of memory, peer access already enabled), or faults, which the launch reported.
const MISTAKES: [Status; 21] = [
    Status::InvalidValue,
    Status::InvalidContext,
    Status::InvalidHandle,
    Status::IllegalState,
    Status::NotFound,
    Status::LaunchOutOfResources,
    Status::PeerAccessUnsupported,
    Status::PeerAccessNotEnabled,
    Status::ContextIsDestroyed,
    Status::HostMemoryAlreadyRegistered,
    Status::HostMemoryNotRegistered,
    Status::CooperativeLaunchTooLarge,
    Status::StreamCaptureUnsupported,
    Status::StreamCaptureInvalidated,
    Status::StreamCaptureMerge,
    Status::StreamCaptureUnmatched,
    Status::StreamCaptureUnjoined,
    Status::StreamCaptureIsolation,
    Status::StreamCaptureImplicit,
    Status::CapturedEvent,
    Status::InvalidClusterSize,
];

/// Parts of the names of calls that query something. Programs and NVIDIA's runtime treat failures of these
/// calls as answers.
const QUESTIONS: [&str; 9] =
    ["Get", "Query", "Can", "IsCapturing", "Occupancy", "Find", "Enumerate", "private", "Retain"];

/// Maximum number of findings per process: locating a call in the program is slow.
const MOST: usize = 64;

/// Reports a failing call.
pub fn report(name: &str, status: Status, arguments: CallArguments<'_>) {
    let reason = take_reason();
    if is_forked() && name.starts_with("cuLaunch") {
        lanework::tool::unchecked(
            "a process launches kernels, but was forked from one that had used CUDA: CUDA refuses its calls",
        );
    }
    let Ok(driver) = driver() else { return };
    let asks = QUESTIONS.iter().any(|part| name.contains(part)) && status != Status::CapturedEvent;
    let asks = asks && !matches!(status as i32, 900..=907);
    if asks || !MISTAKES.contains(&status) || !lanework::tool::checks(&driver.device) {
        return;
    }
    static REPORTED: Mutex<BTreeMap<(String, i32), usize>> = Mutex::new(BTreeMap::new());
    let mut reported = lock(&REPORTED);
    let times = reported.entry((name.to_owned(), status as i32)).or_default();
    *times += 1;
    if *times > MOST || reported.len() > MOST {
        return;
    }
    drop(reported);
    let given = arguments();
    let calls = interpreted::host_calls();
    let is_interpreted = !calls.is_empty();
    let caller = if is_interpreted {
        let interpreted::InterpretedPlace { runtime, function, lines } = interpreted::place(&calls);
        let mut lines = lines.into_iter();
        Caller { runtime, function, location: lines.next(), callers: lines.collect() }
    } else {
        Caller::find(name)
    };
    let (constant, meaning) = words(status as i32).unwrap_or_default();
    let why = match &reason {
        Some((why, _)) => why.clone(),
        None => meaning.to_string_lossy().into_owned(),
    };
    let from = match caller.function.as_str() {
        "" => String::new(),
        function => format!(", called from `{function}`"),
    };
    let constant = constant.to_string_lossy();
    let message = match &caller.runtime {
        Some(runtime) if is_interpreted => {
            let call = interpreted::call(runtime, &given);
            format!("`{call}` failed ({}, {constant}){from}: {why}", status as i32)
        }
        runtime => {
            let failed = runtime.as_ref().map(|runtime| format!("`{runtime}` failed: "));
            let (failed, code) = (failed.unwrap_or_default(), status as i32);
            let call = interpreted::call(name, &given);
            format!("{failed}`{name}` returned {code} ({constant}){from}: {why}: {call}")
        }
    };
    let help = reason.map_or_else(|| help(status, name).to_owned(), |(_, help)| help);
    let found = Report {
        message,
        location: caller.location,
        callers: caller.callers,
        instruction: interpreted::name_of(caller.runtime.as_deref().unwrap_or(name)).to_owned(),
        help,
        ..Report::new(ReportKind::FailedCall)
    };
    lanework::tool::keep_findings("", &[found]);
}

/// Reports an operation of the program that faults outside of a kernel, as a finding.
pub fn fault(kind: ReportKind, why: &str, help: &str) {
    let Ok(driver) = driver() else { return };
    if !lanework::tool::checks(&driver.device) {
        return;
    }
    keep(kind, why.to_owned(), help);
}

/// Reports a call that succeeds although it is a mistake, with the place in the program that made it.
pub fn misuse(kind: ReportKind, message: String, help: &str) {
    let caller = Caller::of_call(&Backtrace::force_capture().to_string());
    let found = Report {
        message,
        location: caller.location,
        callers: caller.callers,
        instruction: caller.runtime.unwrap_or_else(|| "the host".to_owned()),
        help: help.to_owned(),
        ..Report::new(kind)
    };
    lanework::tool::keep_findings("", &[found]);
}

/// Makes the process report leaked memory when it ends, if the tool requests it.
pub fn start(driver: &Driver) {
    if lanework::tool::checks(&driver.device) && driver.device.checks_leaks() {
        // SAFETY: `report_leaks` is a function of this library, which a process does not unload, and it does not unwind.
        unsafe { libc::atexit(report_leaks) };
    }
}

/// Reports leaked memory when the process ends.
pub extern "C" fn report_leaks() {
    // A panic must not unwind out of a function that C calls.
    let _ = std::panic::catch_unwind(|| {
        let Ok(driver) = driver() else { return };
        for (kind, count, bytes) in driver.allocations().leaks() {
            let blocks = if count == 1 { "block" } else { "blocks" };
            let message = format!(
                "{count} {blocks} of {kind} memory with {bytes} bytes in total were never freed"
            );
            keep(ReportKind::Leak, message, "free what was allocated before the program ends");
        }
    });
}

/// Stores a finding that is not about a kernel.
fn keep(kind: ReportKind, message: String, help: &str) {
    let found = Report { message, help: help.to_owned(), ..Report::new(kind) };
    lanework::tool::keep_findings("", &[found]);
}

/// General remedy for the status of a call.
fn help(status: Status, name: &str) -> &'static str {
    let waits = ["Synchronize", "Query"].iter().any(|part| name.contains(part));
    match status {
        Status::StreamCaptureUnsupported if waits => {
            "wait after the end of the capture: during a capture its stream can be neither waited for nor queried, in any mode"
        }
        Status::InvalidHandle => "pass a handle that was created in this context and not destroyed",
        Status::InvalidContext | Status::ContextIsDestroyed => {
            "make a live context current before the call"
        }
        Status::StreamCaptureUnsupported => {
            "make this call before or after the capture, or capture in relaxed mode if it is safe there"
        }
        Status::StreamCaptureInvalidated => "correct the earlier call that invalidated the capture",
        Status::StreamCaptureUnjoined => {
            "let the stream that began the capture wait for an event of each forked stream before the end"
        }
        Status::StreamCaptureIsolation => "record the event in a stream of the capture",
        Status::StreamCaptureImplicit => {
            "use no default stream during a capture, or capture a stream made with `cudaStreamNonBlocking`"
        }
        Status::CapturedEvent => {
            "wait for events of a capture by `cudaStreamWaitEvent` only, or record another event after the capture"
        }
        _ => "check the return code of each call, and correct the arguments of this one",
    }
}

/// The place in a program that called the driver.
#[derive(Debug, Default)]
pub struct Caller {
    /// The call of NVIDIA's runtime that called the driver.
    pub runtime: Option<String>,
    /// The program's function.
    pub function: String,
    /// Its line, if the program has line information.
    pub location: Option<SourceLocation>,
    /// The lines of its callers.
    pub callers: Vec<SourceLocation>,
}

/// Maximum number of callers shown.
const MOST_CALLERS: usize = 8;

impl Caller {
    /// Finds the caller of an exported function on the stack.
    fn find(name: &str) -> Caller {
        Caller::of_text(&Backtrace::force_capture().to_string(), name)
    }

    /// Finds the caller of the driver's function on a stack.
    pub fn of_call(text: &str) -> Caller {
        let is_call = |name: &&str| {
            let rest = name.strip_prefix("cu").unwrap_or("");
            rest.starts_with(|c: char| c.is_ascii_uppercase()) && !name.contains("::")
        };
        let lines = text.lines().filter_map(|line| line.trim().split_once(": "));
        let name = lines.map(|(_, name)| name).find(is_call).unwrap_or("");
        Caller::of_text(text, name)
    }

    /// Parses a stack trace in Rust's format: numbered functions, each followed by its line if known. `name` is the
    /// end of the name of the function that the caller called.
    pub fn of_text(text: &str, name: &str) -> Caller {
        let mut frames: Vec<(&str, Option<SourceLocation>)> = Vec::new();
        for line in text.lines().map(str::trim) {
            if let Some(place) = line.strip_prefix("at ") {
                if let Some((_, location)) = frames.last_mut() {
                    *location = place_of(place);
                }
            } else if let Some((number, function)) = line.split_once(": ")
                && number.parse::<u32>().is_ok()
            {
                frames.push((function, None));
            }
        }
        let is_called = |function: &str| {
            function.strip_suffix(name).is_some_and(|path| path.is_empty() || path.ends_with("::"))
        };
        let below =
            frames.iter().rposition(|(function, _)| is_called(function)).map_or(0, |at| at + 1);
        let mut frames = frames.split_off(below.min(frames.len()));
        // NVIDIA's runtime, whose inner functions have no names.
        let is_runtime = |function: &str| {
            function.strip_prefix("__").unwrap_or(function).starts_with("cuda")
                && !function.contains("::")
        };
        let runtime = frames.iter().take(12).rposition(|(function, _)| is_runtime(function));
        let mut caller = Caller::default();
        if let Some(at) = runtime {
            caller.runtime =
                Some(frames[at].0.split(['(', '@', '<']).next().unwrap_or("").to_owned());
            frames.drain(..=at);
            // Functions that nvcc generates, and CUDA's inline functions, between the program and the runtime.
            let is_stub = |(function, _): &(&str, Option<SourceLocation>)| {
                let mangled = function.strip_prefix("_Z").unwrap_or(function);
                let inner = |c: char| matches!(c, 'L' | '_') || c.is_ascii_digit();
                let name = mangled.trim_start_matches(inner);
                name.starts_with("cuda") || function.contains("__device_stub__")
            };
            frames.drain(..frames.iter().take_while(|frame| is_stub(frame)).count());
        }
        let last = frames.iter().position(|(function, _)| *function == "main");
        frames.truncate(last.map_or(frames.len(), |last| last + 1));
        // The host code of a program from source is interpreted, so that the stack is the interpreter's.
        let interprets = |function: &str| {
            function.starts_with("lanework::program::") || function.starts_with("lanework_host::")
        };
        if frames.iter().any(|(function, _)| interprets(function)) {
            return caller;
        }
        let own = frames.iter().position(|(function, location)| {
            // The C library calls `main`.
            !function.starts_with("__libc_start")
                && (*function != "<unknown>" && !function.starts_with("__") || location.is_some())
        });
        let Some(own) = own else { return caller };
        caller.function = readable_name(frames[own].0).into_owned();
        let mut lines = frames.split_off(own).into_iter().filter_map(|(_, location)| location);
        caller.location = lines.next();
        caller.callers = lines.take(MOST_CALLERS).collect();
        caller
    }
}

/// Reads `file:line:column`.
fn place_of(text: &str) -> Option<SourceLocation> {
    let mut parts = text.rsplitn(3, ':');
    let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some(SourceLocation {
        file: file.to_owned(),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_the_function_of_the_program_above_nvidias_runtime() {
        let text = "   0: std::backtrace::Backtrace::create\n   1: lanework_libcuda::api::call\n   2: cuMemFree_v2\n             at /x/api.rs:20:9\n   \
                    3: <unknown>\n   4: <unknown>\n   5: cudaFree\n   6: release\n             at ./a b.cu:7:3\n   7: main\n             at ./a b.cu:12:5\n   \
                    8: __libc_start_main\n   9: _start\n";
        let caller = Caller::of_text(text, "cuMemFree_v2");
        assert_eq!(caller.runtime.as_deref(), Some("cudaFree"));
        assert_eq!(caller.function, "release");
        let at = |line, column| SourceLocation { file: "./a b.cu".to_owned(), line, column };
        assert_eq!((caller.location, caller.callers), (Some(at(7, 3)), vec![at(12, 5)]));
        assert_eq!(Caller::of_text("", "cuInit").function, "");
        let interpreted = "   0: cuMemFree_v2\n   1: __libc_start_call_main\n             at ./csu/start.h:58:16\n";
        assert_eq!(Caller::of_text(interpreted, "cuMemFree_v2").function, "");
    }
}
