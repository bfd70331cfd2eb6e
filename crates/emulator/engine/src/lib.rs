//! The engine runs kernels in the intermediate form: it assembles them into operations with a handler each, and schedules blocks over
//! worker threads and the warps of a block by time slices.
//!
//! A launch's way: `device` takes it, `check` compares it with the kernel and the limits, `assemble` makes code for its block shape,
//! `schedule` hands out blocks to workers, `block` runs the warps of one, and a warp (`machine`) goes from handler to handler. `fault`
//! holds what ends it, `report` puts that into words.
//!
//! Two seams let other crates take part: an [`instrument`] sees what it asks for and nothing else, and a [`stall`] handler is asked
//! before a launch that makes no progress is ended.

#![allow(
    clippy::needless_range_loop,
    reason = "a loop over lanes reads several arrays and masks by the lane's number"
)]
#![allow(
    clippy::double_comparisons,
    reason = "`a < b || a > b` is false for NaN, as PTX's ordered `ne` is; `a != b` is not"
)]
#![allow(
    clippy::redundant_closure,
    reason = "instructions are closures; see `alu_operation::zero_sized_instance`"
)]
#![allow(
    clippy::vec_box,
    reason = "operations hold the addresses of fused sequences while their vector grows"
)]
#![allow(clippy::large_enum_variant, reason = "plans live on the stack of one access")]

// From a module to code: loading, one assembly per block shape and instrument, and what a launch must fulfil.
mod assemble;
mod assembled;
mod check;
mod fuse;
pub mod launch;
pub mod limits;
mod module_variables;
pub mod occupancy;
pub mod program;
mod residency;
mod shape;

// The machine: operations, warps, registers, and which lanes run.
mod control;
mod converge;
mod cross;
mod exchange;
pub mod handler;
pub mod lanes;
pub mod machine;
mod participants;
mod reconvergence;
pub mod slot;
mod split;
mod warp_table;

// Arithmetic.
mod alu;
mod alu_operation;
mod matrix;
mod number;

// Memory: regions, accesses, and the bytes of the device.
mod access;
mod atomic;
mod device_range;
mod direct;
#[cfg(target_arch = "x86_64")]
mod gather;
pub mod guest;
pub mod heap;
pub mod held;
mod host_bytes;
pub mod initialised;
pub mod memory;
mod memory_lock;
pub mod region;
pub mod site;
pub mod tensor_map;
pub mod texture;

// What goes on beside instructions: barriers, copies, tensor memory.
pub mod asynchrony;
mod barrier;

// Running: workers, blocks, time slices, and the end of launches that make no progress.
mod block;
mod context;
pub mod device;
mod fuel;
mod print;
pub mod progress;
mod schedule;
pub mod stall;
mod worker_context;
mod workspace;

// The instrument seam.
mod attached;
pub mod cluster_view;
pub mod counter;
pub mod event;
pub mod hook;
pub mod insertion;
pub mod instrument;
mod notify;
pub mod observer;
mod tally;

// What goes wrong.
pub mod fault;
pub mod report;

/// Whether this crate, whose code runs hot, was compiled with optimisation.
pub const OPTIMISED: bool = !matches!(env!("LANEWORK_OPT_LEVEL").as_bytes(), b"0");
