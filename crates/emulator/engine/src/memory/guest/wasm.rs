//! Moves of adjacent elements of guest memory in WebAssembly, whose memory has one thread: no other thread can access it, so plain
//! moves are as good as atomic ones, and the compiler makes vector moves of them.

use crate::machine::slot::Elem;
use crate::memory::guest::Level;

/// Vectors of 128 bits.
pub struct Simd128;

impl Level for Simd128 {
    #[inline(always)]
    unsafe fn load<T: Elem>(from: *const [T; 16]) -> [T; 16] {
        // SAFETY: the elements are readable and aligned (`Level::load`), and there is no other thread.
        unsafe { from.read() }
    }

    #[inline(always)]
    unsafe fn store<T: Elem>(to: *mut [T; 16], values: [T; 16]) {
        // SAFETY: the elements are writable and aligned (`Level::store`), and there is no other thread.
        unsafe { to.write(values) }
    }

    #[inline(always)]
    unsafe fn broadcast(from: *const u32) -> [u32; 16] {
        // SAFETY: the word is readable and aligned (`Level::broadcast`), and there is no other thread.
        [unsafe { from.read() }; 16]
    }
}
