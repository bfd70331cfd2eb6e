//! Page-locked host memory: fast to copy from and to, and visible to kernels.

use std::fmt;

use crate::driver::sys;

use crate::{CudaError, Gpu};

/// Page-locked host memory, zeroed at first, that kernels can also reach at
/// [`PinnedBuffer::device_address`]. Dropping it waits for all work on the GPU.
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
    /// The GPU it is mapped on.
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

    /// The bytes, to be changed. No kernel may be using them; see [`Gpu::launch`].
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: `Gpu::pinned` allocated and zeroed `bytes` bytes, which this owns and `&mut self` borrows.
        // `Gpu::launch` requires that no kernel uses borrowed pinned memory.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.bytes) }
    }

    /// Reads a word that a running kernel may be writing, such as a fault record. Also works after
    /// the GPU context was lost. `None` when offset is not a multiple of 4 or is past the end.
    pub fn peek_u32(&self, offset: usize) -> Option<u32> {
        let end = offset.checked_add(4)?;
        if !offset.is_multiple_of(4) || end > self.bytes {
            return None;
        }
        // SAFETY: inside the buffer and aligned, as its start is page-aligned; volatile, as the GPU
        // may write it meanwhile, and a 4-byte aligned word is read in one piece.
        Some(unsafe { self.pointer.add(offset).cast::<u32>().read_volatile() })
    }

    pub(crate) fn as_mut_ptr(&self) -> *mut u8 {
        self.pointer
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        // Work on the GPU may still use it. If the wait fails, the context is lost or capturing:
        // the memory then stays allocated, since the GPU may still use it.
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
