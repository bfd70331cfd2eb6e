//! The functions of cuBLAS: levels 1 to 3, products and batched small systems.

pub(crate) mod factored;
pub(crate) mod gemm;
pub(crate) mod level1;
pub(crate) mod level2;
pub(crate) mod level3;
pub(crate) mod product;
