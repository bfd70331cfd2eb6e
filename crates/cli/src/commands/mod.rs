//! The commands, grouped by subject.

pub mod devices;
pub mod explain;
#[cfg(feature = "judge")]
pub mod judge;
pub mod kernels;
pub mod ladders;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod new;
pub mod stored;
pub mod timing;
