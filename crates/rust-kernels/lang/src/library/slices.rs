//! Arrays and slices in kernels: `for` over them, and the methods `get`, `first`, `last` and `swap`.
//!
//! ```
//! # use lanework::prelude::*;
//! #[kernel]
//! fn arrange(x: &mut [u32]) {
//!     if thread_idx.x == 0 {
//!         x.sort();
//!         x.sort_unstable();
//!         x.sort_by(|a, b| b.cmp(a));
//!         x.sort_unstable_by(|a, b| (*a % 8).cmp(&(*b % 8)));
//!         x.sort_by_key(|a| *a % 4);
//!         x.sort_unstable_by_key(|a| *a);
//!         x.rotate_left(1);
//!         x.rotate_right(2);
//!         x[..1].fill(0);
//!     }
//! }
//!
//! let device = Device::emulator();
//! let mut x = device.upload(&[9u32, 2, 7, 4])?;
//! arrange(&mut x).grid(1).block(32).launch(&device)?;
//! assert_eq!(x.download()?, [0, 2, 4, 7]);
//! # lanework::Result::<()>::Ok(())
//! ```

use crate::data::convert::{Given, Scrutinee, To, Valued};
use crate::data::leaves::{Data, Handle, Values, Variables};
use crate::data::operations;
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::current::{break_loop, here, with};
use crate::emit::value::{Index, Value};
use crate::flow::branch::if_then;
use crate::flow::loops::{Direction, OneByOne, Walk, endless_loop, for_loop, unrolled};
use crate::flow::print::assertion;
use crate::library::compared::order;
use crate::library::option::{OptionOf, Optional};
use crate::library::ordered::{Equal, Ordered};
use crate::library::ordering::OrderingOf;
use crate::library::patterns::HostOfSlice;
use crate::memory::registers::{Get, Locate, Put};
use crate::memory::shared::Shared;
use crate::memory::shared_slice::{SharedSlice, Subslice, between, subslice};
use crate::memory::slice::{IntoSlice, Slice, SliceMut};
use crate::scalar::cast::cast;
use crate::scalar::compare::{Equate, Order};
use crate::scalar::number::{IndexValue, Integer};
use crate::scalar::var::{Read, Var};
use lanework_ptx::ScalarType;

/// Element `index` if it is below `length`, else `None`.
#[track_caller]
fn checked<T: Data>(
    array: &impl Get<Var<usize>, Output = Handle<T>>,
    index: Var<usize>,
    length: Var<usize>,
) -> OptionOf<Values, T> {
    let some = index.lt(length);
    let value = operations::variable::<T>();
    if_then(some, || operations::set::<T, Variables>(value, array.get(index)));
    OptionOf::new(some, operations::read_copy::<T, Variables>(value))
}

/// An index of any integer type, as `usize`; a negative index becomes larger than every length.
fn wide(index: impl IndexValue) -> Var<usize> {
    let parts = index.parts();
    Var::new(with(|b| cast(b, parts.value, parts.ty, ScalarType::U64)))
}

/// The preceding position.
fn before(position: Var<usize>) -> Var<usize> {
    let one = Value::Constant(1);
    Var::new(with(|b| binary(b, Operation::Sub, ScalarType::U64, position.value, one)))
}

