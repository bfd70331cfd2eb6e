//! Which lane holds which element of a fragment (PTX manual, "Matrix Fragments for mma"): one function
//! for positions, loads, stores and drawings. Also the memory row that each lane addresses for `ldmatrix` and `stmatrix`.
//!
//! Positions are untyped 32-bit values. Operations on constants fold, so the same functions draw layouts on the host.

use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::value::{Index, Value, integer};
use crate::tensor_cores::element::{MatrixElement, per_register};
use lanework_ptx::ScalarType;

/// Marks an extent that a type leaves open. The kernel sets it while it is staged, so rustc does not compile an instance for each
/// extent.
///
/// ```
/// # use lanework::prelude::*;
/// use half::bf16;
/// use lanework::lang::tensor_cores::STAGED;
///
/// /// `c = a * transpose(b)` of 64 x `n` elements, `n` rows of K = 64 each: one Rust function for every `n`.
/// #[kernel(block = 128)]
/// fn example(a: &[bf16], b: &[bf16], c: &mut [f32], #[constant] n: u32) {
///     let left = SharedTile::<bf16, 64, 64>::new();
///     let right = SharedTiles::<bf16, STAGED, 64>::dynamic_of((n, 64), 1);
///     let pipe = CopyPipeline::<1>::new();
///     pipe.copy_tile(left, a.matrix(64), (0, 0), (thread_idx.x, 128));
///     pipe.copy_tile(right[0], b.matrix(64), (0, 0), (thread_idx.x, 128));
///     pipe.commit();
///     pipe.wait();
///     fence_proxy_async_shared();
///     sync_threads();
///     let mut sums = Accumulator::<f32, STAGED>::zero_of(n);
///     sums.multiply(left, right[0].rows_of(n, 0).t());
///     let sums = sums.finish();
///     let mut largest = FragmentC::<f32, 64, STAGED>::zero_of(sums.width());
///     #[unroll]
///     for i in 0..sums.elements() {
///         largest[i] = sums[i].max(100.0);
///     }
///     largest.store(c.matrix(n), 0, 0);
/// }
/// # let device = Device::emulator();
/// # let a = device.upload(&[bf16::ONE; 64 * 64])?;
/// # let mut c = device.zeros::<f32>(64 * 32)?;
/// example(&a, &a, &mut c, 32).grid(1).block(128).shared_bytes(32 * 128).launch(&device)?;
/// assert_eq!(c.download()?, [100.0; 64 * 32]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub const STAGED: u32 = u32::MAX;

/// Returns `given`, which must agree with the extent `of_type`.
pub(crate) fn agreed(b: &mut Builder, of_type: u32, given: Option<usize>) -> u32 {
    let given = given.and_then(|given| u32::try_from(given).ok()).unwrap_or(0);
    if of_type != STAGED && of_type != given {
        b.error(
            format!("an extent of {given} contradicts the type, which says {of_type}"),
            "give the same extent, or write STAGED in the type",
        );
    }
    given
}

/// Reports a type that leaves an extent open if no extent is given.
pub(crate) fn needs_extent(b: &mut Builder, of_type: u32) {
    if of_type == STAGED {
        b.error("the type leaves an extent open", "give it: `zero_of(columns)`, `dynamic_of(..)`");
    }
}

/// Which matrix of `D = A B + C` a fragment is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// The accumulator or the result.
    C,
}

/// The shape of a fragment in scalars of memory, and the number of scalars in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Which matrix.
    pub part: Part,
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub columns: u32,
    /// Scalars in one register.
    pub per_register: u32,
}

/// A row or column of one element: `group * (lane / 4) + member * (lane % 4) + first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    /// The offset that each quad of lanes adds.
    pub group: u32,
    /// The offset that each lane of a quad adds.
    pub member: u32,
    /// The row or column in lane 0.
    pub first: u32,
}

impl Linear {
    /// The row or column in a lane of a warp.
    pub fn of(self, lane: u32) -> u32 {
        self.group * (lane / 4) + self.member * (lane % 4) + self.first
    }
}

impl Layout {
    /// The layout of a fragment of `rows` x `columns` elements of `T`.
    pub fn new<T: MatrixElement>(part: Part, rows: u32, columns: u32) -> Layout {
        let (rows, columns) = match part {
            Part::A => (rows, columns / T::UNIT),
            Part::B => (rows / T::UNIT, columns),
            Part::C => (rows, columns),
        };
        Layout { part, rows, columns, per_register: per_register::<T>() }
    }

    /// Warps that share the fragment, 16 rows each: one, or the four of a warpgroup.
    pub fn warps(self) -> u32 {
        if self.part == Part::C { self.rows.div_ceil(16) } else { 1 }
    }

    /// Scalars in each lane.
    pub fn elements(self) -> u32 {
        self.rows * self.columns / (32 * self.warps())
    }

    /// Registers in each lane.
    pub fn registers(self) -> u32 {
        self.elements().div_ceil(self.per_register)
    }

    /// Adjacent scalars in a lane: along a row for A and C, along a column for B.
    pub fn run(self) -> u32 {
        if self.part == Part::C { 2 } else { self.per_register }
    }

