//! NCCL, NVIDIA's library of collective communication, loaded at run time.
//!
//! Only the calls that are needed are bound, by hand, in the form that they have had since NCCL 2.4 (`ncclSend` and
//! `ncclRecv`: 2.7). All of them queue work on a stream and return.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::{CudaError, Gpu, library};

type Comm = *mut c_void;
/// An `ncclResult_t`; a plain number, since newer libraries may return newer ones.
type Status = c_int;

/// What ranks of one communicator share to find each other; made by one of them ([`Nccl::unique_id`]).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NcclId(pub [u8; 128]);

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
    fn bytes(self) -> usize {
        match self {
            NcclElement::I8 | NcclElement::U8 => 1,
            NcclElement::F16 | NcclElement::Bf16 => 2,
            NcclElement::I32 | NcclElement::U32 | NcclElement::F32 => 4,
            NcclElement::I64 | NcclElement::U64 | NcclElement::F64 => 8,
        }
    }
}

/// How NCCL combines elements; the numbers are NCCL's.
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

type InitRank = unsafe extern "C" fn(*mut Comm, c_int, NcclId, c_int) -> Status;
type Reduce = unsafe extern "C" fn(
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
    all_reduce: Reduce,
    reduce_scatter: Reduce,
    all_gather: Gather,
    broadcast: Reduce,
    send: Send,
    recv: Recv,
}

/// This process's part of an NCCL communicator: one rank on one GPU.
pub struct Nccl {
    gpu: Gpu,
    comm: Comm,
    size: usize,
    functions: &'static Functions,
    aborted: bool,
}

// SAFETY: a communicator may be used by one thread at a time, from any thread.
unsafe impl std::marker::Send for Nccl {}

