//! Several devices: the ladder of all-reduces, and products divided among devices, verified, and timed where the devices are GPUs.
//!
//! A time is that of a batch of runs between two events on every GPU, the longest of them, divided by the runs: what one GPU waits for
//! another is in it. Vectors hold small whole numbers, so that sums in any order have the same bits and every result is compared
//! exactly.

mod all_reduce;
mod scaling;
mod timing;

pub use all_reduce::{SeveralRecord, SeveralRungRecord, climb_several};
pub use scaling::{ScalingRecord, scaling, scaling_of_sum};
