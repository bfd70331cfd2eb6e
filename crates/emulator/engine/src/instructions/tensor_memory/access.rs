//! `tcgen05.ld`, `st` and `wait`.
//!
//! A warp can access only the 32 lanes that correspond to its position in its warpgroup. By the manual, the
//! address names them, but existing kernels use lane 0 in all four warps. GPUs and the emulator take lane 0 as the
//! first of the warp's own lanes. An address in the lanes of another warp is a fault.

use crate::fault::RawFault;
use crate::instructions::asynchrony::Plan;
use crate::instructions::asynchrony::shared::words;
use crate::instructions::matrix::incomplete;
use crate::instructions::tensor_memory::descriptor::InstructionDescriptor;
use crate::instructions::tensor_memory::memory::{DataPath, Place};
use crate::instructions::tensor_memory::multiply::SharedRows;
use crate::instructions::tensor_memory::{check_columns, cluster, misuse, same};
use crate::machine::Warp;
use crate::machine::lanes::{fetch_cold, put_cold};
use crate::machine::slot::{Lanes, NO_SLOT, Slot};
use lanework_ptx_ir::opcode::tensor_memory::{
    LoadReduction, ReducedNumber, TmemCopy, TmemMultiply, TmemTransfer, TransferShape,
};

/// Checks that all lanes of a warp take part.
///
/// # Errors
/// The fault of a warp that lacks lanes.
pub fn whole(warp: &Warp) -> Result<(), RawFault> {
    if warp.mask == u32::MAX { Ok(()) } else { Err(incomplete(warp)) }
}

/// The start of a transfer.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
unsafe fn start(warp: &Warp, plan: &Plan, this: &TmemTransfer) -> Result<Place, RawFault> {
    whole(warp)?;
    // SAFETY: the plan's slots are in this warp's register file, as this function requires.
    let address = unsafe { same(warp, &words(warp, plan, 0).0, "addresses of tensor memory")? };
    let mut at = Place::from_address(address);
    let quarter = warp.index % 4;
    if at.lane / 32 != quarter && at.lane / 32 != 0 {
        return Err(misuse(
            0,
            format!(
                "warp {} accesses lane {} of tensor memory: as warp {quarter} of its warpgroup it reaches lanes {} to {}",
                warp.index,
                at.lane,
                32 * quarter,
                32 * quarter + 31
            ),
        ));
    }
    if !at.lane.is_multiple_of(this.shape.lanes()) {
        return Err(misuse(
            0,
            format!(
                "lane {} of tensor memory: this shape starts at a multiple of {}",
                at.lane,
                this.shape.lanes()
            ),
        ));
    }
    at.lane = 32 * quarter + at.lane % 32;
    Ok(at)
}

/// Checks the columns of a movement.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
unsafe fn check(warp: &Warp, at: Place, this: &TmemTransfer) -> Result<(), RawFault> {
    // SAFETY: the worker owns the context, and the executor the cluster, for as long as their warps run
    // (`Body::run`).
    let memory = unsafe { &cluster(warp).tensor_memory[(*warp.context).rank as usize] };
    let packed = if this.packed { 2 } else { 1 };
    let columns = this.shape.columns() * this.repeat as u32 * packed;
    let what = "a load or store";
    check_columns(memory, 0, at, (this.shape.lanes(), columns), what)?;
    if let TransferShape::Lanes16Bits32Twice(split) = this.shape {
        let column = i64::from(at.column) + i64::from(split);
        let second = Place { column: u32::try_from(column).unwrap_or(u32::MAX / 2), ..at };
        check_columns(memory, 0, second, (this.shape.lanes(), columns), what)?;
    }
    Ok(())
}

