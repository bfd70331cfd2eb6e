//! Methods that change an `Option` or an array in its place: `option.take()`, `a.swap(i, j)`. The receiver is a variable, or memory of
//! the thread. For any other type, the receiver's own methods apply.
//!
//! ```
//! # use lanework::prelude::*;
//! #[device]
//! fn in_order(mut x: [u32; 4]) -> [u32; 4] {
//!     x.sort();
//!     x.sort_unstable();
//!     x.sort_by(|a, b| b.cmp(a));
//!     x.sort_unstable_by(|a, b| (*a % 8).cmp(&(*b % 8)));
//!     x.sort_by_key(|a| *a % 4);
//!     x.sort_unstable_by_key(|a| *a);
//!     if let Some(first) = x.first_mut() {
//!         *first = 0;
//!     }
//!     x
//! }
//!
//! assert_eq!(in_order([9, 2, 7, 4]), [0, 4, 7, 9]);
//! ```

use crate::data::convert::{Given, To, Valued};
use crate::data::generic::InPlace;
use crate::data::handles::SliceMut;
use crate::data::leaves::{Data, Handle, Places, Values, Variables};
use crate::data::operations::{read_copy, read_view, set};
use crate::data::place::{Place, ReadPlace};
use crate::data::variable::{Receive, Target};
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::current::{here, with};
use crate::flow::branch::if_then;
use crate::library::option::OptionOf;
use crate::library::ordered::{Equal, Ordered};
use crate::library::ordering::OrderingOf;
use crate::library::slices::FoundElement;
use crate::memory::local::slice_of;
use crate::memory::registers::{Get, Put};
use crate::memory::slice::{IntoSlice, IntoSliceMut};
use crate::scalar::cast::cast;
use crate::scalar::number::IndexValue;
use crate::scalar::var::{Read, Var};
use lanework_ptx::ScalarType;

/// A place, with its value as the receiver of other methods.
#[track_caller]
pub fn changed<P: Receive>(place: P) -> InPlace<P::Receiver, P> {
    here();
    InPlace(place.receive(), place)
}

/// A value that is not in a place, as a receiver.
pub fn held<X: Copy>(value: X) -> InPlace<X, X> {
    InPlace(value, value)
}

macro_rules! options {
    ($($kind:ident)*) => {$(
        impl<X: Copy, T: Data> InPlace<X, OptionOf<$kind, T>> {
            /// The value, which is removed.
            #[track_caller]
            pub fn take(self) -> OptionOf<Values, T> {
                here();
                let old = read_copy::<Option<T>, $kind>(self.1);
                set::<bool, $kind>(self.1.some, Var::constant(false));
                old
            }

            /// The old value, which `value` replaces.
            #[track_caller]
            pub fn replace(self, value: impl To<T>) -> OptionOf<Values, T> {
                here();
                let old = read_copy::<Option<T>, $kind>(self.1);
                self.insert(value);
                old
            }

            /// Sets the value.
            #[track_caller]
            pub fn insert(self, value: impl To<T>) -> Handle<T> {
                here();
                let value = read_copy::<T, Values>(value.to());
                set::<T, $kind>(self.1.value, value);
                set::<bool, $kind>(self.1.some, Var::constant(true));
                value
            }

            /// The value; if there is none, `value` becomes it.
            #[track_caller]
            pub fn get_or_insert(self, value: impl To<T>) -> Handle<T> {
                here();
                let (some, value) = (read_view::<bool, $kind>(self.1.some), value.to());
                if_then(!some, || set::<T, $kind>(self.1.value, value));
                set::<bool, $kind>(self.1.some, Var::constant(true));
                read_copy::<T, $kind>(self.1.value)
            }
        }
    )*};
}

options!(Variables Places);

/// An index of any integer type.
fn wide(index: impl IndexValue) -> Var<usize> {
    let parts = index.parts();
    Var::new(with(|b| cast(b, parts.value, parts.ty, ScalarType::U64)))
}

fn operate(op: Operation, x: Var<usize>, y: Var<usize>) -> Var<usize> {
    Var::new(with(|b| binary(b, op, ScalarType::U64, x.value, y.value)))
}

