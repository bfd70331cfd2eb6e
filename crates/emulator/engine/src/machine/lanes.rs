//! Reads and writes of a warp's registers in any form.

use crate::machine::Warp;
use crate::machine::merge::merge;
use crate::machine::slot::{BITS, Elem, Lanes, OFFSET, SCALAR, Scalar, Slot, WIDE};
use lanework_ptx_ir::kernel::Width;
use std::mem::MaybeUninit;

/// A type that an operand can be read as.
pub trait Source: Copy + Default + 'static {
    /// How its own registers are stored.
    const READ: Width;
    /// All lanes.
    ///
    /// # Safety
    /// `slot` is in the warp's register file.
    unsafe fn fetch(warp: &Warp, slot: Slot) -> Lanes<Self>;
    /// Lanes 0 and 16 of a register in scalar form.
    ///
    /// # Safety
    /// As for `fetch`.
    unsafe fn pair(warp: &Warp, slot: Slot) -> [Self; 2];
    /// `pair` of a bare offset.
    ///
    /// # Safety
    /// As for `pair`.
    unsafe fn pair_bare(warp: &Warp, slot: Slot) -> [Self; 2];
    /// All lanes: in place if the register holds values of this type, else in `copy`.
    ///
    /// # Safety
    /// As for `fetch`.
    unsafe fn view<'a>(
        warp: &'a Warp,
        slot: Slot,
        copy: &'a mut MaybeUninit<Lanes<Self>>,
    ) -> &'a Lanes<Self>;
    /// All lanes of a varying register of this type's own width; the slot is a bare offset.
    ///
    /// # Safety
    /// As for `fetch`, and the register has that form.
    unsafe fn fetch_own(warp: &Warp, slot: Slot) -> Lanes<Self>;
}

/// [`Source::fetch`] out of line, for rare handlers: hundreds of them share one copy.
///
/// # Safety
/// As for [`Source::fetch`].
#[inline(never)]
pub unsafe fn fetch_cold<T: Source>(warp: &Warp, slot: Slot) -> Lanes<T> {
    // SAFETY: `fetch` has the same requirement as this function: the slot is in the register file.
    unsafe { T::fetch(warp, slot) }
}

/// [`Sink::put`] out of line, likewise.
///
/// # Safety
/// As for [`Sink::put`].
#[inline(never)]
pub unsafe fn put_cold<T: Sink>(warp: &mut Warp, slot: Slot, lanes: Lanes<T>) {
    // SAFETY: `put` has the same requirement as this function: the slot is in the register file.
    unsafe { T::put(warp, slot, lanes) }
}

/// [`Sink::put`] with the common cases inline: all lanes of a register of this type, and narrower types.
///
/// # Safety
/// As for [`Sink::put`].
#[inline(always)]
pub unsafe fn put_warm<T: Sink>(warp: &mut Warp, slot: Slot, lanes: Lanes<T>) {
    // SAFETY: the slot is in the register file, as `put` requires; `HELD_AS` is the form of varying registers that hold
    // values of this type as they are.
    unsafe {
        let form = slot & (SCALAR | WIDE);
        if Some(form) == T::HELD_AS {
            // Merging lanes here would make the handler save registers in every case: 7 ns became 13.
            match warp.mask {
                u32::MAX => write_all(warp.at(slot).cast::<Lanes<T>>(), lanes),
                mask => merge(warp.at(slot).cast::<Lanes<T>>(), &lanes, mask),
            }
        } else if form == 0 && T::WRITE != Width::Wide {
            T::put_own(warp, slot, lanes);
        } else {
            put_cold(warp, slot, lanes);
        }
    }
}

/// One value for the lanes of each half.
#[inline(always)]
fn of_halves<T: Elem>(base: [u64; 2]) -> Lanes<T> {
    let mut lanes = Lanes([T::from64(base[0]); 32]);
    for i in 16..32 {
        lanes.0[i] = T::from64(base[1]);
    }
    lanes
}

/// The form of varying registers with the layout of an array of the type.
const fn held_as<T: Elem>() -> Option<Slot> {
    match (size_of::<T>(), T::WIDE) {
        (4, false) => Some(0),
        (8, true) => Some(WIDE),
        _ => None,
    }
}

