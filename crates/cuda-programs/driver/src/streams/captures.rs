//! Stream capture: work queued on a captured stream becomes graph nodes. Calls that a GPU's driver refuses during a
//! capture are refused with the same codes, and invalidate the captures that they disturb. The rules come from
//! recorded calls on an H200 (`tests/calls`).

use crate::api::api;
use crate::devices::contexts::current;
use crate::graphs::work::{EdgeData, Graph, Node, Work};
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use crate::streams::Event;
use crate::streams::stream::{LEGACY, PER_THREAD, SYNCHRONOUS, own_stream};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread::ThreadId;

/// One capture: all streams that are captured into one graph.
struct Sequence {
    /// The stream that began it.
    origin: Handle,
    /// `CUstreamCaptureMode`.
    mode: i32,
    /// The thread that began it.
    thread: ThreadId,
    /// Whether an illegal call invalidated it. If so, only ending it is legal.
    invalid: bool,
}

/// A captured stream.
struct CapturedStream {
    graph: Handle,
    /// Dependencies of the next node.
    last: Vec<Handle>,
    context: Handle,
    /// Whether it synchronizes with the legacy default stream.
    blocking: bool,
}

/// All captures of the process.
pub struct Captures {
    /// By graph.
    sequences: BTreeMap<Handle, Sequence>,
    /// By stream.
    streams: BTreeMap<Handle, CapturedStream>,
}

static CAPTURES: Mutex<Captures> =
    Mutex::new(Captures { sequences: BTreeMap::new(), streams: BTreeMap::new() });

/// Whether there are captures: a fast check for calls.
static ANY: AtomicBool = AtomicBool::new(false);

/// Data that programs may read until the next query; queries return its address.
static SHOWN: Mutex<BTreeMap<Handle, Shown>> = Mutex::new(BTreeMap::new());

/// Dependencies of the next node, and their edge data.
type Shown = (Box<[Handle]>, Box<[EdgeData]>);

/// Capture modes (`CUstreamCaptureMode`).
const GLOBAL: i32 = 0;
const RELAXED: i32 = 2;

thread_local! {
    /// The mode of the thread, which decides for which captures its unsafe calls are illegal.
    static MODE: Cell<i32> = const { Cell::new(GLOBAL) };
}

/// Calls that may disturb a capture of another stream, sorted by name. They are illegal unless the mode allows them.
const UNSAFE: [&str; 22] = [
    "cuArray3DCreate_v2",
    "cuArrayCreate_v2",
    "cuArrayDestroy",
    "cuCtxSetLimit",
    "cuGraphExecDestroy",
    "cuGraphInstantiateWithFlags",
    "cuGraphInstantiateWithParams",
    "cuMemAdvise",
    "cuMemAdvise_v2",
    "cuMemAllocHost_v2",
    "cuMemAllocManaged",
    "cuMemAllocPitch_v2",
    "cuMemAlloc_v2",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemHostAlloc",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuMemPoolTrimTo",
    "cuModuleUnload",
    "cuProfilerStart",
    "cuProfilerStop",
];

/// Key of a stream. The per-thread default stream has a different key in each thread.
fn known(stream: Handle) -> Handle {
    if stream == PER_THREAD { own_stream() } else { stream }
}

/// Whether a handle refers to the legacy default stream.
fn is_legacy(stream: Handle) -> bool {
    matches!(stream, 0 | LEGACY | SYNCHRONOUS)
}

/// Refuses a call that is illegal while the process has captures.
pub fn check_call(name: &str) -> Result {
    if ANY.load(Ordering::Acquire) && UNSAFE.binary_search(&name).is_ok() {
        check_unsafe()?;
    }
    Ok(())
}

