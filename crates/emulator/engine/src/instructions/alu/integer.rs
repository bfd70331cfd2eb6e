//! Handlers of integer arithmetic except products.

use crate::instructions::alu::moves::{each, product, widened};
use crate::instructions::alu::operation::{
    Affine, AluOperation, affine, hot2, hot3, rare1, rare2, rare3, warm1, warm2, warm3,
};
use lanework_ptx_ir::opcode::integer::{
    CarryOp, Integer, IntegerOp, IntegerSize, PairOp, ProductOp, SignedInteger,
};

const ADD: Affine = Affine { sum: true, ..affine(&|a, b, _| Some(each(u64::wrapping_add, a, b))) };
const SUB: Affine = affine(&|a, b, _| Some(each(u64::wrapping_sub, a, b)));
/// The handlers of an opcode of this family.
pub fn handlers(op: IntegerOp) -> &'static AluOperation {
    use Integer::*;
    match op {
        IntegerOp::Add(U32 | S32) => with_affine!(hot2(|a: u32, b: u32| a.wrapping_add(b)), ADD),
        IntegerOp::Add(U64 | S64) => with_affine!(hot2(|a: u64, b: u64| a.wrapping_add(b)), ADD),
        IntegerOp::Add(U16) => warm2(|a: u16, b: u16| a.wrapping_add(b)),
        IntegerOp::Add(S16) => warm2(|a: i16, b: i16| a.wrapping_add(b)),
        IntegerOp::Add(ty) => by_integer!(ty, rare2, |a, b| a.wrapping_add(b)),
        IntegerOp::Sub(U32 | S32) => with_affine!(hot2(|a: u32, b: u32| a.wrapping_sub(b)), SUB),
        IntegerOp::Sub(U64 | S64) => with_affine!(hot2(|a: u64, b: u64| a.wrapping_sub(b)), SUB),
        IntegerOp::Sub(U16) => warm2(|a: u16, b: u16| a.wrapping_sub(b)),
        IntegerOp::Sub(S16) => warm2(|a: i16, b: i16| a.wrapping_sub(b)),
        IntegerOp::Sub(ty) => by_integer!(ty, rare2, |a, b| a.wrapping_sub(b)),
        IntegerOp::AddSaturate => rare2(|a: i32, b: i32| a.saturating_add(b)),
        IntegerOp::SubSaturate => rare2(|a: i32, b: i32| a.saturating_sub(b)),
        IntegerOp::Div(U32) => warm2(|a: u32, b: u32| quotient(a, b)),
        IntegerOp::Div(S32) => warm2(|a: i32, b: i32| signed_quotient(a, b)),
        IntegerOp::Div(U64) => warm2(|a: u64, b: u64| a.checked_div(b).unwrap_or(u64::MAX)),
        IntegerOp::Div(S64) => warm2(|a: i64, b: i64| if b == 0 { -1 } else { a.wrapping_div(b) }),
        IntegerOp::Div(ty) => by_integer!(ty, rare2, |a, b| if b == 0 {
            (0 as T).wrapping_sub(1)
        } else {
            a.wrapping_div(b)
        }),
        IntegerOp::Rem(U32) => warm2(|a: u32, b: u32| {
            let rest = a.wrapping_sub(quotient(a, b).wrapping_mul(b));
            if b == 0 { u32::MAX } else { rest }
        }),
        IntegerOp::Rem(S32) => warm2(|a: i32, b: i32| {
            let rest = a.wrapping_sub(signed_quotient(a, b).wrapping_mul(b));
            if b == 0 { -1 } else { rest }
        }),
        IntegerOp::Rem(U64) => warm2(|a: u64, b: u64| a.checked_rem(b).unwrap_or(u64::MAX)),
        IntegerOp::Rem(S64) => warm2(|a: i64, b: i64| if b == 0 { -1 } else { a.wrapping_rem(b) }),
        IntegerOp::Rem(ty) => by_integer!(ty, rare2, |a, b| if b == 0 {
            (0 as T).wrapping_sub(1)
        } else {
            a.wrapping_rem(b)
        }),
        IntegerOp::Min(S32) => warm2(|a: i32, b: i32| a.min(b)),
        IntegerOp::Min(U32) => warm2(|a: u32, b: u32| a.min(b)),
        IntegerOp::Min(S64) => warm2(|a: i64, b: i64| a.min(b)),
        IntegerOp::Min(U64) => warm2(|a: u64, b: u64| a.min(b)),
        IntegerOp::Min(ty) => by_integer!(ty, rare2, |a, b| a.min(b)),
        IntegerOp::Max(S32) => warm2(|a: i32, b: i32| a.max(b)),
        IntegerOp::Max(U32) => warm2(|a: u32, b: u32| a.max(b)),
        IntegerOp::Max(S64) => warm2(|a: i64, b: i64| a.max(b)),
        IntegerOp::Max(U64) => warm2(|a: u64, b: u64| a.max(b)),
        IntegerOp::Max(ty) => by_integer!(ty, rare2, |a, b| a.max(b)),
        IntegerOp::MinRelu => rare2(|a: i32, b: i32| a.min(b).max(0)),
        IntegerOp::MaxRelu => rare2(|a: i32, b: i32| a.max(b).max(0)),
        IntegerOp::Abs(SignedInteger::S16) => rare1(|a: i16| a.wrapping_abs()),
        IntegerOp::Abs(SignedInteger::S32) => warm1(|a: i32| a.wrapping_abs()),
        IntegerOp::Abs(SignedInteger::S64) => warm1(|a: i64| a.wrapping_abs()),
        IntegerOp::Neg(SignedInteger::S16) => rare1(|a: i16| a.wrapping_neg()),
        IntegerOp::Neg(SignedInteger::S32) => warm1(|a: i32| a.wrapping_neg()),
        IntegerOp::Neg(SignedInteger::S64) => warm1(|a: i64| a.wrapping_neg()),
        IntegerOp::SumOfDifference(ty) => {
            by_integer!(ty, rare3, |a, b, c| c.wrapping_add(if a < b {
                b.wrapping_sub(a)
            } else {
                a.wrapping_sub(b)
            }))
        }
        IntegerOp::Pair(op) => pair(op),
    }
}

