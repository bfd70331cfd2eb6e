//! The initialized bytes of local memory.
//!
//! *Data structure.* A bit per lane for each byte of a warp: lanes mostly access the same variable of their own, and one operation
//! per byte then serves all lanes. By thread, each lane's bits would be in another word.

/// Initialized bytes of the local memory of some warps.
pub struct LocalBytes {
    /// Bytes of a thread.
    bytes: usize,
    /// By warp and byte: the lanes that have written it.
    lanes: Vec<u32>,
}

impl LocalBytes {
    /// Uninitialized memory of so many warps and bytes per thread.
    pub fn new(warps: usize, bytes: u64) -> LocalBytes {
        let bytes = bytes as usize;
        LocalBytes { bytes, lanes: vec![0; warps * bytes] }
    }

    /// Marks all bytes as unwritten.
    pub fn clear(&mut self) {
        self.lanes.fill(0);
    }

    /// The place of a byte of a warp.
    #[inline(always)]
    fn place(&self, warp: usize, offset: u64) -> usize {
        warp * self.bytes + offset as usize
    }

    /// Marks bytes of some lanes as written.
    #[inline(always)]
    pub fn set(&mut self, warp: usize, lanes: u32, offset: u64, bytes: u64) {
        let start = self.place(warp, offset);
        for written in &mut self.lanes[start..start + bytes as usize] {
            *written |= lanes;
        }
    }

    /// The lanes that have written all of some bytes.
    #[inline(always)]
    pub fn written(&self, warp: usize, offset: u64, bytes: u64) -> u32 {
        let start = self.place(warp, offset);
        self.lanes[start..start + bytes as usize].iter().fold(u32::MAX, |all, lanes| all & lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_of_each_warp_has_its_own_bytes() {
        let mut local = LocalBytes::new(2, 16);
        local.set(1, 0b101, 4, 8);
        assert_eq!(local.written(1, 4, 8), 0b101);
        assert_eq!(local.written(1, 8, 4), 0b101);
        assert_eq!(local.written(1, 8, 8), 0);
        assert_eq!(local.written(0, 4, 8), 0);
        local.set(1, 0b010, 4, 4);
        assert_eq!((local.written(1, 4, 4), local.written(1, 4, 8)), (0b111, 0b101));
        local.clear();
        assert_eq!(local.written(1, 4, 4), 0);
    }
}
