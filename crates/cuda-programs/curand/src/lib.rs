//! A stand-in for cuRAND's host library, which contains only machine code. It computes on the host, in stream order:
//! the emulator's device memory is host memory. Its speed says nothing about a GPU, and no tool counts its work.
//!
//! XORWOW, MRG32k3a, Philox4x32-10, MTGP32, Sobol32 and Sobol64 produce the same bits as NVIDIA's generators
//! (`tests/nvidia.rs` compares them with NVIDIA's host generators). MT19937 is the published generator as one
//! sequence; NVIDIA interleaves many generators, so its order differs. Scrambled Sobol' sequences use Lanework's own
//! scrambling.
//!
//! The driver checks every memory range before it is accessed: a wrong pointer gives a status and a message.

#![allow(non_snake_case, reason = "cuRAND's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "cuRAND's documentation states the callers' obligations"
)]

mod api;
mod distribution;
mod generator;
mod generators;

pub(crate) use lanework_standin::refuse;

lanework_standin::statuses! {
    "cuRAND", "curandStatus_t", "check the pointer and the count; for host memory use curandCreateGeneratorHost";
    NotInitialized = 101 AllocationFailed = 102 TypeError = 103 OutOfRange = 104
    LengthNotMultiple = 105 LaunchFailure = 201 InitializationFailed = 203 Internal = 999;
    NoEmulator           Null       Memory        Allocation       Device        Driver        Panic =>
    InitializationFailed OutOfRange LaunchFailure AllocationFailed LaunchFailure LaunchFailure Internal
}
