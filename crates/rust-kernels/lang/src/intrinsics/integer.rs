//! Rust's methods on integers, with Rust's results; where Rust panics on overflow, these wrap.

use crate::data::variable::IntoVariable;
use crate::emit::arithmetic::normalize;
use crate::emit::current::{here, with};
use crate::emit::value::{compute_type, is_narrow};
use crate::flow::branch::select;
use crate::flow::loops::while_loop;
use crate::scalar::cast::Cast;
use crate::scalar::compare::{Equate, Order};
use crate::scalar::number::{Integer, Number};
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::ScalarType;

/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn mixed(v: u32, by: u32) -> u32 {
///     let ones = v.count_zeros() + v.leading_ones() + v.trailing_ones() + v.ilog2();
///     let shifted = v.wrapping_shl(by) ^ v.wrapping_shr(by) ^ v.wrapping_neg();
///     let power = by.pow(3) + by.wrapping_pow(4) + by.next_power_of_two();
///     let limits = v.saturating_add(u32::MAX) - by.saturating_sub(v);
///     if by.is_power_of_two() { 0 } else { ones ^ shifted ^ power ^ limits }
/// }
///
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     out[0] = mixed(x[0], x[1]);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[0xf000_0007u32, 5])?;
/// # let mut out = device.zeros::<u32>(1)?;
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// // On the host, the same function computes the same bits.
/// assert_eq!(out.download()?, [mixed(0xf000_0007, 5)]);
/// # Ok::<(), lanework::Error>(())
/// ```
impl<T: Integer> Var<T> {
    /// `-self`, wrapping.
    #[track_caller]
    #[must_use]
    pub fn wrapping_neg(self) -> Var<T> {
        -self
    }

    /// `self << by`, with `by` modulo the width.
    #[track_caller]
    #[must_use]
    pub fn wrapping_shl(self, by: impl IntoVar<u32>) -> Var<T> {
        self << (by.into_var() & (T::BITS - 1))
    }

    /// `self >> by`, with `by` modulo the width.
    #[track_caller]
    #[must_use]
    pub fn wrapping_shr(self, by: impl IntoVar<u32>) -> Var<T> {
        self >> (by.into_var() & (T::BITS - 1))
    }

    /// The `exponent`-th power, by repeated squaring. If the exponent is known while staging, the loop is unrolled.
    #[track_caller]
    #[must_use]
    pub fn pow(self, exponent: impl IntoVar<u32>) -> Var<T> {
        here();
        let exponent = exponent.into_var();
        if let Some(mut left) = exponent.known() {
            let (mut power, mut square) = (Var::constant(T::ONE), self);
            while left > 0 {
                if left & 1 == 1 {
                    power = power * square;
                }
                left >>= 1;
                if left > 0 {
                    square = square * square;
                }
            }
            return power;
        }
        let power = T::ONE.into_variable();
        let square = self.into_variable();
        let left = exponent.into_variable();
        while_loop(
            None,
            || left.view().ne(0),
            || {
                let odd = (left.view() & 1).ne(0);
                power.assign(select::<T>(odd, power.view() * square.view(), power.view()));
                square.assign(square.view() * square.view());
                left.assign(left.view() >> 1);
            },
        );
        power.view()
    }

    /// [`pow`](Self::pow), wrapping, as `*` in a kernel.
    #[track_caller]
    #[must_use]
    pub fn wrapping_pow(self, exponent: impl IntoVar<u32>) -> Var<T> {
        self.pow(exponent)
    }

    /// Whether exactly one bit is set.
    #[track_caller]
    #[must_use]
    pub fn is_power_of_two(self) -> Var<bool> {
        self.count_ones().eq(1)
    }

    /// The smallest power of two not below the value; 0 if it does not fit.
    #[track_caller]
    #[must_use]
    pub fn next_power_of_two(self) -> Var<T> {
        here();
        let above = (self - T::ONE).leading_zeros();
        let power = Var::constant(T::ONE) << (Var::constant(T::BITS) - above);
        // A shift by the whole width gives 0 in a full-width register; in a narrower type the result must be wrapped.
        let power = Var::<T>::new(with(|b| normalize(b, T::SCALAR, power.value)));
        select::<T>(self.le(T::ONE), T::ONE, power)
    }

    /// The logarithm to base 2, rounded down; of 0 it is `u32::MAX`, where Rust panics.
    #[track_caller]
    #[must_use]
    pub fn ilog2(self) -> Var<u32> {
        Var::constant(T::BITS - 1) - self.leading_zeros()
    }

