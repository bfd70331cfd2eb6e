//! Rust's operators on handles, and on a handle with an ordinary value of the same type.

use crate::arithmetic::{binary, negate, not};
use crate::current::{here, with};
use crate::math;
use crate::number::{Integer, Number};
use crate::operation::Operation;
use crate::scalar::{Bits, Scalar};
use crate::value::Value;
use crate::var::{IntoVar, Var};
use half::{bf16, f16};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

/// `x op y`, both of type `T`.
#[track_caller]
pub(crate) fn operate<T: Scalar>(op: Operation, x: impl IntoVar<T>, y: impl IntoVar<T>) -> Var<T> {
    here();
    let (x, y) = (x.into_var(), y.into_var());
    if op == Operation::Rem && T::SCALAR.is_float() {
        return Var::new(math::two(&math::REM, T::SCALAR, x.value, y.value));
    }
    Var::new(with(|b| binary(b, op, T::SCALAR, x.value, y.value)))
}

macro_rules! handle_operators {
    ($bound:ident: $($trait:ident $method:ident),*) => {$(
        impl<T: $bound> $trait<Var<T>> for Var<T> {
            type Output = Var<T>;
            #[track_caller]
            fn $method(self, other: Var<T>) -> Var<T> {
                operate(Operation::$trait, self, other)
            }
        }
        impl<T: $bound> $trait<T> for Var<T> {
            type Output = Var<T>;
            #[track_caller]
            fn $method(self, other: T) -> Var<T> {
                operate(Operation::$trait, self, other)
            }
        }
    )*};
}

handle_operators!(Number: Add add, Sub sub, Mul mul, Div div, Rem rem);

macro_rules! value_operators {
    ($($t:ty)*: $($trait:ident $method:ident $op:ident),*) => {
        value_operators!(@rows [$($t)*] $(($trait $method $op))*);
    };
    (@rows $types:tt $($row:tt)*) => { $(value_operators!(@row $types $row);)* };
    (@row [$($t:ty)*] ($trait:ident $method:ident $op:ident)) => {$(
        impl $trait<Var<$t>> for $t {
            type Output = Var<$t>;
            #[track_caller]
            fn $method(self, other: Var<$t>) -> Var<$t> {
                operate(Operation::$op, self, other)
            }
        }
    )*};
}

value_operators!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize f16 bf16 f32 f64:
    Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, Rem rem Rem);
value_operators!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize:
    BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

macro_rules! bit_operators {
    ($($trait:ident $method:ident $op:ident),*) => {$(
        impl<T: Bits> $trait<Var<T>> for Var<T> {
            type Output = Var<T>;
            #[track_caller]
            fn $method(self, other: Var<T>) -> Var<T> {
                operate(Operation::$op, self, other)
            }
        }
        impl<T: Bits> $trait<T> for Var<T> {
            type Output = Var<T>;
            #[track_caller]
            fn $method(self, other: T) -> Var<T> {
                operate(Operation::$op, self, other)
            }
        }
    )*};
}

bit_operators!(BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

/// `x << y` or `x >> y`; the amount may be of any integer type.
#[track_caller]
fn shift<T: Integer, S: Integer>(op: Operation, x: impl IntoVar<T>, y: impl IntoVar<S>) -> Var<T> {
    here();
    let (x, y) = (x.into_var().value, y.into_var().value);
    Var::new(with(|b| {
        let amount = match y {
            Value::Constant(bits) => Value::Constant(bits & u64::from(u32::MAX)),
            _ if S::SCALAR.size() == 8 => {
                b.pure("cvt.u32.u64", lanework_ptx::ScalarType::U32, &[(y, S::SCALAR)])
            }
            _ => y,
        };
        binary(b, op, T::SCALAR, x, amount)
    }))
}

macro_rules! shifts {
    ($($trait:ident $method:ident),*) => {$(
        impl<T: Integer, S: Integer> $trait<Var<S>> for Var<T> {
            type Output = Var<T>;
            #[track_caller]
            fn $method(self, amount: Var<S>) -> Var<T> {
                shift(Operation::$trait, self, amount)
            }
        }
        impl<T: Integer, S: Integer> $trait<S> for Var<T> {
            type Output = Var<T>;
            #[track_caller]
            fn $method(self, amount: S) -> Var<T> {
                shift(Operation::$trait, self, amount)
            }
        }
    )*};
}

shifts!(Shl shl, Shr shr);

macro_rules! value_shifts {
    ($($t:ty)*) => {$(
        impl<S: Integer> Shl<Var<S>> for $t {
            type Output = Var<$t>;
            #[track_caller]
            fn shl(self, amount: Var<S>) -> Var<$t> {
                shift(Operation::Shl, self, amount)
            }
        }
        impl<S: Integer> Shr<Var<S>> for $t {
            type Output = Var<$t>;
            #[track_caller]
            fn shr(self, amount: Var<S>) -> Var<$t> {
                shift(Operation::Shr, self, amount)
            }
        }
    )*};
}

value_shifts!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

impl<T: Number> Neg for Var<T> {
    type Output = Var<T>;
    #[track_caller]
    fn neg(self) -> Var<T> {
        here();
        Var::new(with(|b| negate(b, T::SCALAR, self.value)))
    }
}

impl<T: Bits> Not for Var<T> {
    type Output = Var<T>;
    #[track_caller]
    fn not(self) -> Var<T> {
        here();
        Var::new(with(|b| not(b, T::SCALAR, self.value)))
    }
}
