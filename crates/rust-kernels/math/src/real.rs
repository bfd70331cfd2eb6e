//! Numbers that the algorithms compute with, on the host or in a kernel being staged, with the
//! operations that give the same bits on both.
//!
//! Every operation is exact or correctly rounded (IEEE 754), so an algorithm gives the same bits
//! wherever it runs. An implementation may choose only the payload of a NaN.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// The outcome of a comparison.
pub trait Mask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

/// An unsigned integer with wrapping arithmetic.
pub trait Word:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
{
    /// The outcome of a comparison.
    type Mask: Mask;
    /// The 32-bit word.
    type Short: Word<Mask = Self::Mask, Short = Self::Short>;
    /// A constant, truncated to the width.
    fn constant(bits: u64) -> Self;
    /// `self << by`; 0 from the width on.
    fn shl(self, by: Self::Short) -> Self;
    /// `self >> by`, filled with zeros; 0 from the width on.
    fn shr(self, by: Self::Short) -> Self;
    /// `self >> by`, filled with the sign.
    fn sar(self, by: Self::Short) -> Self;
    /// The high half of the product.
    fn mul_high(self, other: Self) -> Self;
    /// The remainder of the division by a number that is not 0.
    fn rem(self, other: Self) -> Self;
    /// The number of leading zeros.
    fn leading_zeros(self) -> Self::Short;
    /// `self == other`.
    fn eq(self, other: Self) -> Self::Mask;
    /// `self < other`, as unsigned numbers.
    fn below(self, other: Self) -> Self::Mask;
    /// `self < other`, as signed numbers.
    fn less(self, other: Self) -> Self::Mask;
    /// `mask ? self : other`.
    fn where_else(self, mask: Self::Mask, other: Self) -> Self;
    /// The low 32 bits.
    fn short(self) -> Self::Short;
    /// Zero-extended from 32 bits.
    fn extended(short: Self::Short) -> Self;
    /// `table[index]`; the index is in range.
    fn look_up(table: &'static [Self::Entry], index: Self::Short) -> Self;
    /// An element of a table.
    type Entry: Copy;
    /// Repeats `step` while `go` holds.
    fn repeat<const N: usize>(
        state: [Self; N],
        go: impl Fn([Self; N]) -> Self::Mask,
        step: impl Fn([Self; N]) -> [Self; N],
    ) -> [Self; N];
}

/// A constant in both precisions.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// For `f32`.
    pub single: f32,
    /// For `f64`.
    pub double: f64,
}

impl Pair {
    /// A constant that both formats represent exactly, or that need not be precise.
    pub const fn exact(value: f64) -> Pair {
        Pair { single: value as f32, double: value }
    }
}

/// A polynomial in both precisions, lowest power first.
#[derive(Clone, Copy, Debug)]
pub struct Polynomial {
    /// For `f32`.
    pub single: &'static [f32],
    /// For `f64`.
    pub double: &'static [f64],
}

/// The 32-bit word of a number type.
pub type Short<F> = <<F as Real>::Bits as Word>::Short;
/// The mask of a number type.
pub type MaskOf<F> = <<F as Real>::Bits as Word>::Mask;

/// A binary floating-point number, `f32` or `f64`.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The integer of the same width.
    type Bits: Word;
    /// Whether it is `f64`.
    const DOUBLE: bool;

    /// A constant.
    fn constant(value: Pair) -> Self;
    /// `2/pi` after a word of zeros.
    fn two_over_pi(index: Short<Self>) -> Self::Bits;

    /// `self * a + b`, rounded once.
    fn fma(self, a: Self, b: Self) -> Self;
    /// The square root, rounded to nearest.
    fn sqrt(self) -> Self;
    /// The magnitude.
    fn abs(self) -> Self;
    /// Rounded toward zero to an integral value.
    fn trunc(self) -> Self;

    /// `self == other`.
    fn eq(self, other: Self) -> MaskOf<Self>;
    /// `self < other`.
    fn lt(self, other: Self) -> MaskOf<Self>;
    /// `self <= other`.
    fn le(self, other: Self) -> MaskOf<Self>;
    /// `mask ? self : other`.
    fn where_else(self, mask: MaskOf<Self>, other: Self) -> Self;
    /// `mask ? first() : second()`. Implementations need to compute only one of them.
    fn branch(
        mask: MaskOf<Self>,
        first: impl FnOnce() -> Self,
        second: impl FnOnce() -> Self,
    ) -> Self;
    /// [`branch`](Real::branch) for two numbers and an integer.
    fn branch_parts(
        mask: MaskOf<Self>,
        first: impl FnOnce() -> (Self, Self, Short<Self>),
        second: impl FnOnce() -> (Self, Self, Short<Self>),
    ) -> (Self, Self, Short<Self>);

    /// The bits.
    fn to_bits(self) -> Self::Bits;
    /// The number with these bits.
    fn from_bits(bits: Self::Bits) -> Self;
    /// The 32 most significant bits: sign, exponent, beginning of the significand.
    fn high(self) -> Short<Self>;
    /// The number with its 32 most significant bits replaced.
    fn with_high(self, high: Short<Self>) -> Self;
    /// The number with these most significant bits, and zeros after them.
    fn from_high(high: Short<Self>) -> Self;
    /// The 32 least significant bits.
    fn low(self) -> Short<Self>;
    /// A signed integer of 32 bits, rounded to nearest.
    fn from_short(integer: Short<Self>) -> Self;
}

