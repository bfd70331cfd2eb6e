//! Tensor-core rung: `warpgroups`.
//!
//! Idea: four warps together (a warpgroup) multiply 64 x 64 by 64 x 128 elements directly from shared memory and
//! asynchronously (`wgmma` of sm_90a); no fragment is loaded.
//! Predicts: threads load no factors from shared memory; the same global sectors as `pipelined`.
//! Costs: only Hopper has it; data copied by threads need a fence before the tensor cores see them.
//! 思路：sm_90a 的 `wgmma`：四个 warp（一个 warpgroup）一起把 64 x 64 与 64 x 128 个元素异步相乘，直接从共享内存读取；不加载片段。
//! 预测：线程不再从共享内存加载因子；全局扇区数与 `pipelined` 相同。
//! 代价：只有 Hopper 支持；由线程拷贝的数据要经过 fence 才能被张量核心看到。

use super::Operands;
use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of a block's tile of results, and steps along K per copy.
const EDGE: u32 = 128;
const DEPTH: u32 = 64;
/// Buffers.
const STAGES: u32 = 4;
type Buffers = SharedTiles<bf16, EDGE, DEPTH>;

#[kernel(block = 256)]
fn warpgroups(a: &[bf16], b: &[bf16], c: &mut [f32], n: u32, k: u32) {
    let tiles_a = Buffers::dynamic(STAGES);
    let tiles_b = Buffers::dynamic(STAGES);
    let pipe = CopyPipeline::<STAGES>::new();
    let (row, column) = (block_idx.y * EDGE, block_idx.x * EDGE);
    let me = (thread_idx.x, 256);
    let steps = k / DEPTH;
    #[unroll]
    for stage in 0..STAGES - 1 {
        if stage < steps {
            pipe.copy_tile(tiles_a[stage], a.matrix(k), (row, stage * DEPTH), me);
            pipe.copy_tile(tiles_b[stage], b.matrix(k), (column, stage * DEPTH), me);
        }
        pipe.commit();
    }
    let down = thread_idx.x / 128 * 64;
    let mut sums = Accumulator::<f32, EDGE>::zero();
    for step in 0..steps {
        pipe.wait();
        fence_proxy_async_shared();
        sums.wait(0u32); // no product reads the buffer that is filled next
        sync_threads();
        let next = step + STAGES - 1;
        if next < steps {
            let stage = next % STAGES;
            pipe.copy_tile(tiles_a[stage], a.matrix(k), (row, next * DEPTH), me);
            pipe.copy_tile(tiles_b[stage], b.matrix(k), (column, next * DEPTH), me);
        }
        pipe.commit();
        let (tile_a, tile_b) = (tiles_a[step % STAGES], tiles_b[step % STAGES]);
        sums.multiply(tile_a.rows::<64>(down), tile_b.t());
    }
    sums.finish().store(c.matrix(n), row + down, column);
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (m, n, k) = x.sizes();
    let launch = warpgroups(&x.a, &x.b, &mut x.c, n, k).grid((n / EDGE, m / EDGE)).block(256);
    // SAFETY: `Factors` pads extents to multiples of 256 and 64, so every tile is inside its matrix.
    unsafe { launch.shared_bytes(2 * STAGES * Buffers::STRIDE).prepare_unchecked(device) }
}
