//! The accumulator of a warpgroup's product: the warp's 16 rows of D, in its registers, eight columns at a
//! time.

use super::super::plan::Plan;
use crate::lanes::{fetch_cold, put_cold};
use crate::machine::Warp;
use crate::slot::{Lanes, NO_SLOT, Slot};
use lanework_ptx_ir::opcode::matrix::GroupMultiply;

/// Eight columns: by register, the lanes' words.
pub type Words = [[u32; 32]; 4];

/// Whether the accumulator counts.
///
/// # Safety
/// The plan's slots are registers of the warp.
pub unsafe fn counts(warp: &Warp, this: &GroupMultiply, plan: &Plan) -> bool {
    // SAFETY: the assembler gave a predicate's slot of this register file.
    unsafe { fetch_cold::<bool>(warp, plan.src[1]).0[0] != this.inverted }
}

/// The accumulator's slots among the sources.
fn accumulators<'p>(this: &GroupMultiply, plan: &'p Plan) -> &'p [Slot] {
    let first = if this.registers { 6 } else { 3 };
    &plan.src[first..][..this.accumulators()]
}

/// The lane and the place among four that hold an element of eight columns of the accumulator.
#[inline(always)]
pub fn place(row: usize, column: usize) -> (usize, usize) {
    (row % 8 * 4 + column / 2, row / 8 * 2 + column % 2)
}

/// The registers of eight columns, `each` of them; zeros where the accumulator does not count.
///
/// # Safety
/// The plan's slots are registers of the warp.
#[inline(always)]
pub unsafe fn read(
    warp: &Warp,
    this: &GroupMultiply,
    plan: &Plan,
    counts: bool,
    (block, each): (usize, usize),
) -> Words {
    let mut words = [[0; 32]; 4];
    if counts {
        for (word, slot) in words.iter_mut().zip(&accumulators(this, plan)[block * each..][..each])
        {
            // SAFETY: the plan's slots lie in the register file of this warp, as this function requires.
            *word = unsafe { fetch_cold::<u32>(warp, *slot).0 };
        }
    }
    words
}

/// Writes the registers of eight columns, `each` of them.
pub fn write(warp: &mut Warp, plan: &Plan, (block, each): (usize, usize), words: &Words) {
    for (word, slot) in words.iter().zip(&plan.dst[block * each..][..each]) {
        if *slot != NO_SLOT {
            // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots lie in it.
            unsafe { put_cold(warp, *slot, Lanes(*word)) }
        }
    }
}
