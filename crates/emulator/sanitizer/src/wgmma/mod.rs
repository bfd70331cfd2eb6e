//! `wgmma`: asynchronous products of warpgroups, their accumulators and operands.
//!
//! *Rules* (PTX ISA, "Asynchronous warpgroup level matrix instructions"): registers are the product's
//! until its group has been waited for, and a product sees what threads wrote to them only behind
//! `wgmma.fence`; operands in shared memory are read by the asynchronous proxy until then, and must have
//! been fenced by `fence.proxy.async`.
//!
//! *Limits.* The emulator computes products when they are issued, so that a run does not show the error
//! in its result. Each warp is taken to read its rows of A and all of B.

pub mod operands;
pub mod products;
pub mod registers;
