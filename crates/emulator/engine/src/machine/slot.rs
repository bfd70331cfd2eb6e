//! Values of a warp: 32 lanes side by side, or two scalars and a stride.
//!
//! A register lives in one of three forms, fixed when a kernel is assembled:
//! - *varying*: 32 words of 32 or 64 bits;
//! - *scalar*: lanes 0-15 hold `base[0] + stride * i`, lanes 16-31 `base[1] + stride * i`, with `i`
//!   counted from the start of the half. Only the low bits that the register's type has count;
//! - *predicate*: one bit per lane.

use half::{bf16, f16};

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
    /// The step from each lane of a half to the next.
    pub stride: u64,
    /// Keeps the size at 32 bytes.
    pub unused: u64,
}

// The assembler lays out register files by these sizes, and handlers cast slots to these types.
const _: () = {
    assert!(size_of::<Scalar>() == 32 && align_of::<Scalar>() == 32);
    assert!(size_of::<Lanes<u32>>() == 128 && align_of::<Lanes<u32>>() == 64);
    assert!(size_of::<Lanes<u64>>() == 256 && align_of::<Lanes<u64>>() == 64);
};

impl Scalar {
    /// Writes a register in scalar form: both bases in one store, because [`Scalar::add`] reads them in one load,
    /// and a load wider than the preceding stores stalls until those have reached the host's cache.
    ///
    /// # Safety
    /// `at` is a register in scalar form.
    #[inline(always)]
    pub unsafe fn store(self, at: *mut Scalar) {
        // SAFETY: `at` is a register in scalar form, as this function requires, at a multiple of 32 bytes; SSE2 is
        // part of x86-64.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            {
                use std::arch::x86_64::{_mm_set_epi64x, _mm_store_si128};
                let [low, high] = both(self.base, |base| base as i64);
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
        // SAFETY: the three are registers in scalar form, as this function requires, at multiples of 32 bytes; SSE2
        // is part of x86-64.
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
                let base = both([0, 1], |i: usize| (*a).base[i].wrapping_add((*b).base[i]));
                *to = Scalar { base, stride, unused: 0 };
            }
        }
    }
}

/// Applies `f` to each half of a warp. `array::map` would work, but it unwinds, and its code took an eighth of the
/// crate's compile time. It is not inlined into handlers either, so functions that it calls could not use wide
/// registers.
#[inline(always)]
pub fn both<T: Copy, U>(halves: [T; 2], f: impl Fn(T) -> U) -> [U; 2] {
    [f(halves[0]), f(halves[1])]
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

/// A type that a lane can hold, with its bits in a 32- or 64-bit word. Narrow values are extended by their
/// signedness when stored; bits above them are ignored when read.
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

/// No destination.
pub const NO_SLOT: u32 = u32::MAX;