/// A type that a result can be written as.
pub trait Sink: Copy + Default + 'static {
    /// How its own registers are stored.
    const WRITE: Width;
    /// The form of varying registers with the layout of an array of the type, if there is one.
    const HELD_AS: Option<Slot>;
    /// Writes the active lanes of a varying register.
    ///
    /// # Safety
    /// `slot` is in the warp's register file.
    unsafe fn put(warp: &mut Warp, slot: Slot, lanes: Lanes<Self>);
    /// Writes a register in scalar form, stride 0.
    ///
    /// # Safety
    /// As for `put`.
    unsafe fn put_pair(warp: &mut Warp, slot: Slot, pair: [Self; 2]);
    /// Writes the active lanes of a varying register of this type's own width; the slot is a bare
    /// offset.
    ///
    /// # Safety
    /// As for `put`, and the register has that form.
    unsafe fn put_own(warp: &mut Warp, slot: Slot, lanes: Lanes<Self>);
}

impl<T: Elem> Source for T {
    const READ: Width = if T::WIDE { Width::Wide } else { Width::Word };

    #[inline(always)]
    unsafe fn fetch(warp: &Warp, slot: Slot) -> Lanes<T> {
        let mut out = Lanes([T::default(); 32]);
        // SAFETY: the slot is in the register file, and its bits tell the form of the register (`Source::fetch`).
        unsafe {
            let at = warp.at(slot);
            if slot & SCALAR != 0 {
                let scalar = *at.cast::<Scalar>();
                if T::WIDE {
                    for i in 0..32 {
                        let step = scalar.stride.wrapping_mul(i as u64 & 15);
                        out.0[i] = T::from64(scalar.base[i / 16].wrapping_add(step));
                    }
                } else {
                    let stride = scalar.stride as u32;
                    for i in 0..32 {
                        let step = stride.wrapping_mul(i as u32 & 15);
                        out.0[i] = T::from32((scalar.base[i / 16] as u32).wrapping_add(step));
                    }
                }
            } else if slot & WIDE != 0 {
                let words = *at.cast::<Lanes<u64>>();
                for i in 0..32 {
                    out.0[i] = T::from64(words.0[i]);
                }
            } else {
                let words = *at.cast::<Lanes<u32>>();
                for i in 0..32 {
                    out.0[i] = T::from32(words.0[i]);
                }
            }
        }
        out
    }

    #[inline(always)]
    unsafe fn view<'a>(
        warp: &'a Warp,
        slot: Slot,
        copy: &'a mut MaybeUninit<Lanes<T>>,
    ) -> &'a Lanes<T> {
        // SAFETY: the slot is in the register file (`Source::view`); a varying register of this form holds 32 values of
        // this type, and nothing writes it while the warp is borrowed.
        unsafe {
            let form = slot & (SCALAR | WIDE);
            if Some(form) == held_as::<T>() {
                return &*warp.at(slot).cast::<Lanes<T>>();
            }
            // Constants, and uniform values.
            if form & SCALAR != 0 && (form & WIDE != 0) == T::WIDE {
                let scalar = &*warp.at(slot).cast::<Scalar>();
                let same = if T::WIDE { scalar.stride } else { scalar.stride & 0xffff_ffff } == 0;
                if same {
                    return copy.write(of_halves(scalar.base));
                }
            }
            // Narrow values.
            if !T::WIDE && form == 0 {
                return copy.write(T::fetch(warp, slot & OFFSET));
            }
            copy.write(fetch_cold(warp, slot))
        }
    }

    #[inline(always)]
    unsafe fn pair(warp: &Warp, slot: Slot) -> [T; 2] {
        // SAFETY: the slot is in the register file and is in scalar form (`Source::pair`).
        let base = unsafe { (*warp.at(slot).cast::<Scalar>()).base };
        [T::from64(base[0]), T::from64(base[1])]
    }

    #[inline(always)]
    unsafe fn pair_bare(warp: &Warp, slot: Slot) -> [T; 2] {
        // SAFETY: the offset belongs to a register in scalar form (`Source::pair_bare`).
        let base = unsafe { (*warp.regs.add(slot as usize).cast::<Scalar>()).base };
        [T::from64(base[0]), T::from64(base[1])]
    }

    #[inline(always)]
    unsafe fn fetch_own(warp: &Warp, slot: Slot) -> Lanes<T> {
        let mut out = Lanes([T::default(); 32]);
        // SAFETY: the offset belongs to a varying register with words of this type's width (`Source::fetch_own`).
        unsafe {
            let at = warp.regs.add(slot as usize);
            if T::WIDE {
                let words = *at.cast::<Lanes<u64>>();
                for i in 0..32 {
                    out.0[i] = T::from64(words.0[i]);
                }
            } else {
                let words = *at.cast::<Lanes<u32>>();
                for i in 0..32 {
                    out.0[i] = T::from32(words.0[i]);
                }
            }
        }
        out
    }
}

