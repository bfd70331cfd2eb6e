//! Consumers, which end a chain and stage its loop: `sum`, `fold`, `any` and others.

use crate::data::convert::{To, Valued};
use crate::data::leaves::{Data, Handle, Values, Variables};
use crate::data::operations;
use crate::emit::arithmetic::Operation;
use crate::emit::current::{break_loop, here};
use crate::flow::branch::{if_else, if_then};
use crate::library::iterate::{Iter, Stream, operate, usize_of};
use crate::library::option::OptionOf;
use crate::scalar::compare::Condition;
use crate::scalar::number::{Integer, Number};
use crate::scalar::var::{IntoVar, Var};

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
    fn each(&self, mut body: impl FnMut(S::Item)) {
        here();
        self.0.each(None, &mut body);
    }

    /// Calls `f` with each element.
    #[track_caller]
    pub fn for_each<R>(self, f: impl Fn(S::Item) -> R) {
        self.each(|item| {
            f(item);
        });
    }

    /// Folds the elements: `f` of `start` and the first element, then of the result and the second, and so on.
    #[track_caller]
    pub fn fold<A: Valued, R: To<A::Value>>(
        self,
        start: A,
        f: impl Fn(Handle<A::Value>, S::Item) -> R,
    ) -> Handle<A::Value> {
        let state = State::<A::Value>::new(start.to());
        self.each(|item| state.set(f(state.get(), item).to()));
        state.get()
    }

    /// Folds the elements: `f` of the first two, then of the result and the third, and so on; `None` if there are no elements.
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
        self.each(|item| {
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
        // Like Rust's sum of floats, it starts at -0.0, the neutral element of addition.
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
        self.each(|item| state.set(operate(op, state.get(), item.into_var())));
        state.get()
    }

    /// The number of elements.
    #[track_caller]
    pub fn count(self) -> Var<usize> {
        let state = State::<usize>::new(usize_of(0));
        self.each(|_| state.set(operate(Operation::Add, state.get(), usize_of(1))));
        state.get()
    }

    /// The smallest element; `None` if there are no elements.
    #[track_caller]
    pub fn min<T: Integer>(self) -> OptionOf<Values, T>
    where
        S::Item: IntoVar<T>,
    {
        self.extreme(Operation::Min, T::MAX)
    }

    /// The largest element; `None` if there are no elements.
    #[track_caller]
    pub fn max<T: Integer>(self) -> OptionOf<Values, T>
    where
        S::Item: IntoVar<T>,
    {
        self.extreme(Operation::Max, T::MIN)
    }

    #[track_caller]
    fn extreme<T: Integer>(self, op: Operation, start: T) -> OptionOf<Values, T>
    where
        S::Item: IntoVar<T>,
    {
        let some = State::<bool>::new(Var::constant(false));
        let state = State::<T>::new(Var::constant(start));
        self.each(|item| {
            some.set(Var::constant(true));
            state.set(operate(op, state.get(), item.into_var()));
        });
        OptionOf::new(some.get(), state.get())
    }

    /// Whether the condition holds for an element; the loop ends at the first.
    #[track_caller]
    pub fn any<C: Condition>(self, condition: impl Fn(S::Item) -> C) -> Var<bool> {
        let found = State::<bool>::new(Var::constant(false));
        self.each(|item| {
            if_then(condition(item), || {
                found.set(Var::constant(true));
                break_loop(None);
            });
        });
        found.get()
    }

    /// Whether the condition holds for every element; the loop ends at the first for which it does not.
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
        self.each(|item| {
            if_then(condition(item), || {
                found.set(Var::constant(true));
                break_loop(None);
            });
            at.set(operate(Operation::Add, at.get(), usize_of(1)));
        });
        OptionOf::new(found.get(), at.get())
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
        self.each(|item| {
            if_then(condition(item), || {
                found.set(Var::constant(true));
                state.set(item.to());
                break_loop(None);
            });
        });
        OptionOf::new(found.get(), state.get())
    }
}
