//! Copies and fills.

use crate::api::api;
use crate::devices::contexts::current;
use crate::graphs::work::Work;
use crate::handles::Handle;
use crate::memory::transfer::{Box3D, Fill, Side};
use crate::ordering;
use crate::state::driver;
use crate::status::{Result, Status};
use crate::streams::stream::SYNCHRONOUS;
use std::ffi::c_void;

/// One side of a copy of rows (`CUDA_MEMCPY2D`).
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Side2D {
    x_bytes: usize,
    y: usize,
    memory: u32,
    host: u64,
    device: u64,
    array: Handle,
    pitch: usize,
}

/// A copy of rows.
#[repr(C)]
pub struct Copy2D {
    from: Side2D,
    to: Side2D,
    width: usize,
    height: usize,
}

impl Side2D {
    fn side(self) -> Side {
        let Side2D { x_bytes, y, memory, host, device, array, pitch } = self;
        Side {
            x_bytes,
            y,
            z: 0,
            level: 0,
            memory,
            host,
            device,
            array,
            context: 0,
            pitch,
            height: 0,
        }
    }
}

/// Copies rows, in the order of a stream.
///
/// # Safety
/// `copy` is null, which is refused, or valid, with sides that are.
unsafe fn copy_2d(copy: *const Copy2D, stream: Handle) -> Result {
    // SAFETY: by the caller.
    let Copy2D { from, to, width, height } =
        unsafe { copy.as_ref() }.ok_or(Status::InvalidValue)?;
    let part = Box3D { from: from.side(), to: to.side(), width: *width, height: *height, depth: 1 };
    // SAFETY: by the caller.
    unsafe { driver()?.submit(stream, Work::Copy(part)) }
}

/// Copies a box, in the order of a stream.
///
/// # Safety
/// As [`copy_2d`].
unsafe fn copy_3d(copy: *const Box3D, stream: Handle) -> Result {
    // SAFETY: by the caller.
    let copy = unsafe { copy.as_ref() }.ok_or(Status::InvalidValue)?;
    // SAFETY: by the caller.
    unsafe { driver()?.submit(stream, Work::Copy(*copy)) }
}

/// Copies, in the order of a stream.
///
/// # Safety
/// As [`Driver::copy`].
unsafe fn copy(to: u64, from: u64, bytes: usize, stream: Handle) -> Result {
    if bytes > 0 && (to == 0 || from == 0) {
        return Err(Status::InvalidValue);
    }
    let line = Box3D {
        from: Side::line(from),
        to: Side::line(to),
        width: bytes,
        height: usize::from(bytes > 0),
        depth: 1,
    };
    // SAFETY: by the caller.
    unsafe { driver()?.submit(stream, Work::Copy(line)) }
}

/// Lets what the contexts of two peers have to do come before a copy, and the copy before all that follows.
///
/// # Errors
/// Those of the copy.
fn between_peers(contexts: [Handle; 2], copy: impl FnOnce() -> Result) -> Result {
    let wait = |context| ordering::synchronised(&ordering::waited_for_context(context));
    contexts.into_iter().for_each(wait);
    copy()?;
    wait(current());
    Ok(())
}

/// Refuses a range of a device that nobody allocated as a whole.
fn held(address: u64, bytes: usize) -> Result {
    // A node of the graph that is being captured will put memory there.
    if driver()?.graph_spans(address, bytes) {
        return Ok(());
    }
    driver()?.held(address, bytes)
}

fn fill(address: u64, pattern: &[u8], count: usize, stream: Handle) -> Result {
    fill_rows(address, 0, pattern, (count, 1), stream)
}

fn fill_rows(
    address: u64,
    pitch: usize,
    pattern: &[u8],
    (width, height): (usize, usize),
    stream: Handle,
) -> Result {
    let work = Work::Fill(Fill { address, pitch, pattern: pattern.to_vec(), width, height });
    // SAFETY: a fill of memory that is not the emulator's is refused.
    unsafe { driver()?.submit(stream, work) }
}

