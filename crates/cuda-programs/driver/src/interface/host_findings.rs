//! Findings about the host: accesses to the memory of copies and kernels that it has not waited for; memory that it never
//! frees, and output that it does not wait for, when the process ends.

use crate::interface::call_sites::{CallSite, place};
use crate::interface::caller::Caller;
use crate::ordering;
use crate::ordering::findings::Operation;
use crate::ordering::host_access::{
    HOST_ACCESS, HostAccess, HostAccessHooks, WatchedOperation, allocation,
};
use crate::state::{Driver, driver};
use crate::streams::deferred::ANY_DEFERRED;
use crate::streams::detached;
use lanework::emulator::NearAllocation;
use lanework::emulator::sanitize::{OtherAccess, Report, ReportKind};
use std::sync::atomic::Ordering;

/// Name of the signal handler that records accesses.
const HANDLER: &str = "on_fault";

/// Enables reports of accesses.
pub fn start() {
    let works_on = || ANY_DEFERRED.load(Ordering::Acquire) || detached::any();
    let _ = HOST_ACCESS.set(HostAccessHooks { report, works_on });
}

/// Reports an access.
fn report(access: &HostAccess) {
    let HostAccess { copy, address, wrote, stack, calls, function_of } = access;
    let caller = match calls.is_empty() {
        true => Caller::of_text(stack, HANDLER),
        false => place(calls),
    };
    let near = allocation(*address).map(|(name, start, bytes)| NearAllocation {
        name,
        address: start,
        bytes,
        offset: (address - start) as i64,
        distance: 0,
    });
    let place = match &near {
        Some(near) => format!("{}{:+}", near.name, near.offset),
        None => format!("{address:#x}"),
    };
    let verb = match wrote {
        Some(true) => "writes",
        Some(false) => "reads",
        None => "accesses",
    };
    let from = match caller.function.as_str() {
        "" => String::new(),
        function => format!(" in `{function}`"),
    };
    let does = if copy.writes { "writes" } else { "reads" };
    let WatchedOperation { operation, kind, stream, call: name, unfenced, .. } = copy;
    let message = match (unfenced, function_of) {
        (_, Some(of)) => format!(
            "race with a host function: a function that {of} calls {verb} {place}, which {operation} {does}, and nothing orders the two"
        ),
        (None, None) => format!(
            "race with the host: the host{from} {verb} {place}, which {operation} {does}, and nothing has waited for the {kind}"
        ),
        (Some([_, flag]), None) => format!(
            "race with the host: the host{from} {verb} {place}, which {operation} {does}, and the kernel has no fence of system scope between that and its write of a flag at {flag}"
        ),
    };
    let of = function_of.as_deref().unwrap_or_default();
    let help = match (copy.writes, unfenced) {
        _ if function_of.is_some() => format!(
            "let {of} wait for the {kind} before it calls the function: record an event in {stream} after `{name}` (`cudaEventRecord`, `cudaStreamWaitEvent`), or launch the function into {stream}"
        ),
        (_, Some([write, flag])) => format!(
            "synchronize {stream} before the host uses the result; or, if the host polls the flag, put `__threadfence_system()` (`fence.acq_rel.sys`) between the write at {write} and the write of the flag at {flag}, or write the flag by a release store of system scope"
        ),
        (true, None) => format!(
            "wait for the {kind} before the host uses its result: synchronize {stream} (`cudaStreamSynchronize`), or an event that is recorded after `{name}`"
        ),
        (false, None) => format!(
            "wait for the {kind} before the host changes its source: synchronize {stream} (`cudaStreamSynchronize`), or an event that is recorded after `{name}`; or use two buffers in turn"
        ),
    };
    let issued = copy.site.caller();
    let other = OtherAccess {
        instruction: name.to_owned(),
        location: issued.location,
        callers: issued.callers,
        ..OtherAccess::default()
    };
    let found = Report {
        message,
        location: caller.location,
        callers: caller.callers,
        instruction: "the host".to_owned(),
        address: Some(*address),
        allocation: near,
        other: Some(other),
        help,
        ..Report::new(ReportKind::StreamRace)
    };
    lanework::tool::keep_findings("", &[found]);
}

/// Makes the process report what is left when it ends: output that nothing has waited for and, if the tool requests it,
/// leaked memory.
pub fn start_at_exit(driver: &Driver) {
    if lanework::tool::checks(&driver.device) {
        // SAFETY: `report_at_exit` is a function of this library, which a process does not unload, and it does not unwind.
        unsafe { libc::atexit(report_at_exit) };
    }
}

extern "C" fn report_at_exit() {
    // A panic must not unwind out of a function that C calls.
    let _ = std::panic::catch_unwind(|| {
        let Ok(driver) = driver() else { return };
        ordering::unwaited_output().iter().for_each(report_lost_output);
        if driver.device.checks_leaks() {
            report_leaks(driver);
        }
    });
}

/// Reports a kernel whose output a GPU may not print.
fn report_lost_output(printed: &Operation) {
    let Operation { stream, .. } = printed;
    let message = format!(
        "lost output: {printed} has printed text, and the program ends without waiting for it: a GPU may not print the text"
    );
    let help = format!(
        "wait for {stream} after the launch (`cudaDeviceSynchronize` or `cudaStreamSynchronize`)"
    );
    let caller = printed.site.as_ref().map(CallSite::caller).unwrap_or_default();
    let found = Report {
        message,
        location: caller.location,
        callers: caller.callers,
        instruction: "the host".to_owned(),
        help,
        ..Report::new(ReportKind::LostOutput)
    };
    lanework::tool::keep_findings("", &[found]);
}

/// Reports memory that was never freed, by the place that allocated it.
fn report_leaks(driver: &Driver) {
    let leaks = driver.allocations().leaks();
    for leak in leaks {
        let (kind, count, bytes) = (leak.kind, leak.count, leak.bytes);
        let blocks = if count == 1 { "block" } else { "blocks" };
        let caller = leak.caller.unwrap_or_default();
        let call = caller.runtime.unwrap_or_else(|| kind.call().to_owned());
        let by = match caller.function.as_str() {
            "" => format!("`{call}`"),
            function => format!("`{call}` in `{function}`"),
        };
        let found = Report {
            message: format!(
                "{count} {blocks} of {kind} memory with {bytes} bytes in total were never freed: allocated by {by}",
                kind = kind.name()
            ),
            location: caller.location,
            callers: caller.callers,
            instruction: call,
            help: "free what was allocated before the program ends".to_owned(),
            ..Report::new(ReportKind::Leak)
        };
        lanework::tool::keep_findings("", &[found]);
    }
}
