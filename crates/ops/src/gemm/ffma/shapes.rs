//! Which tile is fastest for a shape.

use super::form::Tile;
use crate::gemm::problem::Extents;

/// Tiles to choose from: the largest loads least, small ones balance the results over the multiprocessors.
pub(crate) const TILES: [Tile; 6] = [
    Tile { rows: 128, cols: 128, wide: 8, blocks: 2, splits: 1, depth: 16, stages: 6 },
    Tile { rows: 64, cols: 64, wide: 8, blocks: 4, splits: 1, depth: 16, stages: 4 },
    Tile { rows: 64, cols: 64, wide: 4, blocks: 4, splits: 1, depth: 16, stages: 4 },
    Tile { rows: 64, cols: 32, wide: 4, blocks: 4, splits: 1, depth: 16, stages: 4 },
    Tile { rows: 256, cols: 32, wide: 8, blocks: 2, splits: 1, depth: 16, stages: 4 },
    Tile { rows: 256, cols: 16, wide: 4, blocks: 2, splits: 1, depth: 16, stages: 4 },
];

/// From how many tiles of 64 x 64 results per 100 multiprocessors on each choice is fastest, as measured on an H200 at squares of
/// 2048, 1024, 768, 512 and 256: the tile and the blocks that share its steps.
const CHOICES: [(usize, usize, u32); 5] =
    [(500, 0, 1), (150, 1, 2), (80, 2, 4), (30, 2, 2), (0, 3, 8)];

/// The tile for a problem.
pub(crate) fn tile(extents: Extents, multiprocessors: u32) -> Tile {
    let Extents { batch, m, n, k } = extents;
    let tiles = batch.saturating_mul(m.div_ceil(64)).saturating_mul(n.div_ceil(64));
    let filled = tiles.saturating_mul(100) / multiprocessors.max(1) as usize;
    let chosen = CHOICES.into_iter().find(|(from, _, _)| filled >= *from);
    let (_, tile, mut splits) = chosen.unwrap_or((0, 3, 8));
    // Each block has some stages to fill.
    while splits > 1 && k < 32 * splits as usize {
        splits /= 2;
    }
    Tile { splits, ..TILES[tile] }
}

/// The tile for sums with their rounding errors, which take twice the registers and are not divided: the arithmetic, 7 operations
/// instead of one, takes the time.
pub(crate) fn compensated(extents: Extents, multiprocessors: u32) -> Tile {
    let Extents { batch, m, n, .. } = extents;
    let tiles = batch.saturating_mul(m.div_ceil(64)).saturating_mul(n.div_ceil(64));
    TILES[if tiles >= 2 * multiprocessors as usize { 2 } else { 3 }]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fastest of the tiles, as measured on the 132 multiprocessors of an H200.
    #[test]
    fn the_fastest_tile_is_chosen() {
        for (size, rows, cols, wide, splits) in [
            (128, 64, 32, 4, 4),
            (256, 64, 32, 4, 8),
            (512, 64, 64, 4, 2),
            (768, 64, 64, 4, 4),
            (1024, 64, 64, 8, 2),
            (2048, 128, 128, 8, 1),
            (8192, 128, 128, 8, 1),
        ] {
            let extents = Extents { batch: 1, m: size, n: size, k: size };
            let tile = tile(extents, 132);
            let found = (tile.rows, tile.cols, tile.wide, tile.splits);
            assert_eq!(found, (rows, cols, wide, splits), "at {size}");
        }
    }
}