/// Refuses an unsafe call if a capture forbids it: a capture of this thread that is not relaxed, or a global capture
/// of any thread. The mode of the thread limits this to its own captures, or to none.
fn check_unsafe() -> Result {
    if !ANY.load(Ordering::Acquire) {
        return Ok(());
    }
    let (own, mode) = (std::thread::current().id(), MODE.get());
    let forbids = |capture: &Sequence| match mode {
        RELAXED => false,
        _ if capture.thread == own => capture.mode != RELAXED,
        mode => mode == GLOBAL && capture.mode == GLOBAL,
    };
    let mut all = lock(&CAPTURES);
    let mut refused = false;
    for capture in all.sequences.values_mut().filter(|capture| forbids(capture)) {
        (capture.invalid, refused) = (true, true);
    }
    if refused { Err(Status::StreamCaptureUnsupported) } else { Ok(()) }
}

impl Captures {
    /// Invalidates the capture of a graph.
    fn invalidate(&mut self, graph: Handle) {
        if let Some(capture) = self.sequences.get_mut(&graph) {
            capture.invalid = true;
        }
    }

    /// Invalidates the captures of streams; returns whether there are any.
    fn invalidate_streams(&mut self, of: impl Fn(&CapturedStream) -> bool) -> bool {
        let found = self.streams.values().filter(|stream| of(stream));
        let graphs: BTreeSet<Handle> = found.map(|stream| stream.graph).collect();
        graphs.iter().for_each(|graph| self.invalidate(*graph));
        !graphs.is_empty()
    }

    /// The graph of a captured stream, unless its capture is invalid.
    fn valid(&self, stream: Handle) -> Result<Option<&CapturedStream>> {
        let Some(found) = self.streams.get(&known(stream)) else { return Ok(None) };
        match self.sequences.get(&found.graph) {
            Some(capture) if !capture.invalid => Ok(Some(found)),
            _ => Err(Status::StreamCaptureInvalidated),
        }
    }

    /// Ends a capture.
    fn end(&mut self, graph: Handle) {
        self.sequences.remove(&graph);
        self.streams.retain(|_, stream| stream.graph != graph);
        ANY.store(!self.sequences.is_empty(), Ordering::Release);
    }

    /// Whether the work of every captured stream leads to the next node of the stream that began the capture.
    fn is_joined(&self, graph: Handle, origin: Handle) -> Result<bool> {
        let nodes: BTreeMap<Handle, Vec<Handle>> =
            lock(&table::<Graph>().some(graph)?.nodes).iter().cloned().collect();
        let ends = |stream: Handle| self.streams.get(&stream).map_or(&[][..], |found| &found.last);
        let mut open: Vec<Handle> = ends(origin).to_vec();
        let mut reached: BTreeSet<Handle> = BTreeSet::new();
        while let Some(node) = open.pop() {
            if reached.insert(node) {
                open.extend(nodes.get(&node).into_iter().flatten());
            }
        }
        let mut streams = self.streams.values().filter(|stream| stream.graph == graph);
        Ok(streams.all(|stream| stream.last.iter().all(|node| reached.contains(node))))
    }
}