macro_rules! elements {
    ($($memory:ty, |$self:ident| $length:expr;)*) => {$(
        impl<T: Data> $memory
        where
            $memory: Get<Var<usize>, Output = Handle<T>>,
        {
            /// Element `index`; `None` if it is out of range.
            ///
            /// ```
            /// # use lanework::prelude::*;
            /// #[kernel]
            /// fn ends(x: &[u32], out: &mut [u32]) {
            ///     let tile = shared::<u32>(4);
            ///     tile[thread_idx.x] = x[thread_idx.x];
            ///     sync_threads();
            ///     let i = thread_idx.x as i32 - 1;
            ///     out[thread_idx.x] = x.get(i).unwrap_or(100) + tile.get(i + 2).copied().unwrap_or(7);
            ///     if let (Some(first), Some(&last)) = (x.first(), tile.last()) {
            ///         out[thread_idx.x] += first + last;
            ///     }
            /// }
            /// # let device = Device::emulator();
            /// # let x = device.upload(&[1u32, 2, 3, 4])?;
            /// # let mut out = device.zeros::<u32>(4)?;
            /// # ends(&x, &mut out).grid(1).block(4).launch(&device)?;
            /// assert_eq!(out.download()?, [107, 9, 11, 15]);
            /// # Ok::<(), lanework::Error>(())
            /// ```
            #[track_caller]
            pub fn get(self, index: impl IndexValue) -> OptionOf<Values, T> {
                here();
                let $self = self;
                checked::<T>(&self, wide(index), $length)
            }

            /// The first element; `None` if the slice is empty.
            #[track_caller]
            pub fn first(self) -> OptionOf<Values, T> {
                self.get(0usize)
            }

            /// The last element; `None` if the slice is empty.
            #[track_caller]
            pub fn last(self) -> OptionOf<Values, T> {
                here();
                let $self = self;
                let length: Var<usize> = $length;
                // For an empty slice, this position is the largest index, which is out of range.
                checked::<T>(&self, before(length), length)
            }
        }
    )*};
}

elements! {
    Slice<T>, |slice| slice.len();
    SliceMut<T>, |slice| slice.len();
    SharedSlice<T>, |slice| slice.len();
    Shared<T, 1>, |shared| Var::constant(shared.shape()[0] as usize);
}

/// An element that may exist, as a place: `x.get_mut(i)`.
#[derive(Clone, Copy, Debug)]
pub struct FoundElement<S> {
    slice: S,
    index: Var<usize>,
    some: Var<bool>,
}

impl<S: Locate<Var<usize>> + Copy> Optional for FoundElement<S> {
    type Test = Var<bool>;
    type Value = S::Place;
    fn is_some(self) -> Var<bool> {
        self.some
    }
    fn is_none(self) -> Var<bool> {
        !self.some
    }
    fn payload(self) -> S::Place {
        self.slice.locate(self.index)
    }
}

impl<S: Locate<Var<usize>> + Copy> FoundElement<S> {
    /// Whether there is an element.
    pub fn is_some(self) -> Var<bool> {
        self.some
    }

    /// Whether there is no element.
    #[track_caller]
    pub fn is_none(self) -> Var<bool> {
        !self.some
    }

    /// The place; on `None`, the thread ends with a report.
    #[track_caller]
    pub fn unwrap(self) -> S::Place {
        assertion(self.some, "called `unwrap` on a `None`", || {});
        self.payload()
    }

    /// The place; on `None`, the thread ends with a report that says `text`.
    #[track_caller]
    pub fn expect(self, text: &'static str) -> S::Place {
        assertion(self.some, text, || {});
        self.payload()
    }

    /// The place as `Ok`, or `error` as `Err`.
    #[track_caller]
    pub fn ok_or<X: Valued>(self, error: X) -> FoundOr<S, X::Value> {
        FoundOr { found: self, error: error.to() }
    }
}

/// An element that may exist, as a place, or an error: `x.get_mut(i).ok_or(error)`.
pub struct FoundOr<S, E: Data> {
    found: FoundElement<S>,
    error: Handle<E>,
}

crate::scalar::var::copied!([S: Copy, E: Data] FoundOr<S, E>);

impl<S: Locate<Var<usize>> + Copy, E: Data> Optional for FoundOr<S, E> {
    type Test = Var<bool>;
    type Value = S::Place;
    fn is_some(self) -> Var<bool> {
        self.found.some
    }
    fn is_none(self) -> Var<bool> {
        !self.found.some
    }
    fn payload(self) -> S::Place {
        self.found.payload()
    }
}

impl<S, E: Data> FoundOr<S, E> {
    /// The error.
    pub(crate) fn error(&self) -> Handle<E> {
        self.error
    }
}

