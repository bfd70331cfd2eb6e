//! Which kernel works on a problem.

use super::division::Division;
use super::request::Request;
use super::split::{Sizes, Split};
use lanework::Device;

/// The kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Of Hopper's tensor cores, with TMA, by at most as many blocks.
    Hopper(u32),
    /// Of the tensor cores of sm_80 and later.
    Warps,
    /// Of the same tensor cores, with keys divided into parts.
    Split(Split),
    /// Of every device.
    Plain,
}

/// The kernels of tensor cores that are fastest; `whole` keeps the keys of a head together.
pub(super) fn of(request: &Request, device: &Device, causal: bool, whole: bool) -> Path {
    let info = device.info();
    let ([batch, heads, queries, head], _) = request.q;
    let [_, kv_heads, keys, _] = request.k.0;
    let multiprocessors = info.multiprocessors.max(1);
    let sizes = Sizes {
        heads: batch * kv_heads,
        share: heads / kv_heads,
        queries,
        keys,
        head,
        multiprocessors: multiprocessors as usize,
    };
    let (split, other) = if info.compute_capability.0 == 9 {
        let division = Division::of(head as u32, queries as u32, causal);
        let height = 64 * division.groups as usize;
        (Split::than_hopper(sizes, height), Path::Hopper(multiprocessors))
    } else {
        (Split::than_whole(sizes), Path::Warps)
    };
    split.filter(|_| !whole).map_or(other, Path::Split)
}
