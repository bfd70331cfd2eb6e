//! A stand-in for NCCL, `libnccl.so.2`, which moves data by kernels of machine code. Ranks are threads of a process,
//! devices that one thread drives in groups, or processes of one host. Data moves through the host, in stream order:
//! the emulator's device memory is host memory. Its speed says nothing about GPUs, and no tool counts its work.
//!
//! Every rank sends each other rank the data that it needs, along with the call (`mesh`, `collectives`). One rank
//! combines each element, in rank order, so all ranks get the same bits in each run. A call is complete when it
//! returns, so it waits for the ranks that take part. Ranks that make different calls get an error that says so; after
//! a time limit, the error names a rank that does not arrive. In a captured graph a call is a host node.
//!
//! Every memory range is looked up in the driver before it is accessed: a wrong pointer gives a status and a message. Unimplemented
//! functions report it and return `ncclInvalidUsage`.

#![cfg(target_os = "linux")]
#![allow(non_snake_case, reason = "NCCL's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "NCCL's documentation states the callers' obligations"
)]

mod collectives;
mod communicator;
mod communicators;
mod group;
mod memory;
mod mesh;
mod operations;
mod reduction;
mod status;
mod unsupported;
