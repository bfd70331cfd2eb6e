//! Tensor-core rung: `specialized`.
//!
//! Idea: one thread starts all copies, by TMA, into a ring of four stages. Two warpgroups only multiply: each has 64 x
//! 256 results and up to 232 registers per thread. Blocks are persistent (each computes several tiles), so the next
//! tile's stages are copied while results are stored.
//! Predicts: no load instructions in the multiplying warps; three quarters of `warpgroups`' global bytes, because tiles are wider.
//! Costs: 192 KiB of shared memory, so one block per multiprocessor; registers must be moved to the multiplying warps.
//! 思路：由一个线程用 TMA 发起全部拷贝，送进四级环形缓冲区；两个 warpgroup 只做乘法：每个计算 64 x 256 个结果，每个线程最多用 232 个寄存器。线程块是持久化的（每个计算多个 tile），存储结果时，下一个 tile 的各级缓冲区已经在拷贝。
//! 预测：做乘法的 warp 没有加载指令；tile 更宽，全局字节数是 `warpgroups` 的四分之三。
//! 代价：192 KiB 共享内存，每个多处理器只能容纳一个线程块；寄存器要转移给做乘法的 warp。

use super::Operands;
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Rows and columns of a block's tile of results, and steps along K per stage.
const ROWS: u32 = 128;
const COLUMNS: u32 = 256;
const DEPTH: u32 = 64;
const STAGES: u32 = 4;
const STAGE_BYTES: u32 = (ROWS + COLUMNS) * DEPTH * 2;
/// Rows of tiles multiplied by one column of tiles before the next column: shared tiles stay in the L2 cache.
const TOGETHER: u32 = 8;

/// The row and the column of tile `tile`, among `down` rows and `across` columns of tiles.
#[device]
pub(super) fn corner(tile: u32, down: u32, across: u32) -> (u32, u32) {
    let first = tile / (TOGETHER * across) * TOGETHER;
    let height = (down - first).min(TOGETHER);
    let within = tile % (TOGETHER * across);
    (first + within % height, within / height)
}

#[kernel(block = 384, max_registers = 168)]
fn specialized(
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
        for tile in (block_idx.x..down * across).step_by(grid_dim.x) {
            let (row, column) = corner(tile, down, across);
            let mut sums = Accumulator::<f32, COLUMNS>::zero();
            for step in 0..steps {
                let stage = consumer.wait();
                let left = tiles_a[stage.index].rows::<64>(group * 64);
                sums.multiply(left, tiles_b[stage.index].t());
                // The products of the previous stage are done, so it may be refilled.
                sums.wait(1);
                if leads && (step > 0 || tile != block_idx.x) {
                    consumer.release_previous();
                }
            }
            sums.finish().store(c.matrix(n), row * ROWS + group * 64, column * COLUMNS);
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (m, n, k) = x.sizes();
    let blocks = (m / ROWS * (n / COLUMNS)).min(device.info().multiprocessors.max(1));
    // SAFETY: the kernel only reads the factors, and C is a separate buffer that no other view uses.
    let c = unsafe { x.c.view_shared(..) };
    let (a, b) = x.maps((ROWS, COLUMNS))?;
    let launch = specialized(&a, &b, c, m, n, k).grid(blocks).block(384);
    // SAFETY: `Factors` pads extents to multiples of the tile, so every result is inside C.
    unsafe { launch.shared_bytes(STAGES * STAGE_BYTES).prepare_unchecked(device) }
}
