//! Copies and fills of bytes. An address is device memory if the emulator knows it; otherwise it is memory of the
//! program.

use crate::memory::virtual_memory::is_reserved;
use crate::memory::{Access, is_mapped, shared_pages};
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, table};
use crate::status::{Result, Status, refuse};
use crate::streams::detached;
use crate::textures::arrays::Array;
use lanework::emulator::sanitize::footprint::AccessMode;

/// Repetitions of a pattern per write.
const FILLED_AT_ONCE: usize = 1 << 14;
/// Bytes per chunk of device-to-device copies.
const COPIED_AT_ONCE: usize = 4 << 20;

impl Driver {
    /// Whether bytes are device memory. Memory that is unmapped or does not permit the access is an error.
    fn is_device_memory(&self, address: u64, bytes: usize, access: Access) -> Result<bool> {
        match self.device.allocation_at(address) {
            Some((start, length)) if bytes as u64 <= length - (address - start) => Ok(true),
            // Freed or unbacked device addresses are not memory of the program.
            None if self.graph_spans(address, 1)
                || is_reserved(address)
                || self.device.is_of_device(address)
                || shared_pages::holds(address) =>
            {
                Err(Status::InvalidValue)
            }
            None if is_mapped(address, bytes, access) => Ok(false),
            _ => Err(Status::InvalidValue),
        }
    }

    /// Reads device memory.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result {
        if detached::any() {
            let held = self.device.hold_at(address, to.len() as u64);
            let held = held.map_err(|_| Status::InvalidValue)?;
            // SAFETY: `hold_at` keeps the range allocated, and it has `to.len()` bytes. If a running kernel writes
            // them, their values are undefined, as on a GPU.
            unsafe { to.as_mut_ptr().copy_from(held.start(), to.len()) };
            return Ok(());
        }
        self.device.read_at(address, to).map_err(|_| Status::InvalidValue)
    }

    /// Writes device memory.
    pub fn write(&self, address: u64, from: &[u8]) -> Result {
        if detached::any() {
            let held = self.device.hold_at(address, from.len() as u64);
            let held = held.map_err(|_| Status::InvalidValue)?;
            // SAFETY: `hold_at` keeps the range allocated, and it has `from.len()` bytes.
            unsafe { held.start().copy_from(from.as_ptr(), from.len()) };
            held.wrote();
            return Ok(());
        }
        self.device.write_at(address, from).map_err(|_| Status::InvalidValue)
    }

    /// Copies bytes.
    ///
    /// # Safety
    /// A range outside of device memory belongs to the program, and nothing else accesses it during the copy.
    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result {
        if bytes == 0 {
            return Ok(());
        }
        let to_device = self.is_device_memory(to, bytes, Access::Write)?;
        let from_device = self.is_device_memory(from, bytes, Access::Read)?;
        // SAFETY: `is_device_memory` found the bytes readable in this process, and by contract they are the program's.
        let source = || unsafe { std::slice::from_raw_parts(from as *const u8, bytes) };
        match (to_device, from_device) {
            (true, false) => self.write(to, source()),
            (false, true) => {
                // SAFETY: `is_device_memory` found the bytes writable in this process, and by contract nothing else
                // accesses them during the copy.
                let target = unsafe { std::slice::from_raw_parts_mut(to as *mut u8, bytes) };
                self.read(from, target)
            }
            (true, true) => {
                let mut between = vec![0; bytes.min(COPIED_AT_ONCE)];
                let parts = bytes.div_ceil(COPIED_AT_ONCE);
                for part in 0..parts {
                    // If the ranges overlap, read each chunk before it is overwritten.
                    let at = COPIED_AT_ONCE * if to <= from { part } else { parts - 1 - part };
                    let between = &mut between[..(bytes - at).min(COPIED_AT_ONCE)];
                    let (from, to) = (from + at as u64, to + at as u64);
                    // Bytes that were never written are still undefined in the copy.
                    let unwritten = self.device.unwritten_at(from, between.len() as u64);
                    self.read(from, between)?;
                    self.write(to, between)?;
                    self.device.forget_at(to, &unwritten);
                }
                Ok(())
            }
            (false, false) => {
                // SAFETY: `is_device_memory` found the one range writable and the other readable; `copy` allows them to overlap.
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
        let bytes = count.checked_mul(pattern.len()).ok_or(Status::InvalidValue)?;
        self.check_range(address, bytes)?;
        if let [byte, rest @ ..] = pattern
            && rest.iter().all(|other| other == byte)
            && !detached::any()
        {
            let filled = self.device.fill_at(address, *byte, bytes as u64);
            return filled.map_err(|_| Status::InvalidValue);
        }
        let part = pattern.repeat(count.min(FILLED_AT_ONCE));
        for from in (0..bytes).step_by(part.len()) {
            self.write(address + from as u64, &part[..part.len().min(bytes - from)])?;
        }
        Ok(())
    }

    /// Checks the rows of a fill with elements of this size.
    fn check_rows(
        &self,
        address: u64,
        pitch: usize,
        element: usize,
        (width, height): (usize, usize),
    ) -> Result {
        if !address.is_multiple_of(element as u64) {
            let why = format!(
                "the address {address:#x} is not a multiple of the {element} bytes of an element"
            );
            return Err(refuse(Status::InvalidValue, why, "align the address"));
        }
        let row = width.checked_mul(element).ok_or(Status::InvalidValue)?;
        let before = height.saturating_sub(1).checked_mul(pitch).ok_or(Status::InvalidValue)?;
        if height > 1 && (pitch < row || !pitch.is_multiple_of(element)) {
            let why = format!("a pitch of {pitch} bytes does not hold a row of {row}");
            return Err(refuse(Status::InvalidValue, why, "pass the pitch of `cudaMallocPitch`"));
        }
        let bytes = before.checked_add(row).ok_or(Status::InvalidValue)?;
        match width == 0 || height == 0 || self.graph_spans(address, bytes) {
            true => Ok(()),
            false => self.check_range(address, bytes),
        }
    }

    /// Fills rows with a pattern.
    fn fill_rows(
        &self,
        address: u64,
        pitch: usize,
        pattern: &[u8],
        (width, height): (usize, usize),
    ) -> Result {
        self.check_rows(address, pitch, pattern.len(), (width, height))?;
        if width == 0 {
            return Ok(());
        }
        (0..height).try_for_each(|row| self.fill(address + (row * pitch) as u64, pattern, width))
    }
}

/// One side of `CUDA_MEMCPY3D` and `CUDA_MEMCPY3D_PEER`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CopySide {
    pub x_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub level: usize,
    /// 1 host, 2 device, 3 array, 4 unified (1 or 2).
    pub memory: u32,
    pub host: Address,
    pub device: Address,
    pub array: Handle,
    /// The context of this side, for peer copies.
    pub context: Handle,
    pub pitch: usize,
    pub height: usize,
}

