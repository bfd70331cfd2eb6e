//! NCCL's library: its location, the types of its functions, and the meanings of its statuses.

use super::NcclId;
use crate::CudaError;
use crate::driver::library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(super) type Comm = *mut c_void;
/// An `ncclResult_t`; a plain number, since newer libraries may return newer ones.
pub(super) type Status = c_int;

type InitRank = unsafe extern "C" fn(*mut Comm, c_int, NcclId, c_int) -> Status;
/// A call on two ranges, with a reduction or a root.
pub(super) type Collective = unsafe extern "C" fn(
    *const c_void,
    *mut c_void,
    usize,
    c_int,
    c_int,
    Comm,
    *mut c_void,
) -> Status;
type Gather =
    unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, Comm, *mut c_void) -> Status;
type Send = unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Comm, *mut c_void) -> Status;
type Recv = unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Comm, *mut c_void) -> Status;

/// The functions of the library.
pub(super) struct Functions {
    pub(super) version: unsafe extern "C" fn(*mut c_int) -> Status,
    pub(super) unique_id: unsafe extern "C" fn(*mut NcclId) -> Status,
    pub(super) init_rank: InitRank,
    pub(super) destroy: unsafe extern "C" fn(Comm) -> Status,
    pub(super) abort: unsafe extern "C" fn(Comm) -> Status,
    pub(super) async_error: unsafe extern "C" fn(Comm, *mut Status) -> Status,
    pub(super) last_error: Option<unsafe extern "C" fn(Comm) -> *const c_char>,
    pub(super) group_start: unsafe extern "C" fn() -> Status,
    pub(super) group_end: unsafe extern "C" fn() -> Status,
    pub(super) all_reduce: Collective,
    pub(super) reduce_scatter: Collective,
    pub(super) all_gather: Gather,
    pub(super) broadcast: Collective,
    pub(super) send: Send,
    pub(super) recv: Recv,
}

/// Finds the library once.
///
/// # Errors
/// The reason why it cannot be used, in one line.
pub(super) fn functions() -> Result<&'static Functions, String> {
    static FOUND: OnceLock<Result<Functions, String>> = OnceLock::new();
    FOUND.get_or_init(load).as_ref().map_err(String::clone)
}

/// Files to try: what `LANEWORK_NCCL` names, the library path, the system's and toolkits' folders, and pip's.
fn candidates() -> Vec<PathBuf> {
    let named = std::env::var_os("LANEWORK_NCCL").map(PathBuf::from);
    let usual = [
        "libnccl.so.2",
        "libnccl.so",
        "/usr/lib/x86_64-linux-gnu/libnccl.so.2",
        "/usr/lib64/libnccl.so.2",
        "/usr/local/cuda/lib64/libnccl.so.2",
        "/opt/cuda/lib64/libnccl.so.2",
    ];
    let pip = library::pip_folders("nccl").into_iter().map(|folder| folder.join("libnccl.so.2"));
    named.into_iter().chain(usual.map(PathBuf::from)).chain(pip).collect()
}

fn load() -> Result<Functions, String> {
    let candidates = candidates();
    let Some(library) =
        library::find(candidates.iter().map(PathBuf::as_path as fn(&PathBuf) -> &Path))
    else {
        return Err(
            "NCCL was not found (pip installs it as nvidia-nccl-cu13, distributions as libnccl2; \
                    LANEWORK_NCCL names its file)"
                .to_owned(),
        );
    };
    let name = "NCCL";
    // SAFETY: each type matches the declaration in NCCL's header.
    unsafe {
        Ok(Functions {
            version: library::function(library, name, "ncclGetVersion")?,
            unique_id: library::function(library, name, "ncclGetUniqueId")?,
            init_rank: library::function(library, name, "ncclCommInitRank")?,
            destroy: library::function(library, name, "ncclCommDestroy")?,
            abort: library::function(library, name, "ncclCommAbort")?,
            async_error: library::function(library, name, "ncclCommGetAsyncError")?,
            last_error: library::function(library, name, "ncclGetLastError").ok(),
            group_start: library::function(library, name, "ncclGroupStart")?,
            group_end: library::function(library, name, "ncclGroupEnd")?,
            all_reduce: library::function(library, name, "ncclAllReduce")?,
            reduce_scatter: library::function(library, name, "ncclReduceScatter")?,
            all_gather: library::function(library, name, "ncclAllGather")?,
            broadcast: library::function(library, name, "ncclBroadcast")?,
            send: library::function(library, name, "ncclSend")?,
            recv: library::function(library, name, "ncclRecv")?,
        })
    }
}

/// The error of a call that failed.
pub(super) fn check(status: Status, call: &str, functions: &Functions) -> Result<(), CudaError> {
    /// `ncclInProgress`: not an error.
    const IN_PROGRESS: Status = 7;
    if status == 0 || status == IN_PROGRESS {
        return Ok(());
    }
    let name = match status {
        1 => "a CUDA call failed",
        2 => "a system call failed",
        3 => "internal error",
        4 => "invalid argument",
        5 => "invalid usage",
        6 => "another rank failed, or the network did",
        8 => "timeout",
        _ => "unknown error",
    };
    let said = functions.last_error.map(|last| {
        // SAFETY: gives a zero-terminated text of the library's, or null; no communicator is needed.
        let text = unsafe { last(std::ptr::null_mut()) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: not null, so it is the library's zero-terminated text, which stays unchanged until its next call on
        // this thread.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned()
    });
    let said =
        said.filter(|text| !text.is_empty()).map_or(String::new(), |text| format!(": {text}"));
    Err(CudaError::Invalid {
        what: format!(
            "{call} failed: {name} (NCCL status {status}){said}\n  = help: NCCL_DEBUG=WARN in the environment makes NCCL print more"
        ),
    })
}
