//! Adapters that count the elements that have passed: `enumerate`, `take` and `skip` of iterators whose elements have no positions, as
//! after `filter`, and of users' iterators.

use crate::emit::arithmetic::Operation;
use crate::emit::current::break_loop;
use crate::flow::branch::if_then;
use crate::library::iterate::adapters::{Enumerate, Skip, Take, count};
use crate::library::iterate::{Iter, Sequence, State, Stream, operate, usize_of};
use crate::scalar::compare::Order;
use crate::scalar::number::IndexValue;
use crate::scalar::var::Var;

/// `.enumerate()`.
#[derive(Clone, Copy, Debug)]
pub struct CountedEnumerate<S>(S);

/// `.take(n)`.
#[derive(Clone, Copy, Debug)]
pub struct CountedTake<S>(S, Var<usize>);

/// `.skip(n)`.
#[derive(Clone, Copy, Debug)]
pub struct CountedSkip<S>(S, Var<usize>);

fn next(count: &State<usize>) -> Var<usize> {
    let now = count.get();
    count.set(operate(Operation::Add, now, usize_of(1)));
    now
}

impl<S: Stream> Stream for CountedEnumerate<S> {
    type Item = (Var<usize>, S::Item);
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Self::Item)) {
        let count = State::<usize>::new(usize_of(0));
        self.0.each(name, &mut |item| body((next(&count), item)));
    }
}

impl<S: Stream> Stream for CountedTake<S> {
    type Item = S::Item;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Self::Item)) {
        let count = State::<usize>::new(usize_of(0));
        // No element is taken from the source after the last one.
        if_then(self.1.gt(0usize), || {
            let last = operate(Operation::Sub, self.1, usize_of(1));
            let more = State::<bool>::new(Var::constant(true));
            self.0.each(name, &mut |item| {
                if_then(!more.get(), || break_loop(None));
                let now = next(&count);
                more.set(now.lt(last));
                body(item);
            });
        });
    }
}

impl<S: Stream> Stream for CountedSkip<S> {
    type Item = S::Item;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Self::Item)) {
        let count = State::<usize>::new(usize_of(0));
        self.0.each(name, &mut |item| {
            let now = next(&count);
            if_then(now.ge(self.1), || body(item));
        });
    }
}

/// Adapters of iterators with positions.
pub trait SequenceAdapters<S: Sequence>: Sized {
    /// Each element with its position.
    fn enumerate(self) -> Iter<Enumerate<S>>;
    /// The elements after the first `n`.
    fn skip(self, n: impl IndexValue) -> Iter<Skip<S>>;
    /// The first `n` elements.
    fn take(self, n: impl IndexValue) -> Iter<Take<S>>;
}

impl<S: Sequence> SequenceAdapters<S> for Iter<S> {
    fn enumerate(self) -> Iter<Enumerate<S>> {
        Iter(Enumerate(self.0))
    }
    #[track_caller]
    fn skip(self, n: impl IndexValue) -> Iter<Skip<S>> {
        Iter(Skip(self.0, count(n)))
    }
    #[track_caller]
    fn take(self, n: impl IndexValue) -> Iter<Take<S>> {
        Iter(Take(self.0, count(n)))
    }
}

/// Adapters of iterators without positions.
pub trait StreamAdapters<S: Stream>: Sized {
    /// Each element with its position.
    fn enumerate(self) -> Iter<CountedEnumerate<S>>;
    /// The elements after the first `n`.
    fn skip(self, n: impl IndexValue) -> Iter<CountedSkip<S>>;
    /// The first `n` elements.
    fn take(self, n: impl IndexValue) -> Iter<CountedTake<S>>;
}

impl<S: Stream + Copy> StreamAdapters<S> for &Iter<S> {
    fn enumerate(self) -> Iter<CountedEnumerate<S>> {
        Iter(CountedEnumerate(self.0))
    }
    #[track_caller]
    fn skip(self, n: impl IndexValue) -> Iter<CountedSkip<S>> {
        Iter(CountedSkip(self.0, count(n)))
    }
    #[track_caller]
    fn take(self, n: impl IndexValue) -> Iter<CountedTake<S>> {
        Iter(CountedTake(self.0, count(n)))
    }
}
