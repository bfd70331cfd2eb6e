//! Shared parts of the stand-ins for NVIDIA's libraries (cuBLAS, cuRAND, cuFFT, cuSOLVER, NCCL): the emulator's driver,
//! checked access to device memory, stream order, and the common behavior of exported functions.
//!
//! Each library converts failures to its own status codes with `From<Failure>`.
//!
//! This is not a public interface: it changes with the stand-ins.

mod call;
mod driver;
mod memory;

pub use call::{
    Answer, Failure, FailureKind, In, Out, Plain, Status, call, line, refuse, said, store, traces,
};
pub use driver::{DeviceContext, begin};
pub use memory::{
    Memory, allocate, capture, free, is_allocated, is_captured, submit, write, write_spaced,
};
