//! Loads the stand-in for cuFFT on the emulator's driver, as programs do.

#[macro_use]
#[path = "../../../../driver/tests/common/stand_in.rs"]
mod stand_in;

#[allow(unused_imports, reason = "each test uses some of these")]
pub use stand_in::*;

// Makes cargo build the shared library.
use lanework_libcuda as _;

/// File name of the stand-in.
const NAME: &str = "liblanework_cufft.so";
