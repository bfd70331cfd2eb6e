//! What a SIMD level does.

use crate::slot::Elem;

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
