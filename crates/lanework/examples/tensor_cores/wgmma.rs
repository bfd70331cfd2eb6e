//! A product on Hopper's tensor cores: one warp loads tiles by TMA into a ring of stages, two
//! warpgroups multiply them by `wgmma`. bf16 factors, f32 sums.

use half::bf16;
use lanework::prelude::*;

/// Rows and columns of the results of a block, and columns of A that are multiplied at a time.
pub const TILE: (u32, u32, u32) = (128, 256, 64);
const ROWS: u32 = TILE.0;
const COLUMNS: u32 = TILE.1;
const DEPTH: u32 = TILE.2;
/// Stages of the ring.
const STAGES: u32 = 4;
type TilesA = SharedTiles<bf16, ROWS, DEPTH>;
type TilesB = SharedTiles<bf16, COLUMNS, DEPTH>;
/// Dynamic shared memory of a block.
pub const SHARED_BYTES: u32 = STAGES * (TilesA::STRIDE + TilesB::STRIDE);
/// Bytes of one stage.
const STAGE_BYTES: u32 = TilesA::STRIDE + TilesB::STRIDE;

/// `c = a * transpose(b)` of row-major matrices, `b` with rows of `k` elements; extents are multiples of
/// the tile's.
#[kernel(block = 384)]
pub fn product(a: &TensorMap<bf16, 2>, b: &TensorMap<bf16, 2>, c: &mut [f32], n: u32, k: u32) {
    let tiles_a = TilesA::dynamic(STAGES);
    let tiles_b = TilesB::dynamic(STAGES);
    let ring = pipeline(STAGES, 1, 2);
    let (row, column) = (block_idx.y * ROWS, block_idx.x * COLUMNS);
    let group = thread_idx.x / 128;
    let steps = k / DEPTH;
    if group == 2 {
        if thread_idx.x == 256 {
            let producer = ring.producer();
            for step in 0..steps {
                let stage = producer.acquire_for(STAGE_BYTES);
                a.load(tiles_a[stage.index], (row, step * DEPTH), stage);
                b.load(tiles_b[stage.index], (column, step * DEPTH), stage);
            }
        }
    } else {
        let consumer = ring.consumer();
        let mut sums = Accumulator::<f32, COLUMNS>::zero();
        for step in 0..steps {
            let stage = consumer.wait();
            let left = tiles_a[stage.index].rows::<64>(group * 64);
            sums.multiply(left, tiles_b[stage.index].t());
            // The products of the stage before are done: the producer may fill it again.
            sums.wait(1);
            if step > 0 && thread_idx.x % 128 == 0 {
                consumer.release_previous();
            }
        }
        sums.finish().store(c.matrix(n), row + group * 64, column);
    }
}
