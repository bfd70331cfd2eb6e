//! A scan as a problem: the numbers on a device, and what blocks tell each other.

use lanework::{Buffer, Device, Result};

/// The most numbers of a problem, so that 32-bit indices do not overflow.
pub const LONGEST: u64 = 1 << 31;

/// Numbers on a device, and the buffers for the results.
pub struct Sums {
    /// The numbers.
    pub x: Buffer<f32>,
    /// Their running sums.
    pub y: Buffer<f32>,
    /// What blocks publish; zeros before and after each run.
    pub cells: Buffer<u64>,
    /// The next tile, and the number of blocks that have ended; zeros before and after each run.
    pub tickets: Buffer<u32>,
}

impl Sums {
    /// Uploads `x`, and makes room for its running sums.
    ///
    /// # Errors
    /// When the device has no memory for them.
    pub fn new(device: &Device, x: &[f32]) -> Result<Self> {
        let mut on_device = device.uninit_named(x.len(), "x")?;
        on_device.upload(x)?;
        let y = device.uninit_named(x.len(), "y")?;
        Ok(Sums { x: on_device, y, cells: device.zeros(0)?, tickets: device.zeros(2)? })
    }

    /// Makes room for what blocks publish.
    pub(super) fn make_room(&mut self, device: &Device, cells: u32) -> Result<()> {
        if self.cells.len() != cells as usize {
            self.cells = device.zeros(cells as usize)?;
        }
        Ok(())
    }
}
