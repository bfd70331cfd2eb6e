//! Minimum, maximum, absolute value and the like, on any numbers.

use crate::arithmetic::{from_f32, normalize, to_f32};
use crate::compare::Order;
use crate::current::here;
use crate::current::with;
use crate::number::Number;
use crate::operation::Operation;
use crate::operators::operate;
use crate::value::{Value, compute_type, integer, wrap};
use crate::var::{IntoVar, Var};
use lanework_ptx::ScalarType;

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

    /// The value clamped to `low..=high`; a NaN stays one.
    #[track_caller]
    pub fn clamp(self, low: impl IntoVar<T>, high: impl IntoVar<T>) -> Var<T> {
        let (low, high) = (low.into_var(), high.into_var());
        if T::SCALAR.is_float() {
            // `min` and `max` would turn a NaN into a bound.
            let raised = crate::merge::select::<T>(self.lt(low), low, self);
            return crate::merge::select::<T>(raised.gt(high), high, raised);
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
        None => crate::merge::select(condition, x, y),
    }
}
