//! Operands of a matrix product without Rust's types: element type, memory, strides, and which elements are adjacent.
//!
//! An operand's memory is a caller's buffer, or a workspace part that one step of the plan fills and another reads.

use crate::workspace::{Scratch, WorkspacePart};
use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};
use lanework::lang::prelude::{E4m3, E5m2};
use lanework::{Error, Result, Storable, View, ViewMut};
use lanework_numbers::NumberType;

/// Whether it is an 8-bit float.
pub(crate) fn is_fp8(kind: NumberType) -> bool {
    matches!(kind, NumberType::E4m3 | NumberType::E5m2)
}

/// The accumulator type of products of a type; `None` if the type cannot be multiplied.
pub(crate) fn sums(kind: NumberType) -> Option<NumberType> {
    match kind {
        NumberType::F64 => Some(NumberType::F64),
        NumberType::I8 => Some(NumberType::I32),
        NumberType::I32 => None,
        _ => Some(NumberType::F32),
    }
}

/// An element type of matrices: `f32`, `f64`, `f16`, `bf16`, `i8`, [`Fp8E4m3`] and [`Fp8E5m2`] as factors; `f32`, `f64`, `f16`,
/// `bf16` and `i32` as results.
///
/// ```
/// use lanework_ops::{NumberType, GemmElement};
///
/// assert_eq!(<f32 as GemmElement>::KIND, NumberType::F32);
/// ```
#[diagnostic::on_unimplemented(
    message = "matrices of `{Self}` are not multiplied",
    note = "elements are f32, f64, f16, bf16, i8, Fp8E4m3 and Fp8E5m2, results f32, f64, f16, bf16 and i32"
)]
pub trait GemmElement: Storable {
    /// The type as a value.
    const KIND: NumberType;
}

macro_rules! elements {
    ($($t:ty: $kind:ident;)*) => {$(
        impl GemmElement for $t {
            const KIND: NumberType = NumberType::$kind;
        }
    )*};
}

elements! {
    f32: F32;
    f64: F64;
    f16: F16;
    bf16: Bf16;
    i8: I8;
    i32: I32;
    Fp8E4m3: E4m3;
    Fp8E5m2: E5m2;
}

macro_rules! eight {
    ($($(#[$doc:meta])* $t:ident by $of:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct $t(pub u8);

        // SAFETY: `repr(transparent)` over `u8`, for which the all-zero pattern is valid.
        unsafe impl Zeroable for $t {}
        // SAFETY: `repr(transparent)` over `u8`: no padding, and every bit pattern is valid.
        unsafe impl Pod for $t {}
        impl Storable for $t {
            fn bytes(values: &[Self]) -> Option<&[u8]> {
                Some(bytemuck::cast_slice(values))
            }
            fn bytes_mut(values: &mut [Self]) -> Option<&mut [u8]> {
                Some(bytemuck::cast_slice_mut(values))
            }
            fn write(&self, to: &mut [u8]) {
                to[0] = self.0;
            }
            fn read(from: &[u8]) -> Option<Self> {
                Some($t(from[0]))
            }
        }

        impl $t {
            /// The nearest number, ties to even, clamped to the largest finite one.
            ///
            /// ```
            #[doc = concat!("assert_eq!(lanework_ops::", stringify!($t), "::from_f32(1.5).to_f32(), 1.5);")]
            /// ```
            pub fn from_f32(x: f32) -> $t {
                $t($of::encode(x))
            }

            /// The number.
            ///
            /// ```
            #[doc = concat!("assert_eq!(lanework_ops::", stringify!($t), "(0).to_f32(), 0.0);")]
            /// ```
            pub fn to_f32(self) -> f32 {
                $of::decode(self.0)
            }
        }
    )*};
}

eight! {
    /// An 8-bit float with 4 exponent bits and 3 mantissa bits, without infinities; the largest value is 448.
    ///
    /// ```
    /// use lanework_ops::Fp8E4m3;
    ///
    /// assert_eq!(Fp8E4m3::from_f32(1e9), Fp8E4m3(0x7e));
    /// ```
    Fp8E4m3 by E4m3;
    /// An 8-bit float with 5 exponent bits and 2 mantissa bits; the largest finite value is 57,344.
    ///
    /// ```
    /// use lanework_ops::Fp8E5m2;
    ///
    /// assert_eq!(Fp8E5m2(0x7b).to_f32(), 57344.0);
    /// ```
    Fp8E5m2 by E5m2;
}

/// Strides in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Strides {
    pub batch: usize,
    pub row: usize,
    pub column: usize,
}

/// Which elements of a matrix are adjacent in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Major {
    /// A row's elements; the value is the row stride.
    Rows(usize),
    /// A column's elements; the value is the column stride.
    Columns(usize),
    /// Neither.
    Scattered,
}

