//! `wgmma.mma_async`: each of the four warps of a warpgroup multiplies its 16 of 64 rows.
//!
//! A product is done when it is issued, from what shared memory then holds. A warp goes past
//! `wgmma.wait_group` when all four have come there, so that none of them reads what is overwritten
//! after the wait.

use super::descriptor::Descriptor;
use super::multiply::{count, encode, integer};
use super::plan::Plan;
use super::registers::{Registers, read_registers};
use super::sparse::Chunks;
use super::sum::{Adder, SIDE, Terms, add_group, add_special, rounded};
use super::terms::Term;
use crate::event::AccessKind;
use crate::fault::{FaultKind, RawFault};
use crate::lanes::{fetch_cold, put_cold};
use crate::machine::Warp;
use crate::slot::{Lanes, NO_SLOT, Slot};
use crate::worker_context::{Context, WarpgroupArrival};
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::matrix::{BitOp, GroupMultiply, Number, Sparse};
use std::ops::Range;

/// Rows of one warp.
const ROWS: usize = 16;
/// Elements of a warp's rows of A at most: 64 columns of bytes where it is sparse.
const MOST: usize = ROWS * 64;
/// Words of a row at most: bits are multiplied by words.
const MOST_K: usize = 64;

/// Elements of a matrix by rows of M or N.
type Block<const ROWS: usize> = [[u64; MOST_K]; ROWS];

/// The place of an element of A in a lane's registers.
fn place_of_a(number: Number, row: usize, k: usize) -> (usize, usize, usize) {
    let per = number.per_register();
    let (word, within) = (k / per, k % per);
    // Eight rows of four words make a register; the next has the other eight rows.
    let lane = row % 8 * 4 + word % 4;
    (lane, row / 8 + 2 * (word / 4), within)
}

fn out_of_bounds(address: u64) -> RawFault {
    RawFault {
        kind: FaultKind::OutOfBounds,
        lane: 0,
        address: Some(address),
        bytes: 16,
        space: MemorySpace::Shared,
        access: Some(AccessKind::Load),
        note: String::new(),
    }
}

/// Reads some rows of M or N from row `first` on. Bits come in words; what lies above an element's bits
/// means nothing.
#[inline(always)]
unsafe fn read<const COUNT: usize>(
    warp: &Warp,
    descriptor: Descriptor,
    (number, across, bytes): (Number, bool, usize),
    first: usize,
) -> Result<Block<COUNT>, RawFault> {
    // SAFETY: the context outlives the warp's run.
    let shared = unsafe { (*warp.context).shared };
    let chunk = |address: u64| -> Result<u128, RawFault> {
        if !shared.holds(address, address, 16) {
            return Err(out_of_bounds(address));
        }
        // SAFETY: the chunk lies inside the region.
        let bytes =
            unsafe { shared.host.add((address - shared.start) as usize).cast::<[u8; 16]>().read() };
        Ok(u128::from_le_bytes(bytes))
    };
    let bits = number.bits().max(8);
    let word = if number == Number::B1 { 4 } else { bits / 8 };
    let element = |chunk: u128, at: usize| (chunk >> (8 * word * at)) as u64;
    let mut to = [[0; MOST_K]; COUNT];
    let per = 16 / word;
    if across {
        for k in 0..bytes / word {
            for part in (0..COUNT).step_by(per) {
                let chunk = chunk(descriptor.across_k(k as u64, ((first + part) / per) as u64))?;
                for at in 0..per {
                    to[part + at][k] = element(chunk, at);
                }
            }
        }
        return Ok(to);
    }
    for (row, to) in to.iter_mut().enumerate() {
        for part in 0..bytes / 16 {
            let chunk = chunk(descriptor.along_k((first + row) as u64, part as u64))?;
            for at in 0..per {
                to[part * per + at] = element(chunk, at);
            }
        }
    }
    Ok(to)
}

/// The chunks of shared memory that the warp's rows of A and all of B are read from.
///
/// # Safety
/// The plan's slots are registers of the warp.
pub unsafe fn operands(
    warp: &Warp,
    this: &GroupMultiply,
    plan: &Plan,
) -> Result<Vec<u64>, RawFault> {
    let mut found = Vec::new();
    let mut add =
        |of: Descriptor, (number, across, bytes): (Number, bool, usize), rows: Range<usize>| {
            let word = if number == Number::B1 { 4 } else { number.bits().max(8) / 8 };
            if across {
                for k in 0..bytes / word {
                    let parts = rows.clone().step_by(16 / word);
                    found.extend(parts.map(|row| of.across_k(k as u64, (row * word / 16) as u64)));
                }
            } else {
                for row in rows {
                    found.extend((0..bytes / 16).map(|part| of.along_k(row as u64, part as u64)));
                }
            }
        };
    // SAFETY: slots are valid by the assembler.
    unsafe {
        let of_b = (this.b, this.across[1], this.bytes_along(this.b, false));
        add(descriptor(warp, plan.src[0])?, of_b, 0..this.n);
        if !this.registers {
            let first = warp.index as usize % 4 * ROWS;
            let of_a = (this.a, this.across[0], this.bytes_along(this.a, true));
            add(descriptor(warp, plan.src[2])?, of_a, first..first + ROWS);
        }
    }
    Ok(found)
}

