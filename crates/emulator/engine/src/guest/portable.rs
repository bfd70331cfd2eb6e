//! The SIMD level of any host, which x86-64 hosts use in tests only.

use super::level::Level;
use super::{load, store, word};
use crate::slot::Elem;

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
