//! Sparse matrices A: of each chunk of a row, half the elements are stored, and metadata gives their
//! positions (PTX manual, "Sparse matrix storage").

use lanework_ptx_ir::opcode::matrix::{ElementType, Sparse};

/// The metadata of a warp's 16 rows, put in order.
pub struct Chunks {
    /// Two-bit indices, lowest first, by row.
    rows: [u64; 16],
    /// Elements of a chunk: 2, 4 or 8.
    chunk: usize,
    /// Columns of the dense matrix.
    k: usize,
}

impl Chunks {
    /// The lanes' metadata for a matrix of `k` columns. Each row has 16, 32 or 64 bits; the selector
    /// names the one or two lanes of a quad that hold them.
    pub fn new(number: ElementType, k: usize, sparse: Sparse, metadata: &[u32; 32]) -> Chunks {
        let chunk = match number.bits() {
            32 => 2,
            4 => 8,
            _ => 4,
        };
        let selector = sparse.selector as usize & 3;
        let mut rows = [0u64; 16];
        for (row, bits) in rows.iter_mut().enumerate() {
            let (quad, upper) = (row % 8 * 4, row / 8);
            let half =
                |lane: usize| u64::from(metadata[quad + (lane & 3)] >> (16 * upper) & 0xffff);
            let word = |lane: usize| u64::from(metadata[quad + (lane & 3)]);
            *bits = match k / chunk {
                4 => half(selector),
                8 if number.bits() <= 8 => word(2 * selector + upper),
                8 => half(2 * selector) | half(2 * selector + 1) << 16,
                _ => word(upper) | word(upper + 2) << 32,
            };
        }
        Chunks { rows, chunk, k }
    }

    /// Moves the stored elements, by rows of `k / 2`, to their places.
    #[inline(always)]
    pub fn spread<T: Copy>(&self, stored: &[T], mut put: impl FnMut(usize, usize, T)) {
        for (row, bits) in self.rows.iter().enumerate() {
            for at in 0..self.k / 2 {
                let column = self.column(*bits, at);
                put(row, column, stored[row * (self.k / 2) + at]);
            }
        }
    }

    /// The column of stored element `at` of a row.
    pub fn column(&self, bits: u64, at: usize) -> usize {
        let kept = self.chunk / 2;
        let (number, within) = (at / kept, at % kept);
        let nibble = bits >> (4 * number) & 15;
        let index = |i: usize| (nibble >> (2 * i) & 3) as usize;
        self.chunk * number
            + match self.chunk {
                // One of two, encoded as a pair of halves.
                2 => index(0) / 2,
                4 => index(within),
                // Pairs stay together.
                _ => 2 * index(within / 2) + within % 2,
            }
    }
}