/// A quotient of words, through f64, which the compiler vectorizes; all ones for a divisor of 0. It is exact: unless the
/// quotient is a whole number, its distance to the next one is at least 2^-32 of it, and the host rounds by less.
#[inline(always)]
fn quotient(a: u32, b: u32) -> u32 {
    /// After a sum with this number, the low bits hold the integer part.
    const WHOLE: f64 = (1u64 << 52) as f64;
    let exact = f64::from(a) / f64::from(b.max(1));
    let quotient = (exact.floor() + WHOLE).to_bits() as u32;
    if b == 0 { u32::MAX } else { quotient }
}

/// The same with signs, toward zero.
#[inline(always)]
fn signed_quotient(a: i32, b: i32) -> i32 {
    let quotient = quotient(a.unsigned_abs(), b.unsigned_abs()) as i32;
    let quotient = if (a ^ b) < 0 { quotient.wrapping_neg() } else { quotient };
    if b == 0 { -1 } else { quotient }
}

fn pair(op: PairOp) -> &'static AluOperation {
    fn each(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
        u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
    }
    fn signed(f: impl Fn(i16, i16) -> i16) -> impl Fn(u16, u16) -> u16 {
        move |a, b| f(a as i16, b as i16) as u16
    }
    match op {
        PairOp::Add => rare2(|a: u32, b: u32| each(a, b, u16::wrapping_add)),
        PairOp::Min { signed: false } => rare2(|a: u32, b: u32| each(a, b, u16::min)),
        PairOp::Max { signed: false } => rare2(|a: u32, b: u32| each(a, b, u16::max)),
        PairOp::Min { signed: true } => rare2(|a: u32, b: u32| each(a, b, signed(i16::min))),
        PairOp::Max { signed: true } => rare2(|a: u32, b: u32| each(a, b, signed(i16::max))),
        PairOp::MinRelu => rare2(|a: u32, b: u32| each(a, b, signed(|a, b| a.min(b).max(0)))),
        PairOp::MaxRelu => rare2(|a: u32, b: u32| each(a, b, signed(|a, b| a.max(b).max(0)))),
    }
}

