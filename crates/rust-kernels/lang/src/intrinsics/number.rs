//! Minimum, maximum, absolute value and similar functions for all number types, and Rust's operators on handles, including
//! those with an ordinary value on one side.

use crate::emit::arithmetic::{Operation, binary, from_f32, negate, normalize, not, to_f32};
use crate::emit::current::{here, with};
use crate::emit::value::{Value, compute_type, integer, wrap};
use crate::math::staged;
use crate::scalar::compare::Order;
use crate::scalar::number::{Integer, Number};
use crate::scalar::operands::{
    AddOperand, Adds, AndOperand, Ands, DivOperand, Divides, MulOperand, Multiplies, OrOperand,
    Ors, RemOperand, Remains, SubOperand, Subtracts, XorOperand, Xors,
};
use crate::scalar::var::{Bits, IntoVar, Scalar, Var};
use half::{bf16, f16};
use lanework_ptx::ScalarType;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[i32], out: &mut [i32]) {
///     let i = thread_idx.x;
///     // `select` computes both sides and takes one, without a branch.
///     out[i] = x[i].clamp(-2, 2).max(x[i].abs().min(1)) + select(x[i] < 0, 10, max(20, 3));
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[-5i32, 5])?;
/// # let mut out = device.zeros::<i32>(2)?;
/// # example(&x, &mut out).grid(1).block(2).launch(&device)?;
/// assert_eq!(out.download()?, [1 + 10, 2 + 20]);
/// # Ok::<(), lanework::Error>(())
/// ```
impl<T: Number> Var<T> {
    /// The smaller value; for floats, the operand that is not NaN.
    #[track_caller]
    pub fn min(self, other: impl IntoVar<T>) -> Var<T> {
        operate(Operation::Min, self, other)
    }

    /// The larger value; for floats, the operand that is not NaN.
    #[track_caller]
    pub fn max(self, other: impl IntoVar<T>) -> Var<T> {
        operate(Operation::Max, self, other)
    }

    /// The value clamped to `low..=high`. A NaN remains a NaN.
    #[track_caller]
    pub fn clamp(self, low: impl IntoVar<T>, high: impl IntoVar<T>) -> Var<T> {
        let (low, high) = (low.into_var(), high.into_var());
        if T::SCALAR.is_float() {
            // `min` and `max` would turn a NaN into a bound.
            let raised = crate::flow::branch::select::<T>(self.lt(low), low, self);
            return crate::flow::branch::select::<T>(raised.gt(high), high, raised);
        }
        self.max(low).min(high)
    }

    /// The absolute value; the smallest signed integer stays unchanged.
    #[track_caller]
    pub fn abs(self) -> Var<T> {
        here();
        let ty = T::SCALAR;
        Var::new(with(|b| match (self.value, ty) {
            (Value::Constant(bits), _) if !ty.is_float() => {
                Value::Constant(wrap(integer(bits, ty).abs(), ty))
            }
            (value, ScalarType::F16 | ScalarType::Bf16) => {
                let wide = to_f32(b, ty, value);
                let single = ScalarType::F32;
                let wide = b.pure("abs.f32", single, &[(wide, single)]);
                from_f32(b, ty, wide)
            }
            (value, ScalarType::F32 | ScalarType::F64) => {
                b.pure(&format!("abs.{}", ty.name()), ty, &[(value, ty)])
            }
            (value, _) if ty.is_signed() => {
                let compute = compute_type(ty);
                let name = format!("abs.{}", compute.name());
                let magnitude = b.pure(&name, compute, &[(value, compute)]);
                normalize(b, ty, magnitude)
            }
            (value, _) => value,
        }))
    }
}

/// The smaller of two numbers.
#[track_caller]
pub fn min<T: Number>(x: impl IntoVar<T>, y: impl IntoVar<T>) -> Var<T> {
    x.into_var().min(y)
}

/// The larger of two numbers.
#[track_caller]
pub fn max<T: Number>(x: impl IntoVar<T>, y: impl IntoVar<T>) -> Var<T> {
    x.into_var().max(y)
}

/// The absolute value.
#[track_caller]
pub fn abs<T: Number>(x: impl IntoVar<T>) -> Var<T> {
    x.into_var().abs()
}

/// `condition ? x : y` without a branch; both are computed (`selp`).
#[track_caller]
pub fn select<T: Number>(
    condition: impl IntoVar<bool>,
    x: impl IntoVar<T>,
    y: impl IntoVar<T>,
) -> Var<T> {
    here();
    let condition = condition.into_var();
    match condition.known() {
        Some(true) => x.into_var(),
        Some(false) => y.into_var(),
        None => crate::flow::branch::select(condition, x, y),
    }
}

/// `x op y`, both of type `T`.
#[track_caller]
pub(crate) fn operate<T: Scalar>(op: Operation, x: impl IntoVar<T>, y: impl IntoVar<T>) -> Var<T> {
    here();
    Var::new(values(op, T::SCALAR, x.into_var().value, y.into_var().value))
}

/// `x op y` of values of one type.
fn values(op: Operation, scalar: ScalarType, x: Value, y: Value) -> Value {
    if op == Operation::Rem && scalar.is_float() {
        return staged::two(&staged::REM, scalar, x, y);
    }
    with(|b| binary(b, op, scalar, x, y))
}

macro_rules! handle_operators {
    ($($trait:ident $method:ident $operand:ident),*) => {$(
        impl<T, X: $operand<T>> $trait<X> for Var<T> {
            type Output = Var<T>;
            #[track_caller]
            fn $method(self, other: X) -> Var<T> {
                here();
                Var::new(values(Operation::$trait, X::SCALAR, self.value, other.operand().value))
            }
        }
    )*};
}

handle_operators!(
    Add add AddOperand, Sub sub SubOperand, Mul mul MulOperand, Div div DivOperand, Rem rem RemOperand
);

macro_rules! bit_operators {
    ($($trait:ident $method:ident $op:ident $operand:ident),*) => {$(
        impl<T, X: $operand<T>> $trait<X> for Var<T> {
            type Output = Var<T>;
            #[track_caller]
            fn $method(self, other: X) -> Var<T> {
                here();
                Var::new(values(Operation::$op, X::SCALAR, self.value, other.operand().value))
            }
        }
    )*};
}

bit_operators!(
    BitAnd bitand And AndOperand, BitOr bitor Or OrOperand, BitXor bitxor Xor XorOperand
);

macro_rules! value_operators {
    ($($t:ty)*: $($trait:ident $method:ident $op:ident $relation:ident),*) => {
        value_operators!(@rows [$($t)*] $(($trait $method $op $relation))*);
    };
    (@rows $types:tt $($row:tt)*) => { $(value_operators!(@row $types $row);)* };
    (@row [$($t:ty)*] ($trait:ident $method:ident $op:ident $relation:ident)) => {$(
        impl<U> $trait<Var<U>> for $t
        where
            $t: $relation<U>,
        {
            type Output = Var<$t>;
            #[track_caller]
            fn $method(self, other: Var<U>) -> Var<$t> {
                // The relation holds only between equal types.
                operate(Operation::$op, self, Var::<$t>::new(other.value))
            }
        }
    )*};
}

value_operators!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize f16 bf16 f32 f64:
    Add add Add Adds, Sub sub Sub Subtracts, Mul mul Mul Multiplies, Div div Div Divides,
    Rem rem Rem Remains);
value_operators!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize:
    BitAnd bitand And Ands, BitOr bitor Or Ors, BitXor bitxor Xor Xors);

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
