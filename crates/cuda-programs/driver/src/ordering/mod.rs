//! Races between stream operations: launches, copies and fills that access the same bytes without being ordered. Active if a tool checks;
//! otherwise each call only reads a flag.
//!
//! | file | holds |
//! | --- | --- |
//! | [`strands`] | happens-before between operations, with vector clocks |
//! | [`graph_order`] | the same for the nodes of one graph |
//! | [`history`] | past accesses, and the search for races |
//! | [`findings`] | reports of races |
//! | [`host_access`] | accesses of the host to memory of copies in flight |
//! | [`guarded_pages`] | the protected pages and signal handlers for that |
//! | [`touched_pages`] | pages of managed memory that the host has written |
//! | [`running`] | the operation that a thread runs, compared when it finishes |
//!
//! `Tag::issue` issues an operation when a call queues it, and [`run_part`] compares it after it ran. The functions
//! here handle calls that synchronize.
//!
//! *Limits.* Host accesses are seen only in API calls, and in memory of copies in flight. A kernel that runs detached
//! and polls memory is not compared, and operations after it count as ordered after everything that had finished by
//! then. The same holds for operations after a wait for a value. A callback counts as a call that waits for earlier
//! work of its stream; if the host's memory is watched, it runs later than it is queued (`streams::host_functions`). Of the queries of an operation, the first one that could succeed fails with "not ready".

pub mod findings;
pub mod guarded_pages;
pub mod history;
pub mod host_access;
pub mod running;
pub mod strands;
pub mod touched_pages;

pub use running::{
    HostWaits, OperationPart, Tag, active, current_graph, current_part, freed_by_host,
    function_used, report, run_part, within,
};

use self::findings::Operation;
use self::running::with;
use self::strands::Point;
use crate::state::Handle;
use crate::streams::stream::{OrderedStream, StreamKey};
use std::sync::Arc;

/// Returns the point of an event that is recorded after all work of a context.
pub fn recorded_of_context(context: Handle) -> Option<Arc<Point>> {
    with(|state| state.strands.behind_context(context))
}

/// Makes a stream wait for an event recorded at a point.
pub fn wait(stream: OrderedStream, event: Option<Arc<Point>>) {
    if let Some(event) = event {
        with(|state| state.strands.wait(stream, event));
    }
}

/// Kernels that have printed text, which the host has not waited for.
pub fn unwaited_output() -> Vec<Operation> {
    with(|state| state.take_unwaited_output()).unwrap_or_default()
}

/// Operations that synchronizing with a stream waits for; pass them to [`synchronized`] afterwards.
pub fn waited_for_stream(key: StreamKey) -> Vec<Arc<Point>> {
    with(|state| state.strands.of_stream(key)).unwrap_or_default()
}

/// Operations that synchronizing with a context waits for; pass them to [`synchronized`] afterwards.
pub fn waited_for_context(context: Handle) -> Vec<Arc<Point>> {
    with(|state| state.strands.of_context(context)).unwrap_or_default()
}

/// Records that the host has waited for operations.
pub fn synchronized(points: &[Arc<Point>]) {
    if !points.is_empty() {
        with(|state| points.iter().for_each(|point| state.strands.host_waited(point)));
    }
}

/// Whether the host has waited for an operation.
pub fn is_known(point: &Point) -> bool {
    with(|state| state.strands.host().last(point.strand) >= point.number).unwrap_or(true)
}

/// Whether a call of the host has waited for an operation.
pub fn is_waited_for(point: &Point) -> bool {
    with(|state| state.strands.waited().last(point.strand) >= point.number).unwrap_or(true)
}

/// Whether a query finds that these operations have not ended: the answer to the first query of an operation that the
/// host has not waited for. Everything has ended by then, but a GPU may give this answer, too, and a program that ignores
/// it must not count as one that waited.
pub fn query_finds_open(points: &[Arc<Point>]) -> bool {
    let unknown = points.iter().filter(|point| !is_known(point));
    unknown.fold(false, |open, point| point.is_first_query() | open)
}

/// Records that a stream was destroyed.
pub fn destroyed(key: StreamKey) {
    with(|state| state.strands.destroy(key));
}

/// Records that a context was destroyed.
pub fn ended_context(context: Handle) {
    with(|state| state.strands.end_context(context));
}

#[cfg(test)]
mod tests;
