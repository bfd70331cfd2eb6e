//! Values of a type, known while staging or only at run time.

use super::{Data, Handle, operations};
use crate::memory::{Place, ReadPlace};
use crate::never::Never;
use crate::scalar::Scalar;
use crate::var::{Mut, Var};

/// A value of type `T`, known while staging or only at run time.
#[diagnostic::on_unimplemented(
    message = "expected a value of type `{T}`, found `{Self}`",
    label = "not a `{T}`",
    note = "the kernel language has no implicit conversions: use `as` between numbers"
)]
pub trait To<T: Data>: Copy {
    /// Whether control reaches the value.
    const REACHED: bool = true;
    /// The handle.
    fn to(self) -> Handle<T>;
}

/// A value of a type that it determines.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of the kernel language",
    label = "not a value that kernels compute with",
    note = "scalars, and tuples and arrays of them, are; mark a struct or an enum #[device]"
)]
pub trait Valued: To<<Self as Valued>::Value> {
    /// The type.
    type Value: Data;
}

impl<T: Scalar> To<T> for T {
    fn to(self) -> Var<T> {
        Var::constant(self)
    }
}

impl<T: Scalar> Valued for T {
    type Value = T;
}

impl<T: Scalar> To<T> for Var<T> {
    fn to(self) -> Var<T> {
        self
    }
}

impl<T: Scalar> Valued for Var<T> {
    type Value = T;
}

impl<T: Scalar> To<T> for Mut<T> {
    fn to(self) -> Var<T> {
        self.view()
    }
}

impl<T: Scalar> Valued for Mut<T> {
    type Value = T;
}

macro_rules! places {
    ($($place:ident $kind:ident)*) => {$(
        impl<T: Scalar> To<T> for $place<T> {
            #[track_caller]
            fn to(self) -> Var<T> {
                operations::read_view::<T, super::$kind>(self)
            }
        }

        impl<T: Scalar> Valued for $place<T> {
            type Value = T;
        }

        impl<T: Data, const N: usize> To<[T; N]> for $place<[T; N]> {
            #[track_caller]
            fn to(self) -> [Handle<T>; N] {
                operations::read_view::<[T; N], super::$kind>(self)
            }
        }

        impl<T: Data, const N: usize> Valued for $place<[T; N]> {
            type Value = [T; N];
        }
    )*};
}

places!(Place Places ReadPlace ReadPlaces);

impl<T: Data, X: To<T>, const N: usize> To<[T; N]> for [X; N] {
    #[track_caller]
    fn to(self) -> [Handle<T>; N] {
        self.map(X::to)
    }
}

impl<X: Valued, const N: usize> Valued for [X; N] {
    type Value = [X::Value; N];
}

impl<T: Data> To<T> for Never {
    const REACHED: bool = false;
    fn to(self) -> Handle<T> {
        operations::declare::<T>()
    }
}

/// The value as a handle.
#[track_caller]
pub fn lift<X: Valued>(value: X) -> Handle<X::Value> {
    value.to()
}

/// `let x: T = value`: a value of the declared type, unchanged.
pub fn keep<T: Data, X: To<T>>(value: X) -> X {
    value
}

/// An ordinary value of the type of `value`, for code that is checked and never run.
pub fn host<X: Valued>(_: X) -> X::Value {
    unreachable!("only checked by the compiler")
}

/// A value whose leaves are to be set, of the type that `check`, which is never run, returns.
pub fn blank<T: Data>(_check: impl FnOnce() -> T) -> Handle<T> {
    operations::handle::<T>([])
}

/// `rest` as a value of the type that `check`, which is never run, returns.
#[track_caller]
pub fn rest<T: Data>(_check: impl FnOnce() -> T, rest: impl To<T>) -> Handle<T> {
    rest.to()
}

/// Refuses a field's type at the field.
pub fn is_data<T: Data>() {}

/// Marks the place after a field that no padding follows.
#[diagnostic::on_unimplemented(
    message = "a struct with padding cannot be stored in device memory: `{Self}`",
    label = "has padding after that field",
    note = "add a field such as `_padding: [u8; N]` there, with the number of bytes given; or order \
            the fields from the largest to the smallest"
)]
pub trait NoPadding {}

/// The type whose functions a kernel calls as `Type::function`: of a value, its handle; of the
/// language's own types, the type itself.
#[diagnostic::on_unimplemented(
    message = "the functions of `{Self}` run on the host only",
    label = "not a type of the kernel language",
    note = "mark the struct or enum and its `impl` #[device], or call the function in a \
            `const {{ .. }}` block"
)]
pub trait Functions {
    /// The type.
    type Of;
}

impl<T: Data> Functions for T {
    type Of = Handle<T>;
}
