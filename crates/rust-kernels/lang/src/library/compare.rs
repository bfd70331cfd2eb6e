//! Comparison of whole values: enums, structs, tuples, arrays, `Option`s.
//!
//! Comparisons as the macros write them: `(&&Compare(left, right)).less(..)`.
//!
//! Four traits share their methods' names. Each is implemented for another number of references, so method lookup
//! takes the first that fits: numbers of one type (so that a literal gets its type from the other side,
//! as in Rust); whole values of one type; integers of two types; any other operands, for which the trait's error message lists
//! comparable types. Integers of two types are compared by value: `-1i32` is less than `0u32`, and no
//! operand is truncated to the other's width.

use crate::data::convert::{To, Valued};
use crate::data::leaves::{Data, Leaf, leaves};
use crate::data::operations::values;
use crate::emit::arithmetic::{Operation, binary, not};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Value, integer, wrap};
use crate::library::ordered::{Equal, Ordered, equal, ordered};
use crate::scalar::cast::cast;
use crate::scalar::compare::{Equate, Order, Relation, relate};
use crate::scalar::number::Integer;
use crate::scalar::var::Var;
use lanework_ptx::ScalarType;

const PRED: ScalarType = ScalarType::Pred;

/// Whether two values are equal: compares all scalars except the scalars of a `None` and of inactive
/// variants.
#[track_caller]
pub fn same<T: Data>(first: impl To<T>, second: impl To<T>) -> Var<bool> {
    here();
    let (first, second) = (values::<T>(first.to()), values::<T>(second.to()));
    let leaves = leaves::<T>();
    Var::new(with(|b| {
        let mut equal = Value::Constant(1);
        for (at, leaf) in leaves.iter().enumerate() {
            let mut one = relate(b, Relation::Eq, leaf.ty, first[at], second[at]);
            if let Some(held) = held(b, &leaves, &first, leaf) {
                let empty = not(b, PRED, held);
                one = binary(b, Operation::Or, PRED, one, empty);
            }
            equal = binary(b, Operation::And, PRED, equal, one);
        }
        equal
    }))
}

/// Whether every `Option` and variant around a scalar is active; `None` if no `Option` or variant is
/// around it.
fn held(b: &mut Builder, leaves: &[Leaf], values: &[Value], leaf: &Leaf) -> Option<Value> {
    let (flag, number) = leaf.flag?;
    let own = match leaves[flag].ty {
        PRED => values[flag],
        ty => relate(b, Relation::Eq, ty, values[flag], Value::Constant(number)),
    };
    match held(b, leaves, values, &leaves[flag]) {
        Some(outer) => Some(binary(b, Operation::And, PRED, outer, own)),
        None => Some(own),
    }
}

/// The two sides of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Compare<L, R>(pub L, pub R);

/// Integers of any two types, compared as numbers.
pub trait Mixed<R>: Copy {
    /// `bool` or `Var<bool>`.
    type Output;
    #[doc(hidden)]
    fn relation(self, relation: Relation, other: R) -> Self::Output;
}

impl<A: Integer, B: Integer> Mixed<Var<B>> for Var<A> {
    type Output = Var<bool>;
    #[track_caller]
    fn relation(self, relation: Relation, other: Var<B>) -> Var<bool> {
        here();
        let (x, y) = ((self.value, A::SCALAR), (other.value, B::SCALAR));
        Var::new(with(|b| relate_mixed(b, relation, x, y)))
    }
}

impl<A: Integer, B: Integer> Mixed<B> for Var<A> {
    type Output = Var<bool>;
    #[track_caller]
    fn relation(self, relation: Relation, other: B) -> Var<bool> {
        self.relation(relation, Var::constant(other))
    }
}

impl<A: Integer, B: Integer> Mixed<Var<B>> for A {
    type Output = Var<bool>;
    #[track_caller]
    fn relation(self, relation: Relation, other: Var<B>) -> Var<bool> {
        Var::constant(self).relation(relation, other)
    }
}

impl<A: Integer, B: Integer> Mixed<B> for A {
    type Output = bool;
    fn relation(self, relation: Relation, other: B) -> bool {
        let (x, y) = (integer(self.bits(), A::SCALAR), integer(other.bits(), B::SCALAR));
        relation.holds(Some(x.cmp(&y)))
    }
}

