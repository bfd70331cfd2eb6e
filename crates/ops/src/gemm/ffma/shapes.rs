//! Which tile is fastest for a shape.

use super::form::Tile;
use crate::gemm::problem::Extents;

const fn candidate(rows: u32, cols: u32, wide: u32, blocks: u32, stages: u32) -> Tile {
    Tile { rows, cols, wide, blocks, splits: 1, depth: 16, stages, parts: 1 }
}

/// Tiles to choose from: the largest loads least, small ones balance the results over the multiprocessors, high ones are for few
/// columns.
pub(crate) const TILES: [Tile; 7] = [
    candidate(128, 128, 8, 2, 6),
    candidate(128, 64, 8, 3, 4),
    candidate(64, 64, 8, 4, 4),
    candidate(64, 64, 4, 4, 4),
    candidate(64, 32, 4, 4, 4),
    candidate(256, 32, 8, 2, 4),
    candidate(256, 16, 4, 2, 4),
];

/// Of each tile: its speed in percent of the first's where all multiprocessors are busy, and the blocks that one holds.
const SPEEDS: [(f64, usize); 7] =
    [(1.0, 2), (0.97, 3), (0.94, 4), (0.88, 4), (0.8, 5), (0.9, 2), (0.75, 2)];

/// Multiply-adds per microsecond of a multiprocessor of an H200 with the first tile.
const SPEED: f64 = 204_500.0;

/// Parts of the steps along k that may be added up by a second kernel.
const PARTS: [u32; 15] = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 128];

/// The time of a tile in microseconds, as a model has it whose numbers were measured on an H200: the multiprocessor with the most
/// blocks takes the time, and it is slower with few warps.
fn time(extents: Extents, multiprocessors: u32, index: usize, splits: u32, parts: u32) -> f64 {
    let Extents { batch, m, n, k } = extents;
    let (tile, (speed, held)) = (TILES[index], SPEEDS[index]);
    let tiles = batch * m.div_ceil(tile.rows as usize) * n.div_ceil(tile.cols as usize);
    let shares = (splits * parts) as usize;
    let blocks = (tiles * shares).div_ceil(multiprocessors.max(1) as usize);
    let warps = (tile.rows / 64 * tile.cols / (4 * tile.wide)) as usize * blocks.min(held);
    let full = warps as f64 / 8.0;
    let blocks = blocks as f64;
    let steps = k.div_ceil(tile.depth as usize).div_ceil(shares) * tile.depth as usize;
    let work = blocks * f64::from(tile.rows * tile.cols) * steps as f64;
    let multiplying = work / (SPEED * speed * full.min(1.0).powf(0.3));
    let bytes = 4.0 * batch as f64 * (m * k + k * n + m * n) as f64;
    // What begins and ends a block, of which others of the multiprocessor hide a part; blocks of clusters wait for each other.
    let waits = 0.6 * (blocks - 1.0) * f64::from(splits * tile.rows * tile.cols) / 4096.0;
    let clusters = if splits > 1 { 0.15 * f64::from(splits).log2() + waits } else { 0.0 };
    let ends = 0.25 * blocks;
    let added = 8.0 * f64::from(parts) * (batch * m * n) as f64;
    let adding = if parts > 1 { 2.5 + added / 8e6 } else { 0.0 };
    2.0 + ends + clusters + adding + multiplying.max(bytes / 4e6)
}

/// The tile for a problem; with parts of the steps that a second kernel adds up, if it may.
pub(crate) fn tile(extents: Extents, multiprocessors: u32, adds: bool) -> Tile {
    let mut best = (f64::INFINITY, TILES[0]);
    for (index, tile) in TILES.into_iter().enumerate() {
        for (splits, parts) in
            [(2, 1), (4, 1), (8, 1)].into_iter().chain(PARTS.map(|parts| (1, parts)))
        {
            // Each block has some steps, and what is added up is not much.
            let shares = (splits * parts) as usize;
            let Extents { batch, m, n, k } = extents;
            let results = batch.saturating_mul(m * n);
            let (rows, cols) = (tile.rows as usize, tile.cols as usize);
            let tiles = batch.saturating_mul(m.div_ceil(rows) * n.div_ceil(cols));
            let many = tiles >= 4 * multiprocessors.max(1) as usize;
            // Clusters of more than two blocks pay for small tiles only.
            let many = many || splits > 2 && tile.wide > 4;
            let large = results.saturating_mul(parts as usize) > 1 << 26;
            if shares > 1 && (k < 16 * shares || many || large) || parts > 1 && !adds {
                continue;
            }
            let time = time(extents, multiprocessors, index, splits, parts);
            if time < best.0 {
                best = (time, Tile { splits, parts, ..tile });
            }
        }
    }
    best.1
}

/// The tile for sums with their rounding errors, which take twice the registers and are not divided: the arithmetic, 7 operations
/// instead of one, takes the time.
pub(crate) fn compensated(extents: Extents, multiprocessors: u32) -> Tile {
    let Extents { batch, m, n, .. } = extents;
    let tiles = batch.saturating_mul(m.div_ceil(64)).saturating_mul(n.div_ceil(64));
    TILES[if tiles >= 2 * multiprocessors as usize { 3 } else { 4 }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(size: usize) -> Tile {
        tile(Extents { batch: 1, m: size, n: size, k: size }, 132, true)
    }

    #[test]
    fn large_products_take_the_first_tile_and_small_ones_share_their_steps() {
        for size in [2048, 4096, 8192, 16384] {
            assert_eq!(square(size), TILES[0], "at {size}");
        }
        for size in [128, 256, 512, 768, 1000] {
            let tile = square(size);
            assert!(tile.splits * tile.parts > 1, "at {size}: {tile:?}");
        }
    }

    #[test]
    fn every_block_has_steps() {
        for (m, n, k) in [(1, 1, 1), (17, 4097, 8191), (64, 64, 16384), (8191, 255, 255)] {
            let tile = tile(Extents { batch: 1, m, n, k }, 132, true);
            assert!((tile.splits * tile.parts) as usize <= k.div_ceil(16), "{tile:?}");
        }
    }
}
