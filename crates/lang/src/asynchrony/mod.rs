//! Asynchrony of sm_90, typed: mbarriers and pipelines, bulk and tensor copies, clusters, warp roles, ordered memory
//! accesses. The page `docs/src/en/hopper.md` shows each with its PTX.

mod cluster;
mod coordinates;
mod groups;
mod handle;
mod mbarrier;
mod named;
mod part;
mod pipeline;
mod remote;
pub(crate) mod setup;
mod tensor;

pub use cluster::*;
pub use coordinates::TileAt;
pub use groups::*;
pub use mbarrier::{Arrival, Mbarrier, Mbarriers, Signal, Waiter, mbarrier, mbarriers};
pub use named::{NamedBarrier, named_barrier};
pub use part::{IntoPart, Part};
pub use pipeline::{Consumer, Filled, Filling, Pipeline, Producer, pipeline};
pub use remote::{Remote, RemoteMbarrier};
pub use tensor::{TensorSource, TensorTarget, tensor_source, tensor_target};