impl Driver {
    fn captures(&self) -> MutexGuard<'static, Captures> {
        lock(&CAPTURES)
    }

    /// Queues work of a stream, or adds it to the graph that captures the stream.
    pub fn submit(&self, stream: Handle, work: Work) -> Result {
        self.stream(stream)?;
        let Some((graph, last)) = self.captured(stream)? else {
            if let Work::Launch(launch, _) = &work {
                launch.check()?;
            }
            self.check_legacy(stream)?;
            return self.queue(stream, work).map(drop);
        };
        match &work {
            Work::Launch(launch, _) => {
                launch.check().inspect_err(|_| self.captures().invalidate(graph))?
            }
            Work::Fill(fill) => fill.check()?,
            Work::Copy(copy) => copy.check()?,
            _ => {}
        }
        let node = self.add_node(graph, &last, work)?;
        if let Some(captured) = self.captures().streams.get_mut(&known(stream)) {
            captured.last = vec![node];
        }
        Ok(())
    }

    /// Refuses a use of the legacy default stream while a stream that it waits for is captured.
    pub fn check_legacy(&self, stream: Handle) -> Result {
        if !ANY.load(Ordering::Acquire) || !is_legacy(stream) {
            return Ok(());
        }
        let context = current();
        let waits = |stream: &CapturedStream| stream.blocking && stream.context == context;
        match self.captures().invalidate_streams(waits) {
            true => Err(Status::StreamCaptureImplicit),
            false => Ok(()),
        }
    }

    /// Refuses a call that is illegal on captured streams.
    pub fn check_uncaptured(&self, stream: Handle) -> Result {
        if !ANY.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut captures = self.captures();
        if let Some(graph) = captures.streams.get(&known(stream)).map(|found| found.graph) {
            captures.invalidate(graph);
            return Err(Status::StreamCaptureUnsupported);
        }
        drop(captures);
        self.check_legacy(stream)
    }

    /// Refuses an unsafe call, as [`check_unsafe`] does.
    pub fn check_unsafe(&self) -> Result {
        check_unsafe()
    }

    /// During a capture, refuses to wait for a stream or to query whether it is done.
    pub fn check_wait(&self, stream: Handle) -> Result {
        self.check_uncaptured(stream)?;
        check_unsafe()
    }

    /// Refuses to wait for a context with captured streams.
    pub fn check_wait_for_context(&self, context: Handle) -> Result {
        let of_context = |stream: &CapturedStream| stream.context == context;
        match ANY.load(Ordering::Acquire) && self.captures().invalidate_streams(of_context) {
            true => Err(Status::StreamCaptureUnsupported),
            false => Ok(()),
        }
    }

    /// Refuses to wait for an event that was recorded during a capture. Other waits are refused as unsafe calls.
    pub fn check_event(&self, event: &Event) -> Result {
        let Some((graph, _)) = event.captured() else { return check_unsafe() };
        let mut captures = self.captures();
        if !captures.sequences.contains_key(&graph) {
            return Err(Status::InvalidValue);
        }
        captures.invalidate(graph);
        Err(Status::CapturedEvent)
    }

    /// Makes a stream wait for an event during captures; returns whether the wait is complete.
    pub fn capture_wait(&self, stream: Handle, event: &Event) -> Result<bool> {
        self.check_legacy(stream)?;
        let own = self.captured(stream)?.map(|(graph, _)| graph);
        let mut captures = self.captures();
        match (event.captured(), own) {
            (None, None) => Ok(false),
            // An event that was never recorded has no effect on the order.
            (None, Some(_)) if !event.is_recorded() => Ok(true),
            (None, Some(own)) => {
                captures.invalidate(own);
                Err(Status::StreamCaptureIsolation)
            }
            (Some((graph, _)), _) if !captures.sequences.contains_key(&graph) => {
                Err(Status::InvalidValue)
            }
            (Some((graph, _)), _) if captures.sequences[&graph].invalid => {
                Err(Status::StreamCaptureInvalidated)
            }
            (Some((graph, _)), Some(own)) if graph != own => {
                [graph, own].into_iter().for_each(|graph| captures.invalidate(graph));
                Err(Status::StreamCaptureMerge)
            }
            (Some((graph, nodes)), _) => {
                drop(captures);
                self.join(stream, graph, &nodes)?;
                Ok(true)
            }
        }
    }

    /// Ends the captures of a context's streams.
    pub fn end_captures(&self, context: Handle) {
        let mut captures = self.captures();
        let of_context = captures.streams.values().filter(|stream| stream.context == context);
        let graphs: BTreeSet<Handle> = of_context.map(|stream| stream.graph).collect();
        graphs.into_iter().for_each(|graph| captures.end(graph));
    }

    /// Ends the capture of a destroyed stream.
    pub fn forget(&self, stream: Handle) {
        let mut captures = self.captures();
        let began = captures.sequences.iter().find(|(_, capture)| capture.origin == stream);
        match began.map(|(graph, _)| *graph) {
            Some(graph) => captures.end(graph),
            None => drop(captures.streams.remove(&stream)),
        }
        lock(&SHOWN).remove(&stream);
    }

    /// Graph and last nodes of a captured stream.
    ///
    /// # Errors
    /// If the capture is invalid.
    pub fn captured(&self, stream: Handle) -> Result<Option<(Handle, Vec<Handle>)>> {
        if !ANY.load(Ordering::Acquire) {
            return Ok(None);
        }
        Ok(self.captures().valid(stream)?.map(|found| (found.graph, found.last.clone())))
    }

    /// Makes a stream wait for captured nodes, so it joins the capture.
    fn join(&self, stream: Handle, graph: Handle, nodes: &[Handle]) -> Result {
        let ordered = self.ordered_stream(stream)?;
        let (context, blocking) = (ordered.key.context, ordered.blocking);
        let joined = CapturedStream { graph, last: Vec::new(), context, blocking };
        let mut captures = self.captures();
        let captured = captures.streams.entry(known(stream)).or_insert(joined);
        for node in nodes {
            if !captured.last.contains(node) {
                captured.last.push(*node);
            }
        }
        Ok(())
    }
}

