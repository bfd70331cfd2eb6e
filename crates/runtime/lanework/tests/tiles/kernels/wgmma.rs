//! A product on Hopper's tensor cores: one warp loads tiles by TMA into a ring of stages, two
//! warpgroups multiply them by `wgmma`. bf16 factors, f32 sums.

use half::bf16;
use lanework::prelude::*;

/// Rows of the results of a tile, and columns of A that are multiplied at a time.
pub const TILE: (u32, u32) = (128, 64);
const ROWS: u32 = TILE.0;
const DEPTH: u32 = TILE.1;
/// Stages of the ring.
const STAGES: u32 = 4;
/// Number of rows of tiles that are computed for one column of tiles before the next column. The column's data stay
/// in the L2 cache.
const TOGETHER: u32 = 8;

/// Bytes of one stage, with tiles of `columns` columns.
const fn stage_bytes(columns: u32) -> u32 {
    (ROWS + columns) * DEPTH * 2
}

/// Dynamic shared memory of a block.
pub const fn shared_bytes(columns: u32) -> u32 {
    STAGES * stage_bytes(columns)
}

/// The columns of a tile, 256 or 64: the larger, unless multiprocessors would be left without a tile.
pub fn columns(m: u32, n: u32, multiprocessors: u32) -> u32 {
    let busy = u64::from(m / ROWS) * u64::from(n / 256) * 2 > u64::from(multiprocessors);
    if busy && n.is_multiple_of(256) { 256 } else { 64 }
}

/// The row and the column of tile number `tile` in a grid of `down` by `across` tiles.
#[device]
fn corner(tile: u32, down: u32, across: u32) -> (u32, u32) {
    let first = tile / (TOGETHER * across) * TOGETHER;
    let height = (down - first).min(TOGETHER);
    let within = tile % (TOGETHER * across);
    (first + within % height, within / height)
}

/// `c = a * transpose(b)` of row-major matrices, `b` with rows of `k` elements; extents are multiples of
/// the tile's. One block per multiprocessor takes tile after tile; the next tile's first stages are
/// loaded while the current results are stored.
#[kernel(block = 384, max_registers = 168)]
pub fn product<const COLUMNS: u32>(
    a: &TensorMap<bf16, 2>,
    b: &TensorMap<bf16, 2>,
    c: &mut [f32],
    m: u32,
    n: u32,
    k: u32,
) {
    let tiles_a = SharedTiles::<bf16, ROWS, DEPTH>::dynamic(STAGES);
    let tiles_b = SharedTiles::<bf16, COLUMNS, DEPTH>::dynamic(STAGES);
    let ring = pipeline(STAGES, 1, 2);
    let [math, load] = warp_roles([8, 4]);
    let (down, across) = (m / ROWS, n / COLUMNS);
    let steps = k / DEPTH;
    if load.active() {
        load.give_registers(40);
        if load.thread() == 0 {
            let producer = ring.producer();
            for tile in (block_idx.x..down * across).step_by(grid_dim.x) {
                let (row, column) = corner(tile, down, across);
                for step in 0..steps {
                    let stage = producer.acquire_for(const { stage_bytes(COLUMNS) });
                    a.load(tiles_a[stage.index], (row * ROWS, step * DEPTH), stage);
                    b.load(tiles_b[stage.index], (column * COLUMNS, step * DEPTH), stage);
                }
            }
        }
    }
    if math.active() {
        math.take_registers(232);
        let consumer = ring.consumer();
        let group = math.thread() / 128;
        let leads = math.thread() % 128 == 0;
        for tile in (block_idx.x..down * across).step_by(grid_dim.x) {
            let (row, column) = corner(tile, down, across);
            let mut sums = Accumulator::<f32, COLUMNS>::zero();
            for step in 0..steps {
                let stage = consumer.wait();
                let left = tiles_a[stage.index].rows::<64>(group * 64);
                sums.multiply(left, tiles_b[stage.index].t());
                // The previous stage's products are done, so the producer may refill it.
                sums.wait(1);
                if leads && (step > 0 || tile != block_idx.x) {
                    consumer.release_previous();
                }
            }
            sums.finish().store(c.matrix(n), row * ROWS + group * 64, column * COLUMNS);
        }
    }
}
