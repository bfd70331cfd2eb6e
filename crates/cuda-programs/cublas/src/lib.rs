//! A stand-in for cuBLAS and cuBLASLt, whose own libraries contain only machine code. It computes on the host, in
//! stream order: the emulator's device memory is host memory. Its speed says nothing about a GPU, and no tool counts
//! its work.
//!
//! Products and sums use the precision of the compute type and are rounded once, so results only differ from a GPU's by the
//! rounding of a different summation order. Unsupported functions report it and return `CUBLAS_STATUS_NOT_SUPPORTED`.
//!
//! The driver checks every memory range before it is accessed: a wrong pointer or leading dimension gives a status and a
//! message.

#![allow(non_snake_case, reason = "cuBLAS's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "cuBLAS's documentation states the callers' obligations"
)]

mod factored;
mod gemm;
mod handle;
mod kind;
mod level1;
mod level2;
mod level3;
mod lt;
mod matrix;

pub(crate) use lanework_standin::refuse;

lanework_standin::statuses! {
    "cuBLAS", "cublasStatus_t", "check the pointer, the extents and the leading dimension";
    NotInitialized = 1 InvalidValue = 7 ExecutionFailed = 13 Internal = 14 NotSupported = 15;
    NoEmulator     Null         Memory          Allocation      Device          Driver          Panic =>
    NotInitialized InvalidValue ExecutionFailed ExecutionFailed ExecutionFailed ExecutionFailed Internal
}

/// Name and description of a status code.
pub(crate) fn words(code: i32) -> (&'static std::ffi::CStr, &'static std::ffi::CStr) {
    match code {
        0 => (c"CUBLAS_STATUS_SUCCESS", c"success"),
        1 => (c"CUBLAS_STATUS_NOT_INITIALIZED", c"the library was not initialized"),
        3 => (c"CUBLAS_STATUS_ALLOC_FAILED", c"the resource allocation failed"),
        7 => (
            c"CUBLAS_STATUS_INVALID_VALUE",
            c"an unsupported value or parameter was passed to the function",
        ),
        8 => (c"CUBLAS_STATUS_ARCH_MISMATCH", c"the device does not support the function"),
        11 => (c"CUBLAS_STATUS_MAPPING_ERROR", c"an access to GPU memory space failed"),
        13 => (c"CUBLAS_STATUS_EXECUTION_FAILED", c"the function failed to launch on the GPU"),
        14 => (c"CUBLAS_STATUS_INTERNAL_ERROR", c"an internal operation failed"),
        15 => (c"CUBLAS_STATUS_NOT_SUPPORTED", c"the functionality is not supported"),
        _ => (c"CUBLAS_STATUS_LICENSE_ERROR", c"the functionality requested requires some license"),
    }
}
