//! Failing calls as findings, if a tool checks: the call with its arguments, the status, the limit that it exceeds,
//! and the place in the program.

use crate::api::CallArguments;
use crate::interface::caller::Caller;
use crate::interface::{call_sites, interpreted};
use crate::state::{driver, is_forked, lock};
use crate::status::{Status, take_reason, words};
use crate::streams::host_functions;
use lanework::emulator::sanitize::{Report, ReportKind};
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
    let is_mistake = MISTAKES.contains(&status)
        || status == Status::NotPermitted && host_functions::is_running();
    if asks || !is_mistake || !lanework::tool::checks(&driver.device) {
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
    let of_source = call_sites::caller();
    let is_interpreted = of_source.is_some();
    let caller = of_source.unwrap_or_else(|| Caller::find(name));
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
    keep_misuse(kind, message, help, None);
}

/// As [`misuse`], about the memory at an address: the finding says where it was allocated.
pub fn misuse_of_memory(kind: ReportKind, message: String, help: &str, address: u64) {
    keep_misuse(kind, message, help, Some(address));
}

fn keep_misuse(kind: ReportKind, message: String, help: &str, address: Option<u64>) {
    let of_stack = || Caller::of_call(&Backtrace::force_capture().to_string());
    let caller = call_sites::caller().unwrap_or_else(of_stack);
    let found = Report {
        message,
        location: caller.location,
        callers: caller.callers,
        instruction: caller.runtime.unwrap_or_else(|| "the host".to_owned()),
        help: help.to_owned(),
        address,
        ..Report::new(kind)
    };
    lanework::tool::keep_findings("", &[found]);
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
