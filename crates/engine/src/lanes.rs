//! Values of a warp: 32 lanes side by side, or two scalars and a stride.
//!
//! A register lives in one of three forms, fixed when a kernel is assembled:
//! - *varying*: 32 words of 32 or 64 bits;
//! - *scalar*: lanes 0-15 hold `base[0] + stride * i`, lanes 16-31 `base[1] + stride * i`, with `i`
//!   counted from the start of the half. Only the low bits that the register's type has count;
//! - *predicate*: one bit per lane.

use crate::op::Warp;
use half::{bf16, f16};
use lanework_ptx_ir::kernel::Width;

/// 32 lanes of `T`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Lanes<T>(pub [T; 32]);

/// A register in scalar form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Scalar {
    /// The values of lanes 0 and 16.
    pub base: [u64; 2],
    /// What each next lane of a half adds.
    pub stride: u64,
    /// Keeps the size at 32 bytes.
    pub unused: u64,
}

impl Scalar {
    /// Writes a register in scalar form: both bases at once, for [`Scalar::add`] reads them so, and a
    /// read wider than the writes before it waits until those have reached the host's cache.
    ///
    /// # Safety
    /// `at` is a register in scalar form.
    #[inline(always)]
    pub unsafe fn store(self, at: *mut Scalar) {
        // SAFETY: by the caller; registers lie at multiples of 32 bytes, and SSE2 is part of x86-64.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            {
                use std::arch::x86_64::{_mm_set_epi64x, _mm_store_si128};
                let [low, high] = self.base.map(|base| base as i64);
                _mm_store_si128(at.cast(), _mm_set_epi64x(high, low));
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                (*at).base = self.base;
            }
            (*at).stride = self.stride;
        }
    }

    /// Writes the sum of two registers in scalar form to a third.
    ///
    /// # Safety
    /// All three are registers in scalar form.
    #[inline(always)]
    pub unsafe fn add(a: *const Scalar, b: *const Scalar, to: *mut Scalar) {
        // SAFETY: as for `store`.
        unsafe {
            let stride = (*a).stride.wrapping_add((*b).stride);
            #[cfg(target_arch = "x86_64")]
            {
                use std::arch::x86_64::{_mm_add_epi64, _mm_load_si128, _mm_store_si128};
                let base = _mm_add_epi64(_mm_load_si128(a.cast()), _mm_load_si128(b.cast()));
                _mm_store_si128(to.cast(), base);
                (*to).stride = stride;
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                let base = [0, 1].map(|i| (*a).base[i].wrapping_add((*b).base[i]));
                *to = Scalar { base, stride, unused: 0 };
            }
        }
    }
}

/// A register's place in the register file: a byte offset (a multiple of 32) and its form in the low bits.
pub type Slot = u32;
/// The register is in scalar form.
pub const SCALAR: Slot = 1;
/// The register is varying with 64-bit words.
pub const WIDE: Slot = 2;
/// The bits of a slot that are its offset.
pub const OFFSET: Slot = !31;

/// Bit `i` for lane `i`.
pub const BITS: [u32; 32] = {
    let mut bits = [0; 32];
    let mut i = 0;
    while i < 32 {
        bits[i] = 1 << i;
        i += 1;
    }
    bits
};

/// A type that a lane can hold, with its bits in a 32- or 64-bit word. Narrow values are extended by
/// their signedness when stored; what lies above them is ignored when read.
pub trait Elem: Copy + Default + 'static {
    /// Whether its own storage is a 64-bit word.
    const WIDE: bool;
    /// From the low bits of a 32-bit word.
    fn from32(bits: u32) -> Self;
    /// From the low bits of a 64-bit word.
    fn from64(bits: u64) -> Self;
    /// As a 32-bit word.
    fn to32(self) -> u32;
    /// As a 64-bit word.
    fn to64(self) -> u64;
}

macro_rules! integer_elements {
    ($($ty:ty, $wide:expr, $as32:ty, $as64:ty;)*) => {$(
        impl Elem for $ty {
            const WIDE: bool = $wide;
            #[inline(always)]
            fn from32(bits: u32) -> Self { bits as $ty }
            #[inline(always)]
            fn from64(bits: u64) -> Self { bits as $ty }
            #[inline(always)]
            fn to32(self) -> u32 { self as $as32 as u32 }
            #[inline(always)]
            fn to64(self) -> u64 { self as $as64 as u64 }
        }
    )*};
}

integer_elements! {
    u8, false, u32, u64;
    u16, false, u32, u64;
    u32, false, u32, u64;
    u64, true, u32, u64;
    i8, false, i32, i64;
    i16, false, i32, i64;
    i32, false, i32, i64;
    i64, true, i32, i64;
}

macro_rules! float_elements {
    ($($ty:ty, $wide:expr, $bits:ty;)*) => {$(
        impl Elem for $ty {
            const WIDE: bool = $wide;
            #[inline(always)]
            fn from32(bits: u32) -> Self { <$ty>::from_bits(bits as $bits) }
            #[inline(always)]
            fn from64(bits: u64) -> Self { <$ty>::from_bits(bits as $bits) }
            #[inline(always)]
            fn to32(self) -> u32 { self.to_bits() as u32 }
            #[inline(always)]
            fn to64(self) -> u64 { u64::from(self.to_bits()) }
        }
    )*};
}

float_elements! {
    f16, false, u16;
    bf16, false, u16;
    f32, false, u32;
    f64, true, u64;
}

