//! Accesses to guest memory, which another worker's thread may access at the same time.
//!
//! Kernels may race: two blocks, run by two threads of the host, may touch the same word of global
//! memory, and in Rust a race of plain accesses is undefined behaviour. So every access to guest memory
//! is one of relaxed atomics, at least as fine as the guest's own elements: PTX promises no more for weak
//! accesses (PTX ISA manual, "Memory Consistency Model": a vector access is a set of scalar ones in no
//! order). One element is an `AtomicU8` to `AtomicU64`. Sixteen elements side by side are moved by one
//! block of inline assembly, whose meaning is that of sixteen relaxed atomic accesses: the host's vector
//! moves are never torn within an aligned element. The compiler has no other way to say this: it does not
//! join relaxed atomics.

use crate::slot::Elem;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Reads an element.
///
/// # Safety
/// Its bytes are there to be read, at a multiple of their number; whoever writes them at the same time does so by
/// this module.
#[inline(always)]
pub unsafe fn load<T: Elem>(from: *const T) -> T {
    // SAFETY: by the caller; a pointer to an element is one to an atomic of its size.
    unsafe {
        match size_of::<T>() {
            1 => T::from64(AtomicU8::from_ptr(from.cast_mut().cast()).load(Relaxed).into()),
            2 => T::from64(AtomicU16::from_ptr(from.cast_mut().cast()).load(Relaxed).into()),
            4 => T::from64(word(from.cast()).into()),
            _ => T::from64(AtomicU64::from_ptr(from.cast_mut().cast()).load(Relaxed)),
        }
    }
}

/// Reads a 32-bit word: a relaxed atomic load, by inline assembly as far as it can be. The compiler takes an
/// atomic load for a write of all memory, and would read the warp's state again after each.
///
/// # Safety
/// As for [`load`].
#[inline(always)]
unsafe fn word(from: *const u32) -> u32 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let value: u32;
        // SAFETY: by the caller, the bytes are there.
        unsafe {
            std::arch::asm!("mov {value:e}, dword ptr [{from}]", from = in(reg) from,
                value = lateout(reg) value, options(pure, nostack, readonly, preserves_flags));
        }
        value
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    // SAFETY: by the caller.
    unsafe {
        AtomicU32::from_ptr(from.cast_mut()).load(Relaxed)
    }
}

/// Writes an element.
///
/// # Safety
/// As for [`load`], to be written.
#[inline(always)]
pub unsafe fn store<T: Elem>(to: *mut T, value: T) {
    // SAFETY: by the caller; a pointer to an element is one to an atomic of its size.
    unsafe {
        match size_of::<T>() {
            1 => AtomicU8::from_ptr(to.cast()).store(value.to64() as u8, Relaxed),
            2 => AtomicU16::from_ptr(to.cast()).store(value.to64() as u16, Relaxed),
            4 => AtomicU32::from_ptr(to.cast()).store(value.to64() as u32, Relaxed),
            _ => AtomicU64::from_ptr(to.cast()).store(value.to64(), Relaxed),
        }
    }
}

/// How a SIMD level moves 16 elements side by side.
pub trait Level {
    /// Reads them.
    ///
    /// # Safety
    /// As for [`load`], of all of them; the host has the level.
    unsafe fn load<T: Elem>(from: *const [T; 16]) -> [T; 16];
    /// Writes them.
    ///
    /// # Safety
    /// As for [`store`], of all of them; the host has the level.
    unsafe fn store<T: Elem>(to: *mut [T; 16], values: [T; 16]);
    /// Reads one word, 16 times the same.
    ///
    /// # Safety
    /// As for [`load`]; the host has the level.
    unsafe fn broadcast(from: *const u32) -> [u32; 16];
}

/// Element by element, on any host.
pub struct Portable;

impl Level for Portable {
    #[inline(always)]
    unsafe fn load<T: Elem>(from: *const [T; 16]) -> [T; 16] {
        let mut out = [T::default(); 16];
        for (i, out) in out.iter_mut().enumerate() {
            // SAFETY: by the caller.
            *out = unsafe { load(from.cast::<T>().add(i)) };
        }
        out
    }

