//! The methods of `Option` in kernels. A closure is staged where there is a value, and nowhere else.

use super::operations::handle;
use super::option::OptionOf;
use super::{Data, Handle, To, Valued, Values};
use crate::assertion::assertion;
use crate::connect::Connect;
use crate::control::branch;
use crate::var::Var;

/// A handle as a value.
struct Given<T: Data>(Handle<T>);

impl<T: Data> Clone for Given<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Data> Copy for Given<T> {}

impl<T: Data> To<T> for Given<T> {
    fn to(self) -> Handle<T> {
        self.0
    }
}

impl<T: Data> Valued for Given<T> {
    type Value = T;
}

impl<T: Data> OptionOf<Values, T> {
    /// Whether there is a value.
    pub fn is_some(self) -> Var<bool> {
        self.some
    }

    /// Whether there is no value.
    #[track_caller]
    pub fn is_none(self) -> Var<bool> {
        !self.some
    }

    /// This: what an `Option` holds is a value in a kernel.
    pub fn copied(self) -> Self {
        self
    }

    /// This: what an `Option` holds is a value in a kernel.
    pub fn cloned(self) -> Self {
        self
    }

    /// The value; where there is none, the thread ends with a report.
    #[track_caller]
    pub fn unwrap(self) -> Handle<T> {
        assertion(self.some, "called `unwrap` on a `None`", || {});
        self.value
    }

    /// The value; where there is none, the thread ends with a report that says `text`.
    #[track_caller]
    pub fn expect(self, text: &'static str) -> Handle<T> {
        assertion(self.some, text, || {});
        self.value
    }

    /// The value, or `other`.
    #[track_caller]
    pub fn unwrap_or(self, other: impl To<T>) -> Handle<T> {
        let (value, other) = (self.value, other.to());
        branch(self.some, || Given::<T>(value), || Given::<T>(other))
    }

    /// The value, or its type's default.
    #[track_caller]
    pub fn unwrap_or_default(self) -> Handle<T>
    where
        T: Default,
    {
        let value = self.value;
        branch(self.some, || Given::<T>(value), || Given::<T>(super::constant::<T>(T::default())))
    }

    /// The value, or what `other` gives.
    #[track_caller]
    pub fn unwrap_or_else<X: To<T>>(self, other: impl FnOnce() -> X) -> Handle<T> {
        let value = self.value;
        branch(self.some, || Given::<T>(value), other)
    }

    /// What `f` makes of the value, if there is one.
    #[track_caller]
    pub fn map<X: Valued>(self, f: impl FnOnce(Handle<T>) -> X) -> OptionOf<Values, X::Value> {
        let value = branch(
            self.some,
            || Given::<X::Value>(f(self.value).to()),
            || Given::<X::Value>(handle::<X::Value>([])),
        );
        OptionOf { some: self.some, value }
    }

    /// What `f` makes of the value, or `other`.
    #[track_caller]
    pub fn map_or<X: Valued>(
        self,
        other: impl To<X::Value>,
        f: impl FnOnce(Handle<T>) -> X,
    ) -> Handle<X::Value> {
        let other = other.to();
        branch(self.some, || Given::<X::Value>(f(self.value).to()), || Given::<X::Value>(other))
    }

    /// Whether there is no value, or the condition holds for it.
    #[track_caller]
    pub fn is_none_or<C>(self, condition: impl FnOnce(Handle<T>) -> C) -> Var<bool>
    where
        Var<bool>: Connect<C, Output = Var<bool>>,
    {
        let value = self.value;
        (!self.some).or(|| condition(value))
    }

    /// What `f` makes of the value, which may be none.
    #[track_caller]
    pub fn and_then<X, U: Data>(self, f: impl FnOnce(Handle<T>) -> X) -> OptionOf<Values, U>
    where
        X: Valued<Value = Option<U>>,
    {
        branch(self.some, || f(self.value), || None::<U>)
    }

    /// This, or `other` where there is no value.
    #[track_caller]
    pub fn or(self, other: impl To<Option<T>>) -> OptionOf<Values, T> {
        let other = other.to();
        branch(self.some, || self, || other)
    }

    /// The value where the condition holds for it.
    #[track_caller]
    pub fn filter<C>(self, condition: impl FnOnce(Handle<T>) -> C) -> OptionOf<Values, T>
    where
        Var<bool>: Connect<C, Output = Var<bool>>,
    {
        let value = self.value;
        OptionOf { some: self.some.and(|| condition(value)), value }
    }

    /// Whether there is a value for which the condition holds.
    #[track_caller]
    pub fn is_some_and<C>(self, condition: impl FnOnce(Handle<T>) -> C) -> Var<bool>
    where
        Var<bool>: Connect<C, Output = Var<bool>>,
    {
        self.some.and(|| condition(self.value))
    }
}

impl Var<bool> {
    /// The value where this holds.
    #[track_caller]
    pub fn then_some<X: Valued>(self, value: X) -> OptionOf<Values, X::Value> {
        OptionOf { some: self, value: value.to() }
    }

    /// What `f` gives where this holds; staged there and nowhere else.
    #[track_caller]
    pub fn then<X: Valued>(self, f: impl FnOnce() -> X) -> OptionOf<Values, X::Value> {
        let value = branch(
            self,
            || Given::<X::Value>(f().to()),
            || Given::<X::Value>(handle::<X::Value>([])),
        );
        OptionOf { some: self, value }
    }
}
