//! SGEMM rung: `shared`.
//!
//! Idea: a block loads 32 x 32 tiles of A and B into shared memory, two of each at a time; 32 threads use each number. A
//! thread reads its row of A four steps at a time.
//! Predicts: 1/20 of `coalesced`'s load sectors; five shared loads per four multiply-adds.
//! Costs: two barriers per pair of tiles; shared memory delivers one load in the time of four multiply-adds.
//! 思路：线程块把 A 和 B 的 32 x 32 tile 加载到共享内存，一次各两个，每个数供 32 个线程使用；线程一次读取 A 的一行中四步所需的数。
//! 预测：加载扇区数降到 `coalesced` 的二十分之一；每四次乘加需要五次共享内存加载。
//! 代价：每对 tile 两次屏障；共享内存完成一次加载的时间够做四次乘加。

use super::operands::{Operands, Shape, element, scaled};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of the tiles and of the block.
const T: u32 = 32;
/// Steps along k per load: two tiles.
const K: u32 = 2 * T;

#[kernel(block = (T, T))]
fn shared_tiles(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    m: u32,
    n: u32,
    k: u32,
    lda: u32,
    ldb: u32,
    ldc: u32,
    alpha: f32,
    beta: f32,
    #[constant] reads_c: bool,
    #[constant] edge: bool,
) {
    let a_tile = shared::<f32>([T, K]);
    let b_tile = shared::<f32>([K, T]);
    let (x, y) = (thread_idx.x, thread_idx.y);
    let (row, col) = (block_idx.y * T + y, block_idx.x * T + x);
    let mut sum = 0.0f32;
    for p in (0..k).step_by(K) {
        let from_a = [
            element(&a, row, p + x, m, k, lda, edge),
            element(&a, row, p + T + x, m, k, lda, edge),
        ];
        let from_b = [
            element(&b, p + y, col, k, n, ldb, edge),
            element(&b, p + T + y, col, k, n, ldb, edge),
        ];
        sync_threads(); // all threads have finished reading the tiles
        #[unroll]
        for s in 0..2u32 {
            a_tile[[y, s * T + x]] = from_a[s];
            b_tile[[s * T + y, x]] = from_b[s];
        }
        sync_threads();
        #[unroll]
        for i in (0..K).step_by(4) {
            let line = a_tile.load4((y, i));
            #[unroll]
            for s in 0..4u32 {
                sum = line[s].mul_add(b_tile[[i + s, x]], sum);
            }
        }
    }
    if row < m && col < n {
        let at = row * ldc + col;
        c[at] = scaled(sum, alpha, beta, &c, at, reads_c);
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (grid, reads_c, edge) = (x.tiles(T, T)?, x.reads_c(), !x.is_multiple_of_tile((T, T, K)));
    let Shape { m, n, k, lda, ldb, ldc } = x.shape;
    let launch =
        shared_tiles(&x.a, &x.b, &mut x.c, m, n, k, lda, ldb, ldc, x.alpha, x.beta, reads_c, edge);
    // SAFETY: each global access is guarded by the extents, or no tile reaches past them, and
    // `tiles` has checked that the buffers hold the shape; the block is T x T.
    unsafe { launch.grid(grid).block((T, T)).prepare_unchecked(device) }
}
