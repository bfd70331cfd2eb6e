//! Vector clocks: for each warp, up to which of its clocks everything it did is known to come before.
//!
//! Mattern (1989) and Fidge (1988), as FastTrack uses them: a release copies the releaser's vector
//! clock, an acquire joins it into the acquirer's, by the maximum of each entry.

/// A vector clock, by warp. Empty stands for zeros.
pub type VectorClock = Vec<u32>;

/// Raises each entry to that of another vector clock.
#[inline]
pub fn raise(to: &mut [u32], from: &[u32]) {
    to.iter_mut().zip(from).for_each(|(a, b)| *a = (*a).max(*b));
}

/// The same, where the first may be empty.
pub fn join(to: &mut VectorClock, from: &[u32]) {
    if to.is_empty() {
        to.extend_from_slice(from);
    } else {
        raise(to, from);
    }
}

/// A vector clock for each warp, in one piece.
pub struct ClockMatrix {
    width: usize,
    clocks: Vec<u32>,
}

impl ClockMatrix {
    /// Zeros, for this many warps.
    pub fn new(width: usize) -> ClockMatrix {
        ClockMatrix { width, clocks: vec![0; width * width] }
    }

    /// Zeros again.
    pub fn clear(&mut self) {
        self.clocks.fill(0);
    }

    /// What warp `of` knows of warp `slot`.
    #[inline(always)]
    pub fn get(&self, of: usize, slot: usize) -> u32 {
        self.clocks[of * self.width + slot]
    }

    /// The vector clock of a warp.
    pub fn row(&self, of: usize) -> &[u32] {
        &self.clocks[of * self.width..(of + 1) * self.width]
    }

    /// The same, to change it.
    pub fn row_mut(&mut self, of: usize) -> &mut [u32] {
        &mut self.clocks[of * self.width..(of + 1) * self.width]
    }
}
