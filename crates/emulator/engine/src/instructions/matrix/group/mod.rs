//! `wgmma.mma_async`: each of the four warps of a warpgroup multiplies its 16 of 64 rows.
//!
//! A product is computed at issue, from the contents of shared memory at that moment. A warp passes
//! `wgmma.wait_group` only when all four have reached it, so that none of them reads data that is overwritten after
//! the wait.

pub(crate) mod operands;

use crate::fault::{FaultKind, RawFault};
use crate::instructions::matrix::Plan;
pub use crate::instructions::matrix::group::operands::chunks_read;
use crate::instructions::matrix::group::operands::{
    MOST_K, ROWS, StoredRows, dense_a, descriptor, element, metadata, read_a,
};
use crate::instructions::matrix::multiply::{count, encode};
use crate::instructions::matrix::narrow::{
    self, Chunks, FactorArrays, MOST_OF_A, MOST_OF_B, NarrowFactors, TileFactors,
};
use crate::instructions::matrix::registers::Order;
use crate::instructions::matrix::sum::{Adder, SIDE, Term, Terms, add_group, add_special, rounded};
use crate::instructions::matrix::tile::{
    LinePart, Words, decode_tile, encode_tile, integer, is_finite, read_tile, write_tile,
};
use crate::machine::Warp;
use crate::machine::context::{Context, WarpgroupArrival};
use crate::machine::lanes::fetch_cold;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::matrix::{BitOp, ElementType, GroupMultiply};

/// Multiplies floats.
///
/// # Safety
/// The plan's slots are registers of the warp; with `AVX2`, the host has it.
#[inline(always)]
pub unsafe fn floats<const AVX2: bool>(
    warp: &mut Warp,
    this: &GroupMultiply,
    plan: &Plan,
) -> Result<(), RawFault> {
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires; its block's shared
    // memory is live.
    let (stored, of_b, counts, metadata) = unsafe {
        (
            read_a(warp, this, plan)?,
            descriptor(warp, plan.src[0])?,
            counts(warp, this, plan),
            metadata(warp, this, plan),
        )
    };
    // SAFETY: the warp's worker runs this handler, and no function that it calls takes the arrays again.
    let FactorArrays { a, b } = unsafe { FactorArrays::of_worker(warp) };
    let fits = narrow_a(this, &stored, metadata.as_ref(), a);
    let bytes = this.bytes_along(this.b, false);
    for block in 0..this.n / SIDE {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires; its block's
        // shared memory is live.
        let (columns, mut words) = unsafe {
            (
                operands::read::<1>(warp, of_b, (this.b, this.across[1], bytes), block * SIDE)?,
                read(warp, this, plan, counts, block),
            )
        };
        // SAFETY: the host has AVX2 if `AVX2`, as this function requires.
        if !(fits && unsafe { narrow_block::<AVX2>(this, a, b, &columns, &mut words) }) {
            any_block(this, (&stored, metadata.as_ref()), &columns, &mut words);
        }
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        unsafe { write(warp, this, plan, block, &words) };
    }
    Ok(())
}

/// Decodes the warp's rows of A; `false` if their products cannot be added in f32.
#[inline(always)]
fn narrow_a(
    this: &GroupMultiply,
    stored: &StoredRows,
    metadata: Option<&Chunks>,
    to: &mut NarrowFactors<MOST_OF_A>,
) -> bool {
    let k = this.k;
    let of_row = if metadata.is_some() { k / 2 } else { k };
    for (i, words) in stored.iter().enumerate() {
        let part = LinePart { order: Order::PLAIN, bits: this.a.bits(), index: i / 2 };
        part.put_rows(this.a, words, (&mut to.value[i % 2 * SIDE * of_row..], of_row));
    }
    if let Some(chunks) = metadata {
        let stored = std::mem::replace(&mut to.value, [0.0; MOST_OF_A]);
        chunks.spread(&stored, |row, at, element| to.value[row * k + at] = element);
    }
    if this.negated {
        for value in &mut to.value {
            *value = -*value;
        }
    }
    to.find_powers(this.a, ROWS * k)
}

