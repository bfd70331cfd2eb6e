//! The laboratory against recorded results of an H200, ptxas and the host.

mod conformance;
mod counters;
mod every_rung;
mod predictions;
mod rungs;
mod wrong_kernels;
