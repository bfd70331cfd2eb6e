//! Several devices: the ladder of all-reduces, and products divided among devices. Results are verified; GPUs are
//! also timed.
//!
//! A time is the longest time of a batch of runs between two events on any GPU, divided by the runs: it includes
//! waiting for other GPUs. Vectors hold small integers: sums in any order have the same bits, so results are compared
//! exactly.

mod all_reduce;
mod scaling;
mod timing;

pub use all_reduce::{SeveralRecord, SeveralRungRecord, climb_several};
pub use scaling::{ScalingRecord, scaling, scaling_of_sum};
