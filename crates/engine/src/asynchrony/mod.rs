//! What goes on beside a warp's instructions: mbarriers, bulk copies, clusters.
//!
//! A bulk copy is checked when it is started and done later: at the end of the round of turns in which
//! it was started, or when its thread waits for its group. A kernel that reads what it has not waited
//! for thus finds what was there before, as it may on a GPU. A wait for an mbarrier suspends the warp
//! until the phase has ended; `test_wait` and `try_wait` give `false` only when nothing else in the
//! cluster can go on, as if the time limit had passed.

pub mod cluster;
pub mod copies;
mod handler;
pub mod mbarrier;
mod sync;
mod tensor;

use crate::lanes::Slot;
use lanework_ptx_ir::opcode::asynchrony::AsyncOp;

pub use handler::{Async, waits_for};

/// An instruction with its registers; operations point to it with their immediate.
pub struct Plan {
    /// What it does.
    pub op: AsyncOp,
    /// Destinations.
    pub dst: Vec<Slot>,
    /// Sources.
    pub src: Vec<Slot>,
}
