//! Tensor-core rung: `turns`.
//!
//! Idea: the two warpgroups of a block alternate between tiles of 128 x 128, each computing a whole tile: while one
//! stores its results, the other multiplies (ping-pong in CUTLASS). After its wait for a tile's last stage, a warpgroup
//! hands the tensor cores to the other one through a named barrier (a barrier for some of the warps of a block).
//! Predicts: result stores cost no tensor-core time; a third more bytes from the L2 cache than `specialized`, whose tiles are wider.
//! Costs: the warpgroups share no factors, only the ring of stages. At 4096 the power limit is an H200's bottleneck: 1.006 times
//! as fast as `specialized`, 0.98 times as fast as `clusters`, which stores its results by TMA. The library's kernel combines
//! both.
//! 思路：线程块的两个 warpgroup 轮流计算 128 x 128 的 tile，各自计算整个 tile：一个存储结果时，另一个做乘法（CUTLASS 称为 ping-pong）。
//! warpgroup 等到一个 tile 的最后一级缓冲区之后，用命名屏障（named barrier，只供线程块中部分 warp 使用）把张量核心交给另一个 warpgroup。
//! 预测：存储结果不占用张量核心的时间；来自 L2 缓存的字节数比 tile 更宽的 `specialized` 多三分之一。
//! 代价：两个 warpgroup 之间不共享因子，只共用环形缓冲区。4096 时，H200 的瓶颈是功耗上限：速度是 `specialized` 的 1.006 倍、`clusters`（由 TMA 写出结果）的 0.98 倍。库的核函数把两者结合起来。

use super::Operands;
use super::specialized::corner;
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Rows and columns of a warpgroup's tile of results, and steps along K per stage.
const ROWS: u32 = 128;
const COLUMNS: u32 = 128;
const DEPTH: u32 = 64;
const STAGES: u32 = 6;
const STAGE_BYTES: u32 = (ROWS + COLUMNS) * DEPTH * 2;

#[kernel(block = 384, max_registers = 168)]
fn turns(a: &TensorMap<bf16, 2>, b: &TensorMap<bf16, 2>, c: &mut [f32], m: u32, n: u32, k: u32) {
    let tiles_a = SharedTiles::<bf16, ROWS, DEPTH>::dynamic(STAGES);
    let tiles_b = SharedTiles::<bf16, COLUMNS, DEPTH>::dynamic(STAGES);
    let ring = pipeline(STAGES, 1, 1);
    let turn = named_barriers(2, 256);
    let [math, load] = warp_roles([8, 4]);
    let (down, across) = (m / ROWS, n / COLUMNS);
    let (tiles, steps) = (down * across, k / DEPTH);
    if load.active() {
        load.give_registers(40);
        if load.thread() == 0 {
            let producer = ring.producer();
            for tile in (block_idx.x..tiles).step_by(grid_dim.x) {
                let (row, column) = corner(tile, down, across);
                for step in 0..steps {
                    let stage = producer.acquire_for(STAGE_BYTES);
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
        // The stages of the first tile belong to the first warpgroup, those of the second tile to the second, and so on.
        if group == 1 {
            consumer.skip(steps);
        }
        for tile in (block_idx.x + group * grid_dim.x..tiles).step_by(2 * grid_dim.x) {
            if tile != block_idx.x {
                turn.at(group).sync();
            }
            let mut upper = Accumulator::<f32, COLUMNS>::zero();
            let mut lower = Accumulator::<f32, COLUMNS>::zero();
            for step in 0..steps {
                let stage = consumer.wait();
                let right = tiles_b[stage.index].t();
                upper.multiply(tiles_a[stage.index].rows::<64>(0u32), right);
                lower.multiply(tiles_a[stage.index].rows::<64>(64u32), right);
                // The last stage has arrived: the other warpgroup may wait for the following ones.
                if step + 1 == steps && tile + grid_dim.x < tiles {
                    turn.at(1 - group).arrive();
                }
                // The products of the previous stage are done, so it may be refilled.
                upper.wait(2);
                lower.wait(2);
                if leads && step > 0 {
                    consumer.release_previous();
                }
            }
            let sums = upper.finish();
            let below = lower.finish();
            if leads {
                consumer.release_last();
            }
            consumer.skip(steps);
            let (row, column) = corner(tile, down, across);
            sums.store(c.matrix(n), row * ROWS, column * COLUMNS);
            below.store(c.matrix(n), row * ROWS + 64, column * COLUMNS);
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (m, n, k) = x.sizes();
    let blocks = (m / ROWS * (n / COLUMNS)).min(device.info().multiprocessors.max(1));
    // SAFETY: the kernel only reads the factors, and C is a separate buffer that no other view uses.
    let c = unsafe { x.c.view_shared(..) };
    let (a, b) = x.maps((ROWS, COLUMNS))?;
    let launch = turns(&a, &b, c, m, n, k).grid(blocks).block(384);
    // SAFETY: `Factors` pads extents to multiples of the tile, so every result is inside C.
    unsafe { launch.shared_bytes(STAGES * STAGE_BYTES).prepare_unchecked(device) }
}
