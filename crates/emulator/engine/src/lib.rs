//! The engine runs kernels given in the intermediate form. It assembles them into operations, each with a handler function, and
//! schedules blocks on worker threads and the warps of a block in time slices.
//!
//! The path of a launch: `device` receives it, checks it against the kernel and the limits, and distributes blocks to
//! workers; `assemble` makes code for its block shape; `block` runs the warps of a block; a warp (`machine`) calls one
//! handler after the other. `fault` describes the error that ends a launch.
//!
//! Other crates take part in two ways: an [`instrument`] receives the events that it requests, and a stall handler
//! ([`device::stall`]) is called before a launch without progress is ended.

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
    reason = "instructions are closures; see `instructions::alu::operation`"
)]
#![allow(
    clippy::vec_box,
    reason = "operations hold the addresses of fused sequences while their vector grows"
)]
#![allow(clippy::large_enum_variant, reason = "plans live on the stack of one access")]

pub mod ablation;
mod assemble;
mod block;
pub mod device;
pub mod fault;
mod instructions;
pub mod instrument;
pub mod machine;
pub mod memory;
mod number;
pub mod program;

// The public modules of the folders above, by short paths.
pub use device::{launch, stall, workspace};
pub use fault::report;
pub use instructions::access::site;
pub use instructions::{allocate as heap, asynchrony, tensor_map, texture};
pub use instrument::{cluster_view, counter, event, insertion, observer, step_view};
pub use machine::{context, lanes, slot};
pub use memory::{allocation, guest, host_memory as held};

/// Whether this crate was compiled with optimization; without it, the emulator is slow.
pub const OPTIMIZED: bool = !matches!(env!("LANEWORK_OPT_LEVEL").as_bytes(), b"0");
