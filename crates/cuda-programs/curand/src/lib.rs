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

use lanework_standin::FailureKind;
pub(crate) use lanework_standin::refuse;

/// `curandStatus_t`, other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Status {
    NotInitialized = 101,
    AllocationFailed = 102,
    TypeError = 103,
    OutOfRange = 104,
    LengthNotMultiple = 105,
    LaunchFailure = 201,
    InitializationFailed = 203,
    Internal = 999,
}

/// Result of a call.
pub(crate) type Result<T = ()> = std::result::Result<T, Status>;

impl lanework_standin::Status for Status {
    const LIBRARY: &'static str = "cuRAND";
    const MEMORY_ADVICE: &'static str =
        "check the pointer and the count; for host memory use curandCreateGeneratorHost";

    fn of(kind: FailureKind) -> Status {
        match kind {
            FailureKind::NoEmulator => Status::InitializationFailed,
            FailureKind::Null => Status::OutOfRange,
            FailureKind::Allocation => Status::AllocationFailed,
            FailureKind::Panic => Status::Internal,
            FailureKind::Memory | FailureKind::Device | FailureKind::Driver => {
                Status::LaunchFailure
            }
        }
    }
}

lanework_standin::answers!(Status);
