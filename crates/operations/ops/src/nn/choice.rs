//! Selects the threads that hold a row, by its length, the number of rows, and the device.

use super::kernels::{MOST, RowConfig, RowOperation};
use super::normal::{Normal, RowLayout};
use super::{exchange, ring, spread};
use lanework::Device;

/// Kernel variants; `Best` selects one. If a variant cannot hold a row in registers, it reads the row again.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The fastest variant for a shape.
    Best,
    /// Rows held by at most one block.
    Held,
    /// Rows held by several blocks, with at most this many vectors per thread.
    Spread(usize),
    /// As `Spread`, with bulk copies.
    Ring(usize),
    /// Rows are not held: two passes with as many blocks as fit.
    Passes,
}

/// Preferred vectors per thread: enough loads in flight, and few enough registers for many blocks.
const VECTORS: usize = 2;
/// Vectors per lane if a warp holds an f32 row: blocks of two warps launch too slowly (65,536 rows of 320 took twice as long on an
/// H200).
const OF_LANE: usize = 4;
/// Preferred number of threads for a row held by one block; leaves room for a second block.
const PREFERRED: usize = 512;
/// Rows that are not whole vectors are read twice instead of being held by several blocks if they exceed this fraction
/// of the capacity of all blocks: on an H200, 1.3 times as fast from there on, and 2.7 times for 2000 rows of 50,257.
const SHARE: usize = 4;
/// Maximum number of threads per row that one block holds.
const THREADS: usize = 1024;

/// The threads that hold a row of `vectors`, and the number of vectors of each: at most `most`; preferably `each`, or
/// `of_lane` within one warp.
fn held(vectors: usize, most: usize, each: usize, of_lane: usize) -> Option<(u32, usize)> {
    let threads = match vectors {
        ..=8 => vectors.next_power_of_two(),
        9..=64 => vectors.div_ceil(VECTORS).next_power_of_two(),
        _ if vectors <= 32 * of_lane => 32,
        _ => vectors.div_ceil(each).next_multiple_of(32),
    };
    let threads = if vectors > PREFERRED * most { THREADS } else { threads.min(PREFERRED) };
    let each = vectors.div_ceil(threads);
    (each <= most).then_some((threads as u32, each))
}

/// How blocks share rows: vectors per thread, parts per row, concurrent rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    pub vectors: usize,
    pub parts: usize,
    pub groups: usize,
}

/// The distribution over `blocks`, each with `slice` elements per vector; at most `most` vectors per thread.
fn shares(rows: &RowLayout, slice: usize, blocks: usize, most: usize) -> Option<Shares> {
    let fewest = rows.n.div_ceil(slice * blocks);
    let vectors = rows.rows.saturating_mul(rows.n).div_ceil(slice * blocks);
    let vectors = vectors.clamp(fewest, most.max(fewest));
    let parts = rows.n.div_ceil(slice * vectors);
    let groups = (blocks / parts.max(1)).min(rows.rows);
    (vectors <= most && parts <= blocks).then_some(Shares { vectors, parts, groups })
}

/// The selected variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SelectedVariant {
    Held { threads: u32, vectors: usize },
    Spread(Shares),
    Ring(Shares),
    Passes,
}

