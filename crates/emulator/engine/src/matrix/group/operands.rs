//! The operands of a warpgroup's product: A from shared memory or registers, B from shared memory, and
//! the metadata of a sparse A.

use super::super::descriptor::Descriptor;
use super::super::plan::Plan;
use super::super::registers::{Registers, read_registers};
use super::super::sparse::Chunks;
use crate::event::AccessKind;
use crate::fault::{FaultKind, RawFault};
use crate::lanes::fetch_cold;
use crate::machine::Warp;
use crate::slot::Slot;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::matrix::{ElementType, GroupMultiply, Sparse};
use std::ops::Range;

/// Rows of one warp.
pub const ROWS: usize = 16;
/// Elements of a warp's rows of A at most: 64 columns of bytes where it is sparse.
const MOST: usize = ROWS * 64;
/// Words of a row at most: bits are multiplied by words.
pub const MOST_K: usize = 64;

/// Elements of a matrix by rows of M or N.
type Block<const ROWS: usize> = [[u64; MOST_K]; ROWS];

/// The place of an element of A in a lane's registers.
fn place_of_a(number: ElementType, row: usize, k: usize) -> (usize, usize, usize) {
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
///
/// # Safety
/// The warp's context is live.
#[inline(always)]
pub unsafe fn read<const COUNT: usize>(
    warp: &Warp,
    descriptor: Descriptor,
    (number, across, bytes): (ElementType, bool, usize),
    first: usize,
) -> Result<Block<COUNT>, RawFault> {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
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
    let word = if number == ElementType::B1 { 4 } else { bits / 8 };
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

/// The 16-byte chunks of shared memory that the warp's rows of A and all of B are read from.
///
/// # Safety
/// The plan's slots are registers of the warp.
pub unsafe fn chunks_read(
    warp: &Warp,
    this: &GroupMultiply,
    plan: &Plan,
) -> Result<Vec<u64>, RawFault> {
    let mut found = Vec::new();
    let mut add = |of: Descriptor,
                   (number, across, bytes): (ElementType, bool, usize),
                   rows: Range<usize>| {
        let word = if number == ElementType::B1 { 4 } else { number.bits().max(8) / 8 };
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
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots lie in it.
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
///
/// # Safety
/// The slot is a register of the warp.
pub unsafe fn descriptor(warp: &Warp, slot: Slot) -> Result<Descriptor, RawFault> {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots lie in it.
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
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::handler::Body::run) requires), so that the plan's
/// slots lie in its register file.
unsafe fn read_a(warp: &Warp, this: &GroupMultiply, plan: &Plan) -> Result<Block<ROWS>, RawFault> {
    let bytes = this.bytes_along(this.a, true);
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots lie in it.
    unsafe {
        if !this.registers {
            let descriptor = descriptor(warp, plan.src[2])?;
            let first = warp.index as usize % 4 * ROWS;
            return read(warp, descriptor, (this.a, this.across[0], bytes), first);
        }
        let words: Registers = read_registers(warp, ElementType::S32, &plan.src[2..6]);
        let number = if this.a == ElementType::B1 { ElementType::S32 } else { this.a };
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

/// The metadata of the warp's rows.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::handler::Body::run) requires), so that the plan's
/// slots lie in its register file.
unsafe fn metadata(warp: &Warp, this: &GroupMultiply, plan: &Plan, sparse: Sparse) -> Chunks {
    let first = if this.registers { 6 } else { 3 };
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots lie in it.
    let words = unsafe { fetch_cold::<u32>(warp, plan.src[first + this.accumulators()]) };
    Chunks::of(this.a, this.k, sparse, &words.0)
}

/// The warp's rows of A, `k` decoded elements each; what a sparse matrix does not store is `absent`.
///
/// # Safety
/// The plan's slots are registers of the warp.
#[inline(always)]
pub unsafe fn dense_a<T: Copy>(
    warp: &Warp,
    this: &GroupMultiply,
    plan: &Plan,
    (k, absent): (usize, T),
    mut decode: impl FnMut(u64) -> T,
) -> Result<[T; MOST], RawFault> {
    // SAFETY: the plan's slots lie in the register file of this warp, as this function requires; its block's shared
    // memory is live.
    let stored = unsafe { read_a(warp, this, plan)? };
    let mut a = [absent; MOST];
    match this.sparse {
        None => {
            for row in 0..ROWS {
                for at in 0..k {
                    a[row * k + at] = decode(stored[row][at]);
                }
            }
        }
        Some(sparse) => {
            let mut rows = [absent; MOST];
            for row in 0..ROWS {
                for at in 0..k / 2 {
                    rows[row * (k / 2) + at] = decode(stored[row][at]);
                }
            }
            // SAFETY: the plan's slots lie in the register file of this warp, as this function requires; its block's
            // shared memory is live.
            let chunks = unsafe { metadata(warp, this, plan, sparse) };
            chunks.spread(&rows, |row, at, element| a[row * k + at] = element);
        }
    }
    Ok(a)
}