/// How a product is added.
#[inline(always)]
fn adder(this: &GroupMultiply) -> Adder {
    let adder = Adder::new(this.a, this.d, true);
    Adder { group: adder.group * if this.sparse.is_some() { 2 } else { 1 }, ..adder }
}

/// Multiplies eight columns if all products are added in f32; else `false`, with the accumulators unchanged.
///
/// # Safety
/// With `AVX2`, the host has it.
#[inline(always)]
unsafe fn narrow_block<const AVX2: bool>(
    this: &GroupMultiply,
    a: &NarrowFactors<MOST_OF_A>,
    b: &mut NarrowFactors<MOST_OF_B>,
    columns: &StoredRows,
    words: &mut Accumulators,
) -> bool {
    let k = this.k;
    let per_register = 128 / this.b.bits();
    for (index, words) in columns.iter().enumerate().take(k / per_register) {
        let part = LinePart { order: Order::PLAIN, bits: this.b.bits(), index };
        part.put_columns(this.b, words, b.value.as_chunks_mut::<SIDE>().0);
    }
    if !b.find_powers(this.b, k * SIDE) {
        return false;
    }
    let (b_value, b_power) = (b.value.as_chunks::<SIDE>().0, b.power.as_chunks::<SIDE>().0);
    let (adder, least) = (adder(this), narrow::least(this.d));
    let mut results = *words;
    for (group, result) in results.iter_mut().enumerate() {
        let mut tile = decode_tile(this.d, [&result[0], &result[1]]);
        let first = group * SIDE * k;
        let factors =
            TileFactors { a: [&a.value[first..], &a.power[first..]], b: [b_value, b_power], k };
        // SAFETY: the host has AVX2 if `AVX2`, as this function requires.
        if !is_finite(&tile) || !unsafe { factors.add_to::<AVX2>(&mut tile, adder, least) } {
            return false;
        }
        *result = encode_tile(this.d, &tile);
    }
    *words = results;
    true
}

