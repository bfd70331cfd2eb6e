//! A stand-in for cuFFT, whose own library contains only machine code. It computes on the host, in stream order: the
//! emulator's device memory is host memory. Its speed says nothing about a GPU, and no tool counts its work.
//!
//! The crate rustfft computes the transforms, in f32 or f64, for lengths with any factors; 16-bit floats are transformed in f32 and rounded
//! once. Results agree with a GPU's up to rounding. Callbacks and plans over several GPUs report that they are unsupported and return
//! `CUFFT_NOT_SUPPORTED`.
//!
//! The driver checks every memory range before it is accessed: a wrong pointer, size or stride gives a status and a message.

#![allow(non_snake_case, reason = "cuFFT's names")]
#![allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    reason = "cuFFT's documentation states the callers' obligations and fixes the argument lists"
)]

mod api;
mod execute;
mod handle;
mod plan;

pub(crate) use lanework_standin::refuse;

lanework_standin::statuses! {
    "cuFFT", "cufftResult", "check the pointer, and the plan's sizes, strides and batch";
    InvalidPlan = 1 AllocationFailed = 2 InvalidType = 3 InvalidValue = 4 Internal = 5
    ExecutionFailed = 6 SetupFailed = 7 InvalidSize = 8 NoWorkspace = 13 NotSupported = 16;
    NoEmulator  Null         Memory          Allocation      Device          Driver          Panic =>
    SetupFailed InvalidValue ExecutionFailed ExecutionFailed ExecutionFailed ExecutionFailed Internal
}