macro_rules! found {
    ($($memory:ty, |$self:ident| $length:expr;)*) => {$(
        impl<T: Data> $memory {
            /// Element `index` as a place, for `if let Some(x) = ..` and `let Some(x) = .. else`; `None` if it is out of range.
            ///
            /// ```
            /// # use lanework::prelude::*;
            /// #[kernel]
            /// fn double(x: &mut [u32]) {
            ///     let Some(v) = x.get_mut(thread_idx.x) else { return };
            ///     *v *= 2;
            ///     if let Some(last) = x.last_mut()
            ///         && thread_idx.x == 0
            ///     {
            ///         *last = 9;
            ///     }
            /// }
            /// # let device = Device::emulator();
            /// # let mut x = device.upload(&[1u32, 2, 3, 4])?;
            /// # double(&mut x).grid(1).block(32).launch(&device)?;
            /// assert_eq!(x.download()?, [2, 4, 6, 9]);
            /// # Ok::<(), lanework::Error>(())
            /// ```
            #[track_caller]
            pub fn get_mut(self, index: impl IndexValue) -> FoundElement<Self> {
                here();
                let ($self, index) = (self, Read::copy(wide(index)));
                FoundElement { slice: self, index, some: Read::copy(index.lt($length)) }
            }

            /// The first element as a place; `None` if the slice is empty.
            #[track_caller]
            pub fn first_mut(self) -> FoundElement<Self> {
                self.get_mut(0usize)
            }

            /// The last element as a place; `None` if the slice is empty.
            #[track_caller]
            pub fn last_mut(self) -> FoundElement<Self> {
                here();
                let $self = self;
                let length: Var<usize> = $length;
                self.get_mut(before(length))
            }
        }

        impl<T: Data> HostOfSlice for &&Scrutinee<FoundElement<$memory>> {
            type Host = Option<&'static mut T>;
            fn host(self) -> Option<&'static mut T> {
                unreachable!("only checked by the compiler")
            }
        }
    )*};
}

found! {
    SliceMut<T>, |slice| slice.len();
    SharedSlice<T>, |slice| slice.len();
    Shared<T, 1>, |shared| Var::<usize>::constant(shared.shape()[0] as usize);
}

macro_rules! compared {
    ($($slice:ident)*) => {$(
        impl<T: Equal> $slice<T> {
            /// Whether an element equals `value`.
            #[track_caller]
            pub fn contains(self, value: impl To<T>) -> Var<bool> {
                here();
                let value = operations::read_copy::<T, Values>(value.to());
                let found = operations::variable::<bool>();
                operations::set::<bool, Variables>(found, Var::constant(false));
                positions(None, self.len(), |i| {
                    if_then(T::equal(Get::get(&self, i), value), || {
                        operations::set::<bool, Variables>(found, Var::constant(true));
                        break_loop(None);
                    });
                });
                operations::read_copy::<bool, Variables>(found)
            }

            /// Whether the first elements equal those of `other`.
            #[track_caller]
            pub fn starts_with(self, other: impl IntoSlice<T>) -> Var<bool> {
                here();
                let other = other.into_slice();
                let same = operations::variable::<bool>();
                operations::set::<bool, Variables>(same, other.len().le(self.len()));
                if_then(operations::read_copy::<bool, Variables>(same), || {
                    positions(None, other.len(), |i| {
                        if_then(!T::equal(Get::get(&self, i), Get::get(&other, i)), || {
                            operations::set::<bool, Variables>(same, Var::constant(false));
                            break_loop(None);
                        });
                    });
                });
                operations::read_copy::<bool, Variables>(same)
            }
        }
    )*};
}

compared!(Slice SliceMut SharedSlice);

impl<T: Equal> Equal for &'static [T] {
    fn equal(first: Slice<T>, second: Slice<T>) -> Var<bool> {
        let same = operations::variable::<bool>();
        operations::set::<bool, Variables>(same, Equate::eq(first.len(), second.len()));
        if_then(operations::read_copy::<bool, Variables>(same), || {
            let starts = first.starts_with(second);
            operations::set::<bool, Variables>(same, starts);
        });
        operations::read_copy::<bool, Variables>(same)
    }
}

