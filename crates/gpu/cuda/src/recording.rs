//! The state of a graph capture in progress.

use std::sync::atomic::Ordering;
use std::thread;

use crate::driver::lock;
use crate::gpu::OpenCapture;
use crate::{Gpu, GpuFunction, Stream};

/// The state of a capture.
struct Recording {
    /// The stream that replaces the default stream on the capturing thread.
    stream: Stream,
    /// The kernels so far; kept loaded by the graph.
    functions: Vec<GpuFunction>,
}

impl Gpu {
    /// Starts a recording of what this thread queues on `stream`.
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

    /// Whether a capture on this thread records what goes to the default stream.
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
