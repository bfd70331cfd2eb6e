//! Captures of streams, whose work becomes a graph in call order, and launches of graphs.

use super::state::{
    Capture, StreamWork, WorkGraph, WorkNode, cuda, failed_call, kind, put_int, put_word, status,
    sticky,
};
use lanework_host::{External, Process, Stop, word};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The legacy default stream, by both of its handles.
const LEGACY: [u64; 2] = [0, 1];

const HELP: &str = "capture between `cudaStreamBeginCapture` and `cudaStreamEndCapture` of one created stream, and synchronize after it";

fn refused(process: &mut Process, code: u64, why: &str) -> Result<u64, Stop> {
    failed_call(process, code, why, HELP)
}

/// Does work of a stream now, or adds it to the capture of this stream, as a node of a kind.
pub fn queued(
    process: &mut Process,
    stream: u64,
    kind: u32,
    work: StreamWork,
) -> Result<u64, Stop> {
    let state = cuda(process)?;
    let handle = state.handle();
    let Some(capture) = &mut state.capture else { return work(process) };
    if capture.streams.contains(&stream) {
        // The nodes run in the order of the calls.
        let after = capture.graph.nodes.last().map(|node| node.handle).into_iter().collect();
        capture.graph.nodes.push(WorkNode { handle, kind, work, after, runs: true });
        return Ok(status::SUCCESS);
    }
    if LEGACY.contains(&stream) && capture.blocks_legacy {
        let why = "work in the default stream during the capture of a stream that waits for it";
        return refused(process, status::CAPTURE_IMPLICIT, why);
    }
    work(process)
}

/// Refuses a wait for a stream that is captured.
pub fn not_captured(process: &mut Process, stream: u64) -> Result<u64, Stop> {
    let captured = &cuda(process)?.capture;
    if captured.as_ref().is_some_and(|capture| capture.streams.contains(&stream)) {
        let why = "a captured stream has no work to wait for";
        return refused(process, status::CAPTURE_UNSUPPORTED, why);
    }
    Ok(status::SUCCESS)
}

/// Records an event in a capture. Returns whether its stream is captured.
pub fn records(process: &mut Process, event: u64, stream: u64) -> Result<bool, Stop> {
    let Some(capture) = &mut cuda(process)?.capture else { return Ok(false) };
    let is_captured = capture.streams.contains(&stream);
    capture.events.retain(|known| *known != event);
    if is_captured {
        capture.events.push(event);
    }
    Ok(is_captured)
}

/// A stream that waits for an event of a capture joins it.
pub fn joins(process: &mut Process, stream: u64, event: u64) -> Result<(), Stop> {
    if let Some(capture) = &mut cuda(process)?.capture
        && capture.events.contains(&event)
        && !capture.streams.contains(&stream)
    {
        capture.streams.push(stream);
    }
    Ok(())
}

fn begin(process: &mut Process, stream: u64) -> Result<u64, Stop> {
    if let Some(code) = sticky(process)? {
        return Ok(code);
    }
    let state = cuda(process)?;
    if LEGACY.contains(&stream) {
        return refused(
            process,
            status::CAPTURE_UNSUPPORTED,
            "the default stream cannot be captured",
        );
    }
    if state.capture.is_some() {
        return Err(process.fault(
            "two captures at the same time are not supported in the page",
            "end the first capture, or run the program with the `lanework` command",
        ));
    }
    let blocks_legacy = state.streams.get(&stream).is_none_or(|(flags, _)| flags & 1 == 0);
    let (events, graph) = (Vec::new(), WorkGraph::default());
    state.capture = Some(Capture { streams: vec![stream], blocks_legacy, events, graph });
    Ok(status::SUCCESS)
}

fn end(process: &mut Process, stream: u64, to: u64) -> Result<u64, Stop> {
    let state = cuda(process)?;
    match state.capture.take() {
        Some(capture) if capture.streams.first() == Some(&stream) => {
            let handle = add(process, capture.graph)?;
            put_word(process, to, handle)
        }
        other => {
            state.capture = other;
            let why = "this stream is not the one whose capture began";
            refused(process, status::ILLEGAL_STATE, why)
        }
    }
}

