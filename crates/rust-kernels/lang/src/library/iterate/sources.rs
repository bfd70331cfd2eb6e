//! Sources of elements: ranges, slices, arrays and shared arrays; parts of slices (`windows(n)`, `chunks(n)`, `chunks_exact(n)`); and
//! `iter_mut`, whose elements are places that a loop may write.

use crate::data::convert::{To, Valued};
use crate::data::handles::MovedSlice;
use crate::data::leaves::{Data, Handle, Values};
use crate::data::place::{Place, ReadPlace};
use crate::data::variable::{IntoVariable, Receive, Target};
use crate::emit::arithmetic::Operation;
use crate::emit::current::{here, with};
use crate::flow::branch::if_then;
use crate::flow::loops::{By, Direction, OneByOne, Walk, for_loop};
use crate::library::iterate::{Iter, Sequence, Stream, operate, positions, usize_of};
use crate::library::option::OptionOf;
use crate::library::slices::Items;
use crate::memory::registers::{Get, Locate};
use crate::memory::shared::Shared;
use crate::memory::shared_slice::{SharedSlice, Subslice, between};
use crate::memory::slice::{Slice, SliceMut};
use crate::scalar::cast::Cast;
use crate::scalar::number::Integer;
use crate::scalar::var::{IntoVar, Read, Var};

/// Sources of `.iter()`; `zip` also takes them directly.
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
        let one = Cast::<usize>::cast(crate::scalar::compare::Order::le(start, end));
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
                positions((false, None), self.length(), name, |i| body(self.at(i)));
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
    [T: Data, const N: usize] Place<[T; N]>, T, |_array| usize_of(N);
    [T: Data, const N: usize] ReadPlace<[T; N]>, T, |_array| usize_of(N);
}

/// The elements of a thread's array, or of a table.
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

/// An iterator over a slice in a variable: `let mut rest = x.iter();`.
#[derive(Debug)]
pub struct SliceIter<T>(MovedSlice<Slice<T>>);

crate::scalar::var::copied!([T] SliceIter<T>);

impl<T: Data> IntoVariable for Iter<Elements<Slice<T>>> {
    type Variable = SliceIter<T>;
    #[track_caller]
    fn into_variable(self) -> SliceIter<T> {
        SliceIter(self.0.0.into_variable())
    }
}

impl<T: Data> Receive for SliceIter<T> {
    type Receiver = Self;
    fn receive(self) -> Self {
        self
    }
}

impl<T: Data> SliceIter<T> {
    /// The next element.
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn next(self) -> OptionOf<Values, T> {
        here();
        let rest = Read::copy(self.0);
        let item = rest.first();
        if_then(item.is_some(), || {
            Target::set(self.0, between(rest, usize_of(1), rest.len()));
        });
        item
    }

    /// The next element, which stays the next one.
    #[track_caller]
    pub fn peek(self) -> OptionOf<Values, T> {
        here();
        Read::copy(self.0).first()
    }

    /// The elements that are left.
    #[track_caller]
    pub fn as_slice(self) -> Slice<T> {
        here();
        Read::copy(self.0)
    }
}

impl<T: Data> Read for SliceIter<T> {
    type Value = Iter<Elements<Slice<T>>>;
    fn view(self) -> Self::Value {
        Iter(Elements(self.0.view()))
    }
    #[track_caller]
    fn copy(self) -> Self::Value {
        Iter(Elements(Read::copy(self.0)))
    }
}

impl<T: Data> IntoStream for SliceIter<T>
where
    Slice<T>: IntoStream,
{
    type Stream = <Slice<T> as IntoStream>::Stream;
    #[track_caller]
    fn stream(self) -> Iter<Self::Stream> {
        Read::copy(self.0).stream()
    }
}

/// A slice of the host is a table.
impl<T: Data + Valued<Value = T>> IntoStream for &'static [T]
where
    Slice<T>: IntoStream,
{
    type Stream = <Slice<T> as IntoStream>::Stream;
    fn stream(self) -> Iter<Self::Stream> {
        To::<&'static [T]>::to(self).stream()
    }
}

/// Subslices of `size` elements each, `step` elements apart.
#[derive(Clone, Copy, Debug)]
pub struct PartsOf<S> {
    slice: S,
    size: Var<usize>,
    step: Var<usize>,
    count: Var<usize>,
    /// The number of elements of the slice, if the last part may be shorter.
    end: Option<Var<usize>>,
}

