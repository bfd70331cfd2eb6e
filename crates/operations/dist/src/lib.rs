//! Several GPUs and nodes: collectives on the buffers of ranks.
//!
//! NCCL, where it is installed, moves the data between GPUs; it is loaded at run time. Everywhere else, and for emulated devices, they
//! go through the host, with the same results in the same order on each run, so that a program for several GPUs is tested in
//! `cargo test` without one.

mod call;
mod collectives;
mod communicator;
mod element;
mod environment;
mod host;
mod join;
mod link;
mod links;
mod mesh;
mod product;
mod rendezvous;
mod share;
mod signature;
mod total;
mod words;
mod work;

pub use call::{Call, group};
pub use communicator::Communicator;
pub use element::{Number, Reduction};
pub use join::Ranks;
pub use product::{Product, ProductPlan, product};
pub use share::share;
pub use total::{Total, TotalPlan, total};
