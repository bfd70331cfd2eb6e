//! Several GPUs in one process: who reaches whose memory, and copies between them.

use crate::sys::{self, CUresult};

use crate::driver::lock;
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
        // SAFETY: both ranges are live in their contexts. `free` waits for the work of their own GPUs
        // only, so the caller's types keep the buffers of a peer until this copy is done.
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