/// Begins a capture.
fn begin(stream: Handle, mode: i32, graph: impl FnOnce() -> Handle, last: Vec<Handle>) -> Result {
    let driver = driver()?;
    let ordered = driver.ordered_stream(stream)?;
    if is_legacy(stream) {
        return Err(Status::StreamCaptureUnsupported);
    }
    if !(GLOBAL..=RELAXED).contains(&mode) {
        return Err(Status::InvalidValue);
    }
    let mut captures = driver.captures();
    if captures.streams.contains_key(&known(stream)) {
        return Err(Status::IllegalState);
    }
    let (context, blocking) = (ordered.key.context, ordered.blocking);
    let (graph, thread) = (graph(), std::thread::current().id());
    captures.streams.insert(known(stream), CapturedStream { graph, last, context, blocking });
    captures
        .sequences
        .insert(graph, Sequence { origin: known(stream), mode, thread, invalid: false });
    ANY.store(true, Ordering::Release);
    Ok(())
}

/// Ends a capture; returns its graph.
fn end(stream: Handle) -> Result<Handle> {
    let driver = driver()?;
    driver.stream(stream)?;
    let mut captures = driver.captures();
    let graph = captures.streams.get(&known(stream)).ok_or(Status::IllegalState)?.graph;
    let Some(&Sequence { origin, mode, thread, invalid }) = captures.sequences.get(&graph) else {
        return Err(Status::IllegalState);
    };
    if origin != known(stream) {
        captures.invalidate(graph);
        return Err(Status::StreamCaptureUnmatched);
    }
    if mode != RELAXED && thread != std::thread::current().id() {
        return Err(Status::StreamCaptureWrongThread);
    }
    let joined = captures.is_joined(graph, origin);
    captures.end(graph);
    match (invalid, joined?) {
        (true, _) => Err(Status::StreamCaptureInvalidated),
        (false, false) => Err(Status::StreamCaptureUnjoined),
        (false, true) => Ok(graph),
    }
}

/// `CUstreamCaptureStatus` of a stream: 0 not captured, 1 captured, 2 captured and invalid.
fn state(stream: Handle) -> Result<i32> {
    let driver = driver()?;
    driver.stream(stream)?;
    let captures = driver.captures();
    let context = current();
    let waits = |stream: &CapturedStream| stream.blocking && stream.context == context;
    if is_legacy(stream) && captures.streams.values().any(waits) {
        return Err(Status::StreamCaptureImplicit);
    }
    Ok(match captures.valid(stream) {
        Ok(None) => 0,
        Ok(Some(_)) => 1,
        Err(_) => 2,
    })
}

