//! Graphs: work recorded once and launched many times, with less overhead per kernel.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLockWriteGuard};
use std::thread;

use crate::driver::{Handle, lock, sys};

use crate::gpu::OpenCapture;
use crate::{CudaError, Gpu, GpuFunction, Stream};

/// Recorded work, ready to launch.
#[derive(Debug)]
pub struct Graph {
    gpu: Gpu,
    /// Each launch locks it, because the driver does not.
    executable: Mutex<Handle<sys::CUgraphExec_st>>,
    nodes: usize,
    /// The names of its kernels, for messages.
    name: Arc<str>,
    /// Keeps its modules loaded.
    functions: Vec<GpuFunction>,
}

impl Gpu {
    /// Records, without running it, the work that `work` queues on its stream argument and on streams that wait for
    /// events of that stream. During the capture, work of this thread on the default stream goes to the captured
    /// stream. Inside `work`, calls that wait, allocate, free or copy to or from the host are errors. On other threads,
    /// calls that wait for the whole GPU ([`Gpu::synchronize`], [`Gpu::free`], another capture) block until the capture
    /// ends.
    ///
    /// # Errors
    /// The error of `work`; [`CudaError::Capture`] inside another capture, or if the work cannot be recorded.
    pub fn capture(
        &self,
        work: impl FnOnce(&Stream) -> Result<(), CudaError>,
    ) -> Result<Graph, CudaError> {
        self.outside_capture("a second capture")?;
        let stream = self.independent_stream()?;
        let capture = Capture::begin(self, &stream)?;
        work(&stream)?;
        let (graph, functions) = capture.end()?;
        self.instantiate(graph, functions)
    }

    fn instantiate(
        &self,
        graph: RawGraph,
        functions: Vec<GpuFunction>,
    ) -> Result<Graph, CudaError> {
        let mut nodes = 0;
        // SAFETY: the graph is live; with a null list only the count is stored.
        let result = unsafe { sys::cuGraphGetNodes(graph.0.0, std::ptr::null_mut(), &mut nodes) };
        self.check(result, "cuGraphGetNodes")?;
        let mut executable = std::ptr::null_mut();
        // SAFETY: the graph is live; stores one handle.
        let result = unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, graph.0.0, 0) };
        self.check(result, "cuGraphInstantiate")?;
        Ok(Graph {
            gpu: self.clone(),
            executable: Mutex::new(Handle(executable)),
            nodes,
            name: graph_name(&functions).into(),
            functions,
        })
    }

    /// Measures, with events, the GPU time in nanoseconds of `launches` consecutive launches of a graph. Waits for
    /// them.
    ///
    /// # Errors
    /// As [`Graph::launch`], and [`CudaError::Fault`] if a kernel failed.
    ///
    /// # Safety
    /// As [`Graph::launch`].
    pub unsafe fn time_graph(
        &self,
        graph: &Graph,
        launches: u32,
        stream: Option<&Stream>,
    ) -> Result<f64, CudaError> {
        graph.upload(stream)?;
        self.time_events(stream, || {
            for _ in 0..launches {
                // SAFETY: every recorded kernel, copy and fill may run in each of these replays, as this function
                // requires.
                unsafe { graph.launch(stream)? };
            }
            Ok(())
        })
    }
}

impl Graph {
    /// The number of kernels, copies and fills.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Uploads the graph to the GPU before its first launch.
    ///
    /// # Errors
    /// [`CudaError::WrongGpu`] for another GPU's stream.
    pub fn upload(&self, stream: Option<&Stream>) -> Result<(), CudaError> {
        let stream = self.ready(stream)?;
        let stream = stream.as_ref();
        let executable = lock(&self.executable);
        // SAFETY: graph and stream are live, and the graph is locked.
        let result = unsafe { sys::cuGraphUpload(executable.0, Stream::raw_or_default(stream)) };
        self.gpu.check(result, "cuGraphUpload")
    }

    /// Queues the recorded work on `stream`, or on the default stream.
    ///
    /// # Errors
    /// As [`Gpu::launch`]; a fault names the graph by its kernels.
    ///
    /// # Safety
    /// Each recorded kernel must meet the contract of [`Gpu::launch`] again now, and the memory of recorded copies and
    /// fills must still be allocated.
    pub unsafe fn launch(&self, stream: Option<&Stream>) -> Result<(), CudaError> {
        let stream = self.ready(stream)?;
        let stream = stream.as_ref();
        let executable = lock(&self.executable);
        // SAFETY: graph and stream are alive, and the lock excludes another launch of the
        // executable. `Graph::launch` requires that the kernels and copies are still valid.
        let result = unsafe { sys::cuGraphLaunch(executable.0, Stream::raw_or_default(stream)) };
        self.gpu.check(result, "cuGraphLaunch")?;
        drop(executable);
        if self.gpu.is_capturing(stream)? {
            self.gpu.record_functions(&self.functions);
            return Ok(());
        }
        self.gpu.note_launch(Arc::clone(&self.name), [0; 3], [0; 3], stream);
        if self.gpu.is_blocking() { self.gpu.synchronize() } else { Ok(()) }
    }

    /// Binds the context and returns the stream to use.
    fn ready(&self, stream: Option<&Stream>) -> Result<Option<Stream>, CudaError> {
        self.gpu.bind()?;
        self.gpu.resolve(stream)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // SAFETY: instantiated once, destroyed once; a running launch is finished first.
            let _ = unsafe { sys::cuGraphExecDestroy(lock(&self.executable).0) };
        }
    }
}

