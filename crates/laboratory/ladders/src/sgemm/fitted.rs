//! SGEMM rung: `fitted`.
//!
//! Idea: the kernel of `double-buffered` with a tile chosen for the shape: large tiles load less,
//! small tiles balance C over the multiprocessors.
//! Predicts: on 132 multiprocessors, 16 blocks instead of 4 at 256 x 256, for twice the load sectors; at 2048 x 2048,
//! the tile of 128 x 128 with the same counts as `double-buffered`.
//! Costs: three kernels to compile, and a time model that only counts waves (rounds of blocks that run at the same
//! time).
//! 思路：沿用 `double-buffered` 的核函数，但按形状选择 tile：大 tile 加载得少，小 tile 能把 C 更均匀地分给各个多处理器。
//! 预测：在 132 个多处理器上，256 x 256 时用 16 个线程块而不是 4 个，加载扇区数加倍；2048 x 2048 时选用 128 x 128 的 tile，计数不变。
//! 代价：要编译三个核函数；所用的时间模型只计算轮数（wave，即同时运行的一批批线程块）。

use super::double_buffered::prepare_tile;
use super::operands::{Operands, Shape};
use super::tile::Tile;
use lanework::{Device, Prepared, Result};

/// Candidate tiles, each with its time per element in percent of the first's, as measured on an H200 at sizes that
/// all of them divide evenly.
const TILES: [(Tile, u64); 3] = [
    (Tile { rows: 128, cols: 128, steps: 32 }, 100),
    (Tile { rows: 64, cols: 128, steps: 16 }, 103),
    (Tile { rows: 64, cols: 64, steps: 16 }, 111),
];
/// Tiles in shared memory, as in `double-buffered`.
const STAGES: u32 = 2;

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let tile = fitting(x.shape, device.info().multiprocessors);
    prepare_tile(x, device, tile, STAGES)
}

/// The tile whose blocks take the least time: each multiprocessor computes its tiles one after another, and the one
/// with the most tiles determines the time.
pub(super) fn fitting(shape: Shape, multiprocessors: u32) -> Tile {
    let time = |(tile, percent): (Tile, u64)| {
        let blocks =
            u64::from(shape.m.div_ceil(tile.rows)) * u64::from(shape.n.div_ceil(tile.cols));
        let waves = blocks.div_ceil(multiprocessors.max(1).into());
        waves * u64::from(tile.rows * tile.cols) * percent
    };
    let [first, rest @ ..] = TILES;
    rest.into_iter().fold(first, |best, next| if time(next) < time(best) { next } else { best }).0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fastest tile, as measured on the 132 multiprocessors of an H200.
    #[test]
    fn the_fastest_tile_is_chosen() {
        for (size, rows, cols) in [
            (512, 64, 64),
            (1000, 64, 128),
            (1024, 64, 128),
            (2048, 128, 128),
            (3000, 64, 128),
            (4096, 128, 128),
            (4097, 64, 128),
            (8192, 128, 128),
        ] {
            let tile = fitting(Shape::packed(size, size, size), 132);
            assert_eq!((tile.rows, tile.cols), (rows, cols), "at {size}");
        }
    }
}
