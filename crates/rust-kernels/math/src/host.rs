//! The operations on the host's own numbers.

use crate::elementary::coefficients::{TWO_OVER_PI_DOUBLE, TWO_OVER_PI_SINGLE};
use crate::real::{Mask, Pair, Real, Word};
use std::num::Wrapping;

impl Mask for bool {}

macro_rules! word {
    ($t:ty, $signed:ty, $wide:ty, $bits:literal) => {
        impl Word for Wrapping<$t> {
            type Mask = bool;
            type Short = Wrapping<u32>;
            type Entry = $t;
            #[inline(always)]
            fn constant(bits: u64) -> Self {
                Wrapping(bits as $t)
            }
            #[inline(always)]
            fn shl(self, by: Wrapping<u32>) -> Self {
                Wrapping(self.0.checked_shl(by.0).unwrap_or(0))
            }
            #[inline(always)]
            fn shr(self, by: Wrapping<u32>) -> Self {
                Wrapping(self.0.checked_shr(by.0).unwrap_or(0))
            }
            #[inline(always)]
            fn sar(self, by: Wrapping<u32>) -> Self {
                Wrapping(((self.0 as $signed) >> by.0.min($bits - 1)) as $t)
            }
            #[inline(always)]
            fn mul_high(self, other: Self) -> Self {
                Wrapping(((<$wide>::from(self.0) * <$wide>::from(other.0)) >> $bits) as $t)
            }
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                Wrapping(self.0.checked_rem(other.0).unwrap_or(self.0))
            }
            #[inline(always)]
            fn leading_zeros(self) -> Wrapping<u32> {
                Wrapping(self.0.leading_zeros())
            }
            #[inline(always)]
            fn eq(self, other: Self) -> bool {
                self.0 == other.0
            }
            #[inline(always)]
            fn below(self, other: Self) -> bool {
                self.0 < other.0
            }
            #[inline(always)]
            fn less(self, other: Self) -> bool {
                (self.0 as $signed) < (other.0 as $signed)
            }
            #[inline(always)]
            fn where_else(self, mask: bool, other: Self) -> Self {
                if mask { self } else { other }
            }
            #[inline(always)]
            fn short(self) -> Wrapping<u32> {
                Wrapping(self.0 as u32)
            }
            #[inline(always)]
            fn extended(short: Wrapping<u32>) -> Self {
                Wrapping(short.0.into())
            }
            #[inline(always)]
            fn look_up(table: &'static [$t], index: Wrapping<u32>) -> Self {
                Wrapping(table[index.0 as usize])
            }
            #[inline(always)]
            fn repeat<const N: usize>(
                mut state: [Self; N],
                go: impl Fn([Self; N]) -> bool,
                step: impl Fn([Self; N]) -> [Self; N],
            ) -> [Self; N] {
                while go(state) {
                    state = step(state);
                }
                state
            }
        }
    };
}

word!(u32, i32, u64, 32);
word!(u64, i64, u128, 64);

macro_rules! real {
    ($t:ty, $bits:ty, $double:literal, $field:ident, $table:ident, $shift:literal) => {
        impl Real for $t {
            type Bits = Wrapping<$bits>;
            const DOUBLE: bool = $double;
            #[inline(always)]
            fn constant(value: Pair) -> Self {
                value.$field
            }
            #[inline(always)]
            fn two_over_pi(index: Wrapping<u32>) -> Self::Bits {
                Word::look_up($table, index)
            }
            #[inline(always)]
            fn fma(self, a: Self, b: Self) -> Self {
                self.mul_add(a, b)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn trunc(self) -> Self {
                self.trunc()
            }
            #[inline(always)]
            fn eq(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                self <= other
            }
            #[inline(always)]
            fn where_else(self, mask: bool, other: Self) -> Self {
                if mask { self } else { other }
            }
            #[inline(always)]
            fn branch(
                mask: bool,
                first: impl FnOnce() -> Self,
                second: impl FnOnce() -> Self,
            ) -> Self {
                if mask { first() } else { second() }
            }
            #[inline(always)]
            fn branch_parts(
                mask: bool,
                first: impl FnOnce() -> (Self, Self, Wrapping<u32>),
                second: impl FnOnce() -> (Self, Self, Wrapping<u32>),
            ) -> (Self, Self, Wrapping<u32>) {
                if mask { first() } else { second() }
            }
            #[inline(always)]
            fn to_bits(self) -> Self::Bits {
                Wrapping(self.to_bits())
            }
            #[inline(always)]
            fn from_bits(bits: Self::Bits) -> Self {
                <$t>::from_bits(bits.0)
            }
            #[inline(always)]
            fn high(self) -> Wrapping<u32> {
                Wrapping((self.to_bits() >> $shift) as u32)
            }
            #[inline(always)]
            fn with_high(self, high: Wrapping<u32>) -> Self {
                let low = self.to_bits() & ((1 as $bits) << $shift).wrapping_sub(1);
                <$t>::from_bits(<$bits>::from(high.0) << $shift | low)
            }
            #[inline(always)]
            fn from_high(high: Wrapping<u32>) -> Self {
                <$t>::from_bits(<$bits>::from(high.0) << $shift)
            }
            #[inline(always)]
            fn low(self) -> Wrapping<u32> {
                Wrapping(self.to_bits() as u32)
            }
            #[inline(always)]
            fn from_short(integer: Wrapping<u32>) -> Self {
                integer.0 as i32 as $t
            }
        }
    };
}

real!(f32, u32, false, single, TWO_OVER_PI_SINGLE, 0);
real!(f64, u64, true, double, TWO_OVER_PI_DOUBLE, 32);
