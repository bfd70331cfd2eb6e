//! Adapters, which turn one iterator into another: `map`, `filter`, `zip` and others.

use crate::data::convert::{To, Valued};
use crate::data::leaves::{Data, Handle, Values};
use crate::emit::arithmetic::Operation;
use crate::emit::current::break_loop;
use crate::flow::branch::{if_else, if_then};
use crate::library::iterate::sources::IntoStream;
use crate::library::iterate::{Iter, Sequence, State, Stream, operate, positions, usize_of};
use crate::library::option::{OptionOf, payload};
use crate::scalar::compare::{Condition, Order};
use crate::scalar::number::IndexValue;
use crate::scalar::var::{Read, Var};
use lanework_ptx::ScalarType;

/// `.map(f)`.
#[derive(Clone, Copy, Debug)]
pub struct Map<S, F>(S, F);

impl<S: Stream, R, F: Fn(S::Item) -> R> Stream for Map<S, F> {
    type Item = R;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(R)) {
        self.0.each(name, &mut |item| body((self.1)(item)));
    }
}

impl<S: Sequence, R, F: Fn(S::Item) -> R> Sequence for Map<S, F> {
    fn length(&self) -> Var<usize> {
        self.0.length()
    }
    #[track_caller]
    fn at(&self, position: Var<usize>) -> R {
        (self.1)(self.0.at(position))
    }
    fn unrolls(&self) -> bool {
        self.0.unrolls()
    }
    fn most(&self) -> Option<usize> {
        self.0.most()
    }
    #[track_caller]
    fn each_by(&self, step: Var<usize>, name: Option<&'static str>, body: &mut dyn FnMut(R)) {
        self.0.each_by(step, name, &mut |item| body((self.1)(item)));
    }
}

/// `.filter(p)`.
#[derive(Clone, Copy, Debug)]
pub struct Filter<S, F>(S, F);

impl<S: Stream<Item: Copy>, C: Condition, F: Fn(S::Item) -> C> Stream for Filter<S, F> {
    type Item = S::Item;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(S::Item)) {
        self.0.each(name, &mut |item| if_then((self.1)(item), || body(item)));
    }
}

/// `.take_while(p)`.
#[derive(Clone, Copy, Debug)]
pub struct TakeWhile<S, F>(S, F);

impl<S: Stream<Item: Copy>, C: Condition, F: Fn(S::Item) -> C> Stream for TakeWhile<S, F> {
    type Item = S::Item;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(S::Item)) {
        self.0.each(name, &mut |item| {
            let goes_on = (self.1)(item).condition();
            if_then(!goes_on, || break_loop(None));
            body(item);
        });
    }
}

/// `.filter_map(f)`.
#[derive(Clone, Copy, Debug)]
pub struct FilterMap<S, F>(S, F);

impl<S: Stream, T: Data, F: Fn(S::Item) -> OptionOf<Values, T>> Stream for FilterMap<S, F> {
    type Item = Handle<T>;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Handle<T>)) {
        self.0.each(name, &mut |item| {
            let found = (self.1)(item);
            if_then(found.is_some(), || body(payload(found)));
        });
    }
}

/// `.map_while(f)`.
#[derive(Clone, Copy, Debug)]
pub struct MapWhile<S, F>(S, F);

impl<S: Stream, T: Data, F: Fn(S::Item) -> OptionOf<Values, T>> Stream for MapWhile<S, F> {
    type Item = Handle<T>;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Handle<T>)) {
        self.0.each(name, &mut |item| {
            let found = (self.1)(item);
            if_then(found.is_none(), || break_loop(None));
            body(payload(found));
        });
    }
}

/// `.skip_while(p)`.
#[derive(Clone, Copy, Debug)]
pub struct SkipWhile<S, F>(S, F);

impl<S: Stream<Item: Copy>, C: Condition, F: Fn(S::Item) -> C> Stream for SkipWhile<S, F> {
    type Item = S::Item;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(S::Item)) {
        let begun = State::<bool>::new(Var::constant(false));
        self.0.each(name, &mut |item| {
            // The condition is not evaluated again after it has failed once.
            if_then(!begun.get(), || {
                begun.set(!(self.1)(item).condition());
            });
            if_then(begun.get(), || body(item));
        });
    }
}

/// `.chain(other)`.
#[derive(Clone, Copy, Debug)]
pub struct Chain<A, B>(A, B);