/// The handlers of an opcode of this family.
pub fn carry_handlers(op: CarryOp) -> &'static AluOperation {
    let CarryOp { subtract, wide, carry_out } = op;
    // A difference is the sum with the complement.
    match (wide, subtract, carry_out) {
        (false, false, false) => warm3(|a: u32, b: u32, c: bool| sum32(a, b, c).0),
        (false, false, true) => warm3(|a: u32, b: u32, c: bool| sum32(a, b, c).1),
        (true, false, false) => warm3(|a: u64, b: u64, c: bool| sum64(a, b, c).0),
        (true, false, true) => warm3(|a: u64, b: u64, c: bool| sum64(a, b, c).1),
        (false, true, false) => warm3(|a: u32, b: u32, c: bool| sum32(a, !b, c).0),
        (false, true, true) => warm3(|a: u32, b: u32, c: bool| sum32(a, !b, c).1),
        (true, true, false) => warm3(|a: u64, b: u64, c: bool| sum64(a, !b, c).0),
        (true, true, true) => warm3(|a: u64, b: u64, c: bool| sum64(a, !b, c).1),
    }
}

/// The sum of 32-bit words and a carry, and the carry out.
#[inline(always)]
fn sum32(a: u32, b: u32, carry: bool) -> (u32, bool) {
    let part = a.wrapping_add(b);
    let sum = part.wrapping_add(u32::from(carry));
    (sum, (part < a) | (sum < part))
}

/// The sum of 64-bit words and a carry, and the carry out.
#[inline(always)]
fn sum64(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let part = a.wrapping_add(b);
    let sum = part.wrapping_add(u64::from(carry));
    (sum, (part < a) | (sum < part))
}

const MUL: Affine = affine(&|a, b, _| Some(product(a, b)));
const MAD: Affine = affine(&|a, b, c| Some(each(u64::wrapping_add, product(a, b), c)));
const MUL_WIDE_S: Affine = affine(&|a, b, _| Some(product(widened(a, true)?, widened(b, true)?)));
const MUL_WIDE_U: Affine = affine(&|a, b, _| Some(product(widened(a, false)?, widened(b, false)?)));
const MAD_WIDE_S: Affine = affine(&|a, b, c| {
    Some(each(u64::wrapping_add, product(widened(a, true)?, widened(b, true)?), c))
});
const MAD_WIDE_U: Affine = affine(&|a, b, c| {
    Some(each(u64::wrapping_add, product(widened(a, false)?, widened(b, false)?), c))
});

