//! What the stand-ins for NVIDIA's libraries (cuBLAS, cuRAND, cuFFT, cuSOLVER, NCCL) share: the emulator's driver, found in the process; its memory,
//! looked up to the byte before it is touched; the order of streams; and what each of their C functions does beside its own work.
//!
//! Each of these libraries has statuses of its own: it says by `From<Failure>` which one answers what fails here.
//!
//! This is not a public interface: it changes with the stand-ins.

mod call;
mod context;
mod driver;
mod failure;
mod memory;
mod status;
mod stream;

pub use call::{Answer, call, line, store, traces};
pub use context::Place;
pub use driver::begin;
pub use failure::{Failure, Kind};
pub use memory::{Memory, allocate, free, is_allocated, write, write_spaced};
pub use status::{Status, refuse, said};
pub use stream::{capture, is_captured, submit};
