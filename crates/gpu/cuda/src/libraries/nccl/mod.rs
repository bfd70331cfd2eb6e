//! NCCL, NVIDIA's library of collective communication, loaded at run time.
//!
//! This file binds only the calls that it needs, in their form since NCCL 2.4 (`ncclSend` and `ncclRecv`: 2.7). All of
//! them queue work on a stream and return.

mod collectives;

use crate::driver::library;
use crate::{CudaError, Gpu};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// This process's part of an NCCL communicator: one rank on one GPU.
pub struct Nccl {
    gpu: Gpu,
    comm: Comm,
    size: usize,
    functions: &'static Functions,
    aborted: bool,
}

// SAFETY: NCCL lets any thread use a communicator, one thread at a time. `Nccl` is not `Sync`, so only a move can take
// it to another thread.
unsafe impl std::marker::Send for Nccl {}

fn unsupported(why: String) -> CudaError {
    CudaError::Unsupported {
        what: format!("NCCL: {why}"),
        remedy: "install NCCL, or exchange through the host".to_owned(),
    }
}

impl Nccl {
    /// Whether the library is available.
    ///
    /// # Errors
    /// The reason why it is not, in one line.
    pub fn find() -> Result<(), String> {
        functions().map(drop)
    }

    /// The library's version, such as (2, 27, 3).
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] without the library.
    pub fn version() -> Result<(u32, u32, u32), CudaError> {
        let functions = functions().map_err(unsupported)?;
        let mut version = 0;
        // SAFETY: stores one integer.
        check(unsafe { (functions.version)(&mut version) }, "ncclGetVersion", functions)?;
        let version = version.unsigned_abs();
        Ok(match version {
            // Two digits for the minor version since 2.9.
            10_000.. => (version / 10_000, version / 100 % 100, version % 100),
            _ => (version / 1000, version / 100 % 10, version % 100),
        })
    }

    /// The id of a new communicator. One rank creates it and passes it to the others.
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] without the library, or without a network interface.
    pub fn unique_id() -> Result<NcclId, CudaError> {
        let functions = functions().map_err(unsupported)?;
        let mut id = NcclId([0; 128]);
        // SAFETY: stores the identity's 128 bytes.
        check(unsafe { (functions.unique_id)(&mut id) }, "ncclGetUniqueId", functions)?;
        Ok(id)
    }

    /// Joins a communicator of `size` ranks as `rank`; waits for the others to join. Several ranks of one thread join
    /// inside [`Nccl::group`].
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] without the library, or with NCCL's reason.
    pub fn join(gpu: &Gpu, id: NcclId, rank: usize, size: usize) -> Result<Nccl, CudaError> {
        let mut all = Nccl::join_all(&[gpu], id, rank, size)?;
        all.pop().ok_or_else(|| unsupported("no GPU was given".to_owned()))
    }

    /// As [`Nccl::join`], for several GPUs of this process, which become the ranks from `first` on.
    ///
    /// # Errors
    /// As [`Nccl::join`].
    pub fn join_all(
        gpus: &[&Gpu],
        id: NcclId,
        first: usize,
        size: usize,
    ) -> Result<Vec<Nccl>, CudaError> {
        let functions = functions().map_err(unsupported)?;
        let mut comms: Vec<Comm> = vec![std::ptr::null_mut(); gpus.len()];
        Nccl::group(|| {
            for (index, (gpu, comm)) in gpus.iter().zip(&mut comms).enumerate() {
                gpu.bind()?;
                let (size, rank) = (size as c_int, (first + index) as c_int);
                // SAFETY: stores one handle, at the latest when the group ends; `comms` lives longer. The GPU's context
                // is current.
                let status = unsafe { (functions.init_rank)(comm, size, id, rank) };
                check(status, "ncclCommInitRank", functions)?;
            }
            Ok(())
        })?;
        let joined = gpus.iter().zip(comms).map(|(gpu, comm)| Nccl {
            gpu: (*gpu).clone(),
            comm,
            size,
            functions,
            aborted: false,
        });
        Ok(joined.collect())
    }

    /// Groups the calls of `work`, which then start together. So one thread can drive several ranks, and a rank can
    /// send and receive at the same time.
    ///
    /// # Errors
    /// The error of `work`, or NCCL's reason.
    pub fn group<T>(work: impl FnOnce() -> Result<T, CudaError>) -> Result<T, CudaError> {
        let functions = functions().map_err(unsupported)?;
        // SAFETY: takes nothing; ended below.
        check(unsafe { (functions.group_start)() }, "ncclGroupStart", functions)?;
        let worked = work();
        // SAFETY: ends the group begun above, even if a call in it failed.
        let ended = check(unsafe { (functions.group_end)() }, "ncclGroupEnd", functions);
        let value = worked?;
        ended?;
        Ok(value)
    }

    /// The GPU of this rank.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Returns an error if this or another rank has failed since the last call.
    ///
    /// # Errors
    /// NCCL's reason.
    pub fn asynchronous_error(&self) -> Result<(), CudaError> {
        let mut failure = 0;
        // SAFETY: the communicator is live; stores one number.
        let status = unsafe { (self.functions.async_error)(self.comm, &mut failure) };
        check(status, "ncclCommGetAsyncError", self.functions)?;
        check(failure, "a collective", self.functions)
    }

    /// Aborts queued operations, so that a stream that waits for a missing rank continues. Results are undefined.
    pub fn abort(mut self) {
        self.aborted = true;
        // SAFETY: the communicator is live and not used again.
        let _ = unsafe { (self.functions.abort)(self.comm) };
    }
}