    /// Groups of eight lines, one line per quad of lanes: rows of A and C, columns of B.
    pub fn lines(self) -> u32 {
        match self.part {
            Part::B => self.columns / 8,
            _ => self.rows / self.warps() / 8,
        }
    }

    /// The row and the column of element `i` of a lane, within its warp's rows. A lane's quad determines
    /// its line, and its position in the quad determines its run within the line.
    pub fn place(self, i: u32) -> (Linear, Linear) {
        let (run, lines) = (self.run(), self.lines().max(1));
        let (word, rest) = (i / run, i % run);
        let line = Linear { group: 1, member: 0, first: 8 * (word % lines) };
        let along = Linear { group: 0, member: run, first: run * 4 * (word / lines) + rest };
        if self.part == Part::B { (along, line) } else { (line, along) }
    }
}

const WORD: ScalarType = ScalarType::U32;

/// A constant.
pub(crate) fn constant(value: u32) -> Value {
    Value::Constant(value.into())
}

pub(crate) fn add(b: &mut Builder, x: Value, y: Value) -> Value {
    binary(b, Operation::Add, WORD, x, y)
}

pub(crate) fn mul(b: &mut Builder, x: Value, by: u32) -> Value {
    binary(b, Operation::Mul, WORD, x, constant(by))
}

pub(crate) fn shr(b: &mut Builder, x: Value, by: u32) -> Value {
    binary(b, Operation::Shr, WORD, x, constant(by))
}

pub(crate) fn and(b: &mut Builder, x: Value, mask: u32) -> Value {
    binary(b, Operation::And, WORD, x, constant(mask))
}

pub(crate) fn xor(b: &mut Builder, x: Value, y: Value) -> Value {
    binary(b, Operation::Xor, WORD, x, y)
}

/// An index as a 32-bit value.
pub(crate) fn word(b: &mut Builder, index: Index) -> Value {
    match index.value {
        Value::Constant(bits) => constant(integer(bits, index.ty) as u32),
        value if index.ty.size() == 8 => b.pure("cvt.u32.u64", WORD, &[(value, ScalarType::U64)]),
        value => value,
    }
}

/// The lane in its warp.
pub(crate) const LANE: Value = Value::Special("%laneid");

/// A row or column of an element, in this lane.
pub(crate) fn position(b: &mut Builder, place: Linear) -> Value {
    let group = shr(b, LANE, 2);
    let member = and(b, LANE, 3);
    let (group, member) = (mul(b, group, place.group), mul(b, member, place.member));
    let sum = add(b, group, member);
    add(b, sum, constant(place.first))
}

/// The first row of this warp's part of a warpgroup's fragment.
pub(crate) fn warp_row(b: &mut Builder, warps: u32) -> Value {
    if warps == 1 {
        return constant(0);
    }
    let warp = shr(b, Value::Special("%tid.x"), 5);
    let warp = and(b, warp, warps - 1);
    mul(b, warp, 16)
}

/// A row and a column.
pub(crate) type At = (Value, Value);

pub(crate) fn index(value: Value) -> Index {
    Index { value, ty: ScalarType::U32 }
}

/// A start and an offset, both in rows and columns.
pub(crate) fn plus(b: &mut Builder, at: At, more: At) -> At {
    (add(b, at.0, more.0), add(b, at.1, more.1))
}

/// The position of the memory row whose address this lane provides to `ldmatrix`: lane `8 j + r` addresses row `r` of matrix `j`.
/// `steps` holds the distances of matrices 1 and 2 from matrix 0; `per` is the number of scalars in 16 bytes.
pub(crate) fn row_of_lane(
    b: &mut Builder,
    by_rows: bool,
    count: usize,
    steps: [(u32, u32); 2],
) -> At {
    let row = and(b, LANE, 7);
    let mut at = if by_rows { (row, constant(0)) } else { (constant(0), row) };
    for (bit, step) in steps.into_iter().enumerate().take(count.trailing_zeros() as usize) {
        let which = shr(b, LANE, 3 + bit as u32);
        let which = and(b, which, 1);
        let step = (mul(b, which, step.0), mul(b, which, step.1));
        at = plus(b, at, step);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::bf16;
    use std::collections::HashSet;

    #[test]
    fn every_element_has_exactly_one_place() {
        let shapes = [
            Layout::new::<bf16>(Part::A, 16, 16),
            Layout::new::<bf16>(Part::B, 16, 8),
            Layout::new::<f32>(Part::C, 16, 8),
            Layout::new::<u8>(Part::A, 16, 32),
            Layout::new::<u8>(Part::B, 32, 8),
            Layout::new::<f64>(Part::A, 8, 4),
            Layout::new::<f64>(Part::C, 8, 8),
            Layout::new::<half::f16>(Part::C, 64, 256),
        ];
        for layout in shapes {
            let mut seen = HashSet::new();
            for lane in 0..32 {
                for i in 0..layout.elements() {
                    let (row, column) = layout.place(i);
                    assert!(seen.insert((row.of(lane), column.of(lane))), "{layout:?}");
                }
            }
            let rows = layout.rows / layout.warps();
            assert!(seen.iter().all(|(r, c)| *r < rows && *c < layout.columns), "{layout:?}");
            assert_eq!(seen.len() as u32, rows * layout.columns);
        }
    }
}
