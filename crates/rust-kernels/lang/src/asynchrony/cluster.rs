//! Clusters: where a block is in its cluster, and the barrier of all of the cluster's threads.
#![allow(non_upper_case_globals)]

use super::handle::handle;
use super::remote::needs_cluster;
use crate::current::{here, with};
use crate::intrinsics::Index3;
use crate::value::Value;
use crate::var::Var;

/// The block's place in its cluster (`%cluster_ctaid`).
pub static cluster_block_idx: Index3 =
    Index3::special("%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z");
/// The cluster's shape in blocks (`%cluster_nctaid`).
pub static cluster_dim: Index3 =
    Index3::special("%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z");
/// The cluster's place in the grid (`%clusterid`).
pub static cluster_idx: Index3 = Index3::special("%clusterid.x", "%clusterid.y", "%clusterid.z");

/// The block's number in its cluster (`%cluster_ctarank`): what `of_block` takes.
pub fn cluster_rank() -> Var<u32> {
    Var::new(Value::Special("%cluster_ctarank"))
}

/// The blocks of a cluster (`%cluster_nctarank`).
pub fn cluster_size() -> Var<u32> {
    Var::new(Value::Special("%cluster_nctarank"))
}

/// A thread's arrival at the barrier of its cluster; see [`cluster_arrive`].
#[derive(Debug)]
#[must_use = "a thread that arrived has to wait before it arrives again"]
pub struct ClusterArrival {
    _private: (),
}

handle!(ClusterArrival);

/// Waits until every thread of the cluster has arrived: accesses before it, also to the shared memory of other blocks, are
/// seen after it (`barrier.cluster.arrive`, `barrier.cluster.wait`).
///
/// ```
/// # use lanework::prelude::*;
/// /// Each block reads what the other one wrote.
/// #[kernel(block = 32, cluster = 2)]
/// fn example(out: &mut [u32]) {
///     let mine = shared::<u32>(32);
///     mine[thread_idx.x] = 100 * cluster_rank() + thread_idx.x;
///     cluster_sync();
///     let other = mine.of_block(1 - cluster_rank());
///     out[block_idx.x * 32 + thread_idx.x] = other[thread_idx.x];
///     cluster_sync(); // no block leaves while another one reads its memory
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(64)?;
/// # example(&mut out).grid(2).block(32).launch(&device)?;
/// assert_eq!(out.download()?[31..33], [131, 0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn cluster_sync() {
    here();
    cluster_arrive().wait();
}

/// Arrives at the barrier of the cluster and goes on; [`ClusterArrival::wait`] waits for the others. All threads of a warp
/// arrive together.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel(block = 32, cluster = 2)]
/// fn example(out: &mut [u32]) {
///     let mine = shared::<u32>(32);
///     mine[thread_idx.x] = 100 * cluster_rank() + thread_idx.x;
///     let written = cluster_arrive();
///     let own = mine[thread_idx.x]; // something else, while the other block comes
///     written.wait();
///     let other = mine.of_block(1 - cluster_rank());
///     let width = other.shape()[0];
///     out[block_idx.x * width + thread_idx.x] = own + other[thread_idx.x];
///     cluster_sync(); // no block leaves while another one reads its memory
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(64)?;
/// # example(&mut out).grid(2).block(32).launch(&device)?;
/// assert_eq!(out.download()?[..2], [100, 102]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn cluster_arrive() -> ClusterArrival {
    here();
    with(|b| {
        needs_cluster(b, "the barrier of a cluster");
        b.emit("barrier.cluster.arrive.release.aligned", vec![]);
    });
    ClusterArrival { _private: () }
}

impl ClusterArrival {
    /// Waits until every thread of the cluster has arrived.
    #[track_caller]
    pub fn wait(self) {
        here();
        with(|b| b.emit("barrier.cluster.wait.acquire.aligned", vec![]));
    }
}
