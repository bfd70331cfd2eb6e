//! Selects the attention kernel for a problem.

use super::division::Division;
use super::parts::Parts;
use super::request::Request;
use super::split::{Sizes, Split};
use lanework::Device;

/// Launch time of the Hopper kernel in nanoseconds, and the least gain that justifies two launches.
pub(super) const WHOLE: f64 = 3900.0;
const GAIN: f64 = 1.05;

/// Attention kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Hopper tensor cores with TMA, with at most this many blocks.
    Hopper(u32),
    /// The Hopper kernel with the keys of a tile divided into parts.
    InParts(u32, Parts),
    /// Tensor cores of sm_80 and later.
    Warps,
    /// Tensor cores of sm_80 and later, with the keys divided into parts.
    Split(Split),
    /// Any device.
    Plain,
}

/// The fastest tensor-core kernel. `whole` forbids dividing the keys of a head.
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
        causal,
        multiprocessors: multiprocessors as usize,
    };
    if info.compute_capability.0 != 9 {
        return Split::than_whole(sizes).filter(|_| !whole).map_or(Path::Warps, Path::Split);
    }
    if whole { Path::Hopper(multiprocessors) } else { on_hopper(sizes, multiprocessors) }
}

/// The fastest Hopper variant with at most `most` blocks.
fn on_hopper(sizes: Sizes, most: u32) -> Path {
    let division = Division::of(sizes.head as u32, sizes.queries as u32, sizes.causal);
    let together = Parts::whole(sizes, division.groups) + WHOLE;
    let parts = Parts::best(sizes).filter(|(_, time)| time * GAIN < together);
    let (path, time) = match parts {
        Some((parts, time)) => (Path::InParts(most, parts), time),
        None => (Path::Hopper(most), together),
    };
    Split::faster(sizes, time).map_or(path, Path::Split)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(queries: usize, keys: usize, heads: usize, head: usize, causal: bool) -> Path {
        let multiprocessors = 132;
        let sizes = Sizes { heads, share: 1, queries, keys, head, causal, multiprocessors };
        on_hopper(sizes, 132)
    }

    #[test]
    fn keys_are_divided_where_tiles_of_queries_leave_multiprocessors_idle() {
        for (queries, keys, heads, head) in
            [(512, 4096, 16, 64), (512, 4096, 16, 128), (128, 16384, 8, 64), (300, 8192, 32, 128)]
        {
            for causal in [false, true] {
                let path = chosen(queries, keys, heads, head, causal);
                assert!(matches!(path, Path::InParts(..)), "{queries} {keys}: {path:?}");
            }
        }
    }

    #[test]
    fn tiles_for_all_multiprocessors_and_single_queries_keep_their_ways() {
        for causal in [false, true] {
            for (queries, keys, heads) in [(4096, 4096, 32), (1024, 1024, 256), (200, 200, 16)] {
                assert_eq!(chosen(queries, keys, heads, 64, causal), Path::Hopper(132));
            }
            let path = chosen(1, 16384, 32, 64, causal);
            assert!(matches!(path, Path::Split(_)), "{path:?}");
        }
    }
}
