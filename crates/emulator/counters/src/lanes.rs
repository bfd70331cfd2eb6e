//! The lanes of a warp as bits of a mask.

/// The active lanes.
pub fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |i| mask >> i & 1 != 0)
}
