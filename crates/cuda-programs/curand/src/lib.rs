//! A stand-in for cuRAND's host library, whose own holds machine code only. It computes on the host, in the order of the stream, since
//! memory of the emulator is memory of the host; it says nothing of how fast a GPU is, and no tool counts it.
//!
//! XORWOW, MRG32k3a, Philox4x32-10, MTGP32, Sobol32 and Sobol64 give the bits of NVIDIA's generators (`tests/nvidia.rs` compares them with
//! those of the host). MT19937 is the published generator as one sequence; NVIDIA's takes its numbers from many at once, so that the
//! order differs. Scrambled Sobol' sequences have a scrambling of their own.
//!
//! Every range of memory is looked up in the driver before it is touched: a wrong pointer is a status and a sentence.

#![allow(non_snake_case, reason = "cuRAND's names")]
#![allow(
    clippy::missing_safety_doc,
    reason = "cuRAND's documentation says what a caller has to keep"
)]

mod api;
mod discrete;
mod distribution;
mod generator;
mod gf2;
mod handle;
mod kind;
mod lanes;
mod mrg32k3a;
mod mt19937;
mod mtgp32;
mod philox;
mod poisson;
mod sequence;
mod sobol;
mod status;
mod vectors;
mod xorwow;
