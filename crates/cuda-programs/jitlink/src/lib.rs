//! A stand-in for nvJitLink, NVIDIA's linker of device code. It links PTX, and what it calls a cubin is the linked PTX, which the
//! emulator's driver loads. LTO-IR is compiled to PTX by the real library where that is installed.
//!
//! The names are nvJitLink's, and those of its versions 12 and 13.
//!
//! Beside it, what makes NVRTC's cubins PTX: one library is preloaded for both.

#![allow(non_snake_case, reason = "nvJitLink's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "nvJitLink's documentation says what a caller has to keep"
)]

mod calls;
mod input;
mod linking;
mod names;
mod nvrtc;
mod options;
mod outcome;
mod real;