impl<T: Data, A, B> Stream for Chain<A, B>
where
    A: Sequence<Item: To<T> + Valued<Value = T>>,
    B: Sequence<Item: To<T> + Valued<Value = T>>,
{
    type Item = Handle<T>;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Handle<T>)) {
        positions((self.unrolls(), self.most()), self.length(), name, |i| body(self.at(i)));
    }
}

impl<T: Data, A, B> Sequence for Chain<A, B>
where
    A: Sequence<Item: To<T> + Valued<Value = T>>,
    B: Sequence<Item: To<T> + Valued<Value = T>>,
{
    fn length(&self) -> Var<usize> {
        operate(Operation::Add, self.0.length(), self.1.length())
    }
    #[track_caller]
    fn at(&self, position: Var<usize>) -> Handle<T> {
        let first = self.0.length();
        let item = State::<T>::unset();
        if_else(
            position.lt(first),
            || item.set(self.0.at(position).to()),
            || item.set(self.1.at(operate(Operation::Sub, position, first)).to()),
        );
        item.get()
    }
}

/// `.enumerate()`.
#[derive(Clone, Copy, Debug)]
pub struct Enumerate<S>(pub(super) S);

/// `.zip(other)`.
#[derive(Clone, Copy, Debug)]
pub struct Zip<A, B>(A, B);

/// `.rev()`.
#[derive(Clone, Copy, Debug)]
pub struct Rev<S>(S);

/// `.skip(n)`.
#[derive(Clone, Copy, Debug)]
pub struct Skip<S>(pub(super) S, pub(super) Var<usize>);

/// `.take(n)`.
#[derive(Clone, Copy, Debug)]
pub struct Take<S>(pub(super) S, pub(super) Var<usize>);

/// `.step_by(n)`.
#[derive(Clone, Copy, Debug)]
pub struct StepBy<S>(S, Var<usize>);

macro_rules! by_position {
    ($([$($generics:tt)*] $adapter:ty, $item:ty, |$self:ident, $at:ident| $length:expr, $element:expr, $unrolls:expr, $most:expr;)*) => {$(
        impl<$($generics)*> Stream for $adapter {
            type Item = $item;
            #[track_caller]
            fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut($item)) {
                positions((self.unrolls(), self.most()), self.length(), name, |i| body(self.at(i)));
            }
        }

        impl<$($generics)*> Sequence for $adapter {
            #[track_caller]
            fn length(&self) -> Var<usize> {
                let $self = self;
                $length
            }
            #[track_caller]
            fn at(&self, $at: Var<usize>) -> $item {
                let $self = self;
                $element
            }
            fn unrolls(&self) -> bool {
                let $self = self;
                $unrolls
            }
            fn most(&self) -> Option<usize> {
                let $self = self;
                $most
            }
        }
    )*};
}

by_position! {
    [S: Sequence] Enumerate<S>, (Var<usize>, S::Item), |all, i|
        all.0.length(), (i, all.0.at(i)), all.0.unrolls(), all.0.most();
    [A: Sequence, B: Sequence] Zip<A, B>, (A::Item, B::Item), |both, i|
        operate(Operation::Min, both.0.length(), both.1.length()),
        (both.0.at(i), both.1.at(i)),
        both.0.unrolls() || both.1.unrolls(),
        match (both.0.most(), both.1.most()) {
            (Some(first), Some(second)) => Some(first.min(second)),
            (first, second) => first.or(second),
        };
    [S: Sequence] Rev<S>, S::Item, |all, i|
        all.0.length(),
        all.0.at(operate(Operation::Sub, before_last(&all.0), i)),
        all.0.unrolls(),
        all.0.most();
    [S: Sequence] Skip<S>, S::Item, |all, i|
        operate(Operation::Sub, operate(Operation::Max, all.0.length(), all.1), all.1),
        all.0.at(operate(Operation::Add, i, all.1)),
        all.0.unrolls(),
        all.0.most();
    [S: Sequence] Take<S>, S::Item, |all, i|
        operate(Operation::Min, all.0.length(), all.1), all.0.at(i), all.0.unrolls(), all.0.most();
}

fn before_last(sequence: &impl Sequence) -> Var<usize> {
    operate(Operation::Sub, sequence.length(), usize_of(1))
}

