//! The elementary functions of `lanework-math`, staged: what its algorithms compute with, as instructions.
//!
//! A number here is a [`Var`] that leaves the source position alone, so that the instructions of a
//! function belong to the line that called it.

use crate::arithmetic::{binary, negate, to_f32};
use crate::cast::cast;
use crate::compare::{Relation, relate};
use crate::control::branch;
use crate::current::with;
use crate::loops::repeat_while;
use crate::operation::Operation;
use crate::scalar::Scalar;
use crate::value::{Class, Value};
use crate::var::{Mut, Read, Var};
use lanework_math::algorithms::{TWO_OVER_PI_DOUBLE, TWO_OVER_PI_SINGLE};
use lanework_math::real::{Mask, MaskOf, Pair, Real, Short, Word};
use lanework_ptx::{Immediate, Initializer, Operand, ScalarType, StateSpace, Variable};
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

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

    fn var(self) -> Var<T> {
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
        Raw::new(with(|b| crate::arithmetic::not(b, ScalarType::Pred, self.0)))
    }
}

impl Mask for Raw<bool> {}

/// `mask ? x : y` for values of type `ty`.
fn choose(mask: Raw<bool>, ty: ScalarType, x: Value, y: Value) -> Value {
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

fn compare(relation: Relation, ty: ScalarType, x: Value, y: Value) -> Raw<bool> {
    Raw::new(with(|b| relate(b, relation, ty, x, y)))
}

/// `table[index]`, from constant memory.
fn look_up(name: &str, ty: ScalarType, table: Vec<i128>, index: Value) -> Value {
    with(|b| {
        let size = ty.size();
        let count = table.len() as u64;
        let init =
            table.into_iter().map(|word| Initializer::Value(Immediate::Integer(word))).collect();
        let init = Some(Initializer::List(init));
        let symbol = match b.globals.iter().find(|global| global.init == init) {
            Some(global) => global.name.clone(),
            None => {
                let symbol = b.unique(name);
                b.globals.push(Variable {
                    align: Some(size),
                    dims: vec![Some(count)],
                    init,
                    ..Variable::new(StateSpace::Const, ty, &symbol)
                });
                symbol
            }
        };
        let long = ScalarType::U64;
        let key = b.computation(&format!("address.{symbol}"), [].into_iter());
        let base = b.pure_operands(key, "mov.u64", long, vec![Operand::from(symbol.as_str())]);
        let offset = cast(b, index, ScalarType::U32, long);
        let offset = binary(b, Operation::Mul, long, offset, Value::Constant(size.into()));
        let address = binary(b, Operation::Add, long, base, offset);
        let key = b.computation("ld.const", [address].into_iter());
        let operand = match b.operand(address, long) {
            Operand::Name(register) => Operand::address(register, 0),
            other => other,
        };
        b.pure_operands(key, &format!("ld.const.{}", ty.name()), ty, vec![operand])
    })
}

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

/// A function of one argument, staged and on the host.
pub(crate) struct One {
    pub single: fn(Raw<f32>) -> Raw<f32>,
    pub double: fn(Raw<f64>) -> Raw<f64>,
    pub host_single: fn(f32) -> f32,
    pub host_double: fn(f64) -> f64,
}

/// A function of two arguments, staged and on the host.
pub(crate) struct Two {
    pub single: fn(Raw<f32>, Raw<f32>) -> Raw<f32>,
    pub double: fn(Raw<f64>, Raw<f64>) -> Raw<f64>,
    pub host_single: fn(f32, f32) -> f32,
    pub host_double: fn(f64, f64) -> f64,
}

/// The function at `x` of type `ty`: a constant's value is the host's, which has the same bits.
pub(crate) fn one(function: &One, ty: ScalarType, x: Value) -> Value {
    match (ty, x) {
        (ScalarType::F32, Value::Constant(bits)) => {
            Value::Constant((function.host_single)(f32::from_bits(bits as u32)).to_bits().into())
        }
        (ScalarType::F64, Value::Constant(bits)) => {
            Value::Constant((function.host_double)(f64::from_bits(bits)).to_bits())
        }
        (ScalarType::F32, _) => (function.single)(Raw::new(x)).0,
        (ScalarType::F64, _) => (function.double)(Raw::new(x)).0,
        _ => {
            let wide = with(|b| to_f32(b, ty, x));
            let wide = one(function, ScalarType::F32, wide);
            with(|b| cast(b, wide, ScalarType::F32, ty))
        }
    }
}

/// [`one`] for two arguments.
pub(crate) fn two(function: &Two, ty: ScalarType, x: Value, y: Value) -> Value {
    match (ty, x, y) {
        (ScalarType::F32, Value::Constant(x), Value::Constant(y)) => {
            let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
            Value::Constant((function.host_single)(x, y).to_bits().into())
        }
        (ScalarType::F64, Value::Constant(x), Value::Constant(y)) => {
            let (x, y) = (f64::from_bits(x), f64::from_bits(y));
            Value::Constant((function.host_double)(x, y).to_bits())
        }
        (ScalarType::F32, ..) => (function.single)(Raw::new(x), Raw::new(y)).0,
        (ScalarType::F64, ..) => (function.double)(Raw::new(x), Raw::new(y)).0,
        _ => {
            let (x, y) = with(|b| (to_f32(b, ty, x), to_f32(b, ty, y)));
            let wide = two(function, ScalarType::F32, x, y);
            with(|b| cast(b, wide, ScalarType::F32, ty))
        }
    }
}

macro_rules! staged {
    ($($(#[$doc:meta])* $constant:ident: $kind:ident $name:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) static $constant: $kind = $kind {
            single: lanework_math::algorithms::$name::<Raw<f32>>,
            double: lanework_math::algorithms::$name::<Raw<f64>>,
            host_single: lanework_math::$name::<f32>,
            host_double: lanework_math::$name::<f64>,
        };
    )*};
}

staged! {
    EXP: One exp;
    EXP2: One exp2;
    EXP_M1: One exp_m1;
    LN: One ln;
    LOG2: One log2;
    LOG10: One log10;
    LN_1P: One ln_1p;
    SIN: One sin;
    COS: One cos;
    TAN: One tan;
    ASIN: One asin;
    ACOS: One acos;
    ATAN: One atan;
    SINH: One sinh;
    COSH: One cosh;
    TANH: One tanh;
    ASINH: One asinh;
    ACOSH: One acosh;
    ATANH: One atanh;
    CBRT: One cbrt;
    ERF: One erf;
    ERFC: One erfc;
    ATAN2: Two atan2;
    POWF: Two powf;
    HYPOT: Two hypot;
    REM: Two rem;
    REM_EUCLID: Two rem_euclid;
    DIV_EUCLID: Two div_euclid;
}

/// The sine and the cosine of `x` of type `ty`, with one reduction.
pub(crate) fn sin_cos(ty: ScalarType, x: Value) -> (Value, Value) {
    use lanework_math::algorithms;
    match (ty, x) {
        (_, Value::Constant(_)) => (one(&SIN, ty, x), one(&COS, ty, x)),
        (ScalarType::F32, _) => {
            let (sin, cos) = algorithms::sin_cos(Raw::<f32>::new(x));
            (sin.0, cos.0)
        }
        (ScalarType::F64, _) => {
            let (sin, cos) = algorithms::sin_cos(Raw::<f64>::new(x));
            (sin.0, cos.0)
        }
        _ => {
            let wide = with(|b| to_f32(b, ty, x));
            let (sin, cos) = sin_cos(ScalarType::F32, wide);
            with(|b| (cast(b, sin, ScalarType::F32, ty), cast(b, cos, ScalarType::F32, ty)))
        }
    }
}

/// `x` of type `ty` to the power of an `i32`.
pub(crate) fn powi(ty: ScalarType, x: Value, exponent: Value) -> Value {
    use lanework_math::algorithms;
    let exponent = Raw::<u32>::new(exponent);
    match ty {
        ScalarType::F32 => algorithms::powi(Raw::<f32>::new(x), exponent).0,
        ScalarType::F64 => algorithms::powi(Raw::<f64>::new(x), exponent).0,
        _ => {
            let wide = with(|b| to_f32(b, ty, x));
            let power = algorithms::powi(Raw::<f32>::new(wide), exponent).0;
            with(|b| cast(b, power, ScalarType::F32, ty))
        }
    }
}
