//! Selects the attention kernel for a problem, and the parameters of the Hopper kernel.
//!
//! The Hopper kernel divides the keys of its tiles when there are fewer query tiles than multiprocessors, or when the last wave of
//! tiles leaves most of them idle.

use super::problem::AttentionWork;
use super::request::{AttentionRequest, Sizes, Split};
use lanework::Device;

/// Launch time of the Hopper kernel in nanoseconds, and the minimum speedup that justifies two launches.
pub(super) const WHOLE: f64 = 3900.0;
const GAIN: f64 = 1.05;

/// Attention kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttentionKernel {
    /// Hopper tensor cores with TMA, with at most this many blocks.
    Hopper(u32),
    /// The Hopper kernel with the keys of a tile divided into parts.
    InParts(u32, KeyParts),
    /// Tensor cores of sm_80 and later.
    Warps,
    /// Tensor cores of sm_80 and later, with the keys divided into parts.
    Split(Split),
    /// Any device.
    Plain,
}

/// The fastest tensor-core kernel. `whole` forbids dividing the keys of a head.
pub(super) fn select(
    request: &AttentionRequest,
    device: &Device,
    causal: bool,
    whole: bool,
) -> AttentionKernel {
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
        return Split::than_whole(sizes)
            .filter(|_| !whole)
            .map_or(AttentionKernel::Warps, AttentionKernel::Split);
    }
    if whole { AttentionKernel::Hopper(multiprocessors) } else { on_hopper(sizes, multiprocessors) }
}

/// The fastest Hopper variant that uses at most `most` blocks.
fn on_hopper(sizes: Sizes, most: u32) -> AttentionKernel {
    let division = Division::fastest(sizes.head as u32, sizes.queries as u32, sizes.causal);
    let together = KeyParts::whole(sizes, division.groups) + WHOLE;
    let parts = KeyParts::best(sizes).filter(|(_, time)| time * GAIN < together);
    let (path, time) = match parts {
        Some((parts, time)) => (AttentionKernel::InParts(most, parts), time),
        None => (AttentionKernel::Hopper(most), together),
    };
    Split::faster(sizes, time).map_or(path, AttentionKernel::Split)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(
        queries: usize,
        keys: usize,
        heads: usize,
        head: usize,
        causal: bool,
    ) -> AttentionKernel {
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
                assert!(matches!(path, AttentionKernel::InParts(..)), "{queries} {keys}: {path:?}");
            }
        }
    }

    #[test]
    fn large_problems_use_whole_tiles_and_single_queries_split_keys() {
        for causal in [false, true] {
            for (queries, keys, heads) in [(4096, 4096, 32), (1024, 1024, 256), (200, 200, 16)] {
                assert_eq!(chosen(queries, keys, heads, 64, causal), AttentionKernel::Hopper(132));
            }
            let path = chosen(1, 16384, 32, 64, causal);
            assert!(matches!(path, AttentionKernel::Split(_)), "{path:?}");
        }
    }
}

/// Tuning parameters of the Hopper kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Division {
    /// Warpgroups that multiply 64 queries each: 2 or 3.
    pub groups: u32,
    /// Stages of the key ring and of the value ring.
    pub stages: u32,
    /// Whether warpgroups take turns to issue products (ping-pong).
    pub ordered: bool,
    /// Whether a scheduling barrier keeps the wait for the products behind the exponentials.
    pub held: bool,
    /// Whether sums are rescaled only when a row's largest score has grown by more than 2^8.
    pub lazy: bool,
}

impl Division {
    /// The fastest parameters on an H200 for heads of `head` elements and `rows` queries. Warpgroups take turns. Three warpgroups
    /// do not fit in a block with 128-element heads, and waste more of the last tile when there are few queries.
    pub(super) const fn fastest(head: u32, rows: u32, causal: bool) -> Division {
        let groups = if head == 64 && !(causal && rows <= 1024) { 3 } else { 2 };
        Division::of_groups(head, groups)
    }

    /// The parameters for `groups` multiplying warpgroups.
    pub(super) const fn of_groups(head: u32, groups: u32) -> Division {
        Division { groups, stages: 2, ordered: true, held: head == 128, lazy: true }
    }

