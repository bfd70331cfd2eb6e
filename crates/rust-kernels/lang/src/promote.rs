//! Ordinary values where a run-time one is meant: `TILE.min(n - start)`, `1 << lane`.

use crate::number::Integer;
use crate::scalar::Scalar;
use crate::var::{IntoVar, Var};
use std::ops::{Shl, Shr};

/// The receiver and the first argument of a method, as the macros write it:
/// `(&&Promote(receiver, &argument)).receiver()`. Method lookup takes the first that fits: an
/// ordinary value becomes a run-time one where the argument is one, and else stays what it is.
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

/// [`Promote`] for a method whose argument has a type of its own: `2usize.pow(k)`.
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

/// An amount that a literal is shifted by, whose type follows from its use.
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
