//! Streams: queues of work. Each runs in order; different streams run concurrently.

pub(crate) mod event;

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::driver::sys;

use crate::driver::Handle;
use crate::driver::ledger::{Finished, Queue};
use crate::{CudaError, Gpu};

/// A queue of GPU work. Clones share it; it is destroyed with the last clone, once its work is
/// done.
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
    /// [`CudaError::ContextLost`] after a fault; [`CudaError::Driver`] when the driver rejects the
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
    /// The GPU the stream is on.
    pub fn gpu(&self) -> &Gpu {
        &self.inner.gpu
    }

    /// Waits for the stream's work.
    ///
    /// # Errors
    /// [`CudaError::Fault`] when a kernel failed.
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
    /// [`CudaError::Address`] when the range is not inside one live allocation.
    pub fn fill(&self, address: u64, value: u8, bytes: usize) -> Result<(), CudaError> {
        self.gpu().fill_on(address, value, bytes, Some(self))
    }

    /// Copies bytes between two places on the GPU, in the stream's order.
    ///
    /// # Errors
    /// [`CudaError::Address`] when a range is not inside one live allocation.
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
