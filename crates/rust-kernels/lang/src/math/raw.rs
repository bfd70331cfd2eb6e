//! A number of the algorithms of `lanework-math` as an instruction's result, with its operators.
//!
//! It is a [`Var`] that leaves the source position alone, so that the instructions of a
//! function belong to the line that called it.

use crate::arithmetic::{binary, not};
use crate::compare::{Relation, relate};
use crate::current::with;
use crate::operation::Operation;
use crate::scalar::Scalar;
use crate::value::{Class, Value};
use crate::var::Var;
use lanework_math::real::Mask;
use lanework_ptx::ScalarType;
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Sub};

/// A value of type `T` in an algorithm.
pub(crate) struct Raw<T>(pub Value, PhantomData<fn() -> T>);

impl<T> Clone for Raw<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Raw<T> {}

impl<T> Raw<T> {
    /// The value.
    pub fn new(value: Value) -> Self {
        Raw(value, PhantomData)
    }

    /// The same as a kernel's value.
    pub fn var(self) -> Var<T> {
        Var::new(self.0)
    }
}

macro_rules! binary_operators {
    ($($t:ty)*: $($trait:ident $method:ident $op:ident),*) => {
        binary_operators!(@rows [$($t)*] $(($trait $method $op))*);
    };
    (@rows $types:tt $($row:tt)*) => { $(binary_operators!(@row $types $row);)* };
    (@row [$($t:ty)*] ($trait:ident $method:ident $op:ident)) => {$(
        impl $trait for Raw<$t> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Raw::new(with(|b| binary(b, Operation::$op, <$t>::SCALAR, self.0, other.0)))
            }
        }
    )*};
}

binary_operators!(u32 u64 f32 f64: Add add Add, Sub sub Sub, Mul mul Mul);
binary_operators!(f32 f64: Div div Div);
binary_operators!(bool u32 u64: BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

impl Not for Raw<bool> {
    type Output = Self;
    fn not(self) -> Self {
        Raw::new(with(|b| not(b, ScalarType::Pred, self.0)))
    }
}

impl Mask for Raw<bool> {}

/// `mask ? x : y` for values of type `ty`.
pub(super) fn choose(mask: Raw<bool>, ty: ScalarType, x: Value, y: Value) -> Value {
    match mask.0 {
        Value::Constant(0) => y,
        Value::Constant(_) => x,
        _ if x == y => x,
        mask => with(|b| {
            let ty = Class::of(ty).bits_type();
            b.pure(
                &format!("selp.{}", ty.name()),
                ty,
                &[(x, ty), (y, ty), (mask, ScalarType::Pred)],
            )
        }),
    }
}

/// Whether `x` and `y` of type `ty` are in this relation.
pub(super) fn compare(relation: Relation, ty: ScalarType, x: Value, y: Value) -> Raw<bool> {
    Raw::new(with(|b| relate(b, relation, ty, x, y)))
}
