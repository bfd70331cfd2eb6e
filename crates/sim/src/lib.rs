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

use lanework_engine as engine;
#[allow(unused_imports)]
use lanework_ptx_ir as ir;

mod emulator;
mod options;
pub mod sanitizer;

pub use emulator::Emulator;
pub use lanework_engine::device::Device;
pub use lanework_engine::event::{Access, AccessKind, Asynchronous, Phase, Place, Space, Span};
pub use lanework_engine::fault::{
    Fault, FaultKind, LoadError, MemoryError, NearAllocation, SourceLocation,
};
pub use lanework_engine::instrument::{Instrument, Quiet, Wants};
pub use lanework_engine::launch::{Blocks, LaunchConfig, Outcome};
pub use lanework_engine::limits::{Limits, Schedule};
pub use lanework_engine::program::Program;
pub use lanework_engine::swizzle::Swizzle;
pub use lanework_engine::tensor_map::{TensorElement, TensorMap};
pub use lanework_memmodel::counters::{Counters, Global, Shared};
pub use lanework_memmodel::table::{Counter, Row};
pub use lanework_profiler::count::CountingObserver;
pub use lanework_profiler::trace::{Keep, Reach, Touch, Trace, Tracer, Wanted};
pub use lanework_ptx_ir::kernel::Origin;
pub use lanework_ptx_ir::pressure::{MOST_REGISTERS, RegisterPressure};
pub use options::Options;
pub use sanitizer as sanitize;

/// The name of [`Instrument`] for those that only watch.
pub use lanework_engine::instrument::Instrument as Observer;