impl<S: Subslice> Stream for PartsOf<S> {
    type Item = S::Part;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(S::Part)) {
        positions((false, None), self.count, name, |i| body(self.at(i)));
    }
}

impl<S: Subslice> Sequence for PartsOf<S> {
    fn length(&self) -> Var<usize> {
        self.count
    }
    #[track_caller]
    fn at(&self, position: Var<usize>) -> S::Part {
        let start = operate(Operation::Mul, position, self.step);
        let end = operate(Operation::Add, start, self.size);
        let end = self.end.map_or(end, |last| operate(Operation::Min, end, last));
        between(self.slice, start, end)
    }
}

fn sized(size: impl IntoVar<usize>) -> Var<usize> {
    here();
    Read::copy(size.into_var())
}

/// `x.windows(size)`: every subslice of `size` adjacent elements.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn summary(x: &[u32], n: usize) -> u32 {
///     let rises = x.windows(2).filter(|w| w[0] < w[1]).count() as u32;
///     let most: u32 = x.chunks(n).map(|c| c.iter().copied().max().unwrap_or(0)).sum();
///     let mut last = 0;
///     for (i, c) in x.chunks_exact(n).enumerate() {
///         last = last * 10 + c[n - 1] + i as u32 + c.len() as u32;
///     }
///     (rises + 100 * most) ^ last
/// }
///
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     let tile = shared::<u32>(7);
///     tile[thread_idx.x] = x[thread_idx.x];
///     sync_threads();
///     out[thread_idx.x] = if thread_idx.x == 6 {
///         tile.windows(3).map(|w| w[0] * w[2]).sum::<u32>()
///     } else {
///         summary(x, thread_idx.x as usize + 1)
///     };
/// }
/// # let device = Device::emulator().sanitized();
/// let numbers = [1u32, 2, 2, 5, 4, 9, 3];
/// # let x = device.upload(&numbers)?;
/// # let mut out = device.zeros::<u32>(7)?;
/// # example(&x, &mut out).grid(1).block(7).launch(&device)?;
/// let mut expected: Vec<u32> = (1..=6).map(|n| summary(&numbers, n)).collect();
/// expected.push(numbers.windows(3).map(|w| w[0] * w[2]).sum());
/// assert_eq!(out.download()?, expected);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn windows<S: Subslice>(slice: S, size: impl IntoVar<usize>) -> Iter<PartsOf<S>> {
    let (size, one) = (sized(size), usize_of(1));
    // None if the slice is shorter.
    let beyond = operate(Operation::Add, slice.elements(), one);
    let count = operate(Operation::Sub, operate(Operation::Max, beyond, size), size);
    Iter(PartsOf { slice, size, step: one, count, end: None })
}

/// `x.chunks(size)`: consecutive subslices of `size` elements; the last one may be shorter.
#[track_caller]
pub fn chunks<S: Subslice>(slice: S, size: impl IntoVar<usize>) -> Iter<PartsOf<S>> {
    let (size, all) = (sized(size), slice.elements());
    let less = operate(Operation::Sub, size, usize_of(1));
    let count = operate(Operation::Div, operate(Operation::Add, all, less), size);
    Iter(PartsOf { slice, size, step: size, count, end: Some(all) })
}

/// `x.chunks_exact(size)`: consecutive subslices of exactly `size` elements.
#[track_caller]
pub fn chunks_exact<S: Subslice>(slice: S, size: impl IntoVar<usize>) -> Iter<PartsOf<S>> {
    let size = sized(size);
    let count = operate(Operation::Div, slice.elements(), size);
    Iter(PartsOf { slice, size, step: size, count, end: None })
}

/// Sources of `.iter_mut()`.
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
                positions((false, None), self.length(), name, |i| body(self.at(i)));
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

/// The variables of a thread's array.
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
    fn most(&self) -> Option<usize> {
        Some(N)
    }
}

impl<X: Read + Target, const N: usize> IntoStreamMut for [X; N] {
    type Stream = ArrayMut<X, N>;
    fn stream_mut(self) -> Iter<ArrayMut<X, N>> {
        Iter(ArrayMut(self))
    }
}
