//! `mma.m8n8k4` of f16: four products at once, each by the eight lanes of two quads. Tensor cores since
//! Turing have no such product; the driver's compiler makes it of f32 arithmetic in an order of its own
//! (read from its machine code for compute capability 9.0).

use super::multiply::encode;
use super::plan::Plan;
use super::registers::{Registers, read_registers, write_registers};
use crate::machine::Warp;
use crate::number::narrow::widen16;
use half::f16;
use lanework_ptx_ir::opcode::matrix::{ElementType, Multiply};

/// The f16 at half `i` of a lane's registers.
fn element(words: &Registers, lane: usize, i: usize) -> f32 {
    widen16(f16::from_bits((words[i / 2][lane] >> (16 * (i % 2))) as u16))
}

/// The lane and the element that hold `(line, k)` of A or B, of which `along` says whether a lane holds
/// the four `k` of one line, or four lines of one `k`.
fn factor(product: usize, line: usize, k: usize, along: bool) -> (usize, usize) {
    let first = 4 * product + if line >= 4 { 16 } else { 0 };
    if along { (first + line % 4, k) } else { (first + k, line % 4) }
}

/// The lane and the element of an accumulator.
fn accumulator(product: usize, row: usize, column: usize, number: ElementType) -> (usize, usize) {
    let first = 4 * product + if row >= 4 { 16 } else { 0 };
    if number == ElementType::F16 {
        return (first + row % 4, column);
    }
    let lane = first + (row & 1) + (column & 2);
    (lane, (row & 2) + (column & 4) + (column & 1))
}

/// Multiplies.
///
/// # Safety
/// The plan's slots are registers of the warp.
pub unsafe fn multiply(warp: &mut Warp, this: &Multiply, by_rows: [bool; 2], plan: &Plan) {
    let [of_a, of_b, _] = this.registers;
    // SAFETY: the plan's slots lie in the register file of this warp, as this function requires.
    let [a, b, c] = unsafe {
        [
            read_registers(warp, this.a, &plan.src[..of_a]),
            read_registers(warp, this.b, &plan.src[of_a..of_a + of_b]),
            read_registers(warp, this.c, &plan.src[of_a + of_b..]),
        ]
    };
    let mut words: Registers = [[0; 32]; 8];
    for product in 0..4 {
        for at in 0..64 {
            let (row, column) = (at / 8, at % 8);
            let (lane, i) = accumulator(product, row, column, this.c);
            let start = match this.c {
                ElementType::F16 => element(&c, lane, i),
                _ => f32::from_bits(c[i][lane] as u32),
            };
            let pairs: [(f32, f32); 4] = std::array::from_fn(|k| {
                let (lane_a, i_a) = factor(product, row, k, by_rows[0]);
                let (lane_b, i_b) = factor(product, column, k, !by_rows[1]);
                (element(&a, lane_a, i_a), element(&b, lane_b, i_b))
            });
            let fused = |sum: f32, (x, y): (f32, f32)| x.mul_add(y, sum);
            let sum = match (this.c, this.d) {
                (ElementType::F16, ElementType::F16) => {
                    let half = |first: (f32, f32), second| fused(first.0 * first.1, second);
                    start + half(pairs[0], pairs[1]) + half(pairs[2], pairs[3])
                }
                _ => pairs.into_iter().fold(0.0, fused) + start,
            };
            let (lane, i) = accumulator(product, row, column, this.d);
            match this.d {
                ElementType::F16 => {
                    let bits = encode(ElementType::F16, f64::from(sum));
                    words[i / 2][lane] |= bits << (16 * (i % 2));
                }
                _ => words[i][lane] = encode(ElementType::F32, f64::from(sum)),
            }
        }
    }
    // SAFETY: the plan's slots lie in the register file of this warp, as this function requires.
    unsafe { write_registers(warp, this.d, &plan.dst, &words) }
}
