//! A stand-in for cuFFT, whose own library contains only machine code. It computes on the host, in stream order: the
//! emulator's device memory is host memory. Its speed says nothing about a GPU, and no tool counts its work.
//!
//! The crate rustfft computes the transforms, in f32 or f64, for lengths with any factors; 16-bit floats are transformed in f32 and rounded
//! once. Results agree with a GPU's up to rounding. Callbacks and plans over several GPUs report that they are unsupported and return
//! `CUFFT_NOT_SUPPORTED`.
//!
//! Every memory range is looked up in the driver before it is accessed: a wrong pointer, size or stride gives a status and a message.

#![allow(non_snake_case, reason = "cuFFT's names")]
#![allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    reason = "cuFFT's documentation states the callers' obligations and fixes the argument lists"
)]

mod api;
mod execute;
mod handle;
mod kind;
mod plan;
mod status;
mod unsupported;