impl<T: Data> SliceMut<T> {
    /// Sorts the elements by a comparison. Equal elements keep their order.
    #[track_caller]
    pub fn sort_by(self, compare: impl Fn(Handle<T>, Handle<T>) -> OrderingOf<Values>) {
        here();
        // Insertion: most arrays of one thread are short.
        positions(None, self.len(), |end| {
            let item = operations::read_copy::<T, Values>(Get::get(&self, end));
            let at = operations::variable::<usize>();
            operations::set::<usize, Variables>(at, end);
            let current = || operations::read_copy::<usize, Variables>(at);
            endless_loop(None, || {
                if_then(Equate::eq(current(), 0usize), || break_loop(None));
                let last = before(current());
                let other = operations::read_copy::<T, Values>(Get::get(&self, last));
                if_then(compare(other, item).is_le(), || break_loop(None));
                self.put(current(), Given::<T>(other));
                operations::set::<usize, Variables>(at, last);
            });
            self.put(current(), Given::<T>(item));
        });
    }

    /// Sorts the elements by a comparison.
    #[track_caller]
    pub fn sort_unstable_by(self, compare: impl Fn(Handle<T>, Handle<T>) -> OrderingOf<Values>) {
        self.sort_by(compare);
    }

    /// Sorts the elements.
    #[track_caller]
    pub fn sort(self)
    where
        T: Ordered + Ord,
    {
        self.sort_by(|first, second| order::<T>(first, second));
    }

    /// Sorts the elements.
    #[track_caller]
    pub fn sort_unstable(self)
    where
        T: Ordered + Ord,
    {
        self.sort();
    }

    /// Sorts the elements by a key. Equal elements keep their order.
    #[track_caller]
    pub fn sort_by_key<K: Valued<Value: Ordered + Ord>>(self, key: impl Fn(Handle<T>) -> K) {
        self.sort_by(|first, second| order::<K::Value>(key(first).to(), key(second).to()));
    }

    /// Sorts the elements by a key.
    #[track_caller]
    pub fn sort_unstable_by_key<K: Valued<Value: Ordered + Ord>>(
        self,
        key: impl Fn(Handle<T>) -> K,
    ) {
        self.sort_by_key(key);
    }
}

impl<T: Data> SliceMut<T> {
    /// Sets all elements.
    #[track_caller]
    pub fn fill(self, value: impl To<T>) {
        here();
        let value = operations::read_copy::<T, Values>(value.to());
        positions(None, self.len(), |i| self.put(i, Given::<T>(value)));
    }

    /// Reverses the order of the elements.
    #[track_caller]
    pub fn reverse(self) {
        here();
        let length = self.len();
        let two = Value::Constant(2);
        let half = Var::<usize>::new(with(|b| {
            binary(b, Operation::Div, ScalarType::U64, length.value, two)
        }));
        positions(None, half, |i| {
            let last = before(length);
            let other: Var<usize> =
                Var::new(with(|b| binary(b, Operation::Sub, ScalarType::U64, last.value, i.value)));
            let (first, second) = (Get::<Var<usize>>::get(&self, i), Get::get(&self, other));
            self.put(i, Given::<T>(second));
            self.put(other, Given::<T>(first));
        });
    }

    /// Moves each element `count` positions to the front, and the first ones to the end.
    #[track_caller]
    pub fn rotate_left(self, count: impl IndexValue) {
        here();
        let middle = Some(count.parts());
        subslice(self, None, middle, false).reverse();
        subslice(self, middle, None, false).reverse();
        self.reverse();
    }

    /// Moves each element `count` positions to the end, and the last ones to the front.
    #[track_caller]
    pub fn rotate_right(self, count: impl IndexValue) {
        here();
        let (length, count) = (self.len(), wide(count));
        let left = Var::<usize>::new(with(|b| {
            binary(b, Operation::Sub, ScalarType::U64, length.value, count.value)
        }));
        self.rotate_left(Read::copy(left));
    }
}

