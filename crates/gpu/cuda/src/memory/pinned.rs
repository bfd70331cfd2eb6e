//! Page-locked host memory, which kernels can access, and asynchronous copies between it and the GPU.

use crate::driver::sys;
use crate::gpu::Allocation;
use crate::{CudaError, Event, Gpu, Stream};
use std::fmt;
use std::sync::Arc;

/// Page-locked host memory, initially zero, which kernels can access at [`PinnedBuffer::device_address`]. Dropping it
/// waits for all work on the GPU.
pub struct PinnedBuffer {
    gpu: Gpu,
    /// Valid for `bytes` bytes, never null, page-aligned.
    pointer: *mut u8,
    bytes: usize,
    device_address: u64,
}

// SAFETY: the memory is owned, and the driver lets any thread use and free it.
unsafe impl Send for PinnedBuffer {}

// SAFETY: methods with `&self` only read the bytes, and the driver lets any thread do so.
unsafe impl Sync for PinnedBuffer {}

impl Gpu {
    /// Allocates zeroed page-locked host memory, mapped for kernels.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the host is out of page-locked memory.
    pub fn pinned(&self, bytes: usize) -> Result<PinnedBuffer, CudaError> {
        self.outside_capture("allocating")?;
        self.bind()?;
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        let mut pointer = std::ptr::null_mut();
        // SAFETY: stores one pointer.
        let result = unsafe { sys::cuMemHostAlloc(&mut pointer, bytes.max(1), flags) };
        self.check(result, "cuMemHostAlloc")?;
        let mut buffer =
            PinnedBuffer { gpu: self.clone(), pointer: pointer.cast(), bytes, device_address: 0 };
        // SAFETY: the driver just allocated this many bytes.
        unsafe { buffer.pointer.write_bytes(0, bytes) };
        // SAFETY: the memory was allocated with the device-map flag; stores one address.
        let result =
            unsafe { sys::cuMemHostGetDevicePointer_v2(&mut buffer.device_address, pointer, 0) };
        self.check(result, "cuMemHostGetDevicePointer")?;
        Ok(buffer)
    }
}

impl PinnedBuffer {
    /// The GPU that maps the memory.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The device address of this memory; kernels access it across the bus.
    pub fn device_address(&self) -> u64 {
        self.device_address
    }

    /// The bytes. No kernel may be writing them; see [`Gpu::launch`].
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `Gpu::pinned` allocated and zeroed `bytes` bytes, which this owns. No kernel writes them now:
        // `Gpu::launch` requires that a kernel writes no pinned memory that is borrowed.
        unsafe { std::slice::from_raw_parts(self.pointer, self.bytes) }
    }

    /// The bytes, mutable. No kernel may be using them; see [`Gpu::launch`].
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: `Gpu::pinned` allocated and zeroed `bytes` bytes, which this owns and `&mut self` borrows.
        // `Gpu::launch` requires that no kernel uses borrowed pinned memory.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.bytes) }
    }

    /// Reads a word that a running kernel may be writing, such as a fault record. Also works after the GPU context was
    /// lost. `None` if `offset` is not a multiple of 4 or is past the end.
    pub fn peek_u32(&self, offset: usize) -> Option<u32> {
        let end = offset.checked_add(4)?;
        if !offset.is_multiple_of(4) || end > self.bytes {
            return None;
        }
        // SAFETY: the word is inside the buffer and aligned, because the buffer is page-aligned. The read is volatile,
        // because the GPU may write the word meanwhile; a read of an aligned 4-byte word is atomic.
        Some(unsafe { self.pointer.add(offset).cast::<u32>().read_volatile() })
    }

    pub(crate) fn as_mut_ptr(&self) -> *mut u8 {
        self.pointer
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        // Work on the GPU may still use the memory. If the wait fails (context lost, or capturing), the memory stays
        // allocated.
        if self.gpu.synchronize().is_ok() {
            // SAFETY: allocated by cuMemHostAlloc and freed once.
            let _ = unsafe { sys::cuMemFreeHost(self.pointer.cast()) };
        }
    }
}

impl fmt::Debug for PinnedBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedBuffer({} bytes at {:p})", self.bytes, self.pointer)
    }
}

/// A copy in flight, which owns the host buffer until the copy is done. Dropping it waits.
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
    /// Starts a copy of all of `from` to the GPU, in the stream's order.
    ///
    /// # Errors
    /// [`CudaError::Address`] if the target is not inside one live allocation;
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

    /// Starts a copy from the GPU that fills `into`, in the stream's order.
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
    /// [`CudaError::Fault`] if a kernel failed.
    pub fn is_finished(&self) -> Result<bool, CudaError> {
        self.done.is_finished()
    }

    /// Waits for the copy and returns the host buffer.
    ///
    /// # Errors
    /// [`CudaError::Fault`] if a kernel before it failed; the buffer is then lost.
    pub fn wait(mut self) -> Result<PinnedBuffer, CudaError> {
        self.done.synchronize()?;
        self.buffer
            .take()
            .ok_or_else(|| CudaError::Invalid { what: "the transfer was already taken".into() })
    }
}

// `Transfer` needs no `Drop`: dropping the pinned buffer waits for all work on the GPU, and keeps the memory if the
// wait fails.
