//! A stand-in for cuSOLVER's dense functions, whose own library holds machine code only. It computes on the host, in the order of the stream,
//! since memory of the emulator is memory of the host; it says nothing of how fast a GPU is, and no tool counts it.
//!
//! | files | hold |
//! | --- | --- |
//! | `dense`, `generic`, `batches`, `sparse`, `settings` | the C functions, by family |
//! | `operations`, `spectra`, `general` | what they do in the order of a stream: load matrices, compute, store |
//! | `factor`, `reflections` | LU, Cholesky and QR factorisations as LAPACK's, unblocked |
//! | `tridiagonal` | tridiagonal forms of Hermitian matrices by Householder reflections, and their C functions |
//! | `jacobi` | eigenvalues of Hermitian matrices and singular values, by Jacobi rotations |
//! | `schur` | eigenvalues of general matrices, by the Schur decomposition |
//! | `matrix`, `element` | matrices on the device and on the host, and their element types |
//! | `unsupported` | the functions that always refuse |
//!
//! A sparse system is solved as a dense one. Everything is computed in complex numbers of double precision and rounded once, so that results of
//! single precision are more accurate than a GPU's. No workspace is needed: functions that are asked for its size answer one element. What is
//! not computed answers `CUSOLVER_STATUS_NOT_SUPPORTED`, and the function says so on standard error.
//!
//! Every range of memory is looked up in the driver before it is touched: a wrong pointer or leading dimension is a status and a sentence.

#![allow(non_snake_case, reason = "cuSOLVER's names")]
#![allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    reason = "cuSOLVER's documentation says what a caller has to keep; its functions have that many"
)]

mod batches;
mod dense;
mod element;
mod factor;
mod general;
mod generic;
mod handle;
mod jacobi;
mod matrix;
mod operations;
mod reflections;
mod schur;
mod settings;
mod sparse;
mod spectra;
mod status;
mod tridiagonal;
mod unsupported;