impl<T: Elem> Sink for T {
    const WRITE: Width = if T::WIDE { Width::Wide } else { Width::Word };
    const HELD_AS: Option<Slot> = held_as::<T>();

    #[inline(always)]
    unsafe fn put(warp: &mut Warp, slot: Slot, lanes: Lanes<T>) {
        // SAFETY: the slot is in the register file and is varying; its bits tell the width of its words
        // (`Sink::put`).
        unsafe {
            if slot & WIDE != 0 {
                let mut words = Lanes([0u64; 32]);
                for i in 0..32 {
                    words.0[i] = lanes.0[i].to64();
                }
                put_words(warp, slot & OFFSET, words);
            } else {
                let mut words = Lanes([0u32; 32]);
                for i in 0..32 {
                    words.0[i] = lanes.0[i].to32();
                }
                put_words(warp, slot & OFFSET, words);
            }
        }
    }

    #[inline(always)]
    unsafe fn put_pair(warp: &mut Warp, slot: Slot, pair: [T; 2]) {
        let scalar = Scalar { base: [pair[0].to64(), pair[1].to64()], stride: 0, unused: 0 };
        // SAFETY: the slot is in the register file and is in scalar form (`Sink::put_pair`).
        unsafe { scalar.store(warp.at(slot).cast::<Scalar>()) }
    }

    #[inline(always)]
    unsafe fn put_own(warp: &mut Warp, slot: Slot, lanes: Lanes<T>) {
        // SAFETY: the offset belongs to a varying register with words of this type's width (`Sink::put_own`).
        unsafe {
            if T::WIDE {
                let mut words = Lanes([0u64; 32]);
                for i in 0..32 {
                    words.0[i] = lanes.0[i].to64();
                }
                put_words(warp, slot, words);
            } else {
                let mut words = Lanes([0u32; 32]);
                for i in 0..32 {
                    words.0[i] = lanes.0[i].to32();
                }
                put_words(warp, slot, words);
            }
        }
    }
}

/// Writes the active lanes of a varying register whose words are `T`.
///
/// # Safety
/// `slot` is the bare offset of a varying register with words of `T`'s size.
#[inline(always)]
pub unsafe fn put_words<T: Copy>(warp: &mut Warp, slot: Slot, words: Lanes<T>) {
    // SAFETY: the offset belongs to a varying register with words of this size, as this function requires.
    unsafe {
        let at = warp.regs.add(slot as usize).cast::<Lanes<T>>();
        let mask = warp.mask;
        if mask == u32::MAX {
            write_all(at, words);
        } else {
            let mut merged = *at;
            for i in 0..32 {
                merged.0[i] = if mask & BITS[i] != 0 { words.0[i] } else { merged.0[i] };
            }
            write_all(at, merged);
        }
    }
}

/// Writes all lanes of a register. WebAssembly copies an array by a call, which takes longer than the rest of most handlers, so
/// vectors are moved one by one there.
///
/// # Safety
/// `to` is a varying register with words of this size.
#[inline(always)]
unsafe fn write_all<T: Copy>(to: *mut Lanes<T>, lanes: Lanes<T>) {
    // SAFETY: both have the bytes of `Lanes<T>`, as this function requires; the vectors are inside for each size of `T`.
    unsafe {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        {
            use std::arch::wasm32::{v128, v128_load, v128_store};
            let (to, from) = (to.cast::<v128>(), (&raw const lanes).cast::<v128>());
            macro_rules! moved {
                ($($at:literal)*) => {{ $(v128_store(to.add($at), v128_load(from.add($at)));)* }};
            }
            match size_of::<T>() {
                4 => moved!(0 1 2 3 4 5 6 7),
                8 => moved!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),
                _ => *to.cast::<Lanes<T>>() = lanes,
            }
        }
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        {
            *to = lanes;
        }
    }
}

