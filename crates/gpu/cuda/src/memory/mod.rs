//! GPU memory: allocation, bounds-checked copies, copies of pitched rows, and access to the memory of another GPU of
//! this process.

pub(crate) mod pinned;
pub(crate) mod tensor_map;

use crate::driver::ledger::Finished;
use crate::driver::lock;
use crate::driver::sys::{self, CUresult};
use crate::gpu::{Allocation, Inner};
use crate::{CudaError, Gpu, Stream};
use std::sync::{Arc, Weak};

impl Gpu {
    /// Allocates `bytes` bytes of GPU memory, aligned to 256 bytes, and returns the address. The content is undefined.
    /// Zero bytes give a valid, unique address.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], with the number of free bytes.
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
    /// [`CudaError::Address`] if `address` is not the start of a live allocation, or the fault
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
            // The GPU may still use the memory, and a wait is impossible, so it stays allocated.
            std::mem::forget(owner);
            return Err(capturing);
        }
        match Arc::into_inner(owner) {
            Some(allocation) => self.check(allocation.release(), "cuMemFree"),
            // A transfer on another thread still uses the memory and frees it at its end.
            None => Ok(()),
        }
    }

    /// Copies host bytes to the GPU, after the work queued on the default stream and on every
    /// stream made by [`Gpu::stream`].
    ///
    /// # Errors
    /// [`CudaError::Address`] if the target is not inside one live allocation.
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
    /// [`CudaError::Address`] if the source is not inside one live allocation;
    /// [`CudaError::Fault`] if a kernel before it failed.
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
    /// [`CudaError::Address`] if the range is not inside one live allocation.
    pub fn fill(&self, address: u64, value: u8, bytes: usize) -> Result<(), CudaError> {
        self.fill_on(address, value, bytes, None)
    }

    /// Copies `bytes` bytes within this GPU's memory, in the order of the default stream. If the ranges overlap, the
    /// target's contents are undefined.
    ///
    /// # Errors
    /// [`CudaError::Address`] if a range is not inside one live allocation.
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

/// Pitched rows in GPU memory: address, width and pitch in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Address of the first row.
    pub address: u64,
    /// Bytes of a row.
    pub width: usize,
    /// Bytes from the start of one row to the start of the next, at least `width`.
    pub pitch: usize,
}

impl Rows {
    /// The number of rows in `bytes` host bytes, and the bytes that they span on the GPU.
    fn spanned(self, operation: &'static str, bytes: usize) -> Result<(usize, usize), CudaError> {
        let Rows { width, pitch, .. } = self;
        if bytes == 0 {
            return Ok((0, 0));
        }
        if width == 0 || !bytes.is_multiple_of(width) || pitch < width {
            let what = format!(
                "{operation} of {bytes} bytes as rows of {width} bytes, {pitch} apart, is not a \
                 whole number of rows or has them overlap"
            );
            return Err(CudaError::Invalid { what });
        }
        let rows = bytes / width;
        let span = (rows - 1).checked_mul(pitch).and_then(|before| before.checked_add(width));
        // No allocation can hold a span above 2^64 bytes.
        Ok((rows, span.unwrap_or(usize::MAX)))
    }

    /// The driver's description of a copy of `count` rows.
    fn copy(self, count: usize) -> sys::CUDA_MEMCPY2D {
        let (host, device) =
            (sys::CUmemorytype::CU_MEMORYTYPE_HOST, sys::CUmemorytype::CU_MEMORYTYPE_DEVICE);
        sys::CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: host,
            srcHost: std::ptr::null(),
            srcDevice: self.address,
            srcArray: std::ptr::null_mut(),
            srcPitch: self.width,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: device,
            dstHost: std::ptr::null_mut(),
            dstDevice: self.address,
            dstArray: std::ptr::null_mut(),
            dstPitch: self.pitch,
            WidthInBytes: self.width,
            Height: count,
        }
    }
}

impl Gpu {
    /// Copies host bytes, row after row, to rows on the GPU, in the order of [`Gpu::write`]. Does not write the
    /// padding.
    ///
    /// # Errors
    /// [`CudaError::Address`] if the rows are not inside one live allocation;
    /// [`CudaError::Invalid`] if `bytes` is not a whole number of rows, or rows overlap.
    pub fn write_rows(&self, to: Rows, bytes: &[u8]) -> Result<(), CudaError> {
        self.outside_capture("writing")?;
        let (count, span) = to.spanned("write", bytes.len())?;
        let _owner = self.live("write", to.address, span)?;
        if count == 0 {
            return Ok(());
        }
        self.bind()?;
        let copy = sys::CUDA_MEMCPY2D { srcHost: bytes.as_ptr().cast(), ..to.copy(count) };
        // SAFETY: the source is a slice of `count` rows; the target is live, kept so by `_owner`, and
        // the last row ends inside it.
        let result = unsafe { sys::cuMemcpy2DUnaligned_v2(&copy) };
        self.check(result, "cuMemcpy2D")
    }

