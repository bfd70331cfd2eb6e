//! Registers of fragments as lines of a matrix. A register holds 16 bytes of each of eight lines: rows of A or of the
//! accumulators, or columns of B. Four neighboring lanes have one line ([`Fragment::place`] says the same for each element).
//!
//! [`Fragment::place`]: lanework_ptx_ir::opcode::matrix::Fragment::place

use crate::instructions::matrix::narrow::{self, AccumulatorTile, value};
use crate::instructions::matrix::registers::{Order, fragments};
use crate::instructions::matrix::sum::SIDE;
use crate::machine::Warp;
use crate::machine::lanes::{Source, put_warm};
use crate::machine::slot::{Lanes, NO_SLOT, Slot};
use crate::number::narrow::f16_bits;
use lanework_ptx_ir::opcode::matrix::{ElementType, Fragment, Multiply};
use std::mem::MaybeUninit;

/// A register of a warp.
pub type Words = [u32; 32];

/// Elements of a 16-byte part of lines, and where they go.
#[derive(Clone, Copy)]
pub struct LinePart {
    /// The positions of elements along K.
    pub order: Order,
    /// Bits of an element.
    pub bits: usize,
    /// Registers with earlier elements of the same lines.
    pub index: usize,
}

impl LinePart {
    /// The positions of element `i` of each of a line's words.
    #[inline(always)]
    fn places(self, i: usize) -> [usize; 4] {
        let (per, mut places) = (32 / self.bits, [0; 4]);
        for word in 0..4 {
            places[word] = self.order.of_column(per * (4 * self.index + word) + i);
        }
        places
    }

    /// Decodes a part of eight rows. Each row has `stride` elements.
    #[inline(always)]
    pub fn put_rows<T: ProductNumber>(
        self,
        number: ElementType,
        words: &Words,
        (to, stride): (&mut [T], usize),
    ) {
        let per = 32 / self.bits;
        if per == 2 {
            // No closure, as below.
            let values = [T::decode(number, words, 0), T::decode(number, words, 16)];
            for (line, row) in to.chunks_exact_mut(stride).enumerate().take(SIDE) {
                let Some(row) = row[SIDE * self.index..].first_chunk_mut::<SIDE>() else { return };
                for i in 0..SIDE {
                    row[i] = values[i % 2][4 * line + i / 2];
                }
            }
            return;
        }
        for i in 0..per {
            let (values, places) = (T::decode(number, words, self.bits * i), self.places(i));
            for (line, row) in to.chunks_exact_mut(stride).enumerate().take(SIDE) {
                for word in 0..4 {
                    row[places[word]] = values[4 * line + word];
                }
            }
        }
    }

    /// Decodes a part of eight columns to rows of B.
    #[inline(always)]
    pub fn put_columns<T: ProductNumber>(
        self,
        number: ElementType,
        words: &Words,
        to: &mut [[T; SIDE]],
    ) {
        let mut by_place = [0; 32];
        for word in 0..4 {
            for line in 0..SIDE {
                by_place[SIDE * word + line] = words[4 * line + word];
            }
        }
        for i in 0..32 / self.bits {
            let values = T::decode(number, &by_place, self.bits * i);
            let places = self.places(i);
            for word in 0..4 {
                for j in 0..SIDE {
                    to[places[word]][j] = values[SIDE * word + j];
                }
            }
        }
    }
}

/// A number as which products take an element. Closures do not decode elements, because those that are not inlined would not
/// be compiled for the SIMD level.
pub trait ProductNumber: Copy + Default {
    /// The numbers of the elements that start at bit `shift` of each lane's word.
    fn decode(number: ElementType, words: &Words, shift: usize) -> [Self; 32];
}

impl ProductNumber for f32 {
    #[inline(always)]
    fn decode(number: ElementType, words: &Words, shift: usize) -> [f32; 32] {
        narrow::decode(number, words, shift)
    }
}

impl ProductNumber for i32 {
    #[inline(always)]
    fn decode(number: ElementType, words: &Words, shift: usize) -> [i32; 32] {
        let mut out = [0; 32];
        // A loop for each type, so that each vectorizes.
        match number {
            ElementType::S8 => {
                for i in 0..32 {
                    out[i] = i32::from((words[i] >> shift) as i8);
                }
            }
            ElementType::U8 => {
                for i in 0..32 {
                    out[i] = i32::from((words[i] >> shift) as u8);
                }
            }
            _ => {
                for i in 0..32 {
                    out[i] = integer(number, u64::from(words[i] >> shift));
                }
            }
        }
        out
    }
}

/// An integer with these low bits; single bits stay packed in their word.
#[inline(always)]
pub fn integer(number: ElementType, bits: u64) -> i32 {
    match number {
        ElementType::S4 => ((bits as i32) << 28) >> 28,
        ElementType::U4 => (bits & 15) as i32,
        ElementType::S8 => i32::from(bits as i8),
        ElementType::U8 => i32::from(bits as u8),
        _ => bits as i32,
    }
}

/// Whether all accumulators are numbers.
#[inline(always)]
pub fn is_finite(tile: &AccumulatorTile) -> bool {
    let mut highest = 0;
    for c in tile.as_flattened() {
        highest = (c.to_bits() as i32 & 0x7fff_ffff).max(highest);
    }
    highest < 0x7f80_0000
}

