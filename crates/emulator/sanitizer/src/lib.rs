//! The sanitizer: a run in which every access is checked, and what is wrong becomes a [`Report`] while
//! the kernel goes on.
//!
//! | part | what it finds |
//! | --- | --- |
//! | `bounds` | accesses outside allocations, variables and blocks of `malloc`; use after free |
//! | `initialisation` | reads of memory and registers that nothing has written |
//! | `races` | accesses that nothing orders: happens-before tracker and shadow cells |
//! | `async_proxy` | `cp.async`, bulk and tensor copies, mbarriers, fences between the proxies |
//! | `wgmma` | accumulators and operands of products in flight |
//! | `barriers` | member masks and shuffles |
//! | `livelock` | spins that never end |
//! | `footprint` | what a launch accessed, for races between launches |
//!
//! An access goes through `access::reference`, lane by lane, which is the oracle, or through a path of
//! `fast`, which must agree with it. `parts` puts the parts together for a launch, `instrument` is what
//! the engine calls, `plan` and `handlers` are the operations inserted into kernels. Findings go to
//! `reports`, by the table of `kinds` and the list of `suppressions`.

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
mod handlers;
mod initialization;
mod instrument;
mod livelock;
mod member_masks;
mod parts;
mod plan;
mod races;
mod sanitizer;
mod wgmma;

pub use bounds::heap::leaks as heap_leaks;
pub use findings::kinds::{Checks, KindInfo, Level, ReportKind};
pub use findings::report::{AccessPair, CodeLocation, OtherAccess, Report, merge};
pub use findings::text::{Quote, describe, source_file};
pub use sanitizer::Sanitizer;

use lanework_engine::fault::Fault;
use lanework_engine::launch::Outcome;

/// What a checked launch found.
#[derive(Default)]
pub struct Checked {
    /// What ran.
    pub outcome: Outcome,
    /// What is wrong, in the order in which it was met; each once, with a count.
    pub reports: Vec<Report>,
    /// What ended the launch early, if it is no finding: a `trap`, or something that the emulator
    /// cannot do.
    pub fault: Option<Fault>,
    /// The launch's shadow of global memory, where the checks ask for it ([`Checks::with_shadow`]).
    pub shadow: Option<footprint::LaunchShadow>,
}
