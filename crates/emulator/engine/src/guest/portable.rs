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
