//! What goes on beside a warp's instructions: mbarriers, bulk copies, clusters.
//!
//! A bulk copy is checked when it is started and done later: at the end of the scheduler pass in which
//! it was started, or when its thread waits for its group. A kernel that reads what it has not waited
//! for thus finds what was there before, as it may on a GPU. A wait for an mbarrier suspends the warp
//! until the phase has ended; `test_wait` and `try_wait` give `false` only when nothing else in the
//! cluster can go on, as if the time limit had passed.

mod bulk;
pub mod cluster;
pub mod copies;
pub mod finish;
pub mod handler;
pub mod mbarrier;
pub mod plan;
pub mod registers;
mod shared;
mod sync;
mod tensor;
pub mod tensor_memory;
mod tile;
