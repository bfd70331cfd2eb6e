//! FP32 kernels: one block or cluster per tile; each thread computes one outer product per k step.
//!
//! A thread computes 8 rows by `wide` columns. The next step's fragments are loaded into registers while the current ones are
//! multiplied, even across stages. One thread issues the TMA copies; there is no dedicated producer warp.
//!
//! The register file is the bottleneck: each of its two banks (even and odd registers) supplies one operand per cycle, and the
//! operand reuse cache keeps an operand that the previous instruction read in the same slot. The order of the multiply-adds gave
//! the best register allocation by `ptxas`, as measured on an H200.

use super::config::{FfmaConfig, WARP_ROWS, copy, fetch, places};
use super::shapes;
use crate::gemm::families::tile::dot2;
use crate::gemm::finish::{Finish, finished};
use lanework::prelude::*;

/// Tile rows that are processed before the next tile column, so that their shared tiles stay in L2.
const TOGETHER: u32 = 8;

/// Row and column of tile number `tile` in a grid of `down` by `across` tiles.
#[device]
fn corner(tile: u32, down: u32, across: u32) -> (u32, u32) {
    let first = tile / (TOGETHER * across) * TOGETHER;
    let height = (down - first).min(TOGETHER);
    let within = tile % (TOGETHER * across);
    (first + within % height, within / height)
}

/// Adds a product to a sum, and its rounding errors to `error`.
#[device]
fn total(of_a: f32, of_b: f32, sums: [f32; 2], #[constant] config: FfmaConfig) -> f32 {
    if config.compensated {
        let [sum, rest] = dot2(of_a, of_b, sums);
        sum + rest
    } else {
        of_a.mul_add(of_b, sums[0])
    }
}

