//! Coordinates of a tile in a tensor: one to five integers, outermost first, as indices of arrays are.

use super::mbarrier::word;
use crate::builder::Builder;
use crate::memory::IndexValue;
use crate::value::Index;
use lanework_ptx::{Operand, ScalarType};

/// The coordinates of a tile's first element in a tensor of `R` dimensions, outermost first: `(row, column)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not place a tile in a tensor of {R} dimensions",
    label = "expected {R} integers",
    note = "write a tuple of as many integers as the tensor map has dimensions, outermost first: `(row, column)`"
)]
pub trait TileAt<const R: usize>: Copy {
    /// The integers.
    #[doc(hidden)]
    fn coordinates(self) -> [Index; R];
}

impl<I: IndexValue> TileAt<1> for I {
    fn coordinates(self) -> [Index; 1] {
        [self.parts()]
    }
}

impl<I: IndexValue, const R: usize> TileAt<R> for [I; R] {
    fn coordinates(self) -> [Index; R] {
        self.map(IndexValue::parts)
    }
}

macro_rules! tuples {
    ($($count:literal: $($i:ident $axis:tt)*;)*) => {$(
        impl<$($i: IndexValue),*> TileAt<$count> for ($($i,)*) {
            fn coordinates(self) -> [Index; $count] {
                [$(self.$axis.parts()),*]
            }
        }
    )*};
}

tuples! {
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
    5: A 0 B 1 C 2 D 3 E 4;
}

/// The coordinates as PTX lists them: the fastest-varying first.
pub(crate) fn vector(b: &mut Builder, at: &[Index]) -> Operand {
    let mut list = Vec::with_capacity(at.len());
    for index in at.iter().rev() {
        let value = word(b, *index);
        list.push(b.operand(value, ScalarType::S32));
    }
    Operand::Vector(list)
}
