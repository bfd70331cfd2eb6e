//! Several GPUs and nodes: collectives on the buffers of ranks.
//!
//! NCCL, loaded at run time if it is installed, moves the data between GPUs. Otherwise, and for emulated devices, data moves through the
//! host, with the same results in the same order on each run, so `cargo test` tests a program for several GPUs without one.

mod call;
mod collectives;
mod communicator;
mod environment;
mod join;
mod product;
mod rendezvous;

pub use call::{Call, group};
pub use call::{Number, Reduction};
pub use communicator::Communicator;
pub use join::Ranks;
pub use product::{Product, ProductPlan, product};
pub use product::{Total, TotalPlan, share, total};