impl<S: Sequence> Stream for StepBy<S> {
    type Item = S::Item;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(S::Item)) {
        self.0.each_by(self.1, name, body);
    }
}

impl<S: Sequence> Sequence for StepBy<S> {
    #[track_caller]
    fn length(&self) -> Var<usize> {
        let up = operate(Operation::Sub, self.1, usize_of(1));
        operate(Operation::Div, operate(Operation::Add, self.0.length(), up), self.1)
    }
    #[track_caller]
    fn at(&self, position: Var<usize>) -> S::Item {
        self.0.at(operate(Operation::Mul, position, self.1))
    }
    fn unrolls(&self) -> bool {
        self.0.unrolls()
    }
    fn most(&self) -> Option<usize> {
        self.0.most()
    }
}

/// The current value of an element count of any integer type, as `usize`.
#[track_caller]
pub(super) fn count(number: impl IndexValue) -> Var<usize> {
    let parts = number.parts();
    let wide = crate::emit::current::with(|b| {
        crate::scalar::cast::cast(b, parts.value, parts.ty, ScalarType::U64)
    });
    Read::copy(Var::new(wide))
}

impl<S: Stream> Iter<S> {
    /// This iterator.
    pub fn iter(self) -> Self {
        self
    }

    /// This iterator.
    #[expect(
        clippy::should_implement_trait,
        reason = "a staged iterator yields no elements on the host"
    )]
    pub fn into_iter(self) -> Self {
        self
    }

    /// This iterator: elements are values in a kernel.
    pub fn copied(self) -> Self {
        self
    }

    /// This iterator: elements are values in a kernel.
    pub fn cloned(self) -> Self {
        self
    }

    /// This iterator; in a variable, it has `peek`.
    pub fn peekable(self) -> Self {
        self
    }

    /// Each element mapped by `f`.
    pub fn map<R, F: Fn(S::Item) -> R>(self, f: F) -> Iter<Map<S, F>> {
        Iter(Map(self.0, f))
    }

    /// The elements for which the condition holds.
    pub fn filter<C: Condition, F: Fn(S::Item) -> C>(self, condition: F) -> Iter<Filter<S, F>> {
        Iter(Filter(self.0, condition))
    }

    /// The contents of the options that are `Some`.
    pub fn filter_map<T: Data, F: Fn(S::Item) -> OptionOf<Values, T>>(
        self,
        f: F,
    ) -> Iter<FilterMap<S, F>> {
        Iter(FilterMap(self.0, f))
    }

    /// The contents of the options before the first `None`.
    pub fn map_while<T: Data, F: Fn(S::Item) -> OptionOf<Values, T>>(
        self,
        f: F,
    ) -> Iter<MapWhile<S, F>> {
        Iter(MapWhile(self.0, f))
    }

    /// The elements from the first on for which the condition does not hold.
    pub fn skip_while<C: Condition, F: Fn(S::Item) -> C>(
        self,
        condition: F,
    ) -> Iter<SkipWhile<S, F>> {
        Iter(SkipWhile(self.0, condition))
    }

    /// The elements before the first for which the condition does not hold.
    pub fn take_while<C: Condition, F: Fn(S::Item) -> C>(
        self,
        condition: F,
    ) -> Iter<TakeWhile<S, F>> {
        Iter(TakeWhile(self.0, condition))
    }
}

impl<S: Stream> Iter<S> {
    /// Pairs of elements; ends with the shorter iterator.
    pub fn zip<X: IntoStream>(self, other: X) -> Iter<Zip<S, X::Stream>>
    where
        S: Sequence,
        X::Stream: Sequence,
    {
        Iter(Zip(self.0, other.stream().0))
    }

    /// The elements of this iterator, then those of another.
    pub fn chain<X: IntoStream>(self, other: X) -> Iter<Chain<S, X::Stream>>
    where
        S: Sequence,
        X::Stream: Sequence,
    {
        Iter(Chain(self.0, other.stream().0))
    }

    /// The elements in reverse order.
    pub fn rev(self) -> Iter<Rev<S>>
    where
        S: Sequence,
    {
        Iter(Rev(self.0))
    }

    /// Every `n`th element, from the first on.
    #[track_caller]
    pub fn step_by(self, n: impl IndexValue) -> Iter<StepBy<S>>
    where
        S: Sequence,
    {
        Iter(StepBy(self.0, count(n)))
    }
}
