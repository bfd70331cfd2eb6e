//! Words of the algorithms of `lanework-math`, as instructions.

use super::raw::{Raw, choose, compare};
use super::table::look_up;
use crate::arithmetic::binary;
use crate::cast::cast;
use crate::compare::Relation;
use crate::current::with;
use crate::loops::repeat_while;
use crate::operation::Operation;
use crate::scalar::Scalar;
use crate::value::Value;
use crate::var::{Mut, Read};
use lanework_math::real::Word;
use lanework_ptx::ScalarType;

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
