//! Streams: queues of work. Each runs in order; different streams run concurrently.

use crate::driver::ledger::{Finished, Queue};
use crate::driver::sys::CUresult;
use crate::driver::{Handle, lock, sys};
use crate::{CudaError, Gpu};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A queue of GPU work. Clones share it. Dropping the last clone destroys it, once its work is done.
#[derive(Clone, Debug)]
pub struct Stream {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    gpu: Gpu,
    handle: Handle<sys::CUstream_st>,
    queue: Queue,
}

impl Gpu {
    /// A new stream, ordered with the default stream: [`Gpu::read`] sees the work queued before it.
    ///
    /// # Errors
    /// [`CudaError::ContextLost`] after a fault; [`CudaError::Driver`] if the driver rejects the
    /// request.
    pub fn stream(&self) -> Result<Stream, CudaError> {
        self.new_stream(true)
    }

    /// A new stream that runs concurrently with the default stream, unordered with it.
    ///
    /// # Errors
    /// As [`Gpu::stream`].
    pub fn independent_stream(&self) -> Result<Stream, CudaError> {
        self.new_stream(false)
    }

    fn new_stream(&self, ordered: bool) -> Result<Stream, CudaError> {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        self.bind()?;
        let flags = match ordered {
            true => sys::CUstream_flags::CU_STREAM_DEFAULT,
            false => sys::CUstream_flags::CU_STREAM_NON_BLOCKING,
        };
        let mut handle = std::ptr::null_mut();
        // SAFETY: stores one handle.
        let result = unsafe { sys::cuStreamCreate(&mut handle, flags.0) };
        self.check(result, "cuStreamCreate")?;
        let queue = Queue { stream: NUMBER.fetch_add(1, Ordering::Relaxed), ordered };
        Ok(Stream { inner: Arc::new(Inner { gpu: self.clone(), handle: Handle(handle), queue }) })
    }
}

impl Stream {
    /// The stream's GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.inner.gpu
    }

    /// Waits for the stream's work.
    ///
    /// # Errors
    /// [`CudaError::Fault`] if a kernel failed.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        let gpu = self.gpu();
        gpu.outside_capture("waiting")?;
        gpu.bind()?;
        let up_to = gpu.issued();
        // SAFETY: the stream is live.
        let result = unsafe { sys::cuStreamSynchronize(self.raw_stream()) };
        gpu.check(result, "cuStreamSynchronize")?;
        gpu.finished(Finished::Stream(self.queue().stream), up_to);
        Ok(())
    }

    /// Sets `bytes` bytes of GPU memory to `value`, in the stream's order.
    ///
    /// # Errors
    /// [`CudaError::Address`] if the range is not inside one live allocation.
    pub fn fill(&self, address: u64, value: u8, bytes: usize) -> Result<(), CudaError> {
        self.gpu().fill_on(address, value, bytes, Some(self))
    }

    /// Copies bytes within the GPU's memory, in the stream's order.
    ///
    /// # Errors
    /// [`CudaError::Address`] if a range is not inside one live allocation.
    pub fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<(), CudaError> {
        self.gpu().copy_on(from, to, bytes, Some(self))
    }

    /// The driver's `CUstream`, for other libraries.
    pub fn raw(&self) -> *mut c_void {
        self.inner.handle.0.cast()
    }

    pub(crate) fn raw_stream(&self) -> sys::CUstream {
        self.inner.handle.0
    }

    pub(crate) fn raw_or_default(stream: Option<&Stream>) -> sys::CUstream {
        stream.map_or(std::ptr::null_mut(), Stream::raw_stream)
    }

    pub(crate) fn queue(&self) -> Queue {
        self.inner.queue
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // SAFETY: created by `new_stream`, destroyed once; the driver finishes its work first.
            let _ = unsafe { sys::cuStreamDestroy_v2(self.handle.0) };
        }
    }
}

/// A point in a stream, with a GPU time stamp.
#[derive(Debug)]
pub struct Event {
    gpu: Gpu,
    handle: Handle<sys::CUevent_st>,
    /// The stream that recorded the event last, and the newest launch before it.
    recorded: Mutex<Option<(Queue, u64)>>,
}

impl Gpu {
    /// A new event, not yet recorded.
    ///
    /// # Errors
    /// [`CudaError::ContextLost`] after a fault; [`CudaError::Driver`] if the driver rejects the
    /// request.
    pub fn event(&self) -> Result<Event, CudaError> {
        self.bind()?;
        let mut handle = std::ptr::null_mut();
        let flags = sys::CUevent_flags::CU_EVENT_DEFAULT.0;
        // SAFETY: stores one handle.
        let result = unsafe { sys::cuEventCreate(&mut handle, flags) };
        self.check(result, "cuEventCreate")?;
        Ok(Event { gpu: self.clone(), handle: Handle(handle), recorded: Mutex::new(None) })
    }

