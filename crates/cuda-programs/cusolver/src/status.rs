//! Status codes and their messages.

use lanework_standin::FailureKind;

pub use lanework_standin::refuse;

/// `cusolverStatus_t`, other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    NotInitialized = 1,
    AllocationFailed = 2,
    InvalidValue = 3,
    ExecutionFailed = 6,
    Internal = 7,
    NotSupported = 9,
}

/// Result of a call.
pub type Result<T = ()> = std::result::Result<T, Status>;

impl lanework_standin::Status for Status {
    const LIBRARY: &'static str = "cuSOLVER";
    const MEMORY_ADVICE: &'static str = "check the pointer, the sizes and the leading dimension";

    fn of(kind: FailureKind) -> Status {
        match kind {
            FailureKind::NoEmulator => Status::NotInitialized,
            FailureKind::Null => Status::InvalidValue,
            FailureKind::Panic => Status::Internal,
            FailureKind::Allocation => Status::AllocationFailed,
            FailureKind::Memory | FailureKind::Device | FailureKind::Driver => {
                Status::ExecutionFailed
            }
        }
    }
}

lanework_standin::answers!(Status);
