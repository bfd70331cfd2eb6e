//! Moves of adjacent elements of guest memory in WebAssembly, as vectors of 128 bits.
//!
//! A module without the feature `atomics` has one thread, so plain moves are as good as atomic ones. A module with it shares its
//! memory with other threads. There, a relaxed atomic access is a sequentially consistent one, which locks the bus for each
//! stored element, and LLVM makes no vectors of them. So loads are volatile: LLVM defines the result of a racing volatile load by
//! the target ("Memory Model for Concurrent Operations" in its manual), and WebAssembly defines racing accesses that are not
//! atomic, whose aligned elements engines do not tear. A racing store is defined in both. Rust's model has no such accesses.

use crate::machine::slot::Elem;
use crate::memory::guest::Level;
#[cfg(target_feature = "atomics")]
use std::arch::wasm32::v128;

/// Vectors of 128 bits.
pub struct Simd128;

/// A vector at any address.
#[cfg(target_feature = "atomics")]
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Vector(v128);

impl Level for Simd128 {
    #[cfg(not(target_feature = "atomics"))]
    #[inline(always)]
    unsafe fn load<T: Elem>(from: *const [T; 16]) -> [T; 16] {
        // SAFETY: the elements are readable and aligned (`Level::load`), and there is no other thread.
        unsafe { from.read() }
    }

    #[cfg(target_feature = "atomics")]
    #[inline(always)]
    unsafe fn load<T: Elem>(from: *const [T; 16]) -> [T; 16] {
        let mut values = [T::default(); 16];
        let (from, to) = (from.cast::<Vector>(), (&raw mut values).cast::<Vector>());
        // Sixteen elements of n bytes are n vectors.
        for at in 0..size_of::<T>() {
            // SAFETY: the elements are readable (`Level::load`), and `values` has as many bytes. About other threads, see above.
            unsafe { to.add(at).write(from.add(at).read_volatile()) };
        }
        values
    }

    #[inline(always)]
    unsafe fn store<T: Elem>(to: *mut [T; 16], values: [T; 16]) {
        // SAFETY: the elements are writable and aligned (`Level::store`). About other threads, see above.
        unsafe { to.write(values) }
    }

    #[inline(always)]
    unsafe fn broadcast(from: *const u32) -> [u32; 16] {
        // SAFETY: the word is readable and aligned (`Level::broadcast`). About other threads, see above.
        [unsafe { from.read_volatile() }; 16]
    }
}
