//! Several GPUs and nodes: collectives on the buffers of ranks.
//!
//! NCCL, loaded at run time if it is installed, moves the data between GPUs. Otherwise, and for emulated devices, data moves
//! through the host, with the same results in the same order on each run, so `cargo test` tests a program for several GPUs without
//! one.

mod call;
mod collectives;
mod communicator;
mod divided;
mod environment;
mod join;
mod rendezvous;

pub use call::{Call, Number, Reduction, group};
pub use communicator::Communicator;
pub use divided::{Product, ProductPlan, Total, TotalPlan, product, share, total};
pub use join::Ranks;
