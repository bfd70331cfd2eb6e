//! `==` and `<` of whole values, part by part, as the derives of Rust's library compare them: from the first part to the last.
//!
//! The attributes implement these traits for a `#[device]` struct or enum that derives `PartialEq` or `PartialOrd`, or has a
//! `#[device] impl` of one.

use crate::data::convert::To;
use crate::data::leaves::{Data, Handle};
use crate::emit::arithmetic::{Operation, binary, not};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::scalar::compare::{Relation, relate};
use crate::scalar::var::{Scalar, Var};
use lanework_ptx::ScalarType;

/// A type whose values a kernel can test for equality.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` cannot be compared in a kernel",
    label = "no `==` for `{Self}`",
    note = "put `#[derive(PartialEq)]` below #[device], or #[device] above its `impl PartialEq`"
)]
pub trait Equal: Data {
    /// `first == second`.
    #[doc(hidden)]
    fn equal(first: Handle<Self>, second: Handle<Self>) -> Var<bool>;
}

/// A type whose values have an order in a kernel.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` have no order in a kernel",
    label = "no `<` for `{Self}`",
    note = "put `#[derive(PartialEq, PartialOrd)]` below #[device], or #[device] above its `impl PartialOrd`"
)]
pub trait Ordered: Equal {
    /// `first < second`, or another relation than `==` and `!=`.
    #[doc(hidden)]
    fn related(relation: Relation, first: Handle<Self>, second: Handle<Self>) -> Var<bool>;
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Equal for T {
    fn equal(first: Var<T>, second: Var<T>) -> Var<bool> {
        Var::new(with(|b| relate(b, Relation::Eq, T::SCALAR, first.value, second.value)))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Ordered for T {
    fn related(relation: Relation, first: Var<T>, second: Var<T>) -> Var<bool> {
        Var::new(with(|b| match T::SCALAR {
            ScalarType::Pred => order_of_bools(b, relation, first.value, second.value),
            ty => relate(b, relation, ty, first.value, second.value),
        }))
    }
}

/// `false` is below `true`.
fn order_of_bools(b: &mut Builder, relation: Relation, x: Value, y: Value) -> Value {
    let ty = ScalarType::Pred;
    let (low, high, op) = match relation {
        Relation::Lt => (x, y, Operation::And),
        Relation::Gt => (y, x, Operation::And),
        Relation::Le => (x, y, Operation::Or),
        Relation::Ge => (y, x, Operation::Or),
        Relation::Eq | Relation::Ne => return relate(b, relation, ty, x, y),
    };
    let low = not(b, ty, low);
    binary(b, op, ty, low, high)
}

/// Whether all parts of two values are equal.
pub fn all_equal(parts: &[&dyn Fn() -> Var<bool>]) -> Var<bool> {
    parts.iter().fold(Var::constant(true), |all, part| all & part())
}

/// The relation of two values whose parts are compared from the first to the last. Each function returns whether its parts are
/// strictly related, and whether they are equal.
pub fn lexicographic(
    relation: Relation,
    parts: &[&dyn Fn(Relation) -> [Var<bool>; 2]],
) -> Var<bool> {
    let strict = match relation {
        Relation::Le => Relation::Lt,
        Relation::Ge => Relation::Gt,
        other => other,
    };
    // From the last part to the first: true if this part is less, or if it is equal and the result for the later parts is true.
    parts.iter().rev().fold(Var::constant(strict != relation), |rest, part| {
        let [less, equal] = part(strict);
        less | (equal & rest)
    })
}

/// Whether a part is strictly related to the other value's, and whether they are equal.
pub fn part<T: Ordered>(strict: Relation, first: Handle<T>, second: Handle<T>) -> [Var<bool>; 2] {
    [T::related(strict, first, second), T::equal(first, second)]
}

impl<T: 'static> Equal for std::marker::PhantomData<T> {
    fn equal(_: Self, _: Self) -> Var<bool> {
        Var::constant(true)
    }
}

impl<T: Equal, const N: usize> Equal for [T; N] {
    fn equal(first: Handle<Self>, second: Handle<Self>) -> Var<bool> {
        let pairs = first.into_iter().zip(second);
        pairs.fold(Var::constant(true), |all, (x, y)| all & T::equal(x, y))
    }
}

impl<T: Ordered, const N: usize> Ordered for [T; N] {
    fn related(relation: Relation, first: Handle<Self>, second: Handle<Self>) -> Var<bool> {
        let part = |k: usize| move |strict| part::<T>(strict, first[k], second[k]);
        let parts: Vec<_> = (0..N).map(part).collect();
        let parts: Vec<&dyn Fn(Relation) -> [Var<bool>; 2]> =
            parts.iter().map(|part| part as _).collect();
        lexicographic(relation, &parts)
    }
}

macro_rules! tuples {
    ($($($t:ident $i:tt),*;)*) => {$(
        impl<$($t: Equal),*> Equal for ($($t,)*) {
            #[allow(unused_variables)]
            fn equal(first: Handle<Self>, second: Handle<Self>) -> Var<bool> {
                all_equal(&[$(&|| $t::equal(first.$i, second.$i)),*])
            }
        }

        impl<$($t: Ordered),*> Ordered for ($($t,)*) {
            #[allow(unused_variables)]
            fn related(relation: Relation, first: Handle<Self>, second: Handle<Self>) -> Var<bool> {
                lexicographic(relation, &[$(&|strict| part::<$t>(strict, first.$i, second.$i)),*])
            }
        }
    )*};
}

tuples! {
    ;
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}

/// `first == second`, or `!=`.
#[track_caller]
pub fn equal<T: Equal>(relation: Relation, first: impl To<T>, second: impl To<T>) -> Var<bool> {
    here();
    let equal = T::equal(first.to(), second.to());
    if relation == Relation::Ne { !equal } else { equal }
}

/// `first < second`, or another relation than `==` and `!=`.
#[track_caller]
pub fn ordered<T: Ordered>(relation: Relation, first: impl To<T>, second: impl To<T>) -> Var<bool> {
    here();
    T::related(relation, first.to(), second.to())
}
