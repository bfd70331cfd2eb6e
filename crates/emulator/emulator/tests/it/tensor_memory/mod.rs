//! Tensor memory and the fifth generation of tensor cores, as kernels use them.

mod checked;
mod compiled;
mod gemm;
mod movements;
mod pairs;
mod products;
mod scaled;
mod sparse;
mod wrong;
