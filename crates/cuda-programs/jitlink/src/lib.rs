//! A stand-in for nvJitLink, NVIDIA's device linker. It links PTX; its "cubin" is the linked PTX, which the emulator's
//! driver loads. The real library, if installed, compiles LTO-IR to PTX. Functions have the names of versions 12 and 13.
//!
//! The library also overrides NVRTC's functions for cubins, so one preloaded library handles both.

#![allow(non_snake_case, reason = "nvJitLink's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "nvJitLink's documentation says what a caller has to keep"
)]

mod calls;
mod kept;
mod linking;
mod nvrtc;
mod real;
