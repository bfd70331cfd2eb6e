//! Reports failures to C: prints the message, keeps it for `ncclGetLastError`, and returns the status as a code.

use crate::status::{Failure, Status};
use lanework_standin::{Answer, FailureKind, line};
use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    /// The message of this thread's last failure, for `ncclGetLastError`.
    static LAST: RefCell<CString> = RefCell::default();
}

impl From<lanework_standin::Failure> for Failure {
    fn from(failure: lanework_standin::Failure) -> Failure {
        let (status, advice) = match failure.kind {
            FailureKind::NoEmulator => (Status::System, ""),
            FailureKind::Null | FailureKind::Device => (Status::InvalidArgument, ""),
            FailureKind::Memory => {
                (Status::InvalidArgument, "; check the pointer, the count and the type")
            }
            FailureKind::Allocation | FailureKind::Driver => (Status::Cuda, ""),
            FailureKind::Panic => (Status::Internal, ""),
        };
        Failure { status, why: failure.why + advice }
    }
}

impl Answer for Failure {
    fn code(self, name: &str) -> i32 {
        line(&format_args!("NCCL's stand-in: {name}: {}", self.why));
        // Lost if the thread is about to end.
        let _ = LAST.try_with(|last| {
            *last.borrow_mut() = CString::new(self.why.replace('\0', " ")).unwrap_or_default();
        });
        self.status as i32
    }
}

/// The message of this thread's last failure, valid until the next one.
pub fn last() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