/// Stores the capture state of a stream.
fn inform(
    stream: Handle,
    status: Out<'_, i32>,
    id: Out<'_, u64>,
    graph: Out<'_, Handle>,
    nodes: Out<'_, *const Handle>,
    edges: Out<'_, *const EdgeData>,
    count: Out<'_, usize>,
) -> Result {
    let of_stream = state(stream)?;
    status.store(of_stream)?;
    let (of_graph, last) = match of_stream {
        1 => driver()?.captured(stream)?.unwrap_or_default(),
        _ => return Ok(()),
    };
    let mut shown = lock(&SHOWN);
    let data = vec![EdgeData::default(); last.len()].into_boxed_slice();
    let shown = shown.entry(known(stream)).insert_entry((last.into_boxed_slice(), data));
    let (last, data) = shown.get();
    id.store_optional(of_graph);
    graph.store_optional(of_graph);
    let (of_nodes, of_edges) = match last.is_empty() {
        true => (std::ptr::null(), std::ptr::null()),
        false => (last.as_ptr(), data.as_ptr()),
    };
    nodes.store_optional(of_nodes);
    edges.store_optional(of_edges);
    count.store_optional(last.len());
    Ok(())
}

/// Changes the dependencies of a stream's next node.
fn update(stream: Handle, nodes: In<'_, Handle>, count: usize, flags: u32) -> Result {
    let nodes = nodes.list(count)?;
    let driver = driver()?;
    let mut captures = driver.captures();
    let captured = captures.streams.get_mut(&known(stream)).ok_or(Status::IllegalState)?;
    let graph = captured.graph;
    let is_of_graph =
        |node: &Handle| table::<Node>().find(*node).is_some_and(|node| node.graph == graph);
    // 1 replaces the dependencies, 0 adds to them.
    if flags > 1 || !nodes.iter().all(is_of_graph) {
        return Err(Status::InvalidValue);
    }
    if flags == 1 {
        captured.last.clear();
    }
    captured.last.extend(nodes);
    Ok(())
}

api! {
    fn cuStreamBeginCapture_v2(stream: Handle, mode: i32) {
        begin(stream, mode, || table::<Graph>().add(Graph::default()), Vec::new())
    }

    fn cuStreamBeginCaptureToGraph(stream: Handle, graph: Handle, after: In<'_, Handle>, _data: *const std::ffi::c_void, count: usize, mode: i32) {
        table::<Graph>().some(graph)?;
        begin(stream, mode, || graph, after.list(count)?.to_vec())
    }

    fn cuStreamEndCapture(stream: Handle, graph: Out<'_, Handle>) {
        graph.store_optional(0);
        // The caller may already know the graph.
        graph.store_optional(end(stream)?);
        Ok(())
    }

    fn cuStreamIsCapturing(stream: Handle, status: Out<'_, i32>) {
        status.store(state(stream)?)
    }

    fn cuThreadExchangeStreamCaptureMode(mode: Out<'_, i32>) {
        driver()?;
        let asked = mode.get()?;
        if !(GLOBAL..=RELAXED).contains(&asked) {
            return Err(Status::InvalidValue);
        }
        mode.store(MODE.replace(asked))
    }

    fn cuStreamGetCaptureInfo_v2(stream: Handle, status: Out<'_, i32>, id: Out<'_, u64>, graph: Out<'_, Handle>, nodes: Out<'_, *const Handle>, count: Out<'_, usize>) {
        inform(stream, status, id, graph, nodes, Out::NULL, count)
    }

    fn cuStreamGetCaptureInfo_v3(stream: Handle, status: Out<'_, i32>, id: Out<'_, u64>, graph: Out<'_, Handle>, nodes: Out<'_, *const Handle>, edges: Out<'_, *const EdgeData>, count: Out<'_, usize>) {
        inform(stream, status, id, graph, nodes, edges, count)
    }

    fn cuStreamUpdateCaptureDependencies(stream: Handle, nodes: In<'_, Handle>, count: usize, flags: u32) {
        update(stream, nodes, count, flags)
    }

    fn cuStreamUpdateCaptureDependencies_v2(stream: Handle, nodes: In<'_, Handle>, _data: *const std::ffi::c_void, count: usize, flags: u32) {
        update(stream, nodes, count, flags)
    }
}

#[cfg(test)]
mod tests {
    use super::UNSAFE;

    #[test]
    fn unsafe_calls_are_sorted() {
        assert!(UNSAFE.is_sorted());
    }
}
