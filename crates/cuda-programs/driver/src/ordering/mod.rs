//! Races between operations of streams: launches, copies and fills that access the same bytes with nothing to order them. Active under a tool
//! that checks; otherwise each call costs a look at a flag.
//!
//! | file | knows |
//! | --- | --- |
//! | [`strands`] | which operations happen before which, by a vector clock for each |
//! | [`graph_order`] | the same of the nodes of one graph |
//! | [`history`] | what operations accessed; finds the races |
//! | [`findings`] | how a race is reported |
//! | [`running`] | which operation a thread runs, and what is compared when it ends |
//!
//! An operation is issued by `Tag::issue` when a call queues it, and compared by [`run_part`] when it has run. The functions here are for the calls
//! that synchronise.
//!
//! *Limits.* Accesses of the host are not seen, but for those of its calls. A kernel that runs beside the program and polls what others write
//! is compared with nothing, and what follows it counts as ordered after all that had ended by then; so does what follows a wait for
//! a value. A callback counts as a call that waits for what is before it in its stream.

pub mod findings;
pub mod graph_order;
pub mod history;
pub mod running;
pub mod strands;

pub use running::active;
pub use running::{HostWaits, OperationPart, Tag, current_graph, run_part, within};

use self::running::with;
use self::strands::Point;
use crate::handles::Handle;
use crate::streams::stream::{OrderedStream, StreamKey};
use std::sync::Arc;

/// An event is recorded behind all that a context has to do.
pub fn recorded_of_context(context: Handle) -> Option<Arc<Point>> {
    with(|state| state.strands.behind_context(context))
}

/// A stream waits for an event, recorded at a point.
pub fn wait(stream: OrderedStream, event: Option<Arc<Point>>) {
    if let Some(event) = event {
        with(|state| state.strands.wait(stream, event));
    }
}

/// What a call waits for that synchronises with a stream; to be given to [`synchronised`] when it has waited.
pub fn waited_for_stream(key: StreamKey) -> Vec<Arc<Point>> {
    with(|state| state.strands.of_stream(key)).unwrap_or_default()
}

/// What a call waits for that synchronises with a context; to be given to [`synchronised`] when it has waited.
pub fn waited_for_context(context: Handle) -> Vec<Arc<Point>> {
    with(|state| state.strands.of_context(context)).unwrap_or_default()
}

/// The host has waited for operations.
pub fn synchronised(points: &[Arc<Point>]) {
    if !points.is_empty() {
        with(|state| points.iter().for_each(|point| state.strands.host_waited(point)));
    }
}

/// A program destroys a stream.
pub fn destroyed(key: StreamKey) {
    with(|state| state.strands.destroy(key));
}

/// A context ends.
pub fn ended_context(context: Handle) {
    with(|state| state.strands.end_context(context));
}

#[cfg(test)]
mod tests;
