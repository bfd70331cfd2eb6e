//! A stand-in for cuSOLVER's dense functions, whose own library contains only machine code. It computes on the host, in stream order: the
//! emulator's device memory is host memory. Its speed says nothing about a GPU, and no tool counts its work.
//!
//! | files | hold |
//! | --- | --- |
//! | `handle`, `dense`, `sparse` | the C functions, by family; `handle` also has those that always refuse |
//! | `operations`, `spectra` | their work in stream order: load matrices, compute, store |
//! | `algorithms::factor` | LU and Cholesky factorizations by faer, QR as in LAPACK, and solutions from them |
//! | `algorithms::spectral` | eigenvalues and singular values, by faer and by the Schur decomposition |
//! | `tridiagonal` | tridiagonal forms of Hermitian matrices by Householder reflections, and their C functions |
//! | `matrix` | matrices on the device and on the host, and their element types |
//!
//! Three algorithms do not use faer. faer's QR factorization stops at dependent columns and has complex diagonals, but
//! LAPACK's packed form has a reflection for each column and a real diagonal, as does the packed tridiagonal form. faer's
//! eigenvectors of general matrices overflow for repeated eigenvalues, and its Schur decomposition is not public.
//!
//! Sparse systems are solved as dense ones. Everything is computed in double precision and rounded once, so
//! single-precision results are more accurate than a GPU's. No workspace is needed: the functions that report its size
//! report one element. Unimplemented functions report it on standard error and return `CUSOLVER_STATUS_NOT_SUPPORTED`.
//!
//! The driver checks every memory range before it is accessed: a wrong pointer or leading dimension gives a status and a
//! message.

#![allow(non_snake_case, reason = "cuSOLVER's names")]
#![allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    reason = "cuSOLVER's documentation states the callers' obligations and fixes the argument lists"
)]

mod algorithms;
mod dense;
mod handle;
mod matrix;
mod operations;
mod sparse;
mod spectra;
mod tridiagonal;

pub(crate) use lanework_standin::refuse;

lanework_standin::statuses! {
    "cuSOLVER", "cusolverStatus_t", "check the pointer, the sizes and the leading dimension";
    NotInitialized = 1 AllocationFailed = 2 InvalidValue = 3 ExecutionFailed = 6 Internal = 7
    NotSupported = 9;
    NoEmulator     Null         Memory          Allocation       Device          Driver          Panic =>
    NotInitialized InvalidValue ExecutionFailed AllocationFailed ExecutionFailed ExecutionFailed Internal
}