/// Multiplies any eight columns.
#[inline(always)]
fn any_block(
    this: &GroupMultiply,
    (stored, metadata): (&StoredRows, Option<&Chunks>),
    columns: &StoredRows,
    words: &mut Accumulators,
) {
    let k = this.k;
    let sign = if this.negated { -1.0 } else { 1.0 };
    let mut special = false;
    let a = dense_a(this, stored, metadata, (k, Term::ABSENT), |bits| {
        let term = Term::decode(this.a, bits);
        special |= !term.value.is_finite();
        Term { value: term.value * sign, power: term.power }
    });
    let mut b = [Terms::default(); MOST_K];
    for (at, b) in b.iter_mut().enumerate().take(k) {
        for j in 0..SIDE {
            let term = Term::decode(this.b, element(columns, 1, this.b, j, at));
            special |= !term.value.is_finite();
            b.set(j, term);
        }
    }
    let adder = adder(this);
    let group = adder.group.min(k);
    let halves = this.d == ElementType::F16;
    for row in 0..ROWS {
        let mut sum = Terms::default();
        for j in 0..SIDE {
            let (lane, registers) = (row % SIDE * 4 + j / 2, &words[row / SIDE]);
            let term = match halves {
                true => {
                    Term::decode(ElementType::F16, (registers[0][lane] >> (16 * (j % 2))).into())
                }
                false => Term::decode(ElementType::F32, registers[j % 2][lane].into()),
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
            let (lane, registers) = (row % SIDE * 4 + j / 2, &mut words[row / SIDE]);
            let bits = encode(this.d, sum.value[j]) as u32;
            if halves {
                let (to, shift) = (&mut registers[0][lane], 16 * (j % 2));
                *to = *to & !(0xffff << shift) | bits << shift;
            } else {
                registers[j % 2][lane] = bits;
            }
        }
    }
}

/// Multiplies integers, or bits.
///
/// # Safety
/// As for [`floats`].
#[inline(always)]
pub unsafe fn integers(warp: &mut Warp, this: &GroupMultiply, plan: &Plan) -> Result<(), RawFault> {
    let k = if this.bits { this.k / 32 } else { this.k };
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires; its block's shared
    // memory is live.
    let (stored, of_b, counts, metadata) = unsafe {
        (
            read_a(warp, this, plan)?,
            descriptor(warp, plan.src[0])?,
            counts(warp, this, plan),
            metadata(warp, this, plan),
        )
    };
    let a = dense_a(this, &stored, metadata.as_ref(), (k, 0), |bits| integer(this.a, bits));
    let bytes = this.bytes_along(this.b, false);
    for block in 0..this.n / SIDE {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires; its block's
        // shared memory is live.
        let (columns, mut words) = unsafe {
            (
                operands::read::<1>(warp, of_b, (this.b, false, bytes), block * SIDE)?,
                read(warp, this, plan, counts, block),
            )
        };
        let mut b = [[0; SIDE]; MOST_K];
        for (at, b) in b.iter_mut().enumerate().take(k) {
            for (j, b) in b.iter_mut().enumerate() {
                *b = integer(this.b, element(&columns, 1, this.b, j, at));
            }
        }
        for row in 0..ROWS {
            let mut sum = [0i32; SIDE];
            for (a, b) in a[row * k..][..k].iter().zip(&b) {
                for j in 0..SIDE {
                    sum[j] += if this.bits { count(BitOp::And, *a, b[j]) } else { a * b[j] };
                }
            }
            for j in 0..SIDE {
                let to = &mut words[row / SIDE][j % 2][row % SIDE * 4 + j / 2];
                let c = *to as i32;
                *to = match this.saturate {
                    true => c.saturating_add(sum[j]),
                    false => c.wrapping_add(sum[j]),
                } as u32;
            }
        }
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        unsafe { write(warp, this, plan, block, &words) };
    }
    Ok(())
}

/// The registers of 16 rows and eight columns of accumulators: by group of eight rows.
type Accumulators = [[Words; 2]; 2];

/// Whether the product is added to the accumulator, rather than replacing it.
///
/// # Safety
/// The plan's slots are registers of the warp.
pub unsafe fn counts(warp: &Warp, this: &GroupMultiply, plan: &Plan) -> bool {
    // SAFETY: the assembler gave a predicate's slot of this register file.
    unsafe { fetch_cold::<bool>(warp, plan.src[1]).0[0] != this.inverted }
}

/// The registers of eight columns; zeros if the accumulator is not added.
///
/// # Safety
/// The plan's slots are registers of the warp.
#[inline(always)]
unsafe fn read(
    warp: &Warp,
    this: &GroupMultiply,
    plan: &Plan,
    counts: bool,
    block: usize,
) -> Accumulators {
    let first = if this.registers { 6 } else { 3 };
    let slots = &plan.src[first..][..this.accumulators()];
    let mut words = [[[0; 32]; 2]; 2];
    for (rows, words) in words.iter_mut().enumerate().filter(|_| counts) {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        let [first, second] = unsafe { read_tile(warp, this.d, slots, 2 * block + rows) };
        *words = [first.0, second.0];
    }
    words
}

/// Writes the registers of eight columns.
///
/// # Safety
/// The plan's slots are registers of the warp.
#[inline(always)]
unsafe fn write(
    warp: &mut Warp,
    this: &GroupMultiply,
    plan: &Plan,
    block: usize,
    words: &Accumulators,
) {
    for (rows, words) in words.iter().enumerate() {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        unsafe { write_tile(warp, this.d, &plan.dst, 2 * block + rows, words) }
    }
}

/// `wgmma.wait_group`: `false` until all warps of the warpgroup have arrived.
///
/// # Safety
/// The warp's context is live.
pub unsafe fn wait(warp: &mut Warp) -> Result<bool, RawFault> {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`), and no other reference to it
    // exists while this handler runs.
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
