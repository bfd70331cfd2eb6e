//! `tile[y][x]`: rows of arrays in shared memory.

use super::address::stepped;
use super::index::IndexValue;
use super::place::Place;
use super::registers::{Get, Locate, Put};
use super::shared::Shared;
use crate::current::{here, with};
use crate::data::{At, Data, Handle, Places, To, operations};
use crate::scalar::Scalar;
use crate::value::{Index, Value};
use lanework_abi::IndexKind;

/// A part of a shared array whose first indices are given; `LEFT` are missing.
#[derive(Debug)]
pub struct SharedRow<T, const LEFT: usize> {
    start: Place<T>,
    array: String,
    dims: [u32; LEFT],
    /// The number of the first missing axis.
    axis: u8,
}

/// The index 0.
fn zero() -> Index {
    Index { value: Value::Constant(0), ty: u32::SCALAR }
}

impl<T: Data, I: IndexValue> At<I> for Shared<T, 2> {
    type Element = SharedRow<T, 1>;
    #[track_caller]
    fn at(&self, index: I) -> SharedRow<T, 1> {
        here();
        let start = self.place([index.parts(), zero()], 1);
        SharedRow { start, array: self.name(), dims: [self.shape()[1]], axis: 1 }
    }
}

impl<T: Data, I: IndexValue> At<I> for Shared<T, 3> {
    type Element = SharedRow<T, 2>;
    #[track_caller]
    fn at(&self, index: I) -> SharedRow<T, 2> {
        here();
        let start = self.place([index.parts(), zero(), zero()], 1);
        let [_, rows, columns] = self.shape();
        SharedRow { start, array: self.name(), dims: [rows, columns], axis: 1 }
    }
}

impl<T: Data, const LEFT: usize> SharedRow<T, LEFT> {
    /// The place of the part at `index` of the first missing axis.
    fn step(&self, index: Index) -> Place<T> {
        let [extent, inner @ ..] = self.dims.as_slice() else { return self.start };
        let elements: i64 = inner.iter().map(|extent| i64::from(*extent)).product();
        with(|b| {
            let extent = Value::Constant((*extent).into());
            b.check(index, extent, &self.array, IndexKind::SharedAxis(self.axis));
            stepped(b, self.start, index, elements * T::size() as i64)
        })
    }
}

impl<T: Data, I: IndexValue> At<I> for SharedRow<T, 2> {
    type Element = SharedRow<T, 1>;
    #[track_caller]
    fn at(&self, index: I) -> SharedRow<T, 1> {
        here();
        let start = self.step(index.parts());
        SharedRow { start, array: self.array.clone(), dims: [self.dims[1]], axis: self.axis + 1 }
    }
}

impl<T: Data, I: IndexValue> At<I> for SharedRow<T, 1> {
    type Element = T::Of<Places>;
    #[track_caller]
    fn at(&self, index: I) -> T::Of<Places> {
        here();
        operations::place::<T, Places>(self.step(index.parts()))
    }
}

impl<T: Data, I: IndexValue> Locate<I> for SharedRow<T, 1> {
    type Place = T::Of<Places>;
    #[track_caller]
    fn locate(&self, index: I) -> T::Of<Places> {
        self.at(index)
    }
}

impl<T: Data, I: IndexValue> Get<I> for SharedRow<T, 1> {
    type Output = Handle<T>;
    #[track_caller]
    fn get(&self, index: I) -> Handle<T> {
        here();
        operations::load(self.step(index.parts()))
    }
}

impl<T: Data, I: IndexValue, V: To<T>> Put<I, V> for SharedRow<T, 1> {
    #[track_caller]
    fn put(&self, index: I, value: V) {
        here();
        operations::save(self.step(index.parts()), value.to());
    }
}
