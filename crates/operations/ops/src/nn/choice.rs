//! Which threads hold a row: the choice by its length, the number of rows, and the device.

use super::kernels::{How, Kind, MOST};
use super::normal::{Normal, Rows};
use super::{collect, ring, spread};
use lanework::Device;

/// The ways to hold a row; `Best` chooses. Where a row cannot be held so, it is read as often as it is needed.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The fastest one for a shape.
    Best,
    /// By one block or less.
    Held,
    /// By several blocks, of which each thread has at most so many vectors.
    Spread(usize),
    /// The same, by bulk copies.
    Ring(usize),
    /// By nobody: it is read twice, by as many blocks as there is room for.
    Passes,
}

/// Vectors that a thread holds while there are threads: enough loads in flight, and not so many registers that few blocks run.
const VECTORS: usize = 2;
/// The same of a warp that holds a row of f32: blocks of two warps come too slowly (65,536 rows of 320 took twice as long on an H200).
const OF_LANE: usize = 4;
/// Threads of a row that one block holds, so that another block runs beside it.
const PREFERRED: usize = 512;
/// Rows that are no whole vectors are faster read twice than held by several blocks where they are more than this part of what all blocks hold
/// together: on an H200, 1.3 times as fast from there on, 2000 rows of 50,257 2.7 times.
const SHARE: usize = 4;
/// The most threads of a row that one block holds.
const THREADS: usize = 1024;

/// The threads that hold a row of `vectors`, and how many of them each has: at most `most`, and while there are threads, `each`, or
/// those of one warp `of_lane`.
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

/// How rows are spread over blocks: vectors of a thread, parts of a row, rows at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    pub vectors: usize,
    pub parts: usize,
    pub groups: usize,
}

/// The same of `blocks`, whose threads have `slice` elements together for each of their vectors, of which they have at most `most`.
fn shares(rows: &Rows, slice: usize, blocks: usize, most: usize) -> Option<Shares> {
    let fewest = rows.n.div_ceil(slice * blocks);
    let vectors = rows.rows.saturating_mul(rows.n).div_ceil(slice * blocks);
    let vectors = vectors.clamp(fewest, most.max(fewest));
    let parts = rows.n.div_ceil(slice * vectors);
    let groups = (blocks / parts.max(1)).min(rows.rows);
    (vectors <= most && parts <= blocks).then_some(Shares { vectors, parts, groups })
}

/// Who holds a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    Held { threads: u32, vectors: usize },
    Spread(Shares),
    Ring(Shares),
    Passes,
}

impl Way {
    /// Who holds rows of this shape on a device; `most` gives the vectors of T that take as many registers as so many of f32.
    pub(super) fn choose<T: Normal>(
        self,
        device: &Device,
        rows: &Rows,
        how: How,
        peeled: bool,
        most: impl Fn(usize) -> usize,
    ) -> Chosen {
        let info = device.info();
        let multiprocessors = info.multiprocessors.max(1) as usize;
        let adjacent = rows.step == (1, 1);
        let vectors = if peeled { rows.n / T::VECTOR } else { rows.n.div_ceil(T::VECTOR) };
        let of_lane = match how.kind {
            _ if T::VECTOR < 8 => OF_LANE,
            // With one more it has too few registers.
            Kind::LayerNorm if !peeled => 3,
            _ => most(MOST),
        };
        let each = if peeled { of_lane } else { VECTORS };
        let held = held(vectors, most(MOST), each, of_lane)
            .map(|(threads, vectors)| Chosen::Held { threads, vectors });
        let spread = |most: usize| {
            let (slice, blocks) = (spread::THREADS as usize * T::VECTOR, spread::RESIDENT as usize);
            shares(rows, slice, blocks * multiprocessors, most)
                .filter(|_| adjacent)
                .map(Chosen::Spread)
        };
        let ring = |wanted: usize| {
            let slice = ring::THREADS as usize * T::VECTOR;
            let plain = !how.gamma && !how.beta;
            let wanted = if plain { wanted } else { wanted.min(most(ring::PREFERRED)) };
            shares(rows, slice, multiprocessors, wanted)
                .filter(|shares| how.wide && shares.parts <= collect::PARTS)
                .map(Chosen::Ring)
        };
        // Whether the rows are more than a part of what all blocks hold together.
        let room = spread::THREADS as usize * T::VECTOR * most(MOST) * spread::RESIDENT as usize;
        let many = rows.rows.saturating_mul(rows.n) > room * multiprocessors / SHARE;
        let of_ring = most(ring::MOST) * ring::THREADS as usize * T::VECTOR;
        // Copies ahead need a device that has them, and several rows of each block.
        let ahead = info.compute_capability >= (9, 0)
            && rows.rows.saturating_mul(rows.n) >= 4 * multiprocessors * of_ring;
        let chosen = match self {
            // Blocks that hold such rows together read them number by number, and wait for each other.
            Way::Best if peeled && held.is_none() && many => Some(Chosen::Passes),
            Way::Best if ahead && held.is_none() => {
                ring(most(ring::PREFERRED)).or_else(|| ring(most(ring::MOST)))
            }
            // Where a block for each row would leave most multiprocessors idle, several share it.
            Way::Best if rows.n >= 16384 && 4 * rows.rows <= multiprocessors => {
                spread(most(MOST)).or(held)
            }
            Way::Best => held.or_else(|| spread(most(MOST))),
            Way::Held => held,
            Way::Spread(most) => spread(most),
            Way::Ring(most) => ring(most),
            Way::Passes => None,
        };
        chosen
            .or_else(|| spread(most(MOST)).filter(|_| !matches!(self, Way::Held | Way::Passes)))
            .unwrap_or(Chosen::Passes)
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
        let of = |rows, n| Rows { rows, n, row: (n, n), step: (1, 1), eps: 0.0 };
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
