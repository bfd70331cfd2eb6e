//! Statuses, and what is said with them.

use lanework_standin::Kind;

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

/// The result of a call.
pub type Result<T = ()> = std::result::Result<T, Status>;

impl lanework_standin::Status for Status {
    const LIBRARY: &'static str = "cuRAND";
    const MEMORY_ADVICE: &'static str = "check the pointer and the count; memory of the host takes a generator of curandCreateGeneratorHost";

    fn of(kind: Kind) -> Status {
        match kind {
            Kind::NoEmulator => Status::InitializationFailed,
            Kind::Null => Status::OutOfRange,
            Kind::Allocation => Status::AllocationFailed,
            Kind::Panic => Status::Internal,
            Kind::Memory | Kind::Device | Kind::Driver => Status::LaunchFailure,
        }
    }
}

lanework_standin::answers!(Status);