/// The handlers of an opcode of this family.
pub fn product_handlers(op: ProductOp) -> &'static AluOperation {
    use Integer::{S16, S32, S64, U16, U32, U64};
    match op {
        ProductOp::Mul(U32 | S32) => with_affine!(hot2(|a: u32, b: u32| a.wrapping_mul(b)), MUL),
        ProductOp::Mul(U64 | S64) => with_affine!(warm2(|a: u64, b: u64| a.wrapping_mul(b)), MUL),
        ProductOp::Mul(U16) => warm2(|a: u16, b: u16| a.wrapping_mul(b)),
        ProductOp::Mul(S16) => warm2(|a: i16, b: i16| a.wrapping_mul(b)),
        ProductOp::Mul(ty) => by_integer!(ty, rare2, |a, b| a.wrapping_mul(b)),
        ProductOp::Mad(U32 | S32) => {
            with_affine!(hot3(|a: u32, b: u32, c: u32| a.wrapping_mul(b).wrapping_add(c)), MAD)
        }
        ProductOp::Mad(U64 | S64) => {
            with_affine!(warm3(|a: u64, b: u64, c: u64| a.wrapping_mul(b).wrapping_add(c)), MAD)
        }
        ProductOp::Mad(ty) => by_integer!(ty, rare3, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        ProductOp::MulWide { word, signed } => match (word, signed) {
            (false, false) => warm2(|a: u16, b: u16| u32::from(a) * u32::from(b)),
            (false, true) => warm2(|a: i16, b: i16| i32::from(a) * i32::from(b)),
            (true, false) => {
                with_affine!(hot2(|a: u32, b: u32| u64::from(a) * u64::from(b)), MUL_WIDE_U)
            }
            (true, true) => {
                with_affine!(hot2(|a: i32, b: i32| i64::from(a) * i64::from(b)), MUL_WIDE_S)
            }
        },
        ProductOp::MadWide { word, signed } => match (word, signed) {
            (false, false) => {
                rare3(|a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c))
            }
            (false, true) => {
                rare3(|a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c))
            }
            (true, false) => with_affine!(
                warm3(|a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c)),
                MAD_WIDE_U
            ),
            (true, true) => with_affine!(
                warm3(|a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c)),
                MAD_WIDE_S
            ),
        },
        ProductOp::MulHigh { size, signed } => high(size, signed),
        ProductOp::MadHigh { size, signed } => high_and_sum(size, signed),
        ProductOp::MadHighSaturate => rare3(|a: i32, b: i32, c: i32| {
            (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c)
        }),
        ProductOp::Mul24 { high, signed } => match (signed, high) {
            (false, false) => warm2(|a: u32, b: u32| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff)),
            (true, false) => warm2(|a: i32, b: i32| (a << 8 >> 8).wrapping_mul(b << 8 >> 8)),
            (false, true) => rare2(|a: u32, b: u32| {
                ((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> 16) as u32
            }),
            (true, true) => rare2(|a: i32, b: i32| ((low24(a) * low24(b)) >> 16) as i32),
        },
        ProductOp::Mad24 { high, signed } => match (signed, high) {
            (false, true) => rare3(|a: u32, b: u32, c: u32| {
                (((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> 16) as u32)
                    .wrapping_add(c)
            }),
            (true, true) => rare3(|a: i32, b: i32, c: i32| {
                (((low24(a) * low24(b)) >> 16) as i32).wrapping_add(c)
            }),
            (false, false) => rare3(|a: u32, b: u32, c: u32| {
                (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c)
            }),
            (true, false) => {
                rare3(|a: i32, b: i32, c: i32| ((low24(a) * low24(b)) as i32).wrapping_add(c))
            }
        },
        ProductOp::Mad24HighSaturate => {
            rare3(|a: i32, b: i32, c: i32| (((low24(a) * low24(b)) >> 16) as i32).saturating_add(c))
        }
        ProductOp::Dot4 { signed } => match signed {
            [false, false] => warm3(|a, b, c| dot4::<false, false>(a, b, c)),
            [false, true] => warm3(|a, b, c| dot4::<false, true>(a, b, c)),
            [true, false] => warm3(|a, b, c| dot4::<true, false>(a, b, c)),
            [true, true] => warm3(|a, b, c| dot4::<true, true>(a, b, c)),
        },
        ProductOp::Dot2 { signed, high } => match (signed, high) {
            ([false, false], false) => rare3(|a, b, c| dot2::<false, false, 0>(a, b, c)),
            ([false, true], false) => rare3(|a, b, c| dot2::<false, true, 0>(a, b, c)),
            ([true, false], false) => rare3(|a, b, c| dot2::<true, false, 0>(a, b, c)),
            ([true, true], false) => rare3(|a, b, c| dot2::<true, true, 0>(a, b, c)),
            ([false, false], true) => rare3(|a, b, c| dot2::<false, false, 1>(a, b, c)),
            ([false, true], true) => rare3(|a, b, c| dot2::<false, true, 1>(a, b, c)),
            ([true, false], true) => rare3(|a, b, c| dot2::<true, false, 1>(a, b, c)),
            ([true, true], true) => rare3(|a, b, c| dot2::<true, true, 1>(a, b, c)),
        },
    }
}

