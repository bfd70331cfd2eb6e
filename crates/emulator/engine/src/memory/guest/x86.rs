//! Moves of adjacent elements of guest memory in the vector registers of x86-64.

use crate::machine::slot::Elem;
use crate::memory::guest::Level;
use std::arch::asm;
use std::arch::x86_64::{__m128i, __m256i, __m512i};

/// Registers of 256 bits.
pub struct Avx2;

/// Registers of 512 bits.
pub struct Avx512;

/// # Safety
/// 32 bytes are readable at `from`.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load32(from: *const __m256i) -> __m256i {
    let value;
    // SAFETY: 32 bytes are readable at `from`, as this function requires; `vmovdqu` needs no alignment.
    unsafe {
        asm!("vmovdqu {value}, ymmword ptr [{from}]", from = in(reg) from,
            value = lateout(ymm_reg) value, options(pure, nostack, readonly, preserves_flags));
    }
    value
}

/// # Safety
/// 32 bytes are writable at `to`.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store32(to: *mut __m256i, value: __m256i) {
    // SAFETY: 32 bytes are writable at `to`, as this function requires; `vmovdqu` needs no alignment.
    unsafe {
        asm!("vmovdqu ymmword ptr [{to}], {value}", to = in(reg) to, value = in(ymm_reg) value,
            options(nostack, preserves_flags));
    }
}

/// # Safety
/// 64 bytes are readable at `from`.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn load64(from: *const __m512i) -> __m512i {
    let value;
    // SAFETY: 64 bytes are readable at `from`, as this function requires; `vmovdqu64` needs no alignment.
    unsafe {
        asm!("vmovdqu64 {value}, zmmword ptr [{from}]", from = in(reg) from,
            value = lateout(zmm_reg) value, options(pure, nostack, readonly, preserves_flags));
    }
    value
}

/// # Safety
/// 64 bytes are writable at `to`.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn store64(to: *mut __m512i, value: __m512i) {
    // SAFETY: 64 bytes are writable at `to`, as this function requires; `vmovdqu64` needs no alignment.
    unsafe {
        asm!("vmovdqu64 zmmword ptr [{to}], {value}", to = in(reg) to, value = in(zmm_reg) value,
            options(nostack, preserves_flags));
    }
}

/// # Safety
/// The word at `from` is readable.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn broadcast32(from: *const u32) -> __m256i {
    let value;
    // SAFETY: the word at `from` is readable: `Level::broadcast` requires it.
    unsafe {
        asm!("vpbroadcastd {value}, dword ptr [{from}]", from = in(reg) from,
            value = lateout(ymm_reg) value, options(pure, nostack, readonly, preserves_flags));
    }
    value
}

/// # Safety
/// The word at `from` is readable.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn broadcast64(from: *const u32) -> __m512i {
    let value;
    // SAFETY: the word at `from` is readable: `Level::broadcast` requires it.
    unsafe {
        asm!("vpbroadcastd {value}, dword ptr [{from}]", from = in(reg) from,
            value = lateout(zmm_reg) value, options(pure, nostack, readonly, preserves_flags));
    }
    value
}

/// Reads four words of 32 bits at these distances from a host address, into one register.
///
/// # Safety
/// As for [`crate::memory::guest::load`], of each; the host has AVX.
#[inline(always)]
pub unsafe fn words(host: *const u8, at: [u64; 4]) -> __m128i {
    let value;
    // SAFETY: the four words are readable, as this function requires.
    unsafe {
        asm!(
            "vmovd {value}, dword ptr [{host} + {a}]",
            "vpinsrd {value}, {value}, dword ptr [{host} + {b}], 1",
            "vpinsrd {value}, {value}, dword ptr [{host} + {c}], 2",
            "vpinsrd {value}, {value}, dword ptr [{host} + {d}], 3",
            host = in(reg) host, a = in(reg) at[0], b = in(reg) at[1], c = in(reg) at[2],
            d = in(reg) at[3], value = out(xmm_reg) value,
            options(pure, nostack, readonly, preserves_flags),
        );
    }
    value
}

impl Level for Avx2 {
    #[inline(always)]
    unsafe fn load<T: Elem>(from: *const [T; 16]) -> [T; 16] {
        let mut out = [T::default(); 16];
        // SAFETY: the array is readable and the host has the level, as `Level::load` requires; `out` has the size of the
        // array.
        unsafe {
            for i in 0..size_of::<[T; 16]>() / 32 {
                let value = load32(from.cast::<__m256i>().add(i));
                out.as_mut_ptr().cast::<__m256i>().add(i).write_unaligned(value);
            }
        }
        out
    }

    #[inline(always)]
    unsafe fn store<T: Elem>(to: *mut [T; 16], values: [T; 16]) {
        // SAFETY: the array is writable and the host has the level, as `Level::store` requires; `values` has the size of
        // the array.
        unsafe {
            for i in 0..size_of::<[T; 16]>() / 32 {
                let value = values.as_ptr().cast::<__m256i>().add(i).read_unaligned();
                store32(to.cast::<__m256i>().add(i), value);
            }
        }
    }

    #[inline(always)]
    unsafe fn broadcast(from: *const u32) -> [u32; 16] {
        // SAFETY: the word is readable and the host has the level, as `Level::broadcast` requires; both types have 64
        // bytes, and every bit pattern is valid.
        unsafe {
            let half = broadcast32(from);
            std::mem::transmute::<[__m256i; 2], [u32; 16]>([half, half])
        }
    }
}

impl Level for Avx512 {
    #[inline(always)]
    unsafe fn load<T: Elem>(from: *const [T; 16]) -> [T; 16] {
        let mut out = [T::default(); 16];
        // SAFETY: the array is readable and the host has the level, as `Level::load` requires; `out` has the size of the
        // array.
        unsafe {
            for i in 0..size_of::<[T; 16]>() / 64 {
                let value = load64(from.cast::<__m512i>().add(i));
                out.as_mut_ptr().cast::<__m512i>().add(i).write_unaligned(value);
            }
        }
        out
    }

    #[inline(always)]
    unsafe fn store<T: Elem>(to: *mut [T; 16], values: [T; 16]) {
        // SAFETY: the array is writable and the host has the level, as `Level::store` requires; `values` has the size of
        // the array.
        unsafe {
            for i in 0..size_of::<[T; 16]>() / 64 {
                let value = values.as_ptr().cast::<__m512i>().add(i).read_unaligned();
                store64(to.cast::<__m512i>().add(i), value);
            }
        }
    }

    #[inline(always)]
    unsafe fn broadcast(from: *const u32) -> [u32; 16] {
        // SAFETY: the word is readable and the host has the level, as `Level::broadcast` requires; both types have 64
        // bytes, and every bit pattern is valid.
        unsafe { std::mem::transmute::<__m512i, [u32; 16]>(broadcast64(from)) }
    }
}
