//! cuBLAS's library: its location, the types of its functions, and the meanings of its statuses.

use crate::CudaError;
use crate::driver::library;
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::sync::OnceLock;

pub(super) type Handle = *mut c_void;
/// A `cublasStatus_t`; a plain number, since newer libraries may return newer ones.
pub(super) type Status = c_int;

/// File names of the library, newest first, and the folders where toolkits install it.
#[cfg(not(windows))]
const NAMES: [&str; 7] = [
    "libcublas.so.13",
    "libcublas.so.12",
    "libcublas.so.11",
    "libcublas.so",
    "/usr/local/cuda/lib64/libcublas.so",
    "/usr/local/cuda/targets/x86_64-linux/lib/libcublas.so",
    "/opt/cuda/lib64/libcublas.so",
];
#[cfg(windows)]
const NAMES: [&str; 3] = ["cublas64_13.dll", "cublas64_12.dll", "cublas64_11.dll"];

type Create = unsafe extern "C" fn(*mut Handle) -> Status;
type Destroy = unsafe extern "C" fn(Handle) -> Status;
type SetStream = unsafe extern "C" fn(Handle, *mut c_void) -> Status;
type SetMathMode = unsafe extern "C" fn(Handle, c_int) -> Status;
type Sgemm = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const f32,
    *const f32,
    c_int,
    *const f32,
    c_int,
    *const f32,
    *mut f32,
    c_int,
) -> Status;
type Sgeam = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    *const f32,
    *const f32,
    c_int,
    *const f32,
    *const f32,
    c_int,
    *mut f32,
    c_int,
) -> Status;

type GemmEx = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    *mut c_void,
    c_int,
    c_int,
    c_int,
    c_int,
) -> Status;

/// The functions of the library.
pub(super) struct Functions {
    pub(super) create: Create,
    pub(super) destroy: Destroy,
    pub(super) set_stream: SetStream,
    pub(super) set_math_mode: SetMathMode,
    pub(super) sgemm: Sgemm,
    pub(super) sgeam: Sgeam,
    pub(super) gemm_ex: GemmEx,
}

/// Finds the library once.
///
/// # Errors
/// The reason why it cannot be used, in one line.
pub(super) fn functions() -> Result<&'static Functions, String> {
    static FOUND: OnceLock<Result<Functions, String>> = OnceLock::new();
    FOUND.get_or_init(load).as_ref().map_err(String::clone)
}

fn load() -> Result<Functions, String> {
    let Some(library) = library::find(NAMES.iter().map(Path::new)) else {
        return Err("cuBLAS was not found (it comes with the CUDA toolkit; libcublas.so must be \
                    on the library path)"
            .to_owned());
    };
    let library_name = "cuBLAS";
    // SAFETY: each type matches the declaration in cuBLAS's header.
    unsafe {
        Ok(Functions {
            create: library::function(library, library_name, "cublasCreate_v2")?,
            destroy: library::function(library, library_name, "cublasDestroy_v2")?,
            set_stream: library::function(library, library_name, "cublasSetStream_v2")?,
            set_math_mode: library::function(library, library_name, "cublasSetMathMode")?,
            sgemm: library::function(library, library_name, "cublasSgemm_v2")?,
            sgeam: library::function(library, library_name, "cublasSgeam")?,
            gemm_ex: library::function(library, library_name, "cublasGemmEx")?,
        })
    }
}

pub(super) fn check(status: Status, call: &str) -> Result<(), CudaError> {
    if status == 0 {
        return Ok(());
    }
    let name = match status {
        1 => "not initialized",
        3 => "out of memory",
        7 => "invalid value",
        8 => "not supported on this GPU",
        13 => "the GPU failed",
        14 => "internal error",
        15 => "not supported",
        _ => "unknown status",
    };
    Err(CudaError::Unsupported {
        what: format!("{call}: {name} (cuBLAS status {status})"),
        remedy: "check that the driver supports the toolkit's version, or omit cuBLAS".to_owned(),
    })
}
