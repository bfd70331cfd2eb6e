//! Copies and fills. An address is the emulator's where it holds it, else the program's own.

use crate::api::api;
use crate::graphs::Work;
use crate::handles::Handle;
use crate::state::{Driver, driver};
use crate::status::{Result, Status};
use std::ffi::c_void;

impl Driver {
    /// Whether the emulator holds an address.
    fn holds(&self, address: u64) -> bool {
        self.device.allocation_at(address).is_some()
    }

    /// Copies from the emulator's memory.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result {
        self.device.read_at(address, to).map_err(|_| Status::InvalidValue)
    }

    /// Copies to the emulator's memory.
    pub fn write(&self, address: u64, from: &[u8]) -> Result {
        self.device.write_at(address, from).map_err(|_| Status::InvalidValue)
    }

    /// Copies `bytes` bytes.
    ///
    /// # Safety
    /// What the emulator does not hold is valid memory of the program.
    pub unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result {
        if bytes == 0 {
            return Ok(());
        }
        if to == 0 || from == 0 {
            return Err(Status::InvalidValue);
        }
        // SAFETY: by the caller, where it is used.
        let source = || unsafe { std::slice::from_raw_parts(from as *const u8, bytes) };
        match (self.holds(to), self.holds(from)) {
            (true, false) => self.write(to, source()),
            (false, true) => {
                // SAFETY: by the caller.
                let target = unsafe { std::slice::from_raw_parts_mut(to as *mut u8, bytes) };
                self.read(from, target)
            }
            (true, true) => {
                let mut between = vec![0; bytes];
                self.read(from, &mut between)?;
                self.write(to, &between)
            }
            (false, false) => {
                // SAFETY: by the caller; the ranges may overlap.
                unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) };
                Ok(())
            }
        }
    }

    /// Fills `count` elements with a pattern.
    fn fill(&self, address: u64, pattern: &[u8], count: usize) -> Result {
        if !address.is_multiple_of(pattern.len() as u64) {
            return Err(Status::InvalidValue);
        }
        if count == 0 {
            return Ok(());
        }
        match pattern {
            [byte, rest @ ..] if rest.iter().all(|other| other == byte) => {
                let bytes = (count * pattern.len()) as u64;
                self.device.fill_at(address, *byte, bytes).map_err(|_| Status::InvalidValue)
            }
            _ => self.write(address, &pattern.repeat(count)),
        }
    }

    /// Fills rows.
    fn fill_rows(
        &self,
        address: u64,
        pitch: usize,
        pattern: &[u8],
        (width, height): (usize, usize),
    ) -> Result {
        (0..height).try_for_each(|row| self.fill(address + (row * pitch) as u64, pattern, width))
    }
}

/// `CUDA_MEMCPY3D`, and of `CUDA_MEMCPY3D_PEER` what it has in common: one side.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Side {
    x_bytes: usize,
    y: usize,
    z: usize,
    level: usize,
    /// 1 host, 2 device, 3 array, 4 either of the first two.
    memory: u32,
    host: u64,
    device: u64,
    array: Handle,
    /// The context of the other side's GPU, for copies between peers.
    context: Handle,
    pitch: usize,
    height: usize,
}

/// A copy of a box.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Box3D {
    from: Side,
    to: Side,
    width: usize,
    height: usize,
    depth: usize,
}

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

impl Side {
    /// The line from an address on, on the host or on a device.
    fn line(address: u64) -> Side {
        Side {
            x_bytes: 0,
            y: 0,
            z: 0,
            level: 0,
            memory: 4,
            host: 0,
            device: address,
            array: 0,
            context: 0,
            pitch: 0,
            height: 0,
        }
    }

