//! Handlers of copies, and of splitting and joining registers.

use crate::instructions::alu::operation::{
    Affine, AluOperation, affine, hot1, mask, rare1, rare2, warm1, warm2,
};
use crate::machine::slot::{Scalar, both};
use lanework_ptx_ir::memory_layout::{
    LOCAL_WINDOW, OFFSET_MASK, PARAMETER_WINDOW, RANK_SHIFT, SHARED_WINDOW, WINDOW,
};
use lanework_ptx_ir::opcode::integer::AddressOp;
use lanework_ptx_ir::opcode::logic::{MoveOp, PartSize};
use lanework_ptx_ir::types::Width;

const COPY: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| Some(a));

/// The handlers of an opcode of this family.
pub fn handlers(op: MoveOp) -> &'static AluOperation {
    match op {
        MoveOp::Copy(Width::Predicate) => mask(|a, _| a),
        MoveOp::Copy(Width::Wide) => with_affine!(warm1(|a: u64| a), COPY),
        MoveOp::Copy(Width::Word) => with_affine!(hot1(|a: u32| a), COPY),
        MoveOp::Truncate(PartSize::Byte) => rare1(|a: u8| a),
        MoveOp::Truncate(PartSize::Half) => rare1(|a: u16| a),
        MoveOp::Truncate(PartSize::Word) => rare1(|a: u32| a),
        MoveOp::Extract { wide: true, part } => match part {
            PartSize::Word => warm2(|a: u64, n: u32| (a >> (n & 63)) as u32),
            PartSize::Half => rare2(|a: u64, n: u32| (a >> (n & 63)) as u16),
            PartSize::Byte => rare2(|a: u64, n: u32| (a >> (n & 63)) as u8),
        },
        MoveOp::Extract { wide: false, part } => match part {
            PartSize::Word => rare2(|a: u32, n: u32| a >> (n & 31)),
            PartSize::Half => rare2(|a: u32, n: u32| (a >> (n & 31)) as u16),
            PartSize::Byte => rare2(|a: u32, n: u32| (a >> (n & 31)) as u8),
        },
        MoveOp::Concatenate { wide: true, low } => match low {
            1 => rare2(|a: u8, b: u64| u64::from(a) | b << 8),
            2 => rare2(|a: u16, b: u64| u64::from(a) | b << 16),
            3 => rare2(|a: u64, b: u64| (a & 0xff_ffff) | b << 24),
            4 => warm2(|a: u32, b: u64| u64::from(a) | b << 32),
            5 => rare2(|a: u64, b: u64| (a & 0xff_ffff_ffff) | b << 40),
            6 => rare2(|a: u64, b: u64| (a & 0xffff_ffff_ffff) | b << 48),
            _ => rare2(|a: u64, b: u64| (a & 0xff_ffff_ffff_ffff) | b << 56),
        },
        MoveOp::Concatenate { wide: false, low } => match low {
            1 => rare2(|a: u8, b: u32| u32::from(a) | b << 8),
            2 => rare2(|a: u16, b: u32| u32::from(a) | b << 16),
            _ => rare2(|a: u32, b: u32| (a & 0xff_ffff) | b << 24),
        },
    }
}

/// A function of both bases and the stride.
#[inline(always)]
pub fn each(f: impl Fn(u64, u64) -> u64, a: Scalar, b: Scalar) -> Scalar {
    Scalar {
        base: [f(a.base[0], b.base[0]), f(a.base[1], b.base[1])],
        stride: f(a.stride, b.stride),
        unused: 0,
    }
}

/// A product with one uniform factor.
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

const ADD: Affine = affine(&|a, b, _| Some(each(u64::wrapping_add, a, b)));

/// The handlers of an opcode of this family.
pub fn address_handlers(op: AddressOp) -> &'static AluOperation {
    match op {
        AddressOp::Offset { wide: true } => {
            with_affine!(warm2(|a: u64, b: u64| a.wrapping_add(b)), ADD)
        }
        AddressOp::Offset { wide: false } => {
            with_affine!(warm2(|a: u32, b: u32| a.wrapping_add(b)), ADD)
        }
        AddressOp::IsGlobal => rare1(|a: u64| a.wrapping_sub(SHARED_WINDOW) >= 3 * WINDOW),
        AddressOp::IsShared => rare1(|a: u64| a.wrapping_sub(SHARED_WINDOW) < WINDOW),
        AddressOp::IsLocal => rare1(|a: u64| a.wrapping_sub(LOCAL_WINDOW) < WINDOW),
        AddressOp::IsParameter => rare1(|a: u64| a.wrapping_sub(PARAMETER_WINDOW) < WINDOW),
        AddressOp::IsOwnShared => rare2(|a: u64, own: u32| {
            let above = a.wrapping_sub(SHARED_WINDOW) >> RANK_SHIFT;
            above == 0 || above == u64::from(own) + 1
        }),
        AddressOp::MapShared { generic: true, .. } => rare2(|a: u64, rank: u32| {
            SHARED_WINDOW | a & OFFSET_MASK | (u64::from(rank) + 1) << RANK_SHIFT
        }),
        AddressOp::MapShared { wide: true, .. } => {
            rare2(|a: u64, rank: u32| a & OFFSET_MASK | (u64::from(rank) + 1) << RANK_SHIFT)
        }
        AddressOp::MapShared { wide: false, .. } => {
            rare2(|a: u32, rank: u32| a & OFFSET_MASK as u32 | rank.wrapping_add(1) << RANK_SHIFT)
        }
        AddressOp::RankOf { wide: true } => {
            rare2(|a: u64, own: u32| match (a as u32) >> RANK_SHIFT {
                0 => own,
                above => above - 1,
            })
        }
        AddressOp::RankOf { wide: false } => rare2(|a: u32, own: u32| match a >> RANK_SHIFT {
            0 => own,
            above => above - 1,
        }),
    }
}
