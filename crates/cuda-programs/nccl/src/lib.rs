//! A stand-in for NCCL (`libnccl.so.2`), because NVIDIA's library moves data by kernels that it has only as machine
//! code. Ranks are threads of a process, devices that one thread drives in groups, or processes of one host. Data
//! moves through the host, in stream order: the emulator's device memory is host memory. Its speed says nothing about
//! GPUs, and no tool counts its work.
//!
//! Every rank sends each other rank the data that it needs, along with the call (`mesh`, `collectives`). One rank
//! combines each element, in rank order, so all ranks get the same bits in each run. A call is complete when it
//! returns, so it waits for the ranks that take part. Ranks that make different calls get an error that says so; after
//! a time limit, the error names a rank that does not arrive. In a captured graph a call is a host node.
//!
//! Every memory range is looked up in the driver before it is accessed: a wrong pointer gives a status and a message. Unimplemented
//! functions report it and return `ncclInvalidUsage`.

#![cfg(target_os = "linux")]
#![allow(non_snake_case, reason = "NCCL's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "NCCL's documentation states the callers' obligations"
)]

mod api;
mod collectives;
mod communicator;
mod mesh;

use lanework_standin::{Answer, FailureKind, line};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};

/// `ncclResult_t`, other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Status {
    Cuda = 1,
    System = 2,
    Internal = 3,
    InvalidArgument = 4,
    InvalidUsage = 5,
    Remote = 6,
}

/// Why a call failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub status: Status,
    pub why: String,
}

/// Result of a call.
pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

/// A failure.
pub(crate) fn failure(status: Status, why: impl Into<String>) -> Failure {
    Failure { status, why: why.into() }
}

/// Always returns a failure.
///
/// # Errors
/// Always.
pub(crate) fn refuse<T>(status: Status, why: impl Into<String>) -> Result<T> {
    Err(failure(status, why))
}

/// The text of a status.
pub(crate) fn text(code: i32) -> &'static CStr {
    match code {
        0 => c"no error",
        1 => c"unhandled cuda error (run with LANEWORK_TRACE=1 for details)",
        2 => c"unhandled system error",
        3 => c"internal error",
        4 => c"invalid argument",
        5 => c"invalid usage",
        6 => c"remote process exited or there was a network error",
        7 => c"NCCL operation in progress",
        _ => c"unknown result code",
    }
}

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
        // The message is lost if the thread is ending.
        let _ = LAST.try_with(|last| {
            *last.borrow_mut() = CString::new(self.why.replace('\0', " ")).unwrap_or_default();
        });
        self.status as i32
    }
}

/// The message of this thread's last failure, valid until the next one.
pub(crate) fn last() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