    /// Threads of a block: the multiplying warpgroups and one that loads.
    pub(crate) const fn threads(self) -> u32 {
        128 * self.groups + 128
    }

    /// Registers per thread: at launch, of the loading warpgroup, and of the multiplying ones.
    pub(super) const fn registers(self) -> (u32, u32, u32) {
        match self.groups {
            2 => (168, 24, 240),
            _ => (128, 32, 160),
        }
    }

    /// Dynamic shared memory of a block: two query tiles, and the key and value stages.
    pub(crate) const fn shared_bytes(self, head: u32, keys: u32) -> u32 {
        2 * head * (2 * 64 * self.groups + 2 * self.stages * keys)
    }
}

/// How the keys of each tile are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyParts {
    /// Multiplying warpgroups of a block.
    pub groups: u32,
    /// Key blocks per part.
    pub each: u32,
    /// Parts per tile.
    pub parts: u32,
}

// Nanoseconds, fitted to an H200.
/// Both launches, plus the prologue and epilogue of a tile.
const LAUNCHES: f64 = 6500.0;
const TILE: f64 = 600.0;
/// Bandwidth of storing and re-reading the parts, in bytes per nanosecond.
const RATE: f64 = 8000.0;
/// Per key of a tile: 128 rows of 64 elements, 192 rows of 64, 128 rows of 128.
const OF_KEY: [f64; 3] = [9.3, 11.5, 11.5];

/// Minimum number of keys for which 160-key blocks beat 128-key blocks on an H200 (128-element heads).
const LONG: usize = 4096;

/// Maximum number of parts that a warp combines.
const MOST: usize = 32;

impl KeyParts {
    /// Keys per key block.
    pub(super) const fn keys(head: usize, keys: usize) -> usize {
        if head == 128 && keys >= LONG { 160 } else { 128 }
    }

    /// Nanoseconds with `groups` warpgroups and undivided keys.
    pub(super) fn whole(sizes: Sizes, groups: u32) -> f64 {
        KeyParts::time(sizes, groups, 1).1
    }

    /// A division into at most `parts` parts, and its predicted time in nanoseconds without launches.
    pub(super) fn time(sizes: Sizes, groups: u32, parts: usize) -> (KeyParts, f64) {
        let heads = sizes.heads * sizes.share;
        let tiles = heads * sizes.queries.div_ceil(64 * groups as usize);
        let per_block = KeyParts::keys(sizes.head, sizes.keys);
        let blocks = sizes.keys.div_ceil(per_block).max(1);
        let each = blocks.div_ceil(parts);
        let parts = blocks.div_ceil(each);
        let of_key = OF_KEY[if sizes.head == 128 { 2 } else { groups as usize - 2 }];
        let rounds = (tiles * parts).div_ceil(sizes.multiprocessors);
        // Causal queries see fewer keys. The longest tiles start first.
        let shorter = sizes.queries.min(sizes.keys) as f64 / (2 * sizes.keys.max(1)) as f64;
        let seen = if sizes.causal { 1.0 - shorter } else { 1.0 };
        let multiplied = (rounds as f64 * seen).max(1.0) * (each * per_block) as f64 * of_key;
        let parted = KeyParts { groups, each: each as u32, parts: parts as u32 };
        (parted, multiplied + rounds as f64 * TILE)
    }

    /// The fastest division and its predicted nanoseconds.
    pub(super) fn best(sizes: Sizes) -> Option<(KeyParts, f64)> {
        let rows = sizes.heads * sizes.share * sizes.queries;
        let of = |groups, parts| {
            let (parts, time) = KeyParts::time(sizes, groups, parts);
            let stored = 8 * parts.parts as usize * rows * sizes.head;
            (parts, time + LAUNCHES + stored as f64 / RATE)
        };
        let groups = if sizes.head == 128 { 2..3 } else { 2..4 };
        let all = groups.flat_map(|groups| (2..=MOST).map(move |parts| of(groups, parts)));
        let divided = all.filter(|(parts, _)| parts.parts > 1);
        divided.min_by(|x, y| x.1.total_cmp(&y.1))
    }

    /// The launch parameters with divided keys.
    pub(super) fn divide(self, work: AttentionWork) -> AttentionWork {
        AttentionWork { each: self.each, parts: self.parts, tiles: work.tiles * self.parts, ..work }
    }
}