    /// The square root, rounded down; not defined for a negative number, where Rust panics.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u64], out: &mut [u64]) {
    ///     out[thread_idx.x] = x[thread_idx.x].isqrt();
    /// }
    /// # let device = Device::emulator();
    /// let numbers = [0u64, 3, 4, 99, 100, (1 << 62) - 1, u64::MAX - 1, u64::MAX, (1u64 << 54) - 1];
    /// # let x = device.upload(&numbers)?;
    /// # let mut out = device.zeros::<u64>(9)?;
    /// # example(&x, &mut out).grid(1).block(9).launch(&device)?;
    /// assert_eq!(out.download()?, numbers.map(u64::isqrt));
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn isqrt(self) -> Var<T> {
        here();
        let wide: Var<u64> = self.cast();
        let float: Var<f64> = wide.cast();
        // Off by at most one, because a float holds 53 bits of the number.
        let near: Var<u64> = float.sqrt().cast();
        let near = near.min(u64::from(u32::MAX));
        let below = select::<u64>((near * near).gt(wide), near - 1, near);
        let next = below + 1;
        let fits = (next * next).le(wide) & next.le(u64::from(u32::MAX));
        select::<u64>(fits, next, below).cast()
    }

    /// The number of bits that are not set.
    #[track_caller]
    #[must_use]
    pub fn count_zeros(self) -> Var<u32> {
        (!self).count_ones()
    }

    /// The number of leading bits that are set.
    #[track_caller]
    #[must_use]
    pub fn leading_ones(self) -> Var<u32> {
        (!self).leading_zeros()
    }

    /// The number of trailing bits that are set.
    #[track_caller]
    #[must_use]
    pub fn trailing_ones(self) -> Var<u32> {
        (!self).trailing_zeros()
    }

    /// `self + other`, or the nearest value of the type.
    #[track_caller]
    #[must_use]
    pub fn saturating_add(self, other: impl IntoVar<T>) -> Var<T> {
        here();
        let other = other.into_var();
        let sum = self + other;
        if !T::SCALAR.is_signed() {
            return select::<T>(sum.lt(self), T::MAX, sum);
        }
        // Overflow: the sum's sign differs from the sign of both.
        let signs = (self ^ sum) & (other ^ sum);
        select::<T>(signs.lt(T::ZERO), nearest(self), sum)
    }

    /// `self - other`, or the nearest value of the type.
    #[track_caller]
    #[must_use]
    pub fn saturating_sub(self, other: impl IntoVar<T>) -> Var<T> {
        here();
        let other = other.into_var();
        let difference = self - other;
        if !T::SCALAR.is_signed() {
            return select::<T>(self.lt(other), T::ZERO, difference);
        }
        let signs = (self ^ other) & (self ^ difference);
        select::<T>(signs.lt(T::ZERO), nearest(self), difference)
    }

    /// The bits rotated left by `by` modulo the width.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     out[0] = x[0].rotate_left(8);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&[0x1234_5678u32])?;
    /// # let mut out = device.upload(&[0u32; 1])?;
    /// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
    /// assert_eq!(out.download()?, [0x3456_7812]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn rotate_left(self, by: impl IntoVar<u32>) -> Var<T> {
        rotate(self, by.into_var(), true)
    }

    /// The bits rotated right by `by` modulo the width.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     out[0] = x[0].rotate_right(8);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&[0x1234_5678u32])?;
    /// # let mut out = device.upload(&[0u32; 1])?;
    /// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
    /// assert_eq!(out.download()?, [0x7812_3456]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn rotate_right(self, by: impl IntoVar<u32>) -> Var<T> {
        rotate(self, by.into_var(), false)
    }
}

/// The largest value, or the smallest if `x` is negative.
fn nearest<T: Integer>(x: Var<T>) -> Var<T> {
    select::<T>(x.lt(T::ZERO), <T as Number>::MIN, <T as Number>::MAX)
}

/// Rotates the bits: by one funnel shift for 32-bit values, by two shifts for others.
#[track_caller]
fn rotate<T: Integer>(x: Var<T>, by: Var<u32>, left: bool) -> Var<T> {
    here();
    let ty = compute_type(T::SCALAR);
    if ty.size() == 4 && !is_narrow(T::SCALAR) {
        let name = if left { "shf.l.wrap.b32" } else { "shf.r.wrap.b32" };
        let inputs = [(x.value, ty), (x.value, ty), (by.value, ScalarType::U32)];
        return Var::new(with(|b| b.pure(name, ty, &inputs)));
    }
    // Zero-extends the value, so that only the type's own bits are shifted in.
    let unsigned = match T::SCALAR {
        ScalarType::S8 => ScalarType::U8,
        ScalarType::S16 => ScalarType::U16,
        ScalarType::S64 => ScalarType::U64,
        other => other,
    };
    let bits = with(|b| crate::scalar::cast::cast(b, x.value, T::SCALAR, unsigned));
    let by = by & (T::BITS - 1);
    let back = (Var::constant(T::BITS) - by) & (T::BITS - 1);
    let (up, down) = if left { (by, back) } else { (back, by) };
    use crate::emit::arithmetic::Operation::{Or, Shl, Shr};
    Var::new(with(|b| {
        let high = crate::emit::arithmetic::binary(b, Shl, unsigned, bits, up.value);
        let low = crate::emit::arithmetic::binary(b, Shr, unsigned, bits, down.value);
        let both = crate::emit::arithmetic::binary(b, Or, unsigned, high, low);
        crate::scalar::cast::cast(b, both, unsigned, T::SCALAR)
    }))
}

