//! Accesses to guest memory, which another worker's thread may access at the same time.
//!
//! Kernels may race: two blocks, run by two threads of the host, may touch the same word of global memory, and in
//! Rust a race of plain accesses is undefined behavior. So every access to guest memory consists of relaxed
//! atomics, at least as fine as the guest's elements: PTX promises no more for weak accesses (PTX ISA manual,
//! "Memory Consistency Model": a vector access is a set of scalar ones in no order). One element is an `AtomicU8`
//! to `AtomicU64`. Sixteen elements side by side are moved by one block of inline assembly, which means sixteen
//! relaxed atomic accesses: the host's vector moves are never torn within an aligned element. Rust has no other
//! way to express this, because the compiler does not merge relaxed atomics. WebAssembly has its own way (`wasm`).

pub(crate) mod bytes;
#[cfg(target_family = "wasm")]
pub(crate) mod wasm;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

pub use crate::memory::guest::bytes::{copy, read_bytes, write_bytes};

#[cfg(target_family = "wasm")]
pub use self::wasm::{Simd128 as Middle, Simd128 as Widest};
/// The levels of handlers for registers of 256 and of 512 bits.
#[cfg(target_arch = "x86_64")]
pub use self::x86::{Avx2 as Middle, Avx512 as Widest};
#[cfg(not(any(target_arch = "x86_64", target_family = "wasm")))]
pub use self::{Portable as Middle, Portable as Widest};
use crate::machine::slot::Elem;
#[cfg(not(target_family = "wasm"))]
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Reads an element.
///
/// # Safety
/// Its bytes are readable and aligned to their number; concurrent writes to them go through this module.
#[inline(always)]
pub unsafe fn load<T: Elem>(from: *const T) -> T {
    // SAFETY: the bytes are readable, aligned to the element, and written by this module only, as this function
    // requires; an element has the layout of the atomic of its size.
    unsafe {
        match size_of::<T>() {
            1 => T::from64(byte(from.cast()).into()),
            2 => T::from64(half(from.cast()).into()),
            4 => T::from64(word(from.cast()).into()),
            _ => T::from64(wide(from.cast())),
        }
    }
}

/// Defines a relaxed atomic load of a word of some size, by an instruction in inline assembly if possible. The compiler treats
/// an atomic load as a write to all memory, and would reload the warp's state after each one.
macro_rules! loads {
    ($($name:ident $ty:ty, $atomic:ty, $register:ty, $instruction:literal;)*) => {$(
        /// # Safety
        /// As for [`load`].
        #[inline(always)]
        unsafe fn $name(from: *const $ty) -> $ty {
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            {
                let value: $register;
                // SAFETY: the bytes are readable and aligned, as `load` requires.
                unsafe {
                    std::arch::asm!($instruction, from = in(reg) from, value = lateout(reg) value,
                        options(pure, nostack, readonly, preserves_flags));
                }
                value as $ty
            }
            #[cfg(target_family = "wasm")]
            // SAFETY: the bytes are readable and aligned, as `load` requires. `wasm` says why this is not atomic.
            unsafe {
                from.read_volatile()
            }
            #[cfg(not(any(target_family = "wasm", all(target_arch = "x86_64", not(miri)))))]
            // SAFETY: the bytes are readable and aligned, as `load` requires.
            unsafe {
                <$atomic>::from_ptr(from.cast_mut()).load(Relaxed)
            }
        }
    )*};
}

loads! {
    byte u8, AtomicU8, u32, "movzx {value:e}, byte ptr [{from}]";
    half u16, AtomicU16, u32, "movzx {value:e}, word ptr [{from}]";
    word u32, AtomicU32, u32, "mov {value:e}, dword ptr [{from}]";
    wide u64, AtomicU64, u64, "mov {value:r}, qword ptr [{from}]";
}

/// Writes an element.
///
/// # Safety
/// As for [`load`], to be written.
#[inline(always)]
pub unsafe fn store<T: Elem>(to: *mut T, value: T) {
    #[cfg(target_family = "wasm")]
    // SAFETY: the bytes are writable and aligned, as this function requires. `wasm` says why this is not atomic.
    unsafe {
        to.write_volatile(value);
    }
    #[cfg(not(target_family = "wasm"))]
    // SAFETY: the bytes are writable, aligned to the element, and accessed by this module only, as this function
    // requires; an element has the layout of the atomic of its size.
    unsafe {
        match size_of::<T>() {
            1 => AtomicU8::from_ptr(to.cast()).store(value.to64() as u8, Relaxed),
            2 => AtomicU16::from_ptr(to.cast()).store(value.to64() as u16, Relaxed),
            4 => AtomicU32::from_ptr(to.cast()).store(value.to64() as u32, Relaxed),
            _ => AtomicU64::from_ptr(to.cast()).store(value.to64(), Relaxed),
        }
    }
}

/// Moves of 16 adjacent elements at a SIMD level: one by one, or on x86-64 by inline assembly in registers of 256 or
/// 512 bits.
pub trait Level {
    /// Reads them.
    ///
    /// # Safety
    /// As for [`load`], for all elements; the host has the level.
    unsafe fn load<T: Elem>(from: *const [T; 16]) -> [T; 16];
    /// Writes them.
    ///
    /// # Safety
    /// As for [`store`], for all elements; the host has the level.
    unsafe fn store<T: Elem>(to: *mut [T; 16], values: [T; 16]);
    /// Reads one word into 16 lanes.
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
            // SAFETY: the array has 16 readable elements, as this function requires.
            *out = unsafe { load(from.cast::<T>().add(i)) };
        }
        out
    }

    #[inline(always)]
    unsafe fn store<T: Elem>(to: *mut [T; 16], values: [T; 16]) {
        for (i, value) in values.into_iter().enumerate() {
            // SAFETY: the array has 16 writable elements, as this function requires.
            unsafe { store(to.cast::<T>().add(i), value) };
        }
    }

    #[inline(always)]
    unsafe fn broadcast(from: *const u32) -> [u32; 16] {
        // SAFETY: the word is readable and aligned, as this function requires.
        [unsafe { word(from) }; 16]
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::guest::Portable;
    use crate::memory::guest::{Level, load, store};

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
    fn sixteen_elements_are_moved_together() {
        let mut from = [0u32; 16];
        from.iter_mut().enumerate().for_each(|(i, x)| *x = i as u32 * 3);
        let mut to = [0u32; 16];
        // SAFETY: both have 16 elements.
        unsafe { Portable::store(&raw mut to, Portable::load(&raw mut from)) };
        assert_eq!(from, to);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: both arrays have 16 elements, and the host was found to have AVX2.
            unsafe {
                crate::memory::guest::Middle::store(
                    &raw mut to,
                    crate::memory::guest::Middle::load(&raw mut from),
                )
            };
            assert_eq!(from, to);
        }
    }
}
