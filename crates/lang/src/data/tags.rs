//! Comparison of enums without data.

use super::operations::values;
use super::{Data, To, leaves};
use crate::arithmetic::binary;
use crate::compare::{Relation, relate};
use crate::current::{here, with};
use crate::operation::Operation;
use crate::value::Value;
use crate::var::Var;
use lanework_ptx::ScalarType;

/// Whether two values of an enum are the same variant.
#[track_caller]
pub fn same_tag<T: Data>(first: impl To<T>, second: impl To<T>) -> Var<bool> {
    here();
    let (first, second) = (values::<T>(first.to()), values::<T>(second.to()));
    let equal = with(|b| {
        let mut equal = Value::Constant(1);
        for ((x, y), leaf) in first.into_iter().zip(second).zip(leaves::<T>()) {
            let same = relate(b, Relation::Eq, leaf.ty, x, y);
            equal = binary(b, Operation::And, ScalarType::Pred, equal, same);
        }
        equal
    });
    Var::new(equal)
}
