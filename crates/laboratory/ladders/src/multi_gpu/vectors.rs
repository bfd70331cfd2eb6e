//! Several devices with a vector each, and helpers for the rungs: shares of the vectors, and waits between devices.

use lanework::{Buffer, Device, PeerMemory, Prepared, Result, Stream, View, ViewMut};
use std::ops::Range;

/// Maximum number of elements of a vector, which keeps 32-bit indices from overflowing.
pub const LONGEST: u64 = 1 << 31;

/// A prepared all-reduce: each call queues one.
pub type AllReduce<'a> = Box<dyn FnMut() -> Result<()> + 'a>;

/// The work of one device: its launches, and the peer memory that they use.
pub(super) type Launches<'a> = (Vec<Prepared<'a>>, Vec<[PeerMemory<'a, f32>; 2]>);

/// One device of several.
pub struct Rank {
    /// The device.
    pub device: Device,
    /// Queues of its work; rungs that overlap use both.
    pub streams: [Stream; 2],
    /// Its summand.
    pub x: Buffer<f32>,
    /// The sum.
    pub y: Buffer<f32>,
}

/// Several devices with vectors of one length.
pub struct Ranks {
    /// In the order of ranks.
    pub ranks: Vec<Rank>,
}

impl Ranks {
    /// Creates a vector per device, filled by `make(rank, index)`; sums are poisoned.
    ///
    /// # Errors
    /// If a device has too little memory for two vectors.
    pub fn new(
        devices: &[Device],
        length: usize,
        make: impl Fn(usize, usize) -> f32,
    ) -> Result<Ranks> {
        let of = |(rank, device): (usize, &Device)| {
            let host: Vec<f32> = (0..length).map(|index| make(rank, index)).collect();
            let mut y = device.uninit_named::<f32>(length, "y")?;
            y.fill_bytes(0xFF)?;
            Ok(Rank {
                device: device.clone(),
                streams: [device.stream()?, device.stream()?],
                x: device.upload(&host)?,
                y,
            })
        };
        let ranks: Result<Vec<Rank>> = devices.iter().enumerate().map(of).collect();
        Ok(Ranks { ranks: ranks? })
    }

    /// Elements of a vector.
    pub fn length(&self) -> usize {
        self.ranks.first().map_or(0, |rank| rank.x.len())
    }

    /// The elements that belong to one device: whole groups of four, which aligns 16-byte accesses; the last device
    /// has the remainder.
    pub(super) fn share(&self, rank: usize) -> Range<usize> {
        share(0..self.length(), self.ranks.len(), rank)
    }

    /// Makes each stream with this number wait for the work queued so far on the others.
    pub(super) fn meet(&self, stream: usize) -> Result<()> {
        for rank in &self.ranks {
            for other in &self.ranks {
                if !std::ptr::eq(rank, other) {
                    rank.streams[stream].after(&other.streams[stream])?;
                }
            }
        }
        Ok(())
    }
}

/// The part of a range that belongs to one of `size` devices, as in [`Ranks::share`].
pub(super) fn share(range: Range<usize>, size: usize, rank: usize) -> Range<usize> {
    let each = range.len() / size / 4 * 4;
    let start = range.start + rank * each;
    start..if rank + 1 == size { range.end } else { start + each }
}

impl Rank {
    /// A part of the sum for a kernel of this device to write.
    ///
    /// # Safety
    /// The rung must order all accesses to this part, by streams and waits between them.
    pub(super) unsafe fn sum(&self, range: Range<usize>) -> ViewMut<'_, f32> {
        // SAFETY: the rung orders all accesses to this part by streams and waits, as this function requires, so that no
        // two views use it at once.
        unsafe { self.y.view_shared(range) }
    }

    /// A part of the sum for a kernel of this device to read; see [`Rank::sum`].
    pub(super) fn partial(&self, range: Range<usize>) -> View<'_, f32> {
        self.y.view(range)
    }

    /// Another device's vectors, for access by kernels of this device.
    pub(super) fn peer<'a>(&self, other: &'a Rank) -> Result<[PeerMemory<'a, f32>; 2]> {
        // SAFETY: the prepared all-reduce borrows the buffers and orders the work of the devices by its streams;
        // dropping `Ranks` waits for all devices before it frees a buffer (see `Drop` below).
        unsafe { Ok([self.device.peer(other.x.view(..))?, self.device.peer(other.y.view(..))?]) }
    }
}

impl Drop for Ranks {
    /// Waits for all devices, because another device may still use the memory of a rank; freeing it would not wait.
    fn drop(&mut self) {
        for rank in &self.ranks {
            // An earlier launch caused this failure, and the next wait reports it.
            let _ = rank.device.synchronize();
        }
    }
}
