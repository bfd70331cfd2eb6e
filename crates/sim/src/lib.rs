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

mod emulator;
mod engine;
mod mem;
mod options;
mod profiler;
pub mod sanitizer;

pub use emulator::Emulator;
pub use engine::device::Device;
pub use engine::event::{Access, AccessKind, Asynchronous, Phase, Place, Space, Span};
pub use engine::fault::{Fault, FaultKind, LoadError, MemoryError, NearAllocation, SourceLocation};
pub use engine::instrument::{Instrument, Quiet, Wants};
pub use engine::launch::{Blocks, LaunchConfig, Outcome};
pub use engine::limits::{Limits, Schedule};
pub use engine::program::Program;
pub use engine::swizzle::Swizzle;
pub use engine::tensor_map::{TensorElement, TensorMap};
pub use lanework_ptx_ir::kernel::Origin;
pub use lanework_ptx_ir::pressure::{MOST_REGISTERS, RegisterPressure};
pub use mem::counters::{Counters, Global, Shared};
pub use mem::table::{Counter, Row};
pub use options::Options;
pub use profiler::count::CountingObserver;
pub use profiler::trace::{Keep, Reach, Touch, Trace, Tracer, Wanted};
pub use sanitizer as sanitize;

/// The name of [`Instrument`] for those that only watch.
pub use engine::instrument::Instrument as Observer;
