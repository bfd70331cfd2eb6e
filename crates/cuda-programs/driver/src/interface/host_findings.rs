//! Findings about host accesses to the memory of copies and kernels that the host has not waited for.

use crate::interface::call_sites::place;
use crate::interface::caller::Caller;
use crate::ordering::host_access::{
    HOST_ACCESS, HostAccess, HostAccessHooks, WatchedOperation, allocation,
};
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
    let HostAccess { copy, address, wrote, stack, calls } = access;
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
    let message = match unfenced {
        None => format!(
            "race with the host: the host{from} {verb} {place}, which {operation} {does}, and nothing has waited for the {kind}"
        ),
        Some([_, flag]) => format!(
            "race with the host: the host{from} {verb} {place}, which {operation} {does}, and the kernel has no fence of system scope between that and its write of a flag at {flag}"
        ),
    };
    let help = match (copy.writes, unfenced) {
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