/// Adds a graph and returns its handle.
fn add(process: &mut Process, graph: WorkGraph) -> Result<u64, Stop> {
    let state = cuda(process)?;
    let handle = state.handle();
    state.graphs.insert(handle, graph);
    Ok(handle)
}

/// The graph to which a node was added: the first one with it, because copies come later.
pub fn in_graph(graphs: &BTreeMap<u64, WorkGraph>, node: u64) -> Option<u64> {
    let holds = |graph: &WorkGraph| graph.nodes.iter().any(|one| one.handle == node);
    graphs.iter().find(|(_, graph)| holds(graph)).map(|(handle, _)| *handle)
}

/// A copy of a graph, or of its executable form.
pub fn graph(process: &mut Process, handle: u64) -> Result<Result<WorkGraph, u64>, Stop> {
    if let Some(graph) = cuda(process)?.graphs.get(&handle) {
        return Ok(Ok(graph.clone()));
    }
    let why = "this is not a graph, or it was destroyed";
    let help = "pass the graph of `cudaGraphCreate`, `cudaStreamEndCapture` or `cudaGraphInstantiate`, before it is destroyed";
    failed_call(process, status::INVALID_VALUE, why, help).map(Err)
}

fn copied(process: &mut Process, to: u64, from: u64) -> Result<u64, Stop> {
    match graph(process, from)? {
        Ok(graph) => {
            let handle = add(process, graph)?;
            put_word(process, to, handle)
        }
        Err(code) => Ok(code),
    }
}

fn destroyed(process: &mut Process, handle: u64) -> Result<u64, Stop> {
    let code = graph(process, handle)?.map_or_else(|code| code, |_| status::SUCCESS);
    cuda(process)?.graphs.remove(&handle);
    Ok(code)
}

fn launched(process: &mut Process, handle: u64, stream: u64) -> Result<u64, Stop> {
    if let Some(code) = sticky(process)? {
        return Ok(code);
    }
    match graph(process, handle)? {
        // Calls that make dependencies refuse cycles.
        Ok(graph) => {
            queued(process, stream, kind::GRAPH, all_of(graph.ordered().unwrap_or_default()))
        }
        Err(code) => Ok(code),
    }
}

/// The work of a graph as one piece.
pub fn all_of(all: Vec<StreamWork>) -> StreamWork {
    Rc::new(move |process: &mut Process| {
        for one in &all {
            match one(process)? {
                status::SUCCESS => {}
                code => return Ok(code),
            }
        }
        Ok(status::SUCCESS)
    })
}

pub const FUNCTIONS: &[(&str, External)] = &[
    ("cuStreamBeginCapture_v2", |process, a| begin(process, word(a, 0))),
    ("cuStreamEndCapture", |process, a| end(process, word(a, 0), word(a, 1))),
    ("cuStreamIsCapturing", |process, a| {
        let capture = &cuda(process)?.capture;
        let found = capture.as_ref().is_some_and(|one| one.streams.contains(&word(a, 0)));
        put_int(process, word(a, 1), u32::from(found))
    }),
    ("cuGraphCreate", |process, a| {
        let handle = add(process, WorkGraph::default())?;
        put_word(process, word(a, 0), handle)
    }),
    ("cuGraphClone", |process, a| copied(process, word(a, 0), word(a, 1))),
    ("cuGraphInstantiateWithFlags", |process, a| copied(process, word(a, 0), word(a, 1))),
    ("cuGraphDestroy", |process, a| destroyed(process, word(a, 0))),
    ("cuGraphExecDestroy", |process, a| destroyed(process, word(a, 0))),
    ("cuGraphUpload", |process, a| {
        Ok(graph(process, word(a, 0))?.map_or_else(|code| code, |_| status::SUCCESS))
    }),
    ("cuGraphLaunch", |process, a| launched(process, word(a, 0), word(a, 1))),
    ("cuLaunchHostFunc", |process, a| {
        let (function, data) = (word(a, 1), word(a, 2));
        let call =
            move |process: &mut Process| process.call(function, &[data]).map(|_| status::SUCCESS);
        queued(process, word(a, 0), kind::HOST, Rc::new(call))
    }),
];
