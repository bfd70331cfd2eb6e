//! Statuses, and what is said with them.

use lanework_standin::Kind;

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

/// The result of a call.
pub type Result<T = ()> = std::result::Result<T, Status>;

impl lanework_standin::Status for Status {
    const LIBRARY: &'static str = "cuFFT";
    const MEMORY_ADVICE: &'static str =
        "check the pointer, and the plan's sizes, strides and batch";

    fn of(kind: Kind) -> Status {
        match kind {
            Kind::NoEmulator => Status::SetupFailed,
            Kind::Null => Status::InvalidValue,
            Kind::Panic => Status::Internal,
            Kind::Memory | Kind::Allocation | Kind::Device | Kind::Driver => {
                Status::ExecutionFailed
            }
        }
    }
}

lanework_standin::answers!(Status);