    /// Measures, with events, the GPU time in nanoseconds of the work that `work` queues on `stream`, and waits for it.
    /// For short work the result includes the gap before the launch reaches the GPU.
    ///
    /// # Errors
    /// The error of `work`, and [`CudaError::Fault`] if a kernel failed.
    pub fn time_events(
        &self,
        stream: Option<&Stream>,
        work: impl FnOnce() -> Result<(), CudaError>,
    ) -> Result<f64, CudaError> {
        let (start, stop) = (self.event()?, self.event()?);
        start.record(stream)?;
        work()?;
        stop.record(stream)?;
        stop.synchronize()?;
        start.elapsed_ns(&stop)
    }
}

impl Stream {
    /// Makes later work on this stream wait for the last record of `event`, which may be on another GPU.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver rejects it.
    pub fn wait(&self, event: &Event) -> Result<(), CudaError> {
        let gpu = self.gpu();
        gpu.bind()?;
        // SAFETY: stream and event are live.
        let result = unsafe { sys::cuStreamWaitEvent(self.raw_stream(), event.raw(), 0) };
        gpu.check(result, "cuStreamWaitEvent")
    }
}

impl Event {
    /// The event's GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Records the event at the current end of `stream`, or of the default stream.
    ///
    /// # Errors
    /// [`CudaError::WrongGpu`] for another GPU's stream.
    pub fn record(&self, stream: Option<&Stream>) -> Result<(), CudaError> {
        let stream = self.gpu.resolve(stream)?;
        let stream = stream.as_ref();
        self.gpu.bind()?;
        let up_to = self.gpu.issued();
        // SAFETY: event and stream are live.
        let result = unsafe { sys::cuEventRecord(self.handle.0, Stream::raw_or_default(stream)) };
        self.gpu.check(result, "cuEventRecord")?;
        let queue = stream.map_or(Queue::DEFAULT, Stream::queue);
        let captured = self.gpu.is_capturing(stream)?;
        *lock(&self.recorded) = (!captured).then_some((queue, up_to));
        Ok(())
    }

    /// Waits until the GPU has reached the event; returns immediately if it was never recorded.
    ///
    /// # Errors
    /// [`CudaError::Fault`] if a kernel failed.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.gpu.outside_capture("waiting")?;
        self.gpu.bind()?;
        let recorded = *lock(&self.recorded);
        // SAFETY: the event is live.
        self.gpu.check(unsafe { sys::cuEventSynchronize(self.handle.0) }, "cuEventSynchronize")?;
        if let Some((queue, up_to)) = recorded {
            self.gpu.finished(Finished::Stream(queue.stream), up_to);
        }
        Ok(())
    }

    /// Whether the GPU has reached the event.
    ///
    /// # Errors
    /// [`CudaError::Fault`] if a kernel failed.
    pub fn is_finished(&self) -> Result<bool, CudaError> {
        self.gpu.bind()?;
        // SAFETY: the event is live.
        match unsafe { sys::cuEventQuery(self.handle.0) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            result => self.gpu.check(result, "cuEventQuery").map(|()| true),
        }
    }

    /// GPU time from this event to `later`, in nanoseconds. The driver returns single-precision milliseconds with a
    /// resolution of about 0.5 us.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if an event was not recorded, or the GPU has not reached it yet.
    pub fn elapsed_ns(&self, later: &Event) -> Result<f64, CudaError> {
        self.gpu.owns(&later.gpu, "the later event")?;
        self.gpu.bind()?;
        let mut milliseconds = 0f32;
        // SAFETY: both events are live; stores one number.
        let result =
            unsafe { sys::cuEventElapsedTime(&mut milliseconds, self.handle.0, later.handle.0) };
        match result {
            CUresult::CUDA_ERROR_NOT_READY => Err(CudaError::Invalid {
                what: "elapsed time requested before the GPU reached both events; synchronize the later one first".into(),
            }),
            CUresult::CUDA_ERROR_INVALID_HANDLE => Err(CudaError::Invalid {
                what: "elapsed time requested of an event that was never recorded; record both first".into(),
            }),
            result => {
                self.gpu.check(result, "cuEventElapsedTime")?;
                Ok(f64::from(milliseconds) * 1e6)
            }
        }
    }

    pub(crate) fn raw(&self) -> sys::CUevent {
        self.handle.0
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // SAFETY: created by `event`, destroyed once; pending work on it is completed.
            let _ = unsafe { sys::cuEventDestroy_v2(self.handle.0) };
        }
    }
}