fn high(size: IntegerSize, signed: bool) -> &'static AluOperation {
    match (size, signed) {
        (IntegerSize::Half, false) => {
            rare2(|a: u16, b: u16| ((u32::from(a) * u32::from(b)) >> 16) as u16)
        }
        (IntegerSize::Half, true) => {
            rare2(|a: i16, b: i16| ((i32::from(a) * i32::from(b)) >> 16) as i16)
        }
        (IntegerSize::Word, false) => {
            warm2(|a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32)
        }
        (IntegerSize::Word, true) => {
            warm2(|a: i32, b: i32| ((i64::from(a) * i64::from(b)) >> 32) as i32)
        }
        (IntegerSize::Wide, false) => {
            warm2(|a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> 64) as u64)
        }
        (IntegerSize::Wide, true) => {
            warm2(|a: i64, b: i64| ((i128::from(a) * i128::from(b)) >> 64) as i64)
        }
    }
}

fn high_and_sum(size: IntegerSize, signed: bool) -> &'static AluOperation {
    match (size, signed) {
        (IntegerSize::Half, false) => rare3(|a: u16, b: u16, c: u16| {
            (((u32::from(a) * u32::from(b)) >> 16) as u16).wrapping_add(c)
        }),
        (IntegerSize::Half, true) => rare3(|a: i16, b: i16, c: i16| {
            (((i32::from(a) * i32::from(b)) >> 16) as i16).wrapping_add(c)
        }),
        (IntegerSize::Word, false) => warm3(|a: u32, b: u32, c: u32| {
            (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c)
        }),
        (IntegerSize::Word, true) => warm3(|a: i32, b: i32, c: i32| {
            (((i64::from(a) * i64::from(b)) >> 32) as i32).wrapping_add(c)
        }),
        (IntegerSize::Wide, false) => warm3(|a: u64, b: u64, c: u64| {
            (((u128::from(a) * u128::from(b)) >> 64) as u64).wrapping_add(c)
        }),
        (IntegerSize::Wide, true) => warm3(|a: i64, b: i64, c: i64| {
            (((i128::from(a) * i128::from(b)) >> 64) as i64).wrapping_add(c)
        }),
    }
}

fn low24(x: i32) -> i64 {
    i64::from(x << 8 >> 8)
}

fn byte(x: u32, i: u32, signed: bool) -> i32 {
    let byte = (x >> (8 * i)) as u8;
    if signed { i32::from(byte as i8) } else { i32::from(byte) }
}

#[inline(always)]
fn dot4<const SA: bool, const SB: bool>(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add((byte(a, i, SA) * byte(b, i, SB)) as u32))
}

#[inline(always)]
fn dot2<const SA: bool, const SB: bool, const HIGH: u32>(a: u32, b: u32, c: u32) -> u32 {
    let half = |i: u32| {
        let h = (a >> (16 * i)) as u16;
        if SA { i32::from(h as i16) } else { i32::from(h) }
    };
    (0..2)
        .fold(c, |sum, i| sum.wrapping_add(half(i).wrapping_mul(byte(b, 2 * HIGH + i, SB)) as u32))
}

#[cfg(test)]
mod tests {
    use crate::instructions::alu::integer::{quotient, signed_quotient};

    #[test]
    fn quotients_are_the_hosts() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Numbers of every length in bits.
            (seed >> 32) as u32 >> (seed & 31)
        };
        for _ in 0..300_000 {
            let (a, b) = (next(), next());
            // Multiples of the divisor, and their neighbors.
            let near = b.wrapping_mul(a & 0xffff);
            for a in [a, near, near.wrapping_sub(1), near.wrapping_add(1), u32::MAX, 1 << 31] {
                assert_eq!(quotient(a, b), a.checked_div(b).unwrap_or(u32::MAX), "{a} / {b}");
                let (a, b) = (a as i32, b as i32);
                let want = if b == 0 { -1 } else { a.wrapping_div(b) };
                assert_eq!(signed_quotient(a, b), want, "{a} / {b}");
                assert_eq!(
                    signed_quotient(a, -b.abs()),
                    if b == 0 { -1 } else { a.wrapping_div(-b.abs()) }
                );
            }
        }
    }
}
