//! Status codes and their messages.

use lanework_standin::FailureKind;

pub use lanework_standin::refuse;

/// `curandStatus_t`, other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
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
pub type Result<T = ()> = std::result::Result<T, Status>;

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
