//! A warp-accurate emulator of a CUDA device: it loads PTX modules and runs their kernels on the host, 32 lanes
//! in lockstep, with barriers, shared memory, atomics and faults as on a GPU.
//!
//! This crate combines the parts: [`Emulator`] runs a kernel plainly, or with its accesses counted, traced or checked.
//! `lanework_ptx_ir` lowers a [`lanework_ptx::Module`] to the intermediate form and analyses it; `lanework_engine`
//! assembles that into operations and schedules them. Every observer of a run is an [`Instrument`]: the sanitizer and
//! the livelock probe (`lanework_sanitizer`), the counters and the tracer (`lanework_counters`, which takes costs from
//! `lanework_counters`).

mod emulator;
#[cfg(doctest)]
mod soundness;

pub use emulator::{Emulator, Options};
pub use lanework_counters::counters::table::{Counter, Row};
pub use lanework_counters::counters::{Bulk, Counters, Distributed, Global, Shared};
pub use lanework_counters::instruments::count::CountingObserver;
pub use lanework_counters::instruments::trace::{
    Keep, SectorAccess, Trace, TraceConfig, TracedAccess, Tracer,
};
/// Counters as text.
pub use lanework_counters::words;
pub use lanework_engine::device::Device;
pub use lanework_engine::event::{Access, AccessKind, Asynchronous, Phase, Place, Space, Span};
pub use lanework_engine::fault::{
    Fault, FaultKind, LoadError, MemoryError, NearAllocation, SourceLocation,
};
pub use lanework_engine::held::PinnedBytes;
pub use lanework_engine::hook::Wants;
pub use lanework_engine::instrument::{Instrument, Launch};
pub use lanework_engine::launch::{Blocks, LaunchConfig, Outcome};
pub use lanework_engine::limits::{Limits, STOPPED, Schedule, interrupt};
pub use lanework_engine::observer::{NullObserver, Observer};
pub use lanework_engine::occupancy::Multiprocessor;
pub use lanework_engine::program::Program;
pub use lanework_engine::tensor_map::{Im2col, TensorElement, TensorMap};
pub use lanework_engine::texture::object::{
    AddressMode, Channel, Image, ImageShape, Mip, Sampler, Texel,
};
pub use lanework_engine::{OPTIMIZED, progress, stack, stall};
pub use lanework_ptx::Swizzle;
pub use lanework_ptx_ir::analysis::pressure::{MOST_REGISTERS, RegisterPressure};
pub use lanework_ptx_ir::kernel::Origin;
pub use lanework_ptx_ir::module::function_at;
pub use lanework_sanitizer as sanitize;
