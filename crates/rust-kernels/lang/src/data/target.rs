//! What may be assigned to.

use super::operations::save;
use super::{Data, Handle};
use crate::current::here;
use crate::memory::Place;
use crate::scalar::Scalar;
use crate::var::{Mut, Var};

/// What may be assigned to: a variable or a place, whole or a part of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be assigned to",
    label = "neither a variable nor writable memory",
    note = "a variable is declared with `let mut`; a parameter is written to when it is `&mut [T]`"
)]
pub trait Target: Copy {
    /// The type of what is assigned.
    type Value: Data;
    /// `self = value`.
    fn set(self, value: Handle<Self::Value>);
}

impl<T: Scalar> Target for Mut<T> {
    type Value = T;
    #[track_caller]
    fn set(self, value: Var<T>) {
        here();
        self.assign(value);
    }
}

impl<T: Scalar> Target for Place<T> {
    type Value = T;
    #[track_caller]
    fn set(self, value: Var<T>) {
        save(self, value);
    }
}

impl<T: Data, const N: usize> Target for Place<[T; N]> {
    type Value = [T; N];
    #[track_caller]
    fn set(self, value: [Handle<T>; N]) {
        save(self, value);
    }
}

impl<X: Target, const N: usize> Target for [X; N] {
    type Value = [X::Value; N];
    #[track_caller]
    fn set(self, value: [Handle<X::Value>; N]) {
        for (target, value) in self.into_iter().zip(value) {
            target.set(value);
        }
    }
}