    /// Address of a row.
    fn row(&self, width: usize, height: usize, (y, z): (usize, usize)) -> Result<u64> {
        let base = match self.memory {
            1 => self.host,
            2 | 4 => self.device,
            _ => return Err(Status::NotSupported),
        };
        let pitch = if self.pitch == 0 { width + self.x_bytes } else { self.pitch };
        let rows = if self.height == 0 { height + self.y } else { self.height };
        if base == 0 || pitch < width {
            return Err(Status::InvalidValue);
        }
        Ok(base + (((self.z + z) * rows + self.y + y) * pitch + self.x_bytes) as u64)
    }
}

impl Box3D {
    /// Copies row by row.
    ///
    /// # Safety
    /// As [`Driver::copy`].
    pub unsafe fn run(&self) -> Result {
        let driver = driver()?;
        let Box3D { from, to, width, height, depth } = self;
        for z in 0..*depth {
            for y in 0..*height {
                let (from, to) =
                    (from.row(*width, *height, (y, z))?, to.row(*width, *height, (y, z))?);
                // SAFETY: by the caller.
                unsafe { driver.copy(to, from, *width) }?;
            }
        }
        Ok(())
    }
}

/// A fill of rows with a pattern.
#[derive(Clone)]
pub struct Fill {
    pub address: u64,
    pub pitch: usize,
    pub pattern: Vec<u8>,
    /// Patterns of a row.
    pub width: usize,
    pub height: usize,
}

impl Fill {
    pub fn run(&self) -> Result {
        driver()?.fill_rows(self.address, self.pitch, &self.pattern, (self.width, self.height))
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

/// Refuses a range that the emulator does not hold as a whole.
fn held(address: u64, bytes: usize) -> Result {
    match driver()?.device.allocation_at(address) {
        _ if bytes == 0 => Ok(()),
        Some((start, length)) if address - start + bytes as u64 <= length => Ok(()),
        _ => Err(Status::InvalidValue),
    }
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
        unsafe { copy(to, from, bytes, 0) }
    }
    fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Handle) {
        // SAFETY: by the caller.
        unsafe { copy(to, from, bytes, stream) }
    }
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) {
        held(to, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to, from as u64, bytes, 0) }
    }
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Handle) {
        held(to, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to, from as u64, bytes, stream) }
    }
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) {
        held(from, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to as u64, from, bytes, 0) }
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
        unsafe { copy(to, from, bytes, 0) }
    }
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) {
        held(to, bytes)?;
        held(from, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to, from, bytes, stream) }
    }
    fn cuMemcpyPeer(to: u64, _to_context: Handle, from: u64, _from_context: Handle, bytes: usize) {
        held(to, bytes)?;
        held(from, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to, from, bytes, 0) }
    }
    fn cuMemcpyPeerAsync(to: u64, _to_context: Handle, from: u64, _from_context: Handle, bytes: usize, stream: Handle) {
        held(to, bytes)?;
        held(from, bytes)?;
        // SAFETY: by the caller.
        unsafe { copy(to, from, bytes, stream) }
    }
    fn cuMemcpy2D_v2(rows: *const Copy2D) {
        // SAFETY: by the caller.
        unsafe { copy_2d(rows, 0) }
    }
    fn cuMemcpy2DUnaligned_v2(rows: *const Copy2D) {
        // SAFETY: by the caller.
        unsafe { copy_2d(rows, 0) }
    }
    fn cuMemcpy2DAsync_v2(rows: *const Copy2D, stream: Handle) {
        // SAFETY: by the caller.
        unsafe { copy_2d(rows, stream) }
    }
    fn cuMemcpy3D_v2(part: *const Box3D) {
        // SAFETY: by the caller.
        unsafe { copy_3d(part, 0) }
    }
    fn cuMemcpy3DAsync_v2(part: *const Box3D, stream: Handle) {
        // SAFETY: by the caller.
        unsafe { copy_3d(part, stream) }
    }
    fn cuMemcpy3DPeer(part: *const Box3D) {
        // SAFETY: by the caller.
        unsafe { copy_3d(part, 0) }
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
