//! Slice patterns: `[a, b, ..]`, `[first, rest @ ..]`, `&[a, b, c]`, on arrays and slices. A pattern tests the length first, then
//! reads the elements that it names.

use crate::data::leaves::{Data, Handle};
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::memory::registers::Get;
use crate::memory::shared::Shared;
use crate::memory::shared_slice::{SharedSlice, Subslice, between};
use crate::memory::slice::{Slice, SliceMut};
use crate::scalar::compare::{Condition, Equate, Order};
use crate::scalar::var::Var;
use lanework_ptx::ScalarType;

/// Values that a slice pattern may match.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not matched by a slice pattern in a kernel",
    label = "neither an array nor a slice",
    note = "`[a, b, ..]` matches arrays, `&[T]`, and shared memory of one dimension"
)]
pub trait Sequential: Copy {
    /// An element.
    type Item;
    /// Whether the length fits; of an array, known while staging.
    type Fits: Condition;
    /// Whether there are `count` elements, or at least so many.
    fn fits(self, count: usize, exact: bool) -> Self::Fits;
    /// Element `index`.
    fn front(self, index: usize) -> Self::Item;
    /// The element `index` before the end.
    fn back(self, index: usize) -> Self::Item;
}

impl<X: Copy, const N: usize> Sequential for [X; N] {
    type Item = X;
    type Fits = bool;
    fn fits(self, _: usize, _: bool) -> bool {
        true
    }
    fn front(self, index: usize) -> X {
        self[index]
    }
    fn back(self, index: usize) -> X {
        self[N - index]
    }
}

/// The host type of a matched slice, for the check by rustc.
pub trait HostOfSlice {
    /// `&[T]`.
    type Host;
    /// A value that never exists.
    fn host(self) -> Self::Host;
}

macro_rules! slices {
    ($($slice:ty)*) => {$(
        impl<T: Data> Sequential for $slice
        where
            $slice: Get<Var<usize>, Output = Handle<T>>,
        {
            type Item = Handle<T>;
            type Fits = Var<bool>;
            #[track_caller]
            fn fits(self, count: usize, exact: bool) -> Var<bool> {
                here();
                let (length, count) = (self.elements(), Var::constant(count));
                match exact {
                    true => Equate::eq(length, count),
                    false => length.ge(count),
                }
            }
            #[track_caller]
            fn front(self, index: usize) -> Handle<T> {
                here();
                Get::get(&self, Var::constant(index))
            }
            #[track_caller]
            fn back(self, index: usize) -> Handle<T> {
                here();
                Get::get(&self, before_end(self, index))
            }
        }
    )*};
}

slices!(Slice<T> SliceMut<T> SharedSlice<T> Shared<T, 1>);

macro_rules! hosts {
    ($($slice:ty)*) => {$(
        impl<T: Data> HostOfSlice for &&crate::data::convert::Scrutinee<$slice> {
            type Host = &'static [T];
            fn host(self) -> &'static [T] {
                unreachable!("only checked by the compiler")
            }
        }
    )*};
}

// A `Slice` is a value.
hosts!(SliceMut<T> SharedSlice<T> Shared<T, 1>);

fn before_end<S: Subslice>(slice: S, count: usize) -> Var<usize> {
    let (length, count) = (slice.elements(), Value::Constant(count as u64));
    Var::new(with(|b| binary(b, Operation::Sub, ScalarType::U64, length.value, count)))
}

/// Whether the length of a value fits a pattern.
#[track_caller]
pub fn fits<S: Sequential>(value: S, count: usize, exact: bool) -> S::Fits {
    value.fits(count, exact)
}

/// Element `index`.
#[track_caller]
pub fn front<S: Sequential>(value: S, index: usize) -> S::Item {
    value.front(index)
}

/// The element `index` before the end.
#[track_caller]
pub fn back<S: Sequential>(value: S, index: usize) -> S::Item {
    value.back(index)
}

/// `rest @ ..`: the elements after the first `start` and before the last `end`.
#[track_caller]
pub fn middle<S: Subslice>(value: S, start: usize, end: usize) -> S::Part {
    here();
    between(value, Var::constant(start), before_end(value, end))
}