abi!(CopySide = 88, 8 { x_bytes: 0, y: 8, z: 16, level: 24, memory: 32, host: 40, device: 48, array: 56, context: 64, pitch: 72, height: 80 });

/// Value of [`CopySide::memory`] for device memory.
const OF_DEVICE: u32 = 2;

/// A 3D copy.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Copy3D {
    pub from: CopySide,
    pub to: CopySide,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

abi!(Copy3D = 200, 8 { from: 0, to: 88, width: 176, height: 184, depth: 192 });

impl CopySide {
    /// A 1D range of host or device memory.
    pub fn line(address: Address) -> CopySide {
        CopySide {
            x_bytes: 0,
            y: 0,
            z: 0,
            level: 0,
            memory: 4,
            host: Address::NULL,
            device: address,
            array: 0,
            context: 0,
            pitch: 0,
            height: 0,
        }
    }

    /// Address of a row of an array.
    fn row_of_array(&self, width: usize, (y, z): (usize, usize)) -> Result<u64> {
        let image = table::<Array>().some(self.array)?.image;
        let place = || {
            let end = self.x_bytes.checked_add(width)?;
            let (y, z) = (self.y.checked_add(y)? as u64, self.z.checked_add(z)? as u64);
            let inside = end as u64 <= image.row_bytes()
                && y < u64::from(image.extent[1])
                && z < image.planes()
                && self.level == 0;
            inside.then(|| image.at(self.x_bytes as u64, y, z))
        };
        place().ok_or(Status::InvalidValue)
    }

    /// Address of a row.
    pub fn row(&self, width: usize, height: usize, (y, z): (usize, usize)) -> Result<u64> {
        let base = match self.memory {
            1 => self.host.get(),
            2 | 4 => self.device.get(),
            3 => return self.row_of_array(width, (y, z)),
            _ => return Err(Status::InvalidValue),
        };
        let sum = |a: usize, b: usize| a.checked_add(b).ok_or(Status::InvalidValue);
        let pitch = if self.pitch == 0 { sum(width, self.x_bytes)? } else { self.pitch };
        let rows = if self.height == 0 { sum(height, self.y)? } else { self.height };
        if base == 0 || pitch < sum(width, self.x_bytes)? {
            return Err(Status::InvalidValue);
        }
        let place = || {
            let row =
                self.z.checked_add(z)?.checked_mul(rows)?.checked_add(self.y)?.checked_add(y)?;
            let at = row.checked_mul(pitch)?.checked_add(self.x_bytes)?;
            base.checked_add(at as u64)
        };
        place().ok_or(Status::InvalidValue)
    }
}

impl Copy3D {
    /// Whether it accesses pageable memory of the program.
    pub fn is_pageable(&self) -> bool {
        [&self.from, &self.to].into_iter().any(|side| {
            let first = side.row(self.width, self.height, (0, 0));
            let held = |row| driver()?.is_device_memory(row, 1, Access::Read);
            first.is_ok_and(|row| held(row) == Ok(false))
        })
    }

