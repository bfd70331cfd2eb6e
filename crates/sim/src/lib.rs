//! A warp-accurate emulator of a CUDA device: it loads PTX modules and runs their kernels on the
//! host, 32 lanes in lockstep, with barriers, shared memory, atomics and faults as on a GPU.
//!
//! The way of a kernel: [`lanework_ptx::Module`] -> `lower` (flat instructions over virtual
//! registers) -> `control` (blocks, reconvergence points) -> `analysis` (which registers are uniform
//! or affine over the lanes) -> `assemble` (handlers chosen, registers placed) -> `schedule`
//! (blocks over workers, warps within a block). Observers watch the run at warp level.

#![allow(
    clippy::needless_range_loop,
    reason = "a loop over lanes reads several arrays and masks by the lane's number"
)]
#![allow(
    clippy::double_comparisons,
    reason = "`a < b || a > b` is false for NaN, as PTX's ordered `ne` is; `a != b` is not"
)]
#![allow(clippy::redundant_closure, reason = "instructions are closures; see `pure::summon`")]
#![allow(clippy::large_enum_variant, reason = "plans live on the stack of one access")]

mod access;
mod allowance;
mod analysis;
mod assemble;
mod asynchrony;
mod atomic;
mod banks;
mod block;
mod check;
mod context;
mod control;
mod counters;
mod cross;
mod decode;
mod direct;
mod eight;
mod emulator;
mod fault;
mod fidelity;
mod flow;
mod fuse;
#[cfg(target_arch = "x86_64")]
mod gather;
mod heap;
mod indirect;
mod initial;
mod ir;
mod lanes;
mod launch;
mod limits;
mod lower;
mod matrix;
mod memory;
mod nan;
mod observe;
mod op;
mod pressure;
mod print;
mod program;
mod pure;
mod report;
pub mod sanitize;
mod schedule;
mod soft;
mod standard;
mod stillness;
mod swizzle;
mod tensor_map;
mod trace;
mod traffic;
mod way;

pub use counters::{Counters, Global, Shared};
pub use emulator::Emulator;
pub use fault::{Fault, FaultKind, LoadError, MemoryError, NearAllocation, SourceLocation};
pub use fidelity::{Bound, Fidelity, fidelity};
pub use ir::Origin;
pub use launch::{Blocks, LaunchConfig, Outcome};
pub use limits::{Limits, Options, Schedule};
pub use observe::{
    Access, AccessKind, Asynchronous, CountingObserver, Observer, Phase, Place, Quiet, Space, Span,
};
pub use pressure::{MOST_REGISTERS, RegisterPressure};
pub use program::Program;
pub use swizzle::Swizzle;
pub use tensor_map::{TensorElement, TensorMap};
pub use trace::{Keep, Reach, Touch, Trace, Tracer, Wanted};
