//! What goes on beside a warp's instructions: mbarriers, bulk copies, clusters.
//!
//! A bulk copy is checked when it is started and done later: at the end of the scheduler pass in which
//! it was started, or when its thread waits for its group. A kernel that reads what it has not waited
//! for thus finds what was there before, as it may on a GPU. A wait for an mbarrier suspends the warp
//! until the phase has ended; `test_wait` and `try_wait` give `false` only when nothing else in the
//! cluster can go on, as if the time limit had passed.

mod bulk;
pub(crate) mod cluster;
pub(crate) mod copies;
pub(crate) mod finish;
pub(crate) mod handler;
pub(crate) mod mbarrier;
pub(crate) mod plan;
pub(crate) mod registers;
mod shared;
mod sync;
mod tensor;
pub(crate) mod tensor_memory;
mod tile;

pub use cluster::split;
pub use mbarrier::Mbarrier;
