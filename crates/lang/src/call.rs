//! `#[device]` functions: parameters, early `return` and the value of a call.

use crate::current::{here, with};
use crate::jumps::{in_call, leave_call};
use crate::merge::Never;
use crate::scalar::Scalar;
use crate::value::Value;
use crate::var::{IntoVar, Mut, Read, Var};
use std::cell::Cell;

/// A parameter taken by value: a copy that the caller's later assignments do not change.
pub fn by_value<T: Scalar>(argument: impl IntoVar<T>) -> Var<T> {
    argument.into_var().copy()
}

/// An array of registers that a function reads: `&[T; N]`, of any depth.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an array of registers of this shape")]
pub trait Registers<A: Returned> {
    /// The registers' values.
    fn registers(self) -> A::Handle;
}

impl<T: Scalar> Registers<T> for T {
    fn registers(self) -> Var<T> {
        self.into_var()
    }
}

impl<T: Scalar> Registers<T> for Var<T> {
    fn registers(self) -> Var<T> {
        self
    }
}

impl<T: Scalar> Registers<T> for Mut<T> {
    fn registers(self) -> Var<T> {
        self.view()
    }
}

impl<A: Returned, X: Registers<A>, const N: usize> Registers<[A; N]> for [X; N] {
    fn registers(self) -> [A::Handle; N] {
        self.map(X::registers)
    }
}

/// A type that a device function may return: a scalar, or a tuple or array of them.
#[diagnostic::on_unimplemented(
    message = "a device function cannot return `{Self}`",
    note = "it returns scalars, and tuples and arrays of them"
)]
pub trait Returned {
    /// The handle that the caller gets.
    type Handle: Copy;
    /// Registers for the value.
    fn declare() -> Self::Handle;
    /// `out = value`.
    fn assign(out: Self::Handle, value: Self::Handle);
}

impl<T: Scalar> Returned for T {
    type Handle = Var<T>;
    fn declare() -> Var<T> {
        Var::new(Value::Register(with(|b| b.register(T::SCALAR, false))))
    }
    fn assign(out: Var<T>, value: Var<T>) {
        if let Value::Register(register) = out.value {
            with(|b| b.assign(register, value.value, T::SCALAR));
        }
    }
}

impl<T: Returned, const N: usize> Returned for [T; N] {
    type Handle = [T::Handle; N];
    fn declare() -> Self::Handle {
        std::array::from_fn(|_| T::declare())
    }
    fn assign(out: Self::Handle, value: Self::Handle) {
        out.into_iter().zip(value).for_each(|(out, value)| T::assign(out, value));
    }
}

/// A value that a function returning `T` may return.
#[diagnostic::on_unimplemented(
    message = "this function returns `{T}`, not `{Self}`",
    label = "expected `{T}`"
)]
pub trait ReturnAs<T: Returned> {
    /// The handle; `None` when control never reaches the end.
    fn handle(self) -> Option<T::Handle>;
}

impl<T: Scalar> ReturnAs<T> for T {
    fn handle(self) -> Option<Var<T>> {
        Some(self.into_var())
    }
}

impl<T: Scalar> ReturnAs<T> for Var<T> {
    fn handle(self) -> Option<Var<T>> {
        Some(self)
    }
}

impl<T: Returned> ReturnAs<T> for Never {
    fn handle(self) -> Option<T::Handle> {
        None
    }
}

impl<T: Returned, X: ReturnAs<T>, const N: usize> ReturnAs<[T; N]> for [X; N] {
    fn handle(self) -> Option<[T::Handle; N]> {
        let handles: Option<Vec<_>> = self.into_iter().map(X::handle).collect();
        handles?.try_into().ok()
    }
}

macro_rules! tuple_returns {
    ($($t:ident $x:ident $i:tt),*) => {
        impl<$($t: Returned),*> Returned for ($($t,)*) {
            type Handle = ($($t::Handle,)*);
            fn declare() -> Self::Handle {
                ($($t::declare(),)*)
            }
            fn assign(out: Self::Handle, value: Self::Handle) {
                $($t::assign(out.$i, value.$i);)*
            }
        }
        impl<$($t: Returned, $x: ReturnAs<$t>),*> ReturnAs<($($t,)*)> for ($($x,)*) {
            fn handle(self) -> Option<($($t::Handle,)*)> {
                Some(($(self.$i.handle()?,)*))
            }
        }
    };
}

tuple_returns!(T1 X1 0, T2 X2 1);
tuple_returns!(T1 X1 0, T2 X2 1, T3 X3 2);
tuple_returns!(T1 X1 0, T2 X2 1, T3 X3 2, T4 X4 3);

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
