//! Variables (`let mut`), and the values that may be assigned to them.
//!
//! `let x;`: a variable that gets its value later.
//!
//! `std::mem::swap` and `std::mem::replace` on variables and places of a kernel.

use crate::data::convert::{To, Valued};
use crate::data::leaves::{Data, Handle, Values, Variables};
use crate::data::operations::{self, read_copy, read_view, set, variable};
use crate::data::receive::{Receive, Target};
use crate::emit::current::here;
use crate::scalar::var::{Mut, Read, Scalar, Var};
use std::cell::OnceCell;
use std::ops::Deref;

/// Types that `let mut` may hold: values of the kernel language, which become registers, and arrays of
/// registers.
#[diagnostic::on_unimplemented(
    message = "`let mut` cannot hold `{Self}` in a kernel",
    label = "not a value of the kernel language",
    note = "mutable variables are registers; bind anything else with `let`"
)]
pub trait IntoVariable: Copy {
    /// The variable: `Mut<T>` for a scalar, and a composition of these for other types.
    type Variable: Copy;
    /// A new variable that holds the value.
    fn into_variable(self) -> Self::Variable;
}

/// A new variable that holds a value of the kernel language.
pub fn new_variable<X: Valued>(value: X) -> <X::Value as Data>::Of<Variables> {
    let value = value.to();
    let variable = operations::variable::<X::Value>();
    operations::set::<X::Value, Variables>(variable, value);
    variable
}

macro_rules! scalar_variables {
    ($($of:ty)*) => {$(
        impl<T: Scalar> IntoVariable for $of {
            type Variable = Mut<T>;
            fn into_variable(self) -> Mut<T> {
                new_variable(self)
            }
        }
    )*};
}

scalar_variables!(T Var<T> Mut<T>);

impl<X: IntoVariable, const N: usize> IntoVariable for [X; N] {
    type Variable = [X::Variable; N];
    fn into_variable(self) -> Self::Variable {
        self.map(X::into_variable)
    }
}

/// A value that may be assigned to a variable or a place of type `V`.
#[diagnostic::on_unimplemented(
    message = "cannot assign `{Self}` to this variable",
    label = "of another type than the variable"
)]
pub trait AssignTo<V> {
    /// `variable = self`.
    fn assign_to(self, variable: V);
}

impl<V: Target, X: To<V::Value>> AssignTo<V> for X {
    #[track_caller]
    fn assign_to(self, variable: V) {
        variable.set(self.to());
    }
}

/// A variable that gets its value later.
pub struct Deferred<T: Data>(OnceCell<T::Of<Variables>>);

/// `let x;`
pub fn deferred<T: Data>() -> Deferred<T> {
    Deferred(OnceCell::new())
}

impl<T: Data> Deferred<T> {
    fn variable(&self) -> T::Of<Variables> {
        *self.0.get_or_init(variable::<T>)
    }
}

impl<T: Data> Deref for Deferred<T> {
    type Target = T::Of<Variables>;
    fn deref(&self) -> &Self::Target {
        self.0.get_or_init(variable::<T>)
    }
}

impl<T: Data, X: To<T>> AssignTo<&Deferred<T>> for X {
    #[track_caller]
    fn assign_to(self, deferred: &Deferred<T>) {
        here();
        set::<T, Variables>(deferred.variable(), self.to());
    }
}

impl<T: Data> To<T> for &Deferred<T> {
    #[track_caller]
    fn to(self) -> Handle<T> {
        read_view::<T, Variables>(self.variable())
    }
}

impl<T: Data> Read for &Deferred<T> {
    type Value = Handle<T>;
    #[track_caller]
    fn view(self) -> Handle<T> {
        read_view::<T, Variables>(self.variable())
    }
    #[track_caller]
    fn copy(self) -> Handle<T> {
        read_copy::<T, Variables>(self.variable())
    }
}

impl<T: Data> Receive for &Deferred<T> {
    type Receiver = Handle<T>;
    #[track_caller]
    fn receive(self) -> Handle<T> {
        self.view()
    }
}

/// Exchanges two values.
#[track_caller]
pub fn swap<A, B>(first: A, second: B)
where
    A: Target + To<<A as Target>::Value>,
    B: Target<Value = <A as Target>::Value> + To<<A as Target>::Value>,
{
    here();
    let old = read_copy::<<A as Target>::Value, Values>(first.to());
    first.set(read_copy::<<A as Target>::Value, Values>(second.to()));
    second.set(old);
}

/// Replaces a value and returns the old one.
#[track_caller]
pub fn replace<A>(place: A, value: impl To<<A as Target>::Value>) -> Handle<<A as Target>::Value>
where
    A: Target + To<<A as Target>::Value>,
{
    here();
    let old = read_copy::<<A as Target>::Value, Values>(place.to());
    place.set(value.to());
    old
}