    /// Copies rows on the GPU to host bytes, row after row, in the order of [`Gpu::read`], and waits
    /// for the copy.
    ///
    /// # Errors
    /// As [`Gpu::write_rows`]; [`CudaError::Fault`] if a kernel before it failed.
    pub fn read_rows(&self, from: Rows, bytes: &mut [u8]) -> Result<(), CudaError> {
        self.outside_capture("reading")?;
        let (count, span) = from.spanned("read", bytes.len())?;
        let _owner = self.live("read", from.address, span)?;
        if count == 0 {
            return Ok(());
        }
        self.bind()?;
        let up_to = self.issued();
        let there = from.copy(count);
        let copy = sys::CUDA_MEMCPY2D {
            srcMemoryType: there.dstMemoryType,
            srcPitch: from.pitch,
            dstMemoryType: there.srcMemoryType,
            dstPitch: from.width,
            dstHost: bytes.as_mut_ptr().cast(),
            ..there
        };
        // SAFETY: the target is a mutable slice of `count` rows; the source is live, kept so by
        // `_owner`, and the last row ends inside it.
        let result = unsafe { sys::cuMemcpy2DUnaligned_v2(&copy) };
        self.check(result, "cuMemcpy2D")?;
        self.finished(Finished::DefaultOrder, up_to);
        Ok(())
    }
}

impl Gpu {
    /// Whether kernels of this GPU can access the memory of `peer` over NVLink or PCIe; true for the GPU itself.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver does not answer.
    pub fn can_access_peer(&self, peer: &Gpu) -> Result<bool, CudaError> {
        if self.same(peer) {
            return Ok(true);
        }
        let mut can = 0;
        // SAFETY: stores one integer; both handles are the driver's own.
        let result =
            unsafe { sys::cuDeviceCanAccessPeer(&mut can, self.inner.device, peer.inner.device) };
        self.check(result, "cuDeviceCanAccessPeer")?;
        Ok(can != 0)
    }

    /// Lets kernels of this GPU access the memory of `peer`, and makes copies between the two direct. A second call has
    /// no effect.
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] if the two GPUs cannot access each other's memory.
    pub fn enable_peer_access(&self, peer: &Gpu) -> Result<(), CudaError> {
        let mut enabled = lock(&self.inner.peers);
        if self.same(peer) || enabled.contains(&peer.info().index) {
            return Ok(());
        }
        if !self.can_access_peer(peer)? {
            return Err(CudaError::Unsupported {
                what: format!(
                    "access of GPU {} to the memory of GPU {}",
                    self.info().index,
                    peer.info().index
                ),
                remedy: "copy through the host; `nvidia-smi topo -p2p r` shows which GPUs reach each other"
                    .to_owned(),
            });
        }
        self.bind()?;
        // SAFETY: the peer's context is retained for as long as `peer` lives; this context is current.
        match unsafe { sys::cuCtxEnablePeerAccess(peer.inner.context.0, 0) } {
            CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => {}
            result => self.check(result, "cuCtxEnablePeerAccess")?,
        }
        enabled.push(peer.info().index);
        Ok(())
    }

    /// Makes `other` wait for this GPU before it frees memory.
    fn copies_memory_of(&self, other: &Gpu) {
        let mut copiers = lock(&other.inner.copiers);
        let known = |copier: &Weak<Inner>| std::ptr::eq(copier.as_ptr(), &raw const *self.inner);
        if !self.same(other) && !copiers.iter().any(known) {
            copiers.push(Arc::downgrade(&self.inner));
        }
    }

    /// Waits for the GPUs that copy from or to this GPU's memory.
    ///
    /// # Errors
    /// [`CudaError::Capture`] if this thread captures work of such a GPU. A GPU that has lost its context no longer
    /// copies.
    pub(crate) fn wait_for_copiers(&self) -> Result<(), CudaError> {
        let copiers: Vec<Weak<Inner>> = lock(&self.inner.copiers).clone();
        for inner in copiers.iter().filter_map(Weak::upgrade) {
            if let Err(capturing @ CudaError::Capture { .. }) = (Gpu { inner }).synchronize() {
                return Err(capturing);
            }
        }
        Ok(())
    }

    /// Copies bytes between the memories of two GPUs, in the order of `stream` (a stream of this GPU) or of the default
    /// stream. Without peer access the driver copies through the host.
    ///
    /// # Errors
    /// [`CudaError::Address`] if a range is not inside one live allocation of its GPU.
    pub fn copy_between(
        &self,
        (source, from): (&Gpu, u64),
        (target, to): (&Gpu, u64),
        bytes: usize,
        stream: Option<&Stream>,
    ) -> Result<(), CudaError> {
        let _source = source.live("copy, source", from, bytes)?;
        let _target = target.live("copy, target", to, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        let other = if self.same(source) { target } else { source };
        match self.enable_peer_access(other) {
            // The driver then copies through the host.
            Ok(()) | Err(CudaError::Unsupported { .. }) => {}
            Err(failed) => return Err(failed),
        }
        self.bind()?;
        let stream = self.resolve(stream)?;
        self.copies_memory_of(source);
        self.copies_memory_of(target);
        // SAFETY: both ranges are live in their contexts. They stay allocated until the copy is done: `free` waits for
        // its own GPU and for this one, which the lines above registered with the owner of each range.
        let result = unsafe {
            sys::cuMemcpyPeerAsync(
                to,
                target.inner.context.0,
                from,
                source.inner.context.0,
                bytes,
                Stream::raw_or_default(stream.as_ref()),
            )
        };
        self.check(result, "cuMemcpyPeerAsync")
    }
}
