//! A stand-in for cuSOLVER's dense functions, whose own library holds machine code only. It computes on the host, in the order of the stream,
//! since memory of the emulator is memory of the host; it says nothing of how fast a GPU is, and no tool counts it.
//!
//! Factorisations are LAPACK's, unblocked (`factor`, `reflections`); eigenvalues and singular values come from Jacobi's methods (`jacobi`), those
//! of general matrices from Schur's form (`schur`, `general`).
//! All is computed in complex numbers of double precision and rounded once, so that results of single precision are better than a GPU's. No
//! work area is needed: sizes of one element are answered. What is not computed answers `CUSOLVER_STATUS_NOT_SUPPORTED`, and says so.
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
mod spectra;
mod status;
mod unsupported;
