//! The cluster that a warp is in, and pairs of its blocks: those whose ranks differ in the last bit alone.

use super::super::cluster::Cluster;
use super::place::misuse;
use crate::fault::RawFault;
use crate::machine::Warp;
use crate::worker_context::Context;

/// The cluster of a warp.
///
/// # Safety
/// The warp's context and its cluster are live, and nothing else refers to the cluster.
pub unsafe fn cluster<'w>(warp: &Warp) -> &'w mut Cluster {
    // SAFETY: the context and its cluster outlive the warp's run, and the caller has no other reference to the
    // cluster (both clauses of this function).
    unsafe { &mut *(*warp.context).cluster }
}

/// The rank of a warp's block, and that of the other block of its pair.
///
/// # Errors
/// When there is no such block, or it has ended.
///
/// # Safety
/// As for [`cluster`].
pub unsafe fn pair_of(warp: &Warp, lane: u32) -> Result<[usize; 2], RawFault> {
    // SAFETY: the context and its cluster outlive the warp's run, as this function requires; both are only read.
    let (context, cluster): (&Context, &Cluster) =
        unsafe { (&*warp.context, &*(*warp.context).cluster) };
    let own = context.rank as usize;
    let peer = own ^ 1;
    match cluster.running.get(peer) {
        None => Err(misuse(
            lane,
            "`.cta_group::2` needs a cluster of an even number of blocks: this block has no peer",
        )),
        Some(false) => {
            Err(misuse(lane, "`.cta_group::2`, but the other block of the pair has ended"))
        }
        Some(true) => Ok([own & !1, own | 1]),
    }
}
