//! Addresses of tensor memory.

/// A place in tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The lane.
    pub lane: u32,
    /// The column.
    pub column: u32,
}

impl Place {
    /// From an address: the lane stands in the upper half.
    pub fn of(address: u32) -> Place {
        Place { lane: address >> 16, column: address & 0xffff }
    }

    /// The same without the two highest bits, which CuTe uses for the byte of a scale factor.
    pub fn of_factor(address: u32) -> Place {
        Place::of(address & 0x3fff_ffff)
    }
}
