//! Attention rung: `overlapped`.
//!
//! Idea: a warpgroup computes the scores of the next keys before it multiplies by the current values, so the softmax of
//! the next keys runs while the tensor cores multiply. A scheduling barrier keeps ptxas from moving the wait for this
//! product before the exponentials.
//! 思路：warpgroup 先计算下一批键的分数，再用当前的权重乘以当前这批值，这样，在张量核心做乘法的同时可以计算下一批键的 softmax。调度屏障（scheduling barrier）阻止 ptxas 把对这次乘法的等待移到指数运算之前。
//! Predicts: the same instructions as `specialized`; the tensor cores have work during every softmax.
//! 预测：指令与 `specialized` 相同；每次 softmax 期间张量核心都有工作。
//! Costs: scores and weights need registers at the same time.
//! 代价：分数和权重要同时占用寄存器。

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
fn overlapped(
    q: &TensorMap<bf16, 2>,
    k: &TensorMap<bf16, 2>,
    v: &TensorMap<bf16, 2>,
    out: &mut [bf16],
    length: u32,
    scale: f32,
    #[constant] turns: bool,
) {
    let queries = SharedTiles::<bf16, 64, HEAD>::dynamic(2);
    let tiles_k = SharedTiles::<bf16, KEYS, HEAD>::dynamic(2);
    let tiles_v = SharedTiles::<bf16, KEYS, HEAD>::dynamic(2);
    let (ready, ring_k, ring_v) = (mbarrier(1), pipeline(2, 1, 2), pipeline(2, 1, 2));
    let order = named_barriers(2, 256);
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
        let (mine, other) = (order.at(group), order.at(1 - group));
        if turns && group == 1 {
            other.arrive(); // the first warpgroup begins
        }
        let mut sums = Accumulator::<f32, HEAD>::zero();
        let mut most = [f32::NEG_INFINITY; 2];
        let mut total = [0.0f32; 2];
        let mut weights = FragmentC::<bf16, 64, KEYS>::zero();
        // Computes only the first scores, then each tile's scores with the previous tile's values.
        #[unroll]
        for later in [false, true] {
            let behind = if later { length / KEYS } else { 2 };
            for _ in 1..behind {
                let keys = from_k.wait();
                if later && turns {
                    mine.sync();
                }
                let mut products = Accumulator::<f32, KEYS>::zero();
                products.set_product(queries[group], tiles_k[keys.index].t());
                if later {
                    let values = from_v.wait();
                    sums.multiply_sums(weights, tiles_v[values.index]);
                    if turns {
                        other.arrive();
                    }
                }
                let scores = products.finish_ahead_of(if later { 1 } else { 0 });
                if leads {
                    keys.release();
                }
                let mut fade = [0.0f32; 2];
                let scores = soften(scores, &mut most, &mut total, &mut fade, scale);
                if later {
                    scheduling_barrier(total[0] + total[1]);
                    sums.wait(0);
                    if leads {
                        from_v.release_last();
                    }
                    sums.scale_rows(fade);
                }
                weights = scores.to::<bf16>();
            }
        }
        let values = from_v.wait();
        sums.multiply_sums(weights, tiles_v[values.index]);
        let results = divided(sums.finish(), total).to::<bf16>();
        results.store(out.matrix(HEAD), row + 64 * group, 0);
        if turns && group == 0 {
            mine.sync(); // waits for this warpgroup's turn
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Heads, device: &Device) -> Result<Prepared<'a>> {
    prepare_ordered(x, device, false)
}

/// Prepares the kernel, with or without ping-pong between the warpgroups.
pub(super) fn prepare_ordered<'a>(
    x: &'a mut Heads,
    device: &Device,
    turns: bool,
) -> Result<Prepared<'a>> {
    let rows = x.heads * x.length;
    let (q, k, v) = (map(&x.q, rows, 64)?, map(&x.k, rows, KEYS)?, map(&x.v, rows, KEYS)?);
    let bytes = 128 * HEAD * 2 + 4 * BYTES;
    let launch = overlapped(&q, &k, &v, &mut x.out, x.length, Heads::scale(), turns);
    let launch = launch.grid(rows / 128).block(384).shared_bytes(bytes);
    // SAFETY: the rows of a head are a multiple of a block's rows, so every index is under heads * length rows.
    unsafe { launch.prepare_unchecked(device) }
}
