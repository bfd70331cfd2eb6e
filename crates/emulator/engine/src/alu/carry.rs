//! Handlers of sums and differences over the carry flag.

use crate::alu_operation::{AluOperation, rare3};
use lanework_ptx_ir::opcode::integer::CarryOp;

/// The handlers of an opcode of this family.
pub fn handlers(op: CarryOp) -> &'static AluOperation {
    let CarryOp { subtract, wide, carry_out } = op;
    // A difference is the sum with the complement.
    match (wide, subtract, carry_out) {
        (false, false, false) => rare3(|a: u32, b: u32, c: bool| sum32(a, b, c).0),
        (false, false, true) => rare3(|a: u32, b: u32, c: bool| sum32(a, b, c).1),
        (true, false, false) => rare3(|a: u64, b: u64, c: bool| sum64(a, b, c).0),
        (true, false, true) => rare3(|a: u64, b: u64, c: bool| sum64(a, b, c).1),
        (false, true, false) => rare3(|a: u32, b: u32, c: bool| sum32(a, !b, c).0),
        (false, true, true) => rare3(|a: u32, b: u32, c: bool| sum32(a, !b, c).1),
        (true, true, false) => rare3(|a: u64, b: u64, c: bool| sum64(a, !b, c).0),
        (true, true, true) => rare3(|a: u64, b: u64, c: bool| sum64(a, !b, c).1),
    }
}

/// The sum of 32-bit words and a carry, and the carry out.
fn sum32(a: u32, b: u32, carry: bool) -> (u32, bool) {
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    (sum as u32, sum >> 32 != 0)
}

/// The sum of 64-bit words and a carry, and the carry out.
fn sum64(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let sum = u128::from(a) + u128::from(b) + u128::from(carry);
    (sum as u64, sum >> 64 != 0)
}
