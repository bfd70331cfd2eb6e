//! `iter_mut`: elements as places that a loop may write.

use super::{Iter, Sequence, Stream, positions, usize_of};
use crate::current::with;
use crate::data::{Data, Target};
use crate::items::Items;
use crate::memory::{Locate, Shared, SharedSlice, SliceMut};
use crate::var::{Read, Var};

/// What `.iter_mut()` goes over.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no elements that a kernel may write one after the other",
    label = "not a `&mut [T]`, a shared array or a `let mut` array",
    note = "a parameter is written to when it is `&mut [T]`; `&[T]`, which is a `Slice<T>` here, is only read"
)]
pub trait IntoStreamMut {
    /// The elements.
    type Stream: Stream;
    /// The iterator.
    fn stream_mut(self) -> Iter<Self::Stream>;
}

/// The places of the elements of a slice, or of a shared array.
#[derive(Clone, Copy, Debug)]
pub struct ElementsMut<A>(A);

macro_rules! memories {
    ($($memory:ty, |$self:ident| $length:expr;)*) => {$(
        impl<T: Data> Stream for ElementsMut<$memory>
        where
            $memory: Locate<Var<usize>>,
        {
            type Item = <$memory as Locate<Var<usize>>>::Place;
            #[track_caller]
            fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Self::Item)) {
                positions(false, self.length(), name, |i| body(self.at(i)));
            }
        }

        impl<T: Data> Sequence for ElementsMut<$memory>
        where
            $memory: Locate<Var<usize>>,
        {
            fn length(&self) -> Var<usize> {
                let $self = self.0;
                $length
            }
            #[track_caller]
            fn at(&self, position: Var<usize>) -> Self::Item {
                self.0.locate(position)
            }
        }

        impl<T: Data> IntoStreamMut for $memory
        where
            $memory: Locate<Var<usize>>,
        {
            type Stream = ElementsMut<$memory>;
            fn stream_mut(self) -> Iter<ElementsMut<$memory>> {
                Iter(ElementsMut(self))
            }
        }
    )*};
}

memories! {
    SliceMut<T>, |slice| slice.len();
    SharedSlice<T>, |slice| slice.len();
    Shared<T, 1>, |shared| usize_of(shared.shape()[0] as usize);
}

/// The variables of an array of one thread.
#[derive(Clone, Copy, Debug)]
pub struct ArrayMut<X, const N: usize>([X; N]);

impl<X: Read + Target, const N: usize> Stream for ArrayMut<X, N> {
    type Item = X;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(X)) {
        Items::each(self.0, name, &mut |k, _| body(self.0[k]));
    }
}

impl<X: Read + Target, const N: usize> Sequence for ArrayMut<X, N> {
    fn length(&self) -> Var<usize> {
        usize_of(N)
    }
    #[track_caller]
    fn at(&self, position: Var<usize>) -> X {
        let known = position.known().and_then(|at| self.0.as_slice().get(at));
        *known.unwrap_or_else(|| {
            with(|b| {
                b.error(
                    "an array's `iter_mut` is unrolled, and the length of this loop is not known",
                    "index the array: `for i in 0..n { a[i] = .. }`",
                );
            });
            &self.0[0]
        })
    }
    fn unrolls(&self) -> bool {
        true
    }
}

impl<X: Read + Target, const N: usize> IntoStreamMut for [X; N] {
    type Stream = ArrayMut<X, N>;
    fn stream_mut(self) -> Iter<ArrayMut<X, N>> {
        Iter(ArrayMut(self))
    }
}
