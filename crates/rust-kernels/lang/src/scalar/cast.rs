//! Conversions: `as` with Rust's meaning on host values and on handles, and promotion of ordinary values to run-time values
//! (`TILE.min(n - start)`, `1 << lane`).

use crate::emit::arithmetic::{from_f32, normalize, to_f32};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Value, compute_type, integer, is_narrow, wrap};
use crate::scalar::compare::{Relation, relate};
use crate::scalar::number::Integer;
use crate::scalar::var::{IntoVar, Scalar, Var};
use half::{bf16, f16};
use lanework_ptx::ScalarType;
use std::ops::{Shl, Shr};

/// `self as U`.
#[diagnostic::on_unimplemented(
    message = "this value cannot be cast to `{U}` in a kernel",
    label = "cannot be cast",
    note = "`as` converts between bool, u8 to u64, i8 to i64, usize, isize, f16, bf16, f32 and f64"
)]
pub trait Cast<U> {
    /// `U` or `Var<U>`.
    type Output;
    /// Converts as Rust's `as` does: integers wrap, floats saturate to integers.
    fn cast(self) -> Self::Output;
}

#[diagnostic::do_not_recommend]
impl<T: Scalar, U: Scalar> Cast<U> for T {
    type Output = U;
    fn cast(self) -> U {
        U::from_bits(convert(self.bits(), T::SCALAR, U::SCALAR))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar, U: Scalar> Cast<U> for Var<T> {
    type Output = Var<U>;
    #[track_caller]
    fn cast(self) -> Var<U> {
        here();
        Var::new(with(|b| cast(b, self.value, T::SCALAR, U::SCALAR)))
    }
}

/// A constant of type `from` converted to `to`.
fn convert(bits: u64, from: ScalarType, to: ScalarType) -> u64 {
    let wide = match from {
        ScalarType::F32 => f64::from(f32::from_bits(bits as u32)),
        ScalarType::F64 => f64::from_bits(bits),
        ScalarType::F16 => f16::from_bits(bits as u16).to_f64(),
        ScalarType::Bf16 => bf16::from_bits(bits as u16).to_f64(),
        _ => {
            let integral = integer(bits, from);
            return match to {
                ScalarType::F32 => (integral as f32).to_bits().into(),
                ScalarType::F64 => (integral as f64).to_bits(),
                ScalarType::F16 => f16::from_f32(rounded_to_odd(integral as f64)).to_bits().into(),
                ScalarType::Bf16 => {
                    bf16::from_f32(rounded_to_odd(integral as f64)).to_bits().into()
                }
                _ => wrap(integral, to),
            };
        }
    };
    match to {
        ScalarType::F32 => (wide as f32).to_bits().into(),
        ScalarType::F64 => wide.to_bits(),
        ScalarType::F16 => f16::from_f32(rounded_to_odd(wide)).to_bits().into(),
        ScalarType::Bf16 => bf16::from_f32(rounded_to_odd(wide)).to_bits().into(),
        ScalarType::U8 => (wide as u8).into(),
        ScalarType::U16 => (wide as u16).into(),
        ScalarType::U32 => (wide as u32).into(),
        ScalarType::S8 => u64::from(wide as i8 as u8),
        ScalarType::S16 => u64::from(wide as i16 as u16),
        ScalarType::S32 => u64::from(wide as i32 as u32),
        ScalarType::S64 => wide as i64 as u64,
        _ => wide as u64,
    }
}

/// `wide` as an `f32`, rounded to odd: truncated, with the last bit set if it was inexact. Rounding
/// the result to a narrower format then equals rounding `wide` directly (Boldo and Melquiond 2008).
fn rounded_to_odd(wide: f64) -> f32 {
    let nearest = wide as f32;
    if nearest.is_nan() || f64::from(nearest) == wide {
        return nearest;
    }
    let beyond = f64::from(nearest).abs() > wide.abs();
    f32::from_bits((nearest.to_bits() - u32::from(beyond)) | 1)
}

/// `x as to` for a value of type `from`.
pub(crate) fn cast(b: &mut Builder, x: Value, from: ScalarType, to: ScalarType) -> Value {
    if let Value::Constant(bits) = x {
        return Value::Constant(convert(bits, from, to));
    }
    if from == to {
        return x;
    }
    if from == ScalarType::Pred {
        let one = [(Value::Constant(1), ScalarType::U32), (Value::Constant(0), ScalarType::U32)];
        let word = b.pure("selp.b32", ScalarType::U32, &[one[0], one[1], (x, from)]);
        return cast(b, word, ScalarType::U32, to);
    }
    if to == ScalarType::Pred {
        return relate(b, Relation::Ne, from, x, Value::Constant(0));
    }
    match (from.is_float(), to.is_float()) {
        (false, false) => integer_to_integer(b, x, from, to),
        (false, true) => integer_to_float(b, x, from, to),
        (true, false) => float_to_integer(b, x, from, to),
        (true, true) => float_to_float(b, x, from, to),
    }
}

fn integer_to_integer(b: &mut Builder, x: Value, from: ScalarType, to: ScalarType) -> Value {
    let (wide, narrow) = (compute_type(from), compute_type(to));
    let resized = match (wide.size(), narrow.size()) {
        (4, 8) if wide.is_signed() => b.pure("cvt.s64.s32", narrow, &[(x, wide)]),
        (4, 8) => b.pure("cvt.u64.u32", narrow, &[(x, wide)]),
        (8, 4) => b.pure("cvt.u32.u64", narrow, &[(x, wide)]),
        _ => x,
    };
    // Widening keeps the value. Only a narrower target, or one of the same width and different signedness, must be normalized.
    let fits = from.size() < to.size() && (!from.is_signed() || to.is_signed());
    if is_narrow(to) && !fits { normalize(b, to, resized) } else { resized }
}

fn integer_to_float(b: &mut Builder, x: Value, from: ScalarType, to: ScalarType) -> Value {
    let from = compute_type(from);
    if to == ScalarType::Bf16 {
        let single = b.pure(&format!("cvt.rn.f32.{}", from.name()), ScalarType::F32, &[(x, from)]);
        return from_f32(b, to, single);
    }
    b.pure(&format!("cvt.rn.{}.{}", to.name(), from.name()), to, &[(x, from)])
}

/// Rounds toward zero and saturates; NaN becomes 0. `cvt` saturates only for 32- and 64-bit targets, and returns 0 for a NaN only if
/// the source is `f32` or narrower. The other cases need explicit selections.
fn float_to_integer(b: &mut Builder, x: Value, from: ScalarType, to: ScalarType) -> Value {
    let (x, from) = match from {
        ScalarType::F16 | ScalarType::Bf16 => (to_f32(b, from, x), ScalarType::F32),
        _ => (x, from),
    };
    let compute = compute_type(to);
    let name = format!("cvt.rzi.{}.{}", compute.name(), from.name());
    let mut integral = b.pure(&name, compute, &[(x, from)]);
    if is_narrow(to) {
        use crate::emit::arithmetic::Operation;
        use crate::emit::arithmetic::binary;
        let (least, most) = match to {
            ScalarType::U8 => (0, 255),
            ScalarType::U16 => (0, 65_535),
            ScalarType::S8 => (-128, 127),
            _ => (-32_768, 32_767),
        };
        let bound = |value: i128| Value::Constant(wrap(value, compute));
        integral = binary(b, Operation::Min, compute, integral, bound(most));
        if to.is_signed() {
            integral = binary(b, Operation::Max, compute, integral, bound(least));
        }
    }
    if from == ScalarType::F64 || compute.size() == 8 {
        let number = relate(b, Relation::Eq, from, x, x);
        let ty = crate::emit::value::Class::of(compute).bits_type();
        let inputs = [(integral, ty), (Value::Constant(0), ty), (number, ScalarType::Pred)];
        integral = b.pure(&format!("selp.{}", ty.name()), compute, &inputs);
    }
    integral
}

fn float_to_float(b: &mut Builder, x: Value, from: ScalarType, to: ScalarType) -> Value {
    match (from, to) {
        (ScalarType::F32, ScalarType::F64) => b.pure("cvt.f64.f32", to, &[(x, from)]),
        (ScalarType::F64, ScalarType::F32) => b.pure("cvt.rn.f32.f64", to, &[(x, from)]),
        (ScalarType::F64, ScalarType::F16) => b.pure("cvt.rn.f16.f64", to, &[(x, from)]),
        (ScalarType::F32, _) => from_f32(b, to, x),
        (ScalarType::F64, _) => {
            let single = round_to_odd(b, x);
            from_f32(b, to, single)
        }
        _ => {
            let single = to_f32(b, from, x);
            cast(b, single, ScalarType::F32, to)
        }
    }
}

/// An `f64` rounded to odd as an `f32`: truncated, with the last bit set if it was inexact.
/// Rounding the result to a narrower format then equals rounding the `f64` directly.
fn round_to_odd(b: &mut Builder, x: Value) -> Value {
    let (single, double, word) = (ScalarType::F32, ScalarType::F64, ScalarType::B32);
    let cut = b.pure("cvt.rz.f32.f64", single, &[(x, double)]);
    let back = b.pure("cvt.f64.f32", double, &[(cut, single)]);
    let inexact = relate(b, Relation::Ne, double, back, x);
    let sticky = cast(b, inexact, ScalarType::Pred, ScalarType::U32);
    let bits = b.pure("mov.b32", word, &[(cut, single)]);
    let odd = b.pure("or.b32", word, &[(bits, word), (sticky, word)]);
    b.pure("mov.b32", single, &[(odd, word)])
}

/// The receiver and the first argument of a method. The macros write `(&&Promote(receiver, &argument)).receiver()`, and method lookup
/// takes the first trait that fits: an ordinary value becomes a run-time value if the argument is one, and otherwise stays unchanged.
pub struct Promote<'a, L, R>(pub L, pub &'a R);

/// An ordinary receiver with a run-time argument.
pub trait Promoted {
    /// The receiver.
    type Receiver;
    /// The receiver as a run-time value.
    fn receiver(self) -> Self::Receiver;
}

impl<T: Scalar> Promoted for &&Promote<'_, T, Var<T>> {
    type Receiver = Var<T>;
    fn receiver(self) -> Var<T> {
        self.0.into_var()
    }
}

