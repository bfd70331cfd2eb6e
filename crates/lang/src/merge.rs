//! Merging the values of the two branches of an `if`.

use crate::current::with;
use crate::scalar::Scalar;
use crate::value::{Value, extended};
use crate::var::{IntoVar, Var};
use half::{bf16, f16};
use lanework_ptx::ScalarType;

/// The value of a branch that never reaches its end (`return`, `break`, `continue`).
#[derive(Clone, Copy, Debug)]
pub struct Never;

/// Values of the two branches of a run-time `if` that merge into one.
#[diagnostic::on_unimplemented(
    message = "the branches of this `if` have types `{Self}` and `{B}`",
    label = "both branches need one type",
    note = "both branches of a run-time `if` give scalars of one type, or tuples or arrays of them"
)]
pub trait Merge<B>: Sized {
    /// The value of the `if`.
    type Output: Copy;
    /// Whether `select` exists.
    const SELECTABLE: bool;
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

fn declare<T: Scalar>() -> Var<T> {
    Var::new(Value::Register(with(|b| b.register(T::SCALAR, false))))
}

fn assign<T: Scalar>(out: Var<T>, value: impl IntoVar<T>) {
    let value = value.into_var().value;
    if let Value::Register(register) = out.value {
        with(|b| b.assign(register, value, T::SCALAR));
    }
}

/// `condition ? x : y` without a branch.
pub(crate) fn select<T: Scalar>(
    condition: Var<bool>,
    x: impl IntoVar<T>,
    y: impl IntoVar<T>,
) -> Var<T> {
    let (x, y) = (x.into_var().value, y.into_var().value);
    let (x, y) = (extended(x, T::SCALAR), extended(y, T::SCALAR));
    let ty = crate::value::Class::of(T::SCALAR).bits_type();
    let name = format!("selp.{}", ty.name());
    Var::new(with(|b| b.pure(&name, ty, &[(x, ty), (y, ty), (condition.value, ScalarType::Pred)])))
}

macro_rules! scalar_merge {
    ([$($generics:tt)*] $first:ty, $second:ty, $t:ty) => {
        impl<$($generics)*> Merge<$second> for $first {
            type Output = Var<$t>;
            const SELECTABLE: bool = !matches!(<$t as Scalar>::SCALAR, ScalarType::Pred);
            fn declare() -> Var<$t> {
                declare()
            }
            fn assign_first(out: Var<$t>, first: $first) {
                assign(out, first);
            }
            fn assign_second(out: Var<$t>, second: $second) {
                assign(out, second);
            }
            fn select(condition: Var<bool>, first: $first, second: $second) -> Var<$t> {
                select::<$t>(condition, first, second)
            }
        }
    };
}

scalar_merge!([T: Scalar] Var<T>, Var<T>, T);
scalar_merge!([T: Scalar] Var<T>, T, T);
scalar_merge!([T: Scalar] T, T, T);

macro_rules! value_merges {
    ($($t:ty)*) => {$(
        scalar_merge!([] $t, Var<$t>, $t);
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

value_merges!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize f16 bf16 f32 f64);

macro_rules! never_merges {
    ([$($generics:tt)*] $value:ty, $out:ty, $declare:expr, $assign:expr) => {
        impl<$($generics)*> Merge<Never> for $value {
            type Output = $out;
            const SELECTABLE: bool = false;
            fn declare() -> $out {
                $declare
            }
            fn assign_first(out: $out, first: $value) {
                $assign(out, first);
            }
            fn assign_second(_: $out, _: Never) {}
            fn select(_: Var<bool>, first: $value, _: Never) -> $out {
                <Self as Merge<Never>>::from_first(first)
            }
        }
        impl<$($generics)*> Merge<$value> for Never {
            type Output = $out;
            const SELECTABLE: bool = false;
            fn declare() -> $out {
                $declare
            }
            fn assign_first(_: $out, _: Never) {}
            fn assign_second(out: $out, second: $value) {
                $assign(out, second);
            }
            fn select(_: Var<bool>, _: Never, second: $value) -> $out {
                <Self as Merge<$value>>::from_second(second)
            }
        }
    };
}

never_merges!([T: Scalar] Var<T>, Var<T>, declare(), assign);
never_merges!([T: Scalar] T, Var<T>, declare(), assign);

impl Merge<()> for () {
    type Output = ();
    const SELECTABLE: bool = false;
    fn declare() {}
    fn assign_first((): (), (): ()) {}
    fn assign_second((): (), (): ()) {}
    fn select(_: Var<bool>, (): (), (): ()) {}
}

impl Merge<Never> for Never {
    type Output = Never;
    const SELECTABLE: bool = false;
    fn declare() -> Never {
        Never
    }
    fn assign_first(_: Never, _: Never) {}
    fn assign_second(_: Never, _: Never) {}
    fn select(_: Var<bool>, _: Never, _: Never) -> Never {
        Never
    }
}

macro_rules! tuple_merge {
    ($($a:ident $b:ident $i:tt),*) => {
        impl<$($a: Merge<$b>, $b),*> Merge<($($b,)*)> for ($($a,)*) {
            type Output = ($($a::Output,)*);
            const SELECTABLE: bool = $($a::SELECTABLE)&&*;
            fn declare() -> Self::Output {
                ($($a::declare(),)*)
            }
            fn assign_first(out: Self::Output, first: Self) {
                $($a::assign_first(out.$i, first.$i);)*
            }
            fn assign_second(out: Self::Output, second: ($($b,)*)) {
                $($a::assign_second(out.$i, second.$i);)*
            }
            fn select(c: Var<bool>, first: Self, second: ($($b,)*)) -> Self::Output {
                ($($a::select(c, first.$i, second.$i),)*)
            }
        }
    };
}

tuple_merge!(A1 B1 0, A2 B2 1);
tuple_merge!(A1 B1 0, A2 B2 1, A3 B3 2);
tuple_merge!(A1 B1 0, A2 B2 1, A3 B3 2, A4 B4 3);

impl<A: Merge<B>, B, const N: usize> Merge<[B; N]> for [A; N] {
    type Output = [A::Output; N];
    const SELECTABLE: bool = A::SELECTABLE;
    fn declare() -> Self::Output {
        std::array::from_fn(|_| A::declare())
    }
    fn assign_first(out: Self::Output, first: Self) {
        out.into_iter().zip(first).for_each(|(out, value)| A::assign_first(out, value));
    }
    fn assign_second(out: Self::Output, second: [B; N]) {
        out.into_iter().zip(second).for_each(|(out, value)| A::assign_second(out, value));
    }
    fn select(condition: Var<bool>, first: Self, second: [B; N]) -> Self::Output {
        let mut pairs = first.into_iter().zip(second);
        std::array::from_fn(|_| {
            let (x, y) = pairs.next().expect("both branches have N elements");
            A::select(condition, x, y)
        })
    }
}

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
