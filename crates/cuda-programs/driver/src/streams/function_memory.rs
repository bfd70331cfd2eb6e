//! Memory that host functions of streams use, in programs whose host code is interpreted.
//!
//! The interpreter records which memory such a function uses. Parts that devices can access are compared with later work of
//! other streams. The rest is watched by the interpreter until the program has waited for the function; it asks here
//! whether that is so, and reports the first access that conflicts.

use crate::interface::call_sites::{CallSite, host_calls, place};
use crate::ordering;
use crate::ordering::strands::Point;
use crate::state::lock;
use lanework::emulator::sanitize::footprint::{AccessMode, Footprint};
use lanework::emulator::sanitize::{OtherAccess, Report, ReportKind};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A host function that the program may not have waited for.
struct PendingFunction {
    point: Arc<Point>,
    stream: String,
    site: CallSite,
}

/// All of them, by number.
static PENDING: Mutex<(u64, BTreeMap<u64, PendingFunction>)> = Mutex::new((0, BTreeMap::new()));

/// Whether the memory that host functions use should be recorded.
pub fn records_host_functions() -> bool {
    ordering::active() && !host_calls().is_empty()
}

/// Records the memory for devices that the current host function has used: address, bytes, and whether it wrote them.
/// Returns the number of the function; `None` if it is of no stream.
pub fn host_function_used(shared: &[(u64, u64, bool)]) -> Option<u64> {
    let (point, origin) = ordering::current_part()?;
    let mode = |writes| if writes { AccessMode::Write } else { AccessMode::Read };
    let ranges = shared.iter().map(|(start, bytes, writes)| (mode(*writes), *start, *bytes));
    ordering::function_used(Footprint::of_ranges(ranges));
    let (stream, site) = (origin.stream.to_string(), origin.site);
    let mut pending = lock(&PENDING);
    pending.0 += 1;
    let number = pending.0;
    pending.1.insert(number, PendingFunction { point, stream, site });
    Some(number)
}

/// Whether the program knows that a host function has ended. Then it is forgotten.
pub fn host_function_has_ended(number: u64) -> bool {
    let mut pending = lock(&PENDING);
    let ended = pending.1.get(&number).is_none_or(|one| ordering::is_known(&one.point));
    if ended {
        pending.1.remove(&number);
    }
    ended
}

/// Records that the program has learned from a host function, through memory, that it has ended.
pub fn host_function_ended(number: u64) {
    let ended = lock(&PENDING).1.remove(&number);
    if let Some(ended) = ended {
        ordering::synchronized(&[ended.point]);
    }
}

/// Reports that the program uses memory of a host function that it has not waited for. The active calls are set.
pub fn host_function_conflict(number: u64, address: u64, writes: bool) {
    let Some(PendingFunction { stream, site, .. }) = lock(&PENDING).1.remove(&number) else {
        return;
    };
    let caller = place(&host_calls());
    let from = match caller.function.as_str() {
        "" => String::new(),
        function => format!(" in `{function}`"),
    };
    let (verb, used) = if writes { ("changes", "uses") } else { ("reads", "writes") };
    let issued = site.caller();
    let other = OtherAccess {
        instruction: "cudaLaunchHostFunc".to_owned(),
        location: issued.location,
        callers: issued.callers,
        ..OtherAccess::default()
    };
    let found = Report {
        message: format!(
            "race with a host function: the host{from} {verb} memory that a function of {stream} {used}, and nothing has waited for the function"
        ),
        location: caller.location,
        callers: caller.callers,
        instruction: "the host".to_owned(),
        address: Some(address),
        other: Some(other),
        help: format!(
            "wait for the function first: synchronize {stream} (`cudaStreamSynchronize`), or an event that is recorded after the function; or let the function set a `std::atomic` flag that the host waits for"
        ),
        ..Report::new(ReportKind::StreamRace)
    };
    lanework::tool::keep_findings("", &[found]);
}
