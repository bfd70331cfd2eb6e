//! Sources and targets of fragments: tiles and arrays in shared memory, and matrices in global memory.

use crate::data::handles::{Memory, Slice, SliceMut};
use crate::data::place::{Place, Space};
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Value};
use crate::memory::shared::Shared;
use crate::scalar::number::{Element, IndexValue};
use crate::scalar::var::by_name;
use crate::tensor_cores::element::MatrixElement;
use crate::tensor_cores::layout::word;
use crate::tensor_cores::tile::swizzle::SwizzleMode;
use crate::tensor_cores::tile::{SharedTile, Transposed};
use lanework_ptx::ScalarType;
use std::marker::PhantomData;

/// A matrix that fragments are loaded from.
#[diagnostic::on_unimplemented(
    message = "fragments are not loaded from `{Self}`",
    note = "load from a SharedTile, a shared array of two dimensions, `slice.matrix(columns)`, or `.t()` \
            of a tile or a matrix"
)]
pub trait Source: Copy {
    /// The scalars that it contains.
    type Element: Element;
    /// Whether the elements of a row, not of a column, are adjacent.
    #[doc(hidden)]
    const BY_ROWS: bool;
    /// The state space that holds the matrix.
    #[doc(hidden)]
    const SPACE: Space;
    /// The known alignment in bytes of every row (or column, whichever is contiguous).
    #[doc(hidden)]
    fn alignment(self) -> u32;
    /// The place of an element, after a check that `count` adjacent elements are in range.
    #[doc(hidden)]
    fn spot(self, row: Index, column: Index, count: u32) -> Place<Self::Element>;
}

/// A matrix that fragments are stored to.
#[diagnostic::on_unimplemented(
    message = "fragments are not stored to `{Self}`",
    note = "store to a SharedTile, a shared array of two dimensions, `slice.matrix(columns)` of a \
            `&mut [T]`, or `.t()` of a tile or a matrix"
)]
pub trait Target: Source {}

impl<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode> Source
    for SharedTile<T, R, C, S>
{
    type Element = T::Storage;
    const BY_ROWS: bool = true;
    const SPACE: Space = Space::Shared;
    fn alignment(self) -> u32 {
        16
    }
    fn spot(self, row: Index, column: Index, count: u32) -> Place<T::Storage> {
        SharedTile::spot(self, row, column, count)
    }
}

impl<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode> Target
    for SharedTile<T, R, C, S>
{
}

impl<T: Element> Source for Shared<T, 2> {
    type Element = T;
    const BY_ROWS: bool = true;
    const SPACE: Space = Space::Shared;
    fn alignment(self) -> u32 {
        let pitch = self.shape()[1] * T::SCALAR.size();
        1 << pitch.trailing_zeros().min(4)
    }
    fn spot(self, row: Index, column: Index, count: u32) -> Place<T> {
        self.place([row, column], count)
    }
}

impl<T: Element> Target for Shared<T, 2> {}

impl<X: Source> Source for Transposed<X> {
    type Element = X::Element;
    const BY_ROWS: bool = !X::BY_ROWS;
    const SPACE: Space = X::SPACE;
    fn alignment(self) -> u32 {
        self.0.alignment()
    }
    fn spot(self, row: Index, column: Index, count: u32) -> Place<X::Element> {
        self.0.spot(column, row, count)
    }
}

impl<X: Target> Target for Transposed<X> {}

macro_rules! matrices {
    ($($(#[$doc:meta])* $matrix:ident of $slice:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $matrix<T> {
            pub(crate) memory: Memory,
            pub(crate) columns: Value,
            element: PhantomData<fn() -> T>,
        }

        by_name!([T] $matrix<T>);

        impl<T: Element> $slice<T> {
            /// The slice as a matrix of rows of `columns` elements, for fragments and tiles. Its rows must be
            /// aligned for vector accesses: to 16 bytes for copies of tiles, to two elements for an accumulator,
            /// otherwise to 4 bytes. Indices are 32-bit.
            ///
            /// Pass it to [`FragmentC::store`](crate::prelude::FragmentC) or
            /// [`CopyPipeline::copy_tile`](crate::prelude::CopyPipeline::copy_tile); their examples show it.
            #[track_caller]
            pub fn matrix(&self, columns: impl IndexValue) -> $matrix<T> {
                here();
                let columns = with(|b| word(b, columns.parts()));
                $matrix { memory: self.memory, columns, element: PhantomData }
            }
        }

        impl<T: Element> $matrix<T> {
            /// The transposed matrix: the same elements.
            pub fn t(self) -> Transposed<Self> {
                Transposed(self)
            }
        }

        impl<T: Element> Source for $matrix<T> {
            type Element = T;
            const BY_ROWS: bool = true;
            const SPACE: Space = Space::Global;
            fn alignment(self) -> u32 {
                match self.columns {
                    Value::Constant(columns) => {
                        let pitch = columns as u32 * T::SCALAR.size();
                        1 << pitch.trailing_zeros().min(4)
                    }
                    _ => 16,
                }
            }
            fn spot(self, row: Index, column: Index, count: u32) -> Place<T> {
                let index = with(|b| {
                    let (row, column) = (word(b, row), word(b, column));
                    let row = binary(b, Operation::Mul, ScalarType::U32, row, self.columns);
                    binary(b, Operation::Add, ScalarType::U32, row, column)
                });
                self.memory.place::<T>(Index { value: index, ty: ScalarType::U32 }, count.into())
            }
        }
    )*};
}

matrices! {
    /// A matrix in global memory that the kernel reads: `x.matrix(columns)` of an `x: &[T]`.
    Matrix of Slice;
    /// A matrix in global memory that the kernel may write: `y.matrix(columns)` of a `y: &mut [T]`.
    MatrixMut of SliceMut;
}

impl<T: Element> Target for MatrixMut<T> {}

impl<T> From<MatrixMut<T>> for Matrix<T> {
    fn from(matrix: MatrixMut<T>) -> Matrix<T> {
        Matrix { memory: matrix.memory, columns: matrix.columns, element: PhantomData }
    }
}
