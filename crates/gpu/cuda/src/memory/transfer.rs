//! Asynchronous copies between pinned host memory and the GPU.

use std::sync::Arc;

use crate::driver::sys;

use crate::gpu::allocations::Allocation;
use crate::{CudaError, Event, PinnedBuffer, Stream};

/// A copy in flight. It owns the host buffer until the copy is done; dropping it waits.
#[derive(Debug)]
#[must_use = "dropping a transfer waits for it; call `wait` to get the host buffer back"]
pub struct Transfer {
    done: Event,
    /// Present until `wait` takes it.
    buffer: Option<PinnedBuffer>,
    /// Keeps the GPU memory allocated.
    _memory: Arc<Allocation>,
}

impl Stream {
    /// Starts copying the whole of `from` to the GPU, in the stream's order.
    ///
    /// # Errors
    /// [`CudaError::Address`] when the target is not inside one live allocation;
    /// [`CudaError::Capture`] on a stream being captured.
    pub fn upload(&self, from: PinnedBuffer, address: u64) -> Result<Transfer, CudaError> {
        self.transfer(from, "upload", address, |buffer| {
            // SAFETY: both ranges are live and stay so until the transfer is done.
            unsafe {
                sys::cuMemcpyHtoDAsync_v2(
                    address,
                    buffer.as_mut_ptr().cast(),
                    buffer.len(),
                    self.raw_stream(),
                )
            }
        })
    }

    /// Starts filling the whole of `into` from the GPU, in the stream's order.
    ///
    /// # Errors
    /// As [`Stream::upload`].
    pub fn download(&self, address: u64, into: PinnedBuffer) -> Result<Transfer, CudaError> {
        self.transfer(into, "download", address, |buffer| {
            // SAFETY: both ranges are live and stay so until the transfer is done; the transfer
            // owns the buffer, so nothing borrows it.
            unsafe {
                sys::cuMemcpyDtoHAsync_v2(
                    buffer.as_mut_ptr().cast(),
                    address,
                    buffer.len(),
                    self.raw_stream(),
                )
            }
        })
    }

    fn transfer(
        &self,
        buffer: PinnedBuffer,
        operation: &'static str,
        address: u64,
        start: impl FnOnce(&PinnedBuffer) -> sys::CUresult,
    ) -> Result<Transfer, CudaError> {
        let gpu = self.gpu();
        gpu.owns(buffer.gpu(), "the pinned buffer")?;
        let memory = gpu.live(operation, address, buffer.len())?;
        gpu.bind()?;
        if gpu.is_capturing(Some(self))? {
            return Err(CudaError::Capture {
                why: format!(
                    "{operation} cannot be replayed, as its host buffer is returned to the caller; copy on the GPU instead"
                ),
            });
        }
        let done = gpu.event()?;
        if !buffer.is_empty() {
            gpu.check(start(&buffer), "cuMemcpyAsync")?;
        }
        // From here on, dropping `transfer` waits before the buffer can be freed.
        let transfer = Transfer { done, buffer: Some(buffer), _memory: memory };
        transfer.done.record(Some(self))?;
        Ok(transfer)
    }
}

impl Transfer {
    /// Whether the copy is done.
    ///
    /// # Errors
    /// [`CudaError::Fault`] when a kernel failed.
    pub fn is_finished(&self) -> Result<bool, CudaError> {
        self.done.is_finished()
    }

    /// Waits for the copy and returns the host buffer.
    ///
    /// # Errors
    /// [`CudaError::Fault`] when a kernel before it failed; the buffer is then lost.
    pub fn wait(mut self) -> Result<PinnedBuffer, CudaError> {
        self.done.synchronize()?;
        self.buffer
            .take()
            .ok_or_else(|| CudaError::Invalid { what: "the transfer was already taken".into() })
    }
}

// No `Drop` of its own: dropping the pinned buffer waits for all work on the GPU, and keeps the
// memory when the wait fails.
