//! Regions: ranges of guest memory that are contiguous on the host.

/// A range of guest addresses and its host address.
#[derive(Clone, Copy)]
pub struct Region {
    /// First guest address.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
    /// The host address of the first byte.
    pub host: *mut u8,
}

impl Region {
    /// An empty region.
    pub const EMPTY: Region = Region { start: 0, bytes: 0, host: std::ptr::null_mut() };

    /// Whether the bytes from the lowest to past the highest address are inside.
    #[inline(always)]
    pub fn holds(&self, lowest: u64, highest: u64, bytes: u64) -> bool {
        let low = lowest.wrapping_sub(self.start);
        let high = highest.wrapping_sub(self.start);
        low < self.bytes && high < self.bytes && bytes <= self.bytes - high
    }
}
