//! A group of `wgmma` products along K: its instructions, their shapes and layouts.
//!
//! Descriptors of matrices in shared memory for `wgmma` (PTX manual, "Asynchronous warpgroup-level
//! matrix shared memory layout"), from the layout of a typed tile.

use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::with;
use crate::emit::value::Value;
use crate::tensor_cores::element::MatrixElement;
use crate::tensor_cores::fragment::FragmentC;
use crate::tensor_cores::layout::{and, constant, shr};
use crate::tensor_cores::tile::shared_tile::{SharedTile, Transposed};
use crate::tensor_cores::tile::swizzle::{SwizzleMode, TileBase};
use lanework_ptx::{Operand, ScalarType};

/// The operands.
pub(crate) enum Left {
    /// A matrix in shared memory.
    Shared(Stored),
    /// A fragment per instruction.
    Registers(Vec<Operand>),
}

/// Stages one group of products along K, into `sums` (`wgmma.fence`, a `wgmma.mma_async` per 32 bytes of K,
/// `wgmma.commit_group`).
pub(crate) fn stage<T, U, D, const N: u32>(
    sums: FragmentC<D, 64, N>,
    k: u32,
    left: Left,
    right: Stored,
    add: bool,
) where
    T: MatrixElement,
    U: MatrixElement,
    D: MatrixElement,
{
    with(|b| {
        sums.check_variable(b, "a product");
        let left_k_major = match &left {
            Left::Shared(stored) => stored.by_rows,
            Left::Registers(_) => true,
        };
        check(b, N, k, T::BITS, left_k_major && !right.by_rows, D::NAME == "s32");
        let step_k = 256 / T::BITS;
        let steps = k / step_k;
        b.emit("wgmma.fence.sync.aligned", vec![]);
        let name = format!(
            "wgmma.mma_async.sync.aligned.m64n{N}k{step_k}.{}.{}.{}",
            D::NAME,
            T::NAME,
            U::NAME
        );
        for step in 0..steps {
            let bytes = T::BITS / 8;
            let a = match &left {
                Left::Shared(stored) => {
                    let bits = stored.descriptor(b, left_k_major, step, bytes);
                    b.operand(bits, ScalarType::U64)
                }
                Left::Registers(fragments) => match fragments.get(step as usize) {
                    Some(fragment) => fragment.clone(),
                    None => break,
                },
            };
            let of_b = right.descriptor(b, !right.by_rows, step, bytes);
            let counts = Value::Constant(u64::from(add || step > 0));
            let mut operands = vec![
                sums.operand(),
                a,
                b.operand(of_b, ScalarType::U64),
                b.operand(counts, ScalarType::Pred),
            ];
            if D::NAME != "s32" {
                operands.extend([Operand::integer(1), Operand::integer(1)]);
            }
            if T::BITS == 16 {
                if matches!(left, Left::Shared(_)) {
                    operands.push(Operand::integer(u64::from(!left_k_major)));
                }
                operands.push(Operand::integer(u64::from(right.by_rows)));
            }
            b.emit(&name, operands);
        }
        b.emit("wgmma.commit_group.sync.aligned", vec![]);
        sums.written(b);
    });
}

/// Refuses shapes and layouts that do not exist.
fn check(b: &mut Builder, n: u32, k: u32, bits: u32, k_major: bool, integers: bool) {
    if n == 0 || !n.is_multiple_of(8) || n > 256 {
        b.error(
            format!("`wgmma` has no results of {n} columns"),
            "choose a multiple of 8 up to 256",
        );
    } else if integers && n > 32 && !n.is_multiple_of(16) {
        b.error(
            format!("`wgmma` has no integer results of {n} columns"),
            "above 32, choose a multiple of 16",
        );
    }
    if k == 0 || !(k * bits).is_multiple_of(256) {
        b.error(
            format!("a factor of {k} columns is not a multiple of 32 bytes along K"),
            format!("choose a multiple of {}", 256 / bits),
        );
    }
    if bits != 16 && !k_major {
        b.error(
            "only 16-bit elements are multiplied with M or N contiguous in memory",
            "store `a` as 64 x K and `b` as N x K, and give `b.t()`",
        );
    }
}

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

/// The layout of a matrix in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    pub(crate) base: TileBase,
    /// Whether the elements of a row, not of a column, are adjacent.
    pub(crate) by_rows: bool,
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

/// Fields of the descriptor of the `step`th part along K, in bytes: start after the tile's, leading
/// dimension's offset, stride dimension's offset. `k_major` is whether K is contiguous; `bytes` are
/// those of an element.
pub(crate) fn offsets(stored: Stored, k_major: bool, step: u32, bytes: u32) -> [u32; 3] {
    let Stored { width, panel, .. } = stored;
    match (k_major, width) {
        // Chunks along K are panels; groups of eight rows follow one another.
        (true, 16) => [step * STEP / 16 * panel, panel, 128],
        // Within the swizzled rows the start moves on; their leading dimension is not read.
        (true, _) => [step * STEP / width * panel + step * STEP % width, 16, 8 * width],
        // Rows run along K. Without a swizzle the two dimensions are exchanged.
        (false, 16) => [step * STEP / bytes * 16, 128, panel],
        (false, _) => [step * STEP / bytes * width, panel, 8 * width],
    }
}

impl Stored {
    /// The descriptor of the `step`th part along K.
    pub(crate) fn descriptor(self, b: &mut Builder, k_major: bool, step: u32, bytes: u32) -> Value {
        let [start, leading, stride] = offsets(self, k_major, step, bytes);
        let base = self.base.plus(b, constant(0)).address(b);
        // In a cluster, the block's rank is in the bits above the 18 of an address (seen on an H200: it would be taken for a part of the
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
