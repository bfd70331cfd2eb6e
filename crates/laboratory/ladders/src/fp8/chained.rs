//! FP8 rung: `chained`.
//!
//! Idea: the kernel of `hgemm`'s `specialized` with 8-bit elements: one thread copies by TMA, two warpgroups multiply, and the
//! tensor cores sum all products of a result in one accumulation chain.
//! 思路：采用 `hgemm` 中 `specialized` 的核函数，元素为 8 位：一个线程用 TMA 拷贝，两个 warpgroup 做乘法，张量核心把一个结果的所有乘积加在一条累加链上。
//! Predicts: half the bytes of bf16 factors, in half as many copies, because a copy covers twice as many steps; no load
//! instructions.
//! 预测：字节数是 bf16 因子的一半；一次拷贝覆盖两倍的步数，所以拷贝次数也减半；没有加载指令。
//! Costs: the tensor cores sum 8-bit products with about 14 bits and truncate the rest: the longer the sum, the larger the error.
//! On an H200 at 8192: 868 us, with an error of 1.9e-3.
//! 代价：张量核心累加 8 位乘积时只保留约 14 位，其余截断：累加链越长，误差越大。H200 上 8192 时为 868 us，误差 1.9e-3。

use super::Operands;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Rows and columns of a block's tile of results, and steps along K per stage.
const ROWS: u32 = 128;
const COLUMNS: u32 = 256;
const DEPTH: u32 = 128;
const STAGES: u32 = 4;
const STAGE_BYTES: u32 = (ROWS + COLUMNS) * DEPTH;
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
fn chained(a: &TensorMap<u8, 2>, b: &TensorMap<u8, 2>, c: &mut [f32], m: u32, n: u32, k: u32) {
    let tiles_a = SharedTiles::<E4m3, ROWS, DEPTH>::dynamic(STAGES);
    let tiles_b = SharedTiles::<E4m3, COLUMNS, DEPTH>::dynamic(STAGES);
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
    let launch = chained(&a, &b, c, m, n, k).grid(blocks).block(384);
    // SAFETY: `Factors` pads extents to multiples of the tile, so every result is inside C.
    unsafe { launch.shared_bytes(STAGES * STAGE_BYTES).prepare_unchecked(device) }
}
