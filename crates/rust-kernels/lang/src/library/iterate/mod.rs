//! Iterators in kernels: `(a..b).map(f).sum()`, `x.iter().zip(y).filter(p).fold(0, f)`, and `for` over them.
//!
//! A chain is staged as one loop. A [`Stream`] passes each of its elements to a body that is staged once, in that
//! loop; a [`Sequence`] also returns the element at a position, as `zip`, `rev`, `skip` and similar adapters
//! require. Arrays are unrolled, as in a `for`.
//!
//! `sources` holds ranges, slices, arrays and parts of slices; `adapters` holds methods that turn one iterator into another (`map`,
//! `filter`, `zip`); this file holds the methods that end a chain and stage its loop (`sum`, `fold`, `any`).

pub(crate) mod adapters;
pub(crate) mod counted;
mod extremes;
pub(crate) mod sources;
pub(crate) mod users;

use crate::data::convert::{To, Valued};
use crate::data::leaves::{Data, Handle, Values, Variables};
use crate::data::operations;
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::current::{break_loop, here, with};
use crate::flow::branch::{if_else, if_then};
use crate::flow::loops::{Direction, OneByOne, Walk, for_loop, unrolled};
use crate::library::option::OptionOf;
use crate::library::slices::Items;
use crate::scalar::compare::{Condition, Equate, Order};
use crate::scalar::number::Number;
use crate::scalar::var::{IntoVar, Read, Scalar, Var};

/// A staged iterator, with the methods of Rust's iterators.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn dot(x: &[f32], y: &[f32]) -> f32 {
///     x.iter().zip(y).map(|(a, b)| a * b).sum()
/// }
///
/// #[device]
/// fn odd_squares(n: u32) -> u32 {
///     (0..n).filter(|i| i % 2 == 1).map(|i| i * i).sum::<u32>()
/// }
///
/// #[device]
/// fn summary(x: &[u32]) -> u32 {
///     let least = x.iter().copied().min().unwrap_or(0);
///     let most = x.iter().skip(1).take(2).copied().max().unwrap_or(0);
///     let at = x.iter().position(|&v| v == 30).unwrap_or(9) as u32;
///     let found = x.iter().rev().find(|v| **v > 5).copied().unwrap_or(0);
///     let product: u32 = x.iter().step_by(2).product();
///     let spread = x.iter().enumerate().fold(0, |sum, (i, v)| sum + i as u32 * v);
///     let every = x.iter().all(|&v| v > 0) as u32 + x.iter().any(|&v| v == 31) as u32;
///     let mut below = 0;
///     for v in x.iter().take_while(|&&v| v < 25) {
///         below += v;
///     }
///     x.iter().zip(1..9).for_each(|(v, k)| below += v * k);
///     let reduced = x.iter().copied().reduce(|a, b| a.max(b)).unwrap_or(0);
///     least + most + at + found + product + spread + every + below + reduced + x.iter().count() as u32
/// }
///
/// #[kernel]
/// fn example(x: &[f32], y: &[f32], n: &[u32], out: &mut [f32], whole: &mut [u32]) {
///     out[0] = dot(x, y);
///     whole[0] = odd_squares(n[0]);
///     whole[1] = summary(n);
/// }
/// # let device = Device::emulator();
/// let (x, y, n) = ([1.0f32, 2.0, 3.0], [4.0f32, 5.0, 6.0], [10u32, 20, 30, 7]);
/// let (on_x, on_y, on_n) = (device.upload(&x)?, device.upload(&y)?, device.upload(&n)?);
/// let (mut out, mut whole) = (device.zeros::<f32>(1)?, device.zeros::<u32>(2)?);
/// example(&on_x, &on_y, &on_n, &mut out, &mut whole).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [dot(&x, &y)]);
/// assert_eq!(whole.download()?, [odd_squares(10), summary(&n)]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Iter<S>(pub(crate) S);

/// A source that passes its elements to a loop body, which is staged once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an iterator of the kernel language",
    label = "not an iterator",
    note = "ranges, slices, arrays and shared arrays of one dimension have iterators"
)]
pub trait Stream {
    /// An element.
    type Item;
    /// Stages the loop, with `name` as its label for `break` and `continue`.
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Self::Item));
}

