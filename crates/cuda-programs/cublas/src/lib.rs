//! A stand-in for cuBLAS and cuBLASLt, whose own libraries contain only machine code. It computes on the host, in
//! stream order: the emulator's device memory is host memory. Its speed says nothing about a GPU, and no tool counts
//! its work.
//!
//! Products and sums use the precision of the compute type and are rounded once, so results agree with a GPU's up to the rounding of a
//! different summation order. Unsupported functions report it and return `CUBLAS_STATUS_NOT_SUPPORTED`.
//!
//! Every memory range is looked up in the driver before it is accessed: a wrong pointer or leading dimension gives a status and a message.

#![allow(non_snake_case, reason = "cuBLAS's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "cuBLAS's documentation states the callers' obligations"
)]

mod blas;
mod export;
mod handle;
mod helpers;
mod kind;
mod lt;
mod matrix;
mod status;
mod unsupported;
