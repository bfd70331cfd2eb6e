//! A stand-in for cuSOLVER's dense functions, whose own library contains only machine code. It computes on the host, in stream order: the
//! emulator's device memory is host memory. Its speed says nothing about a GPU, and no tool counts its work.
//!
//! | files | hold |
//! | --- | --- |
//! | `api` | the C functions, by family |
//! | `operations`, `spectra`, `general` | their work in stream order: load matrices, compute, store |
//! | `algorithms::factor` | LU and Cholesky factorizations and solutions from them, by faer |
//! | `algorithms::spectral` | eigenvalues of Hermitian matrices and singular values, by faer |
//! | `algorithms::reflections` | QR factorization as in LAPACK, unblocked |
//! | `tridiagonal` | tridiagonal forms of Hermitian matrices by Householder reflections, and their C functions |
//! | `algorithms::schur` | eigenvalues of general matrices, by the Schur decomposition |
//! | `matrix`, `element` | matrices on the device and on the host, and their element types |
//! | `unsupported` | the functions that always refuse |
//!
//! Three algorithms do not use faer. Its QR factorization stops at dependent columns and has complex diagonals;
//! LAPACK's packed form has a reflection for each column and a real diagonal, as does the packed tridiagonal form. Its
//! eigenvectors of general matrices overflow if an eigenvalue is multiple. Its Schur form is private.
//!
//! Sparse systems are solved as dense ones. Everything is computed in double precision and rounded once, so
//! single-precision results are more accurate than a GPU's. No workspace is needed: the functions that report its size
//! report one element. Unimplemented functions report it on standard error and return `CUSOLVER_STATUS_NOT_SUPPORTED`.
//!
//! Every memory range is looked up in the driver before it is accessed: a wrong pointer or leading dimension gives a status and a message.

#![allow(non_snake_case, reason = "cuSOLVER's names")]
#![allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    reason = "cuSOLVER's documentation states the callers' obligations and fixes the argument lists"
)]

mod algorithms;
mod api;
mod handle;
mod matrix;
mod operations;
mod spectra;
mod status;
mod tridiagonal;
mod unsupported;