/// A stream whose elements have positions.
#[diagnostic::on_unimplemented(
    message = "this iterator has no positions",
    label = "its elements cannot be counted before the loop runs",
    note = "`zip`, `enumerate`, `rev`, `skip`, `take` and `step_by` must come before `filter` and `take_while`"
)]
pub trait Sequence: Stream {
    /// The number of elements.
    fn length(&self) -> Var<usize>;
    /// The element at a position below the length.
    fn at(&self, position: Var<usize>) -> Self::Item;
    /// Whether its loop is fully unrolled.
    fn unrolls(&self) -> bool {
        false
    }
    /// The most elements, if each must be known while staging, as the variables of an array are.
    fn most(&self) -> Option<usize> {
        None
    }
    /// Stages the loop over every `step`th element.
    fn each_by(
        &self,
        step: Var<usize>,
        name: Option<&'static str>,
        body: &mut dyn FnMut(Self::Item),
    ) {
        let length =
            operate(Operation::Add, self.length(), operate(Operation::Sub, step, usize_of(1)));
        let length = operate(Operation::Div, length, step);
        positions((self.unrolls(), self.most()), length, name, |i| {
            body(self.at(operate(Operation::Mul, i, step)));
        });
    }
}

impl<S: Stream> Items for Iter<S> {
    type Item = S::Item;
    type Position = ();
    #[track_caller]
    fn each(self, name: Option<&'static str>, body: &mut dyn FnMut((), S::Item)) {
        self.0.each(name, &mut |item| body((), item));
    }
}

/// Stages a loop over the positions below `length`; unrolls it if requested and if the length is known.
fn positions(
    (unroll, most): (bool, Option<usize>),
    length: Var<usize>,
    name: Option<&'static str>,
    mut body: impl FnMut(Var<usize>),
) {
    match (length.known().filter(|_| unroll), most) {
        (Some(length), _) => unrolled(name, 0..length, |i| body(usize_of(i))),
        (None, Some(most)) => unrolled(name, 0..most, |i| {
            if_then(Order::ge(usize_of(i), length), || break_loop(None));
            body(usize_of(i));
        }),
        (None, None) => {
            let (order, step, start) = (Direction::Up, OneByOne, 0usize);
            for_loop(name, Walk { start, end: length, step, inclusive: false, order }, body);
        }
    }
}

fn usize_of(value: usize) -> Var<usize> {
    Var::constant(value)
}

/// `x op y`.
pub(crate) fn operate<T: Scalar>(op: Operation, x: Var<T>, y: Var<T>) -> Var<T> {
    Var::new(with(|b| binary(b, op, T::SCALAR, x.value, y.value)))
}

/// A variable that the loop updates.
struct State<T: Data>(T::Of<Variables>);

impl<T: Data> State<T> {
    #[track_caller]
    fn new(value: Handle<T>) -> Self {
        here();
        let state = State(operations::variable::<T>());
        state.set(value);
        state
    }

    /// A variable without a first value; the loop sets it before it reads it.
    fn unset() -> Self {
        State(operations::variable::<T>())
    }

    #[track_caller]
    fn set(&self, value: Handle<T>) {
        operations::set::<T, Variables>(self.0, value);
    }

    #[track_caller]
    fn get(&self) -> Handle<T> {
        operations::read_copy::<T, Variables>(self.0)
    }
}

impl<S: Stream> Iter<S> {
    #[track_caller]
    fn consume(&self, mut body: impl FnMut(S::Item)) {
        here();
        self.0.each(None, &mut body);
    }

    /// Calls `f` with each element.
    #[track_caller]
    pub fn for_each<R>(self, f: impl Fn(S::Item) -> R) {
        self.consume(|item| {
            f(item);
        });
    }

    /// Folds the elements: applies `f` to `start` and the first element, then to the result and the second, and so on.
    #[track_caller]
    pub fn fold<A: Valued, R: To<A::Value>>(
        self,
        start: A,
        f: impl Fn(Handle<A::Value>, S::Item) -> R,
    ) -> Handle<A::Value> {
        let state = State::<A::Value>::new(start.to());
        self.consume(|item| state.set(f(state.get(), item).to()));
        state.get()
    }