/// An array that a thread can change.
trait Elements<T: Data> {
    fn element(self, index: Var<usize>) -> Handle<T>;
    fn set_element(self, index: Var<usize>, value: Handle<T>);
}

impl<T: Data, Y, const N: usize> Elements<T> for [Y; N]
where
    Y: Target<Value = T> + Valued<Value = T>,
{
    fn element(self, index: Var<usize>) -> Handle<T> {
        match index.known().and_then(|at| self.as_slice().get(at)) {
            Some(element) => read_copy::<T, Values>(element.to()),
            None => Get::get(&self, index),
        }
    }

    fn set_element(self, index: Var<usize>, value: Handle<T>) {
        match index.known().and_then(|at| self.as_slice().get(at)) {
            Some(element) => element.set(value),
            None => crate::memory::local::put(&self, index, value),
        }
    }
}

impl<T: Data, const N: usize> Elements<T> for Place<[T; N]> {
    fn element(self, index: Var<usize>) -> Handle<T> {
        Get::get(&self, index)
    }

    fn set_element(self, index: Var<usize>, value: Handle<T>) {
        self.put(index, Given::<T>(value));
    }
}

macro_rules! arrays {
    ([$($bounds:tt)*] $array:ty, $t:ty) => {
        impl<X: Copy, $($bounds)*> InPlace<X, $array> {
            /// Exchanges elements `a` and `b`.
            #[track_caller]
            pub fn swap(self, a: impl IndexValue, b: impl IndexValue) {
                here();
                let (a, b) = (wide(a), wide(b));
                let first = Elements::<$t>::element(self.1, a);
                let second = Elements::<$t>::element(self.1, b);
                self.1.set_element(a, second);
                self.1.set_element(b, first);
            }

            /// Reverses the order of the elements.
            #[track_caller]
            pub fn reverse(self) {
                (0..N / 2).for_each(|k| self.swap(k, N - 1 - k));
            }

            /// Sets all elements.
            #[track_caller]
            pub fn fill(self, value: impl To<$t>) {
                here();
                let value = read_copy::<$t, Values>(value.to());
                (0..N).for_each(|k| self.1.set_element(Var::constant(k), value));
            }

            /// Moves each element `count` positions to the front, and the first ones to the end.
            #[track_caller]
            pub fn rotate_left(self, count: impl IndexValue) {
                here();
                self.rotate(wide(count));
            }

            /// Moves each element `count` positions to the end, and the last ones to the front.
            #[track_caller]
            pub fn rotate_right(self, count: impl IndexValue) {
                here();
                self.rotate(operate(Operation::Sub, Var::constant(N), wide(count)));
            }

            fn rotate(self, count: Var<usize>) {
                let count = Read::copy(count);
                let old: [_; N] =
                    std::array::from_fn(|k| Elements::<$t>::element(self.1, Var::constant(k)));
                for k in 0..N {
                    let at = operate(Operation::Add, count, Var::constant(k));
                    let at = operate(Operation::Rem, at, Var::constant(N));
                    let value = match at.known() {
                        Some(at) => old[at],
                        None => crate::memory::local::get::<$t, N>(old, at),
                    };
                    self.1.set_element(Var::constant(k), value);
                }
            }
        }
    };
}

macro_rules! read_arrays {
    ([$($bounds:tt)*] $array:ty, $t:ty, |$array_name:ident| $slice:expr) => {
        impl<X: Copy, $($bounds)*> InPlace<X, $array> {
            /// Element `index`; `None` if it is out of range.
            #[track_caller]
            pub fn get(self, index: impl IndexValue) -> OptionOf<Values, $t> {
                let $array_name = self.1;
                $slice.get(index)
            }

            /// The first element; `None` if there is none.
            #[track_caller]
            pub fn first(self) -> OptionOf<Values, $t> {
                let $array_name = self.1;
                $slice.first()
            }

            /// The last element; `None` if there is none.
            #[track_caller]
            pub fn last(self) -> OptionOf<Values, $t> {
                let $array_name = self.1;
                $slice.last()
            }

            /// Whether an element equals `value`.
            #[track_caller]
            pub fn contains(self, value: impl To<$t>) -> Var<bool>
            where
                $t: Equal,
            {
                let $array_name = self.1;
                $slice.contains(value)
            }

            /// Whether the first elements equal those of `other`.
            #[track_caller]
            pub fn starts_with(self, other: impl IntoSlice<$t>) -> Var<bool>
            where
                $t: Equal,
            {
                let $array_name = self.1;
                $slice.starts_with(other)
            }
        }
    };
}

