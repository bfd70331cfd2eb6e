//! Elements of fragments, moved by chunks of eight.
//!
//! The usual fragments of 16-bit factors and of accumulators consist of chunks: four neighboring lanes hold eight neighboring
//! elements of a row, two each. Whole registers are then decoded at once, and vectors are copied instead of elements. Element
//! by element, `mma.m16n8k16` takes 1,500 ns.

use crate::instructions::matrix::narrow;
use crate::instructions::matrix::sum::SIDE;
use crate::machine::Warp;
use crate::machine::lanes::{Source, put_warm};
use crate::machine::slot::{Lanes, NO_SLOT, Slot};
use lanework_ptx_ir::opcode::matrix::ElementType;

/// Where each chunk of a fragment starts, if elements `2 * i` and `2 * i + 1` of four neighboring lanes form a chunk of eight
/// neighboring elements of a row: chunk `c` of these elements is at `8 * i + c`. Else empty.
pub type ChunkStarts = Vec<u16>;

/// The chunks of a fragment with these places.
pub fn chunks(places: &[u16]) -> ChunkStarts {
    let mut starts = ChunkStarts::new();
    for pair in places.chunks(64) {
        for lane in (0..32).step_by(4) {
            let start = pair[lane];
            let next = |i: usize| pair.get(32 * (i % 2) + lane + i / 2);
            let adjacent = (0..SIDE).all(|i| next(i) == Some(&(start + i as u16)));
            if !adjacent || usize::from(start) % SIDE != 0 {
                return ChunkStarts::new();
            }
            starts.push(start);
        }
    }
    starts
}

/// Decodes the elements in some registers and puts them in their places, by chunks if there are any.
///
/// # Safety
/// The slots are registers of the warp.
#[inline(always)]
pub unsafe fn place_chunks<const N: usize>(
    warp: &Warp,
    number: ElementType,
    slots: &[Slot],
    (chunks, places): (&[u16], &[u16]),
    to: &mut [f32; N],
) {
    const { assert!(N.is_power_of_two() && N >= SIDE) };
    if chunks.is_empty() {
        // SAFETY: as this function requires.
        return unsafe { place_elements(warp, number, slots, places, to) };
    }
    let (per, bits) = (number.per_register(), number.bits());
    for (pair, starts) in chunks.as_chunks::<SIDE>().0.iter().enumerate() {
        let mut elements = [0.0; 64];
        for i in 0..2 {
            let mut copy = Lanes([0; 32]);
            let at = 2 * pair + i;
            // SAFETY: the slot is in the register file of this warp, as this function requires.
            let words = unsafe { u32::view(warp, slots[at / per], &mut copy) };
            let values = narrow::decode(number, &words.0, bits * (at % per));
            for lane in 0..32 {
                elements[2 * lane + i] = values[lane];
            }
        }
        for (chunk, start) in elements.as_chunks::<SIDE>().0.iter().zip(starts) {
            to[usize::from(*start) & (N - SIDE)..][..SIDE].copy_from_slice(chunk);
        }
    }
}

/// Puts columns of `k` elements in blocks of eight columns, whose rows are adjacent.
#[inline(always)]
pub fn transpose_columns<const N: usize>(k: usize, columns: &[f32; N], blocks: &mut [f32; N]) {
    let blocks = blocks.chunks_exact_mut(SIDE * k);
    for (columns, block) in columns.chunks_exact(SIDE * k).zip(blocks) {
        for (first, rows) in block.as_chunks_mut::<{ SIDE * SIDE }>().0.iter_mut().enumerate() {
            for j in 0..SIDE {
                let column = &columns[j * k + first * SIDE..][..SIDE];
                for i in 0..SIDE {
                    rows[i * SIDE + j] = column[i];
                }
            }
        }
    }
}

/// Writes accumulators by chunks.
///
/// # Safety
/// The slots are registers of the warp.
#[inline(always)]
pub unsafe fn write_chunks(
    warp: &mut Warp,
    number: ElementType,
    slots: &[Slot],
    chunks: &[u16],
    bits: &[u32; 256],
) {
    let two = number.per_register() == 2;
    for (pair, starts) in chunks.as_chunks::<SIDE>().0.iter().enumerate() {
        let mut elements = [0; 64];
        for (chunk, start) in elements.as_chunks_mut::<SIDE>().0.iter_mut().zip(starts) {
            chunk.copy_from_slice(&bits[usize::from(*start) & (256 - SIDE)..][..SIDE]);
        }
        let (mut even, mut odd) = (Lanes([0u32; 32]), Lanes([0u32; 32]));
        for lane in 0..32 {
            (even.0[lane], odd.0[lane]) = (elements[2 * lane], elements[2 * lane + 1]);
        }
        if two {
            for lane in 0..32 {
                even.0[lane] |= odd.0[lane] << 16;
            }
        }
        let of_pair =
            if two { &[(pair, even)][..] } else { &[(2 * pair, even), (2 * pair + 1, odd)] };
        for (register, words) in of_pair {
            if slots[*register] != NO_SLOT {
                // SAFETY: the slot is in the register file of this warp, as this function requires.
                unsafe { put_warm(warp, slots[*register], *words) }
            }
        }
    }
}

/// Decodes the elements in some registers and puts each in its place.
///
/// # Safety
/// The slots are registers of the warp.
#[inline(always)]
pub unsafe fn place_elements<const N: usize>(
    warp: &Warp,
    number: ElementType,
    slots: &[Slot],
    places: &[u16],
    to: &mut [f32; N],
) {
    const { assert!(N.is_power_of_two()) };
    let (per, bits) = (number.per_register(), number.bits());
    let (places, _) = places.as_chunks::<32>();
    for (slot, places) in slots.iter().zip(places.chunks(per)) {
        let mut copy = Lanes([0; 32]);
        // SAFETY: the slot is in the register file of this warp, as this function requires.
        let words = unsafe { u32::view(warp, *slot, &mut copy) };
        for (i, places) in places.iter().enumerate() {
            let values = narrow::decode(number, &words.0, bits * i);
            for lane in 0..32 {
                to[usize::from(places[lane]) & (N - 1)] = values[lane];
            }
        }
    }
}
