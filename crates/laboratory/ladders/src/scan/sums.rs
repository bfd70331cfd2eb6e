//! A scan as a problem: the numbers on a device, and the buffers through which blocks communicate.

use lanework::{Buffer, Device, Result};

/// Maximum number of elements, which keeps 32-bit indices from overflowing.
pub const LONGEST: u64 = 1 << 31;

/// Numbers on a device, and the buffers for the results.
pub struct Sums {
    /// The numbers.
    pub x: Buffer<f32>,
    /// Their running sums.
    pub y: Buffer<f32>,
    /// Published sums of blocks; zeros before and after each run.
    pub cells: Buffer<u64>,
    /// The next tile, and the number of finished blocks; zeros before and after each run.
    pub tickets: Buffer<u32>,
}

impl Sums {
    /// Uploads `x` and allocates its running sums.
    ///
    /// # Errors
    /// If the device has too little memory.
    pub fn new(device: &Device, x: &[f32]) -> Result<Self> {
        let mut on_device = device.uninit_named(x.len(), "x")?;
        on_device.upload(x)?;
        let y = device.uninit_named(x.len(), "y")?;
        Ok(Sums { x: on_device, y, cells: device.zeros(0)?, tickets: device.zeros(2)? })
    }

    /// Allocates the published cells.
    pub(super) fn make_room(&mut self, device: &Device, cells: u32) -> Result<()> {
        if self.cells.len() != cells as usize {
            self.cells = device.zeros(cells as usize)?;
        }
        Ok(())
    }
}
