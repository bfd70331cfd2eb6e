//! Selects the tile configuration by a time model of an H200, and the order of tiles: tiles that run concurrently
//! share rows and columns in L2.

use super::config::{ROWS, TileOrder};
use super::loads::stored_by_tma;
use crate::gemm::operand::is_fp8;
use crate::gemm::problem::{Extents, GemmProblem, Precision};
use lanework::prelude::*;

/// The selectable fields of a `HopperConfig`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopperShape {
    pub columns: u32,
    pub cluster: (u32, u32),
    pub order: TileOrder,
    /// As in `HopperConfig`.
    pub split: u32,
    pub promote: bool,
    /// As in `HopperConfig`.
    pub alternate: bool,
    /// Whether TMA may store the results.
    pub tma: bool,
    pub overlapped: bool,
    /// Maximum number of stages (0: as many as fit), and number of store parts in flight.
    pub stages: u32,
    pub parts: u32,
    /// Maximum number of blocks of a launch (0: one per multiprocessor).
    pub most: u32,
}

/// The fastest configuration by the H200 model, and whether to compute the transposed product.
///
/// The time of a wave of tiles is proportional to its columns. Half-width tiles take more than half the time, except in ping-pong
/// mode, which needs several tiles per block. K is split if one tile covers all columns. Clusters of more than two blocks leave
/// half of an H200 idle and are used for a few tiles only.
pub(super) fn shape(problem: &GemmProblem<'_>) -> (HopperShape, bool) {
    let Extents { batch, m, n, k } = problem.extents;
    let processors = u64::from(problem.device.info().multiprocessors.max(2));
    let narrow = is_fp8(problem.a.kind) && problem.precision == Precision::Accurate;
    let long = k * problem.a.kind.bytes() >= LONG;
    // With 16-bit results stored from registers, ptxas mistakes the epilogue's reads for accesses during the products and
    // serializes every product (C7514): 4095 of bf16 takes 1.7 times as long. 32-bit results are 1.2 to 1.4 times as fast with
    // ping-pong.
    let apart = stored_by_tma(problem) || problem.c.kind.bytes() > 2;
    let mut best = (f64::INFINITY, HopperShape::default(), false);
    for turned in [false, true] {
        let (lines, across) = if turned { (n, m) } else { (m, n) };
        if turned && across > 64 {
            continue; // would store results one at a time
        }
        for (columns, time, alternate) in [
            (256, 1.0, false),
            (192, 0.72, true),
            (128, 0.49, true),
            (128, 0.59, false),
            (64, 0.4, false),
        ] {
            if narrow && (columns == 256 || alternate) {
                continue; // would need too many registers for two accumulators
            }
            let tiles = lines.div_ceil(ROWS as usize) * across.div_ceil(columns as usize) * batch;
            if alternate && (turned || !long || !apart || tiles as u64 <= processors) {
                continue;
            }
            for split in [1, 2, 8] {
                let blocks = tiles as u64 * u64::from(split);
                let most = if split == 8 { 16 } else { processors };
                let deep = k * problem.a.kind.bytes() >= 1024 * split as usize;
                if split > 1 && (alternate || across > 64 || blocks > most || !deep) {
                    continue;
                }
                let time = blocks.div_ceil(processors) as f64 * time / f64::from(split);
                let time = time + if split > 1 { 0.03 } else { 0.0 };
                if time < best.0 {
                    let parts = if columns == 192 { 1 } else { 2 }; // 192 columns: five stages instead of four
                    let shape =
                        HopperShape { columns, split, promote: narrow, ..HopperShape::default() };
                    best = (time, HopperShape { alternate, parts, ..shape }, turned);
                }
            }
        }
    }
    let (_, shape, turned) = best;
    let reread = reread(problem);
    let pairs = reread > 2.5 || (shape.promote || shape.alternate) && many_tiles(problem);
    if shape.columns >= 128 && shape.split == 1 && !turned && pairs {
        // On an H100, e4m3 with f32 sums at 16384 is 7 % faster with two rows of block pairs than with eight.
        let together = if shape.promote && reread > 5.0 { 2 } else { 8 };
        return (
            HopperShape { cluster: (2, 1), order: TileOrder::Grouped(together), ..shape },
            turned,
        );
    }
    (shape, turned)
}

