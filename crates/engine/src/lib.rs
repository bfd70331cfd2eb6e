//! The engine: handlers, registers, memory, and the scheduler of warps and blocks.

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
#![allow(clippy::large_enum_variant, reason = "plans live on the stack of one access")]

pub mod access;
pub mod alu;
pub mod alu_operation;
pub mod assemble;
pub mod assembled;
pub mod asynchrony;
pub mod atomic;
pub mod attached;
pub mod barrier;
pub mod block;
pub mod check;
pub mod cluster_view;
pub mod context;
pub mod control;
pub mod converge;
pub mod counter;
pub mod cross;
pub mod device;
pub mod device_range;
pub mod direct;
pub mod event;
pub mod exchange;
pub mod fault;
pub mod fuel;
pub mod fuse;
#[cfg(target_arch = "x86_64")]
pub mod gather;
pub mod guest;
pub mod handler;
pub mod heap;
pub mod held;
pub mod hook;
pub mod host_bytes;
pub mod initialised;
pub mod insertion;
pub mod instrument;
pub mod lanes;
pub mod launch;
pub mod limits;
pub mod machine;
pub mod matrix;
pub mod memory;
pub mod memory_lock;
pub mod module_variables;
pub mod notify;
pub mod number;
pub mod occupancy;
pub mod participants;
pub mod print;
pub mod program;
pub mod progress;
pub mod reconvergence;
pub mod region;
pub mod report;
pub mod residency;
pub mod schedule;
pub mod shape;
pub mod site;
pub mod slot;
pub mod split;
pub mod stall;
pub mod tally;
pub mod tensor_map;
pub mod texture;
pub mod warp_table;
pub mod worker_context;
pub mod workspace;

/// Whether this crate, whose code runs hot, was compiled with optimisation.
pub const OPTIMISED: bool = !matches!(env!("LANEWORK_OPT_LEVEL").as_bytes(), b"0");
