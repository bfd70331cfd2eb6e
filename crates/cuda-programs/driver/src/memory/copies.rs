//! Copies and fills.

use crate::api::api;
use crate::devices::contexts::current;
use crate::graphs::work::Work;
use crate::memory::transfer::{Copy3D, CopySide, Fill};
use crate::ordering;
use crate::pointers::*;
use crate::state::{Handle, driver};
use crate::status::{Result, Status};
use crate::streams::stream::SYNCHRONOUS;

/// One side of a 2D copy (`CUDA_MEMCPY2D`).
#[derive(Clone, Copy)]
#[repr(C)]
struct CopySide2D {
    x_bytes: usize,
    y: usize,
    memory: u32,
    host: Address,
    device: Address,
    array: Handle,
    pitch: usize,
}

abi!(CopySide2D = 56, 8 { x_bytes: 0, y: 8, memory: 16, host: 24, device: 32, array: 40, pitch: 48 });

/// A 2D copy (`CUDA_MEMCPY2D`).
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Copy2D {
    from: CopySide2D,
    to: CopySide2D,
    width: usize,
    height: usize,
}

abi!(Copy2D = 128, 8 { from: 0, to: 56, width: 112, height: 120 });

impl CopySide2D {
    fn side(self) -> CopySide {
        let CopySide2D { x_bytes, y, memory, host, device, array, pitch } = self;
        CopySide {
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

/// Queues a 2D copy.
fn copy_2d(copy: In<'_, Copy2D>, stream: Handle) -> Result {
    let Copy2D { from, to, width, height } = copy.get()?;
    let part = Copy3D { from: from.side(), to: to.side(), width, height, depth: 1 };
    driver()?.submit(stream, Work::Copy(part))
}

/// Queues a 3D copy.
fn copy_3d(copy: In<'_, Copy3D>, stream: Handle) -> Result {
    let copy = copy.get()?;
    driver()?.submit(stream, Work::Copy(copy))
}

/// Queues a 1D copy.
fn copy(to: Address, from: Address, bytes: usize, stream: Handle) -> Result {
    if bytes > 0 && (to == Address::NULL || from == Address::NULL) {
        return Err(Status::InvalidValue);
    }
    let line = Copy3D {
        from: CopySide::line(from),
        to: CopySide::line(to),
        width: bytes,
        height: usize::from(bytes > 0),
        depth: 1,
    };
    driver()?.submit(stream, Work::Copy(line))
}

/// Orders a peer copy after the pending work of both contexts, and before all later work.
///
/// # Errors
/// Returns the errors of the copy.
fn between_peers(contexts: [Handle; 2], copy: impl FnOnce() -> Result) -> Result {
    let wait = |context| ordering::synchronized(&ordering::waited_for_context(context));
    contexts.into_iter().for_each(wait);
    copy()?;
    wait(current());
    Ok(())
}

/// Checks that a device range is allocated.
fn check_device_range(address: u64, bytes: usize) -> Result {
    driver()?.context()?;
    // The graph that is being captured will allocate this memory.
    if driver()?.graph_spans(address, bytes) {
        return Ok(());
    }
    driver()?.check_range(address, bytes)
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
    driver()?.submit(stream, work)
}

api! {
    fn cuMemcpy(to: Address, from: Address, bytes: usize) {
        copy(to, from, bytes, SYNCHRONOUS)
    }
    fn cuMemcpyAsync(to: Address, from: Address, bytes: usize, stream: Handle) {
        copy(to, from, bytes, stream)
    }
    fn cuMemcpyHtoD_v2(to: Address, from: Address, bytes: usize) {
        check_device_range(to.get(), bytes)?;
        copy(to, from, bytes, SYNCHRONOUS)
    }
    fn cuMemcpyHtoDAsync_v2(to: Address, from: Address, bytes: usize, stream: Handle) {
        check_device_range(to.get(), bytes)?;
        copy(to, from, bytes, stream)
    }
    fn cuMemcpyDtoH_v2(to: Address, from: Address, bytes: usize) {
        check_device_range(from.get(), bytes)?;
        copy(to, from, bytes, SYNCHRONOUS)
    }
    fn cuMemcpyDtoHAsync_v2(to: Address, from: Address, bytes: usize, stream: Handle) {
        check_device_range(from.get(), bytes)?;
        copy(to, from, bytes, stream)
    }
    fn cuMemcpyDtoD_v2(to: Address, from: Address, bytes: usize) {
        check_device_range(to.get(), bytes)?;
        check_device_range(from.get(), bytes)?;
        copy(to, from, bytes, SYNCHRONOUS)
    }
    fn cuMemcpyDtoDAsync_v2(to: Address, from: Address, bytes: usize, stream: Handle) {
        check_device_range(to.get(), bytes)?;
        check_device_range(from.get(), bytes)?;
        copy(to, from, bytes, stream)
    }
    fn cuMemcpyPeer(to: Address, to_context: Handle, from: Address, from_context: Handle, bytes: usize) {
        check_device_range(to.get(), bytes)?;
        check_device_range(from.get(), bytes)?;
        between_peers([to_context, from_context], || copy(to, from, bytes, SYNCHRONOUS))
    }
    fn cuMemcpyPeerAsync(to: Address, _to_context: Handle, from: Address, _from_context: Handle, bytes: usize, stream: Handle) {
        check_device_range(to.get(), bytes)?;
        check_device_range(from.get(), bytes)?;
        copy(to, from, bytes, stream)
    }
    fn cuMemcpy2D_v2(rows: In<'_, Copy2D>) {
        copy_2d(rows, SYNCHRONOUS)
    }
    fn cuMemcpy2DUnaligned_v2(rows: In<'_, Copy2D>) {
        copy_2d(rows, SYNCHRONOUS)
    }
    fn cuMemcpy2DAsync_v2(rows: In<'_, Copy2D>, stream: Handle) {
        copy_2d(rows, stream)
    }
    fn cuMemcpy3D_v2(part: In<'_, Copy3D>) {
        copy_3d(part, SYNCHRONOUS)
    }
    fn cuMemcpy3DAsync_v2(part: In<'_, Copy3D>, stream: Handle) {
        copy_3d(part, stream)
    }
    fn cuMemcpy3DPeer(part: In<'_, Copy3D>) {
        let sides = part.get()?;
        between_peers([sides.to.context, sides.from.context], || copy_3d(part, SYNCHRONOUS))
    }
    fn cuMemcpy3DPeerAsync(part: In<'_, Copy3D>, stream: Handle) {
        copy_3d(part, stream)
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