/// What an operand can be read as.
pub trait Source: Copy + Default + 'static {
    /// How its own registers are stored.
    const READ: Width;
    /// All lanes.
    ///
    /// # Safety
    /// `slot` lies in the warp's register file.
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
    /// All lanes of a varying register of this type's own width; the slot is a bare offset.
    ///
    /// # Safety
    /// As for `fetch`, and the register has that form.
    unsafe fn fetch_own(warp: &Warp, slot: Slot) -> Lanes<Self>;
}

/// [`Source::fetch`] out of line, for handlers that are rare: hundreds of them share one copy.
///
/// # Safety
/// As for [`Source::fetch`].
#[inline(never)]
pub unsafe fn fetch_cold<T: Source>(warp: &Warp, slot: Slot) -> Lanes<T> {
    // SAFETY: by the caller.
    unsafe { T::fetch(warp, slot) }
}

/// [`Sink::put`] out of line, likewise.
///
/// # Safety
/// As for [`Sink::put`].
#[inline(never)]
pub unsafe fn put_cold<T: Sink>(warp: &mut Warp, slot: Slot, lanes: Lanes<T>) {
    // SAFETY: by the caller.
    unsafe { T::put(warp, slot, lanes) }
}

/// What a result can be written as.
pub trait Sink: Copy + Default + 'static {
    /// How its own registers are stored.
    const WRITE: Width;
    /// Writes the active lanes of a varying register.
    ///
    /// # Safety
    /// `slot` lies in the warp's register file.
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
        // SAFETY: the caller's slot is a varying or scalar register of the form its bits say.
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
    unsafe fn pair(warp: &Warp, slot: Slot) -> [T; 2] {
        // SAFETY: the caller's slot is in scalar form.
        let base = unsafe { (*warp.at(slot).cast::<Scalar>()).base };
        [T::from64(base[0]), T::from64(base[1])]
    }

    #[inline(always)]
    unsafe fn pair_bare(warp: &Warp, slot: Slot) -> [T; 2] {
        // SAFETY: the caller's slot is in scalar form.
        let base = unsafe { (*warp.regs.add(slot as usize).cast::<Scalar>()).base };
        [T::from64(base[0]), T::from64(base[1])]
    }

    #[inline(always)]
    unsafe fn fetch_own(warp: &Warp, slot: Slot) -> Lanes<T> {
        let mut out = Lanes([T::default(); 32]);
        // SAFETY: by the caller.
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

    #[inline(always)]
    unsafe fn put(warp: &mut Warp, slot: Slot, lanes: Lanes<T>) {
        // SAFETY: the caller's slot is a varying register.
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
        // SAFETY: the caller's slot is in scalar form.
        unsafe { scalar.store(warp.at(slot).cast::<Scalar>()) }
    }

    #[inline(always)]
    unsafe fn put_own(warp: &mut Warp, slot: Slot, lanes: Lanes<T>) {
        // SAFETY: by the caller.
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
    // SAFETY: by the caller.
    unsafe {
        let at = warp.regs.add(slot as usize).cast::<Lanes<T>>();
        let mask = warp.mask;
        if mask == u32::MAX {
            *at = words;
        } else {
            let mut merged = *at;
            for i in 0..32 {
                merged.0[i] = if mask & BITS[i] != 0 { words.0[i] } else { merged.0[i] };
            }
            *at = merged;
        }
    }
}

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
        // SAFETY: the caller's slot is a predicate.
        let mask = unsafe { *warp.at(slot).cast::<u32>() };
        let mut out = Lanes([false; 32]);
        for i in 0..32 {
            out.0[i] = mask & BITS[i] != 0;
        }
        out
    }

    #[inline(always)]
    unsafe fn pair(warp: &Warp, slot: Slot) -> [bool; 2] {
        // SAFETY: the caller's slot is a predicate.
        let mask = unsafe { *warp.at(slot).cast::<u32>() };
        [mask & 1 != 0, mask & 0x1_0000 != 0]
    }

    #[inline(always)]
    unsafe fn pair_bare(warp: &Warp, slot: Slot) -> [bool; 2] {
        // SAFETY: by the caller.
        unsafe { bool::pair(warp, slot) }
    }

    #[inline(always)]
    unsafe fn fetch_own(warp: &Warp, slot: Slot) -> Lanes<bool> {
        // SAFETY: by the caller.
        unsafe { bool::fetch(warp, slot) }
    }
}

impl Sink for bool {
    const WRITE: Width = Width::Predicate;

    #[inline(always)]
    unsafe fn put(warp: &mut Warp, slot: Slot, lanes: Lanes<bool>) {
        let bits = mask_of(&lanes);
        // SAFETY: the caller's slot is a predicate.
        unsafe {
            let at = warp.at(slot).cast::<u32>();
            *at = (*at & !warp.mask) | (bits & warp.mask);
        }
    }

    #[inline(always)]
    unsafe fn put_pair(warp: &mut Warp, slot: Slot, pair: [bool; 2]) {
        let bits = (if pair[0] { 0xffff } else { 0 }) | (if pair[1] { 0xffff_0000 } else { 0 });
        // SAFETY: the caller's slot is a predicate.
        unsafe { *warp.at(slot).cast::<u32>() = bits }
    }

    #[inline(always)]
    unsafe fn put_own(warp: &mut Warp, slot: Slot, lanes: Lanes<bool>) {
        // SAFETY: by the caller.
        unsafe { bool::put(warp, slot, lanes) }
    }
}