/// The lane and the column of register `register` of a thread, and the column after it, which a
/// packed register also holds.
fn columns(this: &TmemTransfer, at: Place, thread: u32, register: u32) -> (u32, [u32; 2]) {
    let (lane, column) = this.shape.place(thread, register);
    // Packed, a step covers twice the columns; the distance of halves is in columns.
    let column = match this.shape {
        _ if !this.packed => column,
        TransferShape::Lanes16Bits32Twice(split) if thread >= 16 => 2 * (column - split) + split,
        _ => 2 * column,
    };
    let column = at.column.wrapping_add(column as u32);
    (at.lane + lane, [column, column + 1])
}

/// `tcgen05.ld`.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub unsafe fn load(warp: &mut Warp, plan: &Plan, this: &TmemTransfer) -> Result<bool, RawFault> {
    // SAFETY: the plan's slots are in this warp's register file, as this function requires; the place is checked
    // before it is accessed.
    unsafe {
        let at = start(warp, plan, this)?;
        check(warp, at, this)?;
        let memory = &cluster(warp).tensor_memory[(*warp.context).rank as usize];
        let count = this.shape.registers() * this.repeat;
        let mut reduced: Option<Lanes<u32>> = None;
        for (register, slot) in plan.dst[..count].iter().enumerate() {
            let mut words = Lanes([0u32; 32]);
            for thread in 0..32 {
                let (lane, [first, second]) = columns(this, at, thread as u32, register as u32);
                words.0[thread] = match this.packed {
                    false => memory.word(lane, first),
                    true => memory.word(lane, first) & 0xffff | memory.word(lane, second) << 16,
                };
            }
            if let Some(how) = this.reduction {
                reduced = Some(match reduced {
                    None => Lanes(words.0.map(|word| magnitude(how, word))),
                    Some(so_far) => {
                        Lanes(std::array::from_fn(|i| reduce(how, so_far.0[i], words.0[i])))
                    }
                });
            }
            put(warp, *slot, words);
        }
        if let (Some(words), Some(slot)) = (reduced, plan.dst.get(count)) {
            put(warp, *slot, words);
        }
    }
    Ok(true)
}

/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
unsafe fn put(warp: &mut Warp, slot: Slot, words: Lanes<u32>) {
    if slot != NO_SLOT {
        // SAFETY: a handler of this warp passes a slot of its plan (`Body::run`), which is in the warp's register file.
        unsafe { put_cold(warp, slot, words) }
    }
}

/// An element as a reduction takes it.
fn magnitude(how: LoadReduction, word: u32) -> u32 {
    if how.abs { word & 0x7fff_ffff } else { word }
}

/// Combines two elements.
fn reduce(how: LoadReduction, a: u32, b: u32) -> u32 {
    let b = magnitude(how, b);
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match (how.number, how.max) {
        (ReducedNumber::U32, false) => a.min(b),
        (ReducedNumber::U32, true) => a.max(b),
        (ReducedNumber::S32, false) => (a as i32).min(b as i32) as u32,
        (ReducedNumber::S32, true) => (a as i32).max(b as i32) as u32,
        (ReducedNumber::F32, _) if x.is_nan() || y.is_nan() => match () {
            () if how.nan || x.is_nan() && y.is_nan() => 0x7fff_ffff,
            () if x.is_nan() => b,
            () => a,
        },
        // A negative zero is less than a positive one.
        (ReducedNumber::F32, max) => {
            let less = x < y || x == y && x.is_sign_negative();
            if less != max { a } else { b }
        }
    }
}

/// `tcgen05.st`.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub unsafe fn store(warp: &mut Warp, plan: &Plan, this: &TmemTransfer) -> Result<bool, RawFault> {
    // SAFETY: the plan's slots are in this warp's register file, as this function requires; the place is checked
    // before it is accessed.
    unsafe {
        let at = start(warp, plan, this)?;
        check(warp, at, this)?;
        let count = this.shape.registers() * this.repeat;
        let cluster = cluster(warp);
        let memory = &mut cluster.tensor_memory[(*warp.context).rank as usize];
        for (register, slot) in plan.src[1..=count].iter().enumerate() {
            let words = fetch_cold::<u32>(warp, *slot);
            for thread in 0..32 {
                let (lane, [first, second]) = columns(this, at, thread as u32, register as u32);
                let word = words.0[thread];
                if this.packed {
                    memory.put(lane, first, word & 0xffff);
                    memory.put(lane, second, word >> 16);
                } else {
                    memory.put(lane, first, word);
                }
            }
        }
        cluster.changes += 1;
    }
    Ok(true)
}

