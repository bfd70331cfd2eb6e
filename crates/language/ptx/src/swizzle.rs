//! Shared-memory swizzles of sm_90, with which the copy engine and the matrix units spread the rows of a tile over the
//! banks. Both use [`Swizzle::apply`], so a matrix unit reads an element where the copy engine wrote it.

/// A pattern that moves 16-byte chunks within rows of 32, 64 or 128 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Swizzle {
    /// No swizzle.
    #[default]
    None,
    /// One bit of the row permutes two chunks; the pattern repeats after 256 bytes.
    B32,
    /// Two bits of the row permute four chunks; the pattern repeats after 512 bytes.
    B64,
    /// Three bits of the row permute eight chunks; the pattern repeats after 1024 bytes.
    B128,
    /// Two bits of the row permute four pairs of chunks; the pattern repeats after 512 bytes (sm_100 and later).
    B128By32,
}

impl Swizzle {
    /// The swizzled address of the byte that has `address` in a plain layout. XORs address bits
    /// from 7 up into bits from 4 up (from 5 up for `B128By32`). The pattern is relative to address
    /// 0 of shared memory, not to the tile. The function is its own inverse.
    #[inline]
    pub fn apply(self, address: u64) -> u64 {
        let (shift, mask) = self.pattern();
        address ^ (address >> shift & mask)
    }

    /// Shift and mask of the pattern: an address is XORed with `(address >> shift) & mask`.
    #[inline]
    pub fn pattern(self) -> (u32, u64) {
        match self {
            Swizzle::B128By32 => (2, 0x60),
            _ => (3, (self.width() - 1) & !15),
        }
    }

    /// Number of rows in the pattern.
    pub fn rows(self) -> u64 {
        if self == Swizzle::B128By32 { 4 } else { 8 }
    }

    /// Width in bytes of a row, within which chunks move; 16 (one chunk) without a swizzle.
    pub fn width(self) -> u64 {
        match self {
            Swizzle::None => 16,
            Swizzle::B32 => 32,
            Swizzle::B64 => 64,
            Swizzle::B128 | Swizzle::B128By32 => 128,
        }
    }

    /// Bytes after which the pattern repeats.
    pub fn period(self) -> u64 {
        match self {
            Swizzle::None => 16,
            _ => self.width() * self.rows(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Swizzle;

    const ALL: [Swizzle; 5] =
        [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128, Swizzle::B128By32];

    #[test]
    fn pairs_of_chunks_of_row_r_are_xored_with_r() {
        for row in 0..8u64 {
            for chunk in 0..8u64 {
                let expected = row * 128 + ((chunk / 2) ^ (row & 3)) * 32 + chunk % 2 * 16 + 3;
                assert_eq!(Swizzle::B128By32.apply(row * 128 + chunk * 16 + 3), expected);
            }
        }
    }

    #[test]
    fn chunks_of_row_r_are_xored_with_r() {
        for (swizzle, bits) in [(Swizzle::B32, 1), (Swizzle::B64, 2), (Swizzle::B128, 3)] {
            let mask = (1u64 << bits) - 1;
            for row in 0..16u64 {
                for chunk in 0..8u64 {
                    let expected = row * 128 + (chunk ^ (row & mask)) * 16 + 5;
                    assert_eq!(swizzle.apply(row * 128 + chunk * 16 + 5), expected);
                }
            }
        }
    }

    #[test]
    fn swizzles_are_involutions_periodic_and_keep_chunks() {
        for swizzle in ALL {
            for address in 0..4096u64 {
                let to = swizzle.apply(address);
                assert_eq!(swizzle.apply(to), address);
                assert_eq!(to / swizzle.width(), address / swizzle.width());
                assert_eq!(to % 16, address % 16);
                assert_eq!(swizzle.apply(address + swizzle.period()), to + swizzle.period());
            }
        }
    }
}
