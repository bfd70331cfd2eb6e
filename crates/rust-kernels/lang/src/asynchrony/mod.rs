//! Asynchrony of sm_90, typed: mbarriers and pipelines, bulk and tensor copies, clusters, warp roles, ordered memory
//! accesses. The page `docs/src/en/hopper.md` shows each with its PTX.

mod arrival;
mod bulk;
mod cache;
mod cluster;
mod coordinates;
mod gathered;
mod grid;
mod groups;
mod handle;
mod matrix;
mod mbarrier;
mod named;
mod ordered;
mod part;
mod pipeline;
mod pixels;
mod remote;
mod remote_stores;
mod roles;
pub(crate) mod setup;
mod tensor;
mod tensor_map;
mod waiter;

pub use arrival::Arrival;
pub use bulk::*;
pub use cache::*;
pub use cluster::*;
pub use coordinates::TileAt;
pub use grid::*;
pub use groups::*;
pub use mbarrier::{Mbarrier, Mbarriers, Signal, mbarrier, mbarriers};
pub use named::{NamedBarrier, NamedBarriers, named_barrier, named_barriers};
pub use ordered::*;
pub use part::{IntoPart, Part};
pub use pipeline::{Consumer, Filled, Filling, Pipeline, Producer, pipeline};
pub use pixels::{PixelOffsets, TensorPixels, tensor_pixels};
pub use remote::{Remote, RemoteMbarrier};
pub use remote_stores::*;
pub use roles::*;
pub use tensor::{TensorTiles, WrittenTensor, tensor_tiles};
pub use waiter::Waiter;
