//! `cmp`, `max`, `eq` and similar methods of values that are not numbers: tuples, arrays, `Option`s, `#[device]` structs and enums,
//! and values whose type is a type parameter. Numbers have methods of their own.

use crate::data::convert::{Given, To, Valued};
use crate::data::generic::InKernel;
use crate::data::leaves::{Data, Handle, Values};
use crate::emit::current::here;
use crate::flow::branch::branch;
use crate::library::option::OptionOf;
use crate::library::ordered::{Equal, Ordered, equal, ordered};
use crate::library::ordering::OrderingOf;
use crate::scalar::cast::Cast;
use crate::scalar::compare::Relation;
use crate::scalar::var::Var;
use std::cmp::Ordering;

/// The order of two comparable values.
pub(crate) fn order<T: Ordered>(first: Handle<T>, second: Handle<T>) -> OrderingOf<Values> {
    let above: Var<i8> = T::related(Relation::Gt, first, second).cast();
    let below: Var<i8> = T::related(Relation::Lt, first, second).cast();
    OrderingOf::of(above - below)
}

/// Whether the result of a `partial_cmp` is this relation.
#[track_caller]
pub fn is_relation(relation: Relation, order: impl To<Option<Ordering>>) -> Var<bool> {
    let order = order.to();
    let number = order.value;
    let holds = match relation {
        Relation::Eq => number.is_eq(),
        Relation::Ne => return !(order.some & number.is_eq()),
        Relation::Lt => number.is_lt(),
        Relation::Le => number.is_le(),
        Relation::Gt => number.is_gt(),
        Relation::Ge => number.is_ge(),
    };
    order.some & holds
}

/// The methods of `PartialEq` for values of any type: those of numbers are methods of their handles.
pub trait EqualMethods: InKernel + Valued<Value: Equal> {
    /// `self == other`.
    #[track_caller]
    fn eq(self, other: impl To<Self::Value>) -> Var<bool> {
        equal::<Self::Value>(Relation::Eq, self, other)
    }

    /// `self != other`.
    #[track_caller]
    fn ne(self, other: impl To<Self::Value>) -> Var<bool> {
        equal::<Self::Value>(Relation::Ne, self, other)
    }
}

impl<X: InKernel + Valued<Value: Equal>> EqualMethods for X {}

macro_rules! relations {
    ($($name:ident $relation:ident $text:literal;)*) => {$(
        #[doc = $text]
        #[track_caller]
        fn $name(self, other: impl To<Self::Value>) -> Var<bool> {
            ordered::<Self::Value>(Relation::$relation, self, other)
        }
    )*};
}

/// The methods of `PartialOrd` and `Ord` for values of any type.
pub trait OrderedMethods: InKernel + Valued<Value: Ordered> {
    relations! {
        lt Lt "`self < other`.";
        le Le "`self <= other`.";
        gt Gt "`self > other`.";
        ge Ge "`self >= other`.";
    }

    /// The order of two values.
    #[track_caller]
    fn cmp(self, other: impl To<Self::Value>) -> OrderingOf<Values>
    where
        Self::Value: Ord,
    {
        here();
        order::<Self::Value>(self.to(), other.to())
    }

    /// The order of two values; `None` if neither is less and they are not equal.
    #[track_caller]
    fn partial_cmp(self, other: impl To<Self::Value>) -> OptionOf<Values, Ordering> {
        here();
        let (first, second) = (self.to(), other.to());
        let below = Self::Value::related(Relation::Le, first, second);
        let above = Self::Value::related(Relation::Ge, first, second);
        OptionOf::new(below | above, order::<Self::Value>(first, second))
    }

    /// The larger value; of equal ones `other`.
    #[track_caller]
    fn max(self, other: impl To<Self::Value>) -> Handle<Self::Value> {
        here();
        let (first, second) = (self.to(), other.to());
        chosen::<Self::Value>(Self::Value::related(Relation::Gt, first, second), first, second)
    }

    /// The smaller value; of equal ones `self`.
    #[track_caller]
    fn min(self, other: impl To<Self::Value>) -> Handle<Self::Value> {
        here();
        let (first, second) = (self.to(), other.to());
        chosen::<Self::Value>(Self::Value::related(Relation::Gt, first, second), second, first)
    }

    /// The value, or the limit that it exceeds.
    #[track_caller]
    fn clamp(self, low: impl To<Self::Value>, high: impl To<Self::Value>) -> Handle<Self::Value> {
        here();
        let (value, low, high) = (self.to(), low.to(), high.to());
        let raised = Self::Value::related(Relation::Lt, value, low);
        let value = chosen::<Self::Value>(raised, low, value);
        let lowered = Self::Value::related(Relation::Gt, value, high);
        chosen::<Self::Value>(lowered, high, value)
    }
}

impl<X: InKernel + Valued<Value: Ordered>> OrderedMethods for X {}

/// `condition ? first : second`.
fn chosen<T: Data>(condition: Var<bool>, first: Handle<T>, second: Handle<T>) -> Handle<T> {
    branch(condition, || Given::<T>(first), || Given::<T>(second))
}
