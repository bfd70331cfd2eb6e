//! Array literals whose elements are partly ordinary values and partly run-time ones: `[x, 0.0]`.

use crate::scalar::Scalar;
use crate::var::{IntoVar, Var};
use half::{bf16, f16};
use std::marker::PhantomData;

/// The type of an array's elements, found element by element.
pub struct Joined<A>(PhantomData<fn() -> A>);

impl<A> Clone for Joined<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Joined<A> {}

/// The kind of one element.
pub fn joined<A>(_: &A) -> Joined<A> {
    Joined(PhantomData)
}

impl<A> Joined<A> {
    /// The kind of the elements before and one more.
    pub fn with<B>(self, _: &B) -> Joined<A::Output>
    where
        A: Join<B>,
    {
        Joined(PhantomData)
    }

    /// An element as one of this kind.
    pub fn of<B: Become<A>>(self, element: B) -> A {
        element.into_kind()
    }
}

/// Elements of one array: of one type, or run-time and ordinary values of one scalar type.
#[diagnostic::on_unimplemented(
    message = "an array cannot hold both `{Self}` and `{B}`",
    label = "the elements have different types",
    note = "convert with `as`: an array's elements are of one type"
)]
pub trait Join<B> {
    /// The type of both.
    type Output;
}

impl<A> Join<A> for A {
    type Output = A;
}

impl<T: Scalar> Join<T> for Var<T> {
    type Output = Var<T>;
}

macro_rules! value_joins {
    ($($t:ty)*) => {$(
        impl Join<Var<$t>> for $t {
            type Output = Var<$t>;
        }
    )*};
}

value_joins!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize f16 bf16 f32 f64);

/// A value as an element of an array.
pub trait Become<A> {
    /// The element.
    fn into_kind(self) -> A;
}

impl<A> Become<A> for A {
    fn into_kind(self) -> A {
        self
    }
}

impl<T: Scalar> Become<Var<T>> for T {
    fn into_kind(self) -> Var<T> {
        self.into_var()
    }
}