    #[inline(always)]
    unsafe fn store<T: Elem>(to: *mut [T; 16], values: [T; 16]) {
        for (i, value) in values.into_iter().enumerate() {
            // SAFETY: by the caller.
            unsafe { store(to.cast::<T>().add(i), value) };
        }
    }

    #[inline(always)]
    unsafe fn broadcast(from: *const u32) -> [u32; 16] {
        // SAFETY: by the caller.
        [unsafe { word(from) }; 16]
    }
}

/// The level of handlers for registers of 256 bits.
#[cfg(target_arch = "x86_64")]
pub type Middle = vectors::Avx2;
/// The level of handlers for registers of 512 bits.
#[cfg(target_arch = "x86_64")]
pub type Widest = vectors::Avx512;
/// Elsewhere there is one level.
#[cfg(not(target_arch = "x86_64"))]
pub type Middle = Portable;
/// As above.
#[cfg(not(target_arch = "x86_64"))]
pub type Widest = Portable;

#[cfg(target_arch = "x86_64")]
pub use vectors::words;

/// Reads bytes, as elements of up to 8 bytes that are aligned as the guest's are.
///
/// # Safety
/// As for [`load`], of all of them.
pub unsafe fn read_bytes(from: *const u8, to: &mut [u8]) {
    let mut at = 0;
    while at < to.len() {
        let size = piece(from as usize + at, to.len() - at);
        // SAFETY: by the caller; a piece is aligned to its size.
        unsafe {
            let from = from.add(at);
            match size {
                8 => to[at..at + 8].copy_from_slice(&load(from.cast::<u64>()).to_ne_bytes()),
                4 => to[at..at + 4].copy_from_slice(&load(from.cast::<u32>()).to_ne_bytes()),
                2 => to[at..at + 2].copy_from_slice(&load(from.cast::<u16>()).to_ne_bytes()),
                _ => to[at] = load(from),
            }
        }
        at += size;
    }
}

/// Writes bytes likewise.
///
/// # Safety
/// As for [`store`], of all of them.
pub unsafe fn write_bytes(to: *mut u8, from: &[u8]) {
    let mut at = 0;
    while at < from.len() {
        let size = piece(to as usize + at, from.len() - at);
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&from[at..at + size]);
        // SAFETY: by the caller; a piece is aligned to its size.
        unsafe {
            let to = to.add(at);
            match size {
                8 => store(to.cast::<u64>(), u64::from_ne_bytes(bytes)),
                4 => store(
                    to.cast::<u32>(),
                    u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
                ),
                2 => store(to.cast::<u16>(), u16::from_ne_bytes([bytes[0], bytes[1]])),
                _ => store(to, bytes[0]),
            }
        }
        at += size;
    }
}

/// Moves bytes from guest memory to guest memory. Where the two overlap, the result is as if all had been read
/// first.
///
/// # Safety
/// As for [`load`] and [`store`], of all of them.
pub unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    let mut between = vec![0; bytes];
    // SAFETY: by the caller.
    unsafe {
        read_bytes(from, &mut between);
        write_bytes(to, &between);
    }
}