api! {
    fn cuMemcpy(to: u64, from: u64, bytes: usize) {
        // SAFETY: by the caller.
        unsafe { copy(to, from, bytes, SYNCHRONOUS) }
    }
    fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Handle) {
        // SAFETY: by the caller.
        unsafe { copy(to, from, bytes, stream) }
    }
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) {
        held(to, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to, from as u64, bytes, SYNCHRONOUS) }
    }
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Handle) {
        held(to, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to, from as u64, bytes, stream) }
    }
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) {
        held(from, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to as u64, from, bytes, SYNCHRONOUS) }
    }
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: Handle) {
        held(from, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to as u64, from, bytes, stream) }
    }
    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) {
        held(to, bytes)?;
        held(from, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to, from, bytes, SYNCHRONOUS) }
    }
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) {
        held(to, bytes)?;
        held(from, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to, from, bytes, stream) }
    }
    fn cuMemcpyPeer(to: u64, to_context: Handle, from: u64, from_context: Handle, bytes: usize) {
        held(to, bytes)?;
        held(from, bytes)?;
        // SAFETY: by the caller.
        between_peers([to_context, from_context], || unsafe { copy(to, from, bytes, SYNCHRONOUS) })
    }
    fn cuMemcpyPeerAsync(to: u64, _to_context: Handle, from: u64, _from_context: Handle, bytes: usize, stream: Handle) {
        held(to, bytes)?;
        held(from, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to, from, bytes, stream) }
    }
    fn cuMemcpy2D_v2(rows: *const Copy2D) {
        // SAFETY: by the caller.
        unsafe { copy_2d(rows, SYNCHRONOUS) }
    }
    fn cuMemcpy2DUnaligned_v2(rows: *const Copy2D) {
        // SAFETY: by the caller.
        unsafe { copy_2d(rows, SYNCHRONOUS) }
    }
    fn cuMemcpy2DAsync_v2(rows: *const Copy2D, stream: Handle) {
        // SAFETY: by the caller.
        unsafe { copy_2d(rows, stream) }
    }
    fn cuMemcpy3D_v2(part: *const Box3D) {
        // SAFETY: by the caller.
        unsafe { copy_3d(part, SYNCHRONOUS) }
    }
    fn cuMemcpy3DAsync_v2(part: *const Box3D, stream: Handle) {
        // SAFETY: by the caller.
        unsafe { copy_3d(part, stream) }
    }
    fn cuMemcpy3DPeer(part: *const Box3D) {
        // SAFETY: by the caller.
        let sides = unsafe { part.as_ref() }.ok_or(Status::InvalidValue)?;
        // SAFETY: by the caller.
        between_peers([sides.to.context, sides.from.context], || unsafe { copy_3d(part, SYNCHRONOUS) })
    }
    fn cuMemcpy3DPeerAsync(part: *const Box3D, stream: Handle) {
        // SAFETY: by the caller.
        unsafe { copy_3d(part, stream) }
    }
    fn cuMemsetD8_v2(address: u64, value: u8, count: usize) {
        fill(address, &[value], count, 0)
    }
    fn cuMemsetD16_v2(address: u64, value: u16, count: usize) {
        fill(address, &value.to_le_bytes(), count, 0)
    }
    fn cuMemsetD32_v2(address: u64, value: u32, count: usize) {
        fill(address, &value.to_le_bytes(), count, 0)
    }
    fn cuMemsetD8Async(address: u64, value: u8, count: usize, stream: Handle) {
        fill(address, &[value], count, stream)
    }
    fn cuMemsetD16Async(address: u64, value: u16, count: usize, stream: Handle) {
        fill(address, &value.to_le_bytes(), count, stream)
    }
    fn cuMemsetD32Async(address: u64, value: u32, count: usize, stream: Handle) {
        fill(address, &value.to_le_bytes(), count, stream)
    }
    fn cuMemsetD2D8_v2(address: u64, pitch: usize, value: u8, width: usize, height: usize) {
        fill_rows(address, pitch, &[value], (width, height), 0)
    }
    fn cuMemsetD2D16_v2(address: u64, pitch: usize, value: u16, width: usize, height: usize) {
        fill_rows(address, pitch, &value.to_le_bytes(), (width, height), 0)
    }
    fn cuMemsetD2D32_v2(address: u64, pitch: usize, value: u32, width: usize, height: usize) {
        fill_rows(address, pitch, &value.to_le_bytes(), (width, height), 0)
    }
    fn cuMemsetD2D8Async(address: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Handle) {
        fill_rows(address, pitch, &[value], (width, height), stream)
    }
    fn cuMemsetD2D16Async(address: u64, pitch: usize, value: u16, width: usize, height: usize, stream: Handle) {
        fill_rows(address, pitch, &value.to_le_bytes(), (width, height), stream)
    }
    fn cuMemsetD2D32Async(address: u64, pitch: usize, value: u32, width: usize, height: usize, stream: Handle) {
        fill_rows(address, pitch, &value.to_le_bytes(), (width, height), stream)
    }
}