/// `x.get(a..b)`: the part, if the range is within the slice.
#[track_caller]
pub fn found_part<S: Subslice>(
    slice: S,
    start: Option<Index>,
    end: Option<Index>,
    inclusive: bool,
) -> OptionOf<Values, <S::Part as Valued>::Value>
where
    S::Part: Valued,
{
    here();
    let length = slice.elements();
    let (zero, one) = (Value::Constant(0), Value::Constant(1));
    let (from, to) = with(|b| {
        let from = start.map_or(zero, |start| start.widened(b));
        let to = match end.map(|end| end.widened(b)) {
            Some(end) if inclusive => binary(b, Operation::Add, ScalarType::U64, end, one),
            Some(end) => end,
            None => length.value,
        };
        (Var::<usize>::new(from), Var::<usize>::new(to))
    });
    let (from, to) = (Read::copy(from), Read::copy(to));
    let some = from.le(to) & to.le(length);
    let part = operations::variable::<<S::Part as Valued>::Value>();
    if_then(some, || {
        operations::set::<<S::Part as Valued>::Value, Variables>(
            part,
            between(slice, from, to).to(),
        );
    });
    OptionOf::new(some, operations::read_copy::<<S::Part as Valued>::Value, Variables>(part))
}

macro_rules! swaps {
    ($($memory:ty)*) => {$(
        impl<T: Data> $memory
        where
            $memory: Get<Var<usize>, Output = Handle<T>> + Put<Var<usize>, Handle<T>>,
        {
            /// Exchanges elements `a` and `b`.
            ///
            /// ```
            /// # use lanework::prelude::*;
            /// #[kernel]
            /// fn reverse(x: &mut [u32]) {
            ///     let i = thread_idx.x as usize;
            ///     x.swap(i, x.len() - 1 - i);
            /// }
            /// # let device = Device::emulator();
            /// # let mut x = device.upload(&[1u32, 2, 3, 4])?;
            /// # reverse(&mut x).grid(1).block(2).launch(&device)?;
            /// assert_eq!(x.download()?, [4, 3, 2, 1]);
            /// # Ok::<(), lanework::Error>(())
            /// ```
            #[track_caller]
            pub fn swap(self, a: impl IndexValue, b: impl IndexValue) {
                here();
                let (a, b) = (wide(a), wide(b));
                let (first, second) = (Get::get(&self, a), Get::get(&self, b));
                self.put(a, second);
                self.put(b, first);
            }
        }
    )*};
}

swaps!(SliceMut<T> SharedSlice<T> Shared<T, 1>);

macro_rules! splits {
    ($($memory:ident { $($method:ident $part:ident),* })*) => {$(
        impl<T: Data> $memory<T> {$(
            /// The first `count` elements, and the rest. If there are fewer elements, the thread ends with a report.
            ///
            /// ```
            /// # use lanework::prelude::*;
            /// #[kernel]
            /// fn halves(x: &[u32], y: &mut [u32]) {
            ///     let (left, right) = x.split_at(x.len() / 2);
            ///     let (sums, rest) = y.split_at_mut(2);
            ///     sums[0] = left.iter().sum();
            ///     sums[1] = right.iter().sum();
            ///     rest[0] = rest.len() as u32;
            /// }
            /// # let device = Device::emulator();
            /// # let x = device.upload(&[1u32, 2, 3, 4])?;
            /// # let mut y = device.zeros::<u32>(3)?;
            /// # halves(&x, &mut y).grid(1).block(1).launch(&device)?;
            /// assert_eq!(y.download()?, [3, 7, 1]);
            /// # Ok::<(), lanework::Error>(())
            /// ```
            #[track_caller]
            pub fn $method(self, count: impl IndexValue) -> ($part<T>, $part<T>) {
                here();
                let at = Some(count.parts());
                (subslice(self, None, at, false).into(), subslice(self, at, None, false).into())
            }
        )*}
    )*};
}

