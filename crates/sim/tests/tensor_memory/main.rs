//! Tensor memory and the fifth generation of tensor cores, as kernels use them.

#[path = "../common/mod.rs"]
mod common;

mod checked;
mod gemm;
mod movements;
mod products;
mod wrong;