/// The largest aligned piece of what is left: 8, 4, 2 or 1 bytes.
fn piece(address: usize, left: usize) -> usize {
    let aligned = 1 << address.trailing_zeros().min(3);
    let fits = 1 << left.ilog2().min(3);
    aligned.min(fits)
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use super::{Elem, Level};
    use std::arch::asm;
    use std::arch::x86_64::{__m128i, __m256i, __m512i};

    /// Registers of 256 bits.
    pub struct Avx2;
    /// Registers of 512 bits.
    pub struct Avx512;

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn load32(from: *const __m256i) -> __m256i {
        let value;
        // SAFETY: by the caller, the bytes are there.
        unsafe {
            asm!("vmovdqu {value}, ymmword ptr [{from}]", from = in(reg) from,
                value = lateout(ymm_reg) value, options(pure, nostack, readonly, preserves_flags));
        }
        value
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn store32(to: *mut __m256i, value: __m256i) {
        // SAFETY: by the caller, the bytes are there.
        unsafe {
            asm!("vmovdqu ymmword ptr [{to}], {value}", to = in(reg) to, value = in(ymm_reg) value,
                options(nostack, preserves_flags));
        }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn load64(from: *const __m512i) -> __m512i {
        let value;
        // SAFETY: by the caller, the bytes are there.
        unsafe {
            asm!("vmovdqu64 {value}, zmmword ptr [{from}]", from = in(reg) from,
                value = lateout(zmm_reg) value, options(pure, nostack, readonly, preserves_flags));
        }
        value
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn store64(to: *mut __m512i, value: __m512i) {
        // SAFETY: by the caller, the bytes are there.
        unsafe {
            asm!("vmovdqu64 zmmword ptr [{to}], {value}", to = in(reg) to, value = in(zmm_reg) value,
                options(nostack, preserves_flags));
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn broadcast32(from: *const u32) -> __m256i {
        let value;
        // SAFETY: by the caller, the bytes are there.
        unsafe {
            asm!("vpbroadcastd {value}, dword ptr [{from}]", from = in(reg) from,
                value = lateout(ymm_reg) value, options(pure, nostack, readonly, preserves_flags));
        }
        value
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn broadcast64(from: *const u32) -> __m512i {
        let value;
        // SAFETY: by the caller, the bytes are there.
        unsafe {
            asm!("vpbroadcastd {value}, dword ptr [{from}]", from = in(reg) from,
                value = lateout(zmm_reg) value, options(pure, nostack, readonly, preserves_flags));
        }
        value
    }

    /// Reads four words of 32 bits at these distances from a host address, into one register.
    ///
    /// # Safety
    /// As for [`super::load`], of each; the host has AVX.
    #[inline(always)]
    pub unsafe fn words(host: *const u8, at: [u64; 4]) -> __m128i {
        let value;
        // SAFETY: by the caller, the bytes are there.
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
            // SAFETY: by the caller; `out` has as many bytes as are moved.
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
            // SAFETY: by the caller; `values` has as many bytes as are moved.
            unsafe {
                for i in 0..size_of::<[T; 16]>() / 32 {
                    let value = values.as_ptr().cast::<__m256i>().add(i).read_unaligned();
                    store32(to.cast::<__m256i>().add(i), value);
                }
            }
        }

        #[inline(always)]
        unsafe fn broadcast(from: *const u32) -> [u32; 16] {
            // SAFETY: by the caller; both have 64 bytes.
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
            // SAFETY: by the caller; `out` has as many bytes as are moved.
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
            // SAFETY: by the caller; `values` has as many bytes as are moved.
            unsafe {
                for i in 0..size_of::<[T; 16]>() / 64 {
                    let value = values.as_ptr().cast::<__m512i>().add(i).read_unaligned();
                    store64(to.cast::<__m512i>().add(i), value);
                }
            }
        }

        #[inline(always)]
        unsafe fn broadcast(from: *const u32) -> [u32; 16] {
            // SAFETY: by the caller; both have 64 bytes.
            unsafe { std::mem::transmute::<__m512i, [u32; 16]>(broadcast64(from)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, Portable, load, read_bytes, store, write_bytes};

    #[test]
    fn bytes_are_moved_whatever_their_alignment() {
        let mut memory = [0u64; 8];
        let base = memory.as_mut_ptr().cast::<u8>();
        for start in 0..9 {
            for length in 0..40 {
                let sent: Vec<u8> = (0..length).map(|i| (i * 7 + start) as u8).collect();
                let mut back = vec![0; sent.len()];
                // SAFETY: 64 bytes are there, and at most 49 are used.
                unsafe {
                    write_bytes(base.add(start), &sent);
                    read_bytes(base.add(start), &mut back);
                }
                assert_eq!(sent, back);
            }
        }
    }

    #[test]
    fn an_element_keeps_its_bits() {
        let mut word = 0i16;
        // SAFETY: the element is there.
        unsafe {
            store(&raw mut word, -2);
            assert_eq!(load(&raw mut word), -2);
        }
    }

    #[test]
    fn sixteen_elements_are_moved_at_once() {
        let mut from = [0u32; 16];
        from.iter_mut().enumerate().for_each(|(i, x)| *x = i as u32 * 3);
        let mut to = [0u32; 16];
        // SAFETY: both have 16 elements.
        unsafe { Portable::store(&raw mut to, Portable::load(&raw mut from)) };
        assert_eq!(from, to);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above, and the host has the level.
            unsafe { super::Middle::store(&raw mut to, super::Middle::load(&raw mut from)) };
            assert_eq!(from, to);
        }
    }
}
