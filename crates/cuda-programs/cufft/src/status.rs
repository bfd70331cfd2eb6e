//! Status codes and their messages.

use lanework_standin::FailureKind;

pub use lanework_standin::refuse;

/// `cufftResult`, other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
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
pub type Result<T = ()> = std::result::Result<T, Status>;

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
