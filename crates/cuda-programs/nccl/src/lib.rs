//! A stand-in for NCCL, `libnccl.so.2`: NVIDIA's moves data by kernels that are machine code. Ranks are threads of a process, devices that
//! one thread drives in groups, or processes of one host; data go through the host, in the order of the stream, since memory of the
//! emulator is memory of the host. It says nothing of how fast GPUs are, and no tool counts it.
//!
//! Every rank sends each other rank what that one needs of its input, with the call that it belongs to (`mesh`, `collectives`); elements
//! are combined in the order of ranks by one rank, so that all have the same bits in each run. A call has happened when it returns, so
//! it waits for the ranks that take part: ranks that call different things are told so, and a rank that does not come is named after a
//! while. In a captured graph a call is a host node.
//!
//! Every range of memory is looked up in the driver before it is touched: a wrong pointer is a status and a sentence. What is not there
//! answers `ncclInvalidUsage`, and says so.

#![cfg(target_os = "linux")]
#![allow(non_snake_case, reason = "NCCL's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "NCCL's documentation says what a caller has to keep"
)]

mod answer;
mod collectives;
mod communicator;
mod communicators;
mod element;
mod fp8;
mod group;
mod invitation;
mod link;
mod meeting;
mod memory;
mod mesh;
mod operations;
mod reduction;
mod signature;
mod status;
mod unsupported;
mod words;
