//! Checks: a run in which every access is judged, and what is wrong becomes a [`Report`] while the
//! kernel goes on.
//!
//! What is judged, and by which rules:
//!
//! - *Bounds and alignment*: each lane's address, against the exact bounds of allocations, of static
//!   variables in shared and local memory, and of parameters. In a checked emulator allocations lie
//!   2^36 bytes apart and variables in shared memory 1024, so that an index which leaves one does not
//!   land in another. A bad load gives zero, a bad store goes nowhere.
//! - *Uninitialised*: a bit per byte of global, shared and local memory. Registers: see `undefined`.
//! - *Races*: see `order` for what orders accesses. Two accesses to one byte race when nothing orders
//!   them, one of them writes, and not both are strong (atomic, `.volatile`, `.relaxed` and more) with
//!   a scope that has the other thread in it. Two writes of the same value are no race, in one
//!   instruction or in two: nobody can tell their order.
//! - *Lanes*: member masks must name whoever executes, and shuffles may read from lanes that take
//!   part only.
//! - *Asynchronous copies*: what `cp.async` and bulk copies write may be touched only after the
//!   wait; what bulk copies and `wgmma` read must be fenced from what threads wrote, and may be changed
//!   only after the wait. So it is with the registers of `wgmma`, which must be fenced, too, when threads write them.

#[cfg(test)]
mod alike;
mod bulk;
mod checker;
mod copies;
mod findings;
mod group;
mod heap;
mod instrument;
mod judge;
mod lanes;
mod lanewise;
mod line;
mod livelock;
mod names;
mod operands;
mod order;
mod others;
mod places;
mod plan;
mod products;
mod report;
mod runs;
mod scattered;
mod shadow;
mod stillness;
mod undefined;

pub use heap::leaks as heap_leaks;
pub use instrument::Sanitizer;
pub use report::{Checks, Other, Report, ReportKind};

use crate::engine::fault::Fault;
use crate::engine::launch::Outcome;
use crate::engine::written::{self, Written};

/// What a checked launch found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// What ran.
    pub outcome: Outcome,
    /// What is wrong, in the order in which it was met; each once, with a count.
    pub reports: Vec<Report>,
    /// What ended the launch early, if it is no finding: a `trap`, or something that the emulator
    /// cannot do.
    pub fault: Option<Fault>,
}
