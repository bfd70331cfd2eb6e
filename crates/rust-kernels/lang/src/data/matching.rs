//! What the checks of patterns call: code that rustc checks and nothing runs.

use super::{Handle, Valued};
use crate::never::Never;

/// Code that the compiler checks and nothing runs.
pub fn check(_code: impl FnOnce()) {}

/// A guard that may hold or not.
pub fn perhaps() -> bool {
    false
}

/// A value that is not known.
pub fn any() -> u32 {
    0
}

/// A value that is matched; its ordinary type is `(&&Scrutinee(value)).host()`'s.
#[derive(Clone, Copy, Debug)]
pub struct Scrutinee<X>(pub X);

/// A value of the kernel language.
pub trait HostOfValue {
    /// The ordinary type.
    type Host;
    /// An ordinary value.
    fn host(self) -> Self::Host;
}

impl<X: Valued> HostOfValue for &&Scrutinee<X> {
    type Host = X::Value;
    fn host(self) -> X::Value {
        unreachable!("only checked by the compiler")
    }
}

/// An ordinary value of any other type.
pub trait HostOfAny {
    /// The type.
    type Host;
    /// The value.
    fn host(self) -> Self::Host;
}

impl<X: Copy> HostOfAny for &Scrutinee<X> {
    type Host = X;
    fn host(self) -> X {
        self.0
    }
}

/// The `else` of a `let`, which must leave.
#[diagnostic::on_unimplemented(
    message = "the `else` of this `let` goes on after it",
    label = "does not leave",
    note = "end it with `return`, `break` or `continue`"
)]
pub trait Leaves {}

impl Leaves for Never {}

/// Checks that the `else` of a `let` leaves.
pub fn must_leave<X: Leaves>(_otherwise: X) {}

/// An argument of a closure: a value of the kernel language becomes a handle, anything else stays.
#[derive(Clone, Copy, Debug)]
pub struct Passed<X>(pub X);

/// A value of the kernel language.
pub trait PassValue {
    /// What the closure gets.
    type Argument;
    /// The argument.
    fn pass(self) -> Self::Argument;
}

impl<X: Valued> PassValue for &&Passed<X> {
    type Argument = Handle<X::Value>;
    #[track_caller]
    fn pass(self) -> Handle<X::Value> {
        self.0.to()
    }
}

/// Anything else.
pub trait PassAny {
    /// What the closure gets.
    type Argument;
    /// The argument.
    fn pass(self) -> Self::Argument;
}

impl<X: Copy> PassAny for &Passed<X> {
    type Argument = X;
    fn pass(self) -> X {
        self.0
    }
}
