//! Metadata of sparse matrices A in tensor memory (PTX manual, "Sparse Matrices"; which lane has a row's bits as
//! CuTe's layouts of fragments say, which have them for 128 rows in a block).

use super::address::Place;
use super::memory::TensorMemory;
use lanework_ptx_ir::opcode::tensor_memory::MultiplyKind;

/// The metadata of one row.
#[derive(Clone, Copy, Default)]
pub struct Metadata {
    /// Four bits for each chunk of the row, lowest first.
    bits: u64,
    /// Elements of a chunk.
    chunk: usize,
}

impl Metadata {
    /// That of the row in a lane.
    pub fn of(kind: MultiplyKind, memory: &TensorMemory, at: Place, lane: u32) -> Metadata {
        let word = |lane: u32, column| u64::from(memory.word(at.lane + lane, at.column + column));
        let chunk = match kind {
            MultiplyKind::Tf32 => 2,
            MultiplyKind::Mxf4 | MultiplyKind::Mxf4nvf4 => 8,
            _ => 4,
        };
        let bits = match kind {
            // Eight lanes have the first halves of 16 rows, the next eight the second halves: the lower rows in
            // the lower half words.
            MultiplyKind::F16 | MultiplyKind::Tf32 => {
                let (first, upper) = (lane / 16 * 16 + lane % 8, lane / 8 % 2);
                let half = |lane| word(lane, 0) >> (16 * upper) & 0xffff;
                half(first) | half(first + 8) << 16
            }
            _ => word(lane, 0) | word(lane, 1) << 32,
        };
        Metadata { bits, chunk }
    }

    /// The column of stored element `at`.
    pub fn column(&self, at: usize) -> usize {
        let kept = (self.chunk / 2).max(1);
        let (number, within) = (at / kept, at % kept);
        let nibble = self.bits >> (4 * number % 64) & 15;
        let index = |i: usize| (nibble >> (2 * i) & 3) as usize;
        self.chunk * number
            + match self.chunk {
                // One of two, told as a pair of halves.
                2 => index(0) / 2,
                4 => index(within),
                // Pairs stay together.
                _ => 2 * index(within / 2) + within % 2,
            }
    }
}
