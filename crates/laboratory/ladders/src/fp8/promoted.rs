//! FP8 rung: `promoted`.
//!
//! Idea: the accumulation chain of the tensor cores ends with each stage of 128 steps, and the kernel adds its sums to f32 sums in registers.
//! 思路：张量核心的累加链每过一级缓冲区（128 步）结束一次，核函数把它的和加到寄存器里的 f32 和上。
//! Predicts: 4 / 3 of the bytes that `chained` copies, because a tile is 128 x 128; one addition per result and stage;
//! at k = 1024, less than a fourth of `chained`'s error.
//! 预测：tile 为 128 x 128，所以拷贝的字节数是 `chained` 的 4 / 3；每个结果每 128 步多一次加法；k = 1024 时误差不到 `chained` 的四分之一。
//! Costs: twice the registers for sums, so tiles have half the columns. While a warpgroup adds, the tensor cores idle
//! unless the other warpgroup is multiplying. On an H200: 1,025 us at 8192, 0.85 times as fast as `chained`, with a
//! 19th of its error (1.0e-4).
//! 代价：累加所用的寄存器加倍，所以 tile 的列数减半。一个 warpgroup 做加法时，除非另一个正在做乘法，张量核心就空闲。
//! H200 上 8192 时为 1,025 us，速度是 `chained` 的 0.85 倍，误差是它的十九分之一（1.0e-4）。

use super::chained::corner;
use super::{Operands, PROMOTED};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of a block's tile of results, and steps along K of a stage.
const EDGE: u32 = 128;
const DEPTH: u32 = PROMOTED as u32;
const STAGES: u32 = 6;
const STAGE_BYTES: u32 = 2 * EDGE * DEPTH;

#[kernel(block = 384, max_registers = 168)]
fn promoted(a: &TensorMap<u8, 2>, b: &TensorMap<u8, 2>, c: &mut [f32], m: u32, n: u32, k: u32) {
    let tiles_a = SharedTiles::<E4m3, EDGE, DEPTH>::dynamic(STAGES);
    let tiles_b = SharedTiles::<E4m3, EDGE, DEPTH>::dynamic(STAGES);
    let ring = pipeline(STAGES, 1, 2);
    let [math, load] = warp_roles([8, 4]);
    let (down, across) = (m / EDGE, n / EDGE);
    let steps = k / DEPTH;
    if load.active() {
        load.give_registers(40);
        if load.thread() == 0 {
            let producer = ring.producer();
            for tile in (block_idx.x..down * across).step_by(grid_dim.x) {
                let (row, column) = corner(tile, down, across);
                for step in 0..steps {
                    let stage = producer.acquire_for(STAGE_BYTES);
                    a.load(tiles_a[stage.index], (row * EDGE, step * DEPTH), stage);
                    b.load(tiles_b[stage.index], (column * EDGE, step * DEPTH), stage);
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
            let mut total = FragmentC::<f32, 64, EDGE>::zero();
            let mut sums = Accumulator::<f32, EDGE>::zero();
            for _ in 0..steps {
                let stage = consumer.wait();
                let left = tiles_a[stage.index].rows::<64>(group * 64);
                sums.set_product(left, tiles_b[stage.index].t());
                sums.wait(0);
                if leads {
                    stage.release();
                }
                let part = sums.finish();
                #[unroll]
                for i in 0..FragmentC::<f32, 64, EDGE>::ELEMENTS {
                    total[i] = total[i] + part[i];
                }
            }
            total.store(c.matrix(n), row * EDGE + group * 64, column * EDGE);
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (m, n, k) = x.sizes();
    let blocks = (m / EDGE * (n / EDGE)).min(device.info().multiprocessors.max(1));
    // SAFETY: the kernel only reads the factors, and C is a separate buffer that no other view uses.
    let c = unsafe { x.c.view_shared(..) };
    let (a, b) = x.maps((EDGE, EDGE))?;
    let launch = promoted(&a, &b, c, m, n, k).grid(blocks).block(384);
    // SAFETY: `Factors` pads extents to multiples of the tile, so every result is inside C.
    unsafe { launch.shared_bytes(STAGES * STAGE_BYTES).prepare_unchecked(device) }
}
