//! Variables that hold a slice: `let mut rest = x; rest = &rest[n..];`. The address and the length are in registers.

use crate::data::handles::{MovedSlice, Slice, SliceMut};
use crate::data::variable::{AssignTo, IntoVariable, Receive};
use crate::library::iterate::Iter;
use crate::library::iterate::sources::IntoStream;
use crate::memory::access::At;
use crate::memory::registers::{Get, Locate, Put};
use crate::memory::shared_slice::{Ends, Subslice};
use crate::memory::slice::{IntoSlice, IntoSliceMut};
use crate::scalar::var::{Read, Var};

/// A slice that a variable may hold.
pub trait Global: Copy {}

impl<T> Global for Slice<T> {}
impl<T> Global for SliceMut<T> {}

impl<T> AssignTo<MovedSlice<SliceMut<T>>> for SliceMut<T> {
    #[track_caller]
    fn assign_to(self, variable: MovedSlice<SliceMut<T>>) {
        variable.move_to(self.memory, variable.first.memory.space);
    }
}

impl<T> AssignTo<MovedSlice<SliceMut<T>>> for MovedSlice<SliceMut<T>> {
    #[track_caller]
    fn assign_to(self, variable: MovedSlice<SliceMut<T>>) {
        Read::view(self).assign_to(variable);
    }
}

#[diagnostic::do_not_recommend]
impl<S: Global + IntoVariable> IntoVariable for MovedSlice<S>
where
    MovedSlice<S>: Read<Value = S>,
{
    type Variable = S::Variable;
    fn into_variable(self) -> S::Variable {
        self.copy().into_variable()
    }
}

#[diagnostic::do_not_recommend]
impl<S: Global> Receive for MovedSlice<S>
where
    MovedSlice<S>: Read<Value = S>,
{
    type Receiver = S;
    #[track_caller]
    fn receive(self) -> S {
        self.copy()
    }
}

#[diagnostic::do_not_recommend]
impl<S: Global + IntoStream> IntoStream for MovedSlice<S>
where
    MovedSlice<S>: Read<Value = S>,
{
    type Stream = S::Stream;
    #[track_caller]
    fn stream(self) -> Iter<S::Stream> {
        self.copy().stream()
    }
}

#[diagnostic::do_not_recommend]
impl<S: Global + Subslice> Subslice for MovedSlice<S>
where
    MovedSlice<S>: Read<Value = S>,
{
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
impl<T, S: Global + IntoSlice<T>> IntoSlice<T> for MovedSlice<S>
where
    MovedSlice<S>: Read<Value = S>,
{
    #[track_caller]
    fn into_slice(self) -> Slice<T> {
        self.copy().into_slice()
    }
}

#[diagnostic::do_not_recommend]
impl<I, S: Global + At<I>> At<I> for MovedSlice<S>
where
    MovedSlice<S>: Read<Value = S>,
{
    type Element = S::Element;
    #[track_caller]
    fn at(&self, index: I) -> S::Element {
        self.view().at(index)
    }
}

#[diagnostic::do_not_recommend]
impl<I, S: Global + Get<I>> Get<I> for MovedSlice<S>
where
    MovedSlice<S>: Read<Value = S>,
{
    type Output = S::Output;
    #[track_caller]
    fn get(&self, index: I) -> S::Output {
        self.view().get(index)
    }
}

#[diagnostic::do_not_recommend]
impl<I, S: Global + Locate<I>> Locate<I> for MovedSlice<S>
where
    MovedSlice<S>: Read<Value = S>,
{
    type Place = S::Place;
    #[track_caller]
    fn locate(&self, index: I) -> S::Place {
        self.view().locate(index)
    }
}

#[diagnostic::do_not_recommend]
impl<I, V, S: Global + Put<I, V>> Put<I, V> for MovedSlice<S>
where
    MovedSlice<S>: Read<Value = S>,
{
    #[track_caller]
    fn put(&self, index: I, value: V) {
        self.view().put(index, value);
    }
}

#[diagnostic::do_not_recommend]
impl<T, S: Global + IntoSliceMut<T>> IntoSliceMut<T> for MovedSlice<S>
where
    MovedSlice<S>: Read<Value = S>,
{
    #[track_caller]
    fn into_slice_mut(self) -> SliceMut<T> {
        self.copy().into_slice_mut()
    }
}
