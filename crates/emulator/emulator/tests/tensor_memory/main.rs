//! Tensor memory and the fifth generation of tensor cores, as kernels use them.

#[path = "../common/mod.rs"]
mod common;

mod checked;
mod compiled;
mod gemm;
mod movements;
mod pairs;
mod products;
mod scaled;
mod sparse;
mod wrong;
