//! The commands, grouped by subject.

pub mod devices;
#[cfg(feature = "judge")]
pub mod judge;
pub mod kernels;
pub mod ladders;
pub mod new;
pub mod stored;
pub mod timing;
