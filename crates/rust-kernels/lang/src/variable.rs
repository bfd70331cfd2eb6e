//! Variables: what `let mut` makes of a value, and what may be assigned to one.

use crate::data::{Data, Target, To, Valued, Variables, operations};
use crate::scalar::Scalar;
use crate::var::{Mut, Var};

/// What `let mut` may hold: values of the kernel language, which become registers, and arrays of
/// registers.
#[diagnostic::on_unimplemented(
    message = "`let mut` cannot hold `{Self}` in a kernel",
    label = "not a value of the kernel language",
    note = "mutable variables are registers; bind anything else with `let`"
)]
pub trait IntoVariable: Copy {
    /// The variable: for a scalar `Mut<T>`, for others what is made of these.
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