/// Any other receiver.
pub trait Kept {
    /// The receiver.
    type Receiver;
    /// The receiver unchanged.
    fn receiver(self) -> Self::Receiver;
}

impl<L: Copy, R> Kept for &Promote<'_, L, R> {
    type Receiver = L;
    fn receiver(self) -> L {
        self.0
    }
}

/// [`Promote`] for a method whose argument has another type: `2usize.pow(k)`.
pub struct PromoteBase<'a, L, R>(pub L, pub &'a R);

impl<T: Scalar, U: Scalar> Promoted for &&PromoteBase<'_, T, Var<U>> {
    type Receiver = Var<T>;
    fn receiver(self) -> Var<T> {
        self.0.into_var()
    }
}

impl<L: Copy, R> Kept for &PromoteBase<'_, L, R> {
    type Receiver = L;
    fn receiver(self) -> L {
        self.0
    }
}

/// The shift amount for a literal whose type is inferred.
pub trait ShiftBy<T> {
    /// `T`, or `Var<T>`.
    type Output;
    /// `x << self`.
    fn shift_left(self, x: T) -> Self::Output;
    /// `x >> self`.
    fn shift_right(self, x: T) -> Self::Output;
}

impl<T: Integer, S: Integer> ShiftBy<T> for Var<S> {
    type Output = Var<T>;
    #[track_caller]
    fn shift_left(self, x: T) -> Var<T> {
        Var::constant(x) << self
    }
    #[track_caller]
    fn shift_right(self, x: T) -> Var<T> {
        Var::constant(x) >> self
    }
}

macro_rules! host_shifts {
    ($($s:ty)*) => {$(
        impl<T: Shl<$s, Output = T> + Shr<$s, Output = T>> ShiftBy<T> for $s {
            type Output = T;
            fn shift_left(self, x: T) -> T {
                x << self
            }
            fn shift_right(self, x: T) -> T {
                x >> self
            }
        }
    )*};
}

host_shifts!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

/// `x << by` for a literal `x`.
#[track_caller]
pub fn shift_left<T, R: ShiftBy<T>>(x: T, by: R) -> R::Output {
    by.shift_left(x)
}

/// `x >> by` for a literal `x`.
#[track_caller]
pub fn shift_right<T, R: ShiftBy<T>>(x: T, by: R) -> R::Output {
    by.shift_right(x)
}
