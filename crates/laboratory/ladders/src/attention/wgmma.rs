//! Attention rung: `wgmma`.
//!
//! Idea: a warpgroup (four warps) multiplies 64 queries by 128 keys with one `wgmma` per 16 columns, from tiles filled
//! by TMA; the weights are its left factor in registers.
//! 思路：一个 warpgroup（四个 warp）把 64 个查询与 128 个键相乘，每 16 列一条 `wgmma`，tile 由 TMA 填充；权重在寄存器中作左因子。
//! Predicts: no `ldmatrix`: 16 asynchronous products per tile replace `mma` and shared loads.
//! 预测：没有 `ldmatrix`；每个 tile 用 16 次异步乘法代替 `mma` 和共享内存加载。
//! Costs: tensor cores idle while the block's only warpgroup computes the softmax; 144 KB of dynamic shared memory.
//! 代价：线程块只有一个 warpgroup，它计算 softmax 时张量核心空闲；144 KB 动态共享内存。

use super::heads::{HEAD, Heads, map};
use super::softmax::{divided, soften};
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Keys per iteration.
const KEYS: u32 = 128;
/// Bytes per tile of keys or values.
const BYTES: u32 = KEYS * HEAD * 2;

#[kernel(block = 128)]
fn wgmma(
    q: &TensorMap<bf16, 2>,
    k: &TensorMap<bf16, 2>,
    v: &TensorMap<bf16, 2>,
    out: &mut [bf16],
    length: u32,
    scale: f32,
) {
    let queries = SharedTile::<bf16, 64, HEAD>::dynamic();
    let tiles_k = SharedTiles::<bf16, KEYS, HEAD>::dynamic(2);
    let tiles_v = SharedTiles::<bf16, KEYS, HEAD>::dynamic(2);
    let (full, ready) = (mbarriers(2, 1), mbarrier(1));
    let (even, odd, here) = (full.at(0).waiter(), full.at(1).waiter(), ready.waiter());
    let row = block_idx.x * 64;
    let of_head = row / length * length;
    let steps = length / KEYS;
    if thread_idx.x == 0 {
        ready.arrive_expect(const { 64 * HEAD * 2 });
        full.at(0).arrive_expect(2 * BYTES);
        #[unroll]
        for panel in 0..2u32 {
            q.load(queries.panel::<64>(panel), (row, 64 * panel), &ready);
            k.load(tiles_k[0].panel::<64>(panel), (of_head, 64 * panel), &full.at(0));
            v.load(tiles_v[0].panel::<64>(panel), (of_head, 64 * panel), &full.at(0));
        }
    }
    here.wait();
    let mut sums = Accumulator::<f32, HEAD>::zero();
    let mut most = [f32::NEG_INFINITY; 2];
    let mut total = [0.0f32; 2];
    for step in 0..steps {
        let now = step % 2;
        sync_threads(); // no product reads the other stage any more
        if thread_idx.x == 0 && step + 1 < steps {
            let (next, key) = (1 - now, of_head + (step + 1) * KEYS);
            full.at(next).arrive_expect(2 * BYTES);
            #[unroll]
            for panel in 0..2u32 {
                k.load(tiles_k[next].panel::<64>(panel), (key, 64 * panel), &full.at(next));
                v.load(tiles_v[next].panel::<64>(panel), (key, 64 * panel), &full.at(next));
            }
        }
        if now == 0 {
            even.wait();
        } else {
            odd.wait();
        }
        let mut products = Accumulator::<f32, KEYS>::zero();
        products.set_product(queries, tiles_k[now].t());
        let mut fade = [0.0f32; 2];
        let scores = soften(products.finish(), &mut most, &mut total, &mut fade, scale);
        sums.scale_rows(fade);
        sums.multiply_sums(scores.to::<bf16>(), tiles_v[now]);
        sums.wait(0);
    }
    divided(sums.finish(), total).to::<bf16>().store(out.matrix(HEAD), row, 0);
}

pub(super) fn prepare<'a>(x: &'a mut Heads, device: &Device) -> Result<Prepared<'a>> {
    let rows = x.heads * x.length;
    let (q, k, v) = (map(&x.q, rows, 64)?, map(&x.k, rows, KEYS)?, map(&x.v, rows, KEYS)?);
    let bytes = 64 * HEAD * 2 + 4 * BYTES;
    let launch = wgmma(&q, &k, &v, &mut x.out, x.length, Heads::scale());
    let launch = launch.grid(rows / 64).block(128).shared_bytes(bytes);
    // SAFETY: the rows of a head are a multiple of a block's rows, so every index is under heads * length rows.
    unsafe { launch.prepare_unchecked(device) }
}
