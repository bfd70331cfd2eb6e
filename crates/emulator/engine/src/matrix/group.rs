//! `wgmma.mma_async`: each of the four warps of a warpgroup multiplies its 16 of 64 rows.
//!
//! A product is done when it is issued, from what shared memory then holds. A warp goes past
//! `wgmma.wait_group` when all four have come there, so that none of them reads what is overwritten
//! after the wait.

mod accumulator;
mod operands;
mod wait;

use super::multiply::{count, encode, integer};
use super::plan::Plan;
use super::sum::{Adder, SIDE, Terms, add_group, add_special, rounded};
use super::terms::Term;
use crate::fault::RawFault;
use crate::machine::Warp;
use accumulator::place;
use lanework_ptx_ir::opcode::matrix::{BitOp, ElementType, GroupMultiply};
use operands::{MOST_K, ROWS, dense_a, descriptor};

pub use operands::chunks_read;
pub use wait::wait;

/// Multiplies floats.
///
/// # Safety
/// The plan's slots are registers of the warp.
#[inline(always)]
pub unsafe fn floats(warp: &mut Warp, this: &GroupMultiply, plan: &Plan) -> Result<(), RawFault> {
    let k = this.k;
    let mut special = false;
    let sign = if this.negated { -1.0 } else { 1.0 };
    let decode = |bits: u64| {
        let term = Term::decode(this.a, bits);
        special |= !term.value.is_finite();
        Term { value: term.value * sign, power: term.power }
    };
    // SAFETY: the plan's slots lie in the register file of this warp, as this function requires; its block's shared
    // memory is live.
    let (a, b, counts) = unsafe {
        (
            dense_a(warp, this, plan, (k, Term::ABSENT), decode)?,
            descriptor(warp, plan.src[0])?,
            accumulator::counts(warp, this, plan),
        )
    };
    let adder = Adder::of(this.a, this.d, true);
    let group = (adder.group * if this.sparse.is_some() { 2 } else { 1 }).min(k);
    let bytes = this.bytes_along(this.b, false);
    let halves = this.d == ElementType::F16;
    let each = if halves { 2 } else { 4 };
    for block in 0..this.n / SIDE {
        // SAFETY: the plan's slots lie in the register file of this warp, as this function requires; its block's
        // shared memory is live.
        let columns = unsafe {
            operands::read::<SIDE>(warp, b, (this.b, this.across[1], bytes), block * SIDE)?
        };
        let mut b = [Terms::default(); MOST_K];
        let mut special = special;
        for (at, b) in b.iter_mut().enumerate().take(k) {
            for j in 0..SIDE {
                let term = Term::decode(this.b, columns[j][at]);
                special |= !term.value.is_finite();
                b.set(j, term);
            }
        }
        // SAFETY: the plan's slots lie in the register file of this warp, as this function requires; its block's
        // shared memory is live.
        let mut words = unsafe { accumulator::read(warp, this, plan, counts, (block, each)) };
        for row in 0..ROWS {
            let mut sum = Terms::default();
            for j in 0..SIDE {
                let (lane, i) = place(row, j);
                let term = match halves {
                    true => {
                        let bits = words[i / 2][lane] >> (16 * (i % 2));
                        Term::decode(ElementType::F16, bits.into())
                    }
                    false => Term::decode(ElementType::F32, words[i][lane].into()),
                };
                special |= !term.value.is_finite();
                sum.set(j, term);
            }
            for first in (0..k).step_by(group) {
                let (a, b) = (&a[row * k + first..][..group], &b[first..][..group]);
                let exact = if special {
                    add_special(adder.kept, a, b, &sum)
                } else {
                    add_group(adder.kept, a, b, &sum)
                };
                for j in 0..SIDE {
                    let term = Term::new(rounded(adder.round, exact[j]), adder.least());
                    special |= !term.value.is_finite();
                    sum.set(j, term);
                }
            }
            for j in 0..SIDE {
                let (lane, i) = place(row, j);
                let bits = encode(this.d, sum.value[j]) as u32;
                if halves {
                    let (to, shift) = (&mut words[i / 2][lane], 16 * (i % 2));
                    *to = *to & !(0xffff << shift) | bits << shift;
                } else {
                    words[i][lane] = bits;
                }
            }
        }
        accumulator::write(warp, plan, (block, each), &words);
    }
    Ok(())
}

/// Multiplies integers, or bits.
///
/// # Safety
/// As for [`floats`].
#[inline(always)]
pub unsafe fn integers(warp: &mut Warp, this: &GroupMultiply, plan: &Plan) -> Result<(), RawFault> {
    let k = if this.bits { this.k / 32 } else { this.k };
    // SAFETY: the plan's slots lie in the register file of this warp, as this function requires; its block's shared
    // memory is live.
    let (a, b, counts) = unsafe {
        (
            dense_a(warp, this, plan, (k, 0), |bits| integer(this.a, bits))?,
            descriptor(warp, plan.src[0])?,
            accumulator::counts(warp, this, plan),
        )
    };
    let bytes = this.bytes_along(this.b, false);
    for block in 0..this.n / SIDE {
        // SAFETY: the plan's slots lie in the register file of this warp, as this function requires; its block's
        // shared memory is live.
        let columns =
            unsafe { operands::read::<SIDE>(warp, b, (this.b, false, bytes), block * SIDE)? };
        // SAFETY: the plan's slots lie in the register file of this warp, as this function requires; its block's
        // shared memory is live.
        let mut words = unsafe { accumulator::read(warp, this, plan, counts, (block, 4)) };
        for row in 0..ROWS {
            for (j, column) in columns.iter().enumerate() {
                let mut sum = 0i32;
                for at in 0..k {
                    let (a, b) = (a[row * k + at], integer(this.b, column[at]));
                    sum += if this.bits { count(BitOp::And, a, b) } else { a * b };
                }
                let (lane, i) = place(row, j);
                let to = &mut words[i][lane];
                let c = *to as i32;
                *to = match this.saturate {
                    true => c.saturating_add(sum),
                    false => c.wrapping_add(sum),
                } as u32;
            }
        }
        accumulator::write(warp, plan, (block, 4), &words);
    }
    Ok(())
}
