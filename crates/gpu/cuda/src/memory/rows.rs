//! 2-D copies: rows that are contiguous on the host and pitched on the GPU.

use crate::driver::sys;

use crate::driver::ledger::Finished;
use crate::{CudaError, Gpu};

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
        // No allocation holds a span above 2^64.
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
    /// Copies host bytes, row after row, to rows on the GPU, in the order of [`Gpu::write`]. The
    /// padding between rows is not written.
    ///
    /// # Errors
    /// [`CudaError::Address`] when the rows are not inside one live allocation;
    /// [`CudaError::Invalid`] when `bytes` is not a whole number of rows, or rows overlap.
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
    /// As [`Gpu::write_rows`]; [`CudaError::Fault`] when a kernel before it failed.
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
