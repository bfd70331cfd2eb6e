//! `#[device]` functions: parameters, early `return` and the value of a call.

use crate::data::convert::To;
use crate::data::leaves::{Data, Handle, Values};
use crate::data::operations;
use crate::emit::current::{here, in_call, leave_call};
use std::cell::Cell;

/// A parameter taken by value: a copy that the caller's later assignments do not change.
#[track_caller]
pub fn by_value<T: Data>(argument: impl To<T>) -> Handle<T> {
    operations::read_copy::<T, Values>(argument.to())
}

/// A type that a device function may return: a value of the kernel language, or a fragment.
#[diagnostic::on_unimplemented(
    message = "a device function cannot return `{Self}`",
    note = "it returns scalars, #[device] structs and enums, and tuples and arrays of them"
)]
pub trait Returned {
    /// The handle that the caller gets.
    type Handle: Copy;
    /// Registers for the value.
    fn declare() -> Self::Handle;
    /// `out = value`.
    fn assign(out: Self::Handle, value: Self::Handle);
}

impl<T: Data> Returned for T {
    type Handle = Handle<T>;
    fn declare() -> Handle<T> {
        operations::declare::<T>()
    }
    fn assign(out: Handle<T>, value: Handle<T>) {
        operations::assign::<T>(out, value);
    }
}

/// A value that a function returning `T` may return.
#[diagnostic::on_unimplemented(
    message = "expected a value of type `{T}`, found `{Self}`",
    label = "not a `{T}`",
    note = "the kernel language has no implicit conversions: use `as` between numbers"
)]
pub trait ReturnAs<T: Returned> {
    /// The handle; `None` when control never reaches the end.
    fn handle(self) -> Option<T::Handle>;
}

#[diagnostic::do_not_recommend]
impl<T: Data, X: To<T>> ReturnAs<T> for X {
    fn handle(self) -> Option<Handle<T>> {
        // A view of a variable behind `&` must not reflect the caller's later assignments.
        X::REACHED.then(|| operations::read_copy::<T, Values>(self.to()))
    }
}

/// The registers that hold a device function's return value.
pub struct ReturnSlot<T: Returned> {
    out: Cell<Option<T::Handle>>,
}

/// Stages a device function that returns a `T`.
#[track_caller]
pub fn call_value<T: Returned, X: ReturnAs<T>>(
    body: impl FnOnce(&ReturnSlot<T>) -> X,
) -> T::Handle {
    let slot = ReturnSlot { out: Cell::new(None) };
    in_call(|| {
        let last = body(&slot).handle();
        match (slot.out.get(), last) {
            (None, Some(value)) => value,
            (Some(out), last) => {
                if let Some(value) = last {
                    T::assign(out, value);
                }
                out
            }
            (None, None) => T::declare(),
        }
    })
}

/// Stages a device function that returns nothing.
#[track_caller]
pub fn call_unit(body: impl FnOnce()) {
    in_call(body);
}

/// `return value` in a device function.
#[track_caller]
pub fn return_value<T: Returned>(slot: &ReturnSlot<T>, value: impl ReturnAs<T>) {
    here();
    let out = slot.out.get().unwrap_or_else(T::declare);
    slot.out.set(Some(out));
    if let Some(value) = value.handle() {
        T::assign(out, value);
    }
    leave_call();
}

/// `return` in a device function without a value.
#[track_caller]
pub fn return_unit() {
    here();
    leave_call();
}

/// Stages the body of a closure.
#[track_caller]
pub fn call_closure<R>(body: impl FnOnce() -> R) -> R {
    in_call(body)
}
