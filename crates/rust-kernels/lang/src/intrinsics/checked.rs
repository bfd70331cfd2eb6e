//! Integer arithmetic that reports overflow, as in Rust: `checked_add`, `overflowing_add` and similar methods.

use crate::data::leaves::Values;
use crate::emit::current::here;
use crate::flow::branch::select;
use crate::library::option::OptionOf;
use crate::scalar::compare::{Equate, Order};
use crate::scalar::number::Integer;
use crate::scalar::var::{IntoVar, Var};

/// A value, or `None` if `wrong` holds.
fn unless<T: Integer>(wrong: Var<bool>, value: Var<T>) -> OptionOf<Values, T> {
    OptionOf::new(!wrong, value)
}

/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn mean(a: u32, b: u32) -> u32 {
///     match a.checked_add(b) {
///         Some(sum) => sum / 2,
///         None => u32::MAX.saturating_sub(a.abs_diff(b) / 2),
///     }
/// }
///
/// #[device]
/// fn mixed(a: i32, b: i32) -> i32 {
///     let (product, overflows) = a.overflowing_mul(b);
///     let quotient = a.checked_div(b).unwrap_or(-1) + a.checked_rem(b).unwrap_or(-2);
///     let difference = a.checked_sub(b).and_then(|d| d.checked_mul(3)).unwrap_or(7);
///     let (sum, _) = a.overflowing_add(b);
///     let (rest, below) = a.overflowing_sub(b);
///     let shifted = a.checked_shl(b as u32).unwrap_or(0) ^ a.checked_shr(40).unwrap_or(5);
///     let ends = a.saturating_mul(b) ^ a.checked_neg().unwrap_or(9);
///     let (_, smallest) = a.overflowing_neg();
///     let flags = overflows as i32 + 2 * below as i32 + 4 * smallest as i32;
///     product ^ quotient ^ difference ^ sum ^ rest ^ shifted ^ ends ^ flags
/// }
///
/// #[kernel]
/// fn example(x: &[u32], y: &[i32], out: &mut [i32]) {
///     out[0] = mean(x[0], x[1]) as i32;
///     out[1] = mixed(y[0], y[1]);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[u32::MAX, 3])?;
/// # let y = device.upload(&[i32::MIN, -1])?;
/// # let mut out = device.zeros::<i32>(2)?;
/// # example(&x, &y, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [mean(u32::MAX, 3) as i32, mixed(i32::MIN, -1)]);
/// # Ok::<(), lanework::Error>(())
/// ```
impl<T: Integer> Var<T> {
    /// `self + other`, wrapping, and whether it overflowed.
    #[track_caller]
    #[must_use]
    pub fn overflowing_add(self, other: impl IntoVar<T>) -> (Var<T>, Var<bool>) {
        here();
        let other = other.into_var();
        let sum = self + other;
        let overflows = match T::SCALAR.is_signed() {
            // The sum's sign differs from the sign of both.
            true => ((self ^ sum) & (other ^ sum)).lt(T::ZERO),
            false => sum.lt(self),
        };
        (sum, overflows)
    }

    /// `self - other`, wrapping, and whether it overflowed.
    #[track_caller]
    #[must_use]
    pub fn overflowing_sub(self, other: impl IntoVar<T>) -> (Var<T>, Var<bool>) {
        here();
        let other = other.into_var();
        let difference = self - other;
        let overflows = match T::SCALAR.is_signed() {
            true => ((self ^ other) & (self ^ difference)).lt(T::ZERO),
            false => self.lt(other),
        };
        (difference, overflows)
    }

    /// `self * other`, wrapping, and whether it overflowed.
    #[track_caller]
    #[must_use]
    pub fn overflowing_mul(self, other: impl IntoVar<T>) -> (Var<T>, Var<bool>) {
        here();
        let other = other.into_var();
        let (low, high) = (self * other, self.mul_hi(other));
        let overflows = match T::SCALAR.is_signed() {
            // The high half differs from the sign extension of the low half.
            true => high.ne(low >> (T::BITS - 1)),
            false => high.ne(T::ZERO),
        };
        (low, overflows)
    }

    /// `-self`, wrapping, and whether it overflowed.
    #[track_caller]
    #[must_use]
    pub fn overflowing_neg(self) -> (Var<T>, Var<bool>) {
        Var::constant(T::ZERO).overflowing_sub(self)
    }

    /// `self + other`, or `None` if it overflows.
    #[track_caller]
    #[must_use]
    pub fn checked_add(self, other: impl IntoVar<T>) -> OptionOf<Values, T> {
        let (sum, overflows) = self.overflowing_add(other);
        unless(overflows, sum)
    }

    /// `self - other`, or `None` if it overflows.
    #[track_caller]
    #[must_use]
    pub fn checked_sub(self, other: impl IntoVar<T>) -> OptionOf<Values, T> {
        let (difference, overflows) = self.overflowing_sub(other);
        unless(overflows, difference)
    }

    /// `self * other`, or `None` if it overflows.
    #[track_caller]
    #[must_use]
    pub fn checked_mul(self, other: impl IntoVar<T>) -> OptionOf<Values, T> {
        let (product, overflows) = self.overflowing_mul(other);
        unless(overflows, product)
    }

    /// `-self`, or `None` if it overflows.
    #[track_caller]
    #[must_use]
    pub fn checked_neg(self) -> OptionOf<Values, T> {
        let (negated, overflows) = self.overflowing_neg();
        unless(overflows, negated)
    }

    /// Whether a division by `other` has no result: a division by 0, or an overflow.
    fn cannot_be_divided(self, other: Var<T>) -> Var<bool> {
        let by_zero = other.eq(T::ZERO);
        if !T::SCALAR.is_signed() {
            return by_zero;
        }
        by_zero | (self.eq(T::MIN) & (other + T::ONE).eq(T::ZERO))
    }

    /// `self / other`, or `None` if it overflows or `other` is 0.
    #[track_caller]
    #[must_use]
    pub fn checked_div(self, other: impl IntoVar<T>) -> OptionOf<Values, T> {
        here();
        let other = other.into_var();
        unless(self.cannot_be_divided(other), self / other)
    }

    /// `self % other`, or `None` if it overflows or `other` is 0.
    #[track_caller]
    #[must_use]
    pub fn checked_rem(self, other: impl IntoVar<T>) -> OptionOf<Values, T> {
        here();
        let other = other.into_var();
        unless(self.cannot_be_divided(other), self % other)
    }

    /// `self << by`, or `None` if `by` is not less than the width.
    #[track_caller]
    #[must_use]
    pub fn checked_shl(self, by: impl IntoVar<u32>) -> OptionOf<Values, T> {
        here();
        let by = by.into_var();
        unless(by.ge(T::BITS), self.wrapping_shl(by))
    }

    /// `self >> by`, or `None` if `by` is not less than the width.
    #[track_caller]
    #[must_use]
    pub fn checked_shr(self, by: impl IntoVar<u32>) -> OptionOf<Values, T> {
        here();
        let by = by.into_var();
        unless(by.ge(T::BITS), self.wrapping_shr(by))
    }

    /// `self * other`, or the nearest value of the type.
    #[track_caller]
    #[must_use]
    pub fn saturating_mul(self, other: impl IntoVar<T>) -> Var<T> {
        here();
        let other = other.into_var();
        let (product, overflows) = self.overflowing_mul(other);
        let end = match T::SCALAR.is_signed() {
            true => select::<T>((self ^ other).lt(T::ZERO), T::MIN, T::MAX),
            false => Var::constant(T::MAX),
        };
        select::<T>(overflows, end, product)
    }
}

macro_rules! with_signed {
    ($($t:ty, $i:ty;)*) => {$(
        impl Var<$t> {
            /// The sum with a signed number; `None` if it is out of range.
            #[track_caller]
            #[must_use]
            pub fn checked_add_signed(self, other: impl IntoVar<$i>) -> OptionOf<Values, $t> {
                let other = other.into_var();
                let sum = self.wrapping_add_signed(other);
                let fits = (other.ge(0) & sum.ge(self)) | (other.lt(0) & sum.lt(self));
                OptionOf::new(fits, sum)
            }

            /// The sum with a signed number, or the limit that it exceeds.
            #[track_caller]
            #[must_use]
            pub fn saturating_add_signed(self, other: impl IntoVar<$i>) -> Var<$t> {
                let other = other.into_var();
                let limit = select::<$t>(other.lt(0), <$t>::MIN, <$t>::MAX);
                self.checked_add_signed(other).unwrap_or(limit)
            }
        }
    )*};
}

with_signed!(u8, i8; u16, i16; u32, i32; u64, i64; usize, isize;);
