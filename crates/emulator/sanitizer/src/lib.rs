//! The sanitizer: checks every access of a launch and turns errors into [`Report`]s while the
//! kernel continues.
//!
//! | module | finds |
//! | --- | --- |
//! | `bounds` | accesses outside allocations, variables and `malloc` blocks; use after free |
//! | `initialization` | reads of uninitialized memory and registers |
//! | `races` | unordered conflicting accesses: happens-before tracker and shadow cells |
//! | `async_proxy` | errors with `cp.async`, bulk and tensor copies, mbarriers, proxy fences |
//! | `async_proxy::wgmma` | accumulators and operands touched while products are in flight |
//! | `member_masks` | wrong member masks and shuffle sources |
//! | `livelock` | spins that never end |
//! | `footprint` | accesses of a launch, for races between launches |
//!
//! An access takes the per-lane reference path in `access::reference`, or a path of `fast` that must agree
//! with it. `instrument` receives the engine's events, holds the checks of a launch, and inserts operations
//! into kernels. `findings` collects the results and filters them by the suppression list.

#![allow(
    clippy::needless_range_loop,
    reason = "a loop over lanes reads several arrays and masks by the lane's number"
)]

mod access;
mod async_proxy;
mod bounds;
mod fast;
mod findings;
pub mod footprint;
mod initialization;
mod instrument;
mod livelock;
mod member_masks;
mod races;

pub use bounds::heap::leaks as heap_leaks;
pub use findings::advice::Distance;
pub use findings::kinds::{Checks, KindInfo, Level, ReportKind};
pub use findings::report::{AccessPair, CodeLocation, OtherAccess, Report, merge};
pub use findings::text::{Quote, describe, source_file};
pub use instrument::Sanitizer;
pub use lanework_ptx_ir::cpp_names::readable as readable_name;

use lanework_engine::fault::Fault;
use lanework_engine::launch::Outcome;

/// Result of a checked launch.
#[derive(Default)]
pub struct Checked {
    /// Counts of the run.
    pub outcome: Outcome,
    /// Findings in the order of first occurrence, each with a count.
    pub reports: Vec<Report>,
    /// The fault that ended the launch early, if it is not a finding: a `trap`, or an unsupported
    /// operation.
    pub fault: Option<Fault>,
    /// The launch's shadow of global memory, if requested ([`Checks::with_shadow`]).
    pub shadow: Option<footprint::LaunchShadow>,
}
