//! Statuses, and what is said with them.

use lanework_standin::{Answer, Failure, Kind, line};

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

/// Refuses something with a sentence, where the program's output is.
pub fn refuse<T>(status: Status, why: &str) -> Result<T> {
    line(&format_args!("cuRAND's stand-in: {why}"));
    Err(status)
}

impl From<Failure> for Status {
    fn from(failure: Failure) -> Status {
        let status = match failure.kind {
            Kind::NoEmulator => Status::InitializationFailed,
            Kind::Null => Status::OutOfRange,
            Kind::Allocation => Status::AllocationFailed,
            Kind::Panic => Status::Internal,
            Kind::Memory | Kind::Device | Kind::Driver => Status::LaunchFailure,
        };
        let advice = match failure.kind {
            Kind::Memory => {
                "; check the pointer and the count; memory of the host takes a generator of curandCreateGeneratorHost"
            }
            _ => "",
        };
        line(&format_args!("cuRAND's stand-in: {}{advice}", failure.why));
        status
    }
}

impl Answer for Status {
    fn code(self, _name: &str) -> i32 {
        self as i32
    }
}
