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

use lanework_standin::FailureKind;
pub(crate) use lanework_standin::refuse;

/// `cufftResult`, other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Status {
    InvalidPlan = 1,
    AllocationFailed = 2,
    InvalidType = 3,
    InvalidValue = 4,
    Internal = 5,
    ExecutionFailed = 6,
    SetupFailed = 7,
    InvalidSize = 8,
    NoWorkspace = 13,
    NotSupported = 16,
}

/// Result of a call.
pub(crate) type Result<T = ()> = std::result::Result<T, Status>;

impl lanework_standin::Status for Status {
    const LIBRARY: &'static str = "cuFFT";
    const MEMORY_ADVICE: &'static str =
        "check the pointer, and the plan's sizes, strides and batch";

    fn of(kind: FailureKind) -> Status {
        match kind {
            FailureKind::NoEmulator => Status::SetupFailed,
            FailureKind::Null => Status::InvalidValue,
            FailureKind::Panic => Status::Internal,
            FailureKind::Memory
            | FailureKind::Allocation
            | FailureKind::Device
            | FailureKind::Driver => Status::ExecutionFailed,
        }
    }
}

lanework_standin::answers!(Status);
