//! Shared parts of the stand-ins for NVIDIA's libraries (cuBLAS, cuRAND, cuFFT, cuSOLVER, NCCL): finding the emulator's driver, checked access to
//! device memory, stream order, and the common behavior of exported functions.
//!
//! Each library converts failures to its own status codes with `From<Failure>`.
//!
//! This is not a public interface: it changes with the stand-ins.

mod call;
mod driver;
mod failure;
mod memory;
mod pointers;
mod status;
mod stream;

pub use call::{Answer, call, line, traces};
pub use driver::{DeviceContext, begin};
pub use failure::{Failure, FailureKind};
pub use memory::{Memory, allocate, free, is_allocated, write, write_spaced};
pub use pointers::{In, Out, Plain, store};
pub use status::{Status, refuse, said};
pub use stream::{capture, is_captured, submit};
