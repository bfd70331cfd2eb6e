//! The stand-in for cuFFT on the emulator's driver, as programs find it.

#[macro_use]
#[path = "../../../driver/tests/common/stand_in.rs"]
mod stand_in;

#[allow(unused_imports, reason = "each test uses some of these")]
pub use stand_in::*;

// The shared library is built since this crate is used.
use lanework_libcuda as _;

/// Its file.
const NAME: &str = "liblanework_cufft.so";
