//! Matrices in shared memory as `wgmma` takes them: a 64-bit descriptor says where one starts and how it
//! is laid out (PTX manual, "Asynchronous warpgroup-level matrix shared memory layout").
//!
//! The unit is a chunk of 16 bytes; eight rows of one chunk are a core matrix. Where K is contiguous,
//! rows of M or N of a swizzled layout are 32, 64 or 128 bytes apart, and groups of eight rows as far
//! as the stride says; without swizzle, chunks along K are as far apart as the leading dimension says.
//! Where M or N is contiguous, the same holds with the two exchanged, and the leading dimension tells
//! how far apart the swizzled rows' widths are along M or N.

use lanework_ptx::Swizzle;

/// What a descriptor says, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Address of the first element in shared memory.
    pub start: u64,
    /// Leading dimension's offset.
    pub leading: u64,
    /// Stride dimension's offset.
    pub stride: u64,
    /// How chunks are moved.
    pub swizzle: Swizzle,
    /// Where the pattern starts, if not at a multiple of its period: bytes after one.
    pub base: u64,
}

impl Descriptor {
    /// Reads the bits.
    pub fn from_bits(bits: u64) -> Descriptor {
        let field = |at: u32| (bits >> at & 0x3fff) << 4;
        let swizzle = match bits >> 62 {
            0 => Swizzle::None,
            1 => Swizzle::B128,
            2 => Swizzle::B64,
            _ => Swizzle::B32,
        };
        Descriptor {
            start: field(0),
            leading: field(16),
            stride: field(32),
            swizzle,
            base: (bits >> 49 & 7) << 7,
        }
    }

    /// Where the byte that a plain layout puts at `address` lies.
    #[inline(always)]
    fn place(&self, address: u64) -> u64 {
        // The pattern's row is counted from the base.
        self.swizzle.apply(address.wrapping_sub(self.base)).wrapping_add(self.base)
    }

    /// The address of chunk `chunk` along K of row `row` of M or N, where K is contiguous.
    #[inline(always)]
    pub fn along_k(&self, row: u64, chunk: u64) -> u64 {
        let group = self.start + row / 8 * self.stride;
        let width = self.swizzle.width();
        let at = match self.swizzle {
            Swizzle::None => group + row % 8 * 16 + chunk * self.leading,
            _ => {
                let chunks = width / 16;
                group + row % 8 * width + chunk % chunks * 16 + chunk / chunks * self.leading
            }
        };
        self.place(at)
    }

    /// The address of chunk `chunk` along M or N of row `k`, where M or N is contiguous.
    #[inline(always)]
    pub fn across_k(&self, k: u64, chunk: u64) -> u64 {
        let chunks = self.swizzle.width() / 16;
        let at = match self.swizzle {
            Swizzle::None => self.start + chunk * self.stride + k % 8 * 16 + k / 8 * self.leading,
            _ => {
                let rows = self.swizzle.rows();
                let row = self.start + k % rows * self.swizzle.width() + k / rows * self.stride;
                row + chunk % chunks * 16 + chunk / chunks * self.leading
            }
        };
        self.place(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_units_of_16_bytes() {
        let bits = 0x123 | 0x10 << 16 | 0x40u64 << 32 | 1 << 62;
        let this = Descriptor::from_bits(bits);
        assert_eq!((this.start, this.leading, this.stride), (0x1230, 0x100, 0x400));
        assert_eq!(this.swizzle, Swizzle::B128);
    }

    #[test]
    fn core_matrices_lie_as_the_manual_draws_them() {
        let plain =
            |swizzle| Descriptor { start: 0, leading: 4096, stride: 1024, swizzle, base: 0 };
        // Without swizzle: eight rows of 16 bytes, then the next core matrix along K, and along M or N.
        assert_eq!(plain(Swizzle::None).along_k(7, 0), 112);
        assert_eq!(plain(Swizzle::None).along_k(0, 1), 4096);
        assert_eq!(plain(Swizzle::None).along_k(9, 0), 1024 + 16);
        assert_eq!(plain(Swizzle::None).across_k(9, 2), 4096 + 16 + 2048);
        // With 128 bytes: row 3's chunk 1 lies in place of chunk 1 ^ 3.
        assert_eq!(plain(Swizzle::B128).along_k(3, 1), 3 * 128 + 2 * 16);
        assert_eq!(plain(Swizzle::B128).across_k(3, 9), 4096 + 3 * 128 + 2 * 16);
    }
}
