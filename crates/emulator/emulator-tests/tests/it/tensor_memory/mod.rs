//! Tests of tensor memory and fifth-generation tensor cores (`tcgen05`).

mod checked;
mod compiled;
mod gemm;
mod movements;
mod pairs;
mod products;
mod scaled;
mod sparse;
mod wrong;