impl Drop for Nccl {
    fn drop(&mut self) {
        if !self.aborted && self.gpu.bind().is_ok() {
            // SAFETY: the communicator is live and not used again; NCCL waits for its work.
            let _ = unsafe { (self.functions.destroy)(self.comm) };
        }
    }
}

/// The id by which the ranks of one communicator find each other; made by one of them
/// ([`Nccl::unique_id`](Nccl::unique_id)).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NcclId(pub [u8; 128]);

// `ncclUniqueId` of nccl.h, which is passed by value.
const _: () = assert!(size_of::<NcclId>() == 128 && align_of::<NcclId>() == 1);

/// Element types that NCCL computes with; the numbers are NCCL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum NcclElement {
    /// Signed bytes.
    I8 = 0,
    /// Bytes.
    U8 = 1,
    /// 32-bit integers.
    I32 = 2,
    /// Unsigned 32-bit integers.
    U32 = 3,
    /// 64-bit integers.
    I64 = 4,
    /// Unsigned 64-bit integers.
    U64 = 5,
    /// Half precision.
    F16 = 6,
    /// Single precision.
    F32 = 7,
    /// Double precision.
    F64 = 8,
    /// bfloat16.
    Bf16 = 9,
}

impl NcclElement {
    /// Size of an element in bytes.
    fn bytes(self) -> usize {
        match self {
            NcclElement::I8 | NcclElement::U8 => 1,
            NcclElement::F16 | NcclElement::Bf16 => 2,
            NcclElement::I32 | NcclElement::U32 | NcclElement::F32 => 4,
            NcclElement::I64 | NcclElement::U64 | NcclElement::F64 => 8,
        }
    }
}

/// Reduction operations; the numbers are NCCL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum NcclReduction {
    /// Their sum.
    Sum = 0,
    /// Their product.
    Prod = 1,
    /// The largest.
    Max = 2,
    /// The smallest.
    Min = 3,
}

type Comm = *mut c_void;

/// An `ncclResult_t`; a plain number, since newer libraries may return newer ones.
type Status = c_int;

type InitRank = unsafe extern "C" fn(*mut Comm, c_int, NcclId, c_int) -> Status;

/// A call on two ranges, with a reduction or a root.
type Collective = unsafe extern "C" fn(
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
struct Functions {
    version: unsafe extern "C" fn(*mut c_int) -> Status,
    unique_id: unsafe extern "C" fn(*mut NcclId) -> Status,
    init_rank: InitRank,
    destroy: unsafe extern "C" fn(Comm) -> Status,
    abort: unsafe extern "C" fn(Comm) -> Status,
    async_error: unsafe extern "C" fn(Comm, *mut Status) -> Status,
    last_error: Option<unsafe extern "C" fn(Comm) -> *const c_char>,
    group_start: unsafe extern "C" fn() -> Status,
    group_end: unsafe extern "C" fn() -> Status,
    all_reduce: Collective,
    reduce_scatter: Collective,
    all_gather: Gather,
    broadcast: Collective,
    send: Send,
    recv: Recv,
}

/// Finds the library once.
///
/// # Errors
/// The reason why it cannot be used, in one line.
fn functions() -> Result<&'static Functions, String> {
    static FOUND: OnceLock<Result<Functions, String>> = OnceLock::new();
    FOUND.get_or_init(load).as_ref().map_err(String::clone)
}

/// Files to try: the one that `LANEWORK_NCCL` names, then those in the library path, the system's and toolkits'
/// folders, and pip's.
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
fn check(status: Status, call: &str, functions: &Functions) -> Result<(), CudaError> {
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
        // SAFETY: returns a NUL-terminated text of the library, or null; needs no communicator.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_nccl_is_loaded() {
        match Nccl::find() {
            Ok(()) => assert!(Nccl::version().expect("a version").0 >= 2),
            Err(why) => {
                use std::io::Write;
                let _ = writeln!(std::io::stderr(), "SKIPPED: NCCL: {why}");
            }
        }
    }

    #[test]
    fn elements_have_the_sizes_of_their_types() {
        let sizes = [NcclElement::I8, NcclElement::Bf16, NcclElement::F32, NcclElement::F64]
            .map(NcclElement::bytes);
        assert_eq!(sizes, [1, 2, 4, 8]);
    }
}
