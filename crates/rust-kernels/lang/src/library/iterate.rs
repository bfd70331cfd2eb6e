//! Iterators in kernels: `(a..b).map(f).sum()`, `x.iter().zip(y).filter(p).fold(0, f)`, and `for` over them.
//!
//! A chain is staged as one loop. A [`Stream`] passes each of its elements to a body that is staged once, in that
//! loop; a [`Sequence`] also returns the element at a position, as `zip`, `rev`, `skip` and similar adapters
//! require. Arrays are unrolled, as in a `for`.
//!
//! | file | holds |
//! | --- | --- |
//! | `sources`, `iter_mut`, `parts` | sources of elements: ranges, slices and arrays, for reading and for writing, and parts of slices |
//! | `adapters` | methods that turn one iterator into another: `map`, `filter`, `zip` |
//! | `consumers` | methods that end a chain and stage its loop: `sum`, `fold`, `any` |

pub(crate) mod adapters;
pub(crate) mod consumers;
pub(crate) mod sources;

use crate::emit::arithmetic::{Operation, binary};
use crate::emit::current::with;
use crate::flow::loops::{Direction, OneByOne, Walk, for_loop, unrolled};
use crate::library::slices::Items;
use crate::scalar::var::{Scalar, Var};

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
        positions(self.unrolls(), length, name, |i| {
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
    unroll: bool,
    length: Var<usize>,
    name: Option<&'static str>,
    mut body: impl FnMut(Var<usize>),
) {
    match length.known().filter(|_| unroll) {
        Some(length) => unrolled(name, 0..length, |i| body(usize_of(i))),
        None => {
            let (order, step, start) = (Direction::Up, OneByOne, 0usize);
            for_loop(name, Walk { start, end: length, step, inclusive: false, order }, body);
        }
    }
}

fn usize_of(value: usize) -> Var<usize> {
    Var::constant(value)
}

/// `x op y`.
fn operate<T: Scalar>(op: Operation, x: Var<T>, y: Var<T>) -> Var<T> {
    Var::new(with(|b| binary(b, op, T::SCALAR, x.value, y.value)))
}
