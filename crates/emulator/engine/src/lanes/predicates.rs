//! Reads and writes of predicates, which hold one bit per lane.

use super::{Sink, Source};
use crate::machine::Warp;
use crate::slot::{BITS, Lanes, Slot};
use lanework_ptx_ir::kernel::Width;

/// One bit per true lane.
#[inline(always)]
fn mask_of(lanes: &Lanes<bool>) -> u32 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of x86-64, and the array holds 32 bytes.
    unsafe {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8};
        let mut bytes = [0i8; 32];
        for i in 0..32 {
            bytes[i] = -i8::from(lanes.0[i]);
        }
        let low = _mm_movemask_epi8(_mm_loadu_si128(bytes.as_ptr().cast::<__m128i>()));
        let high = _mm_movemask_epi8(_mm_loadu_si128(bytes.as_ptr().add(16).cast::<__m128i>()));
        low as u32 | (high as u32) << 16
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        (0..32).fold(0, |bits, i| bits | if lanes.0[i] { BITS[i] } else { 0 })
    }
}

impl Source for bool {
    const READ: Width = Width::Predicate;

    #[inline(always)]
    unsafe fn fetch(warp: &Warp, slot: Slot) -> Lanes<bool> {
        // SAFETY: the slot lies in the register file and is a predicate, the only form of a `bool` (`Source::fetch`).
        let mask = unsafe { *warp.at(slot).cast::<u32>() };
        let mut out = Lanes([false; 32]);
        for i in 0..32 {
            out.0[i] = mask & BITS[i] != 0;
        }
        out
    }

    #[inline(always)]
    unsafe fn pair(warp: &Warp, slot: Slot) -> [bool; 2] {
        // SAFETY: the slot lies in the register file and is a predicate, the only form of a `bool` (`Source::pair`).
        let mask = unsafe { *warp.at(slot).cast::<u32>() };
        [mask & 1 != 0, mask & 0x1_0000 != 0]
    }

    #[inline(always)]
    unsafe fn pair_bare(warp: &Warp, slot: Slot) -> [bool; 2] {
        // SAFETY: a predicate's slot has no form bits, so the bare offset is its slot.
        unsafe { bool::pair(warp, slot) }
    }

    #[inline(always)]
    unsafe fn fetch_own(warp: &Warp, slot: Slot) -> Lanes<bool> {
        // SAFETY: a predicate's slot has no form bits, so the bare offset is its slot.
        unsafe { bool::fetch(warp, slot) }
    }
}

impl Sink for bool {
    const WRITE: Width = Width::Predicate;

    #[inline(always)]
    unsafe fn put(warp: &mut Warp, slot: Slot, lanes: Lanes<bool>) {
        let bits = mask_of(&lanes);
        // SAFETY: the slot lies in the register file and is a predicate, the only form of a `bool` (`Sink::put`).
        unsafe {
            let at = warp.at(slot).cast::<u32>();
            *at = (*at & !warp.mask) | (bits & warp.mask);
        }
    }

    #[inline(always)]
    unsafe fn put_pair(warp: &mut Warp, slot: Slot, pair: [bool; 2]) {
        let bits = (if pair[0] { 0xffff } else { 0 }) | (if pair[1] { 0xffff_0000 } else { 0 });
        // SAFETY: the slot lies in the register file and is a predicate, the only form of a `bool`
        // (`Sink::put_pair`).
        unsafe { *warp.at(slot).cast::<u32>() = bits }
    }

    #[inline(always)]
    unsafe fn put_own(warp: &mut Warp, slot: Slot, lanes: Lanes<bool>) {
        // SAFETY: a predicate's slot has no form bits, so the bare offset is its slot.
        unsafe { bool::put(warp, slot, lanes) }
    }
}
