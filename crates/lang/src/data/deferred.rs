//! `let x;`: a variable that gets its only value later.

use super::operations::{read_copy, read_view, set, variable};
use super::{Data, Handle, Receive, Valued, Variables};
use crate::current::here;
use crate::var::Read;
use std::cell::Cell;

/// A variable that gets its only value later.
pub struct Deferred<T: Data>(Cell<Option<T::Of<Variables>>>);

/// `let x;`
pub fn deferred<T: Data>() -> Deferred<T> {
    Deferred(Cell::new(None))
}

impl<T: Data> Deferred<T> {
    fn variable(&self) -> T::Of<Variables> {
        let registers = self.0.get().unwrap_or_else(variable::<T>);
        self.0.set(Some(registers));
        registers
    }
}

/// `x = value`, the only assignment on its way through the kernel.
#[track_caller]
pub fn initialize<X: Valued>(deferred: &Deferred<X::Value>, value: X) {
    here();
    set::<X::Value, Variables>(deferred.variable(), value.to());
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
