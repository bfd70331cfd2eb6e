//! Loads the stand-in for cuBLAS on the emulator's driver, as programs do.

#![allow(dead_code, reason = "each test uses some of these")]

#[macro_use]
#[path = "../../../../driver/tests/common/stand_in.rs"]
mod stand_in;

#[allow(unused_imports, reason = "each test uses some of these")]
pub use stand_in::*;

// Makes cargo build the shared library.
use lanework_libcuda as _;

/// File name of the stand-in.
const NAME: &str = "liblanework_cublas.so";

/// Uploads values to new device memory.
pub fn upload<T: Copy>(from: &[T]) -> u64 {
    let at = allocate(size_of_val(from));
    stand_in::upload(at, from);
    at
}

pub fn handle() -> usize {
    context();
    let create: extern "C" fn(*mut usize) -> i32 = get(&libraries().own, "cublasCreate_v2");
    let mut handle = 0;
    assert_eq!(create(&mut handle), 0);
    handle
}

pub fn numbers(count: usize, seed: u32) -> Vec<f64> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from((state >> 16) % 17) - 8.0
    };
    std::iter::repeat_with(next).take(count).collect()
}
