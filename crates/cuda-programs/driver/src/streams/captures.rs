//! Stream capture: work queued on a captured stream becomes graph nodes.

use crate::api::api;
use crate::graphs::work::{EdgeData, Graph, Work};
use crate::handles::Handle;
use crate::pointers::{In, Out};
use crate::state::{Driver, driver, lock, table};
use crate::status::{Result, Status};
use crate::streams::stream::{PER_THREAD, own_stream};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

/// A captured stream.
#[derive(Clone)]
struct Capture {
    graph: Handle,
    /// Dependencies of the next node.
    last: Vec<Handle>,
    /// The stream that began the capture.
    origin: Handle,
}

/// Captures by stream.
static CAPTURES: Mutex<BTreeMap<Handle, Capture>> = Mutex::new(BTreeMap::new());

/// Data that programs read until the next query; only its address is returned.
static SHOWN: Mutex<BTreeMap<Handle, Shown>> = Mutex::new(BTreeMap::new());

/// Dependencies of the next node, and their edge data.
type Shown = (Box<[Handle]>, Box<[EdgeData]>);

thread_local! {
    /// `CUstreamCaptureMode` of the thread. Only stored, since no call is unsafe during capture here.
    static MODE: Cell<i32> = const { Cell::new(0) };
}

/// Key of a stream: each thread's default stream is its own.
fn known(stream: Handle) -> Handle {
    if stream == PER_THREAD { own_stream() } else { stream }
}

impl Driver {
    fn captures(&self) -> MutexGuard<'_, BTreeMap<Handle, Capture>> {
        lock(&CAPTURES)
    }

    /// Queues work of a stream, or adds it to the graph that the stream is captured to.
    pub fn submit(&self, stream: Handle, work: Work) -> Result {
        self.stream(stream)?;
        let capture = self.captures().get(&known(stream)).cloned();
        match capture {
            None => self.queue(stream, work).map(drop),
            Some(Capture { graph, last, .. }) => {
                let node = self.add_node(graph, &last, work)?;
                if let Some(capture) = self.captures().get_mut(&known(stream)) {
                    capture.last = vec![node];
                }
                Ok(())
            }
        }
    }

    /// Ends the capture of a destroyed stream.
    pub fn forget(&self, stream: Handle) {
        self.captures().remove(&stream);
        lock(&SHOWN).remove(&stream);
    }

    /// Graph and last nodes of a captured stream.
    pub fn captured(&self, stream: Handle) -> Option<(Handle, Vec<Handle>)> {
        self.captures().get(&known(stream)).map(|capture| (capture.graph, capture.last.clone()))
    }

    /// Makes a stream wait for captured nodes, which makes it join the capture.
    pub fn join(&self, stream: Handle, graph: Handle, nodes: &[Handle]) {
        let mut captures = self.captures();
        let origin = captures
            .values()
            .find(|capture| capture.graph == graph)
            .map_or(known(stream), |capture| capture.origin);
        let capture =
            captures.entry(known(stream)).or_insert(Capture { graph, last: Vec::new(), origin });
        for node in nodes {
            if !capture.last.contains(node) {
                capture.last.push(*node);
            }
        }
    }
}

/// Begins a capture.
fn begin(stream: Handle, graph: Handle, last: Vec<Handle>) -> Result {
    let driver = driver()?;
    driver.stream(stream)?;
    if stream == 0 || stream == 1 {
        return Err(Status::StreamCaptureUnsupported);
    }
    match driver.captures().entry(known(stream)) {
        std::collections::btree_map::Entry::Occupied(_) => Err(Status::IllegalState),
        std::collections::btree_map::Entry::Vacant(vacant) => {
            vacant.insert(Capture { graph, last, origin: known(stream) });
            Ok(())
        }
    }
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
    let found = driver()?.captured(stream);
    let (of_graph, last) = found.clone().unwrap_or_default();
    let mut shown = lock(&SHOWN);
    let data = vec![EdgeData::default(); last.len()].into_boxed_slice();
    let shown = shown.entry(known(stream)).insert_entry((last.into_boxed_slice(), data));
    let (last, data) = shown.get();
    id.store_optional(of_graph);
    graph.store_optional(of_graph);
    nodes.store_optional(last.as_ptr());
    edges.store_optional(data.as_ptr());
    count.store_optional(last.len());
    status.store(i32::from(found.is_some()))
}

/// Changes the dependencies of a stream's next node.
fn update(stream: Handle, nodes: In<'_, Handle>, count: usize, flags: u32) -> Result {
    let nodes = nodes.list(count)?;
    let driver = driver()?;
    let mut captures = driver.captures();
    let capture = captures.get_mut(&known(stream)).ok_or(Status::IllegalState)?;
    // 1 replaces the dependencies, 0 adds to them.
    if flags == 1 {
        capture.last.clear();
    }
    capture.last.extend(nodes);
    Ok(())
}

api! {
    fn cuStreamBeginCapture_v2(stream: Handle, _mode: i32) {
        let graph = table::<Graph>().add(Graph::default());
        begin(stream, graph, Vec::new())
    }

    fn cuStreamBeginCaptureToGraph(stream: Handle, graph: Handle, after: In<'_, Handle>, _data: *const std::ffi::c_void, count: usize, _mode: i32) {
        table::<Graph>().get(graph)?;
        begin(stream, graph, after.list(count)?.to_vec())
    }

    fn cuStreamEndCapture(stream: Handle, graph: Out<'_, Handle>) {
        let driver = driver()?;
        driver.stream(stream)?;
        let mut captures = driver.captures();
        let ended = captures.get(&known(stream)).cloned().ok_or(Status::IllegalState)?;
        if ended.origin != known(stream) {
            return Err(Status::IllegalState);
        }
        captures.retain(|_, capture| capture.graph != ended.graph);
        // The caller may know the graph already.
        graph.store_optional(ended.graph);
        Ok(())
    }

    fn cuStreamIsCapturing(stream: Handle, status: Out<'_, i32>) {
        let found = driver()?.captured(stream);
        status.store(i32::from(found.is_some()))
    }

    fn cuThreadExchangeStreamCaptureMode(mode: Out<'_, i32>) {
        driver()?;
        let asked = mode.get()?;
        if !(0..=2).contains(&asked) {
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
