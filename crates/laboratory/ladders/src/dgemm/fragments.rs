//! FP64 rung: `fragments`.
//!
//! Idea: a block has tiles of 64 x 64 results in shared memory, as in `fma-tile`. Each of 4 warps has fragments of 32 x 32
//! results in registers, so a loaded fragment is used 4 times. `cp.async` fills one of two buffers while the other is used.
//! 思路：与 `fma-tile` 一样，线程块在共享内存里存放 64 x 64 个结果所需的 tile。4 个 warp 各在寄存器里保存 32 x 32 个结果所需的片段，每个加载的片段使用 4 次。
//! 两个缓冲区轮流使用，一个在用时，由 `cp.async` 填充另一个。
//! Predicts: the sectors of `fma-tile`; little more than a third of its warp instructions and a quarter of its barrier arrivals.
//! 预测：扇区数与 `fma-tile` 相同；warp 指令数略多于它的三分之一，到达屏障的次数是它的四分之一。
//! Costs: without fragments loaded ahead, a warp's loads and products alternate. Every fragment
//! load has a bank conflict, because the swizzle permutes pieces of 16 bytes and the four elements
//! of a row of a fragment take 32 bytes. On an H200 at 4096: 4.61 ms, 1.94x `fma-tile`.
//! 代价：片段没有提前加载，所以一个 warp 的加载和乘法交替进行。每次加载片段都有 bank 冲突，因为 swizzle 以 16 字节为单位置换，而片段一行的四个元素占 32 字节。
//! H200 上 4096 时为 4.61 ms，速度是 `fma-tile` 的 1.94 倍。

use super::Operands;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of a block's tile of results, and steps along K of a buffer.
const EDGE: u32 = 64;
const DEPTH: u32 = 8;
const STAGES: u32 = 2;
const THREADS: u32 = 128;
type Buffers = SharedTiles<f64, EDGE, DEPTH, Swizzle64>;

#[kernel(block = THREADS)]
fn fragments(a: &[f64], b: &[f64], c: &mut [f64], n: u32, k: u32) {
    let tiles_a = Buffers::new(STAGES);
    let tiles_b = Buffers::new(STAGES);
    let pipe = CopyPipeline::<STAGES>::new();
    let (row, column) = (block_idx.y * EDGE, block_idx.x * EDGE);
    let me = (thread_idx.x, THREADS);
    pipe.copy_tile(tiles_a[0], a.matrix(k), (row, 0), me);
    pipe.copy_tile(tiles_b[0], b.matrix(k), (column, 0), me);
    pipe.commit();
    let warp = thread_idx.x / 32;
    let (down, across) = (warp / 2 * 32, warp % 2 * 32);
    let mut sums = [[FragmentC::<f64, 8, 8>::zero(); 4]; 4];
    for step in 0..k / DEPTH {
        pipe.wait();
        sync_threads(); // all threads see the tiles, and no thread still reads the others
        let (now, next) = (step % STAGES, (step + 1) * DEPTH);
        if next < k {
            pipe.copy_tile(tiles_a[1 - now], a.matrix(k), (row, next), me);
            pipe.copy_tile(tiles_b[1 - now], b.matrix(k), (column, next), me);
        }
        pipe.commit();
        #[unroll]
        for at in (0..DEPTH).step_by(4) {
            let left = [
                FragmentA::<f64, 8, 4>::load(tiles_a[now], down, at),
                FragmentA::<f64, 8, 4>::load(tiles_a[now], down + 8, at),
                FragmentA::<f64, 8, 4>::load(tiles_a[now], down + 16, at),
                FragmentA::<f64, 8, 4>::load(tiles_a[now], down + 24, at),
            ];
            #[unroll]
            for j in 0..4u32 {
                let right = FragmentB::<f64, 4, 8>::load(tiles_b[now].t(), at, across + 8 * j);
                #[unroll]
                for i in 0..4 {
                    sums[i][j].mma(left[i], right);
                }
            }
        }
    }
    #[unroll]
    for i in 0..4u32 {
        #[unroll]
        for j in 0..4u32 {
            sums[i][j].store(c.matrix(n), row + down + 8 * i, column + across + 8 * j);
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (m, n, k) = x.sizes();
    let launch = fragments(&x.a, &x.b, &mut x.c, n, k).grid((n / EDGE, m / EDGE)).block(THREADS);
    // SAFETY: `Factors` pads extents to multiples of 256 and 16, so every tile is inside its matrix.
    unsafe { launch.prepare_unchecked(device) }
}
