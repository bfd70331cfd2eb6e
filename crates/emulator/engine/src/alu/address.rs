//! Handlers of arithmetic on addresses.

use super::affine::each;
use crate::alu_operation::{Affine, AluOperation, affine, rare1, rare2, warm2};
use lanework_ptx_ir::memory_layout::{
    LOCAL_WINDOW, OFFSET_MASK, PARAMETER_WINDOW, RANK_SHIFT, SHARED_WINDOW, WINDOW,
};
use lanework_ptx_ir::opcode::integer::AddressOp;

const ADD: Affine = affine(&|a, b, _| Some(each(u64::wrapping_add, a, b)));

/// The handlers of an opcode of this family.
pub fn handlers(op: AddressOp) -> &'static AluOperation {
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