/// Bytes that unsynchronized blocks would re-read from slow memory, in multiples of the L2 cache, on an H100; 0 elsewhere. Pairs of
/// blocks with multicast stay in step and read half as much of B. On an H200, with 1.4 times the bandwidth, pairs are not faster.
fn reread(problem: &GemmProblem<'_>) -> f64 {
    let info = problem.device.info();
    let Extents { m, n, k, .. } = problem.extents;
    if !(1..SLOW_MEMORY).contains(&info.memory_bandwidth) || m <= 2 * ROWS as usize {
        return 0.0;
    }
    let bytes = (m + n).saturating_mul(k).saturating_mul(problem.a.kind.bytes());
    bytes as f64 / info.l2_bytes as f64
}

/// Whether there are many 128-column tiles, which read 1.5 times as much per product as 256-column tiles. Block pairs
/// read 25 % less: 6 % faster at 8192 with promotion; with ping-pong, 4 % at 8192 and 80 % at 16384.
fn many_tiles(problem: &GemmProblem<'_>) -> bool {
    let Extents { batch, m, n, .. } = problem.extents;
    let tiles = m.div_ceil(ROWS as usize).saturating_mul(n.div_ceil(128)).saturating_mul(batch);
    m >= 8 * ROWS as usize && tiles >= 4 * problem.device.info().multiprocessors as usize
}

/// Minimum bytes per row of A for which ping-pong is used: 16 steps.
const LONG: usize = 16 * 128;
/// Memory bandwidth in bytes per second below which memory counts as slow relative to sm_90a tensor cores.
const SLOW_MEMORY: u64 = 4_000_000_000_000;

impl Default for HopperShape {
    fn default() -> HopperShape {
        HopperShape {
            columns: 64,
            cluster: (1, 1),
            order: TileOrder::Grouped(16),
            split: 1,
            promote: false,
            alternate: false,
            tma: true,
            overlapped: true,
            most: 0,
            stages: 0,
            parts: 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tensor, TensorMut, gemm};
    use half::bf16;
    use lanework::{Device, Result};

    #[test]
    fn warpgroups_take_turns_where_blocks_have_several_tiles_of_long_k() -> Result<()> {
        let device = Device::emulator();
        let alone = |columns| (columns, true, (1, 1));
        for ([m, n, k], want) in [
            ([2048, 2048, 1024], alone(128)),
            ([4096, 4096, 1024], (128, true, (2, 1))),
            ([8192, 8192, 1024], (192, true, (2, 1))),
            ([2048, 2048, 1023], (256, false, (1, 1))),
            ([1024, 2048, 1024], (128, false, (1, 1))),
            ([4096, 64, 1024], (64, false, (1, 1))),
            // Result rows that TMA cannot store.
            ([4096, 4095, 1024], (256, false, (1, 1))),
        ] {
            let (a, b) = (device.uninit::<bf16>(m * k)?, device.uninit::<bf16>(n * k)?);
            let mut c = device.uninit::<bf16>(m * n)?;
            let product = gemm(Tensor::new(&a, [m, k])?, Tensor::new(&b, [k, n])?);
            let (found, _) = shape(&product.problem(TensorMut::new(&mut c, [m, n])?)?);
            assert_eq!((found.columns, found.alternate, found.cluster), want, "{m} {n} {k}");
        }
        Ok(())
    }
}

/// Row and column of tile number `tile` in a grid of `down` by `across` tiles.
#[device]
pub fn place(tile: u32, down: u32, across: u32, #[constant] order: TileOrder) -> (u32, u32) {
    let together = const { order.together() };
    let first = tile / (together * across) * together;
    let height = (down - first).min(together);
    let within = tile % (together * across);
    (first + within % height, within / height)
}
