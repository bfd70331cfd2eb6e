//! cuBLAS, loaded at run time, as the baseline for kernels.
//!
//! This file binds only the functions that it needs. A library that is missing or lacks one of them counts as
//! unavailable.

use crate::driver::library;
use crate::stream::Stream;
use crate::{CudaError, Gpu};
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::sync::OnceLock;

/// `CUBLAS_OP_N`.
const NORMAL: c_int = 0;

/// `CUBLAS_OP_T`.
const TRANSPOSED: c_int = 1;

/// `CUBLAS_PEDANTIC_MATH`: every step in the requested precision.
const PEDANTIC: c_int = 2;

/// `CUBLAS_DEFAULT_MATH`.
const DEFAULT: c_int = 0;

/// `CUDA_R_16BF` and `CUDA_R_32F`.
const TYPES: (c_int, c_int) = (14, 0);

/// `CUBLAS_COMPUTE_32F` and `CUBLAS_GEMM_DEFAULT`.
const COMPUTE: (c_int, c_int) = (68, -1);

/// cuBLAS on one GPU.
pub struct Cublas {
    gpu: Gpu,
    handle: Handle,
    functions: &'static Functions,
}

// SAFETY: cuBLAS lets any thread use a handle, one thread at a time. `Cublas` is not `Sync`, so only a move can take it
// to another thread.
unsafe impl Send for Cublas {}

/// `C = alpha A B + beta C` of row-major matrices in GPU memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GemmShape {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// Elements between the starts of rows of A.
    pub lda: u32,
    /// Elements between the starts of rows of B.
    pub ldb: u32,
    /// Elements between the starts of rows of C.
    pub ldc: u32,
    /// Factor of the product.
    pub alpha: f32,
    /// Factor of the old C.
    pub beta: f32,
}

impl Cublas {
    /// Whether the library is available.
    ///
    /// # Errors
    /// The reason why it is not, in one line.
    pub fn find() -> Result<(), String> {
        functions().map(drop)
    }

