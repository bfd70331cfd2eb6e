//! Several GPUs in one process: who reaches whose memory, and copies between them.

use std::sync::{Arc, Weak};

use crate::driver::sys::{self, CUresult};

use crate::driver::lock;
use crate::gpu::Inner;
use crate::{CudaError, Gpu, Stream};

impl Gpu {
    /// Whether kernels of this GPU can access the memory of `peer` over NVLink or PCIe; true for the GPU itself.
    ///
    /// # Errors
    /// [`CudaError::Driver`] when the driver does not answer.
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

    /// Lets kernels of this GPU access the memory of `peer`, and copies go there directly; twice is once.
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] where the two cannot reach each other.
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

    /// Waits for the GPUs that copy from or to this one's memory.
    ///
    /// # Errors
    /// [`CudaError::Capture`] when this thread records the work of one. A GPU that has lost its context copies nothing any more.
    pub(crate) fn wait_for_copiers(&self) -> Result<(), CudaError> {
        let copiers: Vec<Weak<Inner>> = lock(&self.inner.copiers).clone();
        for inner in copiers.iter().filter_map(Weak::upgrade) {
            if let Err(capturing @ CudaError::Capture { .. }) = (Gpu { inner }).synchronize() {
                return Err(capturing);
            }
        }
        Ok(())
    }

    /// Copies bytes between the memories of two GPUs, in the order of `stream`, which is of this GPU, or of the default
    /// stream; without peer access the driver goes through the host.
    ///
    /// # Errors
    /// [`CudaError::Address`] when a range is not inside one live allocation of its GPU.
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
            // The driver then goes through the host.
            Ok(()) | Err(CudaError::Unsupported { .. }) => {}
            Err(failed) => return Err(failed),
        }
        self.bind()?;
        let stream = self.resolve(stream)?;
        self.copies_memory_of(source);
        self.copies_memory_of(target);
        // SAFETY: both ranges are live in their contexts. They stay allocated until the copy is done: `free` waits for its own
        // GPU and for this one, which the lines above have made known to the owner of each range.
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
