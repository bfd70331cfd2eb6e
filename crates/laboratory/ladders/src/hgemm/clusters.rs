//! Tensor-core rung: `clusters`.
//!
//! Idea: two blocks that multiply by the same columns form a cluster; each copies half of these columns for both (multicast). TMA stores the results.
//! Predicts: two thirds of `specialized`'s bytes from the L2 cache; no store instructions for the results.
//! Costs: a stage is free only when both blocks have read it. On an H200 the L2 cache was not the bottleneck: 1.03 times as fast
//! as `specialized` at 4096, 1.01 at 8192, 0.98 at 16384.
//! 思路：乘以相同列的两个线程块组成一个 cluster；每个线程块为两者拷贝这些列的一半（multicast）。结果由 TMA 写出。
//! 预测：来自 L2 缓存的字节数是 `specialized` 的三分之二；没有存储结果的指令。
//! 代价：两个线程块都读完之后，一级缓冲区才空闲。H200 上 L2 缓存不是瓶颈：速度是 `specialized` 的 1.03 倍（4096）、1.01 倍（8192）、0.98 倍（16384）。

use super::Operands;
use super::specialized::corner;
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Rows and columns of a block's tile of results, and steps along K per stage.
const ROWS: u32 = 128;
const COLUMNS: u32 = 256;
const DEPTH: u32 = 64;
const STAGES: u32 = 4;
/// Columns of B that each block copies for both blocks.
const HALF: u32 = COLUMNS / 2;
/// Rows and columns of results per store, and the number of stores in flight per warpgroup.
const PART: (u32, u32) = (64, 32);
const PARTS: u32 = 2;
const STAGE_BYTES: u32 = (ROWS + COLUMNS) * DEPTH * 2;
const SHARED_BYTES: u32 = STAGES * STAGE_BYTES + 2 * PARTS * PART.0 * PART.1 * 4;

#[kernel(block = 384, cluster = 2, max_registers = 168)]
fn clusters(
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
                // The products of the previous stage are done, so both producers may refill it.
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
                    bulk_wait_read(const { PARTS - 1 }); // earlier stores have read this buffer
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

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (m, n, k) = x.sizes();
    let tiles = m / (2 * ROWS) * (n / COLUMNS);
    let blocks = 2 * tiles.min(device.info().multiprocessors / 2).max(1);
    // SAFETY: the kernel only reads the factors, and C is a separate buffer that no other view uses.
    let c = unsafe { x.c.view_shared(..) };
    let stored = Tiles::new([m as usize, n as usize], PART.into()).swizzle(Swizzle::B128);
    let c = TensorMapMut::of_view(device, c, &stored)?;
    let (a, b) = x.maps((ROWS, HALF))?;
    let launch = clusters(&a, &b, c, m, n, k).grid(blocks).block(384);
    // SAFETY: tensor maps make all copies, and they never leave their matrices.
    unsafe { launch.shared_bytes(SHARED_BYTES).prepare_unchecked(device) }
}