/// Where A is.
#[derive(Clone, Copy)]
pub enum FirstOperand {
    /// In shared memory.
    Shared(SharedRows),
    /// In tensor memory.
    Tensor(Place),
}

/// A product, ready to be computed.
pub struct Product {
    /// The instruction.
    pub this: TmemMultiply,
    /// Its shape and types.
    pub shape: InstructionDescriptor,
    /// Where D is.
    pub d: Place,
    /// Where A is.
    pub a: FirstOperand,
    /// Where B is.
    pub b: SharedRows,
    /// Location of the metadata of a sparse A.
    pub metadata: Option<Place>,
    /// Locations of the scale factors of A and B.
    pub scales: Option<[Place; 2]>,
    /// A bit for each lane that stays unchanged, for both blocks.
    pub kept: [u32; 8],
    /// Columns of B that are zero.
    pub zero: [bool; 256],
    /// Columns that B is shifted by.
    pub shift: usize,
    /// Whether the product is added to D.
    pub counts: bool,
    /// The ranks of the blocks that take part, one or two.
    pub ranks: Vec<usize>,
}

impl Product {
    /// The lanes that it uses.
    pub fn path(&self) -> DataPath {
        DataPath::new(&self.this, self.shape.m)
    }

    /// Columns of tensor memory that D takes.
    pub fn columns(&self) -> u32 {
        (self.shape.n / self.path().parts()) as u32
    }

    /// A block's rows of B.
    pub fn rows_of_b(&self) -> std::ops::Range<usize> {
        self.shift..self.shift + self.shape.n / self.ranks.len()
    }
}

/// A copy, ready to be performed.
pub struct RowCopy {
    /// The instruction.
    pub this: TmemCopy,
    /// The target.
    pub to: Place,
    /// The source.
    pub from: SharedRows,
    /// The ranks of the blocks that take part, one or two.
    pub ranks: Vec<usize>,
}

/// A shift, ready to be performed.
pub struct RowShift {
    /// The lowest lane, a multiple of 32, and the first of eight columns.
    pub at: Place,
    /// The ranks of the blocks that take part, one or two.
    pub ranks: Vec<usize>,
}

#[cfg(test)]
mod tests {
    use crate::instructions::tensor_memory::access::*;

    #[test]
    fn packed_registers_hold_two_columns() {
        let this = |shape, packed| TmemTransfer { shape, repeat: 2, packed, reduction: None };
        let at = Place { lane: 32, column: 100 };
        let found = columns(&this(TransferShape::Lanes32Bits32, true), at, 3, 1);
        assert_eq!(found, (35, [102, 103]));
        let found = columns(&this(TransferShape::Lanes16Bits32Twice(16), true), at, 17, 1);
        assert_eq!(found, (33, [118, 119]));
        let found = columns(&this(TransferShape::Lanes16Bits32Twice(16), false), at, 17, 1);
        assert_eq!(found.1[0], 117);
    }

    #[test]
    fn reductions_take_magnitudes_and_pass_nans_by() {
        let how = |max, abs, nan| LoadReduction { max, number: ReducedNumber::F32, abs, nan };
        let of = |how, a: f32, b: f32| f32::from_bits(reduce(how, a.to_bits(), b.to_bits()));
        assert_eq!(of(how(false, false, false), 1.0, -2.0), -2.0);
        assert_eq!(of(how(true, true, false), 1.0, -2.0), 2.0);
        assert_eq!(of(how(true, false, false), f32::NAN, 3.0), 3.0);
        assert!(of(how(true, false, true), f32::NAN, 3.0).is_nan());
    }
}