/// A descriptor operand, the same in all lanes.
unsafe fn descriptor(warp: &Warp, slot: Slot) -> Result<Descriptor, RawFault> {
    // SAFETY: slots are valid by the assembler.
    let bits = unsafe { fetch_cold::<u64>(warp, slot) }.0;
    match bits.iter().position(|other| *other != bits[0]) {
        None => Ok(Descriptor::from_bits(bits[0])),
        Some(lane) => Err(RawFault {
            kind: FaultKind::Unsupported,
            lane: lane as u32,
            address: None,
            bytes: 0,
            space: MemorySpace::Shared,
            access: None,
            note: "the lanes of a warp give different matrix descriptors".to_owned(),
        }),
    }
}

/// The warp's rows of A.
unsafe fn read_a(warp: &Warp, this: &GroupMultiply, plan: &Plan) -> Result<Block<ROWS>, RawFault> {
    let bytes = this.bytes_along(this.a, true);
    // SAFETY: slots are valid by the assembler.
    unsafe {
        if !this.registers {
            let descriptor = descriptor(warp, plan.src[2])?;
            let first = warp.index as usize % 4 * ROWS;
            return read(warp, descriptor, (this.a, this.across[0], bytes), first);
        }
        let words: Registers = read_registers(warp, Number::S32, &plan.src[2..6]);
        let number = if this.a == Number::B1 { Number::S32 } else { this.a };
        let mut to = [[0; MOST_K]; ROWS];
        for (row, to) in to.iter_mut().enumerate() {
            for k in 0..bytes * 8 / number.bits() {
                let (lane, register, within) = place_of_a(number, row, k);
                to[k] = words[register][lane] >> (within * number.bits());
            }
        }
        Ok(to)
    }
}

/// Whether the accumulator counts.
unsafe fn counts(warp: &Warp, this: &GroupMultiply, plan: &Plan) -> bool {
    // SAFETY: the slot is a predicate.
    unsafe { fetch_cold::<bool>(warp, plan.src[1]).0[0] != this.inverted }
}

/// The accumulator's slots among the sources.
fn accumulators<'p>(this: &GroupMultiply, plan: &'p Plan) -> &'p [Slot] {
    let first = if this.registers { 6 } else { 3 };
    &plan.src[first..][..this.accumulators()]
}

/// The place of a row's metadata.
unsafe fn chunks(warp: &Warp, this: &GroupMultiply, plan: &Plan, sparse: Sparse) -> Chunks {
    let first = if this.registers { 6 } else { 3 };
    // SAFETY: slots are valid by the assembler.
    let metadata = unsafe { fetch_cold::<u32>(warp, plan.src[first + this.accumulators()]) };
    Chunks::of(this.a, this.k, sparse, &metadata.0)
}

/// The lane and the place among four that hold an element of eight columns of the accumulator.
#[inline(always)]
fn place(row: usize, column: usize) -> (usize, usize) {
    (row % 8 * 4 + column / 2, row / 8 * 2 + column % 2)
}

