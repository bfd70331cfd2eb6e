//! `let x;`: a variable that gets its value later.

use super::operations::{read_copy, read_view, set, variable};
use super::{Data, Handle, Receive, To, Variables};
use crate::current::here;
use crate::var::Read;
use crate::variable::AssignTo;
use std::cell::OnceCell;
use std::ops::Deref;

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
