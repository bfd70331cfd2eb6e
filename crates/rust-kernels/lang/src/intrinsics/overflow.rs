//! Divisions, powers, shifts and absolute values that wrap, saturate or report overflow, as in Rust.

use crate::data::leaves::Values;
use crate::data::variable::IntoVariable;
use crate::emit::current::here;
use crate::flow::branch::select;
use crate::flow::loops::while_loop;
use crate::library::option::OptionOf;
use crate::scalar::compare::{Equate, Order};
use crate::scalar::number::Integer;
use crate::scalar::var::{IntoVar, Var};

/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn mixed(a: i32, b: i32) -> i32 {
///     let (quotient, overflows) = a.overflowing_div(b);
///     let rest = a.wrapping_rem(b) + a.wrapping_div(b) - a.overflowing_rem(b).0;
///     let power = a.saturating_pow(3) ^ 3i32.checked_pow(40).unwrap_or(-4);
///     let power = power ^ a.overflowing_pow(2).0 ^ a.overflowing_shr(35).0;
///     let (shifted, too_far) = 5i32.overflowing_shl(33);
///     let middle = a.midpoint(b) ^ a.saturating_div(b) ^ a.checked_ilog2().unwrap_or(8) as i32;
///     let flags = overflows as i32 + 2 * too_far as i32;
///     quotient ^ rest ^ power ^ shifted ^ middle ^ flags
/// }
///
/// #[kernel]
/// fn example(x: &[i32], out: &mut [i32]) {
///     out[0] = mixed(x[0], x[1]);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[i32::MIN, -1])?;
/// # let mut out = device.zeros::<i32>(1)?;
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [mixed(i32::MIN, -1)]);
/// # Ok::<(), lanework::Error>(())
/// ```
impl<T: Integer> Var<T> {
    /// Whether it is the -1 of a signed type. Only a division by -1 can overflow.
    fn is_minus_one(self) -> Var<bool> {
        match T::SCALAR.is_signed() {
            true => (!self).eq(T::ZERO),
            false => Var::constant(false),
        }
    }

    /// `self / other`, wrapping; a division by 0 has no defined result, where Rust panics.
    #[track_caller]
    #[must_use]
    pub fn wrapping_div(self, other: impl IntoVar<T>) -> Var<T> {
        here();
        let other = other.into_var();
        if !T::SCALAR.is_signed() {
            return self / other;
        }
        select::<T>(other.is_minus_one(), -self, self / other)
    }

    /// `self % other`, wrapping; a division by 0 has no defined result, where Rust panics.
    #[track_caller]
    #[must_use]
    pub fn wrapping_rem(self, other: impl IntoVar<T>) -> Var<T> {
        here();
        let other = other.into_var();
        if !T::SCALAR.is_signed() {
            return self % other;
        }
        select::<T>(other.is_minus_one(), T::ZERO, self % other)
    }

    /// Whether `self / other` overflows.
    fn division_overflows(self, other: Var<T>) -> Var<bool> {
        self.eq(T::MIN) & other.is_minus_one()
    }

    /// `self / other`, wrapping, and whether it overflowed.
    #[track_caller]
    #[must_use]
    pub fn overflowing_div(self, other: impl IntoVar<T>) -> (Var<T>, Var<bool>) {
        here();
        let other = other.into_var();
        (self.wrapping_div(other), self.division_overflows(other))
    }

    /// `self % other`, wrapping, and whether the division overflowed.
    #[track_caller]
    #[must_use]
    pub fn overflowing_rem(self, other: impl IntoVar<T>) -> (Var<T>, Var<bool>) {
        here();
        let other = other.into_var();
        (self.wrapping_rem(other), self.division_overflows(other))
    }

    /// `self / other`, or the nearest value of the type.
    #[track_caller]
    #[must_use]
    pub fn saturating_div(self, other: impl IntoVar<T>) -> Var<T> {
        here();
        let other = other.into_var();
        select::<T>(self.division_overflows(other), T::MAX, self.wrapping_div(other))
    }

    /// `self << by`, with `by` modulo the width, and whether `by` was not less than the width.
    #[track_caller]
    #[must_use]
    pub fn overflowing_shl(self, by: impl IntoVar<u32>) -> (Var<T>, Var<bool>) {
        here();
        let by = by.into_var();
        (self.wrapping_shl(by), by.ge(T::BITS))
    }

    /// `self >> by`, with `by` modulo the width, and whether `by` was not less than the width.
    #[track_caller]
    #[must_use]
    pub fn overflowing_shr(self, by: impl IntoVar<u32>) -> (Var<T>, Var<bool>) {
        here();
        let by = by.into_var();
        (self.wrapping_shr(by), by.ge(T::BITS))
    }