    /// Folds the elements: applies `f` to the first two, then to the result and the third, and so on. `None` if there are no elements.
    #[track_caller]
    pub fn reduce<R: To<<S::Item as Valued>::Value>>(
        self,
        f: impl Fn(Handle<<S::Item as Valued>::Value>, Handle<<S::Item as Valued>::Value>) -> R,
    ) -> OptionOf<Values, <S::Item as Valued>::Value>
    where
        S::Item: Valued,
    {
        let some = State::<bool>::new(Var::constant(false));
        let state = State::<<S::Item as Valued>::Value>::unset();
        self.consume(|item| {
            let item = item.to();
            if_else(
                some.get(),
                || state.set(f(state.get(), item).to()),
                || {
                    state.set(item);
                    some.set(Var::constant(true));
                },
            );
        });
        OptionOf::new(some.get(), state.get())
    }

    /// The sum of the elements.
    #[track_caller]
    pub fn sum<T: Number>(self) -> Var<T>
    where
        S::Item: IntoVar<T>,
    {
        // Starts at -0.0, the neutral element of addition, like Rust's sum of floats.
        self.total(Operation::Add, Var::constant(T::ZERO * T::MIN))
    }

    /// The product of the elements.
    #[track_caller]
    pub fn product<T: Number>(self) -> Var<T>
    where
        S::Item: IntoVar<T>,
    {
        self.total(Operation::Mul, Var::constant(T::ONE))
    }

    #[track_caller]
    fn total<T: Number>(self, op: Operation, start: Var<T>) -> Var<T>
    where
        S::Item: IntoVar<T>,
    {
        let state = State::<T>::new(start);
        self.consume(|item| state.set(operate(op, state.get(), item.into_var())));
        state.get()
    }

    /// The number of elements.
    #[track_caller]
    pub fn count(self) -> Var<usize> {
        let state = State::<usize>::new(usize_of(0));
        self.consume(|_| state.set(operate(Operation::Add, state.get(), usize_of(1))));
        state.get()
    }

    /// Whether the condition holds for any element. The loop ends at the first one.
    #[track_caller]
    pub fn any<C: Condition>(self, condition: impl Fn(S::Item) -> C) -> Var<bool> {
        let found = State::<bool>::new(Var::constant(false));
        self.consume(|item| {
            if_then(condition(item), || {
                found.set(Var::constant(true));
                break_loop(None);
            });
        });
        found.get()
    }

    /// Whether the condition holds for every element. The loop ends at the first for which it does not.
    #[track_caller]
    pub fn all<C: Condition>(self, condition: impl Fn(S::Item) -> C) -> Var<bool> {
        !self.any(|item| !condition(item).condition())
    }

    /// The position of the first element for which the condition holds.
    #[track_caller]
    pub fn position<C: Condition>(
        self,
        condition: impl Fn(S::Item) -> C,
    ) -> OptionOf<Values, usize> {
        let found = State::<bool>::new(Var::constant(false));
        let at = State::<usize>::new(usize_of(0));
        self.consume(|item| {
            if_then(condition(item), || {
                found.set(Var::constant(true));
                break_loop(None);
            });
            at.set(operate(Operation::Add, at.get(), usize_of(1)));
        });
        OptionOf::new(found.get(), at.get())
    }

    /// Element `n`, counted from 0.
    #[track_caller]
    pub fn nth(self, n: impl IntoVar<usize>) -> OptionOf<Values, <S::Item as Valued>::Value>
    where
        S::Item: Valued,
    {
        let n = Read::copy(n.into_var());
        let (found, at) =
            (State::<bool>::new(Var::constant(false)), State::<usize>::new(usize_of(0)));
        let state = State::<<S::Item as Valued>::Value>::unset();
        self.consume(|item| {
            if_then(Equate::eq(at.get(), n), || {
                found.set(Var::constant(true));
                state.set(item.to());
                break_loop(None);
            });
            at.set(operate(Operation::Add, at.get(), usize_of(1)));
        });
        OptionOf::new(found.get(), state.get())
    }

    /// The first element for which the condition holds.
    #[track_caller]
    pub fn find<C: Condition>(
        self,
        condition: impl Fn(S::Item) -> C,
    ) -> OptionOf<Values, <S::Item as Valued>::Value>
    where
        S::Item: Valued + Copy,
    {
        let found = State::<bool>::new(Var::constant(false));
        let state = State::<<S::Item as Valued>::Value>::unset();
        self.consume(|item| {
            if_then(condition(item), || {
                found.set(Var::constant(true));
                state.set(item.to());
                break_loop(None);
            });
        });
        OptionOf::new(found.get(), state.get())
    }
}
