//! The persistent sm_90a kernel: one warp loads tiles by TMA into a ring of stages, and eight warps multiply, 32 or 64 rows by 32
//! columns each. A work unit is a result tile, or part of a tile's k steps.
//!
//! All blocks take equally many tiles. If the last wave does not fill the device, its tiles are divided along k among several
//! blocks (split-K of the last wave), and a second kernel reduces the parts.
//!
//! The fragment of the next eight k of A overwrites the current one right after its product. Double buffering would need too many
//! registers.

use super::fragments::{
    COLUMNS, DoubleConfig, THREADS, WARPS, WIDTH, begin, boxes, fragment_a, fragments_a,
    fragments_b, height, store,
};
use crate::gemm::finish::{Finish, finished};
use crate::gemm::problem::{Extents, GemmProblem};
use lanework::prelude::*;

/// The product. Blocks process work units in sequence; `shares` maps unit numbers to tiles. Units that are parts of a
/// tile store their sums in `of_parts`.
#[kernel(block = THREADS, max_registers = 168)]
#[allow(clippy::too_many_arguments)]
pub fn fetched(
    a: &TensorMap<f64, 3>,
    b: &TensorMap<f64, 3>,
    c: &mut [f64],
    of_parts: &mut [f64],
    bias: &[f64],
    scale_a: &[f32],
    scale_b: &[f32],
    extents: [u32; 4],
    batch_steps: [u32; 2],
    shares: [u32; 3],
    strides_c: [u64; 3],
    alpha: f64,
    beta: f64,
    #[constant] config: DoubleConfig,
    #[constant] finish: Finish,
) {
    let (rows, columns) = const { config.tile };
    let (along_a, along_b) = const { config.along };
    let tiles = shared_dynamic::<f64>(const { config.shared_bytes() / 8 });
    let depth = const { config.depth() };
    let (boxes_a, boxes_b) =
        const { (boxes(rows, depth, along_a), boxes(columns, depth, along_b)) };
    let stages = const { config.stages() };
    let of_a =
        tiles.region(0u32, const { [stages * boxes_a, height(rows, depth, along_a), WIDTH] });
    let of_b = tiles.region(
        config.first_b(),
        const { [stages * boxes_b, height(columns, depth, along_b), WIDTH] },
    );
    // Without a cluster, waits order only accesses of the block, so L1, which holds spilled registers, stays valid.
    let ring = pipeline(const { config.stages() }, 1, WARPS).within_block();
    let [math, load] = warp_roles([8, 4]);
    let [m, n, k, units] = extents;
    let (down, across) = (m.div_ceil(rows), n.div_ceil(columns));
    let all_steps = k.div_ceil(depth);
    launch_dependents();
    wait_for_dependencies();
    if load.active() {
        load.give_registers(40);
        if load.thread() == 0 {
            let producer = ring.producer();
            for number in (block_idx.x..units).step_by(grid_dim.x) {
                let (tile, first_step, steps) = unit(number, all_steps, shares);
                let batch = tile / (down * across);
                let (top, left) = corner(tile % (down * across), down, across);
                let (top, left) = (top * rows, left * columns);
                let (batch_a, batch_b) = (batch * batch_steps[0], batch * batch_steps[1]);
                for step in 0..steps {
                    let stage = producer.acquire_for(const { config.stage_bytes() });
                    let from = (first_step + step) * depth;
                    #[unroll]
                    for i in 0..boxes_a {
                        let part = of_a.swizzled(Swizzle::B64).slab(stage.index * boxes_a + i);
                        if along_a {
                            a.load(part, (batch_a, top, from + i * WIDTH), stage);
                        } else {
                            a.load(part, (batch_a, from, top + i * WIDTH), stage);
                        }
                    }
                    #[unroll]
                    for i in 0..boxes_b {
                        let part = of_b.swizzled(Swizzle::B64).slab(stage.index * boxes_b + i);
                        if along_b {
                            b.load(part, (batch_b, left, from + i * WIDTH), stage);
                        } else {
                            b.load(part, (batch_b, from, left + i * WIDTH), stage);
                        }
                    }
                }
            }
        }
    }
    if math.active() {
        math.take_registers(232);
        let consumer = ring.consumer();
        let (warp, lane) = (math.thread() / 32, math.thread() % 32);
        let row = warp / const { config.across() } * const { 16 * config.tall() } + lane / 4;
        let column = warp % const { config.across() } * COLUMNS + lane / 4;
        let places_a = begin(row, depth, along_a);
        let places_b = begin(column, depth, along_b);
        for number in (block_idx.x..units).step_by(grid_dim.x) {
            let (tile, _, steps) = unit(number, all_steps, shares);
            // A warp uses as many of the four row fragments as it has; the compiler removes the others.
            let mut sums = [[FragmentC::<f64, 16, 8>::zero(); 4]; 4];
            // Fragments of eight k. The next B fragments are loaded while these are multiplied.
            let mut stage = consumer.wait().index;
            let mut of_lines = fragments_a(tiles, stage, places_a, config);
            let mut of_columns = [fragments_b(tiles, stage, places_b, 0u32, config); 2];
            for step in 0..steps {
                #[unroll]
                for eight in 0..depth / WIDTH {
                    let (now, next) = const { (eight % 2, (eight + 1) % 2) };
                    let after = const { (eight + 1) % (config.depth() / WIDTH) };
                    if after == 0 {
                        if step + 1 < steps {
                            stage = consumer.wait().index;
                            // Every lane has read the previous stage.
                            sync_warp(FULL_MASK);
                            if lane == 0 {
                                consumer.release_previous();
                            }
                        }
                    }
                    of_columns[next] = fragments_b(tiles, stage, places_b, after, config);
                    // Alternate the direction from row to row, so that consecutive products share a factor.
                    #[unroll]
                    for i in 0..const { config.tall() } {
                        #[unroll]
                        for j in 0..4u32 {
                            let j = if i % 2 == 0 { j } else { 3 - j };
                            let mut left = FragmentA::<f64, 16, 8>::zero();
                            let mut right = FragmentB::<f64, 8, 8>::zero();
                            #[unroll]
                            for e in 0..4u32 {
                                left[e] = of_lines[i][e];
                            }
                            #[unroll]
                            for e in 0..2u32 {
                                right[e] = of_columns[now][j][e];
                            }
                            sums[i][j].mma(left, right);
                        }
                        // Replace the fragment just multiplied by the fragment of the next eight k.
                        of_lines[i] = fragment_a(tiles, stage, places_a, after, i, config);
                    }
                }
            }
            // The stage of the last fragments becomes free while the results are stored.
            sync_warp(FULL_MASK);
            if lane == 0 {
                consumer.release_last();
            }
            let batch = tile / (down * across);
            let (top, left) = corner(tile % (down * across), down, across);
            let (top, left) = (top * rows, left * columns);
            if number >= shares[0] {
                let base = (number - shares[0]) as u64 * (rows * columns) as u64;
                #[unroll]
                for i in 0..const { config.tall() } {
                    #[unroll]
                    for j in 0..4u32 {
                        #[unroll]
                        for half in 0..2u32 {
                            let y = row + 16 * i + 8 * half;
                            let x = column - lane / 4 + 8 * j + lane % 4 * 2;
                            let at = base + (y * columns + x) as u64;
                            of_parts.store2(at, [sums[i][j][2 * half], sums[i][j][2 * half + 1]]);
                        }
                    }
                }
            } else {
                #[unroll]
                for i in 0..const { config.tall() } {
                    #[unroll]
                    for j in 0..4u32 {
                        #[unroll]
                        for half in 0..2u32 {
                            let y = top + row + 16 * i + 8 * half;
                            let x = left + column - lane / 4 + 8 * j + lane % 4 * 2;
                            let at = batch as u64 * strides_c[0]
                                + y as u64 * strides_c[1]
                                + x as u64 * strides_c[2];
                            store(
                                c,
                                (at, strides_c[2]),
                                (y, x),
                                (m, n),
                                sums[i][j],
                                half,
                                (alpha, beta),
                                bias,
                                scale_a,
                                scale_b,
                                config.paired,
                                finish,
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Division of the tiles into units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// Number of undivided tiles (one unit each), and of divided tiles.
    pub full: usize,
    pub rest: usize,
    /// Parts per divided tile, and steps per part.
    pub parts: usize,
    pub each: usize,
}

/// Minimum number of steps per part, and maximum number of parts per tile.
const FEWEST: usize = 4;
const MOST: usize = 128;
/// Microseconds on an H200: a multiply-add of a multiprocessor, writing and re-reading a partial result, the reduction launch.
const MULTIPLYING: f64 = 4.25e-6;
const MOVING: f64 = 4.0e-6;
const ADDING: f64 = 3.0;

impl Units {
    /// The fastest division.
    pub fn fastest(problem: &GemmProblem<'_>, config: DoubleConfig) -> Units {
        let Extents { batch, m, n, k } = problem.extents;
        let (rows, columns) = config.tile;
        let tiles = batch * m.div_ceil(rows as usize) * n.div_ceil(columns as usize);
        let processors = problem.device.info().multiprocessors.max(1) as usize;
        let steps = k.div_ceil(config.depth() as usize);
        match problem.one_kernel {
            true => Units::whole(tiles, steps),
            false => Units::divided(tiles, steps, processors, config),
        }
    }

    /// Undivided tiles.
    pub fn whole(tiles: usize, steps: usize) -> Units {
        Units { full: tiles, rest: 0, parts: 1, each: steps }
    }

    /// The fastest division of `tiles` tiles of `steps` steps.
    pub fn divided(tiles: usize, steps: usize, processors: usize, config: DoubleConfig) -> Units {
        let whole = Units::whole(tiles, steps);
        let rest = tiles % processors;
        if rest == 0 {
            return whole;
        }
        let area = f64::from(config.tile.0 * config.tile.1);
        let step = area * f64::from(config.depth()) * MULTIPLYING;
        let mut best = (step * steps as f64, whole);
        for parts in 2..=(steps / FEWEST).min(MOST) {
            let each = steps.div_ceil(parts);
            let parts = steps.div_ceil(each); // no part is empty
            let rounds = (rest * parts).div_ceil(processors) as f64;
            let adding = ADDING + area * MOVING * (rest * parts) as f64;
            let time = rounds * step * each as f64 + adding;
            if time < best.0 {
                best = (time, Units { full: tiles - rest, rest, parts, each });
            }
        }
        best.1
    }

    /// Number of work units.
    pub fn count(self) -> usize {
        self.full + self.rest * self.parts
    }

    /// Number of results in all parts.
    pub fn of_parts(self, config: DoubleConfig) -> usize {
        let area = config.tile.0 * config.tile.1;
        if self.parts > 1 { self.rest * self.parts * area as usize } else { 0 }
    }
}

/// The tile, first k step and number of steps of a unit: from `full` on, each tile has `parts` units of `each` steps.
#[device]
pub fn unit(number: u32, steps: u32, [full, parts, each]: [u32; 3]) -> (u32, u32, u32) {
    let mut tile = number;
    let mut first = 0u32;
    let mut count = steps;
    if number >= full {
        let part = number - full;
        tile = full + part / parts;
        first = part % parts * each;
        count = each.min(steps - first);
    }
    (tile, first, count)
}

/// Tile rows that are processed before the next tile column, so that their shared tiles stay in L2.
const TOGETHER: u32 = 16;

/// Row and column of tile number `tile` in a grid of `down` by `across` tiles.
#[device]
pub fn corner(tile: u32, down: u32, across: u32) -> (u32, u32) {
    let first = tile / (TOGETHER * across) * TOGETHER;
    let height = (down - first).min(TOGETHER);
    let within = tile % (TOGETHER * across);
    (first + within % height, within / height)
}

/// Threads of a block.
pub const REDUCTION_THREADS: u32 = 256;

/// Reduces the tiles from `first` on, one per `block_idx.y`; `from` holds `parts` consecutive parts of each.
#[kernel(block = REDUCTION_THREADS)]
#[allow(clippy::too_many_arguments)]
pub fn combined(
    from: &[f64],
    c: &mut [f64],
    bias: &[f64],
    scale_a: &[f32],
    scale_b: &[f32],
    extents: [u32; 2],
    first: u32,
    parts: u32,
    strides_c: [u64; 3],
    alpha: f64,
    beta: f64,
    #[constant] config: DoubleConfig,
    #[constant] finish: Finish,
) {
    let (rows, columns) = const { config.tile };
    let [m, n] = extents;
    let (down, across) = (m.div_ceil(rows), n.div_ceil(columns));
    let tile = first + block_idx.y;
    let batch = tile / (down * across);
    let (top, left) = corner(tile % (down * across), down, across);
    let i = block_idx.x * REDUCTION_THREADS + thread_idx.x;
    let (y, x) = (top * rows + i / columns, left * columns + i % columns);
    if y < m && x < n {
        let area = const { config.tile.0 * config.tile.1 };
        let at = block_idx.y as u64 * parts as u64 * area as u64 + i as u64;
        let mut sum = 0.0f64;
        for part in 0..parts {
            sum = sum + from[at + part as u64 * area as u64];
        }
        let place = batch as u64 * strides_c[0] + y as u64 * strides_c[1] + x as u64 * strides_c[2];
        let mut before = 0.0f64;
        if finish.reads_c {
            before = c[place];
        }
        c[place] = finished(sum, before, (y, x), (alpha, beta), bias, (scale_a, scale_b), finish);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_tiles_are_divided_where_that_is_faster() {
        let config = DoubleConfig { tile: (128, 128), along: (true, true), paired: true };
        // 8192^3: four tiles are left over, divided among all multiprocessors.
        let units = Units::divided(64 * 64, 256, 132, config);
        assert!(
            units.rest == 4 && units.parts > 16 && units.rest * units.parts <= 132,
            "{units:?}"
        );
        // 4096^3: 100 tiles are left over.
        let units = Units::divided(32 * 32, 128, 132, config);
        assert!(units.rest == 100 && units.parts > 1, "{units:?}");
        // No remainder, or all tiles are the remainder.
        for tiles in [131, 132, 264] {
            assert_eq!(Units::divided(tiles, 128, 132, config), Units::whole(tiles, 128));
        }
    }

    #[test]
    fn parts_have_all_steps_and_none_is_empty() {
        let config = DoubleConfig { tile: (128, 64), along: (true, true), paired: true };
        for (tiles, steps) in [(133, 9), (200, 100), (263, 1000), (1025, 77)] {
            let Units { full, rest, parts, each } = Units::divided(tiles, steps, 132, config);
            assert_eq!(full + rest, tiles);
            assert!(parts * each >= steps && (parts - 1) * each < steps, "{tiles} {steps}");
        }
    }
}
