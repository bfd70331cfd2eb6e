//! How findings describe stream operations, and reports of their races.

use crate::interface::call_sites::CallSite;
use crate::ordering::history::{Race, Relation};
use lanework::emulator::sanitize::footprint::{AccessMode, AccessedBytes};
use lanework::emulator::sanitize::{CodeLocation, OtherAccess, Report, ReportKind, readable_name};
use lanework::emulator::{NearAllocation, SourceLocation};
use std::fmt;

/// A stream as users know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamName {
    /// The legacy default stream.
    Default,
    /// A thread's own default stream.
    PerThread,
    /// Created by the program.
    Created {
        /// Creation number, from 1.
        number: u64,
        /// Whether it synchronizes with the default stream.
        blocking: bool,
    },
}

impl fmt::Display for StreamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamName::Default => f.write_str("the default stream"),
            StreamName::PerThread => f.write_str("a per-thread default stream"),
            StreamName::Created { number, .. } => write!(f, "stream {number}"),
        }
    }
}

/// Context of an operation.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Its stream.
    pub stream: StreamName,
    /// Whether the call is synchronous by name: `cudaMemcpy`, not `cudaMemcpyAsync`.
    pub synchronous: bool,
    /// Whether it is a node of a graph.
    pub in_graph: bool,
    /// Where the program issued it.
    pub site: CallSite,
}

