//! The product of `wgmma.rs` by clusters of two blocks: both multiply by the same columns, and each loads half of them
//! for both, and results leave by TMA while the next tile is multiplied. bf16 factors, f32 sums.

use half::bf16;
use lanework::prelude::*;

/// Rows and columns of the results of a block, and columns of A that are multiplied at a time.
pub const TILE: (u32, u32, u32) = (128, 256, 64);
const ROWS: u32 = TILE.0;
const COLUMNS: u32 = TILE.1;
const DEPTH: u32 = TILE.2;
/// Columns of B that a block loads for both.
pub const HALF: u32 = COLUMNS / 2;
/// Rows and columns of results that are stored at a time.
pub const PART: (u32, u32) = (64, 32);
/// Stages of the ring.
const STAGES: u32 = 4;
/// Parts of the results that each of the two warpgroups may have in flight.
const PARTS: u32 = 2;
/// Number of rows of tiles (one cluster per tile) that are computed for one column of tiles before the next column. The
/// column's data stay in the L2 cache.
const TOGETHER: u32 = 8;
const STAGE_BYTES: u32 = (ROWS + COLUMNS) * DEPTH * 2;
/// Dynamic shared memory of a block.
pub const SHARED_BYTES: u32 = STAGES * STAGE_BYTES + 2 * PARTS * PART.0 * PART.1 * 4;

/// The row and the column of tile number `tile` in a grid of `down` by `across` tiles.
#[device]
fn corner(tile: u32, down: u32, across: u32) -> (u32, u32) {
    let first = tile / (TOGETHER * across) * TOGETHER;
    let height = (down - first).min(TOGETHER);
    let within = tile % (TOGETHER * across);
    (first + within % height, within / height)
}

/// `c = a * transpose(b)` of row-major matrices, `b` with rows of `k` elements; `m`, `n` and `k` are multiples of 256,
/// 256 and 64. The clusters, half as many as there are multiprocessors, take one tile of 256 x 256 after the other.
#[kernel(block = 384, cluster = 2, max_registers = 168)]
pub fn product(
    a: &TensorMap<bf16, 2>,
    b: &TensorMap<bf16, 2>,
    c: &mut TensorMapMut<f32, 2>,
    m: u32,
    n: u32,
    k: u32,
) {
    let tiles_a = SharedTiles::<bf16, ROWS, DEPTH>::dynamic(STAGES);
    let tiles_b = SharedTiles::<bf16, COLUMNS, DEPTH>::dynamic(STAGES);
    let parts = SharedTiles::<f32, { PART.0 }, { PART.1 }>::dynamic(2 * PARTS);
    // A stage is empty when both warpgroups of both blocks have read it.
    let ring = pipeline(STAGES, 1, 4);
    let [math, load] = warp_roles([8, 4]);
    let groups = named_barriers(2, 128);
    let (down, across) = (m / (2 * ROWS), n / COLUMNS);
    let steps = k / DEPTH;
    let rank = cluster_rank();
    cluster_sync(); // the barriers of both blocks are ready
    if load.active() {
        load.give_registers(40);
        if load.thread() == 0 {
            let producer = ring.producer();
            for tile in (cluster_idx.x..down * across).step_by(grid_dim.x / 2) {
                let (row, column) = corner(tile, down, across);
                let (row, column) = ((2 * row + rank) * ROWS, column * COLUMNS + rank * HALF);
                for step in 0..steps {
                    let stage = producer.acquire_for(STAGE_BYTES);
                    a.load(tiles_a[stage.index], (row, step * DEPTH), stage);
                    let half = tiles_b[stage.index].rows::<HALF>(rank * HALF);
                    b.multicast(0b11).load(half, (column, step * DEPTH), stage);
                }
            }
        }
    }
    if math.active() {
        math.take_registers(232);
        let consumer = ring.consumer();
        let (group, within) = (math.thread() / 128, math.thread() % 128);
        let together = groups.at(group);
        for tile in (cluster_idx.x..down * across).step_by(grid_dim.x / 2) {
            let (row, column) = corner(tile, down, across);
            let (row, column) = ((2 * row + rank) * ROWS + group * PART.0, column * COLUMNS);
            let mut sums = Accumulator::<f32, COLUMNS>::zero();
            for step in 0..steps {
                let stage = consumer.wait();
                let left = tiles_a[stage.index].rows::<64>(group * 64);
                sums.multiply(left, tiles_b[stage.index].t());
                // The products of the stage before are done: both producers may fill it again.
                sums.wait(1);
                if within < 2 && (step > 0 || tile != cluster_idx.x) {
                    consumer.release_previous_to(within);
                }
            }
            let results = sums.finish();
            #[unroll]
            for i in 0..COLUMNS / PART.1 {
                let part = parts[PARTS * group + i % PARTS];
                if within == 0 {
                    bulk_wait_read(const { PARTS - 1 }); // what left from here before has been read
                }
                together.sync();
                results.columns::<{ PART.1 }>(i).store(part, 0, 0);
                fence_proxy_async_shared();
                together.sync();
                if within == 0 {
                    c.store(part, (row, column + i * PART.1));
                    bulk_commit();
                }
            }
        }
        if within == 0 {
            bulk_wait(0);
        }
    }
    cluster_sync(); // no block leaves while the other one arrives at its barriers
}
