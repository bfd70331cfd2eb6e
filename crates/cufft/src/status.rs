//! Statuses, and what is said with them.

use lanework_standin::{Answer, Failure, Kind, line};

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

/// Refuses something with a sentence, where the program's output is.
pub fn refuse<T>(status: Status, why: &str) -> Result<T> {
    line(&format_args!("cuFFT's stand-in: {why}"));
    Err(status)
}

impl From<Failure> for Status {
    fn from(failure: Failure) -> Status {
        let status = match failure.kind {
            Kind::NoEmulator => Status::SetupFailed,
            Kind::Null => Status::InvalidValue,
            Kind::Panic => Status::Internal,
            Kind::Memory | Kind::Allocation | Kind::Device | Kind::Driver => {
                Status::ExecutionFailed
            }
        };
        let advice = match failure.kind {
            Kind::Memory => "; check the pointer, and the plan's sizes, strides and batch",
            _ => "",
        };
        line(&format_args!("cuFFT's stand-in: {}{advice}", failure.why));
        status
    }
}

impl Answer for Status {
    fn code(self, _name: &str) -> i32 {
        self as i32
    }
}