/// `x relation y` for integers of two types.
fn relate_mixed(
    b: &mut Builder,
    relation: Relation,
    (x, tx): (Value, ScalarType),
    (y, ty): (Value, ScalarType),
) -> Value {
    match (x, y) {
        (Value::Constant(a), Value::Constant(c)) => {
            let order = integer(a, tx).cmp(&integer(c, ty));
            return Value::Constant(relation.holds(Some(order)).into());
        }
        (Value::Constant(_), _) => {
            return relate_mixed(b, relation.mirrored(), (y, ty), (x, tx));
        }
        (_, Value::Constant(bits)) => {
            let number = integer(bits, ty);
            let same = wrap(number, tx);
            if integer(same, tx) == number {
                return relate(b, relation, tx, x, Value::Constant(same));
            }
            // The constant is outside `x`'s range.
            let order = 0.cmp(&number);
            return Value::Constant(relation.holds(Some(order)).into());
        }
        _ => {}
    }
    if tx.is_signed() == ty.is_signed() {
        let wide = if tx.size() >= ty.size() { tx } else { ty };
        let (x, y) = (cast(b, x, tx, wide), cast(b, y, ty, wide));
        return relate(b, relation, wide, x, y);
    }
    if !tx.is_signed() {
        return relate_mixed(b, relation.mirrored(), (y, ty), (x, tx));
    }
    // `x` is signed, `y` is not.
    if tx.size() > ty.size() {
        let y = cast(b, y, ty, tx);
        return relate(b, relation, tx, x, y);
    }
    if ty.size() < 8 {
        let wide = ScalarType::S64;
        let (x, y) = (cast(b, x, tx, wide), cast(b, y, ty, wide));
        return relate(b, relation, wide, x, y);
    }
    let negative = relate(b, Relation::Lt, tx, x, Value::Constant(0));
    let magnitude = cast(b, x, tx, ty);
    let related = relate(b, relation, ty, magnitude, y);
    let predicate = ScalarType::Pred;
    match relation {
        Relation::Lt | Relation::Le | Relation::Ne => {
            binary(b, Operation::Or, predicate, negative, related)
        }
        Relation::Gt | Relation::Ge | Relation::Eq => {
            let positive = not(b, predicate, negative);
            binary(b, Operation::And, predicate, positive, related)
        }
    }
}

macro_rules! levels {
    ($($method:ident $plain:ident $relation:ident $trait:ident $function:ident $bound:ident $same:ident $whole:ident $any:ident $other:ident;)*) => {$(
        /// Operands of one type.
        pub trait $same: Copy {
            /// `bool` or `Var<bool>`.
            type Output;
            /// The comparison.
            #[must_use]
            fn $method(self) -> Self::Output;
        }

        impl<L: $trait<R> + Copy, R: Copy> $same for &&Compare<L, R> {
            type Output = L::Output;
            #[track_caller]
            fn $method(self) -> L::Output {
                self.0.$plain(self.1)
            }
        }

        /// Whole values of one type, at least one a run-time value.
        pub trait $whole: Copy {
            /// The comparison.
            #[must_use]
            fn $method(self) -> Var<bool>;
        }

        impl<L: Valued<Value: $bound> + Copy, R: To<L::Value> + Copy> $whole for &&&Compare<L, R> {
            #[track_caller]
            fn $method(self) -> Var<bool> {
                $function::<L::Value>(Relation::$relation, self.0, self.1)
            }
        }

        /// Integers of two types.
        pub trait $any: Copy {
            /// `bool` or `Var<bool>`.
            type Output;
            /// The comparison.
            #[must_use]
            fn $method(self) -> Self::Output;
        }

        impl<L: Mixed<R>, R: Copy> $any for &Compare<L, R> {
            type Output = L::Output;
            #[track_caller]
            fn $method(self) -> L::Output {
                self.0.relation(Relation::$relation, self.1)
            }
        }

        /// Operands that cannot be compared; the error says so.
        pub trait $other<L, R>: Copy {
            /// The comparison.
            #[must_use]
            fn $method(self) -> L::Output
            where
                L: $trait<R>;
        }

        impl<L: Copy, R: Copy> $other<L, R> for Compare<L, R> {
            #[track_caller]
            fn $method(self) -> L::Output
            where
                L: $trait<R>,
            {
                self.0.$plain(self.1)
            }
        }
    )*};
}

levels! {
    is_equal eq Eq Equate equal Equal SameEqual WholeEqual AnyEqual OtherEqual;
    is_unequal ne Ne Equate equal Equal SameUnequal WholeUnequal AnyUnequal OtherUnequal;
    is_less lt Lt Order ordered Ordered SameLess WholeLess AnyLess OtherLess;
    is_at_most le Le Order ordered Ordered SameAtMost WholeAtMost AnyAtMost OtherAtMost;
    is_greater gt Gt Order ordered Ordered SameGreater WholeGreater AnyGreater OtherGreater;
    is_at_least ge Ge Order ordered Ordered SameAtLeast WholeAtLeast AnyAtLeast OtherAtLeast;
}
