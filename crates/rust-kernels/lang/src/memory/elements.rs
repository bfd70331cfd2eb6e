//! Values in memory: access to a part of an element without loading the rest.

use crate::data::convert::To;
use crate::data::leaves::{Data, Handle, Places, ReadPlaces};
use crate::data::operations;
use crate::data::place::{Place, ReadPlace, stepped};
use crate::data::variable::Receive;
use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::memory::registers::{Get, Locate, Put, element};
use crate::memory::slice::{Slice, SliceMut};
use crate::scalar::number::{Extent, IndexValue};
use lanework_abi::IndexKind;

/// `a[i]` as the base of a field or of a further index.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be indexed by `{I}` row by row",
    label = "takes all its indices at once",
    note = "write `tile[[y, x]]` for `tile[y][x]`; arrays of registers are arrays of arrays, with \
            indices known while staging"
)]
pub trait At<I> {
    /// The element's place, or the element of an array of registers.
    type Element;
    /// The element at `index`.
    fn at(&self, index: I) -> Self::Element;
}

/// `a[i]` as the base of a field or of a further index.
#[track_caller]
pub fn at<A: At<I>, I>(array: &A, index: I) -> A::Element {
    array.at(index)
}

impl<X: Copy, I: Extent, const N: usize> At<I> for [X; N] {
    type Element = X;
    #[track_caller]
    fn at(&self, index: I) -> X {
        element(self, index)
    }
}

impl<T: Data, I: IndexValue> At<I> for Slice<T> {
    type Element = T::Of<ReadPlaces>;
    #[track_caller]
    fn at(&self, index: I) -> T::Of<ReadPlaces> {
        here();
        operations::place::<T, ReadPlaces>(self.memory.place::<T>(index.parts(), 1))
    }
}

impl<T: Data, I: IndexValue> At<I> for SliceMut<T> {
    type Element = T::Of<Places>;
    #[track_caller]
    fn at(&self, index: I) -> T::Of<Places> {
        here();
        operations::place::<T, Places>(self.memory.place::<T>(index.parts(), 1))
    }
}

macro_rules! arrays {
    ($($place:ident $kind:ident, $raw:expr;)*) => {$(
        impl<T: Data, const N: usize> $place<[T; N]> {
            /// The place of element `index`, checked against the array's length.
            #[track_caller]
            fn element(self, index: impl IndexValue) -> Place<T> {
                here();
                let index = index.parts();
                with(|b| {
                    b.check(index, Value::Constant(N as u64), "array", IndexKind::SharedAxis(0));
                    stepped(b, $raw(self), index, T::size() as i64)
                })
            }
        }

        impl<T: Data, I: IndexValue, const N: usize> At<I> for $place<[T; N]> {
            type Element = T::Of<$kind>;
            #[track_caller]
            fn at(&self, index: I) -> T::Of<$kind> {
                operations::place::<T, $kind>(self.element(index))
            }
        }

        impl<T: Data, I: IndexValue, const N: usize> Get<I> for $place<[T; N]> {
            type Output = Handle<T>;
            #[track_caller]
            fn get(&self, index: I) -> Handle<T> {
                operations::load(self.element(index))
            }
        }

        impl<T: Data, I: IndexValue, const N: usize> Locate<I> for $place<[T; N]> {
            type Place = T::Of<$kind>;
            #[track_caller]
            fn locate(&self, index: I) -> T::Of<$kind> {
                operations::place::<T, $kind>(self.element(index))
            }
        }
    )*};
}

arrays! {
    Place Places, |place| place;
    ReadPlace ReadPlaces, |place: ReadPlace<_>| place.place;
}

impl<T: Data, I: IndexValue, V: To<T>, const N: usize> Put<I, V> for Place<[T; N]> {
    #[track_caller]
    fn put(&self, index: I, value: V) {
        operations::save(self.element(index), value.to());
    }
}

/// `a[i]` as what a method is called on: `(&&Element(&a, i)).receiver()`.
///
/// Two traits share the method's name, and method lookup takes the first that fits: the element's
/// place, so that a method may change it, else its value.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a, A: ?Sized, I>(pub &'a A, pub I);

/// An element with a place.
pub trait ReceivePlace {
    /// The type that has the methods.
    type Receiver;
    /// The receiver.
    fn receiver(self) -> Self::Receiver;
}

impl<A: At<I> + ?Sized, I: Copy> ReceivePlace for &&Element<'_, A, I>
where
    A::Element: Receive,
{
    type Receiver = <A::Element as Receive>::Receiver;
    #[track_caller]
    fn receiver(self) -> Self::Receiver {
        self.0.at(self.1).receive()
    }
}

/// An element that is a value.
pub trait ReceiveValue {
    /// The type that has the methods.
    type Receiver;
    /// The receiver.
    fn receiver(self) -> Self::Receiver;
}

impl<A: Get<I> + ?Sized, I: Copy> ReceiveValue for &Element<'_, A, I> {
    type Receiver = A::Output;
    #[track_caller]
    fn receiver(self) -> A::Output {
        self.0.get(self.1)
    }
}