/// Computes one result tile, or this block's share of the tile's k steps.
#[device]
pub(super) fn product(
    a: &[f32],
    b: &[f32],
    map_a: &TensorMap<f32, 3>,
    map_b: &TensorMap<f32, 3>,
    c: &mut [f32],
    bias: &[f32],
    scale: &[f32],
    extents: [u32; 4],
    strides_a: [u32; 2],
    strides_b: [u32; 2],
    strides_c: [u32; 3],
    parts: [u32; 3],
    alpha: f32,
    beta: f32,
    #[constant] finish: Finish,
    #[constant] config: FfmaConfig,
) {
    let memory = shared_dynamic::<f32>(config.shared());
    let tiles_a = memory.region(0u32, [config.stages, config.depth, config.width_a()]);
    let tiles_b = memory.region(config.stages_a(), [config.stages, config.depth, config.width_b()]);
    let ring = pipeline(config.stages, config.producers(), config.consumers()).within_block();
    let (producer, consumer) = (ring.producer(), ring.consumer());
    let [batches, m, n, k] = extents;
    let t = thread_idx.x;
    let (warp, lane) = (t / 32, t % 32);
    let (down, across) = ((m - 1) / config.rows + 1, (n - 1) / config.cols + 1);
    // The results of the `count` k parts are `part_stride` apart; this launch computes the tiles from `first_tile` on.
    let [count, part_stride, first_tile] = parts;
    let number = block_idx.x / config.splits + first_tile;
    let (part, job) = (number / (down * across * batches), number % (down * across * batches));
    let (batch, tile) = (job / (down * across), job % (down * across));
    let (tile_row, tile_column) = corner(tile, down, across);
    let (top, left) = (tile_row * config.rows, tile_column * config.cols);
    let y = warp / config.across() * WARP_ROWS + lane / 4 * if config.by_rows() { 1 } else { 4 };
    let x = warp % config.across() * (4 * config.wide) + lane % 4 * 4;
    let of_a = if config.shared_by_all.0 { 0 } else { batch };
    let of_b = if config.shared_by_all.1 { 0 } else { batch };
    let at = [of_a, top, of_b, left];
    let (load_a, load_b) = const { config.loads };
    let places_a = places(top, m, of_a * strides_a[0], strides_a[1], load_a, config.rows, config);
    let places_b = places(left, n, of_b * strides_b[0], strides_b[1], load_b, config.cols, config);

    // This block's share of the chunks of `depth` steps.
    let all = (k - 1) / config.depth + 1;
    let shares = count * config.splits;
    let each = (all - 1) / shares + 1;
    let first = ((part * config.splits + block_idx.x % config.splits) * each).min(all);
    let chunks = each.min(all - first);
    // Starts filling a stage with steps from `p` on.
    let fill = |p: u32| {
        if config.copies() {
            let slot = producer.acquire();
            copy(
                &a,
                tiles_a,
                slot.index,
                p,
                k,
                strides_a[1],
                &places_a,
                load_a,
                config.rows,
                config,
            );
            copy(
                &b,
                tiles_b,
                slot.index,
                p,
                k,
                strides_b[1],
                &places_b,
                load_b,
                config.cols,
                config,
            );
            slot.commit_after_copies();
            if config.fetches() {
                if t == 0 {
                    fetch(map_a, map_b, tiles_a, tiles_b, slot, p, at, config);
                }
            }
        } else if t == 0 {
            fetch(map_a, map_b, tiles_a, tiles_b, producer.acquire(), p, at, config);
        }
    };
    shapes::begin(config);
    for chunk in 0..(config.stages - 1).min(chunks) {
        fill((first + chunk) * config.depth);
    }

    // A thread uses as many of the 16 columns as it has; the compiler removes the others.
    let mut sums = [[0.0f32; 16]; 8];
    let mut rests = [[0.0f32; 16]; 8];
    let mut lines = [[0.0f32; 8]; 2];
    // A in row layout: 64-byte rows from TMA whose 16-byte chunks are swizzled by two bits of the row, so that the chunks of 8
    // adjacent rows hit different banks; and four steps of each of this thread's rows.
    let rows_a = memory.region(0u32, [config.stages, config.rows, config.depth]);
    let mut quads = [[0.0f32; 4]; 8];
    let mut chunks_a = [0u32; 4];
    if config.by_rows() {
        #[unroll]
        for q in 0..4u32 {
            chunks_a[q] = ((lane / 8) ^ q) * 4;
        }
    }
    let mut columns = [[0.0f32; 16]; 2];
    for chunk in 0..chunks {
        let ahead = chunk + (config.stages - 1);
        let slot = consumer.wait();
        #[unroll]
        for i in 0..config.depth {
            // Load the fragments of step i while the previous step is multiplied.
            let (now, before) = (i % 2, (i + 1) % 2);
            if !config.by_rows() {
                #[unroll]
                for h in 0..2u32 {
                    let four = tiles_a.load4((slot.index, i, y + 32 * h));
                    #[unroll]
                    for e in 0..4u32 {
                        lines[now][4 * h + e] = four[e];
                    }
                }
            }
            #[unroll]
            for h in 0..config.wide / 4 {
                let four = tiles_b.load4((slot.index, i, x + 16 * h));
                #[unroll]
                for e in 0..4u32 {
                    columns[now][4 * h + e] = four[e];
                }
            }
            if i + 1 == config.depth {
                if config.each_releases() {
                    slot.release();
                } else {
                    sync_warp(FULL_MASK);
                    if lane == 0 {
                        slot.release();
                    }
                }
            }
            if i == config.depth / 4 {
                // Every warp that arrives here has read the previous stage.
                if ahead < chunks {
                    fill((first + ahead) * config.depth);
                }
            }
            // Alternate the direction from row to row, so that consecutive multiply-adds share a factor.
            #[unroll]
            for r in 0..8u32 {
                #[unroll]
                for s in 0..config.wide {
                    let q = if r % 2 == 0 { s } else { config.wide - 1 - s };
                    let of_a =
                        if config.by_rows() { quads[r][(i + 3) % 4] } else { lines[before][r] };
                    let of_b = columns[before][q];
                    if config.compensated {
                        let [sum, rest] = dot2(of_a, of_b, [sums[r][q], rests[r][q]]);
                        sums[r][q] = sum;
                        rests[r][q] = rest;
                    } else {
                        sums[r][q] = of_a.mul_add(of_b, sums[r][q]);
                    }
                }
                if config.by_rows() && i % 4 == 0 {
                    // Replace the steps just multiplied by a row's next four.
                    let four = rows_a.load4((slot.index, y + 8 * r, chunks_a[i / 4]));
                    #[unroll]
                    for e in 0..4u32 {
                        quads[r][e] = four[e];
                    }
                }
            }
        }
    }
    let base = part * part_stride + batch * strides_c[0];
    // Stores four adjacent, aligned results of a row.
    let store4 = |row: u32, column: u32, sums: [f32; 4]| {
        if row < m && column < n {
            let at = base + row * strides_c[1] + column;
            let mut before = [0.0f32; 4];
            if finish.reads_c {
                before = c.load4(at);
            }
            let mut four = [0.0f32; 4];
            #[unroll]
            for e in 0..4u32 {
                let place = (row, column + e);
                let with = (alpha, beta);
                four[e] = finished(sums[e], before[e], place, with, bias, (scale, scale), finish);
            }
            c.store4(at, four);
        }
    };
    let store = |row: u32, column: u32, sum: f32| {
        if row < m && column < n {
            let at = base + row * strides_c[1] + column * strides_c[2];
            let mut before = 0.0f32;
            if finish.reads_c {
                before = c[at];
            }
            let with = (alpha, beta);
            c[at] = finished(sum, before, (row, column), with, bias, (scale, scale), finish);
        }
    };
    let last = (config.depth + 1) % 2;
    let results = memory.region(0u32, [config.rows, config.width_c()]);
    if config.gathers() {
        sync_threads(); // all warps have read the stages, which the results will overwrite
    }
    #[unroll]
    for r in 0..8u32 {
        let row = y + config.row(r);
        #[unroll]
        for h in 0..config.wide / 4 {
            let mut four = [0.0f32; 4];
            #[unroll]
            for e in 0..4u32 {
                let q = 4 * h + e;
                let of_a = if config.by_rows() { quads[r][3] } else { lines[last][r] };
                four[e] = total(of_a, columns[last][q], [sums[r][q], rests[r][q]], config);
            }
            if config.gathers() {
                results.store4((row, x + 16 * h), four);
            } else {
                store4(top + row, left + x + 16 * h, four);
            }
        }
    }
    if config.gathers() {
        // Each block of a cluster reduces some rows, in block order.
        let height = const { config.rows / config.splits };
        let mut begin = 0u32;
        if config.splits > 1 {
            cluster_sync();
            begin = cluster_rank() * height;
        } else {
            sync_threads();
        }
        let lanes = const { config.cols / config.adjacent() };
        let pass = const { config.threads() * config.adjacent() / config.cols };
        let together = const { (height / pass).min(4) };
        let column = t % lanes * config.adjacent();
        for line in (t / lanes..height).step_by(const { pass * together }) {
            #[unroll]
            for i in 0..together {
                let row = begin + line + i * pass;
                if config.float4s {
                    let mut four = [0.0f32; 4];
                    #[unroll]
                    for s in 0..config.splits {
                        let part = results.of_block(s).load4((row, column));
                        #[unroll]
                        for e in 0..4u32 {
                            four[e] += part[e];
                        }
                    }
                    store4(top + row, left + column, four);
                } else {
                    let mut sum = results[[row, column]];
                    if config.splits > 1 {
                        sum = 0.0;
                        #[unroll]
                        for s in 0..config.splits {
                            sum += results.of_block(s)[[row, column]];
                        }
                    }
                    store(top + row, left + column, sum);
                }
            }
        }
        if config.splits > 1 {
            cluster_sync(); // no block exits while another reads its partial results
        }
    }
    shapes::end(config);
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident of $config:ident: #[kernel($($attribute:tt)*)];)*) => {$(
        $(#[$doc])*
        #[kernel($($attribute)*)]
        pub(super) fn $name(
            a: &[f32],
            b: &[f32],
            map_a: &TensorMap<f32, 3>,
            map_b: &TensorMap<f32, 3>,
            c: &mut [f32],
            bias: &[f32],
            scale: &[f32],
            extents: [u32; 4],
            strides_a: [u32; 2],
            strides_b: [u32; 2],
            strides_c: [u32; 3],
            parts: [u32; 3],
            alpha: f32,
            beta: f32,
            #[constant] finish: Finish,
            #[constant] $config: FfmaConfig,
        ) {
            product(
                &a, &b, map_a, map_b, c, &bias, &scale, extents, strides_a, strides_b, strides_c, parts, alpha, beta,
                finish, $config,
            );
        }
    )*};
}

kernels! {
    /// One block per tile.
    whole of config: #[kernel(block = config.threads(), min_blocks = config.blocks)];
    /// One cluster per tile; its blocks share the k steps.
    split of config: #[kernel(block = config.threads(), min_blocks = config.blocks, cluster = config.splits)];
}