/// Bits of the significand stored in the high word.
pub(crate) const fn stored<F: Real>() -> u32 {
    if F::DOUBLE { 20 } else { 23 }
}

/// The exponent's bias.
pub(crate) const fn bias<F: Real>() -> u32 {
    if F::DOUBLE { 1023 } else { 127 }
}

/// A constant that is exact or need not be precise.
#[inline(always)]
pub(crate) fn k<F: Real>(value: f64) -> F {
    F::constant(Pair::exact(value))
}

/// A constant that differs between the formats.
#[inline(always)]
pub(crate) fn either<F: Real>(single: f32, double: f64) -> F {
    F::constant(Pair { single, double })
}

/// A short integer constant.
#[inline(always)]
pub(crate) fn word<F: Real>(value: i64) -> Short<F> {
    Short::<F>::constant(value as u64)
}

/// A short integer constant that differs between the formats.
#[inline(always)]
pub(crate) fn word_either<F: Real>(single: u32, double: u32) -> Short<F> {
    Short::<F>::constant(u64::from(if F::DOUBLE { double } else { single }))
}

/// The polynomial at `x` by Horner's rule with fused steps.
#[inline(always)]
pub(crate) fn horner<F: Real>(x: F, polynomial: &Polynomial) -> F {
    horner_from(x, polynomial, 0)
}

/// The polynomial of the coefficients from `first` on.
#[inline(always)]
pub(crate) fn horner_from<F: Real>(x: F, polynomial: &Polynomial, first: usize) -> F {
    let (single, double) = (polynomial.single, polynomial.double);
    let count = if F::DOUBLE { double.len() } else { single.len() };
    let coefficient = |i: usize| {
        if F::DOUBLE { either::<F>(0.0, double[i]) } else { either::<F>(single[i], 0.0) }
    };
    let mut sum = coefficient(count - 1);
    for i in (first..count - 1).rev() {
        sum = sum.fma(x, coefficient(i));
    }
    sum
}

/// `2^n` for a normal result.
#[inline(always)]
pub(crate) fn power_of_two<F: Real>(n: Short<F>) -> F {
    F::from_high((n + word::<F>(bias::<F>().into())).shl(word::<F>(stored::<F>().into())))
}

/// `x * 2^n` for `|n|` up to twice the exponent's range. It is rounded once, if it becomes subnormal.
#[inline(always)]
pub(crate) fn scale<F: Real>(x: F, n: Short<F>) -> F {
    let half = n.sar(word::<F>(1));
    x * power_of_two::<F>(half) * power_of_two::<F>(n - half)
}

/// `x` with `n` added to its exponent; for normal numbers.
#[inline(always)]
pub(crate) fn add_exponent<F: Real>(x: F, n: Short<F>) -> F {
    x.with_high(x.high() + n.shl(word::<F>(stored::<F>().into())))
}

/// The magnitude of `x` with the sign of `sign`.
#[inline(always)]
pub(crate) fn copysign<F: Real>(x: F, sign: F) -> F {
    let mask = word::<F>(0x7fff_ffff);
    let top = word::<F>(0x8000_0000);
    x.with_high((x.high() & mask) | (sign.high() & top))
}

/// Infinity.
#[inline(always)]
pub(crate) fn infinity<F: Real>() -> F {
    either(f32::INFINITY, f64::INFINITY)
}

/// Not a number.
#[inline(always)]
pub(crate) fn nan<F: Real>() -> F {
    either(f32::NAN, f64::NAN)
}

/// `x + y` and its rounding error (Knuth).
#[inline(always)]
pub(crate) fn two_sum<F: Real>(x: F, y: F) -> (F, F) {
    let sum = x + y;
    let part = sum - x;
    (sum, (x - (sum - part)) + (y - part))
}

/// `x + y` and its rounding error where `|x| >= |y|` or `x` is 0 (Dekker).
#[inline(always)]
pub(crate) fn fast_two_sum<F: Real>(x: F, y: F) -> (F, F) {
    let sum = x + y;
    (sum, (x - sum) + y)
}

/// `x * y` and its rounding error.
#[inline(always)]
pub(crate) fn two_product<F: Real>(x: F, y: F) -> (F, F) {
    let product = x * y;
    (product, x.fma(y, -product))
}

/// `1 / sqrt(x)` within 3.5 %, by the well-known integer trick, for corrections that need no more.
#[inline(always)]
pub(crate) fn rough_rsqrt<F: Real>(x: F) -> F {
    let magic = word_either::<F>(0x5f37_59df, 0x5fe6_eb50);
    F::from_high(magic - x.high().shr(word::<F>(1)))
}

/// `1 / x` within 13 % for a positive `x`, for corrections that need no more.
#[inline(always)]
pub(crate) fn rough_reciprocal<F: Real>(x: F) -> F {
    let magic = word_either::<F>(0x7ef3_11c7, 0x7fde_6238);
    let most = word_either::<F>(0x7ec0_0000, 0x7fd8_0000);
    let high = x.high();
    F::from_high(magic - high.where_else(high.below(most), most))
}