    /// The `exponent`-th power, wrapping, and whether it overflowed.
    #[track_caller]
    #[must_use]
    pub fn overflowing_pow(self, exponent: impl IntoVar<u32>) -> (Var<T>, Var<bool>) {
        here();
        let power = T::ONE.into_variable();
        let square = self.into_variable();
        let left = exponent.into_var().into_variable();
        let overflows = false.into_variable();
        // The last square may overflow without being a factor of the power.
        let square_overflows = false.into_variable();
        while_loop(
            None,
            || left.view().ne(0),
            || {
                let odd = (left.view() & 1).ne(0);
                let (product, over) = power.view().overflowing_mul(square.view());
                let over = over | square_overflows.view();
                overflows.assign(overflows.view() | (odd & over));
                power.assign(select::<T>(odd, product, power.view()));
                let (next, over) = square.view().overflowing_mul(square.view());
                square.assign(next);
                square_overflows.assign(square_overflows.view() | over);
                left.assign(left.view() >> 1);
            },
        );
        (power.view(), overflows.view())
    }

    /// The `exponent`-th power, or `None` if it overflows.
    #[track_caller]
    #[must_use]
    pub fn checked_pow(self, exponent: impl IntoVar<u32>) -> OptionOf<Values, T> {
        let (power, overflows) = self.overflowing_pow(exponent);
        OptionOf::new(!overflows, power)
    }

    /// The `exponent`-th power, or the nearest value of the type.
    #[track_caller]
    #[must_use]
    pub fn saturating_pow(self, exponent: impl IntoVar<u32>) -> Var<T> {
        here();
        let exponent = exponent.into_var();
        let (power, overflows) = self.overflowing_pow(exponent);
        let end = match T::SCALAR.is_signed() {
            true => select::<T>(self.lt(T::ZERO) & (exponent & 1).ne(0), T::MIN, T::MAX),
            false => Var::constant(T::MAX),
        };
        select::<T>(overflows, end, power)
    }

    /// The logarithm to base 2, rounded down, or `None` if the number is not above 0.
    #[track_caller]
    #[must_use]
    pub fn checked_ilog2(self) -> OptionOf<Values, u32> {
        here();
        OptionOf::new(self.gt(T::ZERO), self.ilog2())
    }

    /// The mean of two numbers, rounded toward 0.
    #[track_caller]
    #[must_use]
    pub fn midpoint(self, other: impl IntoVar<T>) -> Var<T> {
        here();
        let other = other.into_var();
        let differing = self ^ other;
        let down = (self & other) + (differing >> 1);
        if !T::SCALAR.is_signed() {
            return down;
        }
        let up = down.lt(T::ZERO) & (differing & T::ONE).ne(T::ZERO);
        select::<T>(up, down + T::ONE, down)
    }
}

macro_rules! signed {
    ($($t:ty)*) => {$(
        impl Var<$t> {
            /// The absolute value, wrapping, and whether it overflowed.
            #[track_caller]
            #[must_use]
            pub fn overflowing_abs(self) -> (Var<$t>, Var<bool>) {
                here();
                (self.abs(), self.eq(<$t>::MIN))
            }

            /// The absolute value, or `None` if it overflows.
            #[track_caller]
            #[must_use]
            pub fn checked_abs(self) -> OptionOf<Values, $t> {
                let (size, overflows) = self.overflowing_abs();
                OptionOf::new(!overflows, size)
            }

            /// The absolute value, or the nearest value of the type.
            #[track_caller]
            #[must_use]
            pub fn saturating_abs(self) -> Var<$t> {
                let (size, overflows) = self.overflowing_abs();
                select::<$t>(overflows, <$t>::MAX, size)
            }

            /// `-self`, or the nearest value of the type.
            #[track_caller]
            #[must_use]
            pub fn saturating_neg(self) -> Var<$t> {
                here();
                select::<$t>(self.eq(<$t>::MIN), <$t>::MAX, -self)
            }
        }
    )*};
}

signed!(i8 i16 i32 i64 isize);

macro_rules! unsigned {
    ($($t:ty)*) => {$(
        impl Var<$t> {
            /// The smallest power of two not below the value, or `None` if it does not fit.
            #[track_caller]
            #[must_use]
            pub fn checked_next_power_of_two(self) -> OptionOf<Values, $t> {
                let power = self.next_power_of_two();
                OptionOf::new(power.ne(0), power)
            }
        }
    )*};
}

unsigned!(u8 u16 u32 u64 usize);
