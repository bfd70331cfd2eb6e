//! Attention rung: `specialized`.
//!
//! Idea: one warp keeps a ring of tiles full, and two warpgroups multiply 64 queries each by the same keys and values
//! (warp roles). The first warp gives up registers to the others.
//! 思路：warp 各有角色：一个 warp 使环形缓冲区保持填满；两个 warpgroup 各把 64 个查询与同一批键和值相乘。第一个 warp 把寄存器让给其他 warp。
//! Predicts: half of `wgmma`'s copied bytes per query; one warpgroup multiplies while the other computes its softmax.
//! 预测：每个查询拷贝的字节数是 `wgmma` 的一半；一个 warpgroup 计算 softmax 时，另一个做乘法。
//! Costs: 160 KB of dynamic shared memory: one block per multiprocessor.
//! 代价：160 KB 动态共享内存，每个多处理器只能容纳一个线程块。

use super::heads::{HEAD, Heads, map};
use super::softmax::{divided, soften};
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Keys per iteration.
const KEYS: u32 = 128;
/// Bytes per tile of keys or values.
const BYTES: u32 = KEYS * HEAD * 2;

#[kernel(block = 384, max_registers = 168)]
fn specialized(
    q: &TensorMap<bf16, 2>,
    k: &TensorMap<bf16, 2>,
    v: &TensorMap<bf16, 2>,
    out: &mut [bf16],
    length: u32,
    scale: f32,
) {
    let queries = SharedTiles::<bf16, 64, HEAD>::dynamic(2);
    let tiles_k = SharedTiles::<bf16, KEYS, HEAD>::dynamic(2);
    let tiles_v = SharedTiles::<bf16, KEYS, HEAD>::dynamic(2);
    let (ready, ring_k, ring_v) = (mbarrier(1), pipeline(2, 1, 2), pipeline(2, 1, 2));
    let [math, load] = warp_roles([8, 4]);
    let row = block_idx.x * 128;
    let of_head = row / length * length;
    if load.active() {
        load.give_registers(24);
        if load.thread() == 0 {
            let (to_k, to_v) = (ring_k.producer(), ring_v.producer());
            ready.arrive_expect(const { 128 * HEAD * 2 });
            #[unroll]
            for panel in 0..2u32 {
                #[unroll]
                for group in 0..2u32 {
                    let at = (row + 64 * group, 64 * panel);
                    q.load(queries[group].panel::<64>(panel), at, &ready);
                }
            }
            for key in (of_head..of_head + length).step_by(KEYS as usize) {
                let (of_k, of_v) = (to_k.acquire_for(BYTES), to_v.acquire_for(BYTES));
                #[unroll]
                for panel in 0..2u32 {
                    k.load(tiles_k[of_k.index].panel::<64>(panel), (key, 64 * panel), of_k);
                    v.load(tiles_v[of_v.index].panel::<64>(panel), (key, 64 * panel), of_v);
                }
            }
        }
    }
    if math.active() {
        math.take_registers(240);
        let (from_k, from_v) = (ring_k.consumer(), ring_v.consumer());
        let group = math.thread() / 128;
        let leads = math.thread() % 128 == 0;
        let here = ready.waiter();
        here.wait();
        let mut sums = Accumulator::<f32, HEAD>::zero();
        let mut most = [f32::NEG_INFINITY; 2];
        let mut total = [0.0f32; 2];
        for _ in 0..length / KEYS {
            let keys = from_k.wait();
            let mut products = Accumulator::<f32, KEYS>::zero();
            products.set_product(queries[group], tiles_k[keys.index].t());
            let scores = products.finish();
            if leads {
                keys.release();
            }
            let mut fade = [0.0f32; 2];
            let scores = soften(scores, &mut most, &mut total, &mut fade, scale);
            sums.scale_rows(fade);
            let values = from_v.wait();
            sums.multiply_sums(scores.to::<bf16>(), tiles_v[values.index]);
            sums.wait(0);
            if leads {
                values.release();
            }
        }
        let results = divided(sums.finish(), total).to::<bf16>();
        results.store(out.matrix(HEAD), row + 64 * group, 0);
    }
}

pub(super) fn prepare<'a>(x: &'a mut Heads, device: &Device) -> Result<Prepared<'a>> {
    let rows = x.heads * x.length;
    let (q, k, v) = (map(&x.q, rows, 64)?, map(&x.k, rows, KEYS)?, map(&x.v, rows, KEYS)?);
    let bytes = 128 * HEAD * 2 + 4 * BYTES;
    let launch = specialized(&q, &k, &v, &mut x.out, x.length, Heads::scale());
    let launch = launch.grid(rows / 128).block(384).shared_bytes(bytes);
    // SAFETY: the rows of a head are a multiple of a block's rows, so every index is under heads * length rows.
    unsafe { launch.prepare_unchecked(device) }
}
