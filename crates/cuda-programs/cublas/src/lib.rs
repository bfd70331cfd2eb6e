//! A stand-in for cuBLAS and cuBLASLt, whose own libraries hold machine code only. It computes on the host, in the order of the
//! stream, since memory of the emulator is memory of the host; it says nothing of how fast a GPU is, and no tool counts it.
//!
//! Products and sums are made in the precision of the compute type and rounded once, so that results agree with a GPU's to the
//! rounding of their order of summation. What is not there answers `CUBLAS_STATUS_NOT_SUPPORTED`, and says so.
//!
//! Every range of memory is looked up in the driver before it is touched: a wrong pointer or leading dimension is a status and a sentence.

#![allow(non_snake_case, reason = "cuBLAS's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "cuBLAS's documentation says what a caller has to keep"
)]

mod export;
mod factor;
mod factored;
mod gemm;
mod handle;
mod helpers;
mod kind;
mod level1;
mod level2;
mod level3;
mod lt;
mod lt_records;
mod matrix;
mod product;
mod rotations;
mod scalar;
mod status;
mod stored;
mod symmetric;
mod symmetric_products;
mod triangular;
mod unsupported;
