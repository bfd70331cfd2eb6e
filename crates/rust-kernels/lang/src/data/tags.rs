//! Comparison of whole values: enums, structs, tuples, arrays, `Option`s.

use super::operations::values;
use super::{Data, Leaf, To, leaves};
use crate::arithmetic::{binary, not};
use crate::builder::Builder;
use crate::compare::{Relation, relate};
use crate::current::{here, with};
use crate::operation::Operation;
use crate::value::Value;
use crate::var::Var;
use lanework_ptx::ScalarType;

const PRED: ScalarType = ScalarType::Pred;

/// Whether two values are equal: each scalar is, but those of an `Option` that holds nothing and of other variants.
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

/// Whether every `Option` and variant that a scalar is in holds it; `None` where it is in none.
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

/// Whether the first value is less, at most, greater or at least the second: by the first scalars
/// that differ. Not of values with an `Option`, whose scalars may mean nothing.
#[track_caller]
pub fn ordered<T: Data>(relation: Relation, first: impl To<T>, second: impl To<T>) -> Var<bool> {
    here();
    let (first, second) = (values::<T>(first.to()), values::<T>(second.to()));
    let leaves = leaves::<T>();
    let strict = match relation {
        Relation::Le => Relation::Lt,
        Relation::Ge => Relation::Gt,
        other => other,
    };
    Var::new(with(|b| {
        if leaves.iter().any(|leaf| leaf.flag.is_some() || leaf.ty == PRED) {
            b.error(
                "values with a `bool`, an `Option` or an enum with data have no order in a kernel",
                "compare their numbers one after the other",
            );
        }
        // From the last scalar to the first: less, or equal and what follows decides.
        let mut result = Value::Constant(u64::from(strict != relation));
        for (at, leaf) in leaves.iter().enumerate().rev() {
            let less = relate(b, strict, leaf.ty, first[at], second[at]);
            let equal = relate(b, Relation::Eq, leaf.ty, first[at], second[at]);
            let rest = binary(b, Operation::And, PRED, equal, result);
            result = binary(b, Operation::Or, PRED, less, rest);
        }
        result
    }))
}