/// Multiplies floats.
///
/// # Safety
/// The plan's slots are registers of the warp.
#[inline(always)]
pub unsafe fn floats(warp: &mut Warp, this: &GroupMultiply, plan: &Plan) -> Result<(), RawFault> {
    let k = this.k;
    let mut special = false;
    // SAFETY: by the caller.
    let (stored, b, counts) = unsafe {
        (read_a(warp, this, plan)?, descriptor(warp, plan.src[0])?, counts(warp, this, plan))
    };
    let sign = if this.negated { -1.0 } else { 1.0 };
    let mut decode = |bits: u64| {
        let term = Term::decode(this.a, bits);
        special |= !term.value.is_finite();
        Term { value: term.value * sign, power: term.power }
    };
    let mut a = [Term::ABSENT; MOST];
    match this.sparse {
        None => {
            for row in 0..ROWS {
                for at in 0..k {
                    a[row * k + at] = decode(stored[row][at]);
                }
            }
        }
        Some(sparse) => {
            let mut rows = [Term::default(); MOST];
            for row in 0..ROWS {
                for at in 0..k / 2 {
                    rows[row * (k / 2) + at] = decode(stored[row][at]);
                }
            }
            // SAFETY: by the caller.
            let chunks = unsafe { chunks(warp, this, plan, sparse) };
            chunks.spread(&rows, |row, at, term| a[row * k + at] = term);
        }
    }
    let adder = Adder::of(this.a, this.d, true);
    let group = (adder.group * if this.sparse.is_some() { 2 } else { 1 }).min(k);
    let bytes = this.bytes_along(this.b, false);
    let halves = this.d == Number::F16;
    let each = if halves { 2 } else { 4 };
    for block in 0..this.n / SIDE {
        // SAFETY: by the caller.
        let columns =
            unsafe { read::<SIDE>(warp, b, (this.b, this.across[1], bytes), block * SIDE)? };
        let mut b = [Terms::default(); MOST_K];
        let mut special = special;
        for (at, b) in b.iter_mut().enumerate().take(k) {
            for j in 0..SIDE {
                let term = Term::decode(this.b, columns[j][at]);
                special |= !term.value.is_finite();
                b.set(j, term);
            }
        }
        let mut words = [[0u32; 32]; 4];
        if counts {
            let slots = &accumulators(this, plan)[block * each..][..each];
            for (word, slot) in words.iter_mut().zip(slots) {
                // SAFETY: by the caller.
                *word = unsafe { fetch_cold::<u32>(warp, *slot).0 };
            }
        }
        for row in 0..ROWS {
            let mut sum = Terms::default();
            for j in 0..SIDE {
                let (lane, i) = place(row, j);
                let term = match halves {
                    true => {
                        let bits = words[i / 2][lane] >> (16 * (i % 2));
                        Term::decode(Number::F16, bits.into())
                    }
                    false => Term::decode(Number::F32, words[i][lane].into()),
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
        write(warp, plan, block, each, &words);
    }
    Ok(())
}

/// Writes the accumulator's registers of eight columns.
fn write(warp: &mut Warp, plan: &Plan, block: usize, each: usize, words: &[[u32; 32]; 4]) {
    for (word, slot) in words.iter().zip(&plan.dst[block * each..][..each]) {
        if *slot != NO_SLOT {
            // SAFETY: slots are valid by the assembler.
            unsafe { put_cold(warp, *slot, Lanes(*word)) }
        }
    }
}

/// Multiplies integers, or bits.
///
/// # Safety
/// As for [`floats`].
#[inline(always)]
pub unsafe fn integers(warp: &mut Warp, this: &GroupMultiply, plan: &Plan) -> Result<(), RawFault> {
    // SAFETY: by the caller.
    let (stored, descriptor, counts) = unsafe {
        (read_a(warp, this, plan)?, descriptor(warp, plan.src[0])?, counts(warp, this, plan))
    };
    let k = if this.bits { this.k / 32 } else { this.k };
    let mut a = [0i32; MOST];
    match this.sparse {
        None => {
            for row in 0..ROWS {
                for at in 0..k {
                    a[row * k + at] = integer(this.a, stored[row][at]);
                }
            }
        }
        Some(sparse) => {
            let mut rows = [0i32; MOST];
            for row in 0..ROWS {
                for at in 0..k / 2 {
                    rows[row * (k / 2) + at] = integer(this.a, stored[row][at]);
                }
            }
            // SAFETY: by the caller.
            let chunks = unsafe { chunks(warp, this, plan, sparse) };
            chunks.spread(&rows, |row, at, number| a[row * k + at] = number);
        }
    }
    let bytes = this.bytes_along(this.b, false);
    for block in 0..this.n / SIDE {
        // SAFETY: by the caller.
        let columns =
            unsafe { read::<SIDE>(warp, descriptor, (this.b, false, bytes), block * SIDE)? };
        let mut words = [[0u32; 32]; 4];
        if counts {
            for (word, slot) in words.iter_mut().zip(&accumulators(this, plan)[block * 4..][..4]) {
                // SAFETY: by the caller.
                *word = unsafe { fetch_cold::<u32>(warp, *slot).0 };
            }
        }
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
        write(warp, plan, block, 4, &words);
    }
    Ok(())
}

/// `wgmma.wait_group`: `false` until all warps of the warpgroup have come.
///
/// # Safety
/// The warp's context is live.
pub unsafe fn wait(warp: &mut Warp) -> Result<bool, RawFault> {
    // SAFETY: by the caller.
    let context: &mut Context = unsafe { &mut *warp.context };
    let (index, first) = (warp.index as usize, warp.index as usize & !3);
    let Some(group) = context.warpgroups.get_mut(first..first + 4) else {
        return Err(RawFault {
            kind: FaultKind::Unsupported,
            lane: 0,
            address: None,
            bytes: 0,
            space: MemorySpace::Generic,
            access: None,
            note: "the warps at the end of the block do not form a warpgroup, which has four"
                .to_owned(),
        });
    };
    let own = &mut group[index - first];
    if !own.waits {
        *own = WarpgroupArrival { came: own.came + 1, waits: true };
    }
    let came = own.came;
    let all = group.iter().all(|warp| warp.came >= came);
    group[index - first].waits = !all;
    Ok(all)
}
