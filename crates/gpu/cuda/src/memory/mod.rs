//! GPU memory: allocation and bounds-checked copies.

pub(crate) mod peer;
pub(crate) mod pinned;
pub(crate) mod rows;
pub(crate) mod tensor_map;
pub(crate) mod transfer;

use std::sync::Arc;

use crate::driver::sys::{self, CUresult};

use crate::driver::ledger::Finished;
use crate::driver::lock;
use crate::gpu::allocations::Allocation;
use crate::{CudaError, Gpu, Stream};

impl Gpu {
    /// Allocates `bytes` bytes of GPU memory, aligned to 256, and returns the address. The content
    /// is undefined. Zero bytes give a valid, unique address.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], with the bytes that are free.
    pub fn allocate(&self, bytes: usize) -> Result<u64, CudaError> {
        self.outside_capture("allocating")?;
        self.bind()?;
        let mut address = 0;
        // SAFETY: stores one address through the pointer.
        let result = unsafe { sys::cuMemAlloc_v2(&mut address, bytes.max(1)) };
        if result == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            let (free, total) = self.memory_info()?;
            return Err(CudaError::OutOfMemory { requested: bytes, free, total });
        }
        self.check(result, "cuMemAlloc")?;
        let owner = Arc::new(Allocation { address, context: self.inner.context });
        lock(&self.inner.allocations).insert(address, bytes, owner);
        Ok(address)
    }

    /// Frees an allocation, after waiting for all work on the GPU, and on GPUs that copy from or to its memory
    /// ([`Gpu::copy_between`]).
    ///
    /// # Errors
    /// [`CudaError::Address`] when `address` is not the start of a live allocation, or the fault
    /// that the wait reported; the memory is freed in either case.
    pub fn free(&self, address: u64) -> Result<(), CudaError> {
        self.outside_capture("freeing")?;
        let owner = lock(&self.inner.allocations).remove(address);
        let Some(owner) = owner else {
            let nearest = lock(&self.inner.allocations).explain(address, 0);
            return Err(CudaError::Address { operation: "free", address, bytes: 0, nearest });
        };
        self.synchronize()?;
        if let Err(capturing @ CudaError::Capture { .. }) = self.wait_for_copiers() {
            // The GPU may still use the memory, and cannot be waited for: it stays allocated.
            std::mem::forget(owner);
            return Err(capturing);
        }
        match Arc::into_inner(owner) {
            Some(allocation) => self.check(allocation.release(), "cuMemFree"),
            // A transfer on another thread still uses it, and frees it when done.
            None => Ok(()),
        }
    }

    /// Copies host bytes to the GPU, after the work queued on the default stream and on every
    /// stream made by [`Gpu::stream`].
    ///
    /// # Errors
    /// [`CudaError::Address`] when the target is not inside one live allocation.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), CudaError> {
        self.outside_capture("writing")?;
        let _owner = self.live("write", address, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.bind()?;
        // SAFETY: the source is a slice; the target is live, and kept so by `_owner`.
        let result = unsafe { sys::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()) };
        self.check(result, "cuMemcpyHtoD")
    }

    /// Copies GPU bytes to the host, after the work queued on the default stream and on every
    /// stream made by [`Gpu::stream`], and waits for the copy.
    ///
    /// # Errors
    /// [`CudaError::Address`] when the source is not inside one live allocation;
    /// [`CudaError::Fault`] when a kernel before it failed.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), CudaError> {
        self.outside_capture("reading")?;
        let _owner = self.live("read", address, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.bind()?;
        let up_to = self.issued();
        // SAFETY: the target is a mutable slice; the source is live, and kept so by `_owner`.
        let result =
            unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, bytes.len()) };
        self.check(result, "cuMemcpyDtoH")?;
        self.finished(Finished::DefaultOrder, up_to);
        Ok(())
    }

    /// Sets `bytes` bytes to `value`, in the order of the default stream.
    ///
    /// # Errors
    /// [`CudaError::Address`] when the range is not inside one live allocation.
    pub fn fill(&self, address: u64, value: u8, bytes: usize) -> Result<(), CudaError> {
        self.fill_on(address, value, bytes, None)
    }

    /// Copies `bytes` bytes between two places on this GPU, in the order of the default stream.
    /// Overlapping ranges leave the target undefined.
    ///
    /// # Errors
    /// [`CudaError::Address`] when a range is not inside one live allocation.
    pub fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<(), CudaError> {
        self.copy_on(from, to, bytes, None)
    }

    pub(crate) fn fill_on(
        &self,
        address: u64,
        value: u8,
        bytes: usize,
        stream: Option<&Stream>,
    ) -> Result<(), CudaError> {
        let _owner = self.live("fill", address, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        self.bind()?;
        let stream = self.resolve(stream)?;
        let stream = stream.as_ref();
        // SAFETY: the range is live, and `free` waits for the work that still uses it.
        let result =
            unsafe { sys::cuMemsetD8Async(address, value, bytes, Stream::raw_or_default(stream)) };
        self.check(result, "cuMemsetD8Async")
    }

    pub(crate) fn copy_on(
        &self,
        from: u64,
        to: u64,
        bytes: usize,
        stream: Option<&Stream>,
    ) -> Result<(), CudaError> {
        let _source = self.live("copy, source", from, bytes)?;
        let _target = self.live("copy, target", to, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        self.bind()?;
        let stream = self.resolve(stream)?;
        let stream = stream.as_ref();
        // SAFETY: both ranges are live, and `free` waits for the work that still uses them.
        let result =
            unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, Stream::raw_or_default(stream)) };
        self.check(result, "cuMemcpyDtoDAsync")
    }

    /// The allocation that holds the range, kept alive by the returned handle.
    pub(crate) fn live(
        &self,
        operation: &'static str,
        address: u64,
        bytes: usize,
    ) -> Result<Arc<Allocation>, CudaError> {
        let table = lock(&self.inner.allocations);
        table.find(address, bytes).ok_or_else(|| CudaError::Address {
            operation,
            address,
            bytes,
            nearest: table.explain(address, bytes),
        })
    }
}