/// Kind of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A kernel, with the launch number in the process.
    Kernel(String, u64),
    /// A kernel launched by a kernel, and the kernel that launched it.
    Grid(String, &'static str),
    /// A copy of this many bytes, with the call's name.
    Copy(&'static str, u64),
    /// A copy of this many bytes from pageable memory by a synchronous call.
    StagedCopy(u64),
    /// A fill of this many bytes, with the call's name.
    Fill(&'static str, u64),
    /// Another call.
    Call(&'static str),
    /// Allocates memory.
    Allocate,
    /// Frees memory.
    Free,
    /// Frees memory of a pool by a call that does not wait for streams.
    HostFree,
}

/// An operation of a stream.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Kind of the operation.
    pub action: Action,
    /// Its stream.
    pub stream: StreamName,
    /// Whether it may wait for memory that others write.
    pub polls: bool,
    /// Where the program issued it; `None` for a grid that a kernel launched.
    pub site: Option<CallSite>,
}

impl Operation {
    /// Whether it is a kernel.
    pub fn is_kernel(&self) -> bool {
        matches!(self.action, Action::Kernel(..) | Action::Grid(..))
    }

    /// Kernel or call name; not unique.
    pub fn name(&self) -> &str {
        match &self.action {
            Action::Kernel(name, _) | Action::Grid(name, _) => name,
            Action::Copy(call, _) | Action::Fill(call, _) | Action::Call(call) => call,
            Action::StagedCopy(_) => "cudaMemcpy",
            Action::Allocate => "cudaMallocAsync",
            Action::Free => "cudaFreeAsync",
            Action::HostFree => "cudaFree",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stream = &self.stream;
        match &self.action {
            Action::Kernel(name, number) => {
                write!(f, "kernel `{}` (launch {number}, {stream})", readable_name(name))
            }
            Action::Grid(name, role) => write!(f, "the {role} grid `{}`", readable_name(name)),
            Action::StagedCopy(bytes) => {
                write!(f, "`cudaMemcpy` of {bytes} bytes from pageable memory ({stream})")
            }
            Action::Copy(call, bytes) | Action::Fill(call, bytes) => {
                write!(f, "`{call}` of {bytes} bytes ({stream})")
            }
            Action::HostFree => f.write_str("`cudaFree`"),
            _ => write!(f, "`{}` ({stream})", self.name()),
        }
    }
}

/// Verb for an access mode.
fn verb(mode: AccessMode) -> &'static str {
    match mode {
        AccessMode::Read => "reads",
        AccessMode::Write => "writes",
        AccessMode::StrongRead => "reads by atomics",
        AccessMode::StrongWrite => "changes by atomics",
    }
}

/// Creates the report of a race, given name, address and size of the memory.
pub fn report(race: &Race, memory: Option<(String, u64, u64)>) -> Report {
    let (start, end) = race.bytes.ends().unwrap_or_default();
    let near = memory.map(|(name, address, bytes)| NearAllocation {
        name,
        address,
        bytes,
        offset: (start - address) as i64,
        distance: 0,
    });
    let place = match &near {
        Some(near) => format!("{}{:+}", near.name, near.offset),
        None => format!("{start:#x}"),
    };
    let (bytes, span) = (race.bytes.bytes(), end - start);
    let bytes = match bytes == span {
        true => format!("{bytes} bytes at {place}"),
        false => format!("{bytes} of the {span} bytes at {place}"),
    };
    let (message, help) = words(race, &bytes);
    let ((first, of_first), (second, of_second)) = (&race.first, &race.second);
    let (at, callers) = place_of(second, of_second);
    let (other_at, other_callers) = place_of(first, of_first);
    let name = |operation: &Operation| operation.name().to_owned();
    let kind = match first.action {
        Action::StagedCopy(_) => ReportKind::PageableCopy,
        _ => ReportKind::StreamRace,
    };
    Report {
        message,
        location: at.location,
        text_line: at.text_line,
        callers,
        instruction: name(second),
        kernel: if second.is_kernel() { name(second) } else { String::new() },
        address: Some(start),
        size: u32::try_from(race.bytes.bytes()).unwrap_or(u32::MAX),
        allocation: near,
        other: Some(OtherAccess {
            location: other_at.location,
            text_line: other_at.text_line,
            callers: other_callers,
            instruction: name(first),
            ..OtherAccess::default()
        }),
        help,
        ..Report::new(kind)
    }
}

/// The line of an access and the calls around it: in the kernel and then in the host code that launched it, or in the
/// host code that issued the copy.
fn place_of(
    operation: &Operation,
    accessed: &AccessedBytes,
) -> (CodeLocation, Vec<SourceLocation>) {
    let issued = operation.site.as_ref().map(CallSite::caller);
    let mut calls = issued.into_iter().flat_map(|at| at.location.into_iter().chain(at.callers));
    let at = match accessed.line.clone() {
        Some(line) => line,
        None if operation.is_kernel() => CodeLocation::default(),
        None => CodeLocation { location: calls.next(), text_line: 0 },
    };
    (at, calls.collect())
}

/// Message and help text for a race.
fn words(race: &Race, bytes: &str) -> (String, String) {
    let ((first, of_first), (second, of_second)) = (&race.first, &race.second);
    let (did, does) = (verb(of_first.mode), verb(of_second.mode));
    let message = match (&first.action, &second.action) {
        (Action::Allocate, _) => format!(
            "use before allocation: {second} {does} {bytes}, which {first} allocates, and nothing orders the two"
        ),
        (_, Action::Free | Action::HostFree) => format!(
            "use after free: {second} frees {bytes}, which {first} {did}, and nothing orders the two"
        ),
        (Action::Free, _) => format!(
            "use after free: {second} {does} {bytes}, which {first} frees, and nothing orders the two"
        ),
        (Action::StagedCopy(_), _) => format!(
            "pageable copy in flight: {second} {does} {bytes}, which {first} {did}, and nothing makes it wait until the data has reached the device"
        ),
        _ if race.relation == Relation::Parent => format!(
            "race with a child grid: {second} {does} {bytes}, which {first} {did}, and the access does not come before the launch"
        ),
        _ if race.relation == Relation::Siblings => format!(
            "race between child grids: {second} {does} {bytes}, which {first} {did}, and nothing orders the two"
        ),
        _ if race.relation == Relation::Graph => format!(
            "race in a graph: {second} {does} {bytes}, which {first} {did}, and no path of edges leads from one node to the other"
        ),
        _ => format!(
            "race between streams: {second} {does} {bytes}, which {first} {did}, and nothing orders the two"
        ),
    };
    (message, remedy(race))
}

/// How the program can order the two operations.
fn remedy(race: &Race) -> String {
    let (first, second) = (&race.first.0, &race.second.0);
    match race.relation {
        Relation::Parent => {
            return "let the parent finish with the data before the launch, with a barrier between the accesses of its other threads and the launch, or launch the child into the tail stream (`cudaStreamTailLaunch`)".to_owned();
        }
        Relation::Siblings => {
            return "launch both grids from one block into one stream, or the second one into the tail stream (`cudaStreamTailLaunch`)".to_owned();
        }
        Relation::Graph | Relation::Streams => {}
    }
    if race.relation == Relation::Graph {
        return "add an edge between the two nodes (`cudaGraphAddDependencies`); if the graph is captured, let the stream of the second wait for an event of the first".to_owned();
    }
    let (one, other) = (&first.stream, &second.stream);
    if second.action == Action::HostFree {
        return format!(
            "synchronize {one} before the call: `cudaFree` does not wait for streams if the memory is from `cudaMallocAsync`; or free it in stream order (`cudaFreeAsync`)"
        );
    }
    let (name, other_name) = (readable_name(first.name()), readable_name(second.name()));
    let event = format!(
        "record an event in {one} after `{name}`, and let {other} wait for it before `{other_name}` (`cudaEventRecord`, `cudaStreamWaitEvent`), or synchronize {one} in between"
    );
    let why = match (one, other, &first.action) {
        (_, _, Action::Copy("cudaMemcpy", _)) => {
            "`cudaMemcpy` from device to device returns before the copy has ended; "
        }
        (_, _, Action::StagedCopy(_)) => {
            "CUDA lets `cudaMemcpy` from pageable memory return when the data has been read, before it has reached the device; "
        }
        (_, _, Action::Fill("cudaMemset", _)) => {
            "`cudaMemset` of device memory returns before it has ended; "
        }
        _ => "",
    };
    let apart = match (one, other) {
        (StreamName::Default, StreamName::Created { blocking: false, .. })
        | (StreamName::Created { blocking: false, .. }, StreamName::Default) => {
            "a stream made with `cudaStreamNonBlocking` and the default stream do not wait for each other; "
        }
        _ => "",
    };
    format!("{apart}{why}{event}")
}
