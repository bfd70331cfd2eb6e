//! `wgmma.mma_async`: each of the four warps of a warpgroup multiplies its 16 of 64 rows.
//!
//! A product is computed at issue, from the contents of shared memory at that moment. A warp passes
//! `wgmma.wait_group` only when all four have reached it, so that none of them reads data that is overwritten after
//! the wait.

pub(crate) mod operands;

use crate::fault::{FaultKind, RawFault};
use crate::instructions::matrix::Plan;
pub use crate::instructions::matrix::group::operands::chunks_read;
use crate::instructions::matrix::group::operands::{MOST_K, ROWS, dense_a, descriptor};
use crate::instructions::matrix::multiply::{count, encode, integer};
use crate::instructions::matrix::narrow::{self, FactorGroup, NarrowFactors};
use crate::instructions::matrix::sum::{Adder, SIDE, Term, Terms, add_group, add_special, rounded};
use crate::machine::Warp;
use crate::machine::context::{Context, WarpgroupArrival};
use crate::machine::lanes::{fetch_cold, put_cold};
use crate::machine::slot::{Lanes, NO_SLOT, Slot};
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::matrix::{BitOp, ElementType, GroupMultiply};

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
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires; its block's shared
    // memory is live.
    let (a, b, counts) = unsafe {
        (
            dense_a(warp, this, plan, (k, Term::ABSENT), decode)?,
            descriptor(warp, plan.src[0])?,
            counts(warp, this, plan),
        )
    };
    let mut narrow_a = NarrowFactors::<MOST_A>::EMPTY;
    for (to, from) in narrow_a.value.iter_mut().zip(&a).take(ROWS * k) {
        *to = from.value as f32;
    }
    let fits = !special && narrow_a.find_powers(ROWS * k, narrow::least(this.a));
    let narrow_a = fits.then_some(&narrow_a);
    let adder = Adder::new(this.a, this.d, true);
    let group = (adder.group * if this.sparse.is_some() { 2 } else { 1 }).min(k);
    let bytes = this.bytes_along(this.b, false);
    let halves = this.d == ElementType::F16;
    let each = if halves { 2 } else { 4 };
    for block in 0..this.n / SIDE {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires; its block's
        // shared memory is live.
        let columns = unsafe {
            operands::read::<SIDE>(warp, b, (this.b, this.across[1], bytes), block * SIDE)?
        };
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires; its block's
        // shared memory is live.
        let mut words = unsafe { read(warp, this, plan, counts, (block, each)) };
        if let Some(a) = narrow_a
            && narrow_block(this, a, &columns, &mut words)
        {
            // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
            unsafe { write(warp, plan, (block, each), &words) };
            continue;
        }
        let mut b = [Terms::default(); MOST_K];
        let mut special = special;
        for (at, b) in b.iter_mut().enumerate().take(k) {
            for j in 0..SIDE {
                let term = Term::decode(this.b, columns[j][at]);
                special |= !term.value.is_finite();
                b.set(j, term);
            }
        }
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
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        unsafe { write(warp, plan, (block, each), &words) };
    }
    Ok(())
}

/// Elements of a warp's rows of A.
const MOST_A: usize = ROWS * MOST_K;

/// Multiplies eight columns if all products are added in f32; else `false`, with the accumulators unchanged.
#[inline(always)]
fn narrow_block(
    this: &GroupMultiply,
    a: &NarrowFactors<MOST_A>,
    columns: &[[u64; MOST_K]; SIDE],
    words: &mut Words,
) -> bool {
    let k = this.k;
    let mut b = NarrowFactors::<{ MOST_K * SIDE }>::EMPTY;
    // Four rows of B at a time.
    for (first, to) in b.value.as_chunks_mut::<32>().0.iter_mut().enumerate().take(k.div_ceil(4)) {
        let mut bits = [0; 32];
        for i in 0..32 {
            bits[i] = columns[i % SIDE][4 * first + i / SIDE] as u32;
        }
        *to = narrow::decode(this.b, &bits, 0);
    }
    if !b.find_powers(k * SIDE, narrow::least(this.b)) {
        return false;
    }
    let (b_value, b_power) = (b.value.as_chunks::<SIDE>().0, b.power.as_chunks::<SIDE>().0);
    let adder = Adder::new(this.a, this.d, true);
    let group = (adder.group * if this.sparse.is_some() { 2 } else { 1 }).min(k);
    let halves = this.d == ElementType::F16;
    let mut results = *words;
    for row in 0..ROWS {
        let mut sum = [0.0; SIDE];
        for (j, sum) in sum.iter_mut().enumerate() {
            let (lane, i) = place(row, j);
            *sum = match halves {
                true => narrow::value(ElementType::F16, words[i / 2][lane] >> (16 * (i % 2))),
                false => f32::from_bits(words[i][lane]),
            };
        }
        let mut least = narrow::least(this.d);
        for first in (0..k).step_by(group) {
            if sum.iter().any(|sum| !sum.is_finite()) {
                return false;
            }
            let at = row * k + first;
            let of = FactorGroup {
                a: (&a.value[at..][..group], &a.power[at..][..group]),
                b: (&b_value[first..][..group], &b_power[first..][..group]),
            };
            sum = narrow::round(adder.round, &narrow::add_group(adder.kept, &of, &sum, least));
            least = adder.least() as f32;
        }
        for (j, bits) in narrow::encode(this.d, &sum).into_iter().enumerate() {
            let (lane, i) = place(row, j);
            if halves {
                let (to, shift) = (&mut results[i / 2][lane], 16 * (i % 2));
                *to = *to & !(0xffff << shift) | bits << shift;
            } else {
                results[i][lane] = bits;
            }
        }
    }
    *words = results;
    true
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
    let (a, b, counts) = unsafe {
        (
            dense_a(warp, this, plan, (k, 0), |bits| integer(this.a, bits))?,
            descriptor(warp, plan.src[0])?,
            counts(warp, this, plan),
        )
    };
    let bytes = this.bytes_along(this.b, false);
    for block in 0..this.n / SIDE {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires; its block's
        // shared memory is live.
        let columns =
            unsafe { operands::read::<SIDE>(warp, b, (this.b, false, bytes), block * SIDE)? };
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires; its block's
        // shared memory is live.
        let mut words = unsafe { read(warp, this, plan, counts, (block, 4)) };
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
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        unsafe { write(warp, plan, (block, 4), &words) };
    }
    Ok(())
}

/// Eight columns of the accumulator: for each register, the words of all lanes.
pub type Words = [[u32; 32]; 4];

/// Whether the product is added to the accumulator, rather than replacing it.
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

/// The lane that holds an element of eight columns of the accumulator, and the element's index
/// among that lane's four.
#[inline(always)]
pub fn place(row: usize, column: usize) -> (usize, usize) {
    (row % 8 * 4 + column / 2, row / 8 * 2 + column % 2)
}

/// Reads the `each` registers that hold eight columns; zeros if the accumulator is not added.
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
            // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
            *word = unsafe { fetch_cold::<u32>(warp, *slot).0 };
        }
    }
    words
}

/// Writes the `each` registers that hold eight columns.
///
/// # Safety
/// The plan's slots are registers of the warp.
unsafe fn write(warp: &mut Warp, plan: &Plan, (block, each): (usize, usize), words: &Words) {
    for (word, slot) in words.iter().zip(&plan.dst[block * each..][..each]) {
        if *slot != NO_SLOT {
            // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
            unsafe { put_cold(warp, *slot, Lanes(*word)) }
        }
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