/// The accumulators in one register of two f16 per lane, or in two registers of f32.
#[inline(always)]
pub fn decode_tile(c: ElementType, [first, second]: [&Words; 2]) -> AccumulatorTile {
    let mut flat = [0.0; SIDE * SIDE];
    if c == ElementType::F16 {
        for lane in 0..32 {
            flat[2 * lane] = value(ElementType::F16, first[lane]);
            flat[2 * lane + 1] = value(ElementType::F16, first[lane] >> 16);
        }
    } else {
        for lane in 0..32 {
            flat[2 * lane] = f32::from_bits(first[lane]);
            flat[2 * lane + 1] = f32::from_bits(second[lane]);
        }
    }
    let mut tile = [[0.0; SIDE]; SIDE];
    tile.copy_from_slice(flat.as_chunks::<SIDE>().0);
    tile
}

/// The registers of accumulators that are numbers or infinite; f16 take the first one only.
#[inline(always)]
pub fn encode_tile(d: ElementType, tile: &AccumulatorTile) -> [Words; 2] {
    let flat = tile.as_flattened();
    let mut words = [[0; 32]; 2];
    if d == ElementType::F16 {
        for lane in 0..32 {
            words[0][lane] = f16_bits(flat[2 * lane]) | f16_bits(flat[2 * lane + 1]) << 16;
        }
    } else {
        for lane in 0..32 {
            words[0][lane] = flat[2 * lane].to_bits();
            words[1][lane] = flat[2 * lane + 1].to_bits();
        }
    }
    words
}

/// How a warp's registers hold a factor of a product.
#[derive(Clone, Copy)]
pub struct FactorRegisters {
    /// Its registers; `wmma` has more, which repeat the first ones.
    count: usize,
    /// Groups of eight lines.
    groups: usize,
    /// Bits of an element.
    bits: usize,
    /// The positions of elements along K. A sparse A is put in order when it is expanded.
    order: Order,
}

impl FactorRegisters {
    /// The registers of a product's A and B.
    pub fn of(this: &Multiply) -> [FactorRegisters; 2] {
        let [a, b, _] = fragments(this);
        let registers = |of: Fragment, lines: usize, order| FactorRegisters {
            count: of.registers(),
            groups: lines / SIDE,
            bits: of.number.bits(),
            order,
        };
        let order = Order::new(this);
        let of_a = if this.sparse.is_some() { Order::PLAIN } else { order };
        [registers(a, this.shape.m, of_a), registers(b, this.shape.n, order)]
    }
}

/// Decodes a warp's A to rows of `stride` elements. A register has part of eight rows.
///
/// # Safety
/// The slots are registers of the warp: the sources of the product, from A on.
#[inline(always)]
pub unsafe fn read_rows<T: ProductNumber>(
    warp: &Warp,
    number: ElementType,
    (of, slots): (&FactorRegisters, &[Slot]),
    (to, stride): (&mut [T], usize),
) {
    let FactorRegisters { count, groups, bits, order } = *of;
    for (i, slot) in slots.iter().enumerate().take(count) {
        let mut copy = MaybeUninit::uninit();
        // SAFETY: the slot is in the register file of this warp, as this function requires.
        let words = unsafe { u32::view(warp, *slot, &mut copy) };
        let part = LinePart { order, bits, index: i / groups };
        part.put_rows(number, &words.0, (&mut to[i % groups * SIDE * stride..], stride));
    }
}

/// Decodes a warp's B to blocks of eight columns with `stride` rows.
///
/// # Safety
/// The slots are registers of the warp: the sources of the product, from B on.
#[inline(always)]
pub unsafe fn read_columns<T: ProductNumber>(
    warp: &Warp,
    number: ElementType,
    (of, slots): (&FactorRegisters, &[Slot]),
    (to, stride): (&mut [[T; SIDE]], usize),
) {
    let FactorRegisters { count, groups, bits, order } = *of;
    for (i, slot) in slots.iter().enumerate().take(count) {
        let mut copy = MaybeUninit::uninit();
        // SAFETY: the slot is in the register file of this warp, as this function requires.
        let words = unsafe { u32::view(warp, *slot, &mut copy) };
        let part = LinePart { order, bits, index: i / groups };
        part.put_columns(number, &words.0, &mut to[i % groups * stride..]);
    }
}

/// The registers of accumulators of eight rows and columns; f16 have one, which is given twice.
#[inline(always)]
fn tile_slots(number: ElementType, slots: &[Slot], tile: usize) -> [Slot; 2] {
    match number {
        ElementType::F16 => [slots[tile]; 2],
        _ => [slots[2 * tile], slots[2 * tile + 1]],
    }
}

/// The registers of eight rows and columns of a warp's accumulators.
///
/// # Safety
/// The slots are the accumulators' registers of the warp.
#[inline(always)]
pub unsafe fn read_tile(
    warp: &Warp,
    number: ElementType,
    slots: &[Slot],
    tile: usize,
) -> [Lanes<u32>; 2] {
    let mut copies = [Lanes([0; 32]), Lanes([0; 32])];
    for (slot, copy) in tile_slots(number, slots, tile).into_iter().zip(&mut copies) {
        let mut room = MaybeUninit::uninit();
        // SAFETY: the slots are in the register file of this warp, as this function requires.
        *copy = *unsafe { u32::view(warp, slot, &mut room) };
    }
    copies
}

/// Writes the registers of eight rows and columns of a warp's result.
///
/// # Safety
/// As for [`read_tile`].
#[inline(always)]
pub unsafe fn write_tile(
    warp: &mut Warp,
    number: ElementType,
    slots: &[Slot],
    tile: usize,
    words: &[Words; 2],
) {
    let count = if number == ElementType::F16 { 1 } else { 2 };
    for (slot, words) in tile_slots(number, slots, tile).iter().zip(words).take(count) {
        if *slot != NO_SLOT {
            // SAFETY: the slots are in the register file of this warp, as this function requires.
            unsafe { put_warm(warp, *slot, Lanes(*words)) }
        }
    }
}
