//! A stand-in for cuFFT, whose own library holds machine code only. It computes on the host, in the order of the stream, since memory of the
//! emulator is memory of the host; it says nothing of how fast a GPU is, and no tool counts it.
//!
//! The transforms are those of the crate rustfft, in f32 or f64, for lengths of any factors; numbers of 16 bits are transformed in f32 and
//! rounded once. Results agree with a GPU's to their rounding. Callbacks and plans over several GPUs answer `CUFFT_NOT_SUPPORTED`, and say so.
//!
//! Every range of memory is looked up in the driver before it is touched: a wrong pointer, size or stride is a status and a sentence.

#![allow(non_snake_case, reason = "cuFFT's names")]
#![allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    reason = "cuFFT's documentation says what a caller has to keep; its functions have that many"
)]

mod api;
mod execute;
mod handle;
mod kind;
mod layout;
mod plan;
mod status;
mod transform;
mod unsupported;