    /// Addresses of the first row: destination, source.
    pub fn first_row(&self) -> Option<(u64, u64)> {
        let row = |side: &CopySide| side.row(self.width, self.height, (0, 0)).ok();
        let empty = [self.width, self.height, self.depth].contains(&0);
        if empty { None } else { Some((row(&self.to)?, row(&self.from)?)) }
    }

    /// Checks a copy before it becomes a node.
    pub fn check(&self) -> Result {
        if [self.width, self.height, self.depth].contains(&0) {
            return Ok(());
        }
        [&self.from, &self.to].into_iter().try_for_each(|side| {
            side.row(self.width, self.height, (self.height - 1, self.depth - 1)).map(drop)
        })
    }

    /// Checks that both sides are memory.
    pub fn check_memory(&self) -> Result {
        self.check()?;
        if [self.width, self.height, self.depth].contains(&0) {
            return Ok(());
        }
        let driver = driver()?;
        for (side, access) in [(&self.from, Access::Read), (&self.to, Access::Write)] {
            let last = side.row(self.width, self.height, (self.height - 1, self.depth - 1))?;
            if !driver.graph_spans(last, self.width) {
                driver.is_device_memory(last, self.width, access)?;
            }
        }
        Ok(())
    }

    /// Checks the copy as a node that the program adds: it must copy at least one byte, and its device
    /// memory must be allocated.
    pub fn check_node(&self) -> Result {
        if [self.width, self.height, self.depth].contains(&0) {
            return Err(Status::InvalidValue);
        }
        self.check()?;
        let driver = driver()?;
        for side in [&self.from, &self.to] {
            let last = side.row(self.width, self.height, (self.height - 1, self.depth - 1))?;
            if side.memory == OF_DEVICE && !driver.graph_spans(last, self.width) {
                driver.check_range(last, self.width)?;
            }
        }
        Ok(())
    }

    /// Total bytes.
    pub fn bytes(&self) -> u64 {
        (self.width * self.height * self.depth) as u64
    }

    /// Accesses to device memory: mode, address and bytes of each row.
    pub fn accesses(&self) -> Vec<(AccessMode, u64, u64)> {
        let mut accesses = Vec::new();
        for (side, mode) in [(&self.from, AccessMode::Read), (&self.to, AccessMode::Write)] {
            let first = side.row(self.width, self.height, (0, 0));
            let held = |row| driver()?.is_device_memory(row, 1, Access::Read);
            if !first.is_ok_and(|row| held(row) == Ok(true)) {
                continue;
            }
            for z in 0..self.depth {
                for y in 0..self.height {
                    let row = side.row(self.width, self.height, (y, z));
                    accesses.extend(row.map(|row| (mode, row, self.width as u64)));
                }
            }
        }
        accesses
    }

    /// Runs the copy row by row.
    pub fn run(&self) -> Result {
        let driver = driver()?;
        let Copy3D { from, to, width, height, depth } = self;
        if [*width, *height, *depth].contains(&0) {
            return Ok(());
        }
        // Check the last row first, so an oversized copy fails immediately.
        for (side, access) in [(from, Access::Read), (to, Access::Write)] {
            let last = side.row(*width, *height, (height - 1, depth - 1))?;
            let held = driver.is_device_memory(last, *width, access)?;
            if side.memory == OF_DEVICE && !held {
                return Err(Status::InvalidValue);
            }
        }
        for z in 0..*depth {
            for y in 0..*height {
                let (from, to) =
                    (from.row(*width, *height, (y, z))?, to.row(*width, *height, (y, z))?);
                // SAFETY: the rows are in ranges that the program passed as `Address`es, which it keeps allocated
                // until its stream has run the copy.
                unsafe { driver.copy(to, from, *width) }?;
            }
        }
        Ok(())
    }
}

/// A 2D fill with a pattern.
#[derive(Clone)]
pub struct Fill {
    pub address: u64,
    pub pitch: usize,
    pub pattern: Vec<u8>,
    /// Patterns per row.
    pub width: usize,
    pub height: usize,
}

impl Fill {
    /// Total bytes.
    pub fn bytes(&self) -> u64 {
        (self.width * self.height * self.pattern.len()) as u64
    }

    /// Checks a fill before it becomes a node.
    pub fn check(&self) -> Result {
        driver()?.check_rows(
            self.address,
            self.pitch,
            self.pattern.len(),
            (self.width, self.height),
        )
    }

    /// Accesses: mode, address and bytes of each row.
    pub fn accesses(&self) -> impl Iterator<Item = (AccessMode, u64, u64)> {
        let row = (self.width * self.pattern.len()) as u64;
        (0..self.height)
            .map(move |y| (AccessMode::Write, self.address + (y * self.pitch) as u64, row))
    }

    pub fn run(&self) -> Result {
        driver()?.fill_rows(self.address, self.pitch, &self.pattern, (self.width, self.height))
    }
}
