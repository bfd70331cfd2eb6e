//! Descriptors of matrices in shared memory for `wgmma` (PTX manual, "Asynchronous warpgroup-level
//! matrix shared memory layout"), from the layout of a typed tile.

use super::base::TileBase;
use super::element::MatrixElement;
use super::swizzle::SwizzleMode;
use super::tile::{SharedTile, Transposed};
use super::words::{and, constant, shr};
use crate::arithmetic::binary;
use crate::builder::Builder;
use crate::operation::Operation;
use crate::value::Value;
use lanework_ptx::{Operand, ScalarType};

/// A matrix of `ROWS` x `COLUMNS` elements of `T` in shared memory that `wgmma` reads: a tile, or `.t()`
/// of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a matrix of {ROWS} x {COLUMNS} `{T}` in shared memory",
    label = "expected {ROWS} x {COLUMNS} `{T}`",
    note = "`accumulator.multiply(a, b)` takes an `a` of 64 x K and a `b` of K x N: a \
            SharedTile<T, 64, K> and a SharedTile<T, K, N>, or `.t()` of a tile with rows and columns \
            exchanged"
)]
pub trait GroupOperand<T, const ROWS: u32, const COLUMNS: u32>: Copy {
    #[doc(hidden)]
    fn stored(self) -> Stored;
}

/// How a matrix lies in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    pub(super) base: TileBase,
    /// Whether the elements of a row, not of a column, lie side by side.
    pub(super) by_rows: bool,
    /// Bytes of the swizzle, and what the descriptor says for it.
    width: u32,
    mode: u64,
    /// Bytes from one panel to the next.
    panel: u32,
}

impl<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode> GroupOperand<T, R, C>
    for SharedTile<T, R, C, S>
{
    fn stored(self) -> Stored {
        Stored { base: self.base, by_rows: true, width: S::BYTES, mode: S::MODE, panel: self.panel }
    }
}

impl<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode> GroupOperand<T, R, C>
    for Transposed<SharedTile<T, C, R, S>>
{
    fn stored(self) -> Stored {
        Stored { by_rows: false, ..GroupOperand::stored(self.0) }
    }
}

/// Bytes of K that one instruction multiplies.
const STEP: u32 = 32;

/// What the descriptor of the `step`th part along K says, in bytes: start after the tile's, leading
/// dimension's offset, stride dimension's offset. `k_major` is whether K is contiguous; `bytes` are
/// those of an element.
pub(super) fn offsets(stored: Stored, k_major: bool, step: u32, bytes: u32) -> [u32; 3] {
    let Stored { width, panel, .. } = stored;
    match (k_major, width) {
        // Chunks along K are panels; groups of eight rows follow one another.
        (true, 16) => [step * STEP / 16 * panel, panel, 128],
        // Within the swizzled rows the start moves on; their leading dimension is not read.
        (true, _) => [step * STEP / width * panel + step * STEP % width, 16, 8 * width],
        // Rows are those of K. Without a swizzle the two dimensions are exchanged.
        (false, 16) => [step * STEP / bytes * 16, 128, panel],
        (false, _) => [step * STEP / bytes * width, panel, 8 * width],
    }
}

impl Stored {
    /// The descriptor of the `step`th part along K.
    pub(super) fn descriptor(self, b: &mut Builder, k_major: bool, step: u32, bytes: u32) -> Value {
        let [start, leading, stride] = offsets(self, k_major, step, bytes);
        let base = self.base.plus(b, constant(0)).address(b);
        // In a cluster, the block's rank stands above the 18 bits of an address (seen on an H200: it would be taken for a part of the
        // leading dimension's offset).
        let sixteens = shr(b, base, 4);
        let sixteens = and(b, sixteens, 0x3fff);
        let high = u64::from(stride >> 4) | self.mode << 30;
        let (word, long) = (ScalarType::U32, ScalarType::U64);
        // Addresses in shared memory have 18 bits, so that the start does not carry into what is above it: the lower half is
        // added to by itself, and the upper half stays a constant.
        let leading = Value::Constant(u64::from(leading >> 4) << 16);
        let low = binary(b, Operation::Or, word, sixteens, leading);
        let low = binary(b, Operation::Add, word, low, constant(start >> 4));
        let key = b.computation("descriptor", [low, Value::Constant(high)].into_iter());
        let halves = vec![b.operand(low, word), Operand::integer(high)];
        b.pure_operands(key, "mov.b64", long, vec![Operand::Vector(halves)])
    }
}
