//! Merging the values of the two branches of an `if`.

use crate::data::{Data, Handle, To, Valued, operations};
use crate::never::Never;
use crate::scalar::Scalar;
use crate::var::{IntoVar, Var};
use half::{bf16, f16};

/// Values of the two branches of a run-time `if` that merge into one.
#[diagnostic::on_unimplemented(
    message = "the branches of this `if` have types `{Self}` and `{B}`",
    label = "both branches need one type",
    note = "both branches of a run-time `if` give values of one type of the kernel language"
)]
pub trait Merge<B>: Sized {
    /// The value of the `if`.
    type Output: Copy;
    /// Whether `select` exists.
    fn selectable() -> bool;
    /// Registers for the value.
    fn declare() -> Self::Output;
    /// `out = first`.
    fn assign_first(out: Self::Output, first: Self);
    /// `out = second`.
    fn assign_second(out: Self::Output, second: B);
    /// `condition ? first : second`, both computed.
    fn select(condition: Var<bool>, first: Self, second: B) -> Self::Output;
    /// The value when only the first branch can be taken.
    fn from_first(first: Self) -> Self::Output {
        let out = Self::declare();
        Self::assign_first(out, first);
        out
    }
    /// The value when only the second branch can be taken.
    fn from_second(second: B) -> Self::Output {
        let out = Self::declare();
        Self::assign_second(out, second);
        out
    }
}

/// `condition ? x : y` without a branch.
pub(crate) fn select<T: Scalar>(
    condition: Var<bool>,
    x: impl IntoVar<T>,
    y: impl IntoVar<T>,
) -> Var<T> {
    operations::select::<T>(condition, x.into_var(), y.into_var())
}

/// `out = value`, unless control does not reach it.
fn assign<T: Data, X: To<T>>(out: Handle<T>, value: X) {
    if X::REACHED {
        operations::assign::<T>(out, value.to());
    }
}

impl<A: Valued, B: To<A::Value>> Merge<B> for A {
    type Output = Handle<A::Value>;
    fn selectable() -> bool {
        B::REACHED && operations::selectable::<A::Value>()
    }
    fn declare() -> Self::Output {
        operations::declare::<A::Value>()
    }
    fn assign_first(out: Self::Output, first: A) {
        assign::<A::Value, A>(out, first);
    }
    fn assign_second(out: Self::Output, second: B) {
        assign::<A::Value, B>(out, second);
    }
    fn select(condition: Var<bool>, first: A, second: B) -> Self::Output {
        operations::select::<A::Value>(condition, first.to(), second.to())
    }
}

impl<B: Valued> Merge<B> for Never {
    type Output = Handle<B::Value>;
    fn selectable() -> bool {
        false
    }
    fn declare() -> Self::Output {
        operations::declare::<B::Value>()
    }
    fn assign_first(_: Self::Output, _: Never) {}
    fn assign_second(out: Self::Output, second: B) {
        assign::<B::Value, B>(out, second);
    }
    fn select(_: Var<bool>, _: Never, second: B) -> Self::Output {
        <Never as Merge<B>>::from_second(second)
    }
}

impl Merge<Never> for Never {
    type Output = Never;
    fn selectable() -> bool {
        false
    }
    fn declare() -> Never {
        Never
    }
    fn assign_first(_: Never, _: Never) {}
    fn assign_second(_: Never, _: Never) {}
    fn select(_: Var<bool>, _: Never, _: Never) -> Never {
        Never
    }
}

macro_rules! host_merges {
    ($($t:ty)*) => {$(
        impl HostMerge<Var<$t>> for $t {
            type Output = Var<$t>;
            fn first(first: $t) -> Var<$t> {
                first.into_var()
            }
            fn second(second: Var<$t>) -> Var<$t> {
                second
            }
        }
    )*};
}

host_merges!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize f16 bf16 f32 f64);

/// Values of the two branches of an `if` on a host value, of which only one is staged.
#[diagnostic::on_unimplemented(
    message = "the branches of this `if` have types `{Self}` and `{B}`",
    label = "both branches need one type"
)]
pub trait HostMerge<B> {
    /// The value of the `if`.
    type Output;
    /// The first branch's value as the value of the `if`.
    fn first(first: Self) -> Self::Output;
    /// The second branch's value as the value of the `if`.
    fn second(second: B) -> Self::Output;
}

impl<T> HostMerge<T> for T {
    type Output = T;
    fn first(first: T) -> T {
        first
    }
    fn second(second: T) -> T {
        second
    }
}

impl<T: Scalar> HostMerge<T> for Var<T> {
    type Output = Var<T>;
    fn first(first: Var<T>) -> Var<T> {
        first
    }
    fn second(second: T) -> Var<T> {
        second.into_var()
    }
}