/// The address of each lane. Additions to a 32-bit register wrap as the register does: nvcc addresses the first
/// word of shared memory as `[%r+4]` with -4 in the register.
///
/// # Safety
/// The slot is a register of the warp.
#[inline(always)]
pub unsafe fn addresses(warp: &Warp, slot: Slot, offset: u64) -> Lanes<u64> {
    let mut at = Lanes([0u64; 32]);
    // SAFETY: the slot is a register of the warp, as this function requires.
    unsafe {
        if slot & (SCALAR | WIDE) == SCALAR | WIDE {
            // Four lanes at a time, because most hosts cannot multiply vectors of 64-bit lanes.
            let Scalar { base, stride, .. } = *warp.at(slot).cast::<Scalar>();
            for half in 0..2 {
                let mut four = [0u64; 4];
                for j in 0..4 {
                    let step = stride.wrapping_mul(j as u64);
                    four[j] = base[half].wrapping_add(step).wrapping_add(offset);
                }
                for i in 0..16 {
                    at.0[half * 16 + i] = four[i % 4];
                    four[i % 4] = four[i % 4].wrapping_add(stride.wrapping_mul(4));
                }
            }
        } else if slot & WIDE != 0 {
            let mut copy = MaybeUninit::uninit();
            let words = u64::view(warp, slot, &mut copy);
            for i in 0..32 {
                at.0[i] = words.0[i].wrapping_add(offset);
            }
        } else {
            let mut copy = MaybeUninit::uninit();
            let words = u32::view(warp, slot, &mut copy);
            for i in 0..32 {
                at.0[i] = u64::from(words.0[i].wrapping_add(offset as u32));
            }
        }
    }
    at
}

/// One bit per true lane.
#[inline(always)]
pub fn mask_of(lanes: &Lanes<bool>) -> u32 {
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
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    // SAFETY: the array holds 32 bytes, and these loads need no alignment.
    unsafe {
        use std::arch::wasm32::{i8x16_bitmask, v128_load};
        let mut bytes = [0i8; 32];
        for i in 0..32 {
            bytes[i] = -i8::from(lanes.0[i]);
        }
        let low = i8x16_bitmask(v128_load(bytes.as_ptr().cast()));
        let high = i8x16_bitmask(v128_load(bytes.as_ptr().add(16).cast()));
        u32::from(low) | u32::from(high) << 16
    }
    #[cfg(not(any(
        target_arch = "x86_64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    {
        (0..32).fold(0, |bits, i| bits | if lanes.0[i] { BITS[i] } else { 0 })
    }
}

impl Source for bool {
    const READ: Width = Width::Predicate;

    #[inline(always)]
    unsafe fn fetch(warp: &Warp, slot: Slot) -> Lanes<bool> {
        // SAFETY: the slot is in the register file and is a predicate, the only form of a `bool` (`Source::fetch`).
        let mask = unsafe { *warp.at(slot).cast::<u32>() };
        let mut out = Lanes([false; 32]);
        for i in 0..32 {
            out.0[i] = mask & BITS[i] != 0;
        }
        out
    }

    #[inline(always)]
    unsafe fn view<'a>(
        warp: &'a Warp,
        slot: Slot,
        copy: &'a mut MaybeUninit<Lanes<bool>>,
    ) -> &'a Lanes<bool> {
        // SAFETY: `fetch` has the same requirement.
        copy.write(unsafe { bool::fetch(warp, slot) })
    }

    #[inline(always)]
    unsafe fn pair(warp: &Warp, slot: Slot) -> [bool; 2] {
        // SAFETY: the slot is in the register file and is a predicate, the only form of a `bool` (`Source::pair`).
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
    const HELD_AS: Option<Slot> = None;

    #[inline(always)]
    unsafe fn put(warp: &mut Warp, slot: Slot, lanes: Lanes<bool>) {
        let bits = mask_of(&lanes);
        // SAFETY: the slot is in the register file and is a predicate, the only form of a `bool` (`Sink::put`).
        unsafe {
            let at = warp.at(slot).cast::<u32>();
            *at = (*at & !warp.mask) | (bits & warp.mask);
        }
    }

    #[inline(always)]
    unsafe fn put_pair(warp: &mut Warp, slot: Slot, pair: [bool; 2]) {
        let bits = (if pair[0] { 0xffff } else { 0 }) | (if pair[1] { 0xffff_0000 } else { 0 });
        // SAFETY: the slot is in the register file and is a predicate, the only form of a `bool`
        // (`Sink::put_pair`).
        unsafe { *warp.at(slot).cast::<u32>() = bits }
    }

    #[inline(always)]
    unsafe fn put_own(warp: &mut Warp, slot: Slot, lanes: Lanes<bool>) {
        // SAFETY: a predicate's slot has no form bits, so the bare offset is its slot.
        unsafe { bool::put(warp, slot, lanes) }
    }
}