read_arrays!([T: Data, Y: Valued<Value = T>, const N: usize] [Y; N], T, |array| slice_of(&array));
read_arrays!([T: Data, const N: usize] Place<[T; N]>, T, |array| IntoSlice::<T>::into_slice(array));
read_arrays!([T: Data, const N: usize] ReadPlace<[T; N]>, T, |array| {
    IntoSlice::<T>::into_slice(array)
});
read_arrays!([T: Data + Valued<Value = T>] &'static [T], T, |slice| To::<&'static [T]>::to(slice));

macro_rules! found_in_arrays {
    ([$($bounds:tt)*] $array:ty) => {
        impl<X: Copy, $($bounds)*> InPlace<X, $array> {
            /// Element `index` as a place; `None` if it is out of range.
            #[track_caller]
            pub fn get_mut(self, index: impl IndexValue) -> FoundElement<SliceMut<T>> {
                IntoSliceMut::<T>::into_slice_mut(self.1).get_mut(index)
            }

            /// The first element as a place; `None` if there is none.
            #[track_caller]
            pub fn first_mut(self) -> FoundElement<SliceMut<T>> {
                IntoSliceMut::<T>::into_slice_mut(self.1).first_mut()
            }

            /// The last element as a place; `None` if there is none.
            #[track_caller]
            pub fn last_mut(self) -> FoundElement<SliceMut<T>> {
                IntoSliceMut::<T>::into_slice_mut(self.1).last_mut()
            }

            /// Sorts the elements by a comparison. Equal elements keep their order.
            #[track_caller]
            pub fn sort_by(self, compare: impl Fn(Handle<T>, Handle<T>) -> OrderingOf<Values>) {
                IntoSliceMut::<T>::into_slice_mut(self.1).sort_by(compare);
            }

            /// Sorts the elements by a comparison.
            #[track_caller]
            pub fn sort_unstable_by(self, compare: impl Fn(Handle<T>, Handle<T>) -> OrderingOf<Values>) {
                IntoSliceMut::<T>::into_slice_mut(self.1).sort_by(compare);
            }

            /// Sorts the elements.
            #[track_caller]
            pub fn sort(self)
            where
                T: Ordered + Ord,
            {
                IntoSliceMut::<T>::into_slice_mut(self.1).sort();
            }

            /// Sorts the elements.
            #[track_caller]
            pub fn sort_unstable(self)
            where
                T: Ordered + Ord,
            {
                IntoSliceMut::<T>::into_slice_mut(self.1).sort();
            }

            /// Sorts the elements by a key. Equal elements keep their order.
            #[track_caller]
            pub fn sort_by_key<K: Valued<Value: Ordered + Ord>>(self, key: impl Fn(Handle<T>) -> K) {
                IntoSliceMut::<T>::into_slice_mut(self.1).sort_by_key(key);
            }

            /// Sorts the elements by a key.
            #[track_caller]
            pub fn sort_unstable_by_key<K: Valued<Value: Ordered + Ord>>(self, key: impl Fn(Handle<T>) -> K) {
                IntoSliceMut::<T>::into_slice_mut(self.1).sort_by_key(key);
            }
        }
    };
}

found_in_arrays!([T: Data, Y: Target<Value = T> + Valued<Value = T>, const N: usize] [Y; N]);
found_in_arrays!([T: Data, const N: usize] Place<[T; N]>);

arrays!([T: Data, Y: Target<Value = T> + Valued<Value = T>, const N: usize] [Y; N], T);
arrays!([T: Data, const N: usize] Place<[T; N]>, T);
