//! Arithmetic on registers in scalar form: both bases and the stride.

use crate::slot::{Scalar, both};

/// A function of both bases and the stride.
#[inline(always)]
pub fn each(f: impl Fn(u64, u64) -> u64, a: Scalar, b: Scalar) -> Scalar {
    Scalar {
        base: [f(a.base[0], b.base[0]), f(a.base[1], b.base[1])],
        stride: f(a.stride, b.stride),
        unused: 0,
    }
}

/// A product, of which one factor is uniform.
#[inline(always)]
pub fn product(a: Scalar, b: Scalar) -> Scalar {
    let stride = a.stride.wrapping_mul(b.base[0]).wrapping_add(b.stride.wrapping_mul(a.base[0]));
    Scalar {
        base: [a.base[0].wrapping_mul(b.base[0]), a.base[1].wrapping_mul(b.base[1])],
        stride,
        unused: 0,
    }
}

/// A 32-bit affine value as a 64-bit one, if no lane wraps.
#[inline(always)]
pub fn widened(a: Scalar, signed: bool) -> Option<Scalar> {
    let stride = i64::from(a.stride as i32);
    let base = both(a.base, |b| if signed { i64::from(b as i32) } else { i64::from(b as u32) });
    let range =
        if signed { i64::from(i32::MIN)..=i64::from(i32::MAX) } else { 0..=i64::from(u32::MAX) };
    let last = [base[0] + 15 * stride, base[1] + 15 * stride];
    if range.contains(&last[0]) && range.contains(&last[1]) {
        Some(Scalar { base: both(base, |b| b as u64), stride: stride as u64, unused: 0 })
    } else {
        None
    }
}

/// A shift to the left by a uniform amount, of values of `bits`.
#[inline(always)]
pub fn shifted(a: Scalar, amount: Scalar, bits: u64) -> Option<Scalar> {
    let by = amount.base[0] & 0xffff_ffff;
    let shift = |x: u64| if by >= bits { 0 } else { x << by };
    Some(Scalar { base: both(a.base, shift), stride: shift(a.stride), unused: 0 })
}
