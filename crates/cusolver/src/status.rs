//! Statuses, and what is said with them.

use lanework_standin::{Answer, Failure, Kind, line};

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

/// The result of a call.
pub type Result<T = ()> = std::result::Result<T, Status>;

/// Refuses something with a sentence, where the program's output is.
pub fn refuse<T>(status: Status, why: &str) -> Result<T> {
    line(&format_args!("cuSOLVER's stand-in: {why}"));
    Err(status)
}

impl From<Failure> for Status {
    fn from(failure: Failure) -> Status {
        let status = match failure.kind {
            Kind::NoEmulator => Status::NotInitialized,
            Kind::Null => Status::InvalidValue,
            Kind::Panic => Status::Internal,
            Kind::Allocation => Status::AllocationFailed,
            Kind::Memory | Kind::Device | Kind::Driver => Status::ExecutionFailed,
        };
        let advice = match failure.kind {
            Kind::Memory => "; check the pointer, the sizes and the leading dimension",
            _ => "",
        };
        line(&format_args!("cuSOLVER's stand-in: {}{advice}", failure.why));
        status
    }
}

impl Answer for Status {
    fn code(self, _name: &str) -> i32 {
        self as i32
    }
}