impl Strides {
    /// The adjacent elements of a `rows` x `columns` matrix. The line stride of a single line is arbitrary, so it gets
    /// one that every kernel accepts.
    pub fn major(self, rows: usize, columns: usize) -> Major {
        let apart = |stride: usize, lines: usize, extent: usize| {
            if lines <= 1 { extent.next_multiple_of(16).max(16) } else { stride }
        };
        match (self.row, self.column) {
            (row, 1) if columns > 1 => Major::Rows(apart(row, rows, columns)),
            (1, column) if rows > 1 => Major::Columns(apart(column, columns, rows)),
            // One column with gaps counts as rows of one element.
            (row, _) if columns <= 1 => Major::Rows(apart(row, rows, columns)),
            (_, column) if rows <= 1 => Major::Columns(column),
            _ => Major::Scattered,
        }
    }

    /// Strides of the transposed matrix.
    pub fn t(self) -> Strides {
        Strides { row: self.column, column: self.row, ..self }
    }
}

/// A factor; its memory extends from the first element to the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatrixOperand<'a> {
    pub kind: NumberType,
    pub memory: OperandMemory<'a>,
    pub strides: Strides,
}

/// The result.
#[derive(Debug)]
pub(crate) struct ProductOutput<'a> {
    pub kind: NumberType,
    pub memory: ResultMemory<'a>,
    pub strides: Strides,
}

/// The last two dimensions are rows and columns; a dimension before them is the batch.
pub(super) fn strides<const R: usize>(strides: [usize; R]) -> Strides {
    let from_end = |i: usize| if R >= i { strides[R - i] } else { 0 };
    Strides { batch: if R == 3 { from_end(3) } else { 0 }, row: from_end(2), column: from_end(1) }
}

/// Rejects an invalid request.
pub(crate) fn refused<T>(why: String, help: &str) -> Result<T> {
    Err(Error::Request { why, help: help.to_owned() })
}

/// Memory of a factor.
#[derive(Clone, Copy)]
pub(crate) enum OperandMemory<'a> {
    /// In a caller's buffer.
    Memory(View<'a, u8>),
    /// In the workspace.
    Scratch(WorkspacePart<u8>),
}

impl<'a> OperandMemory<'a> {
    /// The memory, once the workspace is reserved.
    pub fn elements<T: Storable>(self, scratch: &Scratch) -> View<'a, T> {
        match self {
            OperandMemory::Memory(view) => view.cast(),
            OperandMemory::Scratch(part) => View::from(scratch.view(part)).cast(),
        }
    }

    /// The address, for alignment checks: workspace parts are aligned to 256 bytes.
    pub fn address(self) -> u64 {
        match self {
            OperandMemory::Memory(view) => view.address(),
            OperandMemory::Scratch(_) => 0,
        }
    }
}

/// Memory of the results.
pub(crate) enum ResultMemory<'a> {
    /// In a caller's buffer.
    Memory(ViewMut<'a, u8>),
    /// In the workspace.
    Scratch(WorkspacePart<u8>),
}

impl<'a> ResultMemory<'a> {
    /// The memory, once the workspace is reserved.
    pub fn elements<T: Storable>(self, scratch: &Scratch) -> ViewMut<'a, T> {
        match self {
            ResultMemory::Memory(view) => view.cast(),
            ResultMemory::Scratch(part) => scratch.view(part).cast(),
        }
    }

    /// As [`OperandMemory::address`].
    pub fn address(&self) -> u64 {
        match self {
            ResultMemory::Memory(view) => view.address(),
            ResultMemory::Scratch(_) => 0,
        }
    }

    /// Duplicates the mutable view.
    ///
    /// # Safety
    /// As [`ViewMut::again`].
    pub unsafe fn again(&self) -> ResultMemory<'a> {
        match self {
            // SAFETY: this function has the contract of `ViewMut::again`, which it calls once, for the one view it holds.
            ResultMemory::Memory(view) => ResultMemory::Memory(unsafe { view.again() }),
            ResultMemory::Scratch(part) => ResultMemory::Scratch(*part),
        }
    }
}

impl std::fmt::Debug for OperandMemory<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OperandMemory::Memory(view) => view.fmt(f),
            OperandMemory::Scratch(_) => f.write_str("workspace"),
        }
    }
}

impl std::fmt::Debug for ResultMemory<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ResultMemory::Memory(view) => view.fmt(f),
            ResultMemory::Scratch(_) => f.write_str("workspace"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_line_is_one_whose_elements_are_adjacent() {
        for (row, column, rows, columns, major) in [
            (7, 1, 5, 7, Major::Rows(7)),
            (1, 5, 5, 7, Major::Columns(5)),
            (14, 2, 5, 7, Major::Scattered),
            (1, 1, 5, 1, Major::Columns(16)),
            (3, 1, 5, 1, Major::Rows(3)),
            (1, 1, 1, 40, Major::Rows(48)),
            (1, 3, 1, 40, Major::Columns(3)),
            (9, 9, 1, 1, Major::Rows(16)),
        ] {
            let strides = Strides { batch: 0, row, column };
            assert_eq!(strides.major(rows, columns), major, "{row} {column} {rows} {columns}");
        }
    }
}