impl Variant {
    /// Selects the variant for rows of this shape on a device; `most` converts a limit of f32 vectors to vectors of T with as many
    /// registers.
    pub(super) fn choose<T: Normal>(
        self,
        device: &Device,
        rows: &RowLayout,
        config: RowConfig,
        peeled: bool,
        most: impl Fn(usize) -> usize,
    ) -> SelectedVariant {
        let info = device.info();
        let multiprocessors = info.multiprocessors.max(1) as usize;
        let adjacent = rows.step == (1, 1);
        let vectors = if peeled { rows.n / T::VECTOR } else { rows.n.div_ceil(T::VECTOR) };
        let of_lane = match config.kind {
            _ if T::VECTOR < 8 => OF_LANE,
            // One more vector would leave too few registers.
            RowOperation::LayerNorm if !peeled => 3,
            _ => most(MOST),
        };
        let each = if peeled { of_lane } else { VECTORS };
        let held = held(vectors, most(MOST), each, of_lane)
            .map(|(threads, vectors)| SelectedVariant::Held { threads, vectors });
        let spread = |most: usize| {
            let (slice, blocks) = (spread::THREADS as usize * T::VECTOR, spread::RESIDENT as usize);
            shares(rows, slice, blocks * multiprocessors, most)
                .filter(|_| adjacent)
                .map(SelectedVariant::Spread)
        };
        let ring = |wanted: usize| {
            let slice = ring::THREADS as usize * T::VECTOR;
            let plain = !config.gamma && !config.beta;
            let wanted = if plain { wanted } else { wanted.min(most(ring::PREFERRED)) };
            shares(rows, slice, multiprocessors, wanted)
                .filter(|shares| config.wide && shares.parts <= exchange::PARTS)
                .map(SelectedVariant::Ring)
        };
        // Whether the rows exceed a fraction of the capacity of all blocks.
        let room = spread::THREADS as usize * T::VECTOR * most(MOST) * spread::RESIDENT as usize;
        let many = rows.rows.saturating_mul(rows.n) > room * multiprocessors / SHARE;
        let of_ring = most(ring::MOST) * ring::THREADS as usize * T::VECTOR;
        // Copying ahead requires bulk copies and several rows per block.
        let ahead = info.compute_capability >= (9, 0)
            && rows.rows.saturating_mul(rows.n) >= 4 * multiprocessors * of_ring;
        let chosen = match self {
            // Blocks that share such rows would read them element by element and wait for each other.
            Variant::Best if peeled && held.is_none() && many => Some(SelectedVariant::Passes),
            Variant::Best if ahead && held.is_none() => {
                ring(most(ring::PREFERRED)).or_else(|| ring(most(ring::MOST)))
            }
            // If one block per row would leave most multiprocessors idle, several share a row.
            Variant::Best if rows.n >= 16384 && 4 * rows.rows <= multiprocessors => {
                spread(most(MOST)).or(held)
            }
            Variant::Best => held.or_else(|| spread(most(MOST))),
            Variant::Held => held,
            Variant::Spread(most) => spread(most),
            Variant::Ring(most) => ring(most),
            Variant::Passes => None,
        };
        chosen
            .or_else(|| {
                spread(most(MOST)).filter(|_| !matches!(self, Variant::Held | Variant::Passes))
            })
            .unwrap_or(SelectedVariant::Passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_held_by_threads_with_two_vectors_until_there_are_many() {
        for (vectors, expected) in [
            (1, Some((1, 1))),
            (4, Some((4, 1))),
            (5, Some((8, 1))),
            (16, Some((8, 2))),
            (17, Some((16, 2))),
            (64, Some((32, 2))),
            (65, Some((64, 2))),
            (256, Some((128, 2))),
            (1024, Some((512, 2))),
            (4096, Some((512, 8))),
            (4097, Some((1024, 5))),
            (8192, Some((1024, 8))),
            (8193, None),
        ] {
            assert_eq!(held(vectors, 8, VECTORS, VECTORS), expected, "{vectors}");
        }
    }

    #[test]
    fn rows_are_spread_so_that_all_blocks_have_something() {
        let of = |rows, n| RowLayout { rows, n, row: (n, n), step: (1, 1), eps: 0.0 };
        assert_eq!(
            shares(&of(1, 1 << 20), 2048, 264, 8),
            Some(Shares { vectors: 2, parts: 256, groups: 1 })
        );
        assert_eq!(
            shares(&of(256, 1 << 20), 2048, 264, 8),
            Some(Shares { vectors: 8, parts: 64, groups: 4 })
        );
        assert_eq!(
            shares(&of(3, 40_000), 2048, 264, 8),
            Some(Shares { vectors: 1, parts: 20, groups: 3 })
        );
        assert_eq!(shares(&of(1, 1 << 23), 2048, 264, 8), None);
    }
}
