//! Variables that hold a slice: `let mut rest = x; rest = &rest[n..];`. The address and the length are in registers.

use crate::data::variable::{AssignTo, IntoVariable, Receive, new_variable};
use crate::emit::current::here;
use crate::library::iterate::Iter;
use crate::library::iterate::sources::IntoStream;
use crate::memory::access::At;
use crate::memory::registers::{Get, Locate, Put};
use crate::memory::shared_slice::{Ends, Subslice};
use crate::memory::slice::{IntoSlice, Memory, Slice, SliceMut};
use crate::scalar::var::{Mut, Read, Var};

/// A slice in a variable. `S` is the type of the slice.
///
/// ```
/// # use lanework::prelude::*;
/// /// The sum of the digits of each word, weighted by the word's number.
/// #[device]
/// fn weighted(text: &[u8]) -> u32 {
///     let (mut rest, mut sum, mut number) = (text, 0, 1);
///     while let [first, tail @ ..] = rest {
///         match *first {
///             digit @ b'0'..=b'9' => sum += number * (digit - b'0') as u32,
///             _ => number += 1,
///         }
///         rest = tail;
///     }
///     sum
/// }
///
/// #[kernel]
/// fn example(text: &[u8], out: &mut [u32]) {
///     out[0] = weighted(text);
/// }
/// # let device = Device::emulator();
/// let text = b"12 3 4";
/// let on = device.upload(text)?;
/// let mut out = device.zeros::<u32>(1)?;
/// example(&on, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [weighted(text)]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct MovedSlice<S> {
    base: Mut<u64>,
    length: Mut<u64>,
    /// The first slice, whose name errors show.
    first: S,
}

impl<S: Copy> Clone for MovedSlice<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Copy> Copy for MovedSlice<S> {}

/// A slice of global memory.
pub trait Global: Copy {
    /// Address and length.
    #[doc(hidden)]
    fn ends(self) -> [Var<u64>; 2];
    /// The slice with another address and length.
    #[doc(hidden)]
    fn with_ends(self, ends: [Var<u64>; 2]) -> Self;
}

macro_rules! global {
    ($($slice:ident)*) => {$(
        impl<T> Global for $slice<T> {
            fn ends(self) -> [Var<u64>; 2] {
                [Var::new(self.memory.base), Var::new(self.memory.length)]
            }
            fn with_ends(self, [base, length]: [Var<u64>; 2]) -> Self {
                let name = self.memory.name;
                $slice::new(Memory { base: base.value, length: length.value, name })
            }
        }

        impl<T> IntoVariable for $slice<T> {
            type Variable = MovedSlice<Self>;
            #[track_caller]
            fn into_variable(self) -> MovedSlice<Self> {
                let [base, length] = self.ends().map(new_variable);
                MovedSlice { base, length, first: self }
            }
        }

        impl<T> AssignTo<MovedSlice<$slice<T>>> for $slice<T> {
            #[track_caller]
            fn assign_to(self, variable: MovedSlice<$slice<T>>) {
                here();
                // The new ends may depend on the old ones.
                let [base, length] = self.ends().map(Read::copy);
                variable.base.assign(base);
                variable.length.assign(length);
            }
        }
    )*};
}

global!(Slice SliceMut);

impl<T> AssignTo<MovedSlice<Slice<T>>> for SliceMut<T> {
    #[track_caller]
    fn assign_to(self, variable: MovedSlice<Slice<T>>) {
        Slice::from(self).assign_to(variable);
    }
}

#[diagnostic::do_not_recommend]
impl<S: Global> AssignTo<MovedSlice<S>> for MovedSlice<S>
where
    S: AssignTo<MovedSlice<S>>,
{
    #[track_caller]
    fn assign_to(self, variable: MovedSlice<S>) {
        self.view().assign_to(variable);
    }
}

#[diagnostic::do_not_recommend]
impl<S: Global + IntoVariable> IntoVariable for MovedSlice<S> {
    type Variable = S::Variable;
    fn into_variable(self) -> S::Variable {
        self.copy().into_variable()
    }
}

#[diagnostic::do_not_recommend]
impl<S: Global> Read for MovedSlice<S> {
    type Value = S;
    fn view(self) -> S {
        self.first.with_ends([self.base.view(), self.length.view()])
    }
    #[track_caller]
    fn copy(self) -> S {
        let view = self.view();
        view.with_ends(view.ends().map(Read::copy))
    }
}

#[diagnostic::do_not_recommend]
impl<S: Global> Receive for MovedSlice<S> {
    type Receiver = S;
    #[track_caller]
    fn receive(self) -> S {
        self.copy()
    }
}

#[diagnostic::do_not_recommend]
impl<S: Global + IntoStream> IntoStream for MovedSlice<S> {
    type Stream = S::Stream;
    #[track_caller]
    fn stream(self) -> Iter<S::Stream> {
        self.copy().stream()
    }
}

#[diagnostic::do_not_recommend]
impl<S: Global + Subslice> Subslice for MovedSlice<S> {
    type Part = S::Part;
    fn elements(&self) -> Var<usize> {
        self.view().elements()
    }
    #[track_caller]
    fn part(self, ends: Ends) -> S::Part {
        self.view().part(ends)
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: Global + IntoSlice<T>> IntoSlice<T> for MovedSlice<S> {
    #[track_caller]
    fn into_slice(self) -> Slice<T> {
        self.copy().into_slice()
    }
}

#[diagnostic::do_not_recommend]
impl<I, S: Global + At<I>> At<I> for MovedSlice<S> {
    type Element = S::Element;
    #[track_caller]
    fn at(&self, index: I) -> S::Element {
        self.view().at(index)
    }
}

#[diagnostic::do_not_recommend]
impl<I, S: Global + Get<I>> Get<I> for MovedSlice<S> {
    type Output = S::Output;
    #[track_caller]
    fn get(&self, index: I) -> S::Output {
        self.view().get(index)
    }
}

#[diagnostic::do_not_recommend]
impl<I, S: Global + Locate<I>> Locate<I> for MovedSlice<S> {
    type Place = S::Place;
    #[track_caller]
    fn locate(&self, index: I) -> S::Place {
        self.view().locate(index)
    }
}

#[diagnostic::do_not_recommend]
impl<I, V, S: Global + Put<I, V>> Put<I, V> for MovedSlice<S> {
    #[track_caller]
    fn put(&self, index: I, value: V) {
        self.view().put(index, value);
    }
}
