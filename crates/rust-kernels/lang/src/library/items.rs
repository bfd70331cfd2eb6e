//! `for` over arrays and slices.

use crate::data::leaves::{Data, Handle};
use crate::emit::current::here;
use crate::flow::loops::{Direction, OneByOne, Walk, for_loop, unrolled};
use crate::memory::registers::Get;
use crate::memory::shared::Shared;
use crate::memory::shared_slice::SharedSlice;
use crate::memory::slice::{Slice, SliceMut};
use crate::scalar::number::Integer;
use crate::scalar::var::{Read, Var};

/// Arrays and slices that a `for` visits element by element.
#[diagnostic::on_unimplemented(
    message = "a `for` in a kernel goes over ranges, arrays and slices, not over `{Self}`",
    label = "not a range, an array or a slice",
    note = "write `for i in 0..n`, or mark the loop #[unroll] to go over any values known while staging"
)]
pub trait Items {
    /// An element.
    type Item;
    /// An element's position: known while staging in an array, which is unrolled.
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