splits! {
    Slice { split_at Slice }
    SliceMut { split_at Slice, split_at_mut SliceMut }
}

/// Arrays and slices that a `for` may iterate over.
#[diagnostic::on_unimplemented(
    message = "a `for` in a kernel goes over ranges, arrays and slices, not over this value",
    label = "not a range, an array or a slice",
    note = "write `for i in 0..n`, or mark the loop #[unroll] to go over any values known while staging"
)]
pub trait Items {
    /// An element.
    type Item;
    /// An element's position. In an array it is known while staging, because the loop is unrolled.
    type Position;
    /// Stages the loop.
    fn each(self, name: Option<&'static str>, body: &mut dyn FnMut(Self::Position, Self::Item));
}

impl<X: Read, const N: usize> Items for [X; N] {
    type Item = X::Value;
    type Position = usize;
    #[track_caller]
    fn each(self, name: Option<&'static str>, body: &mut dyn FnMut(usize, X::Value)) {
        unrolled(name, self.into_iter().enumerate(), |(k, element)| body(k, element.copy()));
    }
}

impl<X: Read> Items for &[X] {
    type Item = X::Value;
    type Position = usize;
    #[track_caller]
    fn each(self, name: Option<&'static str>, body: &mut dyn FnMut(usize, X::Value)) {
        unrolled(name, self.iter().enumerate(), |(k, element)| body(k, element.copy()));
    }
}

/// Stages a loop over positions below `length`.
#[track_caller]
fn positions(name: Option<&'static str>, length: Var<usize>, body: impl FnOnce(Var<usize>)) {
    let walk =
        Walk { start: 0usize, end: length, step: OneByOne, inclusive: false, order: Direction::Up };
    for_loop(name, walk, body);
}

macro_rules! slices {
    ($($slice:ident)*) => {$(
        impl<T: Data> Items for $slice<T>
        where
            $slice<T>: Get<Var<usize>, Output = Handle<T>>,
        {
            type Item = Handle<T>;
            type Position = Var<usize>;
            #[track_caller]
            fn each(
                self,
                name: Option<&'static str>,
                body: &mut dyn FnMut(Var<usize>, Handle<T>),
            ) {
                positions(name, self.len(), |i| body(i, Get::get(&self, i)));
            }
        }
    )*};
}

slices!(Slice SliceMut SharedSlice);

impl<T: Data> Items for Shared<T, 1>
where
    Shared<T, 1>: Get<Var<usize>, Output = Handle<T>>,
{
    type Item = Handle<T>;
    type Position = Var<usize>;
    #[track_caller]
    fn each(self, name: Option<&'static str>, body: &mut dyn FnMut(Var<usize>, Handle<T>)) {
        let length = Var::constant(self.shape()[0] as usize);
        positions(name, length, |i| body(i, Get::get(&self, i)));
    }
}

/// A range in a variable: `let part = a..b;`.
impl<T: Integer> Items for std::ops::Range<Var<T>> {
    type Item = Var<T>;
    type Position = ();
    #[track_caller]
    fn each(self, name: Option<&'static str>, body: &mut dyn FnMut((), Var<T>)) {
        let (start, end) = (self.start, self.end);
        let walk = Walk { start, end, step: OneByOne, inclusive: false, order: Direction::Up };
        for_loop(name, walk, |i| body((), i));
    }
}

/// `for item in items { body(item) }`.
#[track_caller]
pub fn for_items<X: Items>(name: Option<&'static str>, items: X, mut body: impl FnMut(X::Item)) {
    here();
    items.each(name, &mut |_, item| body(item));
}

/// `for (i, item) in items.iter().enumerate() { body(i, item) }`.
#[track_caller]
pub fn for_enumerated<X: Items>(
    name: Option<&'static str>,
    items: X,
    mut body: impl FnMut((X::Position, X::Item)),
) {
    here();
    items.each(name, &mut |position, item| body((position, item)));
}
