//! Handlers of sums and differences over the carry flag.

use crate::alu_operation::{AluOperation, rare3};
use lanework_ptx_ir::opcode::carry::CarryOp;

/// The handlers of an opcode of this family.
pub fn handlers(op: CarryOp) -> &'static AluOperation {
    let CarryOp { subtract, wide, carry_out } = op;
    match (wide, subtract, carry_out) {
        (false, false, false) => {
            rare3(|a: u32, b: u32, c: bool| a.wrapping_add(b).wrapping_add(u32::from(c)))
        }
        (false, false, true) => {
            rare3(|a: u32, b: u32, c: bool| (u64::from(a) + u64::from(b) + u64::from(c)) >> 32 != 0)
        }
        (true, false, false) => {
            rare3(|a: u64, b: u64, c: bool| a.wrapping_add(b).wrapping_add(u64::from(c)))
        }
        (true, false, true) => rare3(|a: u64, b: u64, c: bool| {
            (u128::from(a) + u128::from(b) + u128::from(c)) >> 64 != 0
        }),
        (false, true, false) => {
            rare3(|a: u32, b: u32, c: bool| a.wrapping_sub(b).wrapping_sub(u32::from(c)))
        }
        (false, true, true) => {
            rare3(|a: u32, b: u32, c: bool| u64::from(a) < u64::from(b) + u64::from(c))
        }
        (true, true, false) => {
            rare3(|a: u64, b: u64, c: bool| a.wrapping_sub(b).wrapping_sub(u64::from(c)))
        }
        (true, true, true) => {
            rare3(|a: u64, b: u64, c: bool| u128::from(a) < u128::from(b) + u128::from(c))
        }
    }
}