/// Finds the library once.
///
/// # Errors
/// The reason why it cannot be used, in one line.
fn functions() -> Result<&'static Functions, String> {
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
    // SAFETY: each type is that of the function in NCCL's header.
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

    /// An identity for a new communicator, made by one rank and passed to the others.
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

    /// Joins a communicator of `size` ranks as `rank`; waits for the others to join. Several ranks of one thread join inside
    /// [`Nccl::group`].
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] without the library, or with NCCL's reason.
    pub fn join(gpu: &Gpu, id: NcclId, rank: usize, size: usize) -> Result<Nccl, CudaError> {
        let mut all = Nccl::join_all(&[gpu], id, rank, size)?;
        all.pop().ok_or_else(|| unsupported("no GPU was given".to_owned()))
    }

    /// As [`Nccl::join`], of several GPUs of this process: they become the ranks from `first` on.
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
                // SAFETY: stores one handle, at the latest when the group ends, within the life of `comms`; the GPU's
                // context is current.
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

    /// Makes the calls of `work` one: they start together, so that one thread may drive several ranks, and a rank may send
    /// and receive at once.
    ///
    /// # Errors
    /// What `work` returns, or NCCL's reason.
    pub fn group<T>(work: impl FnOnce() -> Result<T, CudaError>) -> Result<T, CudaError> {
        let functions = functions().map_err(unsupported)?;
        // SAFETY: takes nothing; ended below.
        check(unsafe { (functions.group_start)() }, "ncclGroupStart", functions)?;
        let worked = work();
        // SAFETY: ends the group begun above, also when a call in it failed.
        let ended = check(unsafe { (functions.group_end)() }, "ncclGroupEnd", functions);
        let value = worked?;
        ended?;
        Ok(value)
    }

    /// The GPU of this rank.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Queues the reduction of `count` elements of every rank; each rank gets the result.
    ///
    /// # Errors
    /// [`CudaError::Address`] when a range is not inside one live allocation; NCCL's reason.
    ///
    /// # Safety
    /// `stream` is a stream of this rank's GPU, or null for the default stream. The memory stays allocated, and nothing else
    /// writes it, or reads what is written, until the work is done.
    pub unsafe fn all_reduce(
        &self,
        (from, to): (u64, u64),
        count: usize,
        (element, reduction): (NcclElement, NcclReduction),
        stream: u64,
    ) -> Result<(), CudaError> {
        self.ready((from, count), (to, count), element)?;
        // SAFETY: both ranges are live; the rest by the caller.
        let status = unsafe {
            (self.functions.all_reduce)(
                from as *const c_void,
                to as *mut c_void,
                count,
                element as c_int,
                reduction as c_int,
                self.comm,
                stream as *mut c_void,
            )
        };
        check(status, "ncclAllReduce", self.functions)
    }

    /// Queues the reduction of `count` elements times the number of ranks; rank r gets the r-th `count` of the result.
    ///
    /// # Errors
    /// As [`Nccl::all_reduce`].
    ///
    /// # Safety
    /// As [`Nccl::all_reduce`].
    pub unsafe fn reduce_scatter(
        &self,
        (from, to): (u64, u64),
        count: usize,
        (element, reduction): (NcclElement, NcclReduction),
        stream: u64,
    ) -> Result<(), CudaError> {
        self.ready((from, self.of_all(count)), (to, count), element)?;
        // SAFETY: both ranges are live; the rest by the caller.
        let status = unsafe {
            (self.functions.reduce_scatter)(
                from as *const c_void,
                to as *mut c_void,
                count,
                element as c_int,
                reduction as c_int,
                self.comm,
                stream as *mut c_void,
            )
        };
        check(status, "ncclReduceScatter", self.functions)
    }

    /// Queues the gathering of `count` elements of every rank, in the order of ranks, on every rank.
    ///
    /// # Errors
    /// As [`Nccl::all_reduce`].
    ///
    /// # Safety
    /// As [`Nccl::all_reduce`].
    pub unsafe fn all_gather(
        &self,
        (from, to): (u64, u64),
        count: usize,
        element: NcclElement,
        stream: u64,
    ) -> Result<(), CudaError> {
        self.ready((from, count), (to, self.of_all(count)), element)?;
        // SAFETY: both ranges are live; the rest by the caller.
        let status = unsafe {
            (self.functions.all_gather)(
                from as *const c_void,
                to as *mut c_void,
                count,
                element as c_int,
                self.comm,
                stream as *mut c_void,
            )
        };
        check(status, "ncclAllGather", self.functions)
    }

    /// Queues the copy of `count` elements of `root` to every rank.
    ///
    /// # Errors
    /// As [`Nccl::all_reduce`].
    ///
    /// # Safety
    /// As [`Nccl::all_reduce`].
    pub unsafe fn broadcast(
        &self,
        memory: u64,
        count: usize,
        element: NcclElement,
        root: usize,
        stream: u64,
    ) -> Result<(), CudaError> {
        self.ready((memory, count), (memory, count), element)?;
        // SAFETY: the range is live; the rest by the caller.
        let status = unsafe {
            (self.functions.broadcast)(
                memory as *const c_void,
                memory as *mut c_void,
                count,
                element as c_int,
                root as c_int,
                self.comm,
                stream as *mut c_void,
            )
        };
        check(status, "ncclBroadcast", self.functions)
    }

    /// Queues sending `count` elements to `peer`, which receives them.
    ///
    /// # Errors
    /// As [`Nccl::all_reduce`].
    ///
    /// # Safety
    /// As [`Nccl::all_reduce`].
    pub unsafe fn send(
        &self,
        memory: u64,
        count: usize,
        element: NcclElement,
        peer: usize,
        stream: u64,
    ) -> Result<(), CudaError> {
        self.ready((memory, count), (memory, 0), element)?;
        // SAFETY: the range is live; the rest by the caller.
        let status = unsafe {
            (self.functions.send)(
                memory as *const c_void,
                count,
                element as c_int,
                peer as c_int,
                self.comm,
                stream as *mut c_void,
            )
        };
        check(status, "ncclSend", self.functions)
    }

    /// Queues receiving `count` elements from `peer`, which sends them.
    ///
    /// # Errors
    /// As [`Nccl::all_reduce`].
    ///
    /// # Safety
    /// As [`Nccl::all_reduce`].
    pub unsafe fn recv(
        &self,
        memory: u64,
        count: usize,
        element: NcclElement,
        peer: usize,
        stream: u64,
    ) -> Result<(), CudaError> {
        self.ready((memory, 0), (memory, count), element)?;
        // SAFETY: the range is live; the rest by the caller.
        let status = unsafe {
            (self.functions.recv)(
                memory as *mut c_void,
                count,
                element as c_int,
                peer as c_int,
                self.comm,
                stream as *mut c_void,
            )
        };
        check(status, "ncclRecv", self.functions)
    }

    /// Whether something has failed since the last call, here or at another rank.
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

    /// Ends what is queued, so that a stream that waits for a missing rank goes on; results are undefined.
    pub fn abort(mut self) {
        self.aborted = true;
        // SAFETY: the communicator is live and not used again.
        let _ = unsafe { (self.functions.abort)(self.comm) };
    }

    fn of_all(&self, count: usize) -> usize {
        count.saturating_mul(self.size)
    }

    /// Checks both ranges, given as address and elements, and makes the GPU's context current.
    fn ready(
        &self,
        from: (u64, usize),
        to: (u64, usize),
        element: NcclElement,
    ) -> Result<(), CudaError> {
        for (address, count) in [from, to] {
            self.gpu.live("a collective", address, count.saturating_mul(element.bytes()))?;
        }
        self.gpu.bind()
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
        // SAFETY: gives a zero-terminated text of the library's, or null; no communicator is needed.
        let text = unsafe { last(std::ptr::null_mut()) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: not null, and as above.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned()
    });
    let said =
        said.filter(|text| !text.is_empty()).map_or(String::new(), |text| format!(": {text}"));
    Err(CudaError::Invalid {
        what: format!(
            "{call} failed: {name} (NCCL status {status}){said}\n  = help: NCCL_DEBUG=WARN in the environment makes NCCL say more"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_loaded_where_it_is() {
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
