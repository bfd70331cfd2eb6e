//! Where elements come from: ranges, slices, arrays and shared arrays.

use super::{Iter, Sequence, Stream, operate, positions, usize_of};
use crate::cast::Cast;
use crate::counted::{By, Direction, OneByOne, Walk, for_loop};
use crate::current::here;
use crate::data::{Data, Handle, Valued};
use crate::items::Items;
use crate::memory::{Get, Shared, SharedSlice, Slice, SliceMut};
use crate::number::Integer;
use crate::operation::Operation;
use crate::var::{IntoVar, Read, Var};

/// What `.iter()` goes over, and what `zip` takes beside an iterator.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no iterator in a kernel",
    label = "not a range, a slice, an array or an iterator",
    note = "ranges, slices, arrays and shared arrays of one dimension have iterators"
)]
pub trait IntoStream {
    /// The elements.
    type Stream: Stream;
    /// The iterator.
    fn stream(self) -> Iter<Self::Stream>;
}

impl<S: Stream> IntoStream for Iter<S> {
    type Stream = S;
    fn stream(self) -> Iter<S> {
        self
    }
}

/// A range of numbers.
#[derive(Clone, Copy)]
pub struct Range<T> {
    start: Var<T>,
    end: Var<T>,
    inclusive: bool,
}

/// `start..end`, or `start..=end`, as an iterator.
#[track_caller]
pub fn range<T: Integer>(
    start: impl IntoVar<T>,
    end: impl IntoVar<T>,
    inclusive: bool,
) -> Iter<Range<T>> {
    here();
    let (start, end) = (Read::copy(start.into_var()), Read::copy(end.into_var()));
    Iter(Range { start, end, inclusive })
}

/// `start..` as an iterator, up to the largest value of its type.
#[track_caller]
pub fn range_from<T: Integer>(start: impl IntoVar<T>) -> Iter<Range<T>> {
    range(start, T::MAX, false)
}

impl<T: Integer> Range<T> {
    fn walk<S>(&self, step: S) -> Walk<Var<T>, Var<T>, S> {
        let Range { start, end, inclusive } = *self;
        Walk { start, end, step, inclusive, order: Direction::Up }
    }
}

impl<T: Integer> Stream for Range<T> {
    type Item = Var<T>;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Var<T>)) {
        for_loop(name, self.walk(OneByOne), body);
    }
}

impl<T: Integer> Sequence for Range<T> {
    #[track_caller]
    fn length(&self) -> Var<usize> {
        let (start, end) = (self.start, self.end);
        let bound = operate(Operation::Max, start, end);
        let length: Var<usize> = operate(Operation::Sub, bound, start).cast();
        if !self.inclusive {
            return length;
        }
        let one = Cast::<usize>::cast(crate::compare::Order::le(start, end));
        operate(Operation::Add, length, one)
    }
    #[track_caller]
    fn at(&self, position: Var<usize>) -> Var<T> {
        operate(Operation::Add, self.start, Cast::<T>::cast(position))
    }
    #[track_caller]
    fn each_by(&self, step: Var<usize>, name: Option<&'static str>, body: &mut dyn FnMut(Var<T>)) {
        for_loop(name, self.walk(By(step)), body);
    }
}

/// The elements of a slice, or of a shared array.
#[derive(Clone, Copy, Debug)]
pub struct Elements<A>(A);

macro_rules! memories {
    ($([$($generics:tt)*] $memory:ty, $element:ty, |$self:ident| $length:expr;)*) => {$(
        impl<$($generics)*> Stream for Elements<$memory>
        where
            $memory: Get<Var<usize>, Output = Handle<$element>>,
        {
            type Item = Handle<$element>;
            #[track_caller]
            fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Self::Item)) {
                positions(false, self.length(), name, |i| body(self.at(i)));
            }
        }

        impl<$($generics)*> Sequence for Elements<$memory>
        where
            $memory: Get<Var<usize>, Output = Handle<$element>>,
        {
            fn length(&self) -> Var<usize> {
                let $self = self.0;
                $length
            }
            #[track_caller]
            fn at(&self, position: Var<usize>) -> Self::Item {
                Get::get(&self.0, position)
            }
        }

        impl<$($generics)*> IntoStream for $memory
        where
            $memory: Get<Var<usize>, Output = Handle<$element>>,
        {
            type Stream = Elements<$memory>;
            fn stream(self) -> Iter<Elements<$memory>> {
                Iter(Elements(self))
            }
        }

        impl<$($generics)*> $memory
        where
            $memory: Get<Var<usize>, Output = Handle<$element>>,
        {
            /// An iterator over the elements.
            pub fn iter(self) -> Iter<Elements<$memory>> {
                self.stream()
            }
        }
    )*};
}

memories! {
    [T: Data] Slice<T>, T, |slice| slice.len();
    [T: Data] SliceMut<T>, T, |slice| slice.len();
    [T: Data] SharedSlice<T>, T, |slice| slice.len();
    [T: Data] Shared<T, 1>, T, |shared| usize_of(shared.shape()[0] as usize);
}

/// The elements of an array of one thread, or of a table.
#[derive(Clone, Copy, Debug)]
pub struct Array<X, const N: usize>([X; N]);

impl<X: Read + Valued, const N: usize> Stream for Array<X, N> {
    type Item = Handle<<X as Valued>::Value>;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Self::Item)) {
        Items::each(self.0, name, &mut |k, _| body(self.at(usize_of(k))));
    }
}

impl<X: Read + Valued, const N: usize> Sequence for Array<X, N> {
    fn length(&self) -> Var<usize> {
        usize_of(N)
    }
    #[track_caller]
    fn at(&self, position: Var<usize>) -> Self::Item {
        match position.known().and_then(|at| self.0.as_slice().get(at)) {
            Some(element) => element.to(),
            None => Get::get(&self.0, position),
        }
    }
    fn unrolls(&self) -> bool {
        true
    }
}

impl<X: Read + Valued, const N: usize> IntoStream for [X; N] {
    type Stream = Array<X, N>;
    fn stream(self) -> Iter<Array<X, N>> {
        Iter(Array(self))
    }
}