/// A driver graph, destroyed when dropped.
struct RawGraph(Handle<sys::CUgraph_st>);

impl Drop for RawGraph {
    fn drop(&mut self) {
        // SAFETY: returned by cuStreamEndCapture and destroyed once; executables are independent.
        let _ = unsafe { sys::cuGraphDestroy(self.0.0) };
    }
}

/// A capture in progress. Dropping it before its end abandons it.
struct Capture<'a> {
    gpu: &'a Gpu,
    stream: &'a Stream,
    ended: bool,
    /// While held, it keeps other threads from starting a device-wide wait or a capture.
    _nobody_waits: RwLockWriteGuard<'a, ()>,
}

impl<'a> Capture<'a> {
    fn begin(gpu: &'a Gpu, stream: &'a Stream) -> Result<Self, CudaError> {
        let nobody_waits = gpu.inner.waiting.write().unwrap_or_else(PoisonError::into_inner);
        gpu.bind()?;
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is live and not the default one.
        let result = unsafe { sys::cuStreamBeginCapture_v2(stream.raw_stream(), mode) };
        gpu.check(result, "cuStreamBeginCapture")?;
        gpu.begin_recording(stream);
        gpu.inner.capturing.store(true, Ordering::Release);
        Ok(Capture { gpu, stream, ended: false, _nobody_waits: nobody_waits })
    }

    fn end(mut self) -> Result<(RawGraph, Vec<GpuFunction>), CudaError> {
        self.ended = true;
        let (graph, functions) = self.stop();
        Ok((graph?, functions))
    }

    /// Ends the capture in the driver and in [`Gpu`].
    fn stop(&self) -> (Result<RawGraph, CudaError>, Vec<GpuFunction>) {
        let mut graph = std::ptr::null_mut();
        // SAFETY: the stream is capturing; stores one handle, null when the capture failed.
        let result = unsafe { sys::cuStreamEndCapture(self.stream.raw_stream(), &mut graph) };
        let functions = self.gpu.end_recording();
        self.gpu.inner.capturing.store(false, Ordering::Release);
        let ended = match self.gpu.check(result, "cuStreamEndCapture") {
            Err(CudaError::Driver { name, text, .. }) => Err(CudaError::Capture {
                why: format!(
                    "{text} ({name}); work inside a capture must not wait, allocate or free"
                ),
            }),
            Err(other) => Err(other),
            Ok(()) if graph.is_null() => {
                Err(CudaError::Capture { why: "the driver returned no graph".into() })
            }
            Ok(()) => Ok(RawGraph(Handle(graph))),
        };
        (ended, functions)
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.stop();
        }
    }
}

/// The state of a capture.
struct Recording {
    /// The stream that replaces the default stream on the capturing thread.
    stream: Stream,
    /// The kernels so far. The graph keeps them loaded.
    functions: Vec<GpuFunction>,
}

impl Gpu {
    /// Starts recording the work that this thread queues on `stream`.
    pub(crate) fn begin_recording(&self, stream: &Stream) {
        let recording = Recording { stream: stream.clone(), functions: Vec::new() };
        let thread = thread::current().id();
        *lock(&self.inner.capture) = Some(OpenCapture { thread, recording: Box::new(recording) });
    }

    /// Ends the recording and returns its kernels.
    pub(crate) fn end_recording(&self) -> Vec<GpuFunction> {
        let capture = lock(&self.inner.capture).take();
        let recording = capture.and_then(|capture| capture.recording.downcast::<Recording>().ok());
        recording.map(|recording| recording.functions).unwrap_or_default()
    }

    /// Whether a capture on this thread records the work of the default stream.
    pub fn is_recording(&self) -> bool {
        self.inner.capturing.load(Ordering::Acquire) && self.recorded_stream().is_some()
    }

    /// Adds kernels to the recording, if there is one.
    pub(crate) fn record_functions(&self, functions: &[GpuFunction]) {
        let mut capture = lock(&self.inner.capture);
        let recording = capture.as_mut().and_then(|capture| capture.recording.downcast_mut());
        if let Some(Recording { functions: recorded, .. }) = recording {
            recorded.extend_from_slice(functions);
        }
    }

    /// The stream that replaces the default stream on this thread, inside a capture.
    pub(crate) fn recorded_stream(&self) -> Option<Stream> {
        let capture = lock(&self.inner.capture);
        let here = capture.as_ref().filter(|capture| capture.thread == thread::current().id())?;
        here.recording.downcast_ref().map(|recording: &Recording| recording.stream.clone())
    }
}

/// "graph of 2 x saxpy, 1 x sum".
fn graph_name(functions: &[GpuFunction]) -> String {
    counted(functions.iter().map(GpuFunction::name))
}

fn counted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_insert(0u32) += 1;
    }
    let parts: Vec<String> =
        counts.iter().map(|(name, count)| format!("{count} x {name}")).collect();
    match &parts[..] {
        [] => "graph without kernels".to_string(),
        parts => format!("graph of {}", parts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_are_named_by_their_kernels() {
        assert_eq!(counted(["b", "a", "b"].into_iter()), "graph of 1 x a, 2 x b");
        assert_eq!(counted([].into_iter()), "graph without kernels");
    }
}