macro_rules! signed {
    ($($t:ty, $u:ty;)*) => {$(
        impl Var<$t> {
            /// -1, 0 or 1.
            #[track_caller]
            #[must_use]
            pub fn signum(self) -> Var<$t> {
                let positive: Var<$t> = self.gt(0).cast();
                let negative: Var<$t> = self.lt(0).cast();
                positive - negative
            }

            /// Whether it is above 0.
            #[track_caller]
            #[must_use]
            pub fn is_positive(self) -> Var<bool> {
                self.gt(0)
            }

            /// Whether it is below 0.
            #[track_caller]
            #[must_use]
            pub fn is_negative(self) -> Var<bool> {
                self.lt(0)
            }

            /// The absolute value as an unsigned number.
            #[track_caller]
            #[must_use]
            pub fn unsigned_abs(self) -> Var<$u> {
                self.abs().cast()
            }

            /// The absolute value; the smallest number stays unchanged.
            #[track_caller]
            #[must_use]
            pub fn wrapping_abs(self) -> Var<$t> {
                self.abs()
            }

            /// The absolute value of the difference, as an unsigned number.
            #[track_caller]
            #[must_use]
            pub fn abs_diff(self, other: impl IntoVar<$t>) -> Var<$u> {
                let other = other.into_var();
                let (up, down) = (self - other, other - self);
                select::<$t>(self.lt(other), down, up).cast()
            }

            /// The least nonnegative remainder.
            #[track_caller]
            #[must_use]
            pub fn rem_euclid(self, other: impl IntoVar<$t>) -> Var<$t> {
                let other = other.into_var();
                let rest = self % other;
                select::<$t>(rest.lt(0), rest + other.abs(), rest)
            }

            /// The quotient whose remainder is [`rem_euclid`](Self::rem_euclid).
            #[track_caller]
            #[must_use]
            pub fn div_euclid(self, other: impl IntoVar<$t>) -> Var<$t> {
                let other = other.into_var();
                let (quotient, rest) = (self / other, self % other);
                let corrected = select::<$t>(other.gt(0), quotient - 1, quotient + 1);
                select::<$t>(rest.lt(0), corrected, quotient)
            }
        }
    )*};
}

signed!(i8, u8; i16, u16; i32, u32; i64, u64; isize, usize;);

macro_rules! unsigned {
    ($($t:ty, $i:ty;)*) => {$(
        impl Var<$t> {
            /// The sum with a signed number, wrapping.
            #[track_caller]
            #[must_use]
            pub fn wrapping_add_signed(self, other: impl IntoVar<$i>) -> Var<$t> {
                let other: Var<$t> = Cast::<$t>::cast(other.into_var());
                self + other
            }

            /// The absolute value of the difference.
            #[track_caller]
            #[must_use]
            pub fn abs_diff(self, other: impl IntoVar<$t>) -> Var<$t> {
                let other = other.into_var();
                self.max(other) - self.min(other)
            }

            /// The remainder.
            #[track_caller]
            #[must_use]
            pub fn rem_euclid(self, other: impl IntoVar<$t>) -> Var<$t> {
                self % other.into_var()
            }

            /// The quotient.
            #[track_caller]
            #[must_use]
            pub fn div_euclid(self, other: impl IntoVar<$t>) -> Var<$t> {
                self / other.into_var()
            }

            /// Whether it is a multiple of `other`; only 0 is a multiple of 0.
            #[track_caller]
            #[must_use]
            pub fn is_multiple_of(self, other: impl IntoVar<$t>) -> Var<bool> {
                let other = other.into_var();
                let whole = (self % other).eq(0);
                let none = other.eq(0);
                (whole & !none) | (none & self.eq(0))
            }

            /// The smallest multiple of `other` that is not below the value.
            #[track_caller]
            #[must_use]
            pub fn next_multiple_of(self, other: impl IntoVar<$t>) -> Var<$t> {
                let other = other.into_var();
                self.div_ceil(other) * other
            }
        }
    )*};
}

unsigned!(u8, i8; u16, i16; u32, i32; u64, i64; usize, isize;);
