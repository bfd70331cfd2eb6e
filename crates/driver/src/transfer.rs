//! Moving bytes: an address is the emulator's where it holds it, else the program's own.

use crate::handles::Handle;
use crate::state::{Driver, driver};
use crate::status::{Result, Status};

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
    pub x_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub level: usize,
    /// 1 host, 2 device, 3 array, 4 either of the first two.
    pub memory: u32,
    pub host: u64,
    pub device: u64,
    pub array: Handle,
    /// The context of the other side's GPU, for copies between peers.
    pub context: Handle,
    pub pitch: usize,
    pub height: usize,
}

/// A copy of a box.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Box3D {
    pub from: Side,
    pub to: Side,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

impl Side {
    /// The line from an address on, on the host or on a device.
    pub fn line(address: u64) -> Side {
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
