//! A group of `wgmma` products along K: its instructions, their shapes and layouts, and the descriptors of matrices in shared memory
//! (PTX manual, "Asynchronous warpgroup-level matrix shared memory layout"), derived from the layout of a typed tile.

use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::with;
use crate::emit::value::{Register, Value};
use crate::tensor_cores::element::{F8, MatrixElement};
use crate::tensor_cores::fragment::{FragmentC, not_variable};
use crate::tensor_cores::layout::{STAGED, and, constant, shr};
use crate::tensor_cores::tile::swizzle::{SwizzleMode, TileBase};
use crate::tensor_cores::tile::{SharedTile, Transposed};
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
pub(crate) fn stage<T, D>(sums: Sums, k: u32, left: Left, right: Stored, add: bool)
where
    T: MatrixElement,
    D: MatrixElement,
{
    let of_left = match &left {
        Left::Shared(stored) => stored.element,
        Left::Registers(_) => T::NAME,
    };
    let of_right = right.element;
    stage_named(sums, [D::NAME, of_left, of_right], T::BITS, k, left, right, add);
}

/// The accumulator of a product.
pub(crate) struct Sums {
    columns: u32,
    mutable: bool,
    registers: Vec<Register>,
}

impl<D: MatrixElement, const N: u32> From<FragmentC<D, 64, N>> for Sums {
    fn from(sums: FragmentC<D, 64, N>) -> Sums {
        let (columns, mutable) = (sums.width(), sums.is_variable());
        Sums { columns, mutable, registers: sums.registers() }
    }
}

/// As [`stage`], with the names of types: one function serves all types.
fn stage_named(
    sums: Sums,
    [sum, left_name, right_name]: [&str; 3],
    bits: u32,
    k: u32,
    left: Left,
    right: Stored,
    add: bool,
) {
    with(|b| {
        let n = sums.columns;
        if !sums.mutable {
            not_variable(b, "a product");
        }
        // These equal the types' extents, unless a type leaves an extent open.
        let [of_k, of_n] =
            if right.by_rows { right.extents } else { [right.extents[1], right.extents[0]] };
        if of_n != n {
            b.error(
                format!("a product with {of_n} columns is not added to sums of {n}"),
                "give both the same extent",
            );
        }
        let k = if k == STAGED { of_k } else { k };
        if [left_name, right_name].contains(&F8::NAME) {
            b.error(
                "the tile does not say the format of its 8-bit floats",
                "`tiles.of_format(..)`",
            );
        }
        let left_k_major = match &left {
            Left::Shared(stored) => stored.by_rows,
            Left::Registers(_) => true,
        };
        check(b, n, k, bits, left_k_major && !right.by_rows, sum == "s32");
        let step_k = 256 / bits;
        let steps = k / step_k;
        b.emit("wgmma.fence.sync.aligned", vec![]);
        let name =
            format!("wgmma.mma_async.sync.aligned.m64n{n}k{step_k}.{sum}.{left_name}.{right_name}");
        let results = sums.registers.iter().map(|register| register.name().into()).collect();
        let results = Operand::Vector(results);
        for step in 0..steps {
            let bytes = bits / 8;
            let a = match &left {
                Left::Shared(stored) => {
                    let place = stored.descriptor(b, left_k_major, step, bytes);
                    b.operand(place, ScalarType::U64)
                }
                Left::Registers(fragments) => match fragments.get(step as usize) {
                    Some(fragment) => fragment.clone(),
                    None => break,
                },
            };
            let of_b = right.descriptor(b, !right.by_rows, step, bytes);
            let counts = Value::Constant(u64::from(add || step > 0));
            let mut operands = vec![
                results.clone(),
                a,
                b.operand(of_b, ScalarType::U64),
                b.operand(counts, ScalarType::Pred),
            ];
            if sum != "s32" {
                operands.extend([Operand::integer(1), Operand::integer(1)]);
            }
            if bits == 16 {
                if matches!(left, Left::Shared(_)) {
                    operands.push(Operand::integer(u64::from(!left_k_major)));
                }
                operands.push(Operand::integer(u64::from(right.by_rows)));
            }
            b.emit(&name, operands);
        }
        b.emit("wgmma.commit_group.sync.aligned", vec![]);
        if sums.mutable {
            sums.registers.into_iter().for_each(|register| b.assigned(register));
        }
    });
}

/// Reports unsupported shapes and layouts.
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

/// A matrix of `ROWS` x `COLUMNS` elements of `T` in shared memory that `wgmma` reads: a tile, or `.t()` of a tile.
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
    /// Rows and columns of the tile.
    extents: [u32; 2],
    /// The name of the elements.
    element: &'static str,
    /// Whether the elements of a row, not of a column, are adjacent.
    pub(crate) by_rows: bool,
    /// Bytes of the swizzle, and its code in the descriptor.
    width: u32,
    mode: u64,
    /// Bytes from one panel to the next.
    panel: u32,
}

impl<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode> GroupOperand<T, R, C>
    for SharedTile<T, R, C, S>
{
    fn stored(self) -> Stored {
        Stored {
            base: self.base,
            extents: self.extents,
            element: self.element,
            by_rows: true,
            width: S::BYTES,
            mode: S::MODE,
            panel: self.panel,
        }
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

/// Fields of the descriptor of the `step`th part along K, in bytes: offset from the tile's start, leading-dimension offset,
/// stride-dimension offset. `k_major`: K is contiguous. `bytes` is the size of an element.
pub(crate) fn offsets(stored: Stored, k_major: bool, step: u32, bytes: u32) -> [u32; 3] {
    let Stored { width, panel, .. } = stored;
    match (k_major, width) {
        // Chunks along K are panels; groups of eight rows follow one another.
        (true, 16) => [step * STEP / 16 * panel, panel, 128],
        // Within swizzled rows only the start changes; the leading dimension is not read.
        (true, _) => [step * STEP / width * panel + step * STEP % width, 16, 8 * width],
        // K is not contiguous: each row has one index of K. Without a swizzle, the leading and the stride offset are
        // exchanged.
        (false, 16) => [step * STEP / bytes * 16, 128, panel],
        (false, _) => [step * STEP / bytes * width, panel, 8 * width],
    }
}

impl Stored {
    /// The descriptor of the `step`th part along K.
    pub(crate) fn descriptor(self, b: &mut Builder, k_major: bool, step: u32, bytes: u32) -> Value {
        let [start, leading, stride] = offsets(self, k_major, step, bytes);
        let base = self.base.plus(b, constant(0)).address(b);
        // In a cluster, the bits above an address's 18 bits hold the block's rank (seen on an H200), which would corrupt the
        // leading dimension's offset.
        let sixteens = shr(b, base, 4);
        let sixteens = and(b, sixteens, 0x3fff);
        let high = u64::from(stride >> 4) | self.mode << 30;
        let (word, long) = (ScalarType::U32, ScalarType::U64);
        // Shared-memory addresses have 18 bits, so an addition to the start does not carry into the fields above it: only
        // the lower half changes, and the upper half stays constant.
        let leading = Value::Constant(u64::from(leading >> 4) << 16);
        let low = binary(b, Operation::Or, word, sixteens, leading);
        let low = binary(b, Operation::Add, word, low, constant(start >> 4));
        let key = b.computation("descriptor", [low, Value::Constant(high)].into_iter());
        let halves = vec![b.operand(low, word), Operand::integer(high)];
        b.pure_operands(key, "mov.b64", long, vec![Operand::Vector(halves)])
    }
}
