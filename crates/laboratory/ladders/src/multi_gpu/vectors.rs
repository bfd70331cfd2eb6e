//! Several devices with a vector each, and what the rungs share: shares of the vectors, and waiting for each other.

use lanework::{Buffer, Device, PeerMemory, Prepared, Result, Stream, View, ViewMut};
use std::ops::Range;

/// The most elements of a vector, so that 32-bit indices do not overflow.
pub const LONGEST: u64 = 1 << 31;

/// A prepared all-reduce: each call queues one.
pub type AllReduce<'a> = Box<dyn FnMut() -> Result<()> + 'a>;

/// What one device does: its launches, and the memory of others that they use.
pub(super) type Launches<'a> = (Vec<Prepared<'a>>, Vec<[PeerMemory<'a, f32>; 2]>);

/// One device of several.
pub struct Rank {
    /// The device.
    pub device: Device,
    /// Queues of its work; rungs that overlap use both.
    pub streams: [Stream; 2],
    /// What it adds to the sum.
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
    /// A vector for each device, filled by `make` of rank and index; sums are poisoned.
    ///
    /// # Errors
    /// When a device has no memory for two vectors.
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

    /// The elements of the vectors that belong to one of the devices: whole groups of four, so that 16-byte accesses are aligned;
    /// the last device has the rest.
    pub(super) fn share(&self, rank: usize) -> Range<usize> {
        share(0..self.length(), self.ranks.len(), rank)
    }

    /// Lets all streams of a number wait for what all of them have queued so far.
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

/// The part of a range that one of `size` devices has, as [`Ranks::share`].
pub(super) fn share(range: Range<usize>, size: usize, rank: usize) -> Range<usize> {
    let each = range.len() / size / 4 * 4;
    let start = range.start + rank * each;
    start..if rank + 1 == size { range.end } else { start + each }
}

impl Rank {
    /// A part of the sum for a kernel of this device to write.
    ///
    /// # Safety
    /// The rung orders what reads and writes this part, by streams and by their waiting for each other.
    pub(super) unsafe fn sum(&self, range: Range<usize>) -> ViewMut<'_, f32> {
        // SAFETY: by the caller.
        unsafe { self.y.view_shared(range) }
    }

    /// A part of the sum for a kernel of this device to read, as [`Rank::sum`].
    pub(super) fn partial(&self, range: Range<usize>) -> View<'_, f32> {
        self.y.view(range)
    }

    /// What kernels of this device read and write of another one's vectors.
    pub(super) fn peer<'a>(&self, other: &'a Rank) -> Result<[PeerMemory<'a, f32>; 2]> {
        // SAFETY: the buffers are borrowed for as long as the prepared all-reduce, which orders the work of the devices by its
        // streams; who frees a buffer waits for all devices first (`Drop` below).
        unsafe { Ok([self.device.peer(other.x.view(..))?, self.device.peer(other.y.view(..))?]) }
    }
}

impl Drop for Ranks {
    /// Another device may still use the memory of a rank, for which freeing it would not wait.
    fn drop(&mut self) {
        for rank in &self.ranks {
            // A failure here was caused by an earlier launch, which the next wait reports.
            let _ = rank.device.synchronize();
        }
    }
}
