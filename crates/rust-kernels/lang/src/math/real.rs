//! Floats and words of the algorithms of `lanework-math`, as instructions.

use crate::emit::arithmetic::{Operation, binary, negate};
use crate::emit::current::with;
use crate::emit::value::Value;
use crate::flow::branch::branch;
use crate::flow::loops::repeat_while;
use crate::math::staged::{Raw, choose, compare, look_up};
use crate::scalar::cast::cast;
use crate::scalar::compare::Relation;
use crate::scalar::var::{Mut, Read, Scalar};
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

macro_rules! word {
    ($t:ident, $signed:ident) => {
        impl Word for Raw<$t> {
            type Mask = Raw<bool>;
            type Short = Raw<u32>;
            type Entry = $t;
            fn constant(bits: u64) -> Self {
                Raw::new(Value::Constant((bits as $t).into()))
            }
            fn shl(self, by: Raw<u32>) -> Self {
                Raw::new(with(|b| binary(b, Operation::Shl, $t::SCALAR, self.0, by.0)))
            }
            fn shr(self, by: Raw<u32>) -> Self {
                Raw::new(with(|b| binary(b, Operation::Shr, $t::SCALAR, self.0, by.0)))
            }
            fn sar(self, by: Raw<u32>) -> Self {
                Raw::new(with(|b| binary(b, Operation::Shr, $signed::SCALAR, self.0, by.0)))
            }
            fn mul_high(self, other: Self) -> Self {
                let ty = $t::SCALAR;
                let name = format!("mul.hi.{}", ty.name());
                Raw::new(with(|b| b.pure(&name, ty, &[(self.0, ty), (other.0, ty)])))
            }
            fn rem(self, other: Self) -> Self {
                Raw::new(with(|b| binary(b, Operation::Rem, $t::SCALAR, self.0, other.0)))
            }
            fn leading_zeros(self) -> Raw<u32> {
                let ty = $t::SCALAR;
                let name = format!("clz.b{}", 8 * ty.size());
                Raw::new(with(|b| b.pure(&name, ScalarType::U32, &[(self.0, ty)])))
            }
            fn eq(self, other: Self) -> Raw<bool> {
                compare(Relation::Eq, $t::SCALAR, self.0, other.0)
            }
            fn below(self, other: Self) -> Raw<bool> {
                compare(Relation::Lt, $t::SCALAR, self.0, other.0)
            }
            fn less(self, other: Self) -> Raw<bool> {
                compare(Relation::Lt, $signed::SCALAR, self.0, other.0)
            }
            fn where_else(self, mask: Raw<bool>, other: Self) -> Self {
                Raw::new(choose(mask, $t::SCALAR, self.0, other.0))
            }
            fn short(self) -> Raw<u32> {
                Raw::new(with(|b| cast(b, self.0, $t::SCALAR, ScalarType::U32)))
            }
            fn extended(short: Raw<u32>) -> Self {
                Raw::new(with(|b| cast(b, short.0, ScalarType::U32, $t::SCALAR)))
            }
            fn look_up(table: &'static [$t], index: Raw<u32>) -> Self {
                let words = table.iter().map(|word| i128::from(*word)).collect();
                Raw::new(look_up("table", $t::SCALAR, words, index.0))
            }
            fn repeat<const N: usize>(
                state: [Self; N],
                go: impl Fn([Self; N]) -> Raw<bool>,
                step: impl Fn([Self; N]) -> [Self; N],
            ) -> [Self; N] {
                let variables = state.map(|value| {
                    let variable = Mut::<$t>::uninit();
                    variable.assign(value.var());
                    variable
                });
                let now = || variables.map(|variable| Raw::new(variable.view().value));
                repeat_while(
                    None,
                    || go(now()).var(),
                    || {
                        let next = step(now()).map(|value| Read::copy(value.var()));
                        for (variable, value) in variables.iter().zip(next) {
                            variable.assign(value);
                        }
                    },
                );
                now()
            }
        }
    };
}

word!(u32, i32);
word!(u64, i64);
