//! Floats of the algorithms of `lanework-math`, as instructions.

use super::raw::{Raw, choose, compare};
use super::table::look_up;
use crate::arithmetic::negate;
use crate::cast::cast;
use crate::compare::Relation;
use crate::control::branch;
use crate::current::with;
use crate::scalar::Scalar;
use crate::value::Value;
use lanework_math::algorithms::{TWO_OVER_PI_DOUBLE, TWO_OVER_PI_SINGLE};
use lanework_math::real::{MaskOf, Pair, Real, Short, Word};
use lanework_ptx::ScalarType;
use std::ops::Neg;

/// The bits of a float, or a float of these bits.
fn reinterpret(value: Value, from: ScalarType, to: ScalarType) -> Value {
    match value {
        Value::Constant(_) => value,
        _ => {
            let name = if to.size() == 8 { "mov.b64" } else { "mov.b32" };
            with(|b| b.pure(name, to, &[(value, from)]))
        }
    }
}

macro_rules! real {
    ($t:ident, $bits:ident, $double:literal, $field:ident, $table:ident) => {
        impl Neg for Raw<$t> {
            type Output = Self;
            fn neg(self) -> Self {
                Raw::new(with(|b| negate(b, $t::SCALAR, self.0)))
            }
        }

        impl Real for Raw<$t> {
            type Bits = Raw<$bits>;
            const DOUBLE: bool = $double;
            fn constant(value: Pair) -> Self {
                Raw::new(Value::Constant(value.$field.to_bits().into()))
            }
            fn two_over_pi(index: Raw<u32>) -> Raw<$bits> {
                let words = $table.iter().map(|word| i128::from(*word)).collect();
                Raw::new(look_up("two_over_pi", $bits::SCALAR, words, index.0))
            }
            fn fma(self, a: Self, b: Self) -> Self {
                let ty = $t::SCALAR;
                let name = format!("fma.rn.{}", ty.name());
                Raw::new(with(|builder| {
                    builder.pure(&name, ty, &[(self.0, ty), (a.0, ty), (b.0, ty)])
                }))
            }
            fn sqrt(self) -> Self {
                let ty = $t::SCALAR;
                Raw::new(with(|b| b.pure(&format!("sqrt.rn.{}", ty.name()), ty, &[(self.0, ty)])))
            }
            fn abs(self) -> Self {
                let ty = $t::SCALAR;
                Raw::new(with(|b| b.pure(&format!("abs.{}", ty.name()), ty, &[(self.0, ty)])))
            }
            fn trunc(self) -> Self {
                let ty = $t::SCALAR;
                Raw::new(with(|b| {
                    b.pure(&format!("cvt.rzi.{0}.{0}", ty.name()), ty, &[(self.0, ty)])
                }))
            }
            fn eq(self, other: Self) -> Raw<bool> {
                compare(Relation::Eq, $t::SCALAR, self.0, other.0)
            }
            fn lt(self, other: Self) -> Raw<bool> {
                compare(Relation::Lt, $t::SCALAR, self.0, other.0)
            }
            fn le(self, other: Self) -> Raw<bool> {
                compare(Relation::Le, $t::SCALAR, self.0, other.0)
            }
            fn where_else(self, mask: Raw<bool>, other: Self) -> Self {
                Raw::new(choose(mask, $t::SCALAR, self.0, other.0))
            }
            fn branch(
                mask: MaskOf<Self>,
                first: impl FnOnce() -> Self,
                second: impl FnOnce() -> Self,
            ) -> Self {
                let value = branch(mask.var(), || first().var(), || second().var());
                Raw::new(value.value)
            }
            fn branch_parts(
                mask: MaskOf<Self>,
                first: impl FnOnce() -> (Self, Self, Short<Self>),
                second: impl FnOnce() -> (Self, Self, Short<Self>),
            ) -> (Self, Self, Short<Self>) {
                let vars = |(x, y, q): (Self, Self, Short<Self>)| (x.var(), y.var(), q.var());
                let (x, y, q) = branch(mask.var(), || vars(first()), || vars(second()));
                (Raw::new(x.value), Raw::new(y.value), Raw::new(q.value))
            }
            fn to_bits(self) -> Raw<$bits> {
                Raw::new(reinterpret(self.0, $t::SCALAR, $bits::SCALAR))
            }
            fn from_bits(bits: Raw<$bits>) -> Self {
                Raw::new(reinterpret(bits.0, $bits::SCALAR, $t::SCALAR))
            }
            fn high(self) -> Raw<u32> {
                if $double {
                    self.to_bits().shr(Raw::<u32>::constant(32)).short()
                } else {
                    self.to_bits().short()
                }
            }
            fn with_high(self, high: Raw<u32>) -> Self {
                if $double {
                    let low = self.to_bits() & Word::constant(u64::from(u32::MAX));
                    let high = Raw::<$bits>::extended(high).shl(Raw::<u32>::constant(32));
                    Self::from_bits(high | low)
                } else {
                    Self::from_bits(Word::extended(high))
                }
            }
            fn from_high(high: Raw<u32>) -> Self {
                let high = Raw::<$bits>::extended(high);
                let by = if $double { 32 } else { 0 };
                Self::from_bits(high.shl(Raw::<u32>::constant(by)))
            }
            fn low(self) -> Raw<u32> {
                self.to_bits().short()
            }
            fn from_short(integer: Raw<u32>) -> Self {
                Raw::new(with(|b| cast(b, integer.0, ScalarType::S32, $t::SCALAR)))
            }
        }
    };
}

real!(f32, u32, false, single, TWO_OVER_PI_SINGLE);
real!(f64, u64, true, double, TWO_OVER_PI_DOUBLE);