    /// cuBLAS on `gpu`, in FP32 without TF32 (pedantic mode).
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] without the library, or if it does not support the GPU.
    pub fn open(gpu: &Gpu) -> Result<Cublas, CudaError> {
        let functions = functions().map_err(|why| CudaError::Unsupported {
            what: format!("cuBLAS: {why}"),
            remedy: "install the CUDA toolkit's libraries, or omit cuBLAS".to_owned(),
        })?;
        gpu.bind()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: stores one handle.
        check(unsafe { (functions.create)(&mut handle) }, "cublasCreate")?;
        let opened = Cublas { gpu: gpu.clone(), handle, functions };
        // SAFETY: the handle is live.
        check(unsafe { (functions.set_math_mode)(handle, PEDANTIC) }, "cublasSetMathMode")?;
        Ok(opened)
    }

    /// Queues a product of f32 matrices at these addresses on the default stream, or on the stream
    /// that is being captured.
    ///
    /// # Errors
    /// [`CudaError::Address`] if a matrix is not inside one allocation; [`CudaError::Unsupported`]
    /// when an extent does not fit the library's integers, or it rejects the call.
    pub fn sgemm(&self, shape: &GemmShape, a: u64, b: u64, c: u64) -> Result<(), CudaError> {
        let GemmShape { m, n, k, lda, ldb, ldc, alpha, beta } = *shape;
        for (address, rows, cols, stride) in [(a, m, k, lda), (b, k, n, ldb), (c, m, n, ldc)] {
            self.inside(address, rows, cols, (stride, 4), "cublasSgemm")?;
        }
        let [m, n, k, lda, ldb, ldc] = integers([m, n, k, lda, ldb, ldc])?;
        self.on_current_stream()?;
        // SAFETY: the matrices are inside live allocations; cuBLAS is column-major, so the row-major
        // C = A B is its C^T = B^T A^T.
        let status = unsafe {
            (self.functions.sgemm)(
                self.handle,
                NORMAL,
                NORMAL,
                n,
                m,
                k,
                &alpha,
                b as *const f32,
                ldb,
                a as *const f32,
                lda,
                &beta,
                c as *mut f32,
                ldc,
            )
        };
        check(status, "cublasSgemm")
    }

    /// Queues the transpose of a row-major `rows` x `cols` matrix of f32.
    ///
    /// # Errors
    /// As [`Cublas::sgemm`].
    pub fn transpose(&self, rows: u32, cols: u32, src: u64, dst: u64) -> Result<(), CudaError> {
        self.inside(src, rows, cols, (cols, 4), "cublasSgeam")?;
        self.inside(dst, cols, rows, (rows, 4), "cublasSgeam")?;
        let [rows, cols] = integers([rows, cols])?;
        self.on_current_stream()?;
        let (one, zero) = (1.0f32, 0.0f32);
        // SAFETY: both matrices are inside live allocations; cuBLAS does not read B, because beta is 0.
        let status = unsafe {
            (self.functions.sgeam)(
                self.handle,
                TRANSPOSED,
                NORMAL,
                rows,
                cols,
                &one,
                src as *const f32,
                cols,
                &zero,
                dst as *const f32,
                rows,
                dst as *mut f32,
                rows,
            )
        };
        check(status, "cublasSgeam")
    }

    /// Queues `C = alpha A B^T + beta C` of row-major bf16 factors, `B` with `n` rows, summed in f32.
    ///
    /// # Errors
    /// As [`Cublas::sgemm`].
    pub fn product_bf16(&self, shape: &GemmShape, a: u64, b: u64, c: u64) -> Result<(), CudaError> {
        let GemmShape { m, n, k, lda, ldb, ldc, alpha, beta } = *shape;
        let matrices = [(a, m, k, (lda, 2)), (b, n, k, (ldb, 2)), (c, m, n, (ldc, 4))];
        for (address, rows, cols, stride) in matrices {
            self.inside(address, rows, cols, stride, "cublasGemmEx")?;
        }
        let [m, n, k, lda, ldb, ldc] = integers([m, n, k, lda, ldb, ldc])?;
        self.on_current_stream()?;
        let (half, single) = TYPES;
        // SAFETY: the handle is live; the matrices are inside live allocations. cuBLAS is column-major, so
        // the row-major C = A B^T is its C^T = B A^T, where it sees B transposed.
        let status = unsafe {
            check((self.functions.set_math_mode)(self.handle, DEFAULT), "cublasSetMathMode")?;
            let status = (self.functions.gemm_ex)(
                self.handle,
                TRANSPOSED,
                NORMAL,
                n,
                m,
                k,
                (&raw const alpha).cast(),
                b as *const c_void,
                half,
                ldb,
                a as *const c_void,
                half,
                lda,
                (&raw const beta).cast(),
                c as *mut c_void,
                single,
                ldc,
                COMPUTE.0,
                COMPUTE.1,
            );
            check((self.functions.set_math_mode)(self.handle, PEDANTIC), "cublasSetMathMode")?;
            status
        };
        check(status, "cublasGemmEx")
    }

    /// Checks that a matrix is inside one allocation.
    fn inside(
        &self,
        address: u64,
        rows: u32,
        cols: u32,
        (stride, size): (u32, u64),
        operation: &'static str,
    ) -> Result<(), CudaError> {
        let last_row = u64::from(rows.saturating_sub(1)) * u64::from(stride);
        let bytes = if rows == 0 { 0 } else { size * (last_row + u64::from(cols)) };
        self.gpu.live(operation, address, bytes as usize).map(drop)
    }

    fn on_current_stream(&self) -> Result<(), CudaError> {
        self.gpu.bind()?;
        let stream = self.gpu.resolve(None)?;
        let raw = Stream::raw_or_default(stream.as_ref());
        // SAFETY: the handle and the stream are live.
        check(unsafe { (self.functions.set_stream)(self.handle, raw.cast()) }, "cublasSetStream")
    }
}

impl Drop for Cublas {
    fn drop(&mut self) {
        // SAFETY: the handle is live and not used again.
        let _ = unsafe { (self.functions.destroy)(self.handle) };
    }
}

fn integers<const N: usize>(values: [u32; N]) -> Result<[c_int; N], CudaError> {
    if values.iter().any(|&value| c_int::try_from(value).is_err()) {
        return Err(CudaError::Unsupported {
            what: "cuBLAS on matrices with extents of 2^31 or more".to_owned(),
            remedy: "compute in parts".to_owned(),
        });
    }
    Ok(values.map(|value| value as c_int))
}

type Handle = *mut c_void;

/// A `cublasStatus_t`; a plain number, since newer libraries may return newer ones.
type Status = c_int;

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
struct Functions {
    create: Create,
    destroy: Destroy,
    set_stream: SetStream,
    set_math_mode: SetMathMode,
    sgemm: Sgemm,
    sgeam: Sgeam,
    gemm_ex: GemmEx,
}

/// Finds the library once.
///
/// # Errors
/// The reason why it cannot be used, in one line.
fn functions() -> Result<&'static Functions, String> {
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

fn check(status: Status, call: &str) -> Result<(), CudaError> {
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
